/*
 * Content-Transfer-Encoding (RFC 2045, section 6): base64 and quoted-printable, leniently: what cannot be decoded is passed
 * over in base64 and stays as it is written in quoted-printable.
 */
#ifndef TEXT_TRANSFER_H
#define TEXT_TRANSFER_H

#include "base/memory.h"

Status clv_add_base64(Context *context, Buffer *bytes, const char *text, size_t size, cleave_error *error);
/* header: as in RFC 2047, where '_' is a blank. */
Status clv_add_quoted(Context *context, Buffer *bytes, const char *text, size_t size, bool header, cleave_error *error);

#endif
