#include "learn/network/threshold_units.h"

#include "base/number.h"

enum { MOST_DEFINED = 4096 };

typedef struct {
    uint32_t from; /* number of a unit or feature */
    bool is_unit;
    float weight;
} Term;

typedef struct {
    const char *name;
    size_t length;
    Term *terms;
    uint32_t count, capacity;
    float threshold;
    uint32_t depth; /* layer, from 1 */
    uint32_t last;  /* last layer in which it is present */
    uint32_t line;
} Unit;

typedef struct {
    const Names *names;
    uint32_t features;
    Arena *memory;
    cleave_error *error;
    Unit *unit;
    uint32_t count, line;
} Parser;

static Status fail_at(const Parser *parser, const char *what, const char *text, size_t length)
{
    char quoted[QUOTE_SIZE];

    return clv_fail_hint(
        parser->error, CLEAVE_ERROR_USAGE, "a line defines a unit, e.g. and: x1=1 x2=1 > 1.5",
        "--layers, line %u: %s: '%s'", parser->line, what, clv_quote(quoted, text, length));
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static const char *word_end(const char *at, const char *end)
{
    while (at < end && *at != ' ' && *at != '\t' && *at != '\r')
        at++;
    return at;
}

static Status parse_number(const Parser *parser, const char *text, const char *end, float *number)
{
    const char *stop;
    double value;

    if (!clv_parse_double(text, end, &value, &stop) || stop != end || !isfinite((float)value))
        return fail_at(parser, "expected a number", text, (size_t)(end - text));
    *number = (float)value;
    return OK;
}

static Status find_input(const Parser *parser, const char *name, size_t length, Term *term)
{
    for (uint32_t i = 0; i < parser->count; i++)
        if (parser->unit[i].length == length && memcmp(parser->unit[i].name, name, length) == 0) {
            term->from = i;
            term->is_unit = true;
            return OK;
        }
    term->from = clv_names_find(parser->names, name, length);
    if (term->from < parser->features)
        return OK;
    return fail_at(parser, "expected a feature or a unit of an earlier line", name, length);
}

/* NAME=WEIGHT */
static Status parse_term(const Parser *parser, Unit *unit, const char *word, const char *end)
{
    const char *equals = end;
    Term *terms;

    while (equals > word && *equals != '=')
        equals--;
    if (equals == word)
        return fail_at(parser, "expected INPUT=WEIGHT", word, (size_t)(end - word));
    if (unit->count == unit->capacity) {
        unit->capacity = 2 * unit->capacity + 4;
        terms = clv_arena_zero(parser->memory, unit->capacity, sizeof *terms);
        TRY(parser->memory->status);
        if (unit->count)
            memcpy(terms, unit->terms, unit->count * sizeof *terms);
        unit->terms = terms;
    }
    TRY(find_input(parser, word, (size_t)(equals - word), &unit->terms[unit->count]));
    return parse_number(parser, equals + 1, end, &unit->terms[unit->count++].weight);
}

static Status parse_unit(Parser *parser, const char *at, const char *end)
{
    const char *line = at, *word = word_end(at, end);
    Unit *unit = &parser->unit[parser->count];

    *unit = (Unit){.name = at, .length = (size_t)(word - at) - 1, .line = parser->line};
    if (word - at < 2 || word[-1] != ':')
        return fail_at(parser, "expected a name and a colon", line, (size_t)(end - line));
    for (;;) {
        at = skip_blanks(word, end);
        word = word_end(at, end);
        if (at == end)
            return fail_at(parser, "expected > THRESHOLD", line, (size_t)(end - line));
        if (*at == '>')
            break;
        TRY(parse_term(parser, unit, at, word));
    }
    at = skip_blanks(at + 1, end);
    word = word_end(at, end);
    if (skip_blanks(word, end) != end)
        return fail_at(parser, "unexpected text after the threshold", word, (size_t)(end - word));
    TRY(parse_number(parser, at, word, &unit->threshold));
    parser->count++;
    return OK;
}

static Status parse_lines(Parser *parser, const char *text)
{
    for (const char *end; *text; text = *end ? end + 1 : end) {
        const char *at;

        end = text + strcspn(text, "\n");
        parser->line++;
        at = skip_blanks(text, end);
        if (at == end || *at == '#')
            continue;
        if (parser->count == MOST_DEFINED)
            return fail_at(parser, "more than 4,096 units", at, (size_t)(end - at));
        TRY(parse_unit(parser, at, end));
    }
    if (parser->count == 0)
        return clv_fail(parser->error, CLEAVE_ERROR_USAGE, "--layers defines no units");
    return OK;
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* The layer of each unit, and the last layer in which it is present. */
static Status assign_layers(Parser *parser)
{
    for (uint32_t i = 0; i < parser->count; i++) {
        Unit *unit = &parser->unit[i];
        bool features = false;

        parser->line = unit->line;
        for (uint32_t j = 0; j < unit->count; j++) {
            uint32_t below = unit->terms[j].is_unit ? parser->unit[unit->terms[j].from].depth : 0;

            features |= below == 0;
            unit->depth = below > unit->depth ? below : unit->depth;
        }
        if (features && unit->depth > 0)
            return fail_at(parser, "has features and units as inputs", unit->name, unit->length);
        unit->depth++;
        if (unit->depth > MOST_LAYERS)
            return fail_at(parser, "is deeper than 17 layers", unit->name, unit->length);
        for (uint32_t j = 0; j < unit->count; j++)
            if (unit->terms[j].is_unit) {
                Unit *from = &parser->unit[unit->terms[j].from];

                from->last = unit->depth - 1 > from->last ? unit->depth - 1 : from->last;
            }
    }
    for (uint32_t i = 0; i + 1 < parser->count; i++) {
        parser->line = parser->unit[i].line;
        if (parser->unit[i].last == 0)
            return fail_at(parser, "is not an input of a later unit", parser->unit[i].name,
                           parser->unit[i].length);
    }
    parser->unit[parser->count - 1].last = parser->unit[parser->count - 1].depth;
    return OK;
}

static bool is_present(const Unit *unit, uint32_t layer)
{
    return unit->depth <= layer && layer <= unit->last;
}

/* The number of a unit among those of a layer. */
static uint32_t place_of(const Parser *parser, uint32_t unit, uint32_t layer)
{
    uint32_t place = 0;

    for (uint32_t i = 0; i < unit; i++)
        place += is_present(&parser->unit[i], layer);
    return place;
}

static void set_weights(const Parser *parser, const NetworkShape *shape, float *weights)
{
    for (uint32_t i = 0; i < parser->count; i++) {
        const Unit *unit = &parser->unit[i];

        for (uint32_t layer = unit->depth; layer <= unit->last; layer++) {
            uint32_t place = place_of(parser, i, layer);
            size_t units = shape->width[layer];
            float *w = weights + clv_shape_start(shape, layer - 1) + place;

            weights[shape_bias(shape, layer - 1) + place] = layer == unit->depth ? -unit->threshold
                                                                                 : -0.5F;
            if (layer > unit->depth)
                w[place_of(parser, i, layer - 1) * units] = 1;
            for (uint32_t j = 0; j < unit->count && layer == unit->depth; j++) {
                const Term *term = &unit->terms[j];
                size_t from = term->is_unit ? place_of(parser, term->from, layer - 1) : term->from;

                w[from * units] += term->weight;
            }
        }
    }
}

Status clv_threshold_network(const char *text, const Names *names, uint32_t features, Arena *memory,
                             Network *network, cleave_error *error)
{
    Parser parser = {.names = names, .features = features, .memory = memory, .error = error};
    NetworkShape *shape = &network->shape;
    float *weights;

    parser.unit = clv_arena_zero(memory, MOST_DEFINED, sizeof *parser.unit);
    TRY(memory->status);
    TRY(parse_lines(&parser, text));
    TRY(assign_layers(&parser));
    *shape = (NetworkShape){.activation = ACTIVATION_STEP,
                            .layers = parser.unit[parser.count - 1].depth,
                            .width = {features}};
    for (uint32_t layer = 1; layer <= shape->layers; layer++)
        shape->width[layer] = place_of(&parser, parser.count, layer);
    weights = clv_arena_zero(memory, clv_shape_weights(shape), sizeof *weights);
    TRY(memory->status);
    set_weights(&parser, shape, weights);
    network->weights = weights;
    return OK;
}
