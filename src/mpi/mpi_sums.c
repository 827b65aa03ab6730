/* Sums over all chunks of all ranks, in the order of the chunks (model/delta.h). */
#include "model/delta_bytes.h"
#include "mpi/mpi_cluster.h"

static Status put_tree(void *user, Buffer *bytes, cleave_error *error)
{
    return clv_delta_tree_to_bytes(&((Cluster *)user)->tree, bytes, error);
}

static Status take_tree(void *user, const void *bytes, size_t size, cleave_error *error)
{
    return clv_delta_tree_from_bytes(&((Cluster *)user)->tree, bytes, size, error);
}

/* Takes a sum. All ranks, including the sender, take the sent bytes, because these contain no
 * zeros. */
static Status take_sum(void *user, const void *bytes, size_t size, cleave_error *error)
{
    Cluster *cluster = user;
    uint32_t count = cluster->tree.count;

    clv_delta_tree_free(&cluster->tree);
    clv_delta_tree_init(&cluster->tree, cluster->context, count);
    return clv_delta_tree_from_bytes(&cluster->tree, bytes, size, error);
}

void clv_cluster_begin_sum(Cluster *cluster)
{
    clv_delta_tree_free(&cluster->tree);
    clv_delta_tree_init(&cluster->tree, cluster->context, cluster->chunks.count);
}

Status clv_cluster_add_to_sum(Cluster *cluster, uint32_t own, Delta *delta)
{
    Status status = clv_delta_tree_add(&cluster->tree, cluster->chunks.first + own, 1, delta,
                                       cluster->error);

    clv_delta_free(delta);
    return status;
}

Status clv_cluster_unite_sum(Cluster *cluster, Status status, const Delta **sum)
{
    static const Uniting how = {.put = put_tree, .take = take_tree, .done = take_sum};

    TRY(clv_talk_unite(cluster->talk, cluster->context, &how, cluster, status, cluster->error));
    *sum = clv_delta_tree_sum(&cluster->tree);
    return *sum ? OK
                : clv_fail(cluster->error, CLEAVE_ERROR_INTERNAL, "chunks are missing from a sum");
}
