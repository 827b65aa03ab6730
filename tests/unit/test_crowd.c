/* Labels from many workers (src/crowd): every method and the agreement against an independent
 * computation (NumPy EM to a change of 1e-13; the maximization of GLAD by L-BFGS), and equal results
 * for any number of threads. */
#include "support/support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TASKS = 6, WORKERS = 6, LABELS = 3 };

/* Workers b0 to b4 are mostly right; b5 always answers b. Labels appear in the order b, c, a. */
static const char answers[] =
    "task,worker,label\n"
    "t0,w0,b\nt0,w3,b\nt0,w4,c\nt1,w0,a\nt1,w2,b\nt1,w3,a\nt1,w4,a\nt1,w5,b\nt2,w0,c\nt2,w1,c\n"
    "t2,w3,c\nt2,w4,c\nt2,w5,b\nt3,w1,a\nt3,w3,c\nt3,w4,a\nt3,w5,b\nt4,w0,a\nt4,w1,a\nt4,w2,a\n"
    "t4,w3,b\nt4,w5,b\nt5,w2,a\nt5,w4,a\nt5,w5,b\nt6,w0,b\nt6,w2,b\nt6,w3,b\nt7,w1,b\nt7,w2,a\n"
    "t7,w3,a\nt7,w4,a\nt7,w5,b\nt8,w1,a\nt8,w2,b\nt8,w4,a\nt9,w0,a\nt9,w2,b\nt9,w3,b\nt9,w4,a\n"
    "t10,w0,a\nt10,w1,a\nt10,w3,a\nt10,w5,b\nt11,w0,c\nt11,w1,c\nt11,w2,c\nt11,w3,c\nt12,w0,c\n"
    "t12,w1,c\nt12,w2,c\nt12,w3,c\nt12,w4,c\nt13,w0,a\nt13,w1,a\nt13,w3,a\n";

typedef struct {
    const char *method;
    double probabilities[TASKS][LABELS]; /* of the first tasks */
    double ability[WORKERS];             /* in the order w0, w3, w4, w2, w5, w1 */
    double difficulty[TASKS];
} Golden;

static const Golden golden[] = {
    {"dawid-skene",
     {{0.9983864082190799, 0.0011830631598304553, 0.0004305286210897098},
      {0.0006339233886149278, 9.562009582404822e-06, 0.9993565146018027},
      {0.0003493638712476054, 0.999648016974309, 2.6191544432791277e-06},
      {0.01454876756585228, 0.01329508450491954, 0.9721561479292282},
      {0.008553814507479003, 1.0102524579183934e-05, 0.9914360829679418},
      {0.009241947662696683, 0.002869169659066798, 0.9878888826782366}},
     {0},
     {0}},
    {"one-coin",
     {{0.9712359914126634, 0.02662519731210414, 0.0021388112752325416},
      {1.9299389880860523e-05, 0.00017686509251897673, 0.9998038355176001},
      {3.949733533908073e-07, 0.9999856861567844, 1.3918869862130139e-05},
      {0.0001730520093031532, 0.03499799021252164, 0.9648289577781752},
      {4.2100450156448176e-05, 0.0002585190995597886, 0.9996993804502837},
      {0.0005803295593145377, 0.020450826730212472, 0.978968843710473}},
     {0.9753471466327351, 0.7415660557271179, 0.8615782453029046, 0.6578486010867929,
      0.013989918443348856, 0.8640303831347556},
     {0}},
    {"mace",
     {{0.9943399669276131, 0.00524311320136917, 0.00041691987101787623},
      {2.003521173387155e-06, 6.214254607403971e-07, 0.9999973750533658},
      {2.2943492271006976e-07, 0.9999995462654261, 2.242996512405895e-07},
      {0.00019235383433721586, 0.0015965310782960946, 0.9982111150873667},
      {4.1664055826310274e-06, 7.666754078872359e-07, 0.9999950669190094},
      {0.00041934383295531586, 0.0004099579713966591, 0.9991706981956481}},
     {0.9519316065678279, 0.6687250866890462, 0.8251500149528296, 0.6053020809415749,
      0.06250206079033194, 0.8402082141113196},
     {0}},
    {"glad",
     {{0.8159334991751628, 0.16257589992738603, 0.021490600897451168},
      {0.00011221449220887391, 7.1264276193447e-05, 0.9998165212315977},
      {4.2101654710362755e-10, 0.9999999933423531, 6.236630303276869e-09},
      {0.0013762832765822112, 0.02315277418724216, 0.9754709425361755},
      {0.0005065159317534644, 0.0002457176945960786, 0.9992477663736504},
      {4.361377793267574e-05, 0.0005405071060736097, 0.9994158791159937}},
     {1.277082312768093, 0.4986479164281205, 1.0497581815089885, 0.4122219559733133,
      -0.764875059154986, 0.8130972369554387},
     {0.789065163945506, 0.37827057537853076, 0.22571539352369596, 0.4476247724497339,
      0.4015965349636364, 0.2382579144170371}},
    {"majority",
     {{2 / 3., 1 / 3., 0},
      {.4, 0, .6},
      {.2, .8, 0},
      {.25, .25, .5},
      {.4, 0, .6},
      {1 / 3., 0, 2 / 3.}},
     {0},
     {0}},
};

/* Differences of the stopping points, and of the solvers of GLAD. */
static const double tolerance = 1e-6;

static cleave_crowd *fit(cleave_context *context, const char *text, const char *method)
{
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    const char *paths[] = {path};
    cleave_options *options = cleave_options_new(context);
    cleave_crowd *crowd;
    cleave_error error;

    test_folder_new(folder);
    test_write_text(test_join(path, folder, "answers.csv"), text);
    cleave_options_set(options, "method", method, &error);
    cleave_options_set(options, "tolerance", "1e-13", &error);
    cleave_options_set(options, "max_iterations", "100000", &error);
    if (cleave_crowd_new(context, paths, 1, NULL, options, &crowd, &error) != CLEAVE_OK)
        fail_msg("%s", error.message);
    cleave_options_free(options);
    test_folder_remove(folder);
    return crowd;
}

static void check_golden(const Golden *wanted)
{
    cleave_context *context = cleave_context_new(NULL);
    cleave_crowd *crowd = fit(context, answers, wanted->method);

    for (size_t i = 0; i < TASKS; i++) {
        cleave_crowd_task task = cleave_crowd_get_task(crowd, i);

        for (size_t label = 0; label < LABELS; label++)
            if (!(fabs(task.probabilities[label] - wanted->probabilities[i][label]) <= tolerance))
                fail_msg("%s: task %zu, label %zu: %.17g", wanted->method, i, label,
                         task.probabilities[label]);
        if (wanted->difficulty[0] > 0)
            assert_true(fabs(task.difficulty - wanted->difficulty[i]) <= 10 * tolerance);
        else
            assert_true(isnan(task.difficulty));
    }
    for (size_t i = 0; i < WORKERS; i++) {
        double ability = cleave_crowd_get_worker(crowd, i).ability;

        if (wanted->ability[0] > 0)
            assert_true(fabs(ability - wanted->ability[i]) <= 10 * tolerance);
        else
            assert_true(isnan(ability));
    }
    cleave_crowd_free(crowd);
    cleave_context_free(context);
}

static void every_method(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
        check_golden(&golden[i]);
}

static void workers_of_dawid_skene(void **state)
{
    static const double confusion[] = {
        0.880776116301939,    0.038894797611575105, 0.08032908608648606,
        0.01855486786074156,  0.9359584402976082,   0.04548669184165021,
        0.013624803271612957, 0.017062305618509868, 0.9693128911098773};
    static const double quality[] = {
        0.7983220290065792, 0.5338831299304269, 0.4608472836357213, 0.4789535071184692, 0,
        0.39715916092361664};
    static const double accuracy[] = {0.9949652259217607, 0.7524698763033512,   0.8734380662803735,
                                      0.674074353127148,  0.004994339774749741, 0.8763356464508448};
    static const double frequencies[] = {0.15155579267678387, 0.215529767353895,
                                         0.6329144399693211};
    cleave_context *context = cleave_context_new(NULL);
    cleave_crowd *crowd = fit(context, answers, "dawid-skene");
    const cleave_crowd_summary *summary = cleave_crowd_get_summary(crowd);

    (void)state;
    assert_int_equal(summary->worker_count, WORKERS);
    for (size_t i = 0; i < LABELS; i++)
        assert_true(fabs(summary->frequencies[i] - frequencies[i]) <= tolerance);
    for (size_t i = 0; i < WORKERS; i++) {
        cleave_crowd_worker worker = cleave_crowd_get_worker(crowd, i);

        assert_true(fabs(worker.quality - quality[i]) <= tolerance);
        assert_true(fabs(worker.accuracy - accuracy[i]) <= tolerance);
    }
    for (size_t i = 0; i < LABELS * LABELS; i++)
        assert_true(fabs(cleave_crowd_get_worker(crowd, 0).confusion[i] - confusion[i]) <=
                    tolerance);
    assert_int_equal(summary->workers_by_quality[0], 4);
    assert_string_equal(cleave_crowd_get_worker(crowd, 4).name, "w5");
    assert_true(fabs(summary->agreement - 0.33187560738581157) < 1e-12);
    cleave_crowd_free(crowd);
    cleave_context_free(context);
}

/* Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": 12 units, 4 observers, missing
 * data; nominal alpha 0.743. */
static void agreement_of_krippendorff(void **state)
{
    static const char units[4][13] = {"123321412...", "1233224125.3", ".3332342251.",
                                      "12332441251."};
    char text[2048] = "task,worker,label\n";
    cleave_context *context = cleave_context_new(NULL);
    cleave_crowd *crowd;

    (void)state;
    for (size_t observer = 0; observer < 4; observer++)
        for (size_t unit = 0; unit < 12; unit++)
            if (units[observer][unit] != '.')
                snprintf(text + strlen(text), 32, "u%zu,o%zu,%c\n", unit, observer,
                         units[observer][unit]);
    crowd = fit(context, text, "majority");
    assert_true(fabs(cleave_crowd_get_summary(crowd)->agreement - 0.743421052631579) < 1e-12);
    cleave_crowd_free(crowd);
    crowd = fit(context, "task,worker,label\nt1,w1,a\nt2,w1,b\n", "dawid-skene");
    assert_true(isnan(cleave_crowd_get_summary(crowd)->agreement)); /* no two answers to a task */
    cleave_crowd_free(crowd);
    crowd = fit(context, "task,worker,label\nt1,w1,a\nt1,w2,a\n", "glad");
    assert_true(isnan(cleave_crowd_get_summary(crowd)->agreement)); /* a single label */
    assert_true(cleave_crowd_get_task(crowd, 0).probability == 1);
    cleave_crowd_free(crowd);
    cleave_context_free(context);
}

/* Enough answers for several slices. */
static char *many_answers(void)
{
    enum { MANY = 150000, ROW = 40 };
    char *text = malloc((size_t)MANY * ROW + ROW);
    size_t used = (size_t)snprintf(text, ROW, "task,worker,label\n");
    unsigned random = 1;

    for (unsigned i = 0; i < MANY; i++) {
        unsigned task = i % 30000, worker, wrong;

        random = random * 1664525u + 1013904223u;
        worker = (random >> 8) % 500;
        wrong = (random >> 20) % 100 < 10 + worker % 40;
        used += (size_t)snprintf(text + used, ROW, "t%u,w%u,%u\n", task, worker,
                                 (task % 3 + wrong) % 3);
    }
    return text;
}

static void any_number_of_threads(void **state)
{
    static const char *const methods[] = {"dawid-skene", "one-coin", "mace", "glad"};
    char *text = many_answers();

    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        double first = 0;

        for (unsigned threads = 1; threads <= 4; threads += 3) {
            cleave_config config = {.size = sizeof config, .threads = threads};
            cleave_context *context = cleave_context_new(&config);
            char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
            const char *paths[] = {path};
            cleave_options *options = cleave_options_new(context);
            cleave_crowd *crowd;
            cleave_error error;
            double sum = 0;

            test_folder_new(folder);
            test_write_text(test_join(path, folder, "answers.csv"), text);
            cleave_options_set(options, "method", methods[i], &error);
            cleave_options_set(options, "max_iterations", "5", &error);
            assert_int_equal(cleave_crowd_new(context, paths, 1, NULL, options, &crowd, &error),
                             CLEAVE_OK);
            for (size_t task = 0; task < 30000; task++)
                for (size_t label = 0; label < 3; label++)
                    sum += (double)(1 + (task + label) % 7) *
                           cleave_crowd_get_task(crowd, task).probabilities[label];
            if (threads == 1)
                first = sum;
            assert_true(sum == first);
            cleave_crowd_free(crowd);
            cleave_options_free(options);
            test_folder_remove(folder);
            cleave_context_free(context);
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(workers_of_dawid_skene),
        cmocka_unit_test(agreement_of_krippendorff),
        cmocka_unit_test(any_number_of_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
