#define _GNU_SOURCE /* sched_getaffinity */
#include "base/machine.h"

#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

size_t clv_physical_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX;
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
