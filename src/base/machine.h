/* Resources of the machine: processors and memory. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include "base/status.h"

/* Processors available to this process, by its affinity and by the quota of its control group; at
 * least 1. */
unsigned clv_core_count(void);
/* The quota of the control group (cpu.max, or cpu.cfs_quota_us of version 1) in processors, rounded
 * up; SIZE_MAX: no limit. root is the prefix of /proc and /sys: "" except in tests. */
size_t clv_processor_limit(const char *root);
size_t clv_physical_memory(void); /* bytes of memory of the machine */
/* Memory that is available to this process: the machine's, or the limit of its control group. */
size_t clv_memory_limit(void);
size_t clv_memory_used(
    void); /* private memory of this process in bytes, excluding mapped files; 0 if unknown */
/* Called before work begins. Fails if this process may not use that many bytes of memory. The
 * format names the data, in the plural. The caller may add a hint. */
Status clv_affordable(double bytes, cleave_error *error, const char *format, ...)
    CLEAVE_PRINTF(3, 4);
/* Prefetches mapped memory without waiting. */
void clv_will_need(const void *memory, size_t size);
/* Prepares memory that will be filled completely: requests all pages at once, in half of the
 * time. */
void clv_populate(void *memory, size_t size);
/* Prepares untouched memory for random access: requests huge pages to reduce TLB misses. */
void clv_large_pages(void *memory, size_t size);

#endif
