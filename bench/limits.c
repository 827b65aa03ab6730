/* limits scan FILE | limits spin | limits peak
 * The limits of the machine, as `key value` lines, so that a measured speed can be given as a fraction of it.
 *   scan   bytes per CPU second, best of five: newlines found by memchr in the mapped file; the same through read() of
 *          128 KiB; and the file copied into memory by read() of 1 MiB. Also the number of lines.
 *   peak   products of bytes summed up a CPU second (VNNI; 0 where there is none), and bytes read from memory a CPU second.
 *   spin   how many times the work of one spinning thread two of them do in the same wall time: 2 on two idle cores. */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 5, SMALL = 128 << 10, LARGE = 1 << 20 };

static double clock_seconds(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static long newlines(const char *p, size_t size)
{
    const char *end = p + size;
    long lines = 0;

    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        lines++;
        p++;
    }
    return lines;
}

static long scan_mapped(int file, size_t size)
{
    char *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    long lines;

    if (p == MAP_FAILED)
        fail("mmap");
    lines = newlines(p, size);
    munmap(p, size);
    return lines;
}

static long scan_read(int file, size_t size)
{
    static char buffer[SMALL];
    long lines = 0;
    ssize_t got;

    (void)size;
    lseek(file, 0, SEEK_SET);
    while ((got = read(file, buffer, sizeof buffer)) > 0)
        lines += newlines(buffer, (size_t)got);
    return lines;
}

static long copy(int file, size_t size)
{
    static char buffer[LARGE];
    long bytes = 0;
    ssize_t got;

    (void)size;
    lseek(file, 0, SEEK_SET);
    while ((got = read(file, buffer, sizeof buffer)) > 0)
        bytes += got;
    return bytes;
}

static long best_of(const char *name, long (*work)(int, size_t), int file, size_t size)
{
    double best = 1e300;
    long answer = 0;

    for (int i = 0; i < REPEATS; i++) {
        double t = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);

        answer = work(file, size);
        t = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - t;
        if (t < best)
            best = t;
    }
    printf("%s %.0f\n", name, (double)size / best);
    return answer;
}

static int scan(const char *path)
{
    int file = open(path, O_RDONLY);
    struct stat facts;
    size_t size;
    long lines;

    if (file < 0 || fstat(file, &facts) != 0)
        fail(path);
    size = (size_t)facts.st_size;
    /* first, because it also brings the file into the page cache */
    best_of("copy", copy, file, size);
    best_of("memchr_read", scan_read, file, size);
    lines = best_of("memchr_mapped", scan_mapped, file, size);
    printf("lines %ld\n", lines);
    close(file);
    return 0;
}

static void *spin_once(void *out)
{
    uint64_t x = 88172645463325252u;

    for (long i = 0; i < 60000000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    *(uint64_t *)out = x;
    return NULL;
}

static double spin_threads(int count)
{
    pthread_t thread[2];
    uint64_t out[2];
    double t = clock_seconds(CLOCK_MONOTONIC);

    for (int i = 0; i < count; i++)
        if (pthread_create(&thread[i], NULL, spin_once, &out[i]) != 0)
            fail("pthread_create");
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    return clock_seconds(CLOCK_MONOTONIC) - t;
}

static int spin(void)
{
    double one = 1e300, two = 1e300;

    for (int i = 0; i < 3; i++) {
        double t = spin_threads(1);

        one = t < one ? t : one;
        t = spin_threads(2);
        two = t < two ? t : two;
    }
    printf("spin %.3f\n", 2 * one / two);
    return 0;
}

#if defined __x86_64__
/* Twelve independent sums in registers. */
static double products(void)
{
    enum { ROUNDS = 20 << 20, CHAINS = 12, PRODUCTS = 64 };
    double start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);

    for (int round = 0; round < ROUNDS; round++)
        __asm__ volatile("vpdpbusd %%zmm30, %%zmm31, %%zmm16\n\tvpdpbusd %%zmm30, %%zmm31, %%zmm17\n\t"
                         "vpdpbusd %%zmm30, %%zmm31, %%zmm18\n\tvpdpbusd %%zmm30, %%zmm31, %%zmm19\n\t"
                         "vpdpbusd %%zmm30, %%zmm31, %%zmm20\n\tvpdpbusd %%zmm30, %%zmm31, %%zmm21\n\t"
                         "vpdpbusd %%zmm30, %%zmm31, %%zmm22\n\tvpdpbusd %%zmm30, %%zmm31, %%zmm23\n\t"
                         "vpdpbusd %%zmm30, %%zmm31, %%zmm24\n\tvpdpbusd %%zmm30, %%zmm31, %%zmm25\n\t"
                         "vpdpbusd %%zmm30, %%zmm31, %%zmm26\n\tvpdpbusd %%zmm30, %%zmm31, %%zmm27" ::);
    return (double)ROUNDS * CHAINS * PRODUCTS / (clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - start);
}

static bool has_products(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
}
#else
static double products(void)
{
    return 0;
}

static bool has_products(void)
{
    return false;
}
#endif

static double reading(void)
{
    enum { WORDS = 64 << 20 };
    uint64_t *words = malloc((size_t)WORDS * sizeof *words), sum = 0;
    double best = 0;

    if (!words)
        fail("malloc");
    memset(words, 1, (size_t)WORDS * sizeof *words);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID), rate;
        uint64_t part[8] = {0};

        for (size_t i = 0; i < WORDS; i += 8)
            for (size_t j = 0; j < 8; j++)
                part[j] += words[i + j];
        for (size_t j = 0; j < 8; j++)
            sum += part[j];
        rate = (double)WORDS * sizeof *words / (clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - start);
        best = rate > best ? rate : best;
    }
    free(words);
    return sum ? best : 0;
}

static int peak(void)
{
    double best = 0;

    for (int repeat = 0; repeat < REPEATS && has_products(); repeat++) {
        double rate = products();

        best = rate > best ? rate : best;
    }
    printf("products %.0f\nreading %.0f\n", best, reading());
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "scan") == 0)
        return scan(argv[2]);
    if (argc == 2 && strcmp(argv[1], "spin") == 0)
        return spin();
    if (argc == 2 && strcmp(argv[1], "peak") == 0)
        return peak();
    fprintf(stderr, "usage: limits scan FILE | limits spin | limits peak\n");
    return 2;
}
