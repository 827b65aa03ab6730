#include "cli/ui/ask_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_OUTPUT = 1 << 16, POLL_MILLISECONDS = 50 };

typedef struct {
    pid_t process;
    int input, output; /* pipes to and from the command; -1: closed */
    const char *text;
    size_t length, written;
    char *answer;
    size_t size;
    bool too_long;
} Asking;

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void close_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

/* The environment with CLEAVE_ROW; the caller frees the list. */
static char **environment(char *row)
{
    size_t count = 0, kept = 0;
    char **list;

    while (environ[count])
        count++;
    list = cli_alloc(NULL, count + 2, sizeof *list);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "CLEAVE_ROW=", strlen("CLEAVE_ROW=")) != 0)
            list[kept++] = environ[i];
    list[kept++] = row;
    list[kept] = NULL;
    return list;
}

/* The command leads its own process group, so that it can be killed with its children. */
static int spawn_shell(Asking *asking, const char *command, char *row, const int pipes[2][2])
{
    char *const words[] = {"sh", "-c", (char *)command, NULL};
    char **list = environment(row);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    int failure = posix_spawn_file_actions_init(&actions);

    if (failure == 0)
        failure = posix_spawnattr_init(&attributes);
    if (failure == 0) {
        posix_spawn_file_actions_adddup2(&actions, pipes[0][0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, pipes[1][1], STDOUT_FILENO);
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        sigaddset(&usual, SIGXFSZ);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        failure = posix_spawn(&asking->process, "/bin/sh", &actions, &attributes, words, list);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(list);
    return failure;
}

static int start(Asking *asking, const char *command, char *row)
{
    int pipes[2][2] = {{-1, -1}, {-1, -1}}, failure = 0;

    for (int i = 0; i < 2 && failure == 0; i++)
        if (pipe(pipes[i]) != 0)
            failure = errno;
    for (int i = 0; i < 4; i++)
        if (pipes[i / 2][i % 2] >= 0)
            fcntl(pipes[i / 2][i % 2], F_SETFD, FD_CLOEXEC);
    if (failure == 0)
        failure = spawn_shell(asking, command, row, (const int(*)[2])pipes);
    close_file(&pipes[0][0]);
    close_file(&pipes[1][1]);
    asking->input = pipes[0][1];
    asking->output = pipes[1][0];
    if (failure == 0)
        fcntl(asking->input, F_SETFL, O_NONBLOCK);
    return failure;
}

/* A command need not read its input. */
static void write_some(Asking *asking)
{
    ssize_t count = write(asking->input, asking->text + asking->written,
                          asking->length - asking->written);

    if (count > 0)
        asking->written += (size_t)count;
    if ((count < 0 && errno != EINTR && errno != EAGAIN) || asking->written == asking->length)
        close_file(&asking->input);
}

static void read_some(Asking *asking)
{
    ssize_t count = read(asking->output, asking->answer + asking->size, MOST_OUTPUT - asking->size);

    if (count > 0)
        asking->size += (size_t)count;
    asking->too_long = asking->size == MOST_OUTPUT;
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
        close_file(&asking->output);
}

/* Exchanges bytes until the command has closed its output, the time is over, or an interrupt. */
static void exchange(Asking *asking, double deadline)
{
    while (asking->output >= 0 && !asking->too_long && now() < deadline && !cli_interrupted()) {
        struct pollfd files[2] = {{.fd = asking->output, .events = POLLIN},
                                  {.fd = asking->input, .events = POLLOUT}};

        if (poll(files, 2, POLL_MILLISECONDS) <= 0)
            continue;
        if (files[1].revents)
            write_some(asking);
        if (files[0].revents)
            read_some(asking);
    }
}

/* The status of the command, which is killed if it still runs at the deadline; -1: killed. */
static int wait_for(const Asking *asking, double deadline)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int status = 0;

    for (;;) {
        pid_t ended = waitpid(asking->process, &status, WNOHANG);

        if (ended == asking->process)
            return status;
        if ((ended < 0 && errno != EINTR) || asking->too_long || now() >= deadline ||
            cli_interrupted())
            break;
        nanosleep(&pause, NULL);
    }
    kill(-asking->process, SIGKILL);
    while (waitpid(asking->process, &status, 0) < 0 && errno == EINTR)
        ;
    return -1;
}

static char *first_line(const Asking *asking)
{
    size_t length = 0, from = 0;
    char *line = cli_alloc(NULL, asking->size + 1, 1);

    while (from < asking->size && (asking->answer[from] == ' ' || asking->answer[from] == '\t'))
        from++;
    while (from + length < asking->size && asking->answer[from + length] != '\n')
        length++;
    while (length && strchr(" \t\r", asking->answer[from + length - 1]))
        length--;
    memcpy(line, asking->answer + from, length);
    line[length] = '\0';
    return line;
}

static int tell_failure(const Asking *asking, int status, double seconds, uint64_t row)
{
    const char *hint = "the labels so far are kept; correct the command and run the same command "
                       "again";
    unsigned long long number = row;

    if (cli_interrupted())
        return FAILED;
    if (asking->too_long)
        return cli_failed(hint, "--oracle: row %llu: the command printed more than %d bytes",
                          number, MOST_OUTPUT);
    if (status == -1)
        return cli_failed(hint, "--oracle: row %llu: no answer within %g seconds", number, seconds);
    if (WIFSIGNALED(status))
        return cli_failed(hint, "--oracle: row %llu: the command was ended by signal %d", number,
                          WTERMSIG(status));
    return cli_failed(hint, "--oracle: row %llu: the command failed with exit status %d", number,
                      WEXITSTATUS(status));
}

int cli_ask_command(const char *command, double seconds, uint64_t row, const char *text,
                    size_t length, char **label)
{
    Asking asking = {.input = -1, .output = -1, .text = text, .length = length};
    double deadline = now() + seconds;
    char variable[40];
    int status, failure;

    *label = NULL;
    snprintf(variable, sizeof variable, "CLEAVE_ROW=%llu", (unsigned long long)row);
    failure = start(&asking, command, variable);
    if (failure != 0) {
        close_file(&asking.input);
        close_file(&asking.output);
        return cli_failed("", "--oracle: /bin/sh cannot be run: %s", strerror(failure));
    }
    asking.answer = cli_alloc(NULL, MOST_OUTPUT, 1);
    if (length == 0)
        close_file(&asking.input);
    exchange(&asking, deadline);
    close_file(&asking.input);
    status = wait_for(&asking, deadline);
    close_file(&asking.output);
    if (status == 0 && !asking.too_long)
        *label = first_line(&asking);
    free(asking.answer);
    return *label ? DONE : tell_failure(&asking, status, seconds, row);
}
