/* Threads: the number of cores, and the few pthread calls the pipeline needs with their failures turned into Status. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include "base/status.h"

unsigned clv_core_count(void); /* that this process may use; at least 1 */

#endif
