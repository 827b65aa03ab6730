#include "text/mail.h"

#include "text/charset.h"
#include "text/html.h"
#include "text/transfer.h"

#include <strings.h>

typedef struct {
    const char *at, *stop;
} Span;

/* The relevant fields of the header of a mail or of a part. Absent fields are empty. */
typedef struct {
    Span type, encoding, from, subject, sender; /* values of the fields, folded */
} Header;

static size_t length_of(Span span)
{
    return (size_t)(span.stop - span.at);
}

static Span span_of(const Buffer *text)
{
    return text->size ? (Span){text->data, text->data + text->size} : (Span){0};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char lower(char c)
{
    return (unsigned)(c - 'A') < 26 ? (char)(c | 0x20) : c;
}

static Span trim(Span span)
{
    while (span.at < span.stop && is_blank(*span.at))
        span.at++;
    while (span.at < span.stop && is_blank(span.stop[-1]))
        span.stop--;
    return span;
}

static bool is_word(Span span, const char *word)
{
    return length_of(span) == strlen(word) && strncasecmp(span.at, word, length_of(span)) == 0;
}

static bool begins_with(Span span, const char *word)
{
    return length_of(span) >= strlen(word) && strncasecmp(span.at, word, strlen(word)) == 0;
}

/* Removes a line, with its newline, from the front. */
static Span take_line(Span *rest)
{
    const char *newline = rest->at < rest->stop ? memchr(rest->at, '\n', length_of(*rest)) : NULL;
    Span line = {rest->at, newline ? newline : rest->stop};

    rest->at = newline ? newline + 1 : rest->stop;
    return line;
}

static bool is_empty_line(Span line)
{
    return line.at == line.stop || (length_of(line) == 1 && *line.at == '\r');
}

/* ---- header fields --------------------------------------------------------------------------- */

/* Returns the field name at the start of a line ("Subject"); empty without one. */
static Span field_name(Span line)
{
    const char *p = line.at;

    while (p<line.stop && * p> ' ' && *p < 127 && *p != ':')
        p++;
    return (Span){line.at, p > line.at && p < line.stop && *p == ':' ? p : line.at};
}

/* Removes a field with its continuation lines, which start with a blank, from the front. Returns
 * false without a field; the empty line at the end of a header is removed. */
static bool take_field(Span *rest, Span *name, Span *value)
{
    Span after = *rest, line;

    if (rest->at == rest->stop)
        return false;
    line = take_line(&after);
    if (is_empty_line(line)) {
        *rest = after;
        return false;
    }
    *name = field_name(line);
    if (name->at == name->stop)
        return false;
    while (after.at < after.stop && (*after.at == ' ' || *after.at == '\t')) {
        Span folded = after, next = take_line(&folded);

        if (trim(next).at == trim(next).stop)
            break; /* the line has only blanks: some mailers end the header this way */
        after = folded;
    }
    *value = trim((Span){name->stop + 1, after.at});
    *rest = after;
    return true;
}

static void note_first(Span *kept, Span value)
{
    if (!kept->at)
        *kept = value;
}

/* Removes the header from the front. */
static void take_header(Span *rest, Header *header)
{
    Span name, value;

    *header = (Header){0};
    while (take_field(rest, &name, &value)) {
        if (is_word(name, "content-type"))
            note_first(&header->type, value);
        else if (is_word(name, "content-transfer-encoding"))
            note_first(&header->encoding, value);
        else if (is_word(name, "from"))
            note_first(&header->from, value);
        else if (is_word(name, "sender") || is_word(name, "return-path"))
            note_first(&header->sender, value);
        else if (is_word(name, "subject"))
            note_first(&header->subject, value);
    }
}

/* Returns the value of a parameter as in `text/html; charset="utf-8"`; empty if absent. */
static Span parameter(Span value, const char *wanted)
{
    const char *p = value.at;

    while (p < value.stop) {
        Span name, found;

        while (p < value.stop && *p != ';')
            p++;
        name.at = p < value.stop ? ++p : p;
        while (p < value.stop && *p != '=' && *p != ';')
            p++;
        name.stop = p;
        if (p == value.stop || *p == ';')
            continue;
        for (p++; p < value.stop && is_blank(*p);)
            p++;
        found.at = p;
        if (p < value.stop && *p == '"') {
            found.at = ++p;
            while (p < value.stop && *p != '"')
                p++;
            found.stop = p;
        } else {
            while (p < value.stop && *p != ';' && !is_blank(*p))
                p++;
            found.stop = p;
        }
        if (is_word(trim(name), wanted))
            return found;
    }
    return (Span){value.stop, value.stop};
}

/* ---- RFC 2047: encoded words of a header ----------------------------------------------------- */

/* Appends text of a character set as UTF-8. */
static Status add_text(Context *context, Buffer *to, Span charset, const char *bytes, size_t size,
                       cleave_error *error)
{
    if (clv_is_latin(charset.at, length_of(charset)))
        return clv_add_latin(context, to, bytes, size, error);
    return clv_buffer_add(context, to, bytes, size, error);
}

/* Splits "=?charset?q?text?="; returns false for other text. *stop is after the word. */
static bool encoded_word(Span text, Span *charset, char *encoding, Span *encoded, const char **stop)
{
    enum { LONGEST = 1024 }; /* the limit of the standard is 75, which mailers exceed */
    const char *p, *limit = length_of(text) > LONGEST ? text.at + LONGEST : text.stop;

    if (!begins_with(text, "=?"))
        return false;
    charset->at = p = text.at + 2;
    while (p < limit && (unsigned char)*p > ' ' && *p != '?')
        p++;
    charset->stop = p;
    if (limit - p < 3 || p[2] != '?')
        return false;
    *encoding = lower(p[1]);
    encoded->at = p += 3;
    while (p < limit && *p != '?')
        p++;
    encoded->stop = p;
    if (limit - p < 2 || p[1] != '=' || (*encoding != 'q' && *encoding != 'b'))
        return false;
    for (const char *star = charset->at; star < charset->stop; star++)
        if (*star == '*') /* RFC 2231: a language follows the character set */
            charset->stop = star;
    *stop = p + 2;
    return true;
}

/* Appends a field's value with encoded words decoded; blanks between two encoded words are dropped
 * (RFC 2047, section 6.2). */
static Status add_header_text(Context *context, Buffer *to, Buffer *decoded, Span text,
                              cleave_error *error)
{
    bool after_word = false;

    while (text.at < text.stop) {
        const char *sign = memchr(text.at, '=', length_of(text));
        Span plain = {text.at, sign ? sign : text.stop}, charset, encoded;
        const char *stop;
        char encoding;

        text.at = plain.stop;
        if (sign && encoded_word(text, &charset, &encoding, &encoded, &stop)) {
            if (!after_word || trim(plain).at != trim(plain).stop)
                TRY(clv_buffer_add(context, to, plain.at, length_of(plain), error));
            decoded->size = 0;
            TRY(encoding == 'b'
                    ? clv_add_base64(context, decoded, encoded.at, length_of(encoded), error)
                    : clv_add_quoted(context, decoded, encoded.at, length_of(encoded), true,
                                     error));
            TRY(add_text(context, to, charset, decoded->data, decoded->size, error));
            text.at = stop;
            after_word = true;
        } else {
            plain.stop += sign != NULL;
            text.at = plain.stop;
            TRY(clv_buffer_add(context, to, plain.at, length_of(plain), error));
            after_word = false;
        }
    }
    return OK;
}

/* ---- the sender ------------------------------------------------------------------------------ */

static bool in_address(char c)
{
    return (unsigned)(lower(c) - 'a') < 26 || (unsigned)(c - '0') < 10 ||
           strchr("._%+-=/!#$&*~", c ? c : ' ');
}

static bool in_host(char c)
{
    return (unsigned)(lower(c) - 'a') < 26 || (unsigned)(c - '0') < 10 || c == '.' || c == '-' ||
           c == '_';
}

/* Returns the last a@b of a field. The address is in < > or alone, except for comments, and a name
 * may contain an @. */
static Span find_address(Span field, const char **at_sign)
{
    Span best = {field.at, field.at};
    bool in_brackets = false;

    for (const char *p = field.at; p < field.stop; p++) {
        Span found = {p, p + 1};

        if (*p != '@')
            continue;
        while (found.at > field.at && in_address(found.at[-1]))
            found.at--;
        while (found.stop < field.stop && in_host(*found.stop))
            found.stop++;
        while (found.stop > p + 1 && (found.stop[-1] == '.' || found.stop[-1] == '-'))
            found.stop--;
        if (found.at == p || found.stop == p + 1 || in_brackets)
            continue;
        in_brackets = found.at > field.at && found.at[-1] == '<';
        best = found;
        *at_sign = p;
        p = found.stop - 1;
    }
    return best;
}

static Status add_lower(Context *context, Buffer *to, Span text, cleave_error *error)
{
    enum { LONGEST_ADDRESS = 320 }; /* RFC 5321: 64 and 255 bytes, and the @ */

    if (length_of(text) > LONGEST_ADDRESS)
        return OK; /* not an address */
    TRY(clv_buffer_add(context, to, text.at, length_of(text), error));
    for (size_t i = to->size - length_of(text); i < to->size; i++)
        to->data[i] = lower(to->data[i]);
    return OK;
}

static Status read_sender(Context *context, Mail *mail, const Header *header, cleave_error *error)
{
    const char *at_sign = NULL;
    Span field, address;

    TRY(add_header_text(context, &mail->joined, &mail->decoded, header->from, error));
    field = span_of(&mail->joined);
    if (!mail->joined.size)
        field = header->sender; /* the field is missing or empty */
    address = find_address(field, &at_sign);
    if (!at_sign)
        return OK;
    TRY(add_lower(context, &mail->address, address, error));
    return add_lower(context, &mail->host, (Span){at_sign + 1, address.stop}, error);
}

/* ---- the body -------------------------------------------------------------------------------- */

static Status read_part(Context *context, Mail *mail, Span part, unsigned depth,
                        cleave_error *error);

/* Decodes a text part, converts it to UTF-8 and strips HTML. */
static Status read_text(Context *context, Mail *mail, const Header *header, Span body,
                        cleave_error *error)
{
    Span charset = parameter(header->type, "charset");
    bool html = begins_with(header->type, "text/html") ||
                (!header->type.at && clv_html_begins(body.at, length_of(body)));
    bool latin = clv_is_latin(charset.at, length_of(charset));

    mail->decoded.size = mail->joined.size = 0;
    if (begins_with(header->encoding, "base64") ||
        begins_with(header->encoding, "quoted-printable")) {
        TRY(lower(*header->encoding.at) == 'b'
                ? clv_add_base64(context, &mail->decoded, body.at, length_of(body), error)
                : clv_add_quoted(context, &mail->decoded, body.at, length_of(body), false, error));
        body = span_of(&mail->decoded);
    }
    if (latin && html) {
        TRY(clv_add_latin(context, &mail->joined, body.at, length_of(body), error));
        body = span_of(&mail->joined);
    }
    if (html)
        TRY(clv_html_text(context, body.at, length_of(body), &mail->body, error));
    else
        TRY(add_text(context, &mail->body, charset, body.at, length_of(body), error));
    return clv_buffer_add(context, &mail->body, "\n", 1, error);
}

static bool is_boundary(Span line, Span boundary, bool *last)
{
    size_t length = length_of(boundary);

    if (length_of(line) < length + 2 || memcmp(line.at, "--", 2) != 0 ||
        memcmp(line.at + 2, boundary.at, length) != 0)
        return false;
    line.at += length + 2;
    *last = length_of(line) >= 2 && memcmp(line.at, "--", 2) == 0;
    line.at += *last ? 2 : 0;
    return trim(line).at == trim(line).stop;
}

/* Reads the parts between the boundaries. *any: whether there is at least one. The text before the
 * first and after the last boundary is for readers without MIME. */
static Status read_parts(Context *context, Mail *mail, Span body, Span boundary, unsigned depth,
                         bool *any, cleave_error *error)
{
    const char *start = NULL;
    bool last = false;

    *any = false;
    while (body.at < body.stop && !last) {
        Span line = take_line(&body);

        if (!is_boundary(line, boundary, &last))
            continue;
        if (start)
            TRY(read_part(context, mail, (Span){start, line.at}, depth + 1, error));
        start = body.at;
        *any = true;
    }
    if (start && !last) /* the part is incomplete */
        TRY(read_part(context, mail, (Span){start, body.stop}, depth + 1, error));
    return OK;
}

static Status read_body(Context *context, Mail *mail, const Header *header, Span body,
                        unsigned depth, cleave_error *error)
{
    if (begins_with(header->type, "multipart/")) {
        Span boundary = parameter(header->type, "boundary");
        bool any = false;
        Header plain = {.encoding = header->encoding};

        if (boundary.at < boundary.stop)
            TRY(read_parts(context, mail, body, boundary, depth, &any, error));
        return any ? OK : read_text(context, mail, &plain, body, error);
    }
    if (begins_with(header->type, "message/rfc822"))
        return read_part(context, mail, body, depth + 1, error);
    /* Text, or an unknown type, for example the obsolete "Content-Type: text". */
    if (begins_with(header->type, "text") ||
        !memchr(header->type.at ? header->type.at : "", '/', length_of(header->type)))
        return read_text(context, mail, header, body, error);
    return OK;
}

static Status read_part(Context *context, Mail *mail, Span part, unsigned depth,
                        cleave_error *error)
{
    Header header;

    if (depth > MAIL_DEEPEST)
        return OK;
    take_header(&part, &header);
    if (header.subject.at && depth > 0) { /* this is the header of a mail inside the mail */
        TRY(add_header_text(context, &mail->body, &mail->decoded, header.subject, error));
        TRY(clv_buffer_add(context, &mail->body, "\n", 1, error));
    }
    return read_body(context, mail, &header, part, depth, error);
}

/* ---- whole mail ------------------------------------------------------------------------------ */

/* Removes the separator line of a mailbox from the front. */
static bool take_mbox_line(Span *rest)
{
    Span after = *rest, line = take_line(&after), name, value;

    if (length_of(line) < 5 || memcmp(line.at, "From ", 5) != 0)
        return false;
    line = after;
    if (!take_field(&line, &name, &value))
        return false;
    *rest = after;
    return true;
}

/* Appends the slack that the tokenizer reads. */
static Status end_text(Context *context, Buffer *text, cleave_error *error)
{
    static const char slack[MAIL_SLACK] = "\n";
    size_t size = text->size;

    TRY(clv_buffer_add(context, text, slack, sizeof slack, error));
    text->size = size;
    return OK;
}

Status clv_mail_read(Context *context, const char *bytes, size_t size, Mail *mail,
                     cleave_error *error)
{
    Span rest = {bytes, size ? bytes + size : bytes}, whole;
    Header header;

    mail->subject.size = mail->body.size = mail->address.size = mail->host.size =
        mail->decoded.size = mail->joined.size = 0;
    while (rest.at < rest.stop && is_blank(*rest.at))
        rest.at++;
    take_mbox_line(&rest);
    whole = rest;
    take_header(&rest, &header);
    if (rest.at == rest.stop && !header.subject.at && !header.from.at)
        rest = whole; /* it is not a mail: "Note: …" */
    TRY(add_header_text(context, &mail->subject, &mail->decoded, header.subject, error));
    TRY(read_sender(context, mail, &header, error));
    TRY(read_body(context, mail, &header, rest, 0, error));
    TRY(end_text(context, &mail->subject, error));
    TRY(end_text(context, &mail->body, error));
    TRY(end_text(context, &mail->address, error));
    return end_text(context, &mail->host, error);
}

void clv_mail_free(Context *context, Mail *mail)
{
    FREE(context, mail->subject.data, mail->body.data, mail->address.data, mail->host.data,
         mail->decoded.data, mail->joined.data);
    *mail = (Mail){0};
}

bool clv_mail_begins(const char *text, size_t size)
{
    static const char *const carried[] = {"received",     "return-path", "delivered-to",
                                          "mime-version", "message-id",  NULL};
    Span rest = {text, size ? text + size : text}, name, value;
    unsigned fields = 0;
    bool found = false;

    if (take_mbox_line(&rest))
        return true;
    while (!(found && fields > 1) && take_field(&rest, &name, &value)) {
        fields++;
        for (size_t i = 0; carried[i]; i++)
            found = found || is_word(name, carried[i]);
    }
    return found && fields > 1;
}
