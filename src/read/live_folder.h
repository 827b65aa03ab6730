/*
 * Reads a folder of documents as a stream: every document is an example and is read once. Without
 * following, the source returns the existing documents; with following, also new documents when
 * they are complete (read/watch.h).
 *
 * Documents found together are ordered so that the classes are spread evenly: document i of the n
 * documents of its class has the position (i + 1/2) / n. The order depends only on names, so a
 * killed run resumes in the same order.
 */
#ifndef READ_LIVE_FOLDER_H
#define READ_LIVE_FOLDER_H

#include "read/live.h"

/* start may be NULL. The source returns an empty block when no input arrives for a second. */
Status clv_read_live_folder(Context *context, const char *path, bool follow,
                            const ReadOptions *options, const LiveStart *start, Source **source,
                            cleave_error *error);

/* Returns the position after the last returned block; place->documents lives as long as the
 * source. */
void clv_live_folder_place(const Source *source, LivePlace *place);

#endif
