/* The progress line: one line on stderr, only on a terminal, removed at the end. */
#ifndef CLI_UI_PROGRESS_H
#define CLI_UI_PROGRESS_H

#include <cleave/expert.h>

typedef struct {
    bool on, shown;
    char phase[16];
    uint32_t round;
    double phase_start; /* start of the phase, in seconds */
    double round_start; /* start of the epoch */
} Progress;

void cli_progress_show(Progress *progress, const cleave_progress *now);
void cli_progress_clear(Progress *progress);

double cli_seconds(void); /* monotonic clock, in seconds */

#endif
