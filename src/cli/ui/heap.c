/*
 * Sets up the heap. A command runs for seconds and touches each page of its memory once, so that
 * page faults take most of the time. The heap therefore grows in large steps, is not trimmed before
 * the end, and its first part requests huge pages. If any of this is unavailable, the command is
 * only slower.
 */
#include "cli/ui/call.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

void cli_prepare_heap(void)
{
#if defined __GLIBC__ && defined MADV_HUGEPAGE
    enum { STEP = 128 << 20, LARGEST_IN_HEAP = 32 << 20, HUGE = 2 << 20 };
    char *start;

    mallopt(M_TOP_PAD, STEP);
    mallopt(M_TRIM_THRESHOLD, 4 * STEP);
    mallopt(M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
    start = malloc(HUGE); /* above the current size, so that the heap grows by a large step */
    if (start) {
        uintptr_t from = ((uintptr_t)start + HUGE - 1) / HUGE * HUGE,
                  to = (uintptr_t)sbrk(0) / HUGE * HUGE;

        if (to > from)
            madvise((void *)from, to - from, MADV_HUGEPAGE);
    }
    free(start);
#endif
}
