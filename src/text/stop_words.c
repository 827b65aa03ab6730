#include "text/stop_words.h"

#include "text/tokens.h"

#include <stdlib.h>

const char clv_english_stop_words[] =
    "a about above across after afterwards again against all almost alone along already also "
    "although always am among amongst an and "
    "another any anybody anyhow anyone anything anyway anywhere are aren't around as at away be "
    "became because become becomes been "
    "before beforehand behind being below beneath beside besides between beyond both but by can "
    "can't cannot could couldn't did "
    "didn't do does doesn't doing don't done down during each either else elsewhere enough etc "
    "even ever every everybody everyone "
    "everything everywhere except few for from further furthermore had hadn't has hasn't have "
    "haven't having he he'd he'll he's "
    "hence her here here's hereby hers herself him himself his how how's however i i'd i'll i'm "
    "i've if in indeed instead into is "
    "isn't it it'd it'll it's its itself just least less let's like many may maybe me meanwhile "
    "might mine more moreover most mostly "
    "much must mustn't my myself namely neither never nevertheless no nobody none nor not nothing "
    "now nowhere of off often on once "
    "one only onto or other others otherwise our ours ourselves out over own per perhaps quite "
    "rather really same shall shan't she "
    "she'd she'll she's should shouldn't since so some somebody somehow someone something "
    "sometimes somewhere still such than that "
    "that'll that's the their theirs them themselves then there there's thereby therefore these "
    "they they'd they'll they're they've "
    "this those though through throughout thus to together too toward towards under unless until "
    "up upon us very was wasn't we we'd "
    "we'll we're we've well were weren't what what's whatever when when's whenever where where's "
    "whereas whereby wherever whether "
    "which while who who'd who'll who's whoever whole whom whose why why's will with within "
    "without won't would wouldn't yet you "
    "you'd you'll you're you've your yours yourself yourselves";

void clv_stop_words_init(StopWords *words, Context *context)
{
    *words = (StopWords){.context = context};
}

void clv_stop_words_free(StopWords *words)
{
    FREE(words->context, words->text.data, words->start);
    clv_stop_words_init(words, words->context);
}

/* ---- construction ---------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const Token *one = a, *other = b;
    size_t length = one->length < other->length ? one->length : other->length;
    int order = memcmp(token_text(one), token_text(other), length);

    return order ? order : (one->length > other->length) - (one->length < other->length);
}

/* Tokens of all batches, with their longer texts in a separate buffer. */
typedef struct {
    Context *context;
    Token *list;
    size_t count, capacity;
    Buffer text;
} TokenList;

static Status gather(TokenList *gathered, Tokens *tokens, const char *text, size_t size,
                     cleave_error *error)
{
    const char *stop = text + size;

    while (clv_tokens_take(tokens, &text, stop))
        for (size_t i = 0; i < tokens->count; i++) {
            Token token = tokens->token[i];

            TRY(GROW(gathered->context, gathered->list, gathered->capacity, gathered->count + 1,
                     error));
            if (token.length > TOKEN_KEY)
                TRY(clv_buffer_add(gathered->context, &gathered->text, token.text, token.length + 8,
                                   error));
            gathered->list[gathered->count++] = token;
        }
    /* from here on, the buffer does not move */
    for (size_t i = 0, place = 0; i < gathered->count; i++)
        if (gathered->list[i].length > TOKEN_KEY) {
            gathered->list[i].text = gathered->text.data + place;
            place += gathered->list[i].length + 8;
        }
    return OK;
}

static Status keep(StopWords *words, const TokenList *gathered, cleave_error *error)
{
    Context *context = words->context;

    for (size_t i = 0; i < gathered->count; i++) {
        const Token *token = &gathered->list[i];

        if (i > 0 && compare(token - 1, token) == 0)
            continue;
        TRY(GROW(context, words->start, words->capacity, words->count + 1, error));
        words->start[words->count++] = words->text.size;
        TRY(clv_buffer_add(context, &words->text, token_text(token), token->length, error));
        TRY(clv_buffer_add(context, &words->text, "\n", 1, error));
    }
    return OK;
}

Status clv_stop_words_make(StopWords *words, const char *text, size_t size, bool keep_case,
                           cleave_error *error)
{
    Context *context = words->context;
    TokenList gathered = {.context = context};
    Tokens *tokens = clv_alloc(context, 1, sizeof *tokens);
    Status status = tokens ? OK : clv_fail_memory(error, "stop words", sizeof *tokens);

    if (status == OK) {
        tokens->keep_case = keep_case;
        tokens->hash_key = context->hash_key;
        status = gather(&gathered, tokens, text, size, error);
    }
    if (status == OK) {
        if (gathered.count)
            qsort(gathered.list, gathered.count, sizeof *gathered.list, compare);
        status = keep(words, &gathered, error);
    }
    FREE(context, gathered.list, gathered.text.data, tokens);
    return status;
}

bool clv_is_stop_word(const StopWords *words, const char *text, size_t length)
{
    size_t low = 0, high = words->count;

    while (low < high) {
        size_t middle = (low + high) / 2, start = words->start[middle];
        size_t size = (middle + 1 < words->count ? words->start[middle + 1] : words->text.size) -
                      start - 1;
        int order = memcmp(text, words->text.data + start, length < size ? length : size);

        if (order == 0)
            order = (length > size) - (length < size);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}
