/*
 * NumPy archives (.npz): ZIP files whose members are .npy files, stored or deflated. An archive is
 * read by random access, so it must be a seekable file or memory.
 */
#ifndef READ_NPZ_H
#define READ_NPZ_H

#include "read/bytes.h"

#define NPZ_KEY_SIZE 128

typedef struct {
    char name[NPZ_KEY_SIZE]; /* name without .npy */
    uint64_t from, packed, size;
    uint32_t crc;
    bool deflated;
} NpzMember;

typedef struct {
    Context *context;
    NpzMember *member;
    size_t count, capacity;
} Npz;

bool clv_zip_sniff(const char *head, size_t size);
/* Lists the arrays. bytes covers the whole archive. The caller frees the list also after an
 * error. */
Status clv_npz_list(Context *context, const Bytes *bytes, Npz *npz, cleave_error *error);
void clv_npz_free(Npz *npz);

/* Selects the arrays of rows and labels. key: "ROWS" or "ROWS,LABELS"; NULL: common names. *labels
 * is NULL without an array of labels. */
Status clv_npz_choose(const Npz *npz, const char *path, const char *key, const NpzMember **rows,
                      const NpzMember **labels, cleave_error *error);
/* Selects the array of labels of an archive that contains only labels. */
Status clv_npz_choose_labels(const Npz *npz, const char *path, bool weights,
                             const NpzMember **labels, cleave_error *error);
/* Restricts bytes to the member, checked against its size and checksum. */
Status clv_npz_enter(Bytes *bytes, const NpzMember *member, cleave_error *error);

#endif
