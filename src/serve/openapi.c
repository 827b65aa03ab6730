/* GET /openapi.json returns an OpenAPI 3.0 document made from the table of routes. */
#include "serve/server_parts.h"

/* Schemas of responses. They are those of docs/formats, in the form of OpenAPI 3.0. */
/* clang-format off */
#define BOOLEAN "{\"type\":\"boolean\"}"
#define COUNT "{\"type\":\"integer\",\"minimum\":0}"
#define NUMBER "{\"type\":\"number\",\"nullable\":true}"
#define STRING "{\"type\":\"string\"}"
#define STRING_OR_NULL "{\"type\":\"string\",\"nullable\":true}"
#define LIST(items) "{\"type\":\"array\",\"items\":" items "}"
#define MAP(values) "{\"type\":\"object\",\"additionalProperties\":" values "}"
#define REF(name) "{\"$ref\":\"#/components/schemas/" name "\"}"
#define MEMBER(name, schema) "\"" name "\":" schema
#define FACTS(required, members)                                                                   \
    "\"type\":\"object\",\"required\":[" required "],\"properties\":{" members "}"
#define OBJECT(required, members) "{" FACTS(required, members) "}"
static const char schemas[] =
    MEMBER("Request", "{\"type\":\"object\"}") ","
    MEMBER("Error", OBJECT("\"error\"",
        MEMBER("error", STRING) ","
        MEMBER("hint", STRING))) ","
    MEMBER("Prediction", OBJECT("\"row\"",
        MEMBER("row", COUNT) ","
        MEMBER("label", STRING_OR_NULL) ","
        MEMBER("abstained", BOOLEAN) ","
        MEMBER("number", NUMBER) ","
        MEMBER("score", NUMBER) ","
        MEMBER("scores", MAP(NUMBER)) ","
        MEMBER("probabilities", MAP(NUMBER)))) ","
    MEMBER("Side", "{\"nullable\":true," FACTS("\"label\"",
        MEMBER("label", STRING) ","
        MEMBER("score", NUMBER) ","
        MEMBER("probability", NUMBER)) "}") ","
    MEMBER("Contribution", OBJECT("\"feature\",\"value\",\"contribution\"",
        MEMBER("feature", STRING) ","
        MEMBER("value", "{\"nullable\":true}") ","
        MEMBER("contribution", NUMBER) ","
        MEMBER("runner_up_contribution", NUMBER))) ","
    MEMBER("Explanation", OBJECT("\"prediction\",\"runner_up\",\"true_label\",\"unknown\"",
        MEMBER("prediction", REF("Side")) ","
        MEMBER("abstained", BOOLEAN) ","
        MEMBER("runner_up", REF("Side")) ","
        MEMBER("true_label", STRING_OR_NULL) ","
        MEMBER("intercept", NUMBER) ","
        MEMBER("runner_up_intercept", NUMBER) ","
        MEMBER("contributions", LIST(REF("Contribution"))) ","
        MEMBER("neighbors", LIST(MAP("{\"nullable\":true}"))) ","
        MEMBER("support_vectors", LIST(MAP("{\"nullable\":true}"))) ","
        MEMBER("leaf", COUNT) ","
        MEMBER("unknown", LIST(STRING)))) ","
    MEMBER("Neighbor", OBJECT("\"row\",\"distance\"",
        MEMBER("row", COUNT) ","
        MEMBER("distance", NUMBER) ","
        MEMBER("label", STRING_OR_NULL) ","
        MEMBER("id", STRING_OR_NULL) ","
        MEMBER("metadata", MAP(STRING_OR_NULL)))) ","
    MEMBER("Neighbors", OBJECT("\"query\",\"neighbors\"",
        MEMBER("query", COUNT) ","
        MEMBER("name", STRING) ","
        MEMBER("neighbors", LIST(REF("Neighbor"))))) ","
    MEMBER("Learned", OBJECT("\"learned\",\"version\"",
        MEMBER("learned", COUNT) ","
        MEMBER("version", COUNT)));
/* clang-format on */

static void put_model_schema(Exchange *exchange)
{
    const Server *server = exchange->worker->server;

    clv_put_text(exchange, "{\"type\":\"string\",\"enum\":[");
    for (size_t i = 0; i < server->served_count; i++) {
        clv_put_text(exchange, i ? "," : "");
        clv_put_string(exchange, server->served[i].name);
    }
    clv_put_text(exchange, "]}");
}

/* An option of `cleave search`. The names of the table have '_' for '-'. */
static const cleave_param *find_option(const char *name)
{
    for (const cleave_param *param = cleave_search_params(); param->name; param++) {
        size_t i = 0;

        while (name[i] && (param->name[i] == name[i] || (param->name[i] == '_' && name[i] == '-')))
            i++;
        if (!name[i] && !param->name[i])
            return param;
    }
    return NULL;
}

static void put_query(Exchange *exchange, const char *name)
{
    const cleave_param *option = find_option(name);

    clv_put_text(exchange, "{\"in\":\"query\",\"name\":");
    clv_put_string(exchange, name);
    if (option) {
        clv_put_text(exchange, ",\"description\":");
        clv_put_string(exchange, option->help);
    }
    clv_put_text(exchange, ",\"schema\":");
    if (strcmp(name, "model") == 0)
        put_model_schema(exchange);
    else if (strcmp(name, "only-rows") == 0) /* the command also reads a file */
        clv_put_text(exchange, "{\"type\":\"string\",\"pattern\":\"^[0-9, -]+$\"}");
    else
        clv_put_text(exchange, !option                          ? BOOLEAN
                               : option->type == CLEAVE_INTEGER ? COUNT
                               : option->type == CLEAVE_REAL    ? "{\"type\":\"number\"}"
                                                                : STRING);
    clv_put_text(exchange, "}");
}

static void put_parameters(Exchange *exchange, const Route *route)
{
    bool any = false;

    clv_put_text(exchange, ",\"parameters\":[");
    for (const char *open = strchr(route->path, '{'); open; open = strchr(open + 1, '{')) {
        const char *close = strchr(open, '}');

        clv_put_text(exchange, any ? ",{\"name\":\"" : "{\"name\":\"");
        clv_put(exchange, open + 1, (size_t)(close - open - 1));
        clv_put_text(exchange, "\",\"in\":\"path\",\"required\":true,\"schema\":");
        if (strncmp(open, "{model}", 7) == 0)
            put_model_schema(exchange);
        else
            clv_put_text(exchange, "{\"type\":\"string\",\"pattern\":\"^[0-9]+$\"}");
        clv_put_text(exchange, "}");
        any = true;
    }
    for (const char *const *name = route->query; name && *name; name++) {
        clv_put_text(exchange, any ? "," : "");
        put_query(exchange, *name);
        any = true;
    }
    clv_put_text(exchange, "]");
}

/* `streamed`: the response is also available as lines, so that JSON is an array of them. */
static void put_json_schema(Exchange *exchange, const char *schema, bool streamed)
{
    if (!schema) {
        clv_put_text(exchange, "{}");
        return;
    }
    if (streamed)
        clv_put_text(exchange, "{\"type\":\"array\",\"items\":");
    clv_put_text(exchange, "{\"$ref\":\"#/components/schemas/");
    clv_put_text(exchange, schema);
    clv_put_text(exchange, streamed ? "\"}}" : "\"}");
}

/* `types` are separated by blanks. */
static void put_content(Exchange *exchange, const char *types, const char *schema,
                        const char *text_schema)
{
    bool streamed = strstr(types, "ndjson") != NULL;

    clv_put_text(exchange, "\"content\":{");
    for (bool first = true; *types; first = false) {
        size_t length = strcspn(types, " ");

        clv_put_text(exchange, first ? "\"" : ",\"");
        clv_put(exchange, types, length);
        clv_put_text(exchange, "\":{\"schema\":");
        if (length == 16 && memcmp(types, "application/json", 16) == 0)
            put_json_schema(exchange, schema, streamed);
        else
            clv_put_text(exchange, text_schema);
        clv_put_text(exchange, "}");
        types += length + strspn(types + length, " ");
    }
    clv_put_text(exchange, "}");
}

static void put_status(Exchange *exchange, const char *status, const char *about)
{
    clv_put_text(exchange, ",\"");
    clv_put_text(exchange, status);
    clv_put_text(exchange, "\":{\"description\":\"");
    clv_put_text(exchange, about);
    clv_put_text(exchange, "\",\"content\":{\"application/json\":{\"schema\":"
                           "{\"$ref\":\"#/components/schemas/Error\"}}}}");
}

static void put_operation(Exchange *exchange, const Route *route)
{
    clv_put_text(exchange, strcmp(route->method, "GET") == 0 ? "\"get\":" : "\"post\":");
    clv_put_text(exchange, "{\"summary\":");
    clv_put_string(exchange, route->brief);
    put_parameters(exchange, route);
    if (route->request) {
        clv_put_text(exchange, ",\"requestBody\":{\"required\":true,");
        put_content(exchange, route->request, "Request", "{\"type\":\"string\",\"minLength\":1}");
        clv_put_text(exchange, "}");
    }
    if (route->access == ACCESS_ADMIN || route->access == ACCESS_LEARN ||
        (route->access == ACCESS_TOKEN && exchange->worker->server->config.token))
        clv_put_text(exchange, ",\"security\":[{\"token\":[]}]");
    clv_put_text(exchange, ",\"responses\":{\"2XX\":{\"description\":\"Success.\",");
    put_content(exchange, route->response, route->schema, STRING);
    clv_put_text(exchange, "}");
    put_status(exchange, "4XX", "The request is invalid.");
    put_status(exchange, "5XX", "The server cannot process the request.");
    clv_put_text(exchange, "}}");
}

void clv_openapi(Exchange *exchange)
{
    clv_answer(exchange, 200, "application/json");
    clv_put_text(exchange,
                 "{\"openapi\":\"3.0.3\",\"info\":{\"title\":\"cleave serve\",\"version\":");
    clv_put_string(exchange, cleave_version());
    clv_put_text(exchange, "},\"paths\":{");
    for (size_t i = 0; i < clv_route_count; i++) {
        clv_put_text(exchange, i ? "," : "");
        clv_put_string(exchange, clv_routes[i].path);
        clv_put_text(exchange, ":{");
        put_operation(exchange, &clv_routes[i]);
        clv_put_text(exchange, "}");
    }
    clv_put_text(exchange, "},\"components\":{\"schemas\":{");
    clv_put_text(exchange, schemas);
    clv_put_text(exchange,
                 "},\"securitySchemes\":{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}}}}\n");
    clv_answer_end(exchange);
}
