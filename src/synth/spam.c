/*
 * Text messages of the classes `ham` and `spam` for tests of spam filters. A message has a few
 * sentences, most of its own class, some neutral, and a few of the other class. The words in the
 * gaps (names, days, sums, things) are the same for both classes, so no single word is decisive. A
 * message of only neutral sentences cannot be classified. All sentences were written for this file.
 */
#include "synth/draw_values.h"
#include "synth/synth.h"

#define SPAM_SHARE 0.4
#define OWN_SHARE 0.80    /* fraction of the sentences that are of the message's class */
#define COMMON_SHARE 0.19 /* fraction that is neutral; the other sentences are of the other class */
#define FEWEST_SENTENCES 3
#define MOST_SENTENCES 6

typedef struct {
    Context *context;
    uint64_t seed;
    double noise;
} Messages;

typedef struct {
    uint32_t count;
    const char *const *text;
} Phrases;

/* ---- words and sentences --------------------------------------------------------------------- */

static const char *const names[] = {"Anna",  "Ben",   "Carla", "David", "Elena", "Farid", "Grace",
                                    "Henry", "Irene", "Jakob", "Kim",   "Lena",  "Marco", "Nadia",
                                    "Oscar", "Priya", "Ravi",  "Sofia", "Tom",   "Yuki"};
static const char *const days[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                   "Friday", "Saturday", "Sunday"};
static const char *const times[] = {"at 9",         "at 10",          "at noon",
                                    "at 2",         "at 4",           "at 6",
                                    "before lunch", "in the morning", "in the afternoon",
                                    "tonight",      "by midnight",    "within 24 hours"};
static const char *const things[] = {"phone", "laptop",  "camera",     "watch",         "tablet",
                                     "bike",  "printer", "headphones", "car",           "ticket",
                                     "book",  "card",    "keys",       "coffee machine"};
static const char *const work[] = {"report",  "slides", "invoice", "contract", "budget",
                                   "draft",   "data",   "list",    "form",     "agenda",
                                   "minutes", "code",   "results", "offer"};
static const char *const places[] = {"the office",       "the library", "the station",
                                     "the airport",      "our place",   "the park",
                                     "the bank",         "the school",  "the market",
                                     "the gym",          "the clinic",  "the shop on the corner",
                                     "the meeting room", "the hotel"};
static const char *const sums[] = {"20",  "50",   "100",  "150",  "250",
                                   "500", "1000", "2000", "5000", "10000"};
static const char *const events[] = {"dinner",        "lunch",    "breakfast",   "the party",
                                     "the concert",   "the game", "the lecture", "the seminar",
                                     "the interview", "the trip", "the exam",    "the film"};
static const char *const businesses[] = {"bank",    "insurance", "travel",   "pharmacy", "software",
                                         "lottery", "energy",    "delivery", "loan",     "club"};
static const char *const people[] = {"my sister", "my brother",    "the team",     "my boss",
                                     "the kids",  "our neighbour", "the doctor",   "a friend",
                                     "everyone",  "the customer",  "the landlord", "my parents"};

static const char *const ham_sentences[] = {
    "Are you still coming to %h on %b?",
    "I left my %d at %f, can you bring it?",
    "The %e is almost done, I will send it %c.",
    "%a asked whether we could meet at %f %c.",
    "Sorry, I missed your call, I was at %h with %j.",
    "Can you look over the %e before %b?",
    "Happy birthday to %a, see you at the party!",
    "We need milk, bread and something for %h.",
    "Please find the %e attached, comments are welcome.",
    "The train is late again, I will be there %c.",
    "Did %a tell you about the new %d?",
    "I paid %g for the %d, which seems fair.",
    "Thanks for your help with the %e yesterday.",
    "Let us move the meeting to %b %c.",
    "My mother says hello and asks when you will visit.",
    "How was %h with %a?",
    "I think the numbers in the %e are wrong on page 2.",
    "The kids have no school on %b.",
    "Could you pick up %j from %f %c?",
    "I forgot the keys, are you home?",
    "Congratulations on the new job, %a told me!",
    "We won the game on %b, you should have seen it.",
    "Remind me to call the doctor on %b.",
    "The heating at %f is broken, so wear something warm.",
    "I will cook on %b if you buy the wine.",
    "%a and I walked to %f and talked for hours.",
    "Your %d is ready to be picked up at %f, I can drive you.",
    "Do you want to share a taxi to %f on %b?",
    "I read the %e twice and still do not understand the second part.",
    "Our flight leaves on %b, be at the airport %c.",
};

static const char *const spam_sentences[] = {
    "Congratulations, you have been selected to win a %d!",
    "Claim your prize of %g now, reply YES.",
    "Your %i account has been suspended, verify your details %c.",
    "Get a loan of %g with no credit check.",
    "Click the link below to receive your free %d.",
    "This is your last chance to save %g on your %d.",
    "You have won %g in our weekly draw, call this number %c.",
    "Cheap pills without prescription, order %b.",
    "Earn %g a day from home, no experience needed.",
    "Limited offer: 50 percent off every %d until %b.",
    "Dear winner, the %i department holds %g in your name.",
    "Act now, only 3 places are left for %b.",
    "Lose weight fast with our natural method, money back guaranteed.",
    "Your parcel could not be delivered, pay the fee of %g here.",
    "Meet singles near %f %c.",
    "Exclusive deal for our best customers: a %d for only %g.",
    "Confirm your password to keep your %i benefits.",
    "We are pleased to offer you %g in cash, text CLAIM to collect.",
    "Double your money by %b, this investment can not lose.",
    "Unsubscribe by replying STOP, messages cost 2 each.",
    "Urgent: your %i payment failed, update your card %c.",
    "No deposit, no risk, 100 free spins until %b.",
    "I am the lawyer of a late client who left %g unclaimed.",
    "Renew your %i policy today and get a voucher of %g.",
    "A secret admirer sent you a message, open it %c.",
    "Buy followers and likes, %g for a small price.",
    "Final notice: your %i subscription ends on %b.",
    "Guaranteed approval for the %i card you deserve.",
};

static const char *const common_sentences[] = {
    "Hi %a, how are you?",
    "Please call me back %c.",
    "Let me know what you think.",
    "See you on %b.",
    "Thank you, %a.",
    "I have a question about the %d.",
    "It is free on %b.",
    "Do you have time %c?",
    "The %d costs %g at %f.",
    "Hello %a, this is about your %e.",
    "We are open on %b.",
    "Send me the details when you can.",
    "More on %b.",
    "Good news for %j!",
    "It only takes a few minutes.",
    "Please reply %c.",
    "Do not forget %b.",
    "You can find us at %f.",
    "%a gave me your number.",
    "This is important for %j.",
    "The new %e is here.",
    "Everything is ready for %b.",
    "Best wishes, %a",
    "I waited for you at %f.",
    "Is this still your number?",
    "Ask %a if you need help.",
    "There is a surprise for %j.",
    "The price went up to %g.",
    "Thanks and have a nice day.",
    "Read this before %b.",
};

#define LIST(array)                                                                                \
    {                                                                                              \
        .count = sizeof(array) / sizeof *(array), .text = (array)                                  \
    }

/* The words for the placeholders %a … %j of a sentence. */
static const Phrases gaps[] = {
    LIST(names),  LIST(days), LIST(times),  LIST(things),     LIST(work),
    LIST(places), LIST(sums), LIST(events), LIST(businesses), LIST(people),
};

static const Phrases ham = LIST(ham_sentences), spam = LIST(spam_sentences),
                     common = LIST(common_sentences);

/* ---- messages -------------------------------------------------------------------------------- */

static const char *pick(const Phrases *list, Random *random)
{
    return list->text[clv_random_below(random, list->count)];
}

static Status add_sentence(Context *context, Buffer *buffer, const char *sentence, Random *random,
                           cleave_error *error)
{
    for (;;) {
        size_t plain = strcspn(sentence, "%");
        const char *word;

        TRY(clv_buffer_add(context, buffer, sentence, plain, error));
        if (sentence[plain] == '\0')
            return OK;
        word = pick(&gaps[sentence[plain + 1] - 'a'], random);
        TRY(clv_buffer_add(context, buffer, word, strlen(word), error));
        sentence += plain + 2;
    }
}

static const Phrases *choose_kind(Random *random, bool is_spam)
{
    double u = clv_random_unit(random);

    if (u < OWN_SHARE)
        return is_spam ? &spam : &ham;
    if (u < OWN_SHARE + COMMON_SHARE)
        return &common;
    return is_spam ? &ham : &spam;
}

static Status add_message(Context *context, Buffer *buffer, Random random, double noise,
                          cleave_error *error)
{
    bool is_spam = clv_random_unit(&random) < SPAM_SHARE;
    bool wrong = clv_random_unit(&random) < noise;
    uint32_t sentences = FEWEST_SENTENCES +
                         clv_random_below(&random, MOST_SENTENCES - FEWEST_SENTENCES + 1);
    const char *label = is_spam != wrong ? "spam" : "ham";

    TRY(clv_buffer_add(context, buffer, label, strlen(label), error));
    for (uint32_t i = 0; i < sentences; i++) {
        TRY(clv_buffer_add(context, buffer, i ? " " : "\t", 1, error));
        TRY(add_sentence(context, buffer, pick(choose_kind(&random, is_spam), &random), &random,
                         error));
    }
    return clv_buffer_add(context, buffer, "\n", 1, error);
}

static Status make_messages(void *state, int part, uint64_t first_row, uint32_t rows,
                            Buffer *buffer, cleave_error *error)
{
    const Messages *self = state;

    for (uint32_t i = 0; i < rows; i++) {
        Random random = clv_row_random(self->seed, part, first_row + i);

        TRY(add_message(self->context, buffer, random, self->noise, error));
    }
    return OK;
}

static Status open_messages(Context *context, const GenerateOptions *options, void **state,
                            cleave_error *error)
{
    Messages *self = clv_alloc(context, 1, sizeof *self);

    *state = self;
    if (!self)
        return clv_fail_memory(error, "a generator", sizeof *self);
    *self = (Messages){
        .context = context, .seed = (uint64_t)options->seed, .noise = options->noise};
    return OK;
}

static void close_messages(Context *context, void *state)
{
    clv_free(context, state);
}

const GeneratorKind clv_generator_spam = {
    .name = "spam",
    .brief = "short text messages, wanted (ham) and unwanted (spam)",
    .uses = 0,
    .defaults = {.rows = 1000, .features = 1, .nonzeros = 1, .classes = 2, .noise = 0.01},
    .open = open_messages,
    .close = close_messages,
    .text = make_messages,
};
