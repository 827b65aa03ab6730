/* Contexts in forked children (src/base/pool.c): a child frees and uses the objects of its parent,
 * although it has no threads. */
#include "base/context.h"
#include "base/pool.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FINE(call) assert_fine((call), &error, #call)

enum { SECONDS = 60 }; /* a child that does not end is killed by a signal */

static void assert_fine(cleave_code code, const cleave_error *error, const char *call)
{
    if (code != CLEAVE_OK)
        fail_msg("%s: %s (%s)", call, error->message, error->hint);
}

static void count_task(void *user, uint32_t task, unsigned worker)
{
    (void)worker;
    atomic_fetch_add((atomic_uint *)user, task + 1);
}

static bool pool_runs(Context *context)
{
    atomic_uint sum = 0;

    clv_pool_run(context, 100, count_task, &sum);
    return sum == 5050;
}

typedef struct {
    Context *context;
    cleave_data *data;
    cleave_model *model;
} World;

static World make_world(void)
{
    World world = {.context = cleave_context_new(
                       &(cleave_config){.size = sizeof(cleave_config), .threads = 4})};
    cleave_error error = {0};

    FINE(cleave_data_new(world.context, &world.data, &error));
    for (uint32_t i = 0; i < 600; i++)
        FINE(cleave_data_add(world.data, i % 3 ? "a" : "b", 2, (uint32_t[]){0, 1},
                             (float[]){(float)(i % 3) + 1, (float)(i % 7) + 1}, &error));
    FINE(cleave_train(world.context, "forest", world.data, NULL, NULL, &world.model, NULL, &error));
    assert_true(pool_runs(world.context));
    return world;
}

static void free_world(World *world)
{
    cleave_model_free(world->model);
    cleave_data_free(world->data);
    cleave_context_free(world->context);
}

/* 0: success; a child that was killed by a signal has another status. */
static int in_child(bool (*work)(World *world), World *world)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        alarm(SECONDS);
        _exit(work(world) ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static bool only_free(World *world)
{
    free_world(world);
    return true;
}

static bool use_and_free(World *world)
{
    cleave_error error = {0};
    cleave_prediction prediction;
    cleave_model *again;
    bool fine = pool_runs(world->context);

    fine &= cleave_predict_row(world->model, 2, (uint32_t[]){0, 1}, (float[]){2, 5}, &prediction,
                               &error) == CLEAVE_OK &&
            strcmp(prediction.label, "a") == 0;
    fine &= cleave_train(world->context, "boost", world->data, NULL, NULL, &again, NULL, &error) ==
            CLEAVE_OK;
    cleave_model_free(again);
    free_world(world);
    return fine;
}

static void the_child_frees(void **state)
{
    World world = make_world();

    (void)state;
    assert_int_equal(in_child(only_free, &world), 0);
    assert_true(pool_runs(world.context)); /* the parent continues */
    free_world(&world);
}

static void the_child_uses(void **state)
{
    World world = make_world();

    (void)state;
    assert_int_equal(in_child(use_and_free, &world), 0);
    assert_true(pool_runs(world.context));
    free_world(&world);
}

static void fork_in_task(void *user, uint32_t task, unsigned worker)
{
    World *world = user;

    if (task == 0 && worker == 0)
        assert_int_equal(in_child(use_and_free, world), 0);
}

/* The pool is in use at the time of the fork: the child has its lock and its reservation, but not
 * its threads. */
static void the_child_of_a_busy_pool(void **state)
{
    World world = make_world();

    (void)state;
    for (int i = 0; i < 5; i++)
        clv_pool_run(world.context, 20, fork_in_task, &world);
    free_world(&world);
}

/* ---- data that is being read ----------------------------------------------------------------- */

static bool free_data(World *world)
{
    cleave_data_free(world->data);
    cleave_context_free(world->context);
    return true;
}

static cleave_code fork_once(void *user, const cleave_prediction *prediction, cleave_error *error)
{
    (void)error;
    if (prediction->row == 1)
        assert_int_equal(in_child(free_data, user), 0);
    return CLEAVE_OK;
}

static void the_child_of_a_reader(void **state)
{
    World world = make_world();
    char folder[TEST_PATH_SIZE], path[TEST_PATH_SIZE];
    size_t lines = 400000, at = 0;
    char *text = malloc(lines * 16);
    cleave_error error = {0};

    (void)state;
    for (size_t i = 0; i < lines; i++)
        at += (size_t)snprintf(text + at, 16, "a 1:%zu 2:1\n", i % 9 + 1);
    test_write_text(test_join(path, test_folder_new(folder), "rows.libsvm"), text);
    cleave_data_free(world.data);
    FINE(cleave_open_for(world.model, (const char *const[]){path}, 1, NULL, &world.data, &error));
    FINE(cleave_predict(world.model, world.data, NULL, fork_once, &world, &error));
    free(text);
    test_folder_remove(folder);
    free_world(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_child_frees),
        cmocka_unit_test(the_child_uses),
        cmocka_unit_test(the_child_of_a_busy_pool),
        cmocka_unit_test(the_child_of_a_reader),
    };

#ifdef __SANITIZE_THREAD__
    puts("skipped: ThreadSanitizer cannot follow threads of a forked child");
    return TEST_SKIPPED;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
