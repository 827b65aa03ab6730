/* See mutate.h. */
#include "attack/mutate.h"

#include "base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void __sanitizer_print_stack_trace(void) __attribute__((weak));

/* ---- bytes ----------------------------------------------------------------------------------- */

static void *must(void *memory)
{
    if (!memory)
        attack_fail("the attack itself is out of memory", "");
    return memory;
}

static void reserve(Bytes *bytes, size_t size)
{
    if (size <= bytes->capacity)
        return;
    bytes->capacity = size + size / 2 + 64;
    bytes->bytes = must(realloc(bytes->bytes, bytes->capacity));
}

void bytes_set(Bytes *bytes, const void *from, size_t size)
{
    bytes->size = 0;
    bytes_replace(bytes, 0, 0, from, size);
}

void bytes_replace(Bytes *bytes, size_t at, size_t gone, const void *with, size_t count)
{
    reserve(bytes, bytes->size - gone + count + 1);
    memmove(bytes->bytes + at + count, bytes->bytes + at + gone, bytes->size - at - gone);
    if (with && count)
        memcpy(bytes->bytes + at, with, count);
    else
        memset(bytes->bytes + at, 0, count);
    bytes->size += count - gone;
}

void bytes_free(Bytes *bytes)
{
    free(bytes->bytes);
    *bytes = (Bytes){0};
}

unsigned char *bytes_exact(const Bytes *bytes)
{
    unsigned char *copy = NULL;

    if (posix_memalign((void **)&copy, 64, bytes->size ? bytes->size : 1) != 0)
        copy = NULL;
    must(copy);
    if (bytes->size)
        memcpy(copy, bytes->bytes, bytes->size);
    return copy;
}

static size_t below(Random *random, size_t bound)
{
    return bound ? (size_t)(clv_random_next(random) % bound) : 0;
}

static uint64_t extreme_integer(Random *random)
{
    static const uint64_t numbers[] = {
        0,          1,          2,          3,
        4,          7,          8,          63,
        64,         65,         127,        128,
        255,        256,        32767,      32768,
        65535,      65536,      0x00FFFFFF, 0x7FFFFFFE,
        0x7FFFFFFF, 1u << 31,   UINT32_MAX, UINT32_MAX - 1,
        1ull << 32, 1ull << 40, 1ull << 61, 1ull << 62,
        INT64_MAX,  1ull << 63, UINT64_MAX, UINT64_MAX - 1,
    };

    if (below(random, 4) == 0)
        return clv_random_next(random) >> below(random, 64);
    return numbers[below(random, sizeof numbers / sizeof *numbers)];
}

static double extreme_real(Random *random)
{
    static const double numbers[] = {0.0,   -0.0,          1.0,    -1.0,   0.5,  -0.5,  2.0,
                                     1e-9,  1e9,           1e30,   -1e30,  1e38, -1e38, 1e-45,
                                     1e300, -1e300,        1e308,  5e-324, 3.5,  100.0, 255.0,
                                     4e9,   -2147483649.0, 1.8e19, 9.3e18, 1e18, -7.0};

    switch (below(random, 8)) {
    case 0:
        return (double)NAN;
    case 1:
        return below(random, 2) ? (double)INFINITY : -(double)INFINITY;
    case 2:
        return (clv_random_unit(random) - 0.5) * pow(10, (double)below(random, 40) - 20);
    default:
        return numbers[below(random, sizeof numbers / sizeof *numbers)];
    }
}

void mutate_number(unsigned char *at, size_t width, Random *random)
{
    uint64_t whole = extreme_integer(random);
    uint32_t half = (uint32_t)whole;
    double number = extreme_real(random);
    float single = (float)number;
    bool real = below(random, 2);

    if (width == 8)
        memcpy(at, real ? (const void *)&number : (const void *)&whole, 8);
    else if (width == 4)
        memcpy(at, real ? (const void *)&single : (const void *)&half, 4);
    else
        *at = (unsigned char)whole;
}

/* A piece of the bytes: its start and length. */
static size_t piece(size_t from, size_t size, Random *random, size_t *length)
{
    size_t at = from + below(random, size - from);
    size_t most = size - at < 256 ? size - at : 256;

    *length = 1 + below(random, below(random, 2) ? most : most < 9 ? most : 9);
    return at;
}

static void change_piece(Bytes *bytes, size_t from, const Bytes *other, Random *random)
{
    unsigned char copy[256];
    size_t length, at = piece(from, bytes->size, random, &length),
                   to = from + below(random, bytes->size - from);

    memcpy(copy, bytes->bytes + at, length);
    switch (below(random, 5)) {
    case 0:
        bytes_replace(bytes, to, 0, copy, length);
        break;
    case 1:
        bytes_replace(bytes, at, length, NULL, 0);
        break;
    case 2:
        memmove(bytes->bytes + to, copy, length < bytes->size - to ? length : bytes->size - to);
        break;
    case 3:
        bytes_replace(bytes, at, 0, NULL, length);
        break;
    default:
        if (other && other->size) {
            size_t count, there = piece(0, other->size, random, &count);
            bool replaces = below(random, 2);

            memcpy(copy, other->bytes + there, count); /* other may be the same */
            bytes_replace(bytes, at, replaces ? length : 0, copy, count);
        }
    }
}

void mutate_bytes(Bytes *bytes, size_t from, const Bytes *other, Random *random)
{
    size_t at, width = below(random, 2) ? 8 : 4;

    if (bytes->size <= from)
        return;
    at = from + below(random, bytes->size - from);
    switch (below(random, 8)) {
    case 0:
    case 1:
        bytes->bytes[at] = (unsigned char)(bytes->bytes[at] ^ 1u << below(random, 8));
        break;
    case 2:
        bytes->bytes[at] = (unsigned char)clv_random_next(random);
        break;
    case 3:
    case 4:
        at -= (at - from) % width;
        if (bytes->size - at >= width)
            mutate_number(bytes->bytes + at, width, random);
        break;
    case 5:
        if (below(random, 4) == 0) {
            bytes->size = at;
            break;
        }
        /* fall through */
    default:
        change_piece(bytes, from, other, random);
    }
}

void mutate_text(Bytes *bytes, const char *const *tokens, size_t count, Random *random)
{
    const char *token = tokens[below(random, count)];
    size_t at = below(random, bytes->size + 1), gone = below(random, 2) ? 0 : below(random, 4);

    if (below(random, 40) == 0)
        bytes_replace(bytes, at, 0, "\0", 1);
    else
        bytes_replace(bytes, at, gone < bytes->size - at ? gone : bytes->size - at, token,
                      strlen(token));
}

/* ---- bundles --------------------------------------------------------------------------------- */

enum { HEADER_SIZE = 64, ENTRY_SIZE = 24 };

static uint64_t load(const unsigned char *at, size_t width)
{
    uint64_t value = 0;

    memcpy(&value, at, width);
    return value;
}

static void store(unsigned char *at, uint64_t value, size_t width)
{
    memcpy(at, &value, width);
}

static size_t aligned(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

static size_t element_size(uint32_t type)
{
    static const size_t sizes[] = {1, 1, 4, 8, 4, 8};

    return type < 6 ? sizes[type] : 1;
}

void bundle_mend(unsigned char *bytes, size_t size)
{
    if (size >= HEADER_SIZE)
        store(bytes + 24,
              clv_hash(bytes + HEADER_SIZE, size - HEADER_SIZE,
                       load(bytes + 8, 8) ^ load(bytes + 16, 8) << 16),
              8);
}

static BundlePart *add_part(BundleParts *parts)
{
    if (parts->parts == parts->capacity) {
        parts->capacity = 2 * parts->capacity + 32;
        parts->part = must(realloc(parts->part, parts->capacity * sizeof *parts->part));
    }
    parts->part[parts->parts] = (BundlePart){0};
    return &parts->part[parts->parts++];
}

static void copy_part(BundlePart *to, const BundlePart *from)
{
    Bytes data = to->data;

    *to = *from;
    to->data = data;
    bytes_set(&to->data, from->data.bytes, from->data.size);
}

bool bundle_take_apart(const Bytes *bytes, BundleParts *parts)
{
    size_t at = HEADER_SIZE, count;

    *parts = (BundleParts){0};
    if (bytes->size < HEADER_SIZE)
        return false;
    memcpy(parts->header, bytes->bytes, HEADER_SIZE);
    count = (size_t)load(bytes->bytes + 12, 4);
    for (size_t i = 0; i < count; i++) {
        BundlePart *part;
        uint64_t place, size;

        if (at + ENTRY_SIZE > bytes->size)
            return false;
        part = add_part(parts);
        part->type = (uint32_t)load(bytes->bytes + at, 4);
        part->name_size = (uint32_t)load(bytes->bytes + at + 4, 4);
        part->count = load(bytes->bytes + at + 8, 8);
        place = load(bytes->bytes + at + 16, 8);
        size = part->count * element_size(part->type);
        at += ENTRY_SIZE;
        if (part->name_size >= sizeof part->name || at + part->name_size > bytes->size ||
            place > bytes->size || size > bytes->size - place)
            return false;
        memcpy(part->name, bytes->bytes + at, part->name_size);
        bytes_set(&part->data, bytes->bytes + place, (size_t)size);
        at += aligned(part->name_size, 8);
    }
    return true;
}

void bundle_put_together(const BundleParts *parts, Bytes *bytes)
{
    size_t at = HEADER_SIZE, place = HEADER_SIZE;

    bytes_set(bytes, parts->header, HEADER_SIZE);
    for (size_t i = 0; i < parts->parts; i++)
        place += ENTRY_SIZE + aligned(parts->part[i].name_size, 8);
    bytes_replace(bytes, HEADER_SIZE, 0, NULL, place - HEADER_SIZE);
    for (size_t i = 0; i < parts->parts; i++) {
        const BundlePart *part = &parts->part[i];

        place = aligned(bytes->size, 64);
        bytes_replace(bytes, bytes->size, 0, NULL, place - bytes->size);
        store(bytes->bytes + at, part->type, 4);
        store(bytes->bytes + at + 4, part->name_size, 4);
        store(bytes->bytes + at + 8, part->count, 8);
        store(bytes->bytes + at + 16, place, 8);
        memcpy(bytes->bytes + at + ENTRY_SIZE, part->name, part->name_size);
        at += ENTRY_SIZE + aligned(part->name_size, 8);
        bytes_replace(bytes, bytes->size, 0, part->data.bytes, part->data.size);
    }
    bytes_replace(bytes, bytes->size, 0, NULL, aligned(bytes->size, 64) - bytes->size);
    store(bytes->bytes + 12, parts->parts, 4);
    store(bytes->bytes + 16, bytes->size, 8);
    bundle_mend(bytes->bytes, bytes->size);
}

void bundle_parts_free(BundleParts *parts)
{
    for (size_t i = 0; i < parts->parts; i++)
        bytes_free(&parts->part[i].data);
    free(parts->part);
    *parts = (BundleParts){0};
}

BundlePart *bundle_part(BundleParts *parts, const char *name)
{
    for (size_t i = 0; i < parts->parts; i++)
        if (parts->part[i].name_size == strlen(name) &&
            memcmp(parts->part[i].name, name, strlen(name)) == 0)
            return &parts->part[i];
    return NULL;
}

static void recount(BundlePart *part)
{
    part->count = part->data.size / element_size(part->type);
}

/* Lengthens or shortens a part by whole elements, or to the length of another part. */
static void change_length(BundlePart *part, const BundlePart *like, Random *random)
{
    size_t width = element_size(part->type), count = part->data.size / width, wanted;

    switch (below(random, 4)) {
    case 0:
        wanted = count + 1 + below(random, 4);
        break;
    case 1:
        wanted = below(random, count + 1);
        break;
    case 2:
        wanted = count ? count - 1 : 0;
        break;
    default:
        wanted = like->data.size / width;
    }
    if (wanted > 100000)
        return;
    if (wanted * width <= part->data.size) /* a part may end within an element */
        part->data.size = wanted * width;
    else if (count && below(random, 2))
        while (part->data.size < wanted * width) { /* reserved first: the source may move */
            reserve(&part->data, part->data.size + width + 1);
            bytes_replace(&part->data, part->data.size, 0,
                          part->data.bytes + part->data.size - width, width);
        }
    else
        bytes_replace(&part->data, part->data.size, 0, NULL, wanted * width - part->data.size);
    recount(part);
}

static void change_elements(BundlePart *part, Random *random)
{
    size_t width = element_size(part->type), count = part->data.size / width,
           times = 1 + below(random, 3);
    unsigned char keep[8];

    if (count == 0)
        return;
    for (size_t i = 0; i < times; i++) {
        unsigned char *one = part->data.bytes + width * below(random, count);
        unsigned char *two = part->data.bytes + width * below(random, count);

        switch (below(random, 6)) {
        case 0: /* swaps two of them */
            memcpy(keep, one, width);
            memmove(one, two, width);
            memcpy(two, keep, width);
            break;
        case 1:
            memmove(one, two, width);
            break;
        case 2:
            store(one, load(one, width) + (below(random, 2) ? 1 : UINT64_MAX), width);
            break;
        case 3:
            one[below(random, width)] ^= (unsigned char)(1u << below(random, 8));
            break;
        default:
            mutate_number(one, width, random);
        }
    }
}

/* All elements at once. */
static void fill_elements(BundlePart *part, Random *random)
{
    size_t width = element_size(part->type);
    unsigned char value[8];

    mutate_number(value, width, random);
    for (size_t at = 0; at + width <= part->data.size; at += width)
        memcpy(part->data.bytes + at, value, width);
}

static void change_list(BundleParts *parts, const BundleParts *other, Random *random)
{
    size_t one = below(random, parts->parts), two = below(random, parts->parts);
    BundlePart keep;

    switch (below(random, 5)) {
    case 0:
        bytes_free(&parts->part[one].data);
        memmove(&parts->part[one], &parts->part[one + 1],
                (parts->parts - one - 1) * sizeof *parts->part);
        parts->parts--;
        break;
    case 1: { /* twice in the directory */
        BundlePart *again = add_part(parts);

        copy_part(again, &parts->part[one]);
        break;
    }
    case 2:
        keep = parts->part[one];
        parts->part[one] = parts->part[two];
        parts->part[two] = keep;
        break;
    default:
        if (other && other->parts) {
            const BundlePart *from = &other->part[below(random, other->parts)];
            char name[sizeof from->name] = {0};
            BundlePart *to;

            memcpy(name, from->name, from->name_size);
            to = bundle_part(parts, name);
            copy_part(to ? to : add_part(parts), from);
        }
    }
}

static void change_entry(BundlePart *part, const BundlePart *like, Random *random)
{
    switch (below(random, 5)) {
    case 0:
        part->type = (uint32_t)below(random, 7);
        if (below(random, 2))
            recount(part);
        break;
    case 1:
        part->count = extreme_integer(random);
        break;
    case 2:
        memcpy(part->name, like->name, sizeof part->name);
        part->name_size = like->name_size;
        break;
    case 3:
        if (part->name_size)
            part->name[below(random, part->name_size)] = (char)clv_random_next(random);
        break;
    default: /* the content of another part under this name */
        part->type = like->type;
        part->count = like->count;
        if (part != like)
            bytes_set(&part->data, like->data.bytes, like->data.size);
    }
}

void mutate_parts(BundleParts *parts, const BundleParts *other, Random *random)
{
    BundlePart *part, *like;

    if (parts->parts == 0)
        return;
    part = &parts->part[below(random, parts->parts)];
    like = &parts->part[below(random, parts->parts)];
    switch (below(random, 16)) {
    case 0:
        change_list(parts, other, random);
        break;
    case 1:
        change_entry(part, like, random);
        break;
    case 2:
    case 3:
        change_length(part, like, random);
        break;
    case 4:
        mutate_bytes(&part->data, 0, &like->data, random);
        recount(part);
        break;
    case 5:
        fill_elements(part, random);
        break;
    default:
        change_elements(part, random);
    }
}

/* ---- a campaign ------------------------------------------------------------------------------ */

/* The campaign runs in a child process. The parent detects how it ended and prints the text in
 * memory that both share. */
static struct {
    char line[4096];
} * shared;
static const char *program = "attack";
/* Limit of the processor time of the process, after which calls are cancelled. */
static double deadline = 1e300;

static void on_long(int number)
{
    static const char text[] = "a mutant takes too much processor time\n";

    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) > 0)
        abort();
}

static void watch(void)
{
    pid_t child;
    int status;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        fprintf(stderr, "cannot allocate shared memory\n");
        exit(1);
    }
    child = fork();
    if (child == 0)
        return;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        exit(0);
    if (child > 0 && WIFSIGNALED(status))
        fprintf(stderr, "signal %d ended the attack\n", WTERMSIG(status));
    fprintf(stderr, "%s%s", *shared->line ? "mutant: " : "", shared->line);
    exit(child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static uint64_t number_argument(const char *text, const char *name)
{
    char *end;
    unsigned long long number = text ? strtoull(text, &end, 0) : 0;

    if (!text || end == text || *end) {
        fprintf(stderr, "%s requires a number\n", name);
        exit(2);
    }
    return number;
}

static void parse_arguments(Attack *attack, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        uint64_t *number = strcmp(argv[i], "--seed") == 0    ? &attack->seed
                           : strcmp(argv[i], "--first") == 0 ? &attack->first
                           : strcmp(argv[i], "--count") == 0 ? &attack->count
                                                             : NULL;

        if (number) {
            *number = number_argument(argv[i + 1], argv[i]);
            i++;
        } else if (strcmp(argv[i], "--verbose") == 0) {
            attack->verbose = true;
        } else {
            fprintf(stderr, "usage: %s [--seed N] [--first N] [--count N] [--verbose]\n", program);
            exit(2);
        }
    }
}

Attack attack_begin(int argc, char **argv, uint64_t count)
{
    const char *seed = getenv("CLEAVE_SEED");
    Attack attack = {.seed = (uint64_t)time(NULL), .count = count, .batch = 1};

    program = argv[0];
    if (seed)
        attack.seed = number_argument(seed, "CLEAVE_SEED");
    parse_arguments(&attack, argc, argv);
    printf("seed %" PRIu64 ": %" PRIu64 " mutants from number %" PRIu64 " on\n", attack.seed,
           attack.count, attack.first);
    fflush(stdout);
    watch();
    signal(SIGPROF, on_long);
    return attack;
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

Random attack_next(const Attack *attack, uint64_t n, unsigned seconds)
{
    struct itimerval limit = {.it_value.tv_sec = (time_t)seconds};

    if ((n - attack->first) % attack->batch != 0)
        return clv_random(attack->seed, n);
    snprintf(shared->line, sizeof shared->line,
             "%s --seed %" PRIu64 " --first %" PRIu64 " --count %" PRIu64 "\n", program,
             attack->seed, n, attack->batch);
    if (attack->verbose)
        fputs(shared->line, stderr);
    setitimer(ITIMER_PROF, &limit, NULL);
    deadline = cpu_seconds() + 1;
    return clv_random(attack->seed, n);
}

void attack_fail(const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s\n", what, detail);
    if (__sanitizer_print_stack_trace)
        __sanitizer_print_stack_trace();
    _exit(1);
}

static void *allocate(void *user, void *old, size_t size)
{
    (void)user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return size > (size_t)64 << 20 ? NULL : realloc(old, size);
}

static bool cancelled(void *user)
{
    (void)user;
    return cpu_seconds() > deadline;
}

const cleave_config attack_config = {
    .size = sizeof(cleave_config), .allocate = allocate, .cancelled = cancelled, .threads = 1};

bool attack_check(cleave_code code, const cleave_error *error, const char *call)
{
    if (code == CLEAVE_OK)
        return true;
    if (code == CLEAVE_ERROR_INTERNAL)
        attack_fail(call, error->message);
    if (error->code != code || error->message[0] == '\0')
        attack_fail(call, "an error without its code or message");
    return false;
}
