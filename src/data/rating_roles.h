/*
 * The roles of the columns of a table of ratings by their names: `userId`, `movie_id`, `Rating`.
 * Case, punctuation and endings such as `id` are ignored.
 */
#ifndef DATA_RATING_ROLES_H
#define DATA_RATING_ROLES_H

#include <stdbool.h>

typedef enum { RATING_NONE, RATING_USER, RATING_ITEM, RATING_VALUE } RatingRole;

RatingRole clv_rating_role(const char *title);

/* Of the two columns of a user and an item, the first is the user unless a name differs from that.
 */
bool clv_rating_sides_swapped(const char *first, const char *second);

#endif
