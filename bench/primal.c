/* primal LAMBDA FILE.svm WEIGHTS...
 * Evaluates the models of all programs: reads LIBSVM text once and prints, for each file of weights in turn, a line
 *
 *     PRIMAL ERRORS ROWS      PRIMAL = sum over outputs of  lambda/2 |w|^2 + mean over rows of max(0, 1 - y (w.x + b))
 *
 * in double, b not penalized. A file of weights is lines `output LABEL` (those that follow are its weights), `INDEX WEIGHT` and
 * `bias LABEL VALUE`. One output: y = 1 where the row's label is LABEL; more: each label against the rest, and the highest score is the prediction. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUTS = 1000 };

struct model {
    /* weight[index * outputs + output], so that the weights of a feature are adjacent */
    size_t outputs, features;
    double label[OUTPUTS], bias[OUTPUTS], score[OUTPUTS];
    double *weight;
    double loss;
    unsigned long errors;
};

static void fail(const char *what)
{
    fprintf(stderr, "primal: %s\n", what);
    exit(1);
}

static FILE *open_text(const char *path)
{
    FILE *file = fopen(path, "r");

    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

/* First pass: the labels and the largest index; then memory is allocated for the second. */
static void measure(struct model *m, FILE *file)
{
    char line[256];

    while (fgets(line, sizeof line, file)) {
        unsigned long index;

        if (strncmp(line, "output ", 7) == 0) {
            if (m->outputs == OUTPUTS)
                fail("too many outputs");
            m->label[m->outputs++] = strtod(line + 7, NULL);
        } else if (strncmp(line, "bias ", 5) != 0) {
            index = strtoul(line, NULL, 10);
            if (index >= m->features)
                m->features = index + 1;
        }
    }
    m->weight = calloc(m->features * m->outputs + 1, sizeof *m->weight);
    if (!m->weight || m->outputs == 0)
        fail("no output, or no memory for the weights");
}

static void fill(struct model *m, FILE *file)
{
    char line[256], *rest;
    size_t output = 0, next = 0;

    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "output ", 7) == 0) {
            output = next++;
        } else if (strncmp(line, "bias ", 5) == 0) {
            double label = strtod(line + 5, &rest);

            for (size_t k = 0; k < m->outputs; k++)
                if (m->label[k] == label)
                    m->bias[k] = strtod(rest, NULL);
        } else {
            unsigned long index = strtoul(line, &rest, 10);

            m->weight[index * m->outputs + output] = strtod(rest, NULL);
        }
    }
}

static struct model *load(const char *path)
{
    struct model *m = calloc(1, sizeof *m);
    FILE *file = open_text(path);

    if (!m)
        fail("no memory");
    measure(m, file);
    rewind(file);
    fill(m, file);
    fclose(file);
    return m;
}

static void evaluate(struct model *m, double label)
{
    size_t top = 0;

    for (size_t k = 0; k < m->outputs; k++) {
        double y = label == m->label[k] ? 1 : -1;

        m->score[k] += m->bias[k];
        if (y * m->score[k] < 1)
            m->loss += 1 - y * m->score[k];
        if (m->score[k] > m->score[top])
            top = k;
    }
    if (m->outputs == 1)
        m->errors += (m->score[0] > 0) != (label == m->label[0]);
    else
        m->errors += m->label[top] != label;
}

static void read_row(char *text, struct model **models, int count)
{
    char *at = text;
    double label = strtod(text, &at);

    for (int i = 0; i < count; i++)
        memset(models[i]->score, 0, models[i]->outputs * sizeof(double));
    for (;;) {
        char *after;
        unsigned long index = strtoul(at, &after, 10);
        double value;

        if (after == at || *after != ':')
            break;
        value = strtod(after + 1, &at);
        for (int i = 0; i < count; i++) {
            struct model *m = models[i];

            if (index < m->features)
                for (size_t k = 0; k < m->outputs; k++)
                    m->score[k] += m->weight[index * m->outputs + k] * value;
        }
    }
    for (int i = 0; i < count; i++)
        evaluate(models[i], label);
}

static double squared_length(const struct model *m)
{
    double sum = 0;

    for (size_t i = 0; i < m->features * m->outputs; i++)
        sum += m->weight[i] * m->weight[i];
    return sum;
}

int main(int argc, char **argv)
{
    int count = argc - 3;
    struct model **models;
    unsigned long rows = 0;
    char *line = NULL;
    size_t workspace = 0;
    double lambda;
    FILE *data;

    if (count < 1)
        fail("usage: primal LAMBDA FILE.svm WEIGHTS...");
    lambda = strtod(argv[1], NULL);
    models = malloc((size_t)count * sizeof *models);
    if (!models)
        fail("no memory");
    for (int i = 0; i < count; i++)
        models[i] = load(argv[3 + i]);
    data = open_text(argv[2]);
    for (; getline(&line, &workspace, data) > 0; rows++)
        read_row(line, models, count);
    if (rows == 0)
        fail("no rows");
    for (int i = 0; i < count; i++)
        printf("%.9f %lu %lu\n", lambda / 2 * squared_length(models[i]) + models[i]->loss / (double)rows,
               models[i]->errors, rows);
    return 0;
}
