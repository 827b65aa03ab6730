/* Preloaded into liblinear-train (LD_PRELOAD) to time its reading alone: the program calls check_parameter of its shared
 * library once, right after it has read its file, and here that ends it. The marker file says that it came so far by this
 * way and not by another. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

const char *check_parameter(const void *problem, const void *parameter);

const char *check_parameter(const void *problem, const void *parameter)
{
    const char *marker = getenv("BENCH_MARKER");
    int file = marker ? open(marker, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;

    (void)problem;
    (void)parameter;
    if (file >= 0)
        close(file);
    _exit(file >= 0 ? 0 : 1);
}
