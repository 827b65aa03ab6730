/* Public tables: methods, transforms, formats, built-in datasets, generators; and the version. */
#include "model/registry.h"
#include "pipeline/transform.h"
#include "read/reader.h"
#include "synth/synth.h"
#include "train/team.h"
#include "train/train_options.h"

#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#define WITH_ZSTD "zstd " ZSTD_VERSION_STRING
#else
#define WITH_ZSTD "no zstd"
#endif
#ifdef HAVE_LAPACK
#define WITH_LAPACK HAVE_LAPACK
#else
#define WITH_LAPACK "no LAPACK"
#endif

#ifdef HAVE_STEMMER
#define WITH_STEMMER "libstemmer"
#else
#define WITH_STEMMER "no libstemmer"
#endif

#ifdef HAVE_CAIRO
#define WITH_CAIRO "cairo"
#else
#define WITH_CAIRO "no cairo"
#endif

#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(number) #number

const char *cleave_version(void)
{
    return TEXT_OF(CLEAVE_VERSION_MAJOR) "." TEXT_OF(CLEAVE_VERSION_MINOR) "." TEXT_OF(
        CLEAVE_VERSION_PATCH);
}

unsigned cleave_version_number(void)
{
    return CLEAVE_VERSION_NUMBER;
}

const char *cleave_features(void)
{
    return "zlib " ZLIB_VERSION ", " WITH_ZSTD ", " WITH_LAPACK ", " WITH_STEMMER ", " WITH_CAIRO;
}

const char *cleave_number_text(double number, char buffer[32])
{
    clv_format_double(buffer, number);
    return buffer;
}

static cleave_method_info info_of(const Method *method)
{
    cleave_method_info info = {
        .name = method->name,
        .brief = method->title,
        .objective = method->objective,
        .reference = method->reference,
        .tasks = method->tasks,
        .traits = method->traits | (method_updates(method, NULL) ? CLEAVE_TRAIT_UPDATABLE : 0),
        .params = method->params,
        .streams = METHOD_HAS(method, online, score) && method->training->step,
        .merges = clv_team_suits(method),
        .traces = METHOD_HAS(method, inspection, weights),
        .limits = clv_epoch_limits(method),
    };

    for (size_t i = 0; info.limits[i]; i++)
        clv_epoch_limit_default(method, info.limits[i], info.limit_defaults[i]);
    return info;
}

size_t cleave_method_count(void)
{
    size_t count = 0;

    while (clv_methods[count])
        count++;
    return count;
}

cleave_method_info cleave_method(size_t number)
{
    return info_of(clv_methods[number]);
}

cleave_code cleave_method_find(const char *name, cleave_method_info *info, cleave_error *error)
{
    REQUIRE(name && info);
    const Method *method;

    TRY(clv_method_find(name, &method, error));
    *info = info_of(method);
    return OK;
}

static cleave_transform_info transform_info_of(const Transform *transform)
{
    return (cleave_transform_info){
        .name = transform->name,
        .brief = transform->brief,
        .about = transform->about,
        .params = transform->params,
    };
}

size_t cleave_transform_count(void)
{
    size_t count = 0;

    while (clv_transforms[count])
        count++;
    return count;
}

cleave_transform_info cleave_transform(size_t number)
{
    return transform_info_of(clv_transforms[number]);
}

cleave_code cleave_transform_find(const char *name, cleave_transform_info *info,
                                  cleave_error *error)
{
    REQUIRE(name && info);
    const Transform *transform;

    TRY(clv_transform_find(name, strlen(name), &transform, error));
    *info = transform_info_of(transform);
    return OK;
}

const char *cleave_format(size_t number, const char **brief)
{
    size_t count = 0;

    while (clv_formats[count])
        count++;
    if (number > count)
        return NULL;
    if (brief)
        *brief = number < count ? clv_formats[number]->brief
                                : "binary dataset of cleave: memory-mapped, checksummed, compact";
    return number < count ? clv_formats[number]->name : "cleave";
}

const char *cleave_builtin(size_t number, const char **brief)
{
    for (size_t i = 0; i < number; i++)
        if (!clv_builtins[i].name)
            return NULL;
    if (brief)
        *brief = clv_builtins[number].brief;
    return clv_builtins[number].name;
}

const char *cleave_generator(size_t number, const char **brief)
{
    for (size_t i = 0; i <= number; i++)
        if (!clv_generators[i])
            return NULL;
    if (brief)
        *brief = clv_generators[number]->brief;
    return clv_generators[number]->name;
}
