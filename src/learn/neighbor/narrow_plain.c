/* The loops of narrow numbers for every machine. */
#define LOOPS clv_narrow_plain
#include "learn/neighbor/narrow_body.h"
