/*
 * A raw e-mail, as its reader sees it: RFC 5322 for the header and its folded lines, RFC 2047 for words such as
 * "=?utf-8?q?caf=C3=A9?=" in it, RFC 2045 and 2046 for the parts of the body.
 *
 * The text parts are decoded (base64, quoted-printable), HTML is stripped, and both are put one behind the other;
 * pictures and other attachments are left out. Text in Latin-1 or Windows-1252 becomes UTF-8; text in any other set is
 * handed on as it is, and the rule for broken UTF-8 is that of the words.
 *
 * Mail is what strangers send: nothing in it is an error. A multipart without its boundary is text; parts nested deeper
 * than MAIL_DEEPEST are left out; base64 and quoted-printable give what can be decoded of them; a header without a body
 * that names neither sender nor subject is text. The time is at most MAIL_DEEPEST times that of reading the bytes.
 */
#ifndef TEXT_MAIL_H
#define TEXT_MAIL_H

#include "base/memory.h"

enum { MAIL_DEEPEST = 8 };

/* Zeroed is empty; reused from one mail to the next. The four texts are followed by MAIL_SLACK bytes, the first a newline. */
enum { MAIL_SLACK = 64 };
typedef struct {
    Buffer subject;
    Buffer body;
    Buffer address;         /* the sender's, in lower case: "joe@mail.example.com"; empty: none was found */
    Buffer host;            /* what stands behind the @ */
    Buffer decoded, joined; /* scratch */
} Mail;

Status clv_mail_read(Context *context, const char *bytes, size_t size, Mail *mail, cleave_error *error);
void clv_mail_free(Context *context, Mail *mail);

/* Whether a document begins as a mail does that went over the network: with an mbox line ("From joe@example.com Mon …"), or
 * with header fields, two at the least, of which one is Received, Return-Path, Delivered-To, Mime-Version or Message-Id. */
bool clv_mail_begins(const char *text, size_t size);

#endif
