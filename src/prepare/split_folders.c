#define _GNU_SOURCE /* nftw */
#include "prepare/split_folders.h"

#include "base/file.h"
#include "data/tour.h"
#include "prepare/convert.h"
#include "read/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 64 * 1024, OPEN_FOLDERS = 16 };

typedef struct {
    const char *path;  /* path as given by the user */
    char *target;      /* target without trailing slashes */
    char *temporary;   /* temporary folder for the copies */
    bool made, placed; /* the temporary folder exists; it has been renamed */
    Buffer parent;     /* the folder that was created last */
} Target;

typedef struct {
    const cleave_data *data;
    const Folds *folds;
    Context *context;
    Target target[2];
    cleave_conversion *const *done;
    Folder *folder; /* folder of the current rows; NULL before the first */
    size_t next_path;
    uint64_t document; /* number of the next document of the folder */
    uint64_t row;
    Buffer name, from, to;
    char *piece;
} Copying;

bool clv_splits_folders(const cleave_data *data, const char *const paths[2], const char *to)
{
    if (to && strcmp(to, "folder") != 0)
        return false;
    for (size_t i = 0; i < data->path_count; i++)
        if (!clv_is_folder(data->paths[i]))
            return false;
    return data->path_count > 0 && (to || (clv_write_check(paths[0], NULL, NULL) != OK &&
                                           clv_write_check(paths[1], NULL, NULL) != OK));
}

/* ---- checks ---------------------------------------------------------------------------------- */

static size_t without_slashes(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

static bool is_empty_folder(const char *path)
{
    DIR *list = opendir(path);
    const struct dirent *entry;
    bool empty = list != NULL;

    while (empty && (entry = readdir(list)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (list)
        closedir(list);
    return empty;
}

static Status refuse_inside(const cleave_data *data, const char *path, cleave_error *error)
{
    bool inside = false;

    for (size_t i = 0; i < data->path_count; i++)
        inside = inside || clv_would_be_inside(data->context, path, data->paths[i]);
    if (!inside)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "use a folder outside the input",
                         "--into: '%s' lies inside an input folder", path);
}

Status clv_split_folders_check(const cleave_data *data, const char *const paths[2],
                               cleave_error *error)
{
    size_t length = without_slashes(paths[0]);

    if (!*paths[0] || !*paths[1] || strcmp(paths[0], "-") == 0 || strcmp(paths[1], "-") == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--into: two folders are written, and each needs a name");
    if (length == without_slashes(paths[1]) && memcmp(paths[0], paths[1], length) == 0)
        return clv_fail(error, CLEAVE_ERROR_USAGE,
                        "--into: '%s' is named twice, but two different folders are written",
                        paths[1]);
    for (int i = 0; i < 2; i++) {
        if (access(paths[i], F_OK) == 0 && !is_empty_folder(paths[i]))
            return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                                 "use a new folder, or remove this one first",
                                 "--into: '%s' exists and is not an empty folder", paths[i]);
        TRY(refuse_inside(data, paths[i], error));
    }
    return OK;
}

/* ---- documents ------------------------------------------------------------------------------- */

static Status join(Context *context, Buffer *path, const char *top, const char *name, size_t length,
                   cleave_error *error)
{
    path->size = 0;
    TRY(clv_buffer_add(context, path, top, strlen(top), error));
    TRY(clv_buffer_add(context, path, "/", 1, error));
    TRY(clv_buffer_add(context, path, name, length, error));
    return clv_buffer_add(context, path, "", 1, error);
}

/* Finds the path of the document of a row. Rows are in document order; some documents have no
 * row. */
static Status find_document(Copying *copying, const char *name, size_t length, cleave_error *error)
{
    const cleave_data *data = copying->data;

    for (;;) {
        while (copying->folder && copying->document < clv_folder_documents(copying->folder)) {
            TRY(clv_folder_name(copying->folder, copying->document++, &copying->name, error));
            if (copying->name.size == length && memcmp(copying->name.data, name, length) == 0)
                return join(copying->context, &copying->from, data->paths[copying->next_path - 1],
                            name, length, error);
        }
        clv_folder_close(copying->folder);
        copying->folder = NULL;
        copying->document = 0;
        if (copying->next_path == data->path_count)
            return clv_fail(error, CLEAVE_ERROR_IO, "%s: '%.*s' no longer exists", data->paths[0],
                            (int)length, name);
        TRY(clv_folder_open(copying->context, data->paths[copying->next_path++],
                            &(FolderOptions){.report = false}, &copying->folder, error));
    }
}

/* Creates the folders between the target and the document at `to`, unless the previous document was
 * in the same folder. */
static Status make_parents(Copying *copying, Target *target, cleave_error *error)
{
    char *path = copying->to.data, *last = strrchr(path, '/');
    size_t length = (size_t)(last - path);

    if (target->parent.size == length && memcmp(target->parent.data, path, length) == 0)
        return OK;
    for (char *slash = path + strlen(target->temporary) + 1; (slash = strchr(slash, '/'));
         slash++) {
        int made;

        *slash = '\0';
        made = mkdir(path, 0777);
        if (made != 0 && errno != EEXIST)
            return clv_fail_io(error, path, "cannot be created");
        *slash = '/';
    }
    target->parent.size = 0;
    return clv_buffer_add(copying->context, &target->parent, path, length, error);
}

static Status copy_bytes(Copying *copying, int from, int to, uint64_t *bytes, cleave_error *error)
{
    for (;;) {
        ssize_t got = read(from, copying->piece, PIECE);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return clv_fail_io(error, copying->from.data, "cannot be read");
        if (got == 0)
            return OK;
        for (ssize_t at = 0; at < got;) {
            ssize_t written = write(to, copying->piece + at, (size_t)(got - at));

            if (written < 0 && errno != EINTR)
                return clv_fail_io(error, copying->to.data, "cannot be written");
            at += written > 0 ? written : 0;
        }
        *bytes += (uint64_t)got;
    }
}

/* Copies a file, including its times, because documents can be ordered by them. */
static Status copy_open(Copying *copying, int from, uint64_t *bytes, cleave_error *error)
{
    struct stat facts;
    Status status;
    int to;

    if (fstat(from, &facts) != 0)
        return clv_fail_io(error, copying->from.data, "cannot be read");
    to = open(copying->to.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, facts.st_mode & 0777);
    if (to < 0 && errno == EEXIST)
        return clv_fail_hint(error, CLEAVE_ERROR_DATA, "split the folders one at a time",
                             "%s: another input folder has a document of the same name",
                             copying->from.data);
    if (to < 0)
        return clv_fail_io(error, copying->to.data, "cannot be written");
    status = copy_bytes(copying, from, to, bytes, error);
    if (status == OK)
        futimens(to, (const struct timespec[2]){facts.st_atim, facts.st_mtim});
    if (close(to) != 0 && status == OK)
        status = clv_fail_io(error, copying->to.data, "cannot be written");
    return status;
}

static Status copy_document(Copying *copying, uint32_t part, const char *name, size_t length,
                            cleave_error *error)
{
    Target *target = &copying->target[part];
    Status status;
    int from;

    TRY(find_document(copying, name, length, error));
    TRY(join(copying->context, &copying->to, target->temporary, name, length, error));
    TRY(make_parents(copying, target, error));
    from = open(copying->from.data, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return clv_fail_io(error, copying->from.data, "cannot be opened");
    status = copy_open(copying, from, &copying->done[part]->bytes_out, error);
    close(from);
    return status;
}

static Status copy_block(void *user, const Block *block, cleave_error *error)
{
    Copying *copying = user;

    if (block->rows && !block->name_end)
        return clv_fail(error, CLEAVE_ERROR_INTERNAL, "rows of folders need names");
    for (uint32_t row = 0; row < block->rows; row++, copying->row++) {
        uint32_t start = row ? block->name_end[row - 1] : 0,
                 part = copying->folds->of[copying->row];
        cleave_conversion *done;

        if (part > 1)
            continue;
        done = copying->done[part];
        TRY(copy_document(copying, part, block->name + start, block->name_end[row] - start, error));
        done->rows++;
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);)
            done->entries += walk.value != 0;
        if (clv_cancelled(copying->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted");
    }
    clv_progress(copying->context, &(cleave_progress){.phase = "split", .rows = copying->row});
    return OK;
}

/* ---- folders --------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts;
    (void)kind;
    (void)where;
    return remove(path);
}

static void remove_tree(const char *path)
{
    nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static Status begin_target(Context *context, Target *target, cleave_error *error)
{
    size_t length = without_slashes(target->path), size = length + 48;

    target->target = clv_copy_string(context, target->path, length);
    target->temporary = clv_alloc(context, size, 1);
    if (!target->target || !target->temporary)
        return clv_fail_memory(error, "a path", size);
    snprintf(target->temporary, size, "%s" SPLIT_SUFFIX, target->target);
    remove_tree(target->temporary); /* the folder of a split that was killed */
    target->made = mkdir(target->temporary, 0777) == 0;
    return target->made ? OK : clv_fail_io(error, target->temporary, "cannot be created");
}

static Status copy_all(Copying *copying, Dataset *dataset, cleave_error *error)
{
    TRY(clv_new(copying->context, &copying->piece, PIECE, 1, false, "a buffer", error));
    for (int i = 0; i < 2; i++)
        TRY(begin_target(copying->context, &copying->target[i], error));
    TRY(clv_tour_all(dataset, copy_block, copying, error));
    for (int i = 0; i < 2; i++) {
        copying->target[i].placed = rename(copying->target[i].temporary,
                                           copying->target[i].target) == 0;
        TRY(copying->target[i].placed
                ? OK
                : clv_fail_io(error, copying->target[i].target, "cannot be written"));
    }
    return OK;
}

Status clv_split_folders(const cleave_data *data, Dataset *dataset, const Folds *folds,
                         const char *const paths[2], cleave_conversion *const done[2],
                         cleave_error *error)
{
    Copying copying = {.data = data,
                       .folds = folds,
                       .context = data->context,
                       .target = {{.path = paths[0]}, {.path = paths[1]}},
                       .done = done};
    double started = clv_now(), cpu = clv_cpu_now();
    Status status = copy_all(&copying, dataset, error);

    for (int i = 0; i < 2; i++) {
        if (copying.target[i].made && status != OK)
            remove_tree(copying.target[i].placed ? copying.target[i].target
                                                 : copying.target[i].temporary);
        FREE(copying.context, copying.target[i].target, copying.target[i].temporary,
             copying.target[i].parent.data);
        done[i]->seconds = clv_now() - started;
        done[i]->cpu_seconds = clv_cpu_now() - cpu;
    }
    clv_folder_close(copying.folder);
    FREE(copying.context, copying.name.data, copying.from.data, copying.to.data, copying.piece);
    return status;
}
