#include "cli/ui/human_numbers.h"

#include <cleave/expert.h>
#include <stdio.h>

const char *cli_grouped(uint64_t count, char buffer[HUMAN_SIZE])
{
    char digits[HUMAN_SIZE];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)count),
           used = 0;

    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            buffer[used++] = ',';
        buffer[used++] = digits[i];
    }
    buffer[used] = '\0';
    return buffer;
}

const char *cli_count(uint64_t count, const char *one, const char *many, char buffer[HUMAN_SIZE])
{
    char number[HUMAN_SIZE];

    snprintf(buffer, HUMAN_SIZE, "%.27s %s", cli_grouped(count, number), count == 1 ? one : many);
    return buffer;
}

const char *cli_bytes(uint64_t bytes, char buffer[HUMAN_SIZE])
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes / 1000;
    size_t unit = 0;

    if (bytes < 10000)
        return cli_count(bytes, "byte", "bytes", buffer);
    while (value >= 1000 && unit < 4) {
        value /= 1000;
        unit++;
    }
    snprintf(buffer, HUMAN_SIZE, "%.1f %s", value, units[unit]);
    return buffer;
}

const char *cli_took(double seconds, char buffer[HUMAN_SIZE])
{
    const double noticed = 0.1;

    if (seconds < noticed)
        buffer[0] = '\0';
    else
        snprintf(buffer, HUMAN_SIZE, seconds < 10 ? " in %.2f s" : " in %.1f s", seconds);
    return buffer;
}

const char *cli_short(double value, char buffer[HUMAN_SIZE])
{
    snprintf(buffer, HUMAN_SIZE, "%.6g", value + 0.0); /* −0 + 0 is 0, which avoids "-0" */
    return buffer;
}

/* Formats with a number of digits. Values from 10,000 on become whole numbers. */
static const char *readable(double value, int digits, char buffer[HUMAN_SIZE])
{
    const double large = 1e4, largest = 1e9;
    char number[HUMAN_SIZE];

    if (value >= large && value < largest)
        return cli_grouped((uint64_t)(value + 0.5), buffer);
    if (value > -largest && value <= -large)
        snprintf(buffer, HUMAN_SIZE, "-%.30s", cli_grouped((uint64_t)(0.5 - value), number));
    else
        snprintf(buffer, HUMAN_SIZE, "%.*g", digits, value + 0.0);
    return buffer;
}

const char *cli_error_size(double value, char buffer[HUMAN_SIZE])
{
    return readable(value, 6, buffer);
}

const char *cli_brief(double value, char buffer[HUMAN_SIZE])
{
    return readable(value, 4, buffer);
}

const char *cli_exact(double value, char buffer[HUMAN_SIZE])
{
    return cleave_number_text(value + 0.0, buffer);
}
