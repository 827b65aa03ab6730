#include "input/similar_labels.h"

#include "base/hash_table.h"
#include "data/block.h"
#include "text/unicode.h"

#include <string.h>

/* Symbols such as + and # are kept, because C, C++ and C# are three classes. */
static const char blanks[] = " \t\r\n\v\f", trailing[] = " \t\r\n\v\f.,;:!?";

typedef struct {
    const char *at, *stop;
} Core;

/* Returns the part of a label that is compared. A label without any other characters keeps its
 * blanks and punctuation. */
static Core core_of(const char *text)
{
    const char *start = text + strspn(text, blanks), *stop = text + strlen(text);

    while (stop > start && strchr(trailing, stop[-1]))
        stop--;
    return start < stop ? (Core){start, stop} : (Core){text, text + strlen(text)};
}

static uint64_t hash_core(const Labels *labels, const char *text)
{
    uint64_t hash = 0;

    for (Core core = core_of(text); core.at < core.stop;) {
        uint32_t character = clv_fold_character(clv_character(&core.at, core.stop));

        hash = clv_keyed_hash(labels->context->hash_key, &character, sizeof character, hash);
    }
    return hash;
}

static bool same_core(const void *owner, const void *wanted, uint32_t entry)
{
    Core one = core_of(wanted), other = core_of(((const Labels *)owner)->list[entry].text);

    while (one.at < one.stop && other.at < other.stop)
        if (clv_fold_character(clv_character(&one.at, one.stop)) !=
            clv_fold_character(clv_character(&other.at, other.stop)))
            return false;
    return one.at == one.stop && other.at == other.stop;
}

Status clv_labels_similar(const Labels *labels, uint32_t known, uint32_t *similar, uint32_t *to,
                          cleave_error *error)
{
    HashTable table = {0};
    Status status = OK;

    *similar = clv_labels_twin(labels, known, to);
    for (uint32_t i = 0; i < labels->count && *similar == UNLABELED && status == OK; i++) {
        uint64_t hash = hash_core(labels, labels->list[i].text);
        HashSlot *slot;

        status = clv_hash_table_reserve(labels->context, &table, i, "labels", error);
        if (status != OK)
            break;
        slot = hash_table_find(&table, hash, same_core, labels, labels->list[i].text);
        if (i < known && !slot->entry)
            hash_table_fill(slot, hash, i);
        else if (i >= known && slot->entry) {
            *similar = i;
            *to = slot->entry - 1;
        }
    }
    clv_hash_table_free(labels->context, &table);
    return status;
}

bool clv_label_trim(const char *label, const char *class, char trim[TRIM_SIZE])
{
    const char *found = strstr(label, class), *behind = found ? found + strlen(class) : NULL;
    size_t used = 0;

    if (!found)
        return false;
    for (const char *p = label; *p; p++) {
        if (p >= found && p < behind)
            continue;
        if (!strchr(" +.,;:!?", *p) || used + 1 == TRIM_SIZE)
            return false;
        if (!memchr(trim, *p, used))
            trim[used++] = *p;
    }
    trim[used] = '\0';
    return used > 0;
}
