#include "learn/tree/node_rows.h"

/*
 * The message of a process: numbers of rows and entries; then the bytes of every group of columns,
 * row by row, gradients or labels and weights, the number of entries of each row, and the entries.
 */
typedef struct {
    uint64_t rows, entries;
} Head;

/* ---- sending --------------------------------------------------------------------------------- */

typedef struct {
    const Bins *bins;
    const Targets *targets;
    const uint32_t *rows;
    uint32_t count;
    Buffer bytes;
    cleave_error *error;
} Sending;

static Status add(Sending *sending, const void *bytes, size_t size)
{
    return clv_buffer_add(sending->bins->context, &sending->bytes, bytes, size, sending->error);
}

/* Copies a number of bytes per row. */
static Status add_rows(Sending *sending, const void *from, size_t size)
{
    for (uint32_t i = 0; i < sending->count; i++)
        TRY(add(sending, (const char *)from + sending->rows[i] * size, size));
    return OK;
}

static uint32_t entries_of(const Bins *bins, uint32_t row)
{
    return bins->lists ? (uint32_t)(bins->entry_end[row] - bins_entries(bins, row)) : 0;
}

static Status add_entries(Sending *sending)
{
    const Bins *bins = sending->bins;

    for (uint32_t i = 0; bins->lists && i < sending->count; i++) {
        uint32_t entries = entries_of(bins, sending->rows[i]);

        TRY(add(sending, &entries, sizeof entries));
    }
    for (uint32_t i = 0; bins->lists && i < sending->count; i++)
        TRY(add(sending, bins->entry + bins_entries(bins, sending->rows[i]),
                entries_of(bins, sending->rows[i]) * sizeof *bins->entry));
    return OK;
}

static Status add_all(Sending *sending)
{
    const Bins *bins = sending->bins;
    const Targets *targets = sending->targets;
    Head head = {.rows = sending->count};

    for (uint32_t i = 0; i < sending->count; i++)
        head.entries += entries_of(bins, sending->rows[i]);
    TRY(add(sending, &head, sizeof head));
    for (uint32_t group = 0; group < bins->groups; group++)
        TRY(add_rows(sending, bins->dense + bins->group[group].start, bins->group[group].stride));
    if (!targets->label)
        TRY(add_rows(sending, targets->packed, sizeof *targets->packed));
    else
        TRY(add_rows(sending, targets->label, sizeof *targets->label));
    if (targets->weight)
        TRY(add_rows(sending, targets->weight, sizeof *targets->weight));
    return add_entries(sending);
}

/* ---- receiving ------------------------------------------------------------------------------- */

void clv_node_rows_drop(NodeRows *gathered)
{
    Context *context;

    if (!gathered || --gathered->users > 0)
        return;
    context = gathered->bins.context;
    FREE(context, gathered->bins.group, gathered->bins.dense, gathered->bins.entry,
         gathered->bins.entry_end, gathered->bins.label, gathered->targets.packed,
         gathered->targets.weight, gathered->row, gathered);
}

/* Allocates memory for this many rows and entries. */
static bool make_room(NodeRows *gathered, const Bins *all, const Targets *asked, const Head *head)
{
    Bins *bins = &gathered->bins;
    Targets *targets = &gathered->targets;
    Context *context = all->context;
    size_t rows = head->rows;

    bins->rows = bins->all_rows = targets->rows = (uint32_t)rows;
    bins->group = clv_alloc(context, (size_t)all->groups + 1, sizeof *bins->group);
    if (!bins->group)
        return false;
    for (uint32_t i = 0; i < all->groups; i++) {
        bins->group[i] = all->group[i];
        bins->group[i].start = bins->dense_bytes;
        bins->dense_bytes += rows * all->group[i].stride;
    }
    bins->dense = clv_alloc(context, bins->dense_bytes, 1);
    bins->entry = clv_alloc(context, head->entries, sizeof *bins->entry);
    bins->entry_end = clv_alloc_zero(context, rows + 1, sizeof *bins->entry_end);
    gathered->row = clv_alloc(context, 2 * rows + 1, sizeof *gathered->row);
    gathered->spare = gathered->row + rows;
    if (asked->label)
        bins->label = clv_alloc(context, rows, sizeof *bins->label);
    else
        targets->packed = clv_alloc(context, rows, sizeof *targets->packed);
    if (asked->weight)
        targets->weight = clv_alloc(context, rows, sizeof *targets->weight);
    targets->label = bins->label;
    return bins->dense && bins->entry && bins->entry_end && gathered->row &&
           (bins->label || targets->packed) && (targets->weight || !asked->weight);
}

static const char *take(void *to, const char *from, size_t size)
{
    if (size)
        memcpy(to, from, size);
    return from + size;
}

/* Appends the rows and entries of one process. */
static const char *unpack(NodeRows *gathered, const char *at, uint32_t row)
{
    Bins *bins = &gathered->bins;
    Targets *targets = &gathered->targets;
    Head head;

    at = take(&head, at, sizeof head);
    for (uint32_t i = 0; i < bins->groups; i++)
        at = take(bins->dense + bins->group[i].start + (size_t)row * bins->group[i].stride, at,
                  head.rows * bins->group[i].stride);
    if (bins->label)
        at = take(bins->label + row, at, head.rows * sizeof *bins->label);
    else
        at = take(targets->packed + row, at, head.rows * sizeof *targets->packed);
    if (targets->weight)
        at = take(targets->weight + row, at, head.rows * sizeof *targets->weight);
    for (uint64_t i = 0, before = bins->entries; bins->lists && i < head.rows; i++) {
        uint32_t entries;

        at = take(&entries, at, sizeof entries);
        bins->entry_end[row + i] = before += entries;
    }
    at = take(bins->entry + bins->entries, at, head.entries * sizeof *bins->entry);
    bins->entries += head.entries;
    return at;
}

static size_t sent_bytes(const Bins *bins, const Targets *targets, const Head *head)
{
    size_t row = targets->label ? sizeof *targets->label : sizeof *targets->packed;

    for (uint32_t i = 0; i < bins->groups; i++)
        row += bins->group[i].stride;
    row += targets->weight ? sizeof *targets->weight : 0;
    row += bins->lists ? sizeof(uint32_t) : 0;
    return sizeof *head + head->rows * row + head->entries * sizeof *bins->entry;
}

/* Computes the totals over all processes. Returns false if the messages are inconsistent. */
static bool measure(const Bins *bins, const Targets *targets, const Buffer *all, Head *sum)
{
    size_t at = 0;

    *sum = (Head){0};
    while (at + sizeof(Head) <= all->size) {
        Head head;

        memcpy(&head, all->data + at, sizeof head);
        if (head.rows > all->size || head.entries > all->size)
            return false;
        at += sent_bytes(bins, targets, &head);
        sum->rows += head.rows;
        sum->entries += head.entries;
    }
    return at == all->size;
}

static Status open_all(const Bins *bins, const Targets *targets, const Buffer *all,
                       NodeRows **result, cleave_error *error)
{
    NodeRows *gathered;
    const char *at = all->data, *end = at + all->size;
    Head head;

    TRY(ALLOC_ZERO(bins->context, gathered, 1, "rows", error));
    gathered->users = 1;
    gathered->bins = (Bins){.context = bins->context,
                            .columns = bins->columns,
                            .column = bins->column,
                            .bound = bins->bound,
                            .code_bin = bins->code_bin,
                            .cells = bins->cells,
                            .groups = bins->groups,
                            .member = bins->member,
                            .members = bins->members,
                            .lists = bins->lists};
    gathered->targets = (Targets){.context = targets->context,
                                  .bins = &gathered->bins,
                                  .gradient_unit = targets->gradient_unit,
                                  .hessian_unit = targets->hessian_unit,
                                  .whole = targets->whole,
                                  .alone = true,
                                  .fine = targets->fine,
                                  .classes = targets->classes,
                                  .weight_unit = targets->weight_unit};
    if (!measure(bins, targets, all, &head)) {
        clv_node_rows_drop(gathered);
        return clv_fail(error, CLEAVE_ERROR_INTERNAL,
                        "the rows received from other processes are inconsistent");
    }
    if (!make_room(gathered, bins, targets, &head)) {
        clv_node_rows_drop(gathered);
        return clv_fail_memory(error, "rows", all->size);
    }
    for (uint32_t i = 0; i < head.rows; i++)
        gathered->row[i] = i;
    for (uint32_t row = 0; at < end;) {
        uint64_t rows;

        memcpy(&rows, at, sizeof rows);
        at = unpack(gathered, at, row);
        row += (uint32_t)rows;
    }
    *result = gathered;
    return OK;
}

Status clv_node_rows_new(const Bins *bins, const Targets *targets, const uint32_t *rows,
                         uint32_t count, NodeRows **gathered, cleave_error *error)
{
    const Collective *collective = bins->collective;
    Sending sending = {
        .bins = bins, .targets = targets, .rows = rows, .count = count, .error = error};
    Buffer all = {0};
    Status status = add_all(&sending);

    *gathered = NULL;
    THEN(status, collective->gather(collective->user, sending.bytes.data, sending.bytes.size, &all,
                                    NULL, error));
    THEN(status, open_all(bins, targets, &all, gathered, error));
    FREE(bins->context, sending.bytes.data, all.data);
    return status;
}
