/*
 * NumPy archives (.npz): ZIP files whose members are .npy files, stored or deflated. An archive is read at random places, so it
 * must be a file that can be seeked, or memory.
 */
#ifndef READ_NPZ_H
#define READ_NPZ_H

#include "read/bytes.h"

#define NPZ_KEY_SIZE 128

typedef struct {
    char name[NPZ_KEY_SIZE]; /* without .npy */
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
/* Lists the arrays. Bytes are those of the whole archive. Free it whether it fails or not. */
Status clv_npz_list(Context *context, const Bytes *bytes, Npz *npz, cleave_error *error);
void clv_npz_free(Npz *npz);

/* Which arrays hold the rows and the labels. key: "ROWS" or "ROWS,LABELS", NULL: by common names. *labels is NULL where the
 * archive has none. */
Status clv_npz_choose(const Npz *npz, const char *path, const char *key, const NpzMember **rows,
                      const NpzMember **labels, cleave_error *error);
/* The labels of an archive that is read for them alone. */
Status clv_npz_choose_labels(const Npz *npz, const char *path, const NpzMember **labels, cleave_error *error);
/* From here on bytes are those of the member, checked against its size and checksum. */
Status clv_npz_enter(Bytes *bytes, const NpzMember *member, cleave_error *error);

#endif
