/* cleave recommend: the best items for users, or the items most similar to an item. */
#include "cli/report/train_summary.h"
#include "cli/ui/human_numbers.h"
#include "cli/ui/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *user, *users, *item, *item_vectors;
    int64_t top;
    bool include_rated;
} Own;

typedef struct {
    Call *call;
    const Own *own;
    const cleave_model *model;
    Out out;
    TextTable table;
    bool several; /* users from a file: each row names the user */
} Recommending;

/* ---- output */

static void json_list(Recommending *self, const char *key, const char *name,
                      const cleave_recommendation *items, size_t count)
{
    Json json = {.out = &self->out};

    cli_json_open(&json, '{');
    cli_json_put_string(&json, key, name);
    cli_json_open_key(&json, "items", '[');
    for (size_t i = 0; i < count; i++) {
        cli_json_open(&json, '{');
        cli_json_put_string(&json, "item", items[i].name);
        cli_json_put_number(&json, "score", items[i].score);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_end(&json, '}');
}

static void table_head(Recommending *self)
{
    cli_table_init(&self->table, &self->out, self->several ? 4 : 3);
    self->table.left[self->several ? 2 : 1] = true;
    if (self->several) {
        self->table.left[0] = true;
        cli_table_cell(&self->table, "user");
    }
    cli_table_cell(&self->table, "rank");
    cli_table_cell(&self->table, "item");
    cli_table_cell(&self->table, "score");
}

static void table_list(Recommending *self, const char *user, const cleave_recommendation *items,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char rank[HUMAN_SIZE], score[HUMAN_SIZE];

        snprintf(rank, sizeof rank, "%zu", i + 1);
        snprintf(score, sizeof score, "%.4f", items[i].score);
        if (self->several)
            cli_table_cell(&self->table, user);
        cli_table_cell(&self->table, rank);
        cli_table_cell(&self->table, items[i].name);
        cli_table_cell(&self->table, score);
    }
}

/* ---- lists */

static int recommend(Recommending *self, const char *name, bool similar)
{
    Call *call = self->call;
    size_t top = (size_t)self->own->top;
    cleave_recommendation *items;
    size_t count;

    CLI_TRY(cli_ok(
        call, similar ? cleave_similar_items(self->model, name, top, &items, &count, &call->error)
                      : cleave_recommend(self->model, name, top, self->own->include_rated, &items,
                                         &count, &call->error)));
    if (call->settings.json)
        json_list(self, similar ? "item" : "user", name, items, count);
    else
        table_list(self, name, items, count);
    cleave_recommendations_free(self->model, items);
    return DONE;
}

/* One user on each line; empty lines are skipped. */
static int recommend_each(Recommending *self, FILE *file)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    int status = DONE;

    while (status == DONE && (length = getline(&line, &capacity, file)) >= 0) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = '\0';
        if (length > 0)
            status = recommend(self, line, false);
        if (cli_interrupted())
            status = cli_interrupted_status();
    }
    free(line);
    return status;
}

static int recommend_users(Recommending *self, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    int status;

    if (!file)
        return cli_failed("", "%s: cannot be opened", path);
    status = recommend_each(self, file);
    if (status == DONE && ferror(file))
        status = cli_failed("", "%s: cannot be read", path);
    if (file != stdin)
        fclose(file);
    return status;
}

static int make_lists(Recommending *self)
{
    Call *call = self->call;
    int status;

    self->several = self->own->users != NULL;
    cli_out_file(&self->out, stdout);
    if (!call->settings.json)
        table_head(self);
    status = self->several     ? recommend_users(self, self->own->users)
             : self->own->user ? recommend(self, self->own->user, false)
                               : recommend(self, self->own->item, true);
    if (!call->settings.json && status == DONE)
        cli_table_end(&self->table);
    else if (!call->settings.json)
        cli_table_free(&self->table);
    if (status != DONE)
        return status;
    return cli_out_close(&self->out, &call->error) == CLEAVE_OK ? DONE : cli_fail(call);
}

/* ---- item vectors */

static void print_text(Out *out, const Call *call, const void *facts)
{
    const Own *own = call->own;

    if (strcmp(own->item_vectors, "-") != 0)
        cli_print(out, "Vectors of %s written to %s.\n",
                  COUNT(*(const uint64_t *)facts, "item", "items"), own->item_vectors);
}

static void print_json(Out *out, const Call *call, const void *facts)
{
    const Own *own = call->own;
    Json json = {.out = out};

    cli_json_open(&json, '{');
    cli_json_put_count(&json, "vectors", *(const uint64_t *)facts);
    cli_json_put_string(&json, "output", own->item_vectors);
    cli_json_end(&json, '}');
}

static int write_vectors(Call *call, const cleave_model *model)
{
    const char *path = ((const Own *)call->own)->item_vectors;
    uint64_t items;

    CLI_TRY(cli_check_written(call, "item-vectors", path));
    CLI_TRY(cli_ok(call, cleave_write_item_vectors(model, path, &items, &call->error)));
    if (strcmp(path, "-") == 0)
        return DONE;
    return cli_tell_done(call, print_text, print_json, &items);
}

/* ---- the verb */

static int run(Call *call)
{
    const Own *own = call->own;
    Recommending self = {.call = call, .own = own};
    cleave_model *model;

    if ((own->user != NULL) + (own->users != NULL) + (own->item != NULL) +
            (own->item_vectors != NULL) !=
        1)
        return cli_misuse("recommend needs one of --user, --users, --item and --item-vectors\n"
                          "hint: cleave recommend MODEL --user NAME");
    CLI_TRY(cli_use_model(call, call->arguments[0], &model));
    self.model = model;
    return own->item_vectors ? write_vectors(call, model) : make_lists(&self);
}

static const cleave_param flags[] = {
    CLI_OWN_TEXT(Own, user, "List the best items for this user."),
    CLI_OWN_TEXT(Own, users,
                 "List items for each user in this file, one per line; - is standard input."),
    CLI_OWN_TEXT(Own, item, "List the items most similar to this item."),
    CLI_OWN_INTEGER(Own, top, 10, 1, 1e9, "Maximum number of items per list."),
    CLI_OWN_FLAG(Own, include_rated, "Include the items that the user rated in the training data."),
    CLI_OWN_TEXT(Own, item_vectors,
                 "Write the bias and the factors of each item to this CSV file."),
    {.name = NULL},
};

static const char *const examples[] = {
    "cleave generate ratings -o ratings.tsv",
    "cleave train uv ratings.tsv --rank 4 -o ratings.model",
    "cleave recommend ratings.model --user u7 --top 3",
    "cleave recommend ratings.model --item i1 --top 3",
    NULL,
};

const Verb cli_verb_recommend = {
    .name = "recommend",
    .arguments = "MODEL",
    .brief = "Recommend items to users.",
    .about = "Prints the items with the highest predictions for a user, without the items that "
             "the user rated in the training data. MODEL is a model of 'train uv'. --item prints "
             "the items whose factors have the highest cosine with those of an item.",
    .examples = examples,
    .flags = flags,
    .own_size = sizeof(Own),
    .least = 1,
    .most = 1,
    .run = run,
};
