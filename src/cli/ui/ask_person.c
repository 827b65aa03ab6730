#include "cli/ui/ask_person.h"

#include "cli/ui/human_numbers.h"
#include "cli/ui/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { SHOWN_BYTES = 2000, KEYED_LABELS = 9, MOST_LINE = 4096 };

static void put_item(Out *out, const cleave_active_item *item, const cleave_active_state *state)
{
    size_t length = item->length < SHOWN_BYTES ? item->length : SHOWN_BYTES;
    char *text = cli_alloc(NULL, length + 1, 1);

    memcpy(text, item->text, length);
    text[length] = '\0';
    cli_print(out, "\n[%llu of %llu, row %llu", (unsigned long long)state->labeled + 1,
              (unsigned long long)state->budget, (unsigned long long)item->row);
    if (item->predicted)
        cli_print(out, ", predicted %s", item->predicted);
    cli_print(out, "] %s%s\n", text, length < item->length ? " ..." : "");
    free(text);
}

static void put_keys(Out *out, const cleave_active_state *state)
{
    for (size_t i = 0; i < state->class_count && i < KEYED_LABELS; i++)
        cli_print(out, "%zu %s  ", i + 1, state->classes[i]);
    if (!state->fixed_classes || state->class_count > KEYED_LABELS)
        cli_put(out, "n another label  ");
    cli_put(out, "s skip  u undo  q save and quit: ");
    cli_out_flush(out);
}

/* A line without its end; NULL at the end of the input or after an interrupt. */
static char *read_line(void)
{
    char *line = cli_alloc(NULL, MOST_LINE, 1);
    size_t length = 0;

    for (;;) {
        char byte;
        ssize_t count = read(STDIN_FILENO, &byte, 1);

        if (count < 0 && errno == EINTR && !cli_interrupted())
            continue;
        if (count <= 0 && (length == 0 || cli_interrupted())) {
            free(line);
            return NULL;
        }
        if (count <= 0 || byte == '\n')
            break;
        if (length + 1 < MOST_LINE && byte != '\r' && byte != '\0')
            line[length++] = byte;
    }
    line[length] = '\0';
    return line;
}

/* One key without a line end; 0 at the end of the input or after an interrupt. */
static char read_key(void)
{
    struct termios usual, raw;
    ssize_t count;
    char key = 0;

    if (tcgetattr(STDIN_FILENO, &usual) != 0)
        return 0;
    raw = usual;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* ISIG stays: Ctrl-C interrupts */
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    do
        count = read(STDIN_FILENO, &key, 1);
    while (count < 0 && errno == EINTR && !cli_interrupted());
    tcsetattr(STDIN_FILENO, TCSADRAIN, &usual);
    return count == 1 && key != raw.c_cc[VEOF] ? key : 0;
}

static char *label_of_key(const cleave_active_state *state, char key)
{
    size_t number = (size_t)(key - '1');

    return key >= '1' && number < KEYED_LABELS && number < state->class_count
               ? cli_copy(state->classes[number])
               : NULL;
}

/* Whether the key is a command; s, u and q. */
static bool is_command(char key, PersonSays *says)
{
    *says = key == 's' ? PERSON_SKIP : key == 'u' ? PERSON_UNDO : PERSON_SAVE;
    return key == 's' || key == 'u' || key == 'q';
}

static PersonSays at_end(void)
{
    return cli_interrupted() ? PERSON_INTERRUPTED : PERSON_SAVE;
}

static PersonSays ask_key(const cleave_active_state *state, Out *out, char **label)
{
    for (;;) {
        char key = read_key();
        PersonSays says;

        if (key == 0)
            return at_end();
        *label = label_of_key(state, key);
        if (*label) {
            cli_print(out, "%s\n", *label);
            return PERSON_LABEL;
        }
        if (is_command(key, &says)) {
            cli_put(out, "\n");
            return says;
        }
        if (key != 'n')
            continue;
        cli_put(out, "\nlabel: ");
        cli_out_flush(out);
        *label = read_line();
        if (!*label)
            return at_end();
        if (**label)
            return PERSON_LABEL;
        free(*label);
        put_keys(out, state);
    }
}

static bool is_label(const cleave_active_state *state, const char *text)
{
    for (size_t i = 0; i < state->class_count; i++)
        if (strcmp(state->classes[i], text) == 0)
            return true;
    return false;
}

/* A command, a label, or the key of a label, in this order. An empty line skips the row. */
static PersonSays ask_line(const cleave_active_state *state, char **label)
{
    char *line = read_line();
    PersonSays says = PERSON_SKIP;

    if (!line)
        return at_end();
    if (!*line || (!line[1] && is_command(line[0], &says))) {
        free(line);
        return says;
    }
    *label = !line[1] && !is_label(state, line) ? label_of_key(state, line[0]) : NULL;
    if (*label)
        free(line);
    else
        *label = line;
    return PERSON_LABEL;
}

PersonSays cli_ask_person(const cleave_active_item *item, const cleave_active_state *state,
                          char **label)
{
    PersonSays says;
    Out out;

    *label = NULL;
    cli_out_file(&out, stderr);
    put_item(&out, item, state);
    put_keys(&out, state);
    says = isatty(STDIN_FILENO) ? ask_key(state, &out, label) : ask_line(state, label);
    if (!isatty(STDIN_FILENO) || says == PERSON_INTERRUPTED)
        cli_put(&out, "\n");
    cli_out_flush(&out);
    return says;
}
