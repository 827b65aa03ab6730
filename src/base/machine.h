/* What the machine has: cores and memory. */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include "base/status.h"

/* Processors that this process may use, by its affinity and by the quota of its control group; at least 1. */
unsigned clv_core_count(void);
/* The quota of the control group (cpu.max, or cpu.cfs_quota_us of version 1) in processors, rounded up; SIZE_MAX: no limit.
 * root is put before /proc and /sys: "" but in tests. */
size_t clv_processor_limit(const char *root);
size_t clv_physical_memory(void); /* bytes of memory of the machine */
/* What this process may use of it: less where it runs in a control group with a limit. */
size_t clv_memory_limit(void);
size_t clv_memory_used(void); /* bytes that this process has of its own, mapped files aside; 0 where nobody knows */
/* Before work begins: fails if this process may not use that many bytes of memory. The format
 * names the data, in the plural. The caller may add a hint. */
Status clv_affordable(double bytes, cleave_error *error, const char *format, ...) CLEAVE_PRINTF(3, 4);
/* Mapped memory that will be looked at soon: its pages are read, without waiting for them. */
void clv_will_need(const void *memory, size_t size);
/* Memory that will be filled whole: asks for its pages at once instead of one by one, which costs half as much. */
void clv_populate(void *memory, size_t size);
/* Memory that will be looked at in any order, as yet untouched: asks for large pages, so that the processor finds their places sooner. */
void clv_large_pages(void *memory, size_t size);

#endif
