#include "read/bytes.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { RAW_SIZE = 256 * 1024 };

typedef enum { PLAIN, GZIP, ZSTD, MEMBER } Packing;

struct Bytes {
    Context *context;
    char *name;
    int file; /* -1: memory */
    bool regular;
    const atomic_bool *give_up;
    bool some; /* a read ends with the bytes that are available */
    Packing packing;
    _Atomic uint64_t done; /* bytes read, for progress; a worker adds while the caller reads */
    uint64_t total;
    bool limited; /* only `left` more bytes may be read from the file */
    uint64_t left;

    /* Raw bytes not yet used: the first bytes, and all bytes while decompressing. */
    const char *raw; /* own memory, or the caller's */
    char *own;
    size_t raw_at, raw_size;
    bool raw_end;

    z_stream gzip;
    bool gzip_open, frame_open; /* the position is inside a gzip member or zstd frame */
#ifdef HAVE_ZSTD
    ZSTD_DStream *zstd;
#endif
    bool ended;

    /* MEMBER: whether it is deflated; size and checksum in the directory of the archive; size and
     * checksum of the bytes read. */
    bool deflated;
    uint64_t member_size, member_done;
    uint32_t member_crc, crc;
};

/* ---- raw bytes ------------------------------------------------------------------------------- */

static Status read_raw(Bytes *bytes, void *buffer, size_t want, size_t *got, cleave_error *error)
{
    for (;;) {
        ssize_t count;

        if (!bytes->regular)
            TRY(clv_input_wait(bytes->context, bytes->name, bytes->file, bytes->give_up, error));
        if (bytes->limited && want > bytes->left)
            want = (size_t)bytes->left;
        count = read(bytes->file, buffer, want);

        if (count >= 0) {
            *got = (size_t)count;
            bytes->left -= bytes->limited ? (uint64_t)count : 0;
            bytes->done += (uint64_t)count;
            return OK;
        }
        if (errno != EINTR)
            return clv_fail_io(error, bytes->name, "reading failed");
    }
}

/* Appends raw bytes to the unused bytes. Appends none at the end of the file. */
static Status refill(Bytes *bytes, cleave_error *error)
{
    size_t left = bytes->raw_size - bytes->raw_at, got = 0;

    if (bytes->file < 0) {
        bytes->raw_end = true;
        return OK;
    }
    memmove(bytes->own, bytes->own + bytes->raw_at, left);
    bytes->raw_at = 0;
    bytes->raw_size = left;
    TRY(read_raw(bytes, bytes->own + left, RAW_SIZE - left, &got, error));
    bytes->raw_size += got;
    bytes->raw_end = got == 0;
    return OK;
}

static Status plain_read(Bytes *bytes, char *buffer, size_t want, size_t *got, cleave_error *error)
{
    size_t held = bytes->raw_size - bytes->raw_at;

    *got = held < want ? held : want;
    memcpy(buffer, bytes->raw + bytes->raw_at, *got);
    bytes->raw_at += *got;
    while (*got < want && bytes->file >= 0 && !bytes->raw_end) {
        size_t count = 0;

        TRY(read_raw(bytes, buffer + *got, want - *got, &count, error));
        *got += count;
        bytes->raw_end = count == 0;
    }
    return OK;
}

/* ---- decompression --------------------------------------------------------------------------- */

static Status truncated(const Bytes *bytes, const char *kind, cleave_error *error)
{
    return clv_fail_hint(error, CLEAVE_ERROR_DATA, "copy or download the file again",
                         "%s: the %s stream ends early, after byte %llu", bytes->name, kind,
                         (unsigned long long)(bytes->file < 0 ? bytes->raw_size : bytes->done));
}

static Status corrupt(const Bytes *bytes, const char *kind, const char *why, cleave_error *error)
{
    return clv_fail(error, CLEAVE_ERROR_DATA, "%s: the %s stream is corrupt near byte %llu: %s",
                    bytes->name, kind,
                    (unsigned long long)(bytes->file < 0
                                             ? bytes->raw_at
                                             : bytes->done - (bytes->raw_size - bytes->raw_at)),
                    why ? why : "bad data");
}

static void *gzip_allocate(void *user, unsigned count, unsigned size)
{
    return clv_alloc(user, count, size);
}

static void gzip_free(void *user, void *memory)
{
    clv_free(user, memory);
}

/* Starts the next member; one file may contain several. Zeros after the last member are padding. */
static Status gzip_member(Bytes *bytes, cleave_error *error)
{
    int code;

    if (bytes->gzip_open) {
        code = inflateReset(&bytes->gzip);
    } else {
        bytes->gzip.zalloc = gzip_allocate;
        bytes->gzip.zfree = gzip_free;
        bytes->gzip.opaque = bytes->context;
        code = inflateInit2(&bytes->gzip, 15 + 16);
        bytes->gzip_open = code == Z_OK;
    }
    bytes->frame_open = true;
    return code == Z_OK ? OK : clv_fail_memory(error, "gzip", 40000);
}

/* Returns whether a read of available bytes is complete: more bytes would require waiting. */
static bool enough(const Bytes *bytes, size_t got)
{
    return bytes->some && got > 0 && bytes->raw_at == bytes->raw_size;
}

/* Returns whether raw bytes are available; reads more when they are used up. */
static Status have_raw(Bytes *bytes, bool *have, cleave_error *error)
{
    if (bytes->raw_at == bytes->raw_size && !bytes->raw_end)
        TRY(refill(bytes, error));
    *have = bytes->raw_at < bytes->raw_size;
    return OK;
}

/* Runs one inflate step from the available raw bytes into buffer + *got. packing: name of the
 * format in messages. */
static Status inflate_step(Bytes *bytes, char *buffer, size_t want, size_t *got,
                           const char *packing, cleave_error *error)
{
    z_stream *stream = &bytes->gzip;
    size_t out = want - *got < UINT32_MAX / 2 ? want - *got : UINT32_MAX / 2,
           in = bytes->raw_size - bytes->raw_at;
    int code;

    in = in < UINT32_MAX / 2 ? in : UINT32_MAX / 2;
    stream->next_in = (unsigned char *)(uintptr_t)(bytes->raw + bytes->raw_at);
    stream->avail_in = (unsigned)in;
    stream->next_out = (unsigned char *)buffer + *got;
    stream->avail_out = (unsigned)out;
    code = inflate(stream, Z_NO_FLUSH);
    bytes->raw_at += in - stream->avail_in;
    *got += out - stream->avail_out;
    if (code == Z_STREAM_END)
        bytes->frame_open = false;
    else if (code == Z_MEM_ERROR)
        return clv_fail_memory(error, packing, 40000);
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return corrupt(bytes, packing, stream->msg, error);
    return OK;
}

static Status gzip_read(Bytes *bytes, char *buffer, size_t want, size_t *got, cleave_error *error)
{
    *got = 0;
    while (*got < want && !bytes->ended && !enough(bytes, *got)) {
        bool have;

        TRY(have_raw(bytes, &have, error));
        if (!bytes->frame_open) {
            if (!have || bytes->raw[bytes->raw_at] == 0) {
                bytes->ended = true;
                break;
            }
            TRY(gzip_member(bytes, error));
        }
        if (!have)
            return truncated(bytes, "gzip", error);
        TRY(inflate_step(bytes, buffer, want, got, "gzip", error));
    }
    return OK;
}

#ifdef HAVE_ZSTD
static Status zstd_read(Bytes *bytes, char *buffer, size_t want, size_t *got, cleave_error *error)
{
    ZSTD_outBuffer out = {.dst = buffer, .size = want};

    *got = 0;
    if (!bytes->zstd) {
        bytes->zstd = ZSTD_createDStream();
        if (!bytes->zstd)
            return clv_fail_memory(error, "zstd", 128 * 1024);
    }
    while (out.pos < want && !enough(bytes, out.pos)) {
        ZSTD_inBuffer in;
        size_t code, before = out.pos;
        bool have;

        TRY(have_raw(bytes, &have, error));
        if (!have && !bytes->frame_open)
            break;
        in = (ZSTD_inBuffer){.src = bytes->raw + bytes->raw_at,
                             .size = bytes->raw_size - bytes->raw_at};
        code = ZSTD_decompressStream(bytes->zstd, &out, &in);
        bytes->raw_at += in.pos;
        if (ZSTD_isError(code))
            return corrupt(bytes, "zstd", ZSTD_getErrorName(code), error);
        bytes->frame_open = code != 0;
        if (!have && bytes->frame_open && out.pos == before)
            return truncated(bytes, "zstd", error);
    }
    *got = out.pos;
    return OK;
}
#else
static Status zstd_read(Bytes *bytes, char *buffer, size_t want, size_t *got, cleave_error *error)
{
    (void)buffer;
    (void)want;
    *got = 0;
    return clv_fail_hint(
        error, CLEAVE_ERROR_DATA,
        "decompress the file first, or build cleave on a machine with libzstd",
        "%s: the file is compressed with zstd, but this cleave was built without zstd",
        bytes->name);
}
#endif

/* ---- members of archives --------------------------------------------------------------------- */

static Status inflate_some(Bytes *bytes, char *buffer, size_t want, size_t *got,
                           cleave_error *error)
{
    *got = 0;
    while (*got < want && bytes->frame_open) {
        bool have;

        TRY(have_raw(bytes, &have, error));
        if (!have)
            return truncated(bytes, "deflate", error);
        TRY(inflate_step(bytes, buffer, want, got, "deflate", error));
    }
    return OK;
}

/* Reads at most the size given in the directory. The checksum must match at the end. */
static Status member_read(Bytes *bytes, char *buffer, size_t want, size_t *got, cleave_error *error)
{
    uint64_t left = bytes->member_size - bytes->member_done;

    *got = 0;
    if (want > left)
        want = (size_t)left;
    if (want == 0)
        return OK;
    TRY(bytes->deflated ? inflate_some(bytes, buffer, want, got, error)
                        : plain_read(bytes, buffer, want, got, error));
    if (*got < want)
        return truncated(bytes, "archive's", error);
    for (size_t at = 0; at < *got;) {
        size_t some = *got - at < UINT32_MAX / 2 ? *got - at : UINT32_MAX / 2;

        bytes->crc = (uint32_t)crc32(bytes->crc, (const unsigned char *)buffer + at,
                                     (unsigned)some);
        at += some;
    }
    bytes->member_done += *got;
    if (bytes->member_done == bytes->member_size && bytes->crc != bytes->member_crc)
        return corrupt(bytes, "archive's", "its checksum does not match", error);
    return OK;
}

static Status begin_inflating(Bytes *bytes, cleave_error *error)
{
    int code;

    if (bytes->gzip_open) {
        code = inflateReset2(&bytes->gzip, -15);
    } else {
        bytes->gzip.zalloc = gzip_allocate;
        bytes->gzip.zfree = gzip_free;
        bytes->gzip.opaque = bytes->context;
        code = inflateInit2(&bytes->gzip, -15);
        bytes->gzip_open = code == Z_OK;
    }
    bytes->frame_open = true;
    return code == Z_OK ? OK : clv_fail_memory(error, "an archive", 40000);
}

Status clv_bytes_member(Bytes *bytes, uint64_t from, uint64_t packed, uint64_t size, uint32_t crc,
                        bool deflated, cleave_error *error)
{
    if (bytes->file >= 0) {
        TRY(clv_bytes_range(bytes, from, from + packed, error));
    } else {
        bytes->raw_at = (size_t)from;
        bytes->raw_size = (size_t)(from + packed);
    }
    bytes->packing = MEMBER;
    bytes->deflated = deflated;
    bytes->member_size = size;
    bytes->member_crc = crc;
    bytes->member_done = bytes->crc = 0;
    return deflated ? begin_inflating(bytes, error) : OK;
}

Status clv_bytes_read(Bytes *bytes, void *buffer, size_t want, size_t *got, cleave_error *error)
{
    switch (bytes->packing) {
    case MEMBER:
        return member_read(bytes, buffer, want, got, error);
    case GZIP:
        return gzip_read(bytes, buffer, want, got, error);
    case ZSTD:
        return zstd_read(bytes, buffer, want, got, error);
    case PLAIN:
        break;
    }
    return plain_read(bytes, buffer, want, got, error);
}

/* ---- parts of a file ------------------------------------------------------------------------- */

Status clv_bytes_range(Bytes *bytes, uint64_t from, uint64_t to, cleave_error *error)
{
    if (lseek(bytes->file, (off_t)from, SEEK_SET) < 0)
        return clv_fail_io(error, bytes->name, "reading failed");
    bytes->raw_at = bytes->raw_size = 0;
    bytes->raw_end = false;
    bytes->limited = true;
    bytes->left = to - from;
    return OK;
}

/* Reads at a position of the file without moving the current position. */
static Status look_at(const Bytes *bytes, uint64_t at, char *buffer, size_t want, size_t *got,
                      cleave_error *error)
{
    for (;;) {
        ssize_t count = pread(bytes->file, buffer, want, (off_t)at);

        if (count >= 0) {
            *got = (size_t)count;
            return OK;
        }
        if (errno != EINTR)
            return clv_fail_io(error, bytes->name, "reading failed");
    }
}

bool clv_bytes_seekable(const Bytes *bytes)
{
    return (bytes->packing == PLAIN || bytes->packing == MEMBER) &&
           (bytes->file < 0 || bytes->regular);
}

Status clv_bytes_at(const Bytes *bytes, uint64_t at, void *buffer, size_t want, size_t *got,
                    cleave_error *error)
{
    *got = 0;
    if (bytes->file < 0) {
        uint64_t left = at < bytes->total ? bytes->total - at : 0;

        *got = left < want ? (size_t)left : want;
        memcpy(buffer, bytes->raw + (*got ? at : 0), *got);
        return OK;
    }
    while (*got < want) {
        size_t some = 0;

        TRY(look_at(bytes, at + *got, (char *)buffer + *got, want - *got, &some, error));
        if (some == 0)
            break;
        *got += some;
    }
    return OK;
}

Status clv_bytes_line_start(Bytes *bytes, uint64_t at, uint64_t *start, cleave_error *error)
{
    char buffer[4096];

    *start = 0;
    if (at == 0)
        return OK;
    for (uint64_t place = at - 1;;) {
        const char *newline;
        size_t got = 0;

        TRY(look_at(bytes, place, buffer, sizeof buffer, &got, error));
        newline = memchr(buffer, '\n', got);
        *start = place + (newline ? (uint64_t)(newline - buffer) + 1 : got);
        if (newline || got == 0)
            return OK;
        place += got;
    }
}

Status clv_bytes_count_lines(Bytes *bytes, uint64_t at, uint64_t *lines, cleave_error *error)
{
    char buffer[16384];

    *lines = 0;
    for (uint64_t place = 0; place < at;) {
        size_t got = 0, want = at - place < sizeof buffer ? (size_t)(at - place) : sizeof buffer;

        TRY(look_at(bytes, place, buffer, want, &got, error));
        if (got == 0)
            return OK;
        for (size_t i = 0; i < got; i++)
            *lines += buffer[i] == '\n';
        place += got;
    }
    return OK;
}

/* ---- available bytes ------------------------------------------------------------------------- */

/* Returns whether raw bytes, or the end, arrive within a second. */
static Status wait_a_second(Bytes *bytes, bool *ready, cleave_error *error)
{
    enum { LOOKS = 10 };
    struct pollfd input = {.fd = bytes->file, .events = POLLIN};

    *ready = bytes->file < 0 || bytes->regular || bytes->raw_at < bytes->raw_size || bytes->raw_end;
    for (int i = 0; i < LOOKS && !*ready; i++) {
        *ready = poll(&input, 1, 100) > 0;
        if (!*ready && clv_cancelled(bytes->context))
            return clv_fail(error, CLEAVE_ERROR_CANCELLED, "interrupted while waiting for %s",
                            bytes->name);
    }
    return OK;
}

static Status plain_read_some(Bytes *bytes, char *buffer, size_t want, size_t *got,
                              cleave_error *error)
{
    size_t held = bytes->raw_size - bytes->raw_at;

    if (held == 0 && bytes->file >= 0 && !bytes->raw_end) {
        TRY(read_raw(bytes, buffer, want, got, error));
        bytes->raw_end = *got == 0;
        return OK;
    }
    *got = held < want ? held : want;
    memcpy(buffer, bytes->raw + bytes->raw_at, *got);
    bytes->raw_at += *got;
    return OK;
}

Status clv_bytes_read_some(Bytes *bytes, void *buffer, size_t want, size_t *got, bool *ended,
                           cleave_error *error)
{
    bool ready;
    Status status;

    *got = 0;
    *ended = false;
    TRY(wait_a_second(bytes, &ready, error));
    if (!ready)
        return OK;
    bytes->some = true;
    status = bytes->packing == PLAIN ? plain_read_some(bytes, buffer, want, got, error)
                                     : clv_bytes_read(bytes, buffer, want, got, error);
    bytes->some = false;
    *ended = status == OK && *got == 0;
    return status;
}

bool clv_bytes_jump(Bytes *bytes, uint64_t count)
{
    size_t held = bytes->raw_size - bytes->raw_at;
    off_t at = bytes->file < 0 ? -1 : lseek(bytes->file, 0, SEEK_CUR);
    struct stat facts;

    if (bytes->packing != PLAIN || at < 0 || count < held || fstat(bytes->file, &facts) != 0 ||
        !S_ISREG(facts.st_mode) || at > facts.st_size ||
        count - held > (uint64_t)(facts.st_size - at) ||
        lseek(bytes->file, (off_t)(count - held), SEEK_CUR) < 0)
        return false;
    bytes->raw_at = bytes->raw_size;
    bytes->done += count - held;
    return true;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static Status new_bytes(Context *context, const char *name, Bytes **result, cleave_error *error)
{
    Bytes *bytes = clv_alloc_zero(context, 1, sizeof *bytes);

    *result = bytes;
    if (!bytes)
        return clv_fail_memory(error, "a file", sizeof *bytes);
    bytes->context = context;
    bytes->file = -1;
    bytes->name = clv_copy_string(context, name, strlen(name));
    if (!bytes->name) {
        clv_bytes_close(bytes);
        *result = NULL;
        return clv_fail_memory(error, "a file name", strlen(name));
    }
    return OK;
}

static void detect(Bytes *bytes)
{
    const unsigned char *head = (const unsigned char *)bytes->raw;
    static const unsigned char zstd[] = {0x28, 0xB5, 0x2F, 0xFD};

    if (bytes->raw_size >= 2 && head[0] == 0x1F && head[1] == 0x8B)
        bytes->packing = GZIP;
    else if (bytes->raw_size >= 4 && memcmp(head, zstd, 4) == 0)
        bytes->packing = ZSTD;
}

static Status open_file(Bytes *bytes, int file, bool named, cleave_error *error)
{
    struct stat facts;

    bytes->file = file;
    if (fstat(bytes->file, &facts) == 0) {
        if (S_ISDIR(facts.st_mode))
            return clv_fail(error, CLEAVE_ERROR_IO, "%s: cannot be read: the path is a folder",
                            bytes->name);
        bytes->regular = S_ISREG(facts.st_mode) && named;
        bytes->total = S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
    }
    TRY(clv_new(bytes->context, &bytes->own, RAW_SIZE, 1, false, "a read buffer", error));
    bytes->raw = bytes->own;
    while (bytes->raw_size < 4 &&
           !bytes->raw_end) /* a pipe may return fewer bytes than the magic number needs */
        TRY(refill(bytes, error));
    detect(bytes);
    return OK;
}

Status clv_bytes_open(Context *context, const char *path, Bytes **bytes, cleave_error *error)
{
    bool named = strcmp(path, "-") != 0;
    int file = -1;
    Status status;

    TRY(new_bytes(context, named ? path : "standard input", bytes, error));
    if (named)
        status = clv_input_open(context, path, &file, error);
    else
        status = (file = dup(STDIN_FILENO)) < 0
                     ? clv_fail_io(error, "standard input", "cannot be opened")
                     : OK;
    THEN(status, open_file(*bytes, file, named, error));
    if (status != OK) {
        clv_bytes_close(*bytes);
        *bytes = NULL;
    }
    return status;
}

Status clv_bytes_from_file(Context *context, const char *name, int file, Bytes **bytes,
                           cleave_error *error)
{
    Status status = new_bytes(context, name, bytes, error);

    if (status != OK) {
        close(file);
        return status;
    }
    status = lseek(file, 0, SEEK_SET) < 0 ? clv_fail_io(error, name, "reading failed") : OK;
    if (status == OK)
        status = open_file(*bytes, file, true, error);
    else
        close(file);
    if (status != OK) {
        clv_bytes_close(*bytes);
        *bytes = NULL;
    }
    return status;
}

Status clv_bytes_from_memory(Context *context, const char *name, const void *data, size_t size,
                             Bytes **bytes, cleave_error *error)
{
    TRY(new_bytes(context, name, bytes, error));
    (*bytes)->raw = data;
    (*bytes)->raw_size = size;
    (*bytes)->done = (*bytes)->total = size;
    detect(*bytes);
    return OK;
}

void clv_bytes_close(Bytes *bytes)
{
    if (!bytes)
        return;
    if (bytes->gzip_open)
        inflateEnd(&bytes->gzip);
#ifdef HAVE_ZSTD
    ZSTD_freeDStream(bytes->zstd);
#endif
    if (bytes->file >= 0)
        close(bytes->file);
    FREE(bytes->context, bytes->own, bytes->name, bytes);
}

void clv_bytes_give_up_on(Bytes *bytes, const atomic_bool *flag)
{
    bytes->give_up = flag;
}

const char *clv_bytes_name(const Bytes *bytes)
{
    return bytes->name;
}

bool clv_bytes_compressed(const Bytes *bytes)
{
    return bytes->packing != PLAIN;
}

bool clv_bytes_regular(const Bytes *bytes)
{
    return bytes->regular;
}

uint64_t clv_bytes_done(const Bytes *bytes)
{
    return bytes->done;
}

uint64_t clv_bytes_total(const Bytes *bytes)
{
    return bytes->total;
}
