/* GET /openapi.json returns an OpenAPI 3.0 document made from the table of routes. */
#include "serve/server_parts.h"

static void put_parameters(Exchange *exchange, const char *path)
{
    const char *open = strchr(path, '{');

    if (!open)
        return;
    clv_put_text(exchange, ",\"parameters\":[");
    for (bool first = true; open; open = strchr(open + 1, '{'), first = false) {
        const char *close = strchr(open, '}');

        clv_put_text(exchange, first ? "{\"name\":\"" : ",{\"name\":\"");
        clv_put(exchange, open + 1, (size_t)(close - open - 1));
        clv_put_text(exchange, "\",\"in\":\"path\",\"required\":true,"
                               "\"schema\":{\"type\":\"string\"}}");
    }
    clv_put_text(exchange, "]");
}

/* `types` are separated by blanks. */
static void put_content(Exchange *exchange, const char *types)
{
    clv_put_text(exchange, "\"content\":{");
    for (bool first = true; *types; first = false) {
        size_t length = strcspn(types, " ");

        clv_put_text(exchange, first ? "\"" : ",\"");
        clv_put(exchange, types, length);
        clv_put_text(exchange, length == 16 && memcmp(types, "application/json", 16) == 0
                                   ? "\":{\"schema\":{}}"
                                   : "\":{\"schema\":{\"type\":\"string\"}}");
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
    put_parameters(exchange, route->path);
    if (route->request) {
        clv_put_text(exchange, ",\"requestBody\":{\"required\":true,");
        put_content(exchange, route->request);
        clv_put_text(exchange, "}");
    }
    if (route->access == ACCESS_ADMIN ||
        (route->access == ACCESS_TOKEN && exchange->worker->server->config.token))
        clv_put_text(exchange, ",\"security\":[{\"token\":[]}]");
    clv_put_text(exchange, ",\"responses\":{\"2XX\":{\"description\":\"Success.\",");
    put_content(exchange, route->response);
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
    clv_put_text(exchange,
                 "},\"components\":{\"schemas\":{\"Error\":{\"type\":\"object\",\"required\":"
                 "[\"error\"],\"properties\":{\"error\":{\"type\":\"string\"},\"hint\":{\"type\":"
                 "\"string\"}}}},\"securitySchemes\":{\"token\":{\"type\":\"http\",\"scheme\":"
                 "\"bearer\"}}}}\n");
    clv_answer_end(exchange);
}
