#include "select/pace.h"

#include <math.h>

void clv_pace_note(Pace *pace, Rung rung)
{
    if (pace->count && pace->rung[pace->count - 1].guess && !rung.guess)
        pace->count--;
    if (pace->count && rung.rows <= pace->rung[pace->count - 1].rows * 1.05) {
        if (rung.rows >= pace->rung[pace->count - 1].rows * 0.95) /* the same again: the slower of both */
            pace->rung[pace->count - 1] = (Rung){rung.rows, fmax(rung.learn, pace->rung[pace->count - 1].learn),
                                                 fmax(rung.answer, pace->rung[pace->count - 1].answer), rung.guess};
        return;
    }
    if (pace->count == 2)
        pace->rung[0] = pace->rung[--pace->count];
    pace->rung[pace->count++] = rung;
}

/* The power of growth between two, within bounds; least where nothing tells. */
static double power(double rows, double more_rows, double seconds, double more_seconds, double least, double most)
{
    double found;

    if (!(seconds > 0) || !(more_seconds > 0) || !(more_rows > rows))
        return least;
    found = log(more_seconds / seconds) / log(more_rows / rows);
    return fmin(fmax(found, least), most);
}

double clv_pace_learn(const Pace *pace, double rows)
{
    const Rung *last = &pace->rung[pace->count - 1], *first = &pace->rung[0];

    if (pace->count == 0)
        return 0;
    return last->learn * pow(rows / last->rows, power(first->rows, last->rows, first->learn, last->learn, 1, 3));
}

double clv_pace_answer(const Pace *pace, double rows)
{
    const Rung *last = &pace->rung[pace->count - 1], *first = &pace->rung[0];

    if (pace->count == 0)
        return 0;
    return last->answer * pow(rows / last->rows, power(first->rows, last->rows, first->answer, last->answer, 0, 1));
}

/* Answers that there is time for; negative where learning alone takes too long. */
static double answers_in(const Pace *pace, double rows, double most, double seconds)
{
    double left = seconds - clv_pace_learn(pace, rows), each = clv_pace_answer(pace, rows);

    if (left < 0)
        return -1;
    return each * most <= left ? most : floor(left / each);
}

/* Whether learning from so many leaves time for answers enough: where those are fast, a tenth of the time gives more than the least. */
static bool is_enough(const Pace *pace, double rows, Shares all, double least, double seconds)
{
    double fast = floor(0.1 * seconds / clv_pace_answer(pace, rows));

    return answers_in(pace, rows, all.answer, seconds) >= fmin(fmax(least, fast), all.answer);
}

bool clv_pace_afford(const Pace *pace, Shares all, double fewest, double least, double seconds, Shares *shares)
{
    double low = fmin(fewest, all.learn), high = all.learn;

    *shares = (Shares){low, fmin(least, all.answer)};
    if (!is_enough(pace, low, all, least, seconds))
        return false;
    if (is_enough(pace, high, all, least, seconds))
        low = high;
    for (int i = 0; i < 60 && low < high; i++) {
        double middle = sqrt(low * high);

        if (is_enough(pace, middle, all, least, seconds))
            low = middle;
        else
            high = middle;
    }
    *shares = (Shares){floor(low), answers_in(pace, low, all.answer, seconds)};
    return true;
}

double clv_fair_share(const double *needs, size_t count, double there_is)
{
    double level = there_is > 0 ? there_is / (double)(count ? count : 1) : 0;

    /* What those below the level leave is shared by the others, which raises it: at most once for each of them. */
    for (size_t round = 0; round < count; round++) {
        double taken = 0;
        size_t above = 0;

        for (size_t i = 0; i < count; i++) {
            if (needs[i] <= level)
                taken += needs[i];
            else
                above++;
        }
        if (above == 0)
            return (double)INFINITY;
        level = fmax(level, (there_is - taken) / (double)above);
    }
    return level;
}
