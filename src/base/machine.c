#define _GNU_SOURCE /* sched_getaffinity */
#include "base/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

size_t clv_physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX;
}

/* ---- control groups, cgroups(7)
 *
 * Version 1 has a tree of groups for each controller, version 2 one tree for all. A group is
 * limited by itself and by every group above it. */

enum { PATH_SIZE = 1536, LONGEST_GROUP = 1000 };

/* Reads the start of a small file as text; false if it is missing or empty. */
static bool read_text(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got;

    if (file < 0)
        return false;
    do {
        got = read(file, text + length, size - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    } while (got > 0 || (got < 0 && errno == EINTR)); /* part of a number would be a wrong limit */
    close(file);
    text[got < 0 ? 0 : length] = '\0';
    return text[0] != '\0';
}

/* Parses the number at the start of text. Returns SIZE_MAX if there is none ("max", "-1"), or if it
 * is too large. */
static size_t parse_number(const char **text)
{
    size_t number = 0;

    if (**text < '0' || **text > '9')
        return SIZE_MAX;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        if (number > (SIZE_MAX - 9) / 10)
            return SIZE_MAX;
        number = 10 * number + (size_t)(**text - '0');
    }
    return number;
}

static size_t number_in(const char *folder, const char *name)
{
    char path[PATH_SIZE], text[64];
    const char *at = text;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_text(path, text, sizeof text) ? parse_number(&at) : SIZE_MAX;
}

/* Number of processors for a quota per period, rounded up. */
static size_t processors(size_t quota, size_t period)
{
    if (quota == SIZE_MAX || period == SIZE_MAX || period == 0)
        return SIZE_MAX;
    return quota <= period ? 1 : (quota - 1) / period + 1;
}

/* The group's own limit, from its folder; SIZE_MAX: none. */
typedef size_t GroupLimit(const char *folder);

static size_t memory_of_1(const char *folder)
{
    return number_in(folder, "memory.limit_in_bytes");
}

static size_t memory_of_2(const char *folder)
{
    return number_in(folder, "memory.max");
}

static size_t processors_of_1(const char *folder)
{
    return processors(number_in(folder, "cpu.cfs_quota_us"),
                      number_in(folder, "cpu.cfs_period_us"));
}

/* Reads "QUOTA PERIOD", in microseconds; QUOTA may be "max". */
static size_t processors_of_2(const char *folder)
{
    char path[PATH_SIZE], text[64];
    const char *at = text;
    size_t quota;

    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (!read_text(path, text, sizeof text))
        return SIZE_MAX;
    quota = parse_number(&at);
    at += *at == ' ';
    return processors(quota, parse_number(&at));
}

/* The smallest limit of a group and of all its visible ancestors. In a container, the ancestors and
 * the name of the own group can be invisible. */
static size_t least_limit(const char *tree, const char *group, GroupLimit *limit_of)
{
    size_t least = SIZE_MAX, length = strlen(group);
    char folder[PATH_SIZE - 64];

    for (;;) {
        size_t limit;

        snprintf(folder, sizeof folder, "%s%.*s", tree, (int)length, group);
        limit = limit_of(folder);
        least = limit < least ? limit : least;
        if (length == 0)
            return least;
        do
            length--;
        while (length > 0 && group[length] != '/');
    }
}

/* Returns whether a list such as "cpu,cpuacct" contains this name. */
static bool lists(const char *controllers, const char *name)
{
    size_t length = strlen(name);
    const char *at = controllers, *comma;

    for (;; at = comma + 1) {
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
        comma = strchr(at, ',');
        if (!comma)
            return false;
    }
}

/* A resource: its controller, and the readers of its limit in both versions. */
typedef struct {
    const char *controller;
    GroupLimit *of_1, *of_2;
} Resource;

/* Reads the limit of a line of /proc/self/cgroup: NUMBER:CONTROLLERS:GROUP. The list of controllers
 * is empty in version 2. */
static size_t limit_of_line(const char *root, char *line, const Resource *resource)
{
    char *controllers = strchr(line, ':'),
         *group = controllers ? strchr(controllers + 1, ':') : NULL;
    char tree[256];

    if (!group || strlen(group) > LONGEST_GROUP)
        return SIZE_MAX;
    *group++ = '\0';
    controllers++;
    if (*controllers && !lists(controllers, resource->controller))
        return SIZE_MAX;
    snprintf(tree, sizeof tree, "%s/sys/fs/cgroup%s%s", root, *controllers ? "/" : "",
             *controllers ? resource->controller : "");
    return least_limit(tree, group, *controllers ? resource->of_1 : resource->of_2);
}

/* root: prefix of all paths; "" except in tests. */
static size_t group_limit(const char *root, const Resource *resource)
{
    size_t least = SIZE_MAX;
    char path[512], text[8192], *line, *rest = NULL;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!read_text(path, text, sizeof text))
        return SIZE_MAX;
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        size_t limit = limit_of_line(root, line, resource);

        least = limit < least ? limit : least;
    }
    return least;
}

size_t clv_memory_limit(void)
{
    static const Resource memory = {"memory", memory_of_1, memory_of_2};
    size_t machine = clv_physical_memory(), group = group_limit("", &memory);

    return group < machine ? group : machine;
}

Status clv_affordable(double bytes, cleave_error *error, const char *format, ...)
{
    double limit = (double)clv_memory_limit();
    char what[160];
    va_list arguments;

    if (bytes <= limit)
        return OK;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return clv_fail(error, CLEAVE_ERROR_MEMORY,
                    "%s need %.1f GB, more than this machine has (%.1f GB)", what, 1e-9 * bytes,
                    1e-9 * limit);
}

size_t clv_processor_limit(const char *root)
{
    static const Resource processor = {"cpu", processors_of_1, processors_of_2};

    return group_limit(root, &processor);
}

/* /proc/self/statm, proc(5): number of pages in all, in memory, and of files. */
size_t clv_memory_used(void)
{
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    long page = sysconf(_SC_PAGESIZE);
    size_t number[3] = {0}, at = 0;
    char text[128];
    ssize_t got;

    if (file < 0)
        return 0;
    got = read(file, text, sizeof text);
    close(file);
    for (ssize_t i = 0; i < got && at < 3; i++) {
        if (text[i] >= '0' && text[i] <= '9')
            number[at] = 10 * number[at] + (size_t)(text[i] - '0');
        else
            at++;
    }
    return number[1] > number[2] && page > 0 ? (number[1] - number[2]) * (size_t)page : 0;
}

static unsigned cores_by_affinity(void)
{
    long online;
#ifdef __linux__ /* not in WebAssembly */
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
#endif
    online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

unsigned clv_core_count(void)
{
    unsigned cores = cores_by_affinity();
    size_t limit = clv_processor_limit("");

    return limit < cores ? (unsigned)limit : cores;
}

void clv_will_need(const void *memory, size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)memory & ~(page - 1);

    madvise((void *)from, (uintptr_t)memory + size - from, MADV_WILLNEED);
}

void clv_populate(void *memory, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)memory + page - 1) & ~(page - 1),
              to = ((uintptr_t)memory + size) & ~(page - 1);

    if (from < to)
        madvise((void *)from, to - from,
                MADV_POPULATE_WRITE); /* if this fails, pages are mapped one by one */
#else
    (void)memory;
    (void)size;
#endif
}

void clv_large_pages(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 2 << 20;
    uintptr_t from = ((uintptr_t)memory + page - 1) & ~(page - 1),
              to = ((uintptr_t)memory + size) & ~(page - 1);

    if (from < to)
        /* if the kernel refuses, pages are small */
        madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)size;
#endif
}
