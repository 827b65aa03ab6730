/*
 * How long a method will take on more rows, from how long it took on fewer: powers of the number of rows, fitted to the two largest
 * trials so far (the empirical order of growth; Sedgewick and Wayne, "Algorithms", 1.4). Learning grows at least in proportion to
 * its rows, and at the most with their cube; answering a row at the most in proportion to the rows learned from. And how time is
 * shared among methods: equally, but that what one does not need goes to the others (max-min fairness; Bertsekas and Gallager 1987).
 */
#ifndef SELECT_PACE_H
#define SELECT_PACE_H

#include <stdbool.h>
#include <stddef.h>

/* One trial: rows it learned from, seconds of everything but answers, seconds of an answer. */
typedef struct {
    double rows, learn, answer;
    bool guess; /* it was given up: learning takes longer than it was given, and nobody knows how long */
} Rung;

/* The two trials with the most rows, fewer first. */
typedef struct {
    size_t count;
    Rung rung[2];
} Pace;

/* What was measured takes the place of a guess. */
void clv_pace_note(Pace *pace, Rung rung);

/* Seconds: to learn from so many rows, and for one answer then; 0 while nothing has been noted. */
double clv_pace_learn(const Pace *pace, double rows);
double clv_pace_answer(const Pace *pace, double rows);

/* How many rows to learn from, and how many to answer, of so many that there are, where a trial may take so many seconds: all where that
 * is enough. Otherwise the most to learn from that leave time for an answer to `least` of them, or to as many as a tenth of the time is enough
 * for, or to all where they are fewer. False:
 * there is no time even for `fewest` to learn from, which is then what is said. */
typedef struct {
    double learn, answer;
} Shares;
bool clv_pace_afford(const Pace *pace, Shares all, double fewest, double least, double seconds, Shares *shares);

/* What each may take at the most where all together have so much: everybody gets what he needs or this, whichever is less. */
double clv_fair_share(const double *needs, size_t count, double there_is);

#endif
