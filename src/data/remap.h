/*
 * Translates a source to the label and column numbers of a model by their names, or several sources
 * to common names. Blocks that need no translation are passed unchanged.
 */
#ifndef DATA_REMAP_H
#define DATA_REMAP_H

#include "data/source.h"

/* Translates a source by these names. Takes ownership of it if `own`. Features missing in names are
 * dropped; labels unknown to the model get numbers after the model's labels. The labels of the new
 * source start with the model's. names must outlive it. */
Status clv_remap_source(Source *source, bool own, const Labels *labels, const Names *names,
                        uint32_t features, Source **remapped, cleave_error *error);

/* Translates by growing names: first the model's, then new names of the source. schema: that of the
 * new source; NULL: that of the inner one. */
Status clv_remap_growing(Source *source, bool own, const Labels *labels, const Names *names,
                         const Schema *schema, uint32_t features, Source **remapped,
                         cleave_error *error);

/* For clv_remap_growing, called before the first block: numbered columns with gaps become names
 * when they occur (data/compact.h). */
void clv_remap_compact(Source *remapped);
/* Translates a block of the inner source that was not read through this source. The result is valid
 * until the next call. */
Status clv_remap_block(Source *remapped, const Block *block, const Block **result,
                       cleave_error *error);

/* For clv_remap_source, called before the first block: keeps columns after the model's if they are
 * numbers. */
void clv_remap_keep_new(Source *remapped);

/* For a remapped source with the classes of a model. At the end of the data, it warns of labels
 * that differ from a class only in the spelling of a number. Off by default. */
void clv_remap_note_labels(Source *remapped, bool on);

/* For clv_remap_source, called before the first block: at the end of the data, warns if none of its
 * values is in a column of the model. */
void clv_remap_warn_unshared(Source *remapped);

/* For clv_remap_source, called before the first block: keeps columns that the model lacks, after
 * the model's columns. In each row their numbers are assigned separately. */
void clv_remap_keep_unknown(Source *remapped);

/* Concatenates sources, with the labels and names of all. Takes ownership of the sources, not of
 * the array. */
Status clv_chain_sources(Context *context, Source *const *sources, size_t count, Source **chain,
                         cleave_error *error);

#endif
