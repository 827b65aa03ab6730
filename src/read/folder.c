#define _GNU_SOURCE /* d_type */
#include "read/folder.h"

#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 64, FIRST_READ = 64 * 1024 };
#define LONGEST_DOCUMENT ((size_t)1 << 30)

typedef struct {
    size_t name; /* position in Folder.text */
    uint32_t place;
} Document;

/* A folder with documents. */
typedef struct {
    size_t path; /* position in Folder.text; a path below the top, which is "" */
    uint32_t class_length;
    bool maildir; /* whether it is `cur` or `new` of a maildir */
} Place;

struct Folder {
    Context *context;
    char *path;  /* path as given, without final slashes */
    Buffer text; /* names and paths, each with its NUL */
    Document *document;
    size_t documents, document_capacity;
    Place *place;
    size_t places, place_capacity;

    /* State of a listing. */
    const FolderOptions *options;
    bool top_is_maildir;
    uint64_t folders, beside, empty, hidden, passed_over;
    Buffer first_beside, first_empty, first_hidden, first_passed_over;
};

bool clv_is_folder(const char *path)
{
    struct stat facts;

    return strcmp(path, "-") != 0 && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *text_at(const Folder *folder, size_t offset)
{
    return folder->text.data + offset;
}

uint64_t clv_folder_documents(const Folder *folder)
{
    return folder->documents;
}

bool clv_folder_has_classes(const Folder *folder)
{
    for (size_t i = 0; i < folder->places; i++)
        if (folder->place[i].class_length > 0)
            return true;
    return false;
}

void clv_folder_class(const Folder *folder, uint64_t number, const char **class_name,
                      size_t *length)
{
    const Place *place = &folder->place[folder->document[number].place];

    *class_name = text_at(folder, place->path);
    *length = place->class_length;
}

Status clv_folder_name(const Folder *folder, uint64_t number, Buffer *name, cleave_error *error)
{
    const Document *document = &folder->document[number];
    const char *path = text_at(folder, folder->place[document->place].path),
               *own = text_at(folder, document->name);

    name->size = 0;
    TRY(clv_buffer_add(folder->context, name, path, strlen(path), error));
    if (*path)
        TRY(clv_buffer_add(folder->context, name, "/", 1, error));
    return clv_buffer_add(folder->context, name, own, strlen(own), error);
}

/* Joins top, path and name. If the result is too long, the end is kept, because it distinguishes
 * documents. */
static const char *join_for_message(const char *top, const char *path, const char *name,
                                    char result[FOLDER_PATH_SIZE])
{
    const char *parts[] = {top, *path ? "/" : "", path, *name ? "/" : "", name};
    size_t length = 0, skip;

    for (size_t i = 0; i < 5; i++)
        length += strlen(parts[i]);
    skip = length >= FOLDER_PATH_SIZE ? length - FOLDER_PATH_SIZE + 1 : 0;
    length = 0;
    for (size_t i = 0; i < 5; i++) {
        size_t size = strlen(parts[i]), cut = size < skip ? size : skip;

        memcpy(result + length, parts[i] + cut, size - cut);
        length += size - cut;
        skip -= cut;
    }
    result[length] = '\0';
    return result;
}

const char *clv_folder_path(const Folder *folder, uint64_t number, char path[FOLDER_PATH_SIZE])
{
    const Document *document = &folder->document[number];

    return join_for_message(folder->path, text_at(folder, folder->place[document->place].path),
                            text_at(folder, document->name), path);
}

/* ---- listing --------------------------------------------------------------------------------- */

/* The current folder, and its parents. */
typedef struct Level {
    const struct Level *above;
    const char *path; /* path below the top */
    int file;
    dev_t device;
    ino_t number;
    unsigned depth;
    bool maildir; /* whether it is `cur` or `new` of a maildir */
} Level;

/* The names of a folder. Entries are offsets, because the texts move while names are collected. The
 * texts do not move during sorting. */
typedef struct {
    size_t name;
    const char *text;
    bool folder;
} Entry;

typedef struct {
    Entry *list;
    size_t count, capacity;
} Entries;

static Status fail_at(const Folder *folder, const Level *level, const char *name, const char *what,
                      cleave_error *error)
{
    char path[FOLDER_PATH_SIZE];

    return clv_fail_io(error, join_for_message(folder->path, level->path, name, path), what);
}

static Status refuse_special(const Folder *folder, const Level *level, const char *name,
                             cleave_error *error)
{
    char path[FOLDER_PATH_SIZE];

    return clv_fail_hint(error, CLEAVE_ERROR_IO,
                         "move pipes, sockets and devices out of the folder",
                         "%s: this is neither a file nor a folder",
                         join_for_message(folder->path, level->path, name, path));
}

static Status is_folder_entry(const Folder *folder, const Level *level, const struct dirent *entry,
                              bool *is_folder, cleave_error *error)
{
    struct stat facts;

    *is_folder = entry->d_type == DT_DIR;
    if (entry->d_type == DT_DIR || entry->d_type == DT_REG)
        return OK;
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
        return refuse_special(folder, level, entry->d_name, error);
    if (fstatat(level->file, entry->d_name, &facts, 0) != 0)
        return fail_at(folder, level, entry->d_name, "cannot be read", error);
    *is_folder = S_ISDIR(facts.st_mode);
    return *is_folder || S_ISREG(facts.st_mode)
               ? OK
               : refuse_special(folder, level, entry->d_name, error);
}

static Status note_first(Folder *folder, const Level *level, const char *name, uint64_t *count,
                         Buffer *first, cleave_error *error)
{
    char path[FOLDER_PATH_SIZE];

    if ((*count)++ > 0)
        return OK;
    join_for_message(folder->path, level->path, name, path);
    return clv_buffer_add(folder->context, first, path, strlen(path) + 1, error);
}

/* Records an entry of a changing folder that cannot be listed. A vanished entry is not reported. */
static Status pass_over(Folder *folder, const Level *level, const char *name, cleave_error *error)
{
    struct stat facts;

    if (fstatat(level->file, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        return OK;
    return note_first(folder, level, name, &folder->passed_over, &folder->first_passed_over, error);
}

uint64_t clv_folder_passed_over(const Folder *folder, const char **first)
{
    *first = folder->first_passed_over.data;
    return folder->passed_over;
}

/* Notes a hidden folder beside the class folders. */
static Status note_hidden(Folder *folder, const Level *level, const struct dirent *entry,
                          cleave_error *error)
{
    if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
        strcmp(entry->d_name, "..") == 0)
        return OK;
    return note_first(folder, level, entry->d_name, &folder->hidden, &folder->first_hidden, error);
}

static Status add_entry(Folder *folder, const Level *level, Entries *entries,
                        const struct dirent *entry, cleave_error *error)
{
    Entry *added;
    bool is_folder;
    Status status;

    if (entry->d_name[0] == '.')
        return level->depth == 0 ? note_hidden(folder, level, entry, error) : OK;
    status = is_folder_entry(folder, level, entry, &is_folder, error);
    if (status != OK)
        return folder->options->changing ? pass_over(folder, level, entry->d_name, error) : status;
    TRY(GROW(folder->context, entries->list, entries->capacity, entries->count + 1, error));
    added = &entries->list[entries->count++];
    *added = (Entry){.name = folder->text.size, .folder = is_folder};
    return clv_buffer_add(folder->context, &folder->text, entry->d_name, strlen(entry->d_name) + 1,
                          error);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Entry *)a)->text, ((const Entry *)b)->text);
}

/* Collects the names in a folder, sorted. */
static Status gather(Folder *folder, const Level *level, Entries *entries, cleave_error *error)
{
    int own = dup(level->file); /* a duplicate, because closedir closes it */
    DIR *stream = own >= 0 ? fdopendir(own) : NULL;
    const struct dirent *entry;
    Status status = OK;

    if (!stream) {
        status = fail_at(folder, level, "", "cannot be listed", error);
        if (own >= 0)
            close(own);
        return status;
    }
    errno = 0;
    while (status == OK && (entry = readdir(stream))) {
        status = add_entry(folder, level, entries, entry, error);
        errno = 0;
    }
    if (status == OK && errno)
        status = fail_at(folder, level, "", "cannot be listed", error);
    closedir(stream);
    TRY(status);
    for (size_t i = 0; i < entries->count; i++)
        entries->list[i].text = text_at(folder, entries->list[i].name);
    if (entries->count)
        qsort(entries->list, entries->count, sizeof *entries->list, by_name);
    return OK;
}

static Status add_place(Folder *folder, const Level *level, uint32_t *place, cleave_error *error)
{
    const char *path = level->path;
    size_t length = folder->top_is_maildir ? 0 : strcspn(path, "/");

    TRY(GROW(folder->context, folder->place, folder->place_capacity, folder->places + 1, error));
    *place = (uint32_t)folder->places++;
    folder->place[*place] = (Place){
        .path = folder->text.size, .class_length = (uint32_t)length, .maildir = level->maildir};
    return clv_buffer_add(folder->context, &folder->text, path, strlen(path) + 1, error);
}

static Status list_folder(Folder *folder, Level *level, cleave_error *error);

static Status check_level(const Folder *folder, const Level *level, cleave_error *error)
{
    char path[FOLDER_PATH_SIZE], again[FOLDER_PATH_SIZE];

    for (const Level *above = level->above; above; above = above->above)
        if (above->device == level->device && above->number == level->number)
            return clv_fail_hint(error, CLEAVE_ERROR_IO, "remove the link",
                                 "%s: this link leads back to %s, the folder that contains it",
                                 join_for_message(folder->path, level->path, "", path),
                                 join_for_message(folder->path, above->path, "", again));
    if (level->depth <= DEEPEST)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_IO, "expected FOLDER/class/document",
                         "%s: folders are nested more than %d deep",
                         join_for_message(folder->path, level->path, "", path), DEEPEST);
}

static Status list_below(Folder *folder, const Level *level, size_t name, bool maildir,
                         cleave_error *error)
{
    const char *own = text_at(folder, name);
    size_t size = strlen(level->path) + strlen(own) + 2, documents = folder->documents;
    char *path = clv_alloc(folder->context, size, 1);
    Level below = {.above = level, .path = path, .depth = level->depth + 1, .maildir = maildir};
    struct stat facts;
    Status status = OK;

    if (!path)
        return clv_fail_memory(error, "a path", size);
    snprintf(path, size, "%s%s%s", level->path, *level->path ? "/" : "", own);
    below.file = openat(level->file, own, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (below.file < 0 || fstat(below.file, &facts) != 0) {
        status = fail_at(folder, level, own, "cannot be listed", error);
    } else {
        below.device = facts.st_dev;
        below.number = facts.st_ino;
        status = check_level(folder, &below, error);
    }
    THEN(status, list_folder(folder, &below, error));
    if (status == CLEAVE_ERROR_IO && folder->options->changing)
        status = pass_over(folder, level, text_at(folder, name), error);
    if (status == OK && folder->documents == documents && level->depth == 0 && !maildir)
        status = note_first(folder, &below, "", &folder->empty, &folder->first_empty, error);
    if (below.file >= 0)
        close(below.file);
    clv_free(folder->context, path);
    return status;
}

static bool is_maildir_part(const Folder *folder, const Entry *entry)
{
    const char *name = text_at(folder, entry->name);

    return entry->folder && (strcmp(name, "cur") == 0 || strcmp(name, "new") == 0);
}

/* Returns whether both mail folders exist, or one and nothing else but `tmp`: archives lose empty
 * folders. */
static bool is_maildir(const Folder *folder, const Entries *entries)
{
    size_t found = 0, drafts = 0;

    for (size_t i = 0; i < entries->count; i++) {
        found += is_maildir_part(folder, &entries->list[i]);
        drafts += entries->list[i].folder &&
                  strcmp(text_at(folder, entries->list[i].name), "tmp") == 0;
    }
    return found == 2 || (found == 1 && found + drafts == entries->count);
}

/* Lists the content of a folder, in order. */
static Status list_entries(Folder *folder, const Level *level, const Entries *entries,
                           cleave_error *error)
{
    bool classes = false;
    uint32_t place = UINT32_MAX;

    if (is_maildir(folder, entries)) {
        folder->top_is_maildir = folder->top_is_maildir || level->depth == 0;
        for (size_t i = 0; i < entries->count; i++)
            if (is_maildir_part(folder, &entries->list[i]))
                TRY(list_below(folder, level, entries->list[i].name, true, error));
        return OK;
    }
    for (size_t i = 0; i < entries->count; i++)
        classes = classes || (level->depth == 0 && entries->list[i].folder);
    for (size_t i = 0; i < entries->count; i++) {
        const Entry *entry = &entries->list[i];

        if (entry->folder) {
            TRY(list_below(folder, level, entry->name, false, error));
        } else if (classes && !folder->options->keep_beside) {
            TRY(note_first(folder, level, text_at(folder, entry->name), &folder->beside,
                           &folder->first_beside, error));
        } else {
            if (place == UINT32_MAX)
                TRY(add_place(folder, level, &place, error));
            TRY(GROW(folder->context, folder->document, folder->document_capacity,
                     folder->documents + 1, error));
            folder->document[folder->documents++] = (Document){.name = entry->name, .place = place};
        }
    }
    return OK;
}

static Status list_folder(Folder *folder, Level *level, cleave_error *error)
{
    Entries entries = {0};
    Status status;

    folder->folders++;
    if (folder->options->entered)
        folder->options->entered(folder->options->user, level->path, level->maildir);
    status = gather(folder, level, &entries, error);
    THEN(status, list_entries(folder, level, &entries, error));
    clv_free(folder->context, entries.list);
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

static Status check_listed(const Folder *folder, cleave_error *error)
{
    if (folder->documents || folder->options->may_be_empty)
        return OK;
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "expected FOLDER/class/document, or only plain files; hidden files are ignored",
        "%s: the folder contains no documents%s", folder->path,
        folder->beside ? ": only plain files and empty folders" : "");
}

/* Warns of entries that are probably mistakes. */
static void warn_of_listed(const Folder *folder)
{
    char more[64] = "";

    if (folder->beside > 1)
        snprintf(more, sizeof more, ", the first of %llu", (unsigned long long)folder->beside);
    if (folder->beside)
        clv_warn(folder->context,
                 "move each document into the folder of its class; other files are ignored",
                 "%s: this file is outside the class folders%s", folder->first_beside.data, more);
    more[0] = '\0';
    if (folder->empty > 1)
        snprintf(more, sizeof more, "; it is the first of %llu such folders",
                 (unsigned long long)folder->empty);
    if (folder->empty && !folder->options->may_be_empty)
        clv_warn(folder->context, NULL, "%s: the folder contains no documents%s",
                 folder->first_empty.data, more);
    more[0] = '\0';
    if (folder->hidden > 1)
        snprintf(more, sizeof more, " (the first of %llu)", (unsigned long long)folder->hidden);
    if (folder->hidden)
        clv_note(folder->context, "%s: hidden folder ignored%s", folder->first_hidden.data, more);
}

/* ---- class folders that look like something else --------------------------------------------- */

enum { MOST_CHECKED = 256, FAR_LARGER = 5, FEW_DOCUMENTS = 20, LISTED_CLASSES = 160 };

typedef struct {
    const char *name;
    size_t length;
    uint64_t documents;
} ClassFolder;

/* Returns the class folders, in order; 0 if there are more than MOST_CHECKED. Documents without a
 * class are not counted. */
static size_t count_classes(const Folder *folder, ClassFolder classes[MOST_CHECKED])
{
    size_t count = 0;

    for (uint64_t i = 0; i < folder->documents; i++) {
        ClassFolder *last = count ? &classes[count - 1] : NULL;
        const char *name;
        size_t length;

        clv_folder_class(folder, i, &name, &length);
        if (length == 0)
            continue;
        if (last && last->length == length && memcmp(last->name, name, length) == 0) {
            last->documents++;
            continue;
        }
        if (count == MOST_CHECKED)
            return 0;
        classes[count++] = (ClassFolder){.name = name, .length = length, .documents = 1};
    }
    return count;
}

static bool is_odd_name(const ClassFolder *class)
{
    static const char *const names[] = {"unsup",       "unsupervised", "unlabeled", "unlabelled",
                                        "__pycache__", "node_modules", "__MACOSX",  NULL};

    for (size_t i = 0; names[i]; i++)
        if (strlen(names[i]) == class->length && memcmp(names[i], class->name, class->length) == 0)
            return true;
    return false;
}

static int by_number(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

/* Returns the lower median of the other classes. At least two exist. */
static uint64_t median_of_others(const ClassFolder *classes, size_t count, size_t except)
{
    uint64_t documents[MOST_CHECKED];
    size_t others = 0;

    for (size_t i = 0; i < count; i++)
        if (i != except)
            documents[others++] = classes[i].documents;
    qsort(documents, others, sizeof *documents, by_number);
    return documents[(others - 1) / 2];
}

/* Returns the value of --classes that drops the suspicious classes; "A,B,..." if it is long. */
static void list_others(const ClassFolder *classes, size_t count, const bool *odd,
                        char list[LISTED_CLASSES])
{
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        if (odd[i])
            continue;
        if (used + classes[i].length + 2 > LISTED_CLASSES ||
            memchr(classes[i].name, ',', classes[i].length)) {
            snprintf(list, LISTED_CLASSES, "A,B,...");
            return;
        }
        used += (size_t)snprintf(list + used, LISTED_CLASSES - used, "%s%.*s", used ? "," : "",
                                 (int)classes[i].length, classes[i].name);
    }
    list[used] = '\0';
}

static void note_odd_classes(const Folder *folder)
{
    ClassFolder classes[MOST_CHECKED];
    size_t count = clv_folder_has_classes(folder) ? count_classes(folder, classes) : 0, found = 0;
    bool odd[MOST_CHECKED] = {false}, named[MOST_CHECKED] = {false};
    char list[LISTED_CLASSES], quoted[QUOTE_SIZE];

    for (size_t i = 0; i < count; i++) {
        named[i] = is_odd_name(&classes[i]);
        odd[i] = named[i] ||
                 (count > 2 && classes[i].documents >= FEW_DOCUMENTS &&
                  classes[i].documents > FAR_LARGER * median_of_others(classes, count, i));
        found += odd[i];
    }
    if (found == 0 || found == count)
        return;
    list_others(classes, count, odd, list);
    for (size_t i = 0; i < count; i++)
        if (odd[i])
            clv_note(folder->context,
                     "%s: the folder '%s' (%llu documents) is read as a class%s; pass --classes %s "
                     "to ignore it",
                     folder->path, clv_quote(quoted, classes[i].name, classes[i].length),
                     (unsigned long long)classes[i].documents,
                     named[i] ? "" : ", and is far larger than the other classes", list);
}

static Status list_top(Folder *folder, const FolderOptions *options, cleave_error *error)
{
    Level top = {.path = "", .file = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    struct stat facts;
    Status status;

    folder->options = options;
    if (top.file < 0 || fstat(top.file, &facts) != 0) {
        status = clv_fail_io(error, folder->path, "cannot be listed");
    } else {
        top.device = facts.st_dev;
        top.number = facts.st_ino;
        status = list_folder(folder, &top, error);
    }
    if (top.file >= 0)
        close(top.file);
    TRY(status);
    TRY(check_listed(folder, error));
    if (options->report)
        warn_of_listed(folder);
    if (options->report && options->check_classes)
        note_odd_classes(folder);
    return OK;
}

Status clv_folder_open(Context *context, const char *path, const FolderOptions *options,
                       Folder **result, cleave_error *error)
{
    Folder *folder;
    size_t length = strlen(path);
    Status status;

    *result = NULL;
    TRY(ALLOC_ZERO(context, folder, 1, "a folder", error));
    folder->context = context;
    while (length > 1 && path[length - 1] == '/')
        length--;
    folder->path = clv_copy_string(context, path, length);
    status = folder->path ? list_top(folder, options, error)
                          : clv_fail_memory(error, "a file name", length);
    folder->options = NULL;
    if (status != OK) {
        clv_folder_close(folder);
        return status;
    }
    *result = folder;
    return OK;
}

uint64_t clv_folder_keep(Folder *folder,
                         bool (*keeps)(const void *user, const char *class_name, size_t length),
                         const void *user)
{
    uint64_t dropped = 0;

    for (uint64_t i = 0; i < folder->documents; i++) {
        const char *name;
        size_t length;

        clv_folder_class(folder, i, &name, &length);
        if (keeps(user, name, length))
            folder->document[i - dropped] = folder->document[i];
        else
            dropped++;
    }
    folder->documents -= dropped;
    return dropped;
}

Status clv_folder_select(Folder *folder, const uint64_t *order, uint64_t count, cleave_error *error)
{
    Document *selected;

    TRY(ALLOC(folder->context, selected, count, "documents", error));
    for (uint64_t i = 0; i < count; i++)
        selected[i] = folder->document[order[i]];
    clv_free(folder->context, folder->document);
    folder->document = selected;
    folder->documents = folder->document_capacity = count;
    return OK;
}

Status clv_folder_key(const Folder *folder, uint64_t number, uint64_t seed, Buffer *text,
                      uint64_t *key, cleave_error *error)
{
    const Document *document = &folder->document[number];
    const Place *place = &folder->place[document->place];
    const char *path = text_at(folder, place->path), *name = text_at(folder, document->name);
    const char *slash = place->maildir ? strrchr(path, '/') : NULL,
               *flags = place->maildir ? strstr(name, ":2,") : NULL;
    size_t length = !place->maildir ? strlen(path) : slash ? (size_t)(slash - path) : 0;

    text->size = 0;
    TRY(clv_buffer_add(folder->context, text, path, length, error));
    TRY(clv_buffer_add(folder->context, text, "/", 1, error));
    TRY(clv_buffer_add(folder->context, text, name, flags ? (size_t)(flags - name) : strlen(name),
                       error));
    *key = clv_hash(text->data, text->size, seed);
    return OK;
}

void clv_folder_close(Folder *folder)
{
    if (!folder)
        return;
    FREE(folder->context, folder->path, folder->text.data, folder->document, folder->place,
         folder->first_beside.data, folder->first_empty.data, folder->first_hidden.data,
         folder->first_passed_over.data, folder);
}

/* ---- reading --------------------------------------------------------------------------------- */

static Status fail_to_read(const char *what, cleave_error *error)
{
    return clv_fail(error, CLEAVE_ERROR_IO, "%s: %s", what, strerror(errno));
}

/* Opens the folder of a document, unless it is open already. */
static Status go_to(const Folder *folder, FolderCursor *cursor, uint32_t place, cleave_error *error)
{
    const char *path = text_at(folder, folder->place[place].path);
    size_t size = strlen(folder->path) + strlen(path) + 2;
    char *whole;
    Status status = OK;

    if (cursor->open && cursor->place == place)
        return OK;
    clv_folder_leave(cursor);
    TRY(clv_new(folder->context, &whole, size, 1, false, "a path", error));
    snprintf(whole, size, "%s%s%s", folder->path, *path ? "/" : "", path);
    cursor->file = open(whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cursor->open = cursor->file >= 0;
    cursor->place = place;
    if (!cursor->open)
        status = fail_to_read("its folder cannot be opened", error);
    clv_free(folder->context, whole);
    return status;
}

void clv_folder_leave(FolderCursor *cursor)
{
    if (cursor->open)
        close(cursor->file);
    *cursor = (FolderCursor){0};
}

bool clv_folder_facts(const Folder *folder, uint64_t number, uint64_t *size, int64_t *modified)
{
    FolderCursor cursor = {0};
    struct stat facts;
    bool found = go_to(folder, &cursor, folder->document[number].place, NULL) == OK &&
                 fstatat(cursor.file, text_at(folder, folder->document[number].name), &facts, 0) ==
                     0;

    clv_folder_leave(&cursor);
    if (!found)
        return false;
    *size = (uint64_t)facts.st_size;
    *modified = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
    return true;
}

/* Returns whether a short read was the last one, by comparing with the file size. A read may also
 * stop at an unreadable position; this check takes half of the time of an empty read. */
static bool is_all(int file, size_t size)
{
    if (lseek(file, 0, SEEK_END) == (off_t)size)
        return true;
    lseek(file, (off_t)size, SEEK_SET);
    return false;
}

static Status read_all(Context *context, int file, char **text, size_t *capacity, size_t slack,
                       size_t *size, cleave_error *error)
{
    *size = 0;
    for (;;) {
        size_t workspace;
        ssize_t got;

        if (*size + slack >= *capacity)
            TRY(clv_grow(context, text, capacity, *size + slack + FIRST_READ, 1, error));
        workspace = *capacity - slack - *size;
        got = read(file, *text + *size, workspace);
        if (got == 0)
            return OK;
        if (got < 0 && errno != EINTR)
            return fail_to_read("cannot be read", error);
        *size += got > 0 ? (size_t)got : 0;
        if (*size > LONGEST_DOCUMENT)
            return clv_fail(error, CLEAVE_ERROR_DATA, "the document is longer than %zu bytes",
                            LONGEST_DOCUMENT);
        if (got > 0 && (size_t)got < workspace && is_all(file, *size))
            return OK;
    }
}

Status clv_folder_read(const Folder *folder, uint64_t number, FolderCursor *cursor, char **text,
                       size_t *capacity, size_t slack, size_t *size, cleave_error *error)
{
    const Document *document = &folder->document[number];
    Status status;
    int file;

    TRY(go_to(folder, cursor, document->place, error));
    file = openat(cursor->file, text_at(folder, document->name),
                  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return fail_to_read("cannot be opened", error);
    status = read_all(folder->context, file, text, capacity, slack, size, error);
    close(file);
    return status;
}
