/*
 * Folders of documents (folder.h): a document is a row, its words are the features (words.h), its
 * class is the label, its path below the folder is the row's name. The format "document" reads a
 * file, or standard input, as one document without a label; the row's name is the file's.
 *
 * The kind of a document is given by --documents or, with auto, detected for each: a mail
 * (text/mail.h), whose subject, address and host are separate features; an HTML page (text/html.h);
 * or plain text. The schema stores the choice, so that a model reads documents as in training.
 *
 * Chunks contain no text. The reader assigns document numbers, and the parsing thread opens and
 * reads the documents, so that reading is parallel too. Documents replace lines in all counts.
 */
#include "read/folder.h"
#include "read/words.h"
#include "text/html.h"
#include "text/mail.h"

#include <limits.h>
#include <stdio.h>

_Static_assert(MAIL_SLACK >= WORDS_SLACK,
               "the padding after text in mail.h is too short for clv_words");

typedef struct {
    Words words; /* first member, so that functions of words.h use the scratch space as Words */
    Mail mail;
    Buffer page, name, feature;
} Desk;

static void free_desk(Context *context, void *scratch)
{
    Desk *desk = scratch;

    clv_words_free(context, &desk->words);
    clv_mail_free(context, &desk->mail);
    FREE(context, desk->page.data, desk->name.data, desk->feature.data);
}

/* ---- a document's words ---------------------------------------------------------------------- */

static Status add_feature(Desk *desk, Context *context, const char *prefix, const Buffer *value,
                          cleave_error *error)
{
    if (value->size == 0)
        return OK;
    desk->feature.size = 0;
    TRY(clv_buffer_add(context, &desk->feature, prefix, strlen(prefix), error));
    TRY(clv_buffer_add(context, &desk->feature, value->data, value->size, error));
    return clv_words_feature(&desk->words, desk->feature.data,
                             desk->feature.size < WORDS_FEATURE_MOST ? desk->feature.size
                                                                     : WORDS_FEATURE_MOST,
                             1, error);
}

static Status take_mail(Desk *desk, Context *context, const char *text, size_t size,
                        cleave_error *error)
{
    Mail *mail = &desk->mail;

    TRY(clv_mail_read(context, text, size, mail, error));
    TRY(add_feature(desk, context, "from:", &mail->address, error));
    TRY(add_feature(desk, context, "from-host:", &mail->host, error));
    TRY(clv_words_text(&desk->words, "subject:", mail->subject.data,
                       mail->subject.data + mail->subject.size, error));
    return clv_words_text(&desk->words, NULL, mail->body.data, mail->body.data + mail->body.size,
                          error);
}

static Status take_page(Desk *desk, Context *context, const char *text, size_t size,
                        cleave_error *error)
{
    static const char slack[WORDS_SLACK] = "\n";

    desk->page.size = 0;
    TRY(clv_html_text(context, text, size, &desk->page, error));
    TRY(clv_buffer_add(context, &desk->page, slack, sizeof slack, error));
    return clv_words_text(&desk->words, NULL, desk->page.data,
                          desk->page.data + desk->page.size - sizeof slack, error);
}

static Documents kind_of(Documents wanted, const char *text, size_t size)
{
    if (wanted != DOCUMENTS_AUTO)
        return wanted;
    if (clv_mail_begins(text, size))
        return DOCUMENTS_MAIL;
    return clv_html_begins(text, size) ? DOCUMENTS_HTML : DOCUMENTS_PLAIN;
}

static Status take_words(const Reader *reader, Desk *desk, const char *text, size_t size,
                         cleave_error *error)
{
    Context *context = reader->source.context;
    size_t mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0
                      ? 3
                      : 0; /* the byte-order mark of some editors */

    text += mark;
    size -= mark;
    switch (kind_of(reader->documents, text, size)) {
    case DOCUMENTS_MAIL:
        return take_mail(desk, context, text, size, error);
    case DOCUMENTS_HTML:
        return take_page(desk, context, text, size, error);
    default:
        return clv_words_text(&desk->words, NULL, text, text + size, error);
    }
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* Recognizes non-text by its first bytes, because its words would be noise. Mail may contain zero
 * bytes, and so may documents of a format that the user has set. */
static Status check_text(const Reader *reader, Chunk *chunk, const char *text, size_t size,
                         uint64_t number)
{
    enum { HEAD = 8000 };
    static const struct {
        const char *bytes, *what, *hint;
        size_t size;
    } others[] = {
        {"\x1F\x8B", "text compressed with gzip", "decompress the documents first", 2},
        {"\x28\xB5\x2F\xFD", "text compressed with zstd", "decompress the documents first", 4},
        {"PK\x03\x04", "an archive (ZIP or an office document)", "extract it, or save it as text",
         4},
        {"%PDF-", "a PDF", "convert it with pdftotext", 5},
        {"\xFF\xFE", "text in UTF-16", "save it as UTF-8", 2},
        {"\xFE\xFF", "text in UTF-16", "save it as UTF-8", 2},
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (size >= others[i].size && memcmp(text, others[i].bytes, others[i].size) == 0) {
            clv_chunk_fail(chunk, number, 0, CLEAVE_ERROR_DATA, "expected plain text, found %s",
                           others[i].what);
            return clv_chunk_hint(chunk, "%s", others[i].hint);
        }
    if (!memchr(text, 0, size < HEAD ? size : HEAD) || reader->documents != DOCUMENTS_AUTO ||
        kind_of(DOCUMENTS_AUTO, text, size) != DOCUMENTS_PLAIN)
        return OK;
    clv_chunk_fail(chunk, number, 0, CLEAVE_ERROR_DATA, "expected plain text, found binary data");
    return clv_chunk_hint(chunk, "leave the file out, or read it as text with --documents plain");
}

static Status parse_document(const Reader *reader, Chunk *chunk, FolderCursor *open,
                             uint64_t number)
{
    Desk *desk = chunk->scratch;
    uint64_t document = chunk->first_record + number - 1;
    const char *class_name;
    size_t size, length;

    chunk->error_line = number; /* for the message of an error */
    TRY(clv_folder_read(reader->folder, document, open, &chunk->text, &chunk->capacity,
                        NUMBER_SLACK, &size, &chunk->error));
    memset(chunk->text + size, 0, NUMBER_SLACK);
    chunk->text[size] = '\n';
    chunk->bytes_read += size;
    TRY(check_text(reader, chunk, chunk->text, size, number));
    TRY(clv_words_begin(&desk->words, &chunk->error));
    TRY(take_words(reader, desk, chunk->text, size, &chunk->error));
    clv_folder_class(reader->folder, document, &class_name, &length);
    TRY(clv_words_end(&desk->words, chunk, class_name, length, number));
    chunk->error_line = 0;
    return OK;
}

static void parse(const Reader *reader, Chunk *chunk)
{
    FolderCursor open = {0};
    Status status = OK;

    clv_words_clear(chunk->scratch, reader);
    for (uint64_t i = 1; i <= chunk->documents && status == OK; i++) {
        status = parse_document(reader, chunk, &open, i);
        chunk->lines++;
    }
    clv_folder_leave(&open);
    if (status != OK)
        chunk->status = status;
}

/* ---- settling -------------------------------------------------------------------------------- */

static Status settle_row(Chunk *chunk, size_t row, const char *name, size_t length,
                         cleave_error *error)
{
    const Words *words = &((Desk *)chunk->scratch)->words;
    Builder *builder = &chunk->builder;
    bool empty;

    TRY(clv_words_put_row(words, row, builder, &empty, error));
    TRY(clv_builder_end_row(builder, words->row[row].label, error));
    if (empty && chunk->empty_rows++ == 0)
        chunk->first_empty_line = row + 1;
    return clv_builder_set_name(builder, name, length, error);
}

static Status settle(Reader *reader, Chunk *chunk, cleave_error *error)
{
    Desk *desk = chunk->scratch;

    TRY(clv_words_number(&desk->words, reader, error));
    for (size_t i = 0; i < desk->words.rows; i++) {
        TRY(clv_folder_name(reader->folder, chunk->first_record + i, &desk->name, error));
        TRY(settle_row(chunk, i, desk->name.data, desk->name.size, error));
    }
    TRY(clv_settle_labels(reader, chunk, error));
    return clv_builder_finish(&chunk->builder, &chunk->block, error);
}

/* ---- starting -------------------------------------------------------------------------------- */

/* A model of folders stores how its documents are read. */
static Status choose_documents(Reader *reader, cleave_error *error)
{
    const Schema *guide = reader->guide_schema;
    Documents option = (Documents)reader->options.documents;

    reader->documents = option;
    if (option == DOCUMENTS_LINES)
        return clv_fail_hint(error, CLEAVE_ERROR_USAGE, "pass the names of the files in the folder",
                             "%s: --documents lines applies to files, but this is a folder",
                             reader->path);
    if (!guide || !clv_schema_is_documents(guide))
        return OK;
    reader->documents = guide->documents;
    if (option == DOCUMENTS_AUTO || option == guide->documents)
        return OK;
    return clv_fail_hint(error, CLEAVE_ERROR_USAGE,
                         "omit --documents: the model stores how documents are read",
                         "--documents %s: the model was trained with --documents %s",
                         clv_documents_kinds[option], clv_documents_kinds[guide->documents]);
}

static Status start(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                    cleave_error *error)
{
    (void)head;
    (void)size;
    (void)whole;
    *skip = 0;
    TRY(choose_documents(reader, error));
    if (!reader->guide_schema && reader->file == 0 && !clv_folder_has_classes(reader->folder))
        clv_note(reader->source.context,
                 "%s: the folder has no class folders, so its documents have no label; expected "
                 "FOLDER/class/document",
                 reader->path);
    if (!reader->guide_schema && !reader->guesses.noted && reader->documents == DOCUMENTS_AUTO)
        TRY(clv_guess_add(&reader->guesses, "documents", "by their first lines", "--documents",
                          NULL, error));
    if (!reader->guide_schema)
        reader->source.schema.documents = reader->documents;
    return clv_words_start(reader, error);
}

const Format clv_format_folder = {
    .name = "folder",
    .brief = "one folder per class, one document per file; words become features",
    .start = start,
    .parse = parse,
    .settle = settle,
    .free_scratch = free_desk,
    .scratch_size = sizeof(Desk),
};

/* ---- one document ---------------------------------------------------------------------------- */

static Status start_one(Reader *reader, const char *head, size_t size, bool whole, size_t *skip,
                        cleave_error *error)
{
    (void)head;
    (void)size;
    (void)whole;
    *skip = 0;
    TRY(choose_documents(reader, error));
    if (!reader->guide_schema) {
        Schema *schema = &reader->source.schema;

        snprintf(schema->format, sizeof schema->format, "%s", clv_format_folder.name);
        schema->documents = reader->documents;
    }
    return clv_words_start(reader, error);
}

/* Only the end of the file ends the document. */
static size_t cut_one(const Reader *reader, const char *text, size_t size)
{
    (void)reader;
    (void)text;
    (void)size;
    return 0;
}

static Status parse_whole(const Reader *reader, Chunk *chunk)
{
    Desk *desk = chunk->scratch;

    TRY(check_text(reader, chunk, chunk->text, chunk->size, 0));
    TRY(clv_words_begin(&desk->words, &chunk->error));
    TRY(take_words(reader, desk, chunk->text, chunk->size, &chunk->error));
    return clv_words_end(&desk->words, chunk, "", 0, 1);
}

static void parse_one(const Reader *reader, Chunk *chunk)
{
    Status status;

    clv_words_clear(chunk->scratch, reader);
    status = parse_whole(reader, chunk);
    chunk->lines = 1;
    if (status != OK)
        chunk->status = status;
}

static Status settle_one(Reader *reader, Chunk *chunk, cleave_error *error)
{
    Desk *desk = chunk->scratch;
    const char *name = reader->argument ? reader->argument : reader->path;

    TRY(clv_words_number(&desk->words, reader, error));
    TRY(settle_row(chunk, 0, name, strlen(name), error));
    TRY(clv_settle_labels(reader, chunk, error));
    return clv_builder_finish(&chunk->builder, &chunk->block, error);
}

const Format clv_format_document = {
    .name = "document",
    .brief =
        "one document per file (mail, HTML or plain text), without a label; words become features",
    .start = start_one,
    .cut = cut_one,
    .parse = parse_one,
    .settle = settle_one,
    .free_scratch = free_desk,
    .scratch_size = sizeof(Desk),
};
