/*
 * A command lives for seconds and touches each page of its memory once: what costs is the kernel
 * handing out pages. So the heap grows by large steps, is not given back before the end, and its
 * first part asks for huge pages. Where none of this can be had nothing is lost.
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
    start = malloc(HUGE); /* more than there is, so that a step is taken */
    if (start) {
        uintptr_t from = ((uintptr_t)start + HUGE - 1) / HUGE * HUGE,
                  to = (uintptr_t)sbrk(0) / HUGE * HUGE;

        if (to > from)
            madvise((void *)from, to - from, MADV_HUGEPAGE);
    }
    free(start);
#endif
}
