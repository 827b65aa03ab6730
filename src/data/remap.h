/*
 * A source seen through a model's eyes: label numbers, column numbers of another data set translated to the model's by
 * their names; or several sources seen as one, each translated to the names of all. Where nothing needs translating, the
 * blocks pass through untouched.
 */
#ifndef DATA_REMAP_H
#define DATA_REMAP_H

#include "data/source.h"

/* Takes over source if own. Features that names does not know are dropped; labels unknown to the model keep numbers past its
 * last one. The new source's labels begin with the model's. names must outlive it. */
Status clv_remap_source(Source *source, bool own, const Labels *labels, const Names *names, uint32_t features,
                        Source **remapped, cleave_error *error);

/* The same with names that grow: those of the model first, then new ones of the source. schema: of the new source; NULL: that
 * of the inner one. */
Status clv_remap_growing(Source *source, bool own, const Labels *labels, const Names *names, const Schema *schema,
                         uint32_t features, Source **remapped, cleave_error *error);

/* For clv_remap_growing, before the first block: columns whose numbers have gaps become names
 * when they occur (data/compact.h). */
void clv_remap_compact(Source *remapped);
/* Maps a block of the inner source that was not read through this one. The result is valid until
 * the next call. */
Status clv_remap_block(Source *remapped, const Block *block, const Block **result, cleave_error *error);

/* Of clv_remap_source, before its first block: columns past the model's, where they are numbers and not names, are kept. */
void clv_remap_keep_new(Source *remapped);

/* For a remapped source with the classes of a model: at the end of the data, warns of labels
 * that differ from a class only in how a number is written. Off by default. */
void clv_remap_note_labels(Source *remapped, bool on);

/* For clv_remap_source, before the first block: columns that the model lacks are kept, past the
 * model's columns. Their numbers are assigned separately in each row. */
void clv_remap_keep_unknown(Source *remapped);

/* Several sources as one, with the labels and names of all of them. Takes over the sources, not the array. */
Status clv_chain_sources(Context *context, Source *const *sources, size_t count, Source **chain, cleave_error *error);

#endif
