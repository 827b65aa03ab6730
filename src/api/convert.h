/* Writing a source to a file in the format its name or `to` says: behind cleave_convert and cleave_generate. */
#ifndef API_CONVERT_H
#define API_CONVERT_H

#include "data/source.h"

Status clv_write_source(Source *source, const char *path, const char *to, bool shuffle, uint64_t seed,
                        cleave_conversion *done, cleave_error *error);

#endif
