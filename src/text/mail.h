/*
 * Extracts the readable text of a raw e-mail: RFC 5322 for the header and its folded lines, RFC
 * 2047 for encoded words such as "=?utf-8?q?caf=C3=A9?=", RFC 2045 and 2046 for the parts of the
 * body.
 *
 * Text parts are decoded (base64, quoted-printable), HTML is stripped, and the parts are
 * concatenated. Images and other attachments are dropped. Latin-1 and Windows-1252 become UTF-8.
 * Text in other sets is unchanged and handled as invalid UTF-8 by the tokenizer.
 *
 * Mail is untrusted input, and no content is an error. A multipart without its boundary is text.
 * Parts nested deeper than MAIL_DEEPEST are dropped. base64 and quoted-printable are decoded as far
 * as possible. A header without a body, sender or subject is text. The time is at most MAIL_DEEPEST
 * times that of reading the bytes.
 */
#ifndef TEXT_MAIL_H
#define TEXT_MAIL_H

#include "base/memory.h"

enum { MAIL_DEEPEST = 8 };

/* A zeroed Mail is empty; it is reused from one mail to the next. MAIL_SLACK bytes follow the four
 * texts, the first a newline. */
enum { MAIL_SLACK = 64 };
typedef struct {
    Buffer subject;
    Buffer body;
    Buffer address; /* the sender in lower case: "joe@mail.example.com"; empty if not found */
    Buffer host;    /* the part after the @ */
    Buffer decoded, joined; /* scratch space */
} Mail;

Status clv_mail_read(Context *context, const char *bytes, size_t size, Mail *mail,
                     cleave_error *error);
void clv_mail_free(Context *context, Mail *mail);

/* Returns whether a document starts like mail from a network: with an mbox line ("From
 * joe@example.com Mon …"), or with at least two header fields, one of them Received, Return-Path,
 * Delivered-To, Mime-Version or Message-Id. */
bool clv_mail_begins(const char *text, size_t size);

#endif
