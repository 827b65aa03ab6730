#include "plot/polygon.h"

Status clv_polygon_add(Polygon *polygon, Spot corner, cleave_error *error)
{
    const Spot *last = polygon->count ? &polygon->corner[polygon->count - 1] : NULL;

    if (last && last->x == corner.x && last->y == corner.y)
        return OK;
    TRY(GROW(polygon->context, polygon->corner, polygon->corner_capacity, polygon->count + 1,
             error));
    polygon->corner[polygon->count++] = corner;
    return OK;
}

Status clv_polygon_box(Polygon *polygon, const double box[4], cleave_error *error)
{
    polygon->count = 0;
    TRY(clv_polygon_add(polygon, (Spot){box[0], box[1]}, error));
    TRY(clv_polygon_add(polygon, (Spot){box[2], box[1]}, error));
    TRY(clv_polygon_add(polygon, (Spot){box[2], box[3]}, error));
    return clv_polygon_add(polygon, (Spot){box[0], box[3]}, error);
}

Status clv_polygon_cut(Polygon *polygon, double a, double b, double c, cleave_error *error)
{
    size_t kept = 0, capacity = polygon->corner_capacity;
    Spot *corner = polygon->corner;

    for (size_t i = 0; i < polygon->count; i++) {
        Spot p = corner[i], q = corner[i + 1 < polygon->count ? i + 1 : 0];
        double of_p = a * p.x + b * p.y - c, of_q = a * q.x + b * q.y - c;

        TRY(GROW(polygon->context, polygon->kept, polygon->kept_capacity, kept + 2, error));
        if (of_p <= 0)
            polygon->kept[kept++] = p;
        if ((of_p < 0 && of_q > 0) || (of_p > 0 && of_q < 0)) {
            double share = of_p / (of_p - of_q);
            Spot at = {p.x + share * (q.x - p.x), p.y + share * (q.y - p.y)};

            if (b == 0)
                at.x = c / a; /* exactly on a side of a box */
            if (a == 0)
                at.y = c / b;
            polygon->kept[kept++] = at;
        }
    }
    polygon->corner = polygon->kept;
    polygon->corner_capacity = polygon->kept_capacity;
    polygon->kept = corner;
    polygon->kept_capacity = capacity;
    polygon->count = kept;
    return OK;
}

void clv_polygon_free(Polygon *polygon)
{
    FREE(polygon->context, polygon->corner, polygon->kept);
}
