#define _GNU_SOURCE /* sched_getaffinity */
#include "base/thread.h"

#include <sched.h>
#include <unistd.h>

unsigned clv_core_count(void)
{
    cpu_set_t set;
    long online;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}
