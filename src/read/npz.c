#include "read/npz.h"

#include <stdio.h>

/* Signatures and sizes: PKWARE's APPNOTE.TXT, 4.3. */
#define LOCAL_HEADER 0x04034B50u
#define CENTRAL_HEADER 0x02014B50u
#define END_RECORD 0x06054B50u
#define END_RECORD_64 0x06064B50u
#define LOCATOR_64 0x07064B50u

enum {
    LOCAL_SIZE = 30,
    CENTRAL_SIZE = 46,
    END_SIZE = 22,
    END_SIZE_64 = 56,
    LOCATOR_SIZE = 20,
    LONGEST_COMMENT = 65535,
    MOST_DIRECTORY = 1 << 26,
    MOST_EXPANSION = 1032, /* maximum expansion of deflate */
};

static uint64_t number(const char *bytes, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = size; i-- > 0;)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

bool clv_zip_sniff(const char *head, size_t size)
{
    return size >= 4 && (number(head, 4) == LOCAL_HEADER || number(head, 4) == END_RECORD);
}

static Status fail_damaged(const Bytes *bytes, const char *what, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                         "copy or download it again, or write it again with numpy.savez",
                         "%s: the archive is damaged: %s", clv_bytes_name(bytes), what);
}

static Status read_at(const Bytes *bytes, uint64_t at, char *buffer, size_t want, const char *what,
                      cleave_error *error)
{
    size_t got = 0;

    TRY(clv_bytes_at(bytes, at, buffer, want, &got, error));
    return got == want ? OK : fail_damaged(bytes, what, error);
}

/* ---- the directory --------------------------------------------------------------------------- */

typedef struct {
    uint64_t at, size, entries;
} Directory;

/* Finds the record with numbers that do not fit 32 bits. A locator before the end record points to
 * it. */
static Status find_directory_64(const Bytes *bytes, uint64_t end, Directory *directory,
                                cleave_error *error)
{
    char locator[LOCATOR_SIZE], record[END_SIZE_64];
    uint64_t at;

    if (end < LOCATOR_SIZE)
        return fail_damaged(bytes, "its ZIP directory is missing", error);
    TRY(read_at(bytes, end - LOCATOR_SIZE, locator, sizeof locator, "its ZIP directory is missing",
                error));
    at = number(locator + 8, 8);
    if (number(locator, 4) != LOCATOR_64 || at > end)
        return fail_damaged(bytes, "its ZIP directory is missing", error);
    TRY(read_at(bytes, at, record, sizeof record, "its ZIP directory is missing", error));
    if (number(record, 4) != END_RECORD_64)
        return fail_damaged(bytes, "its ZIP directory is missing", error);
    *directory = (Directory){.entries = number(record + 32, 8),
                             .size = number(record + 40, 8),
                             .at = number(record + 48, 8)};
    return OK;
}

/* Finds the end record: the last one with its signature and a comment that extends to the end of
 * the file. */
static Status find_directory(const Bytes *bytes, char *tail, Directory *directory,
                             cleave_error *error)
{
    uint64_t total = clv_bytes_total(bytes);
    size_t size = total < END_SIZE + LONGEST_COMMENT ? (size_t)total : END_SIZE + LONGEST_COMMENT,
           at;
    const char *end;

    if (size < END_SIZE)
        return fail_damaged(bytes, "it is incomplete", error);
    TRY(read_at(bytes, total - size, tail, size, "it is incomplete", error));
    for (at = size - END_SIZE;; at--) {
        if (number(tail + at, 4) == END_RECORD && number(tail + at + 20, 2) == size - END_SIZE - at)
            break;
        if (at == 0)
            return fail_damaged(bytes, "its ZIP directory is missing; the file may be incomplete",
                                error);
    }
    end = tail + at;
    *directory = (Directory){
        .entries = number(end + 10, 2), .size = number(end + 12, 4), .at = number(end + 16, 4)};
    if (directory->entries == 0xFFFF || directory->size == UINT32_MAX ||
        directory->at == UINT32_MAX)
        TRY(find_directory_64(bytes, total - size + at, directory, error));
    if (directory->at > total || directory->size > total - directory->at ||
        directory->size > MOST_DIRECTORY)
        return fail_damaged(bytes, "its ZIP directory lies outside the file", error);
    return OK;
}

/* Replaces 32-bit numbers that are all ones with those of the extra field 1. */
static void widen(const char *extra, size_t size, uint64_t *full, uint64_t *packed,
                  uint64_t *offset)
{
    while (size >= 4) {
        uint64_t id = number(extra, 2), length = number(extra + 2, 2);
        uint64_t *const wide[] = {full, packed, offset};
        const char *at = extra + 4;

        if (length > size - 4)
            return;
        for (size_t i = 0; id == 1 && i < 3; i++)
            if (*wide[i] == UINT32_MAX && (size_t)(at - extra) + 8 <= length + 4) {
                *wide[i] = number(at, 8);
                at += 8;
            }
        extra += 4 + length;
        size -= 4 + (size_t)length;
    }
}

/* Returns the position of a member's bytes: after its local header, which has its own extra
 * field. */
static Status place_member(const Bytes *bytes, uint64_t offset, NpzMember *member,
                           cleave_error *error)
{
    uint64_t total = clv_bytes_total(bytes);
    char header[LOCAL_SIZE];

    if (offset > total)
        return fail_damaged(bytes, "a member lies outside the file", error);
    TRY(read_at(bytes, offset, header, sizeof header, "a member lies outside the file", error));
    if (number(header, 4) != LOCAL_HEADER)
        return fail_damaged(bytes, "a member has no header", error);
    member->from = offset + LOCAL_SIZE + number(header + 26, 2) + number(header + 28, 2);
    if (member->from > total || member->packed > total - member->from)
        return fail_damaged(bytes, "a member lies outside the file", error);
    if (member->deflated ? member->size / MOST_EXPANSION > member->packed
                         : member->size != member->packed)
        return fail_damaged(bytes, "the sizes of a member are inconsistent", error);
    return OK;
}

/* Reads one entry of the directory; members that are not arrays are skipped. */
static Status add_member(const Bytes *bytes, const char *entry, Npz *npz, cleave_error *error)
{
    static const char suffix[] = ".npy";
    uint64_t flags = number(entry + 8, 2), method = number(entry + 10, 2),
             name = number(entry + 28, 2);
    uint64_t packed = number(entry + 20, 4), size = number(entry + 24, 4),
             offset = number(entry + 42, 4);
    NpzMember member = {.crc = (uint32_t)number(entry + 16, 4), .deflated = method == 8};

    if (name < 5 || name - 4 >= NPZ_KEY_SIZE ||
        memcmp(entry + CENTRAL_SIZE + name - 4, suffix, 4) != 0)
        return OK;
    if (flags & 1 || (method != 0 && method != 8))
        return clv_fail_hint(error, CLEAVE_ERROR_DATA,
                             "write it with numpy.savez or numpy.savez_compressed",
                             "%s: an array is %s", clv_bytes_name(bytes),
                             flags & 1 ? "encrypted" : "compressed by a method other than deflate");
    widen(entry + CENTRAL_SIZE + name, (size_t)number(entry + 30, 2), &size, &packed, &offset);
    member.packed = packed;
    member.size = size;
    memcpy(member.name, entry + CENTRAL_SIZE, (size_t)name - 4);
    if (memchr(member.name, '\0', (size_t)name - 4))
        return fail_damaged(bytes, "the name of a member contains a zero byte", error);
    TRY(place_member(bytes, offset, &member, error));
    TRY(GROW(npz->context, npz->member, npz->capacity, npz->count + 1, error));
    npz->member[npz->count++] = member;
    return OK;
}

static Status read_directory(const Bytes *bytes, const Directory *directory, Npz *npz,
                             cleave_error *error)
{
    char *text = clv_alloc(npz->context, (size_t)directory->size + 1, 1);
    size_t at = 0, size = (size_t)directory->size;
    Status status;

    if (!text)
        return clv_fail_memory(error, "the directory of an archive", size);
    status = read_at(bytes, directory->at, text, size, "its ZIP directory is incomplete", error);
    for (uint64_t i = 0; i < directory->entries && status == OK; i++) {
        size_t length = size - at >= CENTRAL_SIZE
                            ? CENTRAL_SIZE +
                                  (size_t)(number(text + at + 28, 2) + number(text + at + 30, 2) +
                                           number(text + at + 32, 2))
                            : SIZE_MAX;

        if (length > size - at || number(text + at, 4) != CENTRAL_HEADER) {
            status = fail_damaged(bytes, "its ZIP directory is incomplete", error);
            break;
        }
        status = add_member(bytes, text + at, npz, error);
        at += length;
    }
    clv_free(npz->context, text);
    return status;
}

Status clv_npz_list(Context *context, const Bytes *bytes, Npz *npz, cleave_error *error)
{
    Directory directory = {0};
    char *tail;
    Status status;

    *npz = (Npz){.context = context};
    if (!clv_bytes_seekable(bytes))
        return clv_fail_hint(
            error, CLEAVE_ERROR_DATA, "save it to a file first",
            "%s: an archive (.npz) must be a regular file, not a pipe or a compressed file",
            clv_bytes_name(bytes));
    TRY(clv_new(context, &tail, END_SIZE + LONGEST_COMMENT, 1, false, "the end of an archive",
                error));
    status = find_directory(bytes, tail, &directory, error);
    clv_free(context, tail);
    return status == OK ? read_directory(bytes, &directory, npz, error) : status;
}

void clv_npz_free(Npz *npz)
{
    clv_free(npz->context, npz->member);
    *npz = (Npz){.context = npz->context};
}

/* ---- which array ----------------------------------------------------------------------------- */

/* Common names of arrays of rows, and of the corresponding arrays of labels; the first existing one
 * is used. */
static const char *const common_names[][4] = {
    {"X", "y", "labels", "target"},      {"x", "y", "labels", "target"},
    {"data", "labels", "y", "target"},   {"features", "labels", "y", "target"},
    {"X_train", "y_train", NULL, NULL},  {"x_train", "y_train", NULL, NULL},
    {"embeddings", "labels", "y", NULL}, {"X_test", "y_test", NULL, NULL},
    {"x_test", "y_test", NULL, NULL},    {"arr_0", "arr_1", NULL, NULL},
};

static const NpzMember *find(const Npz *npz, const char *name, size_t length)
{
    for (size_t i = 0; name && i < npz->count; i++)
        if (strlen(npz->member[i].name) == length && memcmp(npz->member[i].name, name, length) == 0)
            return &npz->member[i];
    return NULL;
}

static const NpzMember *find_name(const Npz *npz, const char *name)
{
    return name ? find(npz, name, strlen(name)) : NULL;
}

/* Returns the labels that belong to rows with this name. */
static const NpzMember *labels_of(const Npz *npz, const char *rows)
{
    for (size_t i = 0; i < sizeof common_names / sizeof *common_names; i++)
        for (size_t j = 1; j < 4 && strcmp(common_names[i][0], rows) == 0; j++)
            if (find_name(npz, common_names[i][j]))
                return find_name(npz, common_names[i][j]);
    return NULL;
}

static Status fail_key(const Npz *npz, const char *path, const char *key, size_t length,
                       cleave_error *error)
{
    char list[320] = "", quoted[QUOTE_SIZE];
    size_t used = 0;

    for (size_t i = 0; i < npz->count && used + NPZ_KEY_SIZE < sizeof list; i++)
        used += (size_t)snprintf(
            list + used, sizeof list - used, "%s%s", i ? ", " : "",
            clv_quote(quoted, npz->member[i].name, strlen(npz->member[i].name)));
    if (key)
        clv_fail(error, CLEAVE_ERROR_USAGE, "%s: the archive has no array '%s'", path,
                 clv_quote(quoted, key, length));
    else
        clv_fail(error, CLEAVE_ERROR_USAGE,
                 "%s: the archive has several arrays, and no name identifies the rows", path);
    return clv_hint(error, CLEAVE_ERROR_USAGE,
                    "name the arrays with --key ROWS or --key ROWS,LABELS; the archive has %s",
                    list);
}

static Status check_some(const Npz *npz, const char *path, cleave_error *error)
{
    if (npz->count)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "unpack it, and pass the names of its files",
                         "%s: this is a ZIP archive without NumPy arrays", path);
}

Status clv_npz_choose(const Npz *npz, const char *path, const char *key, const NpzMember **rows,
                      const NpzMember **labels, cleave_error *error)
{
    const char *comma = key ? strchr(key, ',') : NULL;
    size_t length = key ? (comma ? (size_t)(comma - key) : strlen(key)) : 0;

    *rows = *labels = NULL;
    TRY(check_some(npz, path, error));
    if (key) {
        *rows = find(npz, key, length);
        if (!*rows)
            return fail_key(npz, path, key, length, error);
    }
    for (size_t i = 0; i < sizeof common_names / sizeof *common_names && !*rows; i++)
        *rows = find_name(npz, common_names[i][0]);
    if (!*rows && npz->count == 1)
        *rows = npz->member;
    if (!*rows)
        return fail_key(npz, path, NULL, 0, error);
    *labels = comma ? find_name(npz, comma + 1) : labels_of(npz, (*rows)->name);
    return comma && comma[1] && !*labels ? fail_key(npz, path, comma + 1, strlen(comma + 1), error)
                                         : OK;
}

Status clv_npz_choose_labels(const Npz *npz, const char *path, bool weights,
                             const NpzMember **labels, cleave_error *error)
{
    static const char *const label_names[] = {"y",      "labels", "target", "y_train",
                                              "y_test", "arr_1",  NULL};
    static const char *const weight_names[] = {"weights",        "weight", "sample_weight",
                                               "sample_weights", "w",      NULL};
    const char *const *names = weights ? weight_names : label_names;

    *labels = npz->count == 1 ? npz->member : NULL;
    TRY(check_some(npz, path, error));
    for (size_t i = 0; names[i] && !*labels; i++)
        *labels = find_name(npz, names[i]);
    if (*labels || !weights)
        return *labels ? OK : fail_key(npz, path, NULL, 0, error);
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "name the array 'weights', or save it alone: numpy.save('weights.npy', w)",
                         "%s: the archive has no array of weights", path);
}

Status clv_npz_enter(Bytes *bytes, const NpzMember *member, cleave_error *error)
{
    return clv_bytes_member(bytes, member->from, member->packed, member->size, member->crc,
                            member->deflated, error);
}
