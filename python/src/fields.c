/* Structs of the library as dicts, described by tables of fields. */
#include "extension.h"

static PyObject *interval_of(const cleave_interval *interval)
{
    return Py_BuildValue("ddd", interval->value, interval->low, interval->high);
}

static PyObject *list_of(const Field *field, const char *record)
{
    size_t count;
    const char *items;
    PyObject *list;

    memcpy(&count, record + field->count, sizeof count);
    memcpy(&items, record + field->offset, sizeof items);
    list = PyList_New(items ? (Py_ssize_t)count : 0);
    for (size_t i = 0; list && items && i < count; i++) {
        PyObject *item = field->type == FIELD_DOUBLES
                             ? PyFloat_FromDouble(((const double *)(const void *)items)[i])
                             : dict_of(field->detail, items + i * field->size);

        if (!item)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, (Py_ssize_t)i, item);
    }
    return list;
}

static PyObject *value_of(const Field *field, const char *record)
{
    const void *at = record + field->offset;

    switch (field->type) {
    case FIELD_DOUBLE:
        return PyFloat_FromDouble(*(const double *)at);
    case FIELD_U32:
        return PyLong_FromUnsignedLong(*(const uint32_t *)at);
    case FIELD_U64:
        if (*(const uint64_t *)at == UINT64_MAX)
            return Py_NewRef(Py_None);
        return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
    case FIELD_SIZE:
        if (*(const size_t *)at == SIZE_MAX)
            return Py_NewRef(Py_None);
        return PyLong_FromSize_t(*(const size_t *)at);
    case FIELD_BOOL:
        return PyBool_FromLong(*(const bool *)at);
    case FIELD_INT:
        return PyLong_FromLong(*(const int *)at);
    case FIELD_STRING:
        return string(*(const char *const *)at);
    case FIELD_INTERVAL:
        return interval_of(at);
    case FIELD_METRIC: {
        const cleave_metric *metric = *(const cleave_metric *const *)at;

        return string(metric ? metric->name : NULL);
    }
    default:
        return list_of(field, record);
    }
}

PyObject *dict_of(const Field *fields, const void *record)
{
    PyObject *dict = PyDict_New();

    for (const Field *field = fields; dict && field->type != FIELD_END; field++) {
        PyObject *value = value_of(field, record);

        if (!value || PyDict_SetItemString(dict, field->name, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

/* ---- tables */

#define FIELD(type, struct, name) {#name, FIELD_##type, offsetof(struct, name), NULL, 0, 0}
#define ARRAY(struct, name, number, item, fields)                                                  \
    {#name, FIELD_ARRAY, offsetof(struct, name), fields, offsetof(struct, number), sizeof(item)}
#define END {NULL, FIELD_END, 0, NULL, 0, 0}

#define F(type, name) FIELD(type, cleave_statistic, name)
static const Field statistic_fields[] = {F(STRING, name), F(DOUBLE, value), END};
#undef F

#define F(type, name) FIELD(type, cleave_report, name)
const Field report_fields[] = {
    F(STRING, method), F(STRING, solver), F(STRING, objective), F(STRING, summary), F(U64, rows),
    F(U64, features), F(U64, classes), F(U32, epochs), F(BOOL, converged), F(BOOL, cancelled),
    F(STRING, stopped_by), F(STRING, order), F(U64, mistakes), F(DOUBLE, loss),
    F(U64, train_errors), F(U64, validation_rows), F(U64, validation_errors), F(U32, kept_epoch),
    F(DOUBLE, read_seconds), F(DOUBLE, read_cpu_seconds), F(DOUBLE, train_seconds),
    F(DOUBLE, train_cpu_seconds),
    ARRAY(cleave_report, statistics, statistic_count, cleave_statistic, statistic_fields), END};
#undef F

#define F(type, name) FIELD(type, cleave_update_result, name)
const Field update_fields[] = {
    F(U64, rows), F(U64, unlabeled), F(U64, new_classes), F(U64, new_features),
    F(DOUBLE, error_before), F(DOUBLE, error_after), END};
#undef F

#define F(type, name) FIELD(type, cleave_evaluation, name)
const Field evaluation_fields[] = {
    F(U64, rows), F(U64, unlabeled), F(U64, errors), F(U64, abstained), F(U64, unseen_label),
    F(INTERVAL, accuracy), F(INTERVAL, error_rate), F(INTERVAL, macro_precision),
    F(INTERVAL, macro_recall), F(INTERVAL, macro_f1), F(INTERVAL, weighted_precision),
    F(INTERVAL, weighted_recall), F(INTERVAL, weighted_f1), F(INTERVAL, roc_auc),
    F(INTERVAL, average_precision), F(INTERVAL, log_loss), F(INTERVAL, brier), F(DOUBLE, baseline_rmse),
    {"rmse", FIELD_INTERVAL, offsetof(cleave_evaluation, rmse_interval), NULL, 0, 0},
    {"mae", FIELD_INTERVAL, offsetof(cleave_evaluation, mae_interval), NULL, 0, 0},
    {"r2", FIELD_INTERVAL, offsetof(cleave_evaluation, r2_interval), NULL, 0, 0},
    F(DOUBLE, read_seconds), F(DOUBLE, predict_seconds), END};
#undef F

#define F(type, name) FIELD(type, cleave_class_metrics, name)
const Field class_fields[] = {
    F(STRING, label), F(DOUBLE, rows), F(DOUBLE, predicted), F(DOUBLE, correct),
    F(INTERVAL, precision), F(INTERVAL, recall), F(INTERVAL, f1), F(INTERVAL, roc_auc),
    F(INTERVAL, average_precision), END};
#undef F

#define F(type, name) FIELD(type, cleave_cv_fold, name)
static const Field fold_fields[] = {
    F(U32, repeat), F(U32, fold), F(U64, train_rows), F(U64, rows), F(U64, errors),
    F(DOUBLE, error), F(DOUBLE, low), F(DOUBLE, high), F(DOUBLE, train_error), F(BOOL, converged),
    F(STRING, stopped_by), F(DOUBLE, train_seconds), F(DOUBLE, test_seconds), F(INTERVAL, metric),
    END};
#undef F

#define F(type, name) FIELD(type, cleave_cv_result, name)
const Field cv_fields[] = {
    F(STRING, method), F(BOOL, regression), F(U64, rows), F(U64, unlabeled), F(U64, features),
    F(U64, classes), F(U64, groups), F(U32, folds), F(U32, repeats), F(U64, seed),
    {"fold_results", FIELD_ARRAY, offsetof(cleave_cv_result, fold), fold_fields,
     offsetof(cleave_cv_result, fold_count), sizeof(cleave_cv_fold)},
    F(DOUBLE, error), F(DOUBLE, low), F(DOUBLE, high), F(DOUBLE, mean), F(DOUBLE, mean_low),
    F(DOUBLE, mean_high), F(DOUBLE, train_error), F(DOUBLE, gap), F(DOUBLE, gap_low),
    F(DOUBLE, gap_high), F(DOUBLE, baseline), F(STRING, baseline_label), F(METRIC, metric),
    F(INTERVAL, metric_value), F(INTERVAL, metric_mean), F(DOUBLE, metric_baseline),
    F(BOOL, beats_baseline), F(U32, unconverged), F(STRING, summary), F(STRING, hint),
    F(DOUBLE, seconds), END};
#undef F

#define F(type, name) FIELD(type, cleave_setting, name)
static const Field setting_fields[] = {F(STRING, name), F(STRING, value), END};
#undef F

#define F(type, name) FIELD(type, cleave_candidate, name)
static const Field candidate_fields[] = {
    F(U32, number), ARRAY(cleave_candidate, settings, setting_count, cleave_setting, setting_fields),
    F(STRING, transform), F(U32, rung), F(U32, folds), F(U64, rows), F(U64, errors),
    F(DOUBLE, error), F(DOUBLE, low), F(DOUBLE, high), F(INTERVAL, metric), F(DOUBLE, seconds),
    F(INT, status), F(STRING, failure), END};
#undef F

#define F(type, name) FIELD(type, cleave_tune_result, name)
const Field tune_fields[] = {
    F(STRING, method), F(BOOL, regression), F(METRIC, metric), F(U64, rows), F(U64, seed),
    F(U32, folds),
    ARRAY(cleave_tune_result, candidates, candidate_count, cleave_candidate, candidate_fields),
    F(SIZE, default_candidate), F(U64, trials), F(INTERVAL, gain), F(BOOL, gain_significant),
    F(U64, holdout_rows), F(INTERVAL, holdout_winner), F(INTERVAL, holdout_default),
    F(DOUBLE, holdout_p), F(BOOL, out_of_time), F(BOOL, exhausted), F(STRING, summary),
    F(STRING, holdout_summary), F(STRING, hint), F(DOUBLE, seconds), END};
#undef F

#define F(type, name) FIELD(type, cleave_comparison_row, name)
static const Field comparison_row_fields[] = {
    F(STRING, method), F(STRING, settings), F(STRING, reason), F(U32, folds_done), F(U64, rows),
    F(DOUBLE, error), F(DOUBLE, low), F(DOUBLE, high), F(INTERVAL, metric),
    F(DOUBLE, train_seconds), F(DOUBLE, predict_seconds), F(U64, model_bytes), F(DOUBLE, difference),
    F(DOUBLE, p), F(INT, against_best), F(INT, against_baseline), END};
#undef F

#define F(type, name) FIELD(type, cleave_comparison, name)
const Field comparison_fields[] = {
    F(BOOL, regression), F(U64, rows), F(U64, features), F(U64, classes), F(U32, folds),
    F(U32, repeats), F(U64, seed), F(STRING, baseline_label), F(METRIC, metric),
    ARRAY(cleave_comparison, methods, method_count, cleave_comparison_row, comparison_row_fields),
    F(SIZE, best), F(BOOL, beats_baseline), F(DOUBLE, budget), F(DOUBLE, seconds),
    F(BOOL, incomplete), END};
#undef F

#define F(type, name) FIELD(type, cleave_contribution, name)
static const Field contribution_fields[] = {
    F(STRING, name), F(SIZE, column), F(DOUBLE, value), F(STRING, text), F(DOUBLE, contribution),
    F(DOUBLE, runner_up), END};
#undef F

#define F(type, name) FIELD(type, cleave_neighbor, name)
static const Field neighbor_fields[] = {
    F(U64, row), F(DOUBLE, distance), F(DOUBLE, weight), F(DOUBLE, share), F(STRING, label),
    F(DOUBLE, value), END};
#undef F

#define F(type, name) FIELD(type, cleave_explanation, name)
const Field explanation_fields[] = {
    F(STRING, label), F(BOOL, abstained), F(STRING, true_label), F(DOUBLE, score),
    F(DOUBLE, probability), F(STRING, runner_up), F(DOUBLE, runner_up_score),
    F(BOOL, has_contributions), F(DOUBLE, intercept),
    ARRAY(cleave_explanation, contributions, contribution_count, cleave_contribution,
          contribution_fields),
    ARRAY(cleave_explanation, neighbors, neighbor_count, cleave_neighbor, neighbor_fields),
    F(SIZE, leaf), END};
#undef F

#define F(type, name) FIELD(type, cleave_value, name)
static const Field value_fields[] = {F(STRING, text), F(U64, count), END};
#undef F

#define F(type, name) FIELD(type, cleave_column, name)
static const Field column_fields[] = {
    F(STRING, name), F(STRING, kind), F(STRING, why), F(STRING, warning), F(U64, cells),
    F(U64, missing), F(U64, distinct), F(DOUBLE, min), F(DOUBLE, median), F(DOUBLE, max), END};
#undef F

#define F(type, name) FIELD(type, cleave_description, name)
const Field description_fields[] = {
    F(STRING, format), F(U64, rows), F(U64, features), F(U64, entries), F(U64, unlabeled),
    ARRAY(cleave_description, columns, column_count, cleave_column, column_fields),
    ARRAY(cleave_description, labels, label_count, cleave_value, value_fields),
    F(BOOL, regression), END};
#undef F

#define F(type, name) FIELD(type, cleave_crowd_summary, name)
const Field crowd_summary_fields[] = {
    F(STRING, method), F(STRING, task_column), F(STRING, worker_column), F(U64, answers),
    F(U64, unlabeled), F(U64, repeated), F(U64, iterations), F(BOOL, converged),
    F(DOUBLE, agreement), F(SIZE, spammer_count), F(SIZE, uncertain_count), F(U64, truth_count),
    F(DOUBLE, accuracy), F(DOUBLE, majority_accuracy), END};
#undef F

#define F(type, name) FIELD(type, cleave_crowd_task, name)
const Field crowd_task_fields[] = {F(STRING, name), F(U64, answers), F(DOUBLE, probability),
                                   F(DOUBLE, difficulty), F(BOOL, uncertain), END};
#undef F

#define F(type, name) FIELD(type, cleave_crowd_worker, name)
const Field crowd_worker_fields[] = {
    F(STRING, name), F(U64, answers), F(DOUBLE, accuracy), F(DOUBLE, quality), F(DOUBLE, ability),
    F(BOOL, spammer), END};
#undef F
