#define _GNU_SOURCE /* sched_getaffinity */
#include "base/machine.h"

#include <fcntl.h>
#include <sched.h>
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

/* Control groups, cgroups(7): version 1 has a tree for memory alone, version 2 one tree for all. */

/* A number that a file begins with; SIZE_MAX where it does not ("max"), or there is no such file. */
static size_t number_in(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char text[32];
    size_t number = 0;
    ssize_t got;

    if (file < 0)
        return SIZE_MAX;
    got = read(file, text, sizeof text);
    close(file);
    if (got <= 0 || text[0] < '0' || text[0] > '9')
        return SIZE_MAX;
    for (ssize_t i = 0; i < got && text[i] >= '0' && text[i] <= '9'; i++) {
        if (number > (SIZE_MAX - 9) / 10)
            return SIZE_MAX;
        number = 10 * number + (size_t)(text[i] - '0');
    }
    return number;
}

/* The least limit of a group and of all above it. group is cut on the way; a container may not see those above, nor its own. */
static size_t least_limit(const char *tree, char *group, const char *name)
{
    size_t least = SIZE_MAX, length = strlen(group);
    char path[1280];

    for (;;) {
        size_t limit;

        snprintf(path, sizeof path, "%s%.*s/%s", tree, (int)length, group, name);
        limit = number_in(path);
        least = limit < least ? limit : least;
        if (length == 0)
            return least;
        do
            length--;
        while (length > 0 && group[length] != '/');
    }
}

/* Lines are NUMBER:CONTROLLERS:GROUP, the number and the list being 0 and empty in version 2. */
static size_t limit_of_line(char *line)
{
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!group || strlen(group) > 1000)
        return SIZE_MAX;
    *group++ = '\0';
    if (strcmp(controllers, ":memory") == 0)
        return least_limit("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    if (strcmp(controllers, ":") == 0)
        return least_limit("/sys/fs/cgroup", group, "memory.max");
    return SIZE_MAX;
}

static size_t group_limit(void)
{
    int file = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
    size_t least = SIZE_MAX;
    char text[8192], *line, *rest = NULL;
    ssize_t got;

    if (file < 0)
        return SIZE_MAX;
    got = read(file, text, sizeof text - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        size_t limit = limit_of_line(line);

        least = limit < least ? limit : least;
    }
    return least;
}

size_t clv_memory_limit(void)
{
    size_t machine = clv_physical_memory(), group = group_limit();

    return group < machine ? group : machine;
}

/* proc(5): pages in all, in memory, of files. */
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

unsigned clv_core_count(void)
{
    cpu_set_t set;
    long online;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
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
    uintptr_t from = ((uintptr_t)memory + page - 1) & ~(page - 1), to = ((uintptr_t)memory + size) & ~(page - 1);

    if (from < to)
        madvise((void *)from, to - from, MADV_POPULATE_WRITE); /* where it is refused, pages come one by one */
#else
    (void)memory;
    (void)size;
#endif
}

void clv_large_pages(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 2 << 20;
    uintptr_t from = ((uintptr_t)memory + page - 1) & ~(page - 1), to = ((uintptr_t)memory + size) & ~(page - 1);

    if (from < to)
        madvise((void *)from, to - from, MADV_HUGEPAGE); /* where it is refused, pages are small */
#else
    (void)memory;
    (void)size;
#endif
}
