/* The state of the online driver, for its files: online_start.c (options, begin and end), online.c (learning from rows),
 * online_predict.c (predictions and progressive evaluation) and online_record.c (counts in a model). */
#ifndef TRAIN_ONLINE_PARTS_H
#define TRAIN_ONLINE_PARTS_H

#include "eval/progressive.h"
#include "train/online.h"
#include "train/run.h"

struct Online {
    Run run;
    OnlineOptions options;
    cleave_stream_callbacks watch;
    bool regression;
    Labels known; /* before the first row */
    Windows windows;
    uint64_t rows, unlabelled, next_report, mark;
    Place place; /* of the model gone on from */
    bool resumed;
    bool
        guided; /* the first model gone on from was not of a stream: tables are read as for that one, by the columns it has */

    bool learning; /* no rows are held back any more */
    bool begun;    /* the method has a state */
    Builder held;
    uint32_t seen; /* classes: label numbers below have been seen, or are known */
    uint64_t *count;
    size_t count_capacity;
    double target_sum; /* regression */

    size_t number_capacity;
    uint32_t numbers;
    Builder row; /* a row in its form when alone */
    uint32_t row_end;
    double *scores;
    size_t score_capacity;
    char text[32];
};

/* ---- online_record.c */
Status clv_online_save_counts(const Online *online, const Place *place, uint64_t mark, Bundle *bundle,
                              cleave_error *error);
/* The rows that are held back. */
Status clv_online_save_held(Online *online, Bundle *bundle, cleave_error *error);
Status clv_online_load_counts(Online *online, const Model *model, cleave_error *error);
Status clv_online_load_held(Online *online, const Model *model, cleave_error *error);
/* Of a method that has begun: what its driver counts. */
Status clv_online_load_fit(Online *online, const Model *model);

/* ---- online_predict.c */
Status clv_online_predict(Online *online, const Block *view, cleave_prediction *prediction);
/* A number is written out only where somebody looks. */
void clv_online_spell(Online *online, cleave_prediction *prediction);
void clv_online_report(Online *online);
void clv_online_evaluate(Online *online, const cleave_prediction *prediction);

/* ---- online.c */
Status clv_online_see_class(Online *online, uint32_t label);
Status clv_online_widen(Online *online, uint32_t label);
/* Whether the method, with these options, learns from each row as it comes. */
Status clv_online_check_method(const Online *online);
/* A state for the classes seen. */
Status clv_online_begin(Online *online, const Model *from);
void clv_online_hand_error(Online *online, cleave_error *error);

#endif
