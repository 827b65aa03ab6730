/* The progress line: on a terminal only, one line on stderr, gone when the work is done. */
#ifndef CLI_UI_PROGRESS_H
#define CLI_UI_PROGRESS_H

#include <cleave/expert.h>

typedef struct {
    bool on, shown;
    char phase[16];
    uint32_t round;
    double phase_start; /* seconds, when the phase began */
    double round_start; /* and this round of it */
} Progress;

void cli_progress_show(Progress *progress, const cleave_progress *now);
void cli_progress_clear(Progress *progress);

double cli_seconds(void); /* a clock that only goes forward */

#endif
