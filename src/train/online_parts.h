/* The state of the online driver, for its files: online_start.c (options, begin and end), online.c
 * (learning from rows), online_predict.c (predictions and progressive evaluation) and
 * online_record.c (counts in a model). */
#ifndef TRAIN_ONLINE_PARTS_H
#define TRAIN_ONLINE_PARTS_H

#include "eval/progressive.h"
#include "train/late_labels.h"
#include "train/online.h"
#include "train/run.h"

struct Online {
    Run run;
    OnlineOptions options;
    cleave_stream_callbacks watch;
    bool regression;
    Labels known; /* classes that are known before the first row */
    Windows windows;
    ClassErrors side[2]; /* of the first two classes */
    LateLabels late;
    uint64_t rows, unlabeled, next_report, mark;
    uint64_t rows_before; /* number of training rows of the warm-start model before its stream */
    LivePlace place;      /* place of the warm-start model */
    bool resumed;
    bool guided; /* the warm-start model is not of a stream, and tables are read with its columns */

    bool learning; /* rows are learned; none is held back */
    bool begun;    /* the method has begun and has a state */
    Builder held;
    uint32_t seen; /* number of classes seen or known so far */
    uint64_t *count;
    size_t count_capacity;
    double target_sum; /* regression: sum of the targets */

    size_t number_capacity;
    uint32_t numbers;
    Builder row; /* a row in the form of a block of one row */
    uint32_t row_end;
    double *scores;
    size_t score_capacity;
    char text[32];
};

/* ---- online_record.c */
Status clv_online_save_counts(const Online *online, const LivePlace *place, uint64_t mark,
                              Bundle *bundle, cleave_error *error);
/* Writes the rows held back. */
Status clv_online_save_held(Online *online, Bundle *bundle, cleave_error *error);
Status clv_online_load_counts(Online *online, const Model *model, cleave_error *error);
Status clv_online_load_held(Online *online, const Model *model, cleave_error *error);
/* Loads the counters of the driver, after the method has begun. */
Status clv_online_load_fit(Online *online, const Model *model);

/* ---- online_predict.c */
Status clv_online_predict(Online *online, const Block *view, cleave_prediction *prediction);
/* Formats a number, only if there is a watcher. */
void clv_online_spell(Online *online, cleave_prediction *prediction);
void clv_online_report(Online *online);
/* label: that of the row; UNLABELED for regression */
void clv_online_evaluate(Online *online, uint32_t label, const cleave_prediction *prediction);

/* ---- online.c */
Status clv_online_see_class(Online *online, uint32_t label);
Status clv_online_widen(Online *online, uint32_t label);
/* Whether the method, with these options, learns from each row as it arrives. */
Status clv_online_check_method(const Online *online);
/* Begins a state for the classes seen so far. */
Status clv_online_begin(Online *online, const Model *from);
void clv_online_hand_error(Online *online, cleave_error *error);

#endif
