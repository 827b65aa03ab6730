/* The state of a cleave_data: a source, and the dataset that it is loaded into for training. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "data/builder.h"
#include "data/dataset.h"
#include "model/model.h"
#include "read/guess.h"

struct cleave_data {
    Context *context;
    Source *source; /* the source; NULL while the caller adds rows */
    Dataset *loaded;
    bool rows_held;     /* a caller of clv_data_dataset may refer to rows of the loaded dataset */
    bool rows_released; /* the loaded dataset has only its labels, names and schema */
    /* The columns that occur, if they are few (data/compact.h); otherwise NULL. */
    Dataset *compact;
    Builder builder; /* rows added by the caller that are not in a block yet */
    Dataset *own;
    char **paths;
    size_t path_count;
    char *labels, *weights; /* the files named by --labels and --weights, or NULL */
    bool beside;            /* opened like other data, to which --weights applies */
    const Model *opened_for;
    bool lines_of_text;  /* read for that model as lines label<TAB>text, one document each */
    Source *remapped;    /* view of the source if the data was opened for a model; otherwise NULL */
    atomic_uint holders; /* number of references besides the caller's */
    /* The model or data that this data was opened like. Its source points into them, so this is a
     * reference. NULL: none. */
    const Model *like_model;
    cleave_data *like_data;
    cleave_options *kept;    /* a copy of the options, to which the reader points; NULL: none */
    cleave_options *reading; /* the options used for opening; NULL: none, or opened for a model */
    Guesses guesses;
    /* the source of the caller's arrays if the dataset is a view of them; otherwise NULL */
    Source *arrays;
    char *bytes;                 /* memory of a text; NULL: none */
    struct TableFacts *describe; /* see clv_open_described */
    double read_seconds, read_cpu_seconds;
};

/* Like cleave_open_for, for learning: keeps features that the model lacks if they have numbers. An
 * empty input is not an error: *data is NULL. */
Status clv_open_to_learn(const Model *model, const char *const *paths, size_t count,
                         const cleave_options *options, cleave_data **data, cleave_error *error);
/* Like cleave_open_files. `facts` receives a summary of the cells of a table. */
struct TableFacts;
Status clv_open_described(Context *context, const char *const *paths, size_t count,
                          const cleave_options *options, struct TableFacts *facts,
                          cleave_data **data, cleave_error *error);
/* Creates data from text in memory of a given format. Takes ownership of the bytes, also on
 * failure. columns: kinds of columns if the options have none, or NULL. model may be NULL;
 * otherwise the data is opened for it, or, with grows, to update it. */
Status clv_open_memory(Context *context, const Model *model, bool grows, const char *format,
                       Buffer *bytes, const cleave_options *options, const char *columns,
                       cleave_data **data, cleave_error *error);
/* Appends the texts as lines of the text format, with the labels of rows. */
Status clv_lines_of_texts(Context *context, const char *const *texts, const size_t *lengths,
                          size_t count, const cleave_rows *rows, Buffer *lines,
                          cleave_error *error);
/* Creates data from a source. Takes ownership of the source, also on failure. */
Status clv_open_source(Context *context, Source *source, cleave_data **data, cleave_error *error);
/* Translates a source for a model: its labels, its input columns, and its pipeline. */
Status clv_view_for(const Model *model, Source *source, Source **viewed, cleave_error *error);
/* Returns the source of all rows, positioned at the first row. */
Status clv_data_source(cleave_data *data, Source **source, cleave_error *error);
/* Notes that labels are not used, so that labels that the model lacks cause no warning. */
void clv_data_ignore_labels(cleave_data *data);
/* Warns that the text before the first TAB of `lines` lines was ignored because it is not a class
 * of the model. Does nothing for other data, for a regression, and for 0 lines. */
void clv_data_warn_labels(const cleave_data *data, uint64_t lines, const char *first);
/* The name of the data for messages: the first file. */
const char *clv_data_name(const cleave_data *data);
/* Returns all rows with random access: the mapped dataset, or the source loaded into memory. */
Status clv_data_dataset(cleave_data *data, Dataset **dataset, cleave_error *error);
/* Returns the rows for training: without columns that never occur, if these are the majority. */
Status clv_data_training_set(cleave_data *data, Dataset **dataset, cleave_error *error);
/* Returns the rows for a training run that transforms them. *releasable: the run may remove the
 * rows from the dataset (clv_dataset_drain), because no other user refers to them and the files can
 * be read again. */
Status clv_data_rows_to_transform(cleave_data *data, Dataset **dataset, bool *releasable,
                                  cleave_error *error);
/* Called after a run that removed rows from the dataset. */
void clv_data_release_rows(cleave_data *data);
/* Returns whether its files can be read again with other options: regular files or folders that
 * contain text or tables. */
bool clv_data_can_reread(const cleave_data *data);
/* Opens the same files in another context, with the same options except `changes`. */
Status clv_data_reread(const cleave_data *data, Context *context, const cleave_options *changes,
                       cleave_data **again, cleave_error *error);
/* Fails if writing path would destroy an input file. */
Status clv_data_protects(const cleave_data *data, const char *path, cleave_error *error);

#endif
