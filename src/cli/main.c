/* The entry point finds the verb, reads its flags, runs it, and checks that the output was
 * written. */
#include "cli/report/report_page.h"
#include "cli/ui/call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opens /dev/null for closed standard streams, so that no file gets their descriptors. Reading or
 * writing them still fails. */
static void hold_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
                _exit(FAILED);
}

static int run(const Verb *verb, int count, char **words)
{
    Call call = {.verb = verb};
    int status = cli_parse(&call, count, words);

    if (status == DONE && call.settings.help)
        status = cli_help_verb(&call);
    else if (status == DONE) {
        status = cli_begin(&call);
        if (status == DONE)
            status = verb->run(&call);
    }
    cli_end(&call);
    return status;
}

static int version(void)
{
    printf("cleave %s\n", cleave_version());
    if (*cleave_features())
        printf("built with %s, %s\n", cleave_features(), cli_page_library());
    return DONE;
}

static int unknown_verb(const char *word)
{
    static const char *const others[][2] = {
        {"fit", "train"}, {"evaluate", "test"}, {"score", "test"}, {"partial_fit", "update"}};
    const char *names[64];
    size_t count = 0;

    for (size_t i = 0; i < cleave_method_count(); i++)
        if (strcmp(cleave_method(i).name, word) == 0)
            return cli_misuse(
                "'%s' is a method, and a command comes first: cleave train %s DATA -o MODEL", word,
                word);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], word) == 0)
            return cli_misuse("unknown command '%s'\nhint: the command is '%s' in cleave", word,
                              others[i][1]);
    if (word[0] == '-')
        return cli_misuse("the command comes first, then '%s'  ('cleave help' lists the commands)",
                          QUOTED(word));
    while (cli_verbs[count] && count < 63) {
        names[count] = cli_verbs[count]->name;
        count++;
    }
    names[count] = NULL;
    return cli_unknown("command", "", word, names, "cleave help");
}

static bool is_any(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int dispatch(int count, char **words)
{
    const Verb *verb;

    if (count < 2) {
        cli_first_screen(true);
        return MISUSED;
    }
    if (is_any(words[1], "--version", "-V", "version"))
        return version();
    if (is_any(words[1], "--help", "-h", "-?"))
        return run(cli_verb_find("help"), count - 2, words + 2);
    if (strcmp(words[1], "__complete") == 0) /* called by the completion scripts */
        return cli_complete(count - 2, words + 2);
    verb = cli_verb_find(words[1]);
    return verb ? run(verb, count - 2, words + 2) : unknown_verb(words[1]);
}

/* Reports write errors, because a full disk or a closed pipe may be detected only when the last
 * bytes are written. */
static int finish(int status)
{
    bool told = ferror(stdout) != 0;
    bool lost = fflush(stdout) != 0;

    if (lost && !told)
        fprintf(stderr, "standard output: cannot be written: %s\n", strerror(errno));
    return (lost || told) && status == DONE ? FAILED : status;
}

int main(int count, char **words)
{
    hold_standard_streams();
    cli_prepare_heap();
    cli_listen();
    return finish(dispatch(count, words));
}
