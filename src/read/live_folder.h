/*
 * A folder of documents as a stream: every document is an example, read once. Without following, those that are there; with
 * following, new ones as they are complete (read/watch.h).
 *
 * Documents that are found together come in an order that spreads the classes evenly: document i of the n of its class comes at
 * (i + 1/2) / n. The order depends on names alone, so that a run that was killed goes on as if it had not been.
 */
#ifndef READ_LIVE_FOLDER_H
#define READ_LIVE_FOLDER_H

#include "read/live.h"

/* start may be NULL. A source that gives an empty block where nothing has come for a second. */
Status clv_read_live_folder(Context *context, const char *path, bool follow, const ReadOptions *options,
                            const LiveStart *start, Source **source, cleave_error *error);

/* Behind the block that was given out last; place->documents lives as long as the source. */
void clv_live_folder_place(const Source *source, Place *place);

#endif
