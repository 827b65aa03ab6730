/*
 * Content-Transfer-Encoding (RFC 2045, section 6): lenient decoders for base64 and
 * quoted-printable. Invalid input is skipped in base64 and unchanged in quoted-printable.
 */
#ifndef TEXT_TRANSFER_H
#define TEXT_TRANSFER_H

#include "base/memory.h"

Status clv_add_base64(Context *context, Buffer *bytes, const char *text, size_t size,
                      cleave_error *error);
/* header: uses the rules of RFC 2047, in which '_' is a blank. */
Status clv_add_quoted(Context *context, Buffer *bytes, const char *text, size_t size, bool header,
                      cleave_error *error);

#endif
