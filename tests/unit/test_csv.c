/*
 * Tables: quotes, blanks and line ends; guesses and declarations; missing values; several files and
 * files for a model; the wording of every error; random tables written and read, with truncations.
 */
#include "base/random.h"
#include "read/csv.h"
#include "read_all.h"
#include "support/support.h"

#include <unistd.h>

/* ---- reading with options -------------------------------------------------------------------- */

typedef struct {
    const Format *format;
    const char *label, *columns, *delimiter, *missing;
    int header, decimal;
    bool by_position, allow_cut;
    const char *rename;
    size_t chunk_bytes;
    unsigned threads;
    const ReadGuide *guide;
    bool rewind; /* reads twice, and returns the second result */
} With;

typedef struct {
    Context *context;
    Source *source;
    Text rows, notes;
    cleave_error error;
    Status status;
    char *copy;
} Result;

static void take_note(void *user, cleave_log_level level, const char *message, const char *hint)
{
    Text *notes = user;

    (void)hint;
    text_put(notes, level == CLEAVE_LOG_WARNING ? "warning: " : "note: ");
    text_put(notes, message);
    text_put(notes, "\n");
}

static ReadOptions options_of(With with)
{
    ReadOptions options = {0};

    memset(&options, 0, sizeof options);
    clv_params_initial(clv_read_params, &options);
    options.label = with.label;
    options.columns = with.columns;
    options.delimiter = with.delimiter;
    options.missing = with.missing ? with.missing : options.missing;
    options.header = with.header;
    options.decimal = with.decimal;
    options.by_position = with.by_position;
    options.rename = with.rename;
    options.allow_cut = with.allow_cut;
    options.chunk_bytes = with.chunk_bytes;
    return options;
}

static void begin(Result *result, With with)
{
    cleave_config config = {.size = sizeof config,
                            .log = take_note,
                            .user = &result->notes,
                            .threads = with.threads ? with.threads : 1};

    memset(result, 0, sizeof *result);
    text_put(&result->rows, "");
    text_put(&result->notes, "");
    result->context = cleave_context_new(&config);
    assert_non_null(result->context);
}

static void read_rows(Result *result, With with)
{
    if (result->status == OK)
        result->status = text_put_source(&result->rows, result->source, &result->error);
    if (result->status == OK && with.rewind) {
        result->rows.size = 0;
        text_put(&result->rows, "");
        result->status = clv_source_rewind(result->source, &result->error);
        if (result->status == OK)
            result->status = text_put_source(&result->rows, result->source, &result->error);
    }
}

/* Reads from a copy that ends with the bytes, so that sanitizers detect reading past the end. */
static void read_bytes(Result *result, const void *bytes, size_t size, With with)
{
    ReadOptions options = options_of(with);

    begin(result, with);
    result->copy = malloc(size ? size : 1);
    assert_non_null(result->copy);
    memcpy(result->copy, bytes, size);
    result->status = clv_read_memory(result->context, "t.csv", result->copy, size,
                                     with.format ? with.format : &clv_format_csv, &options,
                                     with.guide, &result->source, &result->error);
    read_rows(result, with);
}

static void done(Result *result)
{
    clv_source_close(result->source);
    cleave_context_free(result->context);
    text_free(&result->rows);
    text_free(&result->notes);
    free(result->copy);
}

static void check(const char *table, With with, const char *expected)
{
    Result result;

    read_bytes(&result, table, strlen(table), with);
    if (result.status != OK)
        print_error("%s\n", result.error.message);
    assert_int_equal(result.status, OK);
    assert_string_equal(result.rows.data, expected);
    done(&result);
}

static void check_note(const char *table, With with, const char *expected)
{
    Result result;

    read_bytes(&result, table, strlen(table), with);
    assert_int_equal(result.status, OK);
    assert_string_equal(result.notes.data, expected);
    done(&result);
}

static void refuse_bytes(const void *table, size_t size, With with, const char *message,
                         const char *hint)
{
    Result result;

    read_bytes(&result, table, size, with);
    assert_int_not_equal(result.status, OK);
    assert_int_equal(result.error.code, result.status);
    assert_true(test_matches(message, result.error.message));
    if (hint)
        assert_true(test_matches(hint, result.error.hint));
    done(&result);
}

static void refuse(const char *table, With with, const char *message, const char *hint)
{
    refuse_bytes(table, strlen(table), with, message, hint);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void test_plain(void **unused)
{
    (void)unused;
    check("a,b,class\n1,2.5,x\n-3,4e1,y\n", (With){0}, "x a:1 b:2.5\ny a:-3 b:40\n");
    check("a,b,class\r\n1,2,x\r\n3,4,y\r\n", (With){0}, "x a:1 b:2\ny a:3 b:4\n");
    check("class,a,b\r\nx,1,2\r\ny,3,4\r\n", (With){0}, "x a:1 b:2\ny a:3 b:4\n");
    check("\xEF\xBB\xBF"
          "a,b,class\n1,2,x\n",
          (With){0}, "x a:1 b:2\n");
    check("\xEF\xBB\xBF"
          "1,2,x\n",
          (With){0}, "x 1:1 2:2\n");
    check("\n\n  \na,b,class\n\n1,2,x\n\r\n \t \n3,4,y\n\n", (With){0}, "x a:1 b:2\ny a:3 b:4\n");
    check("a,b,class\n1, 2 , x\n 3,4,\ty y \n", (With){0}, "x a:1 b:2\ny y a:3 b:4\n");
    check("a,class\n0.1,x\n+1,x\n.5,y\n5.,y\n", (With){0}, "x a:0.1\nx a:1\ny a:0.5\ny a:5\n");
}

static void test_quotes(void **unused)
{
    (void)unused;
    check("\"a\",\"b\",\"class\"\n\"1\",\"2\",\"x\"\n", (With){0}, "x a:1 b:2\n");
    check("a,class\n1,\"x,\"\"y\"\"\"\n2,\"\"\"\"\n", (With){0}, "x,\"y\" a:1\n\" a:2\n");
    check("a,class\n1,\"two\nlines\"\n2,\"two\r\nmore\"\n", (With){0},
          "two\nlines a:1\ntwo\r\nmore a:2\n");
    check("a,c,class\n1, \"p q\" ,x\n2,5\" nails,y\n", (With){0},
          "x a:1 c=p q:1\ny a:2 c=5\" nails:1\n");
    check("a,class\n\"1\" ,x\n \"\" ,x\n", (With){0}, "x a:1\nx a=?:1\n");
    check("a,class\n1,\" x \"\n", (With){0}, " x  a:1\n");
    check("a,\"the\nclass\"\n1,x\n", (With){.label = "the\nclass"}, "x a:1\n");
}

static void test_delimiters(void **unused)
{
    (void)unused;
    check("a;b;class\n1;2;x\n", (With){0}, "x a:1 b:2\n");
    check("a|b|class\n1|2|x\n", (With){0}, "x a:1 b:2\n");
    check("a\tb\tclass\n1\t2\tx\n", (With){0}, "x a:1 b:2\n");
    check("a\tb\tclass\n1\t2\tx\n", (With){.format = &clv_format_tsv}, "x a:1 b:2\n");
    check("a\tb\tclass\n1\t\tx\n", (With){.format = &clv_format_tsv}, "x a:1 b=?:1\n");
    check("a,1\tb\tclass\n1\t2\tx,y\n", (With){.format = &clv_format_tsv}, "x,y a,1:1 b:2\n");
    check("a;b,c;class\n1;2;x\n3;4;y\n", (With){0}, "x a:1 b,c:2\ny a:3 b,c:4\n");
    check("a,\"b;c;d;e\",class\n1,2,x\n", (With){0}, "x a:1 b;c;d;e:2\n");
    check("a:b:class\n1:2:x\n", (With){.delimiter = ":"}, "x a:1 b:2\n");
    check("a b class\n1 2 x\n", (With){.delimiter = " "}, "x a:1 b:2\n");
    check("a\tb\tclass\n1\t2\tx\n", (With){.delimiter = "tab"}, "x a:1 b:2\n");
    refuse("a,b\n1,2\n", (With){.delimiter = "::"},
           "--delimiter: expected one character or 'tab', found '::'",
           "letters, digits, quotes and the characters of numbers cannot be delimiters");
    refuse("a,b\n1,2\n", (With){.delimiter = "e"}, "--delimiter: * 'tab', * 'e'", NULL);
    refuse("a,b\n1,2\n", (With){.delimiter = ""}, "--delimiter: * 'tab', * ''", NULL);
}

/* ---- header, kinds, label -------------------------------------------------------------------- */

static void test_header(void **unused)
{
    (void)unused;
    check("1,2,x\n3,4,y\n", (With){0}, "x 1:1 2:2\ny 1:3 2:4\n");
    check("1,2,3\n3,4,5\n", (With){0}, "3 1:1 2:2\n5 1:3 2:4\n");
    check("p,n,y\nq,n,y\np,y,n\n", (With){0}, "y 1=p:1 2=n:1\ny 2=n:1 1=q:1\nn 1=p:1 2=y:1\n");
    check("u,v,w\nq,n,y\np,y,n\n", (With){0}, "y u=q:1 v=n:1\nn u=p:1 v=y:1\n");
    check("a,b,c\n1,2,x\n", (With){.header = HEADER_NO, .label = "3"},
          "c 1=a:1 2=b:1\nx 1=1:1 2=2:1\n");
    check("1,2,x\n3,4,y\n", (With){.header = HEADER_YES}, "y 1:3 2:4\n");
    check("0,tcp,SF,1\n0,udp,SF,2\n", (With){0}, "1 2=tcp:1 3=SF:1\n2 3=SF:1 2=udp:1\n");
    check("label,1,2\n5,0,7\n3,1,0\n", (With){0}, "5 2:7\n3 1:1\n");
    check(",a,class\n1,2,x\n2,4,y\n", (With){0}, "x 1:1 a:2\ny 1:2 a:4\n");
}

static void test_kinds(void **unused)
{
    (void)unused;
    check("a,z,class\n1,10,x\n2,20,y\n", (With){.columns = "z=category"},
          "x a:1 z=10:1\ny a:2 z=20:1\n");
    check("a,z,class\n1,10,x\n2,20,y\n", (With){.columns = "2=ignore"}, "x a:1\ny a:2\n");
    check("a,w,class\n1,0.5,x\n2,2,y\n", (With){.columns = "w=weight"}, "x a:1\ny a:2\n");
    check("a,y,class\n1,10,x\n2,20,x\n", (With){.columns = "y=label,class=ignore"},
          "10 a:1\n20 a:2\n");
    check("a=b,class\n1,x\n", (With){.columns = "a=b=category,class=label"}, "x a=b=1:1\n");
    check("a,b,class\n,q,x\n,r,x\n", (With){0}, "x a=?:1 b=q:1\nx a=?:1 b=r:1\n");
    refuse("age,zip,class\n1,2,x\n", (With){.columns = "agee=number"},
           "--columns: column 'agee' does not exist in t.csv; the nearest is 'age'",
           "the columns are age, zip, class");
    refuse("age,zip,class\n1,2,x\n", (With){.columns = "9=number"},
           "--columns: column '9' does not exist in t.csv", NULL);
    refuse("age,zip,class\n1,2,x\n", (With){.columns = "age=numbre"},
           "--columns: unknown column type 'numbre'; the nearest is 'number'",
           "the types are number, category, text, label, weight and ignore; for dates: date, "
           "date-dmy, date-mdy, date-ymd, time, epoch and epoch-ms");
    refuse("age,zip,class\n1,2,x\n", (With){.columns = "age"},
           "--columns: expected NAME=TYPE, found 'age'",
           "for example: --columns age=number,zip=category,id=ignore");
    refuse("a,b,c\n1,2,x\n", (With){.columns = "a=label", .label = "b"},
           "t.csv: both 'a' and 'b' are declared as the label column", NULL);
    refuse("class\nx\ny\n", (With){0}, "t.csv: no column is left as a feature",
           "check --delimiter (columns found: 1)");
}

/* Tables with ';' have decimal commas, perhaps with points between groups of three digits. */
static void test_decimal_commas(void **unused)
{
    static const char table[] = "a;b;class\n12,5;1.234,5;x\n-0,25;+12.345.678,0;y\n7;,;x\n";

    (void)unused;
    check("a;b;class\n12,5;1.234,5;x\n-0,25;2,5e3;y\n7;0.5;x\n", (With){0},
          "x a:12.5 b:1234.5\ny a:-0.25 b:2500\nx a:7 b:0.5\n");
    check("a;class\n1;x\n2,5;y\n", (With){.header = HEADER_YES}, "x a:1\ny a:2.5\n");
    check("a;class\n12.345.678,0;x\n1;y\n", (With){0}, "x a:12345678\ny a:1\n");
    check("a,class\n\"1,5\",x\n2,y\n", (With){.decimal = DECIMAL_COMMA}, "x a:1.5\ny a:2\n");
    /* Not numbers: groups of other lengths, two commas, no digit after the comma. */
    check("a;class\n1.23,5;x\n1.23,5;y\n", (With){0}, "x a=1.23,5:1\ny a=1.23,5:1\n");
    check("a;class\n1,2,3;x\n1,2,3;y\n", (With){0}, "x a=1,2,3:1\ny a=1,2,3:1\n");
    check("a;class\n1,;x\n1,;y\n", (With){0}, "x a=1,:1\ny a=1,:1\n");
    check("a;class\n1,5;x\n1,5;y\n", (With){.decimal = DECIMAL_POINT}, "x a=1,5:1\ny a=1,5:1\n");
    /* Targets, too. */
    check("a;price\n1;1.012,5\n2;3,25\n", (With){.label = "price"}, "1012.5 a:1\n3.25 a:2\n");
    check_note("a;class\n1,5;x\n2,5;y\n", (With){0},
               "note: t.csv: with header (--header), decimal comma "
               "(--decimal), delimiter ';' (--delimiter); label column 'class' (--label), by its "
               "name, 2 classes; columns: 1 number (--columns)\n");
    refuse("a,b,class\n1,2,x\n3,\"4,5\",y\n", (With){.columns = "b=number"},
           "t.csv:3:3: column 'b': expected a number, found '4,5'",
           "pass --decimal comma to read '4,5' as a number");
    refuse(
        table, (With){.columns = "b=number"}, "t.csv:4:3: * 'b': * found ','",
        "pass --columns b=category to read the column as categories; if the cell means a missing "
        "value, pass --missing ,");
}

static void test_dates(void **unused)
{
    static const char varied[] = "d,a,class\n2023-12-31,1,x\n2024-02-01T06:00,2,y\n";

    (void)unused;
    check(varied, (With){0},
          "x d.days:19722 d.year:2023 d.month:12 d.day:31 d.weekday:7 a:1\n"
          "y d.days:19754.25 d.year:2024 d.month:2 d.day:1 d.weekday:4 d.hour:6 a:2\n");
    check("d,a,class\n2024-01-01,1,x\n2024-01-02,2,y\n", (With){0},
          /* what varies */
          "x d.days:19723 d.day:1 d.weekday:1 a:1\ny d.days:19724 d.day:2 d.weekday:2 a:2\n");
    check("d,a,class\n2024-01-01,1,x\n2024-01-01,2,y\n", (With){0},
          "x d.days:19723 a:1\ny d.days:19723 a:2\n");
    check("d,class\n10:30,x\n6:00,y\n", (With){0}, "x d.hour:10.5\ny d.hour:6\n");
    check("d,a,class\n2024-01-01,1,x\n,2,y\n2024-01-02,3,y\n", (With){0},
          "x d.days:19723 d.day:1 d.weekday:1 a:1\n"
          "y a:2 d.days=?:1 d.day=?:1 d.weekday=?:1\n"
          "y d.days:19724 d.day:2 d.weekday:2 a:3\n");
    check("d,class\n1970-01-02,x\n1970-01-03,y\n", (With){.columns = "d=category"},
          "x d=1970-01-02:1\ny d=1970-01-03:1\n");
    check("2024-01-01,1,x\n2024-01-02,2,y\n", (With){.label = "3"},
          "x 1.days:19723 1.day:1 1.weekday:1 2:1\ny 1.days:19724 1.day:2 1.weekday:2 2:2\n");
    check("d,class\n20240101,x\n20240102,y\n", (With){0},
          "x d:20240100\ny d:20240102\n"); /* plain numbers */
    check("d,class\n19700102,x\n19700103,y\n", (With){.columns = "d=date"},
          "x d.days:1 d.year:1970 d.month:1 d.day:2 d.weekday:5\ny d.days:2 d.year:1970 d.month:1 "
          "d.day:3 d.weekday:6\n");
    check("d,class\n86400,x\n129600,y\n", (With){.columns = "d=epoch"},
          "x d.days:1 d.year:1970 d.month:1 d.day:2 d.weekday:5\n"
          "y d.days:1.5 d.year:1970 d.month:1 d.day:2 d.weekday:5 d.hour:12\n");
    check("d,e,class\n3/1/1970,1,x\n3/2/1970,2,y\n", (With){.columns = "d=date-dmy,e=ignore"},
          "x d.days:2 d.month:1 d.weekday:6\ny d.days:33 d.month:2 d.weekday:2\n");
    refuse("d,a,class\n2024-01-31,1,x\n2024-02-30,2,y\n", (With){.columns = "d=date"},
           "t.csv:3:1: column 'd': expected a date, found '2024-02-30'",
           "if the cell means a missing value, pass --missing '2024-02-30'; pass --columns "
           "'d=category' to read the column as categories");
    refuse("d,a,class\n1/1/2024,1,x\n31/1/2024,2,y\n", (With){.columns = "d=date-mdy"},
           "t.csv:3:1: * 'd': * '31/1/2024'",
           "pass --columns 'd=date-dmy' to read it as day/month/year");
    refuse("d,d.year,class\n2024-01-31,1,x\n2023-01-31,2,y\n", (With){0},
           "t.csv:1: column 'd.year' has the same name as a feature derived from the dates in "
           "column 1",
           "rename one of the columns, or ignore it with --columns 2=ignore");
}

/* One impossible date among hundreds is an error; among a few, the column is categorical. */
static void test_impossible_dates(void **unused)
{
    Text table = {0};

    (void)unused;
    check("d,a,class\n2024-01-31,1,x\n2024-02-30,2,y\n", (With){0},
          "x a:1 d=2024-01-31:1\ny a:2 d=2024-02-30:1\n");
    text_put(&table, "d,class\n");
    for (int i = 0; i < 300; i++)
        text_put(&table, i == 250 ? "2024-02-30,x\n" : i % 2 ? "2024-02-01,x\n" : "2024-02-02,y\n");
    refuse(table.data, (With){0}, "t.csv:252:1: * 'd': * '2024-02-30'", NULL);
    text_free(&table);
}

/* The order of day and month follows from the values; otherwise it is a guess with a warning. */
static void test_date_orders(void **unused)
{
    static const char told[] =
        "note: t.csv: with header (--header); label column 'class' (--label), by its name, "
        "2 classes; columns: 1 number, 1 date (--columns)\n";
    char expected[512];

    (void)unused;
    snprintf(expected, sizeof expected,
             "%snote: t.csv: dates in column 'd' are read as day/month/year\n", told);
    check_note("d,a,class\n1/2/2024,1,x\n13/2/2024,2,y\n", (With){0}, expected);
    snprintf(expected, sizeof expected,
             "%snote: t.csv: dates in column 'd' are read as month/day/year\n", told);
    check_note("d,a,class\n1/2/2024,1,x\n1/13/2024,2,y\n", (With){0}, expected);
    snprintf(expected, sizeof expected,
             "%swarning: t.csv: dates in column 'd' are read as month/day/year, but the first rows "
             "fit both orders\n",
             told);
    check_note("d,a,class\n1/2/2024,1,x\n2/3/2024,2,y\n", (With){0}, expected);
    check_note("d,a,class\n1/2/2024,1,x\n2/3/2024,2,y\n", (With){.columns = "d=date-dmy"}, told);
    check_note("d,a,class\n1.2.2024,1,x\n2.3.2024,2,y\n", (With){0}, told);
    check("d,a,class\n1/13/2024,1,x\n13/1/2024,2,y\n", (With){0},
          "x a:1 d=1/13/2024:1\ny a:2 d=13/1/2024:1\n");
}

static void test_weights(void **unused)
{
    static const char table[] = "a,w,class\n1,0.5,x\n,2,y\n";
    Result result;
    const Block *block;
    Status status;

    (void)unused;
    for (size_t length = sizeof table - 1; length > 18;
         length -= 5) { /* with the missing number, and without it */
        begin(&result, (With){0});
        ReadOptions options = options_of((With){.columns = "w=weight"});
        assert_int_equal(clv_read_memory(result.context, "t.csv", table, length, &clv_format_csv,
                                         &options, NULL, &result.source, &result.error),
                         OK);
        status = source_next(result.source, &block, &result.error);
        assert_int_equal(status, OK);
        assert_non_null(block->weight);
        assert_true(block->weight[0] == 0.5f);
        assert_true(block->rows == 1 || block->weight[1] == 2);
        assert_int_equal(block->first_line + block->line[0], 2);
        done(&result);
    }
    refuse("a,w,class\n1,-1,x\n", (With){.columns = "w=weight"},
           "t.csv:2:3: column 'w': expected a non-negative sample weight, found '-1'", NULL);
    refuse("a,w,class\n1,,x\n", (With){.columns = "w=weight"}, "t.csv:2:3: * 'w': * ''", NULL);
}

static void test_label(void **unused)
{
    (void)unused;
    check("Target,b,c\n1,2,x\n", (With){0}, "1 b:2 c=x:1\n");
    check("y,b,LABEL\n1,2,3\n", (With){0}, "3 y:1 b:2\n");
    check("a,b,c\n1,x,2\n", (With){0}, "x a:1 c:2\n");
    check("a,b,c\n1,3,2\n", (With){0}, "2 a:1 b:3\n");
    check("a,b,c\nu,x,2\n", (With){0}, "2 a=u:1 b=x:1\n");
    check("a,b,c\n1,3,2\n", (With){.label = "a"}, "1 b:3 c:2\n");
    check("a,b,c\n1,3,2\n", (With){.label = "2"}, "3 a:1 c:2\n");
    check("a,b,c\n1,3,2\n", (With){.label = "none"}, "? a:1 b:3 c:2\n");
    check("a,class\n1,x\n2,\n3,?\n4,NA\n5,x.\n", (With){0}, "x a:1\n? a:2\n? a:3\n? a:4\nx. a:5\n");
    refuse("a,b,c\n1,3,2\n", (With){.label = "d"},
           "--label: column 'd' does not exist in t.csv; the nearest is 'a'",
           "the columns are a, b, c");
}

static void test_notes(void **unused)
{
    (void)unused;
    check_note("a,b,class\n1,p,x\n", (With){0},
               "note: t.csv: with header (--header); label column 'class' (--label), by its name, "
               "1 class; columns: 1 number, "
               "1 category (--columns)\n");
    check_note("1;2\n3;4\n", (With){.rewind = true},
               "note: t.csv: no header (--header), delimiter ';' (--delimiter); label column '2' "
               "(--label), the last column, "
               "2 classes; columns: 1 number (--columns)\n");
    check_note("1;2\n3;4", (With){.label = "none"},
               "note: t.csv: no header (--header), delimiter ';' (--delimiter); columns: 2 number "
               "(--columns)\n"
               "warning: t.csv:2: the file does not end with a newline\n");
}

/* A header, and rows that begin with one of few values, contain a sentence, and end with a unique
 * value. */
static char *news(const char *header, unsigned rows, unsigned few)
{
    Text text = {.data = NULL};

    text_put(&text, header);
    for (unsigned i = 0; i < rows; i++) {
        char line[128];

        snprintf(line, sizeof line, "%u,some words of title %u,%s%u\n", i % few + 1, i,
                 i % 2 ? "u" : "v", i % 100);
        text_put(&text, line);
    }
    return text.data;
}

static void test_label_guess(void **unused)
{
    char *named = news("Class Index,Title,Author\n", 300, 4),
         *unnamed = news("kind,Title,Author\n", 300, 4);
    char *none = news("kind,Title,Author\n", 300, 200),
         *target = news("kind,Title,target\n", 300, 4);

    (void)unused;
    check_note(named, (With){0},
               "note: t.csv: with header (--header); label column 'Class Index' (--label), by its "
               "name, 4 classes; "
               "columns: 1 category, 1 text (--columns)\n");
    check_note(unnamed, (With){0},
               "note: t.csv: with header (--header); label column 'kind' (--label), the first "
               "column, 4 classes; "
               "columns: 1 category, 1 text (--columns)\n");
    check_note(none, (With){.label = "Author", .columns = "kind=ignore"},
               "note: t.csv: with header (--header); columns: 1 text (--columns)\n");
    refuse(none, (With){0},
           "t.csv: the guessed label column 'Author' (the last column) has 100 different values in "
           "300 rows",
           "name the label column with --label");
    refuse(target, (With){0},
           "t.csv: the guessed label column 'target' (by its name) has 100 different values in 300 "
           "rows",
           "name the label column with --label: 'kind' has 4 values");
    check("x,work_class,y\n1,a,2.5\n2,b,3.5\n", (With){0},
          "2.5 x:1 work_class=a:1\n3.5 x:2 work_class=b:1\n");
    free(named);
    free(unnamed);
    free(none);
    free(target);
}

/* ---- missing values -------------------------------------------------------------------------- */

static void test_missing(void **unused)
{
    (void)unused;
    check("a,b,class\n1,2,x\n,3,y\n4,NaN,x\n", (With){0}, "x a:1 b:2\ny b:3 a=?:1\nx a:4 b=?:1\n");
    check("a,b,class\n1,p,x\n2,?,y\n3,,y\n4,NA,y\n", (With){0},
          "x a:1 b=p:1\ny a:2 b=?:1\ny a:3 b=?:1\ny a:4 b=?:1\n");
    check("a,b,class\n1,2,x\n-,3,y\n", (With){.missing = "-,none"}, "x a:1 b:2\ny b:3 a=?:1\n");
    check("a,b,class\n1,NA,x\n2,?,y\n", (With){.missing = "-"}, "x a:1 b=NA:1\ny a:2 b=?:1\n");
}

static void test_values_in_order(void **unused)
{
    (void)unused;
    check("c,d,n,class\nu,p,1,x\nv,p,2,y\nu,q,3,x\n", (With){0},
          "x n:1 c=u:1 d=p:1\ny n:2 d=p:1 c=v:1\nx n:3 c=u:1 d=q:1\n");
}

/* ---- forms ----------------------------------------------------------------------------------- */

static RowForm form_of(const char *table)
{
    Result result;
    const Block *block;
    RowForm form;
    ReadOptions options = options_of((With){0});

    begin(&result, (With){0});
    assert_int_equal(clv_read_memory(result.context, "t.csv", table, strlen(table), &clv_format_csv,
                                     &options, NULL, &result.source, &result.error),
                     OK);
    assert_int_equal(source_next(result.source, &block, &result.error), OK);
    form = block->form;
    done(&result);
    return form;
}

static void test_forms(void **unused)
{
    (void)unused;
    assert_int_equal(form_of("a,b,class\n1,2,x\n3,4,y\n"), ROWS_DENSE);
    assert_int_equal(form_of("a,b,class\n\"1\", 2,x\n3,4,y\n"), ROWS_DENSE);
    assert_int_equal(form_of("a,b,class\n1,2,x\n3,,y\n"), ROWS_GAPS);
    assert_int_equal(form_of("a,b,class\n1,2,x\n3,p,y\n"), ROWS_GAPS);
}

static void test_schema(void **unused)
{
    static const char table[] = "n,c,i,w,m,class\n1,u,9,1,2,x\n3,v,9,1,4,y\n";
    Result result;
    const Schema *schema;

    (void)unused;
    read_bytes(&result, table, strlen(table), (With){.columns = "i=ignore,w=weight"});
    assert_int_equal(result.status, OK);
    schema = &result.source->schema;
    assert_string_equal(schema->format, "csv");
    assert_true(schema->header);
    assert_int_equal(schema->count, 6);
    assert_string_equal(schema->column[4].name, "m");
    assert_int_equal(schema->column[0].kind, COLUMN_NUMBER);
    assert_int_equal(schema->column[0].feature, 0);
    assert_int_equal(schema->column[1].kind, COLUMN_CATEGORY);
    assert_int_equal(schema->column[2].kind, COLUMN_IGNORE);
    assert_int_equal(schema->column[3].kind, COLUMN_WEIGHT);
    assert_int_equal(schema->column[4].feature, 1);
    assert_int_equal(schema->column[5].kind, COLUMN_LABEL);
    assert_int_equal(result.source->features, 4);
    assert_int_equal(result.source->names.count, 4);
    done(&result);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void test_wrong_counts(void **unused)
{
    (void)unused;
    refuse("a,b,class\n1,2,x\n3,4\n", (With){0},
           "t.csv:3:4: expected 3 columns as in the header, found 2", "");
    refuse("a,b,class\n1,2,x\n3,4,y,z,\"q\nr\"\n", (With){0}, "t.csv:3:7: * 3 * 5",
           "put a cell that contains the delimiter in quotes");
    refuse("1,2,x\n3\n", (With){0}, "t.csv:2:2: expected 3 columns as in the first row, found 1",
           NULL);
    refuse("1,2,x\r\n3\r\n", (With){0}, "t.csv:2:2: * 3 * 1", NULL);
    refuse("a,b,class\n1,2,x\n3,4", (With){0}, "t.csv:3:4: * 3 * 2", NULL);
    check("a,b,class\n1,2,x\n3,4", (With){.allow_cut = true}, "x a:1 b:2\n");
    check("a,b,class\n1,2,x\n3,4,y", (With){0}, "x a:1 b:2\ny a:3 b:4\n");
    refuse("a,b,class\n1,\"p\nq\",x\n\n3,4\n", (With){.columns = "b=category"},
           "t.csv:5:4: * 3 * 2", NULL);
}

/* A table so long that its last line is not among the rows from which kinds are guessed. */
static void put_long(Text *table, const char *header, const char *row, const char *last)
{
    text_put(table, header);
    while (table->size < 1100000)
        text_put(table, row);
    text_put(table, last);
}

/* Numbers are missing only after the rows that kinds are guessed from: the rows before, which were
 * packed as dense rows, are unchanged. */
static void test_late_missing(void **unused)
{
    Text table = {.data = NULL}, expected = {.data = NULL};
    size_t row = 0;

    (void)unused;
    text_put(&table, "a,b,class\n");
    text_put(&expected, "");
    for (; table.size < 1100000; row++) {
        bool missing = table.size > 1000000 && row % 250 == 0;
        char line[64], a[24] = "";

        if (!missing)
            snprintf(a, sizeof a, "%zu", row % 7);
        snprintf(line, sizeof line, "%s,%zu,x\n", a, row % 5);
        text_put(&table, line);
        snprintf(line, sizeof line, row % 7 && !missing ? "x a:%s" : "x", a);
        text_put(&expected, line);
        snprintf(line, sizeof line, row % 5 ? " b:%zu" : "", row % 5);
        text_put(&expected, line);
        text_put(&expected, missing ? " a=?:1\n" : "\n");
    }
    check(table.data, (With){.columns = "a=number,b=number"}, expected.data);
    for (unsigned threads = 1; threads <= 3; threads += 2)
        check(table.data, (With){.threads = threads, .chunk_bytes = 1 << 18}, expected.data);
    text_free(&table);
    text_free(&expected);
}

static void refuse_late(const char *last, const char *message, const char *hint)
{
    Text table = {.data = NULL};
    char expected[256];
    Result result;
    unsigned long long lines = 1;

    put_long(&table, "age,zip,class\n", "12345,67890,x\n", last);
    for (size_t i = 0; i + strlen(last) < table.size; i++)
        lines += table.data[i] == '\n';
    snprintf(expected, sizeof expected, "t.csv:%llu:%s", lines, message);
    for (unsigned threads = 1; threads <= 3; threads++) {
        read_bytes(&result, table.data, table.size,
                   (With){.threads = threads, .chunk_bytes = 100000});
        assert_int_equal(result.status, CLEAVE_ERROR_DATA);
        assert_true(test_matches(expected, result.error.message));
        assert_string_equal(result.error.hint, hint);
        done(&result);
    }
    text_free(&table);
}

static void test_bad_numbers(void **unused)
{
    (void)unused;
    refuse_late("7,abc,x\n", "3: column 'zip': expected a number, found 'abc'",
                "pass --columns zip=category to read the column as categories; if the cell means a "
                "missing value, pass --missing abc");
    refuse_late(" \"7z\" ,1,x\n", "2: * 'age': * '7z'",
                "pass --columns age=category to read the column as categories; if the cell means a "
                "missing value, pass --missing 7z");
    refuse_late("1,inf,x\n", "3: column 'zip': the value is not finite: 'inf'",
                "if the cell means a missing value, pass --missing inf");
    refuse_late("1,1e39,x\n", "3: column 'zip': the value is too large for a 32-bit number: '1e39'",
                "if the cell means a missing value, pass --missing 1e39");
    refuse("a,class\n1,x\n-Infinity,x\n", (With){0},
           "t.csv:3:1: column 'a': the value is not finite: '-Infinity'", NULL);
    refuse("a,class\n1,x\nNAN,x\n", (With){0}, "t.csv:3:1: * 'a': *: 'NAN'", NULL);
    refuse("a,class\n1,x\n1e999,x\n", (With){0},
           "t.csv:3:1: column 'a': the value is too large for a 32-bit number: '1e999'", NULL);
    refuse("a,class\n1,x\np,x\n", (With){.columns = "a=number"}, "t.csv:3:1: * 'a': * found 'p'",
           NULL);
    check("a,class\n1e-60,x\n3.4028235e38,x\n", (With){0}, "x\nx a:3.4028235e+38\n");
}

static void test_bad_quotes(void **unused)
{
    (void)unused;
    refuse("a,class\n1,x\n2,\"y\n3,z\n", (With){0}, "t.csv:3:3: this quote is not closed",
           "write a quote inside a quoted cell twice: \"\"");
    refuse("a,class\n1,x\n2,\"", (With){0}, "t.csv:3:3: *", NULL);
    refuse("a,\"class\n1,x\n", (With){0}, "t.csv:1:3: *", NULL);
    refuse(
        "a,class\n1,\"x\"y\n", (With){0},
        "t.csv:2:6: expected the delimiter or the end of the line after a closing quote, found 'y'",
        NULL);
    refuse("a,class\n1,\"x\ny\" z\xC3\xA9\n", (With){0}, "t.csv:3:4: *'z\xC3\xA9'", NULL);
}

static void test_bad_bytes(void **unused)
{
    static const char nul[] = "a,class\n1,x\n2,y\0z\n", nul_first[] = "a,\0\n1,x\n",
                      quoted[] = "a,class\n1,\"p\nq\1\"\n";

    (void)unused;
    refuse_bytes(nul, sizeof nul - 1, (With){0}, "t.csv:3:4: expected text, found the byte 0x00",
                 "set the format with --format if the file is not a text table");
    refuse_bytes(nul_first, sizeof nul_first - 1, (With){0}, "t.csv:1:3: * 0*", NULL);
    refuse_bytes(quoted, sizeof quoted - 1, (With){0},
                 "t.csv:3:2: expected text, found the byte 0x01", NULL);
    refuse("a,class\n1,x\ry\n", (With){0}, "t.csv:2:4: expected text, found the byte 0x0d",
           "end lines with LF or CRLF; a carriage return alone is not a line end");
    refuse("\xFF\xFE"
           "a",
           (With){0}, "t.csv: expected UTF-8 or plain ASCII, found UTF-16",
           "convert the file first: iconv -f UTF-16 -t UTF-8 FILE");
    refuse("\n \n\r\n", (With){0}, "t.csv: expected a table, found only blank lines", NULL);
    refuse("", (With){0}, "t.csv: the file is empty", NULL);
    refuse("a,b,class\n", (With){0}, "t.csv: the file contains no examples (lines read: 1)", NULL);
    check("a,class\n1,gr\xC3\xBCn\n2,caf\xE9\n", (With){0}, "gr\xC3\xBCn a:1\ncaf\xE9 a:2\n");
}

static void test_names_twice(void **unused)
{
    (void)unused;
    refuse("a,b,a,class\n1,2,3,x\n", (With){0}, "t.csv:1: columns 1 and 3 have the same name 'a'",
           "rename * --columns 3=*");
    check("a,b,a,class\n1,2,3,x\n", (With){.columns = "3=ignore"}, "x a:1 b:2\n");
}

/* ---- after a model --------------------------------------------------------------------------- */

static const char trained[] = "n,c,i,m,class\n1,u,9,2,x\n3,v,9,4,y\n";

static void check_guided(const char *training, With how, const char *table, With with,
                         const char *expected, const char *refusal)
{
    Result model, result;
    ReadGuide guide;

    read_bytes(&model, training, strlen(training), how);
    assert_int_equal(model.status, OK);
    guide = (ReadGuide){.schema = &model.source->schema,
                        .names = &model.source->names,
                        .features = model.source->features};
    with.guide = &guide;
    read_bytes(&result, table, strlen(table), with);
    if (refusal) {
        assert_int_not_equal(result.status, OK);
        assert_true(test_matches(refusal, result.error.message));
    } else {
        if (result.status != OK)
            print_error("%s\n", result.error.message);
        assert_int_equal(result.status, OK);
        assert_string_equal(result.rows.data, expected);
        assert_int_equal(result.source->names.count, model.source->names.count);
        assert_int_equal(result.source->features, model.source->features);
    }
    done(&result);
    done(&model);
}

static void test_model_by_name(void **unused)
{
    With how = {.columns = "i=ignore"}, with = {0};

    (void)unused;
    check_guided(trained, how, trained, with, "x n:1 m:2 c=u:1\ny n:3 m:4 c=v:1\n", NULL);
    check_guided(trained, how, "class,m,extra,c,n\nx,2,q,u,1\nz,5,r,new,0\n", with,
                 "x n:1 m:2 c=u:1\nz m:5\n", NULL);
    check_guided(trained, how, "c,m,n\nu,2,1\n?,,1\n", with, "? n:1 m:2 c=u:1\n? n:1\n", NULL);
    check_guided(trained, how, "N,c,m\n1,u,2\n", with, "? n:1 m:2 c=u:1\n", NULL);
    check_guided(trained, how, "N,_n,c,m\n1,1,u,2\n", with, NULL,
                 "t.csv:1: column 'n' of the model is missing in this file; the nearest is 'N'");
    check_guided(trained, how, "k,c,m\n1,u,2\n", (With){.rename = "k=n"}, "? n:1 m:2 c=u:1\n",
                 NULL);
    check_guided(trained, how, "c,extra\nu,2\n", with, NULL,
                 "t.csv:1: columns 'n', 'm' of the model are missing in this file");
    check_guided("n,c,class\n1,u,x\n2,(other),x\n", (With){0}, "n,c\n1,new\n", with,
                 "? n:1 c=(other):1\n", NULL);
    check_guided(trained, how, "truth,c,m,n\nq,u,2,1\n", (With){.label = "truth"},
                 "q n:1 m:2 c=u:1\n", NULL);
    check_guided(trained, how, "truth,c,m,n\nq,u,2,1\n", (With){.label = "m"}, NULL,
                 "t.csv: 'm' is a feature of the model and cannot be the label");
    check_guided(trained, how, "1,u,9,2,x\n", with, NULL,
                 "t.csv:1: expected a header as in the training data, found a row of data");
    check_guided("capital_gain,b,class\n1,2,x\n", (With){0}, "b,Capital-Gain\n2,1\n", with,
                 "? capital_gain:1 b:2\n", NULL);
}

static void test_model_by_place(void **unused)
{
    With how = {.columns = "i=ignore"}, place = {.by_position = true};

    (void)unused;
    check_guided(trained, how, "1,u,9,2,x\n", place, "x n:1 m:2 c=u:1\n", NULL);
    check_guided(trained, how, "1,u,9,2\n", place, "? n:1 m:2 c=u:1\n", NULL);
    check_guided(trained, how, "A,B,C,D,E\n1,u,9,2,x\n", place, "x n:1 m:2 c=u:1\n", NULL);
    check_guided(trained, how, "1,u,9\n", place, NULL,
                 "t.csv:1: expected 5 columns as in the model, found 3");
    check_guided("1,2,x\n3,4,y\n", (With){0}, "5,6,x\n", (With){0}, "x 1:5 2:6\n", NULL);
    check_guided("1,2,x\n3,4,y\n", (With){0}, "5,6\n", (With){0}, "? 1:5 2:6\n", NULL);
    check_guided("1,2,x\n3,4,y\n", (With){0}, "5,,x\n", (With){0}, "x 1:5\n", NULL);
}

/* A model of a built-in set, or of rows from memory with features without names, identifies columns
 * by position; a model of words by name. */
static void test_model_of_other_kind(void **unused)
{
    Context *context = cleave_context_new(NULL);
    Names names;
    Schema schema;
    ReadGuide guide = {.schema = &schema, .names = &names, .features = 2};
    Result result;
    uint32_t column;

    (void)unused;
    clv_schema_init(&schema, context);
    memcpy(schema.format, "builtin", sizeof "builtin");
    clv_names_init(&names, context, true);
    read_bytes(&result, "x,1,2,3\ny,4,5,6\n", 16, (With){.guide = &guide});
    assert_int_equal(result.status, OK);
    assert_string_equal(result.rows.data, "x 1:1 2:2\ny 1:4 2:5\n");
    done(&result);
    clv_names_init(&names, context, false);
    assert_int_equal(clv_names_add(&names, "b", 1, &column, NULL), OK);
    read_bytes(&result, "a,b,class\n1,2,x\n", 16, (With){.guide = &guide});
    assert_int_equal(result.status, OK);
    assert_string_equal(result.rows.data, "x b:2\n");
    done(&result);
    read_bytes(&result, "a,c,class\n1,2,x\n", 16, (With){.guide = &guide});
    assert_int_equal(result.status, CLEAVE_ERROR_DATA);
    assert_string_equal(result.error.message, "t.csv: no column is a feature of the model");
    done(&result);
    clv_names_free(&names);
    cleave_context_free(context);
}

/* ---- several files --------------------------------------------------------------------------- */

static void read_two(Result *result, const char *first, const char *second, With with)
{
    char folder[] = "/tmp/test_csv_XXXXXX", one[64], two[64];
    const char *paths[] = {one, two};
    ReadOptions options = options_of(with);

    assert_non_null(mkdtemp(folder));
    snprintf(one, sizeof one, "%s/1.csv", folder);
    snprintf(two, sizeof two, "%s/2.csv", folder);
    write_file(one, first, strlen(first));
    write_file(two, second, strlen(second));
    begin(result, with);
    result->status = clv_read_files(result->context, paths, 2, &options, NULL, &result->source,
                                    &result->error);
    read_rows(result, with);
    assert_int_equal(unlink(one), 0);
    assert_int_equal(unlink(two), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void check_two(const char *first, const char *second, With with, const char *expected)
{
    Result result;

    read_two(&result, first, second, with);
    if (result.status != OK)
        print_error("%s\n", result.error.message);
    assert_int_equal(result.status, OK);
    assert_string_equal(result.rows.data, expected);
    done(&result);
}

static void refuse_two(const char *first, const char *second, const char *message)
{
    Result result;

    read_two(&result, first, second, (With){0});
    assert_int_not_equal(result.status, OK);
    assert_non_null(strstr(result.error.message, "/2.csv:1: "));
    assert_true(test_matches(message, strstr(result.error.message, "/2.csv:1: ") + 10));
    done(&result);
}

static void test_two_files(void **unused)
{
    (void)unused;
    for (unsigned threads = 1; threads <= 2; threads++)
        for (int again = 0; again < 2; again++) {
            With with = {.threads = threads, .rewind = again};

            check_two("a,c,class\n1,u,x\n", "a,c,class\n2,v,y\n3,u,x\n", with,
                      "x a:1 c=u:1\ny a:2 c=v:1\nx a:3 c=u:1\n");
            check_two("a,b,class\n1,2,x\n", "class;b;a\ny;4;3\n", with, "x a:1 b:2\ny a:3 b:4\n");
            check_two("1,2,x\n", "3,4,y\n", with, "x 1:1 2:2\ny 1:3 2:4\n");
        }
    check_two("a,b,class\n1,2,x\n", "3,4,y\n", (With){.by_position = true},
              "x a:1 b:2\ny a:3 b:4\n");
    refuse_two("a,beta,class\n1,2,x\n", "a,betta,class\n1,2,x\n",
               "column 'beta' of the first file is missing in this file; the nearest is 'betta'");
    refuse_two("a,b,class\n1,2,x\n", "a,b,class,d\n1,2,x,5\n",
               "column 'd' is missing in the first file");
    refuse_two("a,b,class\n1,2,x\n", "1,2,x\n",
               "expected a header as in the first file, found a row of data");
    refuse_two("1,2,x\n", "1,2,3,x\n", "expected 3 columns as in the first file, found 4");
}

/* ---- cutting --------------------------------------------------------------------------------- */

static void test_cut(void **unused)
{
    static const struct {
        const char *text;
        size_t whole;
    } cases[] = {
        {"", 0},
        {"abc", 0},
        {"a\nb", 2},
        {"a\nb\n", 4},
        {"a,\"b\nc", 0},
        {"a,\"b\nc\"\n", 8},
        {"x\na,\"b\nc", 2},
        {"x\na,\"b\"", 2},
        {"x\na,\"b\"\"\n", 2},
        {"x\na,\"b\"\"\"\n", 10},
        {"5\" n\nx", 5},
        {"a, \"b\nc", 0},
        {"a\"\"b\nc", 5},
        {"\"a\nb", 0},
        {"\"a\"\n\"b\nc", 4},
        {"\"a\" \"\nb\n", 8},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(clv_csv_cut(',', cases[i].text, strlen(cases[i].text)), cases[i].whole);
}

static void test_sniff(void **unused)
{
    (void)unused;
    assert_true(clv_format_csv.sniff("a,b\n1,2\n", 8));
    assert_true(clv_format_csv.sniff("a;b;c\n1;2;3\n1;", 14));
    assert_true(clv_format_csv.sniff("\"a,b\",c\n1,2\n", 12));
    assert_false(clv_format_csv.sniff("hello\nworld\n", 12));
    assert_false(clv_format_csv.sniff("1 1:2 3:4\n-1 2:1\n", 17));
    assert_false(clv_format_csv.sniff("a,b\n1,\0\n", 8));
    assert_false(clv_format_tsv.sniff("spam\tbuy now\nham\thello\n", 23));
    assert_true(clv_format_tsv.sniff("a\tb\tc\n1\t2\t3\n", 12));
}

/* ---- large tables ---------------------------------------------------------------------------- */

static void test_many_columns(void **unused)
{
    enum { COLUMNS = 120000 };
    Text table = {.data = NULL};
    char name[32];
    Result result;

    (void)unused;
    for (int i = 0; i < COLUMNS; i++) {
        snprintf(name, sizeof name, "x%d,", i);
        text_put(&table, name);
    }
    text_put(&table, "kind\n");
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < COLUMNS; i++) {
            snprintf(name, sizeof name, "%d,", (i + row) % 10);
            text_put(&table, name);
        }
        text_put(&table, row ? "b\n" : "a\n");
    }
    read_bytes(&result, table.data, table.size, (With){.chunk_bytes = 1000});
    assert_int_equal(result.status, OK);
    assert_int_equal(result.source->rows, 3);
    assert_int_equal(result.source->names.count, COLUMNS);
    assert_int_equal(result.source->labels.count, 2);
    assert_non_null(strstr(result.rows.data, "\nb x0:1 x1:2 x2:3 "));
    done(&result);
    text_free(&table);
}

static void test_long_cells(void **unused)
{
    Text table = {.data = NULL}, expected = {.data = NULL};
    char *cell = malloc(3000001);

    (void)unused;
    assert_non_null(cell);
    memset(cell, 'q', 3000000);
    cell[3000000] = '\0';
    text_put(&table, "a,c,class\n1,p,x\n2,\"");
    text_put(&table, cell);
    text_put(&table, "\",y\n");
    text_put(&expected, "x a:1 c=p:1\ny a:2 c=");
    text_put(&expected, cell);
    text_put(&expected, ":1\n");
    check(table.data, (With){0}, expected.data);
    free(cell);
    text_free(&table);
    text_free(&expected);
}

/* ---- random tables --------------------------------------------------------------------------- */

static const char *const pieces[] = {"a",    "b", "\xC3\xA9", " ", ",", "\"", "\n",
                                     "\r\n", "0", ";",        "x", "=", "-"};

/* Text that does not look like a number, a missing value or one with blanks at its ends; never
 * empty. */
static void random_word(Random *random, Text *word)
{
    uint64_t length = clv_random_below(random, 5);

    text_put(word, "w");
    for (uint64_t i = 0; i < length; i++)
        text_put(word, pieces[clv_random_below(random, sizeof pieces / sizeof *pieces)]);
    text_put(word, "z");
}

static void put_cell(Random *random, Text *table, const char *word)
{
    bool quote = strpbrk(word, ",\"\r\n") != NULL || clv_random_below(random, 3) == 0;
    const char *blanks = clv_random_below(random, 4) == 0 ? " " : "";

    text_put(table, blanks);
    if (quote)
        text_put(table, "\"");
    for (const char *c = word; *c; c++) {
        text_add(table, c, 1);
        if (quote && *c == '"')
            text_put(table, "\"");
    }
    if (quote)
        text_put(table, "\"");
    text_put(table, blanks);
}

enum { MOST_COLUMNS = 6 };

/* A random table, and the rows it should be read as. The last column is the label, words; odd
 * ones are categories. */
static void random_table(Random *random, Text *table, Text *expected)
{
    uint64_t columns = 2 + clv_random_below(random, MOST_COLUMNS - 1),
             rows = 1 + clv_random_below(random, 12);
    bool categories = clv_random_below(random, 2), missing = clv_random_below(random, 2);
    const char *newline = clv_random_below(random, 2) ? "\r\n" : "\n";

    for (uint64_t j = 0; j < columns; j++) {
        char name[16];

        snprintf(name, sizeof name, "%s%d", j + 1 < columns ? "col" : "label", (int)j);
        put_cell(random, table, j + 1 < columns ? name : "label");
        text_put(table, j + 1 < columns ? "," : newline);
    }
    for (uint64_t i = 0; i < rows; i++) {
        Text numbers = {.data = NULL}, values = {.data = NULL}, label = {.data = NULL};

        text_put(&numbers, "");
        text_put(&values, "");
        for (uint64_t j = 0; j + 1 < columns; j++) {
            Text word = {.data = NULL};
            bool category = categories && j % 2,
                 lost = missing && i && clv_random_below(random, 4) == 0;
            char part[64];

            if (lost) {
                text_put(&word, clv_random_below(random, 2) ? "" : "NA");
            } else if (category) {
                random_word(random, &word);
            } else {
                snprintf(part, sizeof part, "%d.5", (int)clv_random_below(random, 100));
                text_put(&word, part);
                snprintf(part, sizeof part, " col%d:%s", (int)j, word.data);
                text_put(&numbers, part);
            }
            if (lost || category) {
                snprintf(part, sizeof part, "\tcol%d=", (int)j);
                text_put(&values, part);
                text_put(&values, lost ? "?" : word.data);
                text_put(&values, ":1");
            }
            put_cell(random, table, word.data);
            text_put(table, ",");
            text_free(&word);
        }
        random_word(random, &label);
        put_cell(random, table, label.data);
        text_put(table, i + 1 < rows || clv_random_below(random, 4) ? newline : "");
        if (clv_random_below(random, 8) == 0 && i + 1 < rows)
            text_put(table, newline);
        text_put(expected, label.data);
        text_put(expected, numbers.data);
        text_put(expected, values.data);
        text_put(expected, "\n");
        text_free(&numbers);
        text_free(&values);
        text_free(&label);
    }
}

/* Rows as the table has them: numbers, then values in order of columns, each after a tab. */
static void put_in_order(Text *text, Source *source, const Block *block, uint32_t row)
{
    uint32_t label = block_label(block, row);
    char buffer[24];

    text_put(text, label == UNLABELED ? "?" : source->labels.list[label].text);
    for (int j = -1; j < MOST_COLUMNS; j++) { /* numbers, then the values of each column */
        for (RowWalk walk = clv_walk(block, row); clv_walk_next(&walk);) {
            const char *name = clv_names_get(&source->names, walk.column, buffer);
            bool number = strlen(name) == 4;

            if (number ? j != -1 : name[3] - '0' != j)
                continue;
            text_put(text, number ? " " : "\t");
            text_put(text, name);
            text_put(text, ":");
            text_put_value(text, walk.value);
        }
    }
    text_put(text, "\n");
}

static void read_in_order(const Text *table, size_t chunk_bytes, unsigned threads, Text *rows,
                          Text *names)
{
    Result result;
    ReadOptions options = options_of((With){.chunk_bytes = chunk_bytes, .label = "label"});
    const Block *block;
    char buffer[24];

    begin(&result, (With){.threads = threads});
    result.status = clv_read_memory(result.context, "t.csv", table->data, table->size,
                                    &clv_format_csv, &options, NULL, &result.source, &result.error);
    for (block = NULL; result.status == OK;) {
        result.status = source_next(result.source, &block, &result.error);
        if (!block)
            break;
        for (uint32_t row = 0; row < block->rows; row++)
            put_in_order(rows, result.source, block, row);
    }
    if (result.status != OK)
        print_error("%s\n%s\n", result.error.message, table->data);
    assert_int_equal(result.status, OK);
    text_put(names, "");
    for (uint32_t i = 0; i < result.source->names.count; i++) {
        text_put(names, clv_names_get(&result.source->names, i, buffer));
        text_put(names, "\n");
    }
    done(&result);
}

static void test_random_tables(void **unused)
{
    enum { TABLES = 300 };

    (void)unused;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        Random random = clv_random(seed, 0);
        Text table = {.data = NULL}, expected = {.data = NULL}, names = {.data = NULL};

        random_table(&random, &table, &expected);
        for (size_t chunk = 0; chunk <= table.size; chunk += 1 + chunk / 4) {
            Text rows = {.data = NULL}, again = {.data = NULL};

            read_in_order(&table, chunk, 1 + (unsigned)(seed + chunk) % 3, &rows, &again);
            if (strcmp(rows.data, expected.data) != 0)
                print_error("seed %d, chunks of %zu bytes:\n%s", (int)seed, chunk, table.data);
            assert_string_equal(rows.data, expected.data);
            if (!names.data)
                text_put(&names, again.data);
            assert_string_equal(names.data, again.data);
            text_free(&rows);
            text_free(&again);
        }
        text_free(&table);
        text_free(&expected);
        text_free(&names);
    }
}

/* A row of a table whose cells are few and come again and again. */
static void put_repeated_row(Random *random, Text *table, char delimiter)
{
    static const char *const numbers[] = {"0",      "0",       "0",        "0",         "0",
                                          "0.00",   "1.00",    "255",      "-0",        "1e3",
                                          "1.5e-3", "1234567", "12345678", "0.1234567", "7 ",
                                          " 12",    "\"3\"",   "9",        "10",        "1000000"};
    static const char *const odd[] = {"?", "", "0.0", "+5", "1e39", "x"};
    static const char *const values[] = {"tcp",
                                         "icmp",
                                         "0",
                                         "exactly15 bytes",
                                         "and 16 bytes too",
                                         "much longer than any other",
                                         "",
                                         "?",
                                         "\"tcp\"",
                                         "\"a\"\"b\"",
                                         "\"two\nlines\"",
                                         " tcp"};
    static const char *const labels[] = {
        "smurf.", "normal.", "neptune.", "warezclient and so on.", "?", "\"smurf.\"", "a"};
    char after[2] = {delimiter, '\0'};

    for (int column = 0; column < 12; column++) {
        bool value = column == 1 || column == 7;
        const char *cell =
            value ? values[clv_random_below(random, sizeof values / sizeof *values)]
                  : numbers[clv_random_below(random, sizeof numbers / sizeof *numbers)];

        if (!value && clv_random_below(random, 400) == 0)
            cell = odd[clv_random_below(random, sizeof odd / sizeof *odd)];
        text_put(table, cell);
        if (clv_random_below(random, 3000) > 0)
            text_put(table, after);
    }
    text_put(table, labels[clv_random_below(random, sizeof labels / sizeof *labels)]);
    text_put(table, clv_random_below(random, 4) == 0 ? "\r\n" : "\n");
}

/* The value of a cell does not depend on the cells above it: with chunks of one row, there are
 * none. */
static void test_repeated_cells(void **unused)
{
    enum { TABLES = 400 };
    int read = 0, refused = 0;

    (void)unused;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        Random random = clv_random(seed, 2);
        Text table = {.data = NULL};
        char delimiter[2] = {seed % 3 ? ',' : ';', '\0'};
        With with = {.header = HEADER_NO,
                     .delimiter = delimiter,
                     .columns = "2=category,8=category,13=label"};
        Result one, each;

        for (uint64_t row = 0; row < 3 + seed % 40; row++)
            put_repeated_row(&random, &table, delimiter[0]);
        read_bytes(&one, table.data, table.size, with);
        with.chunk_bytes = 1;
        read_bytes(&each, table.data, table.size, with);
        assert_int_equal(one.status, each.status);
        if (one.status == OK)
            assert_string_equal(one.rows.data, each.rows.data);
        else
            assert_string_equal(one.error.message, each.error.message);
        read += one.status == OK;
        refused += one.status != OK;
        done(&one);
        done(&each);
        text_free(&table);
    }
    assert_true(read > TABLES / 4 && refused > 20);
}

/* The line number of an error counts the lines of a quoted cell that occurs repeatedly. */
static void test_repeated_lines(void **unused)
{
    (void)unused;
    refuse("a,c,class\n1,\"p\nq\",x\n1,\"p\nq\",x\n1,\"p\nq\",x\nz,r,x\n",
           (With){.columns = "a=number"}, "t.csv:8:1: * 'a': * 'z'", NULL);
}

/* Zeros are detected four at a time, and the last of a row ends with the row. */
static void test_zeros(void **unused)
{
    (void)unused;
    check("x,0,0,0,0\ny,0,0,0,0\nx,0,0,0,1\ny,0,0,0,0", (With){.header = HEADER_NO, .label = "1"},
          "x\ny\nx 5:1\ny\n");
    check("x,p,0,0,0,0,5\ny,q,0,0,0,0,0\nx,p,0,0,0,0.00,7\n",
          (With){.header = HEADER_NO, .label = "1"}, "x 7:5 2=p:1\ny 2=q:1\nx 7:7 2=p:1\n");
    refuse("x,0,0,0,0\ny,0,0,0,0,\n", (With){.header = HEADER_NO, .label = "1"},
           "t.csv:2:11: * 5 * 6", NULL);
    refuse("x,0,0,0,0,0\ny,0,0,0,0\n", (With){.header = HEADER_NO, .label = "1"},
           "t.csv:2:10: * 6 * 5", NULL);
}

/* Any bytes have a result, which is the same for any chunks. */
static void test_random_bytes(void **unused)
{
    static const char alphabet[] = "01.,,,\"\"\n\n\r\n abe-;\t|=?";

    (void)unused;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        Random random = clv_random(seed, 1);
        char bytes[200];
        size_t size = 1 + clv_random_below(&random, sizeof bytes - 1);
        Result one, two;

        for (size_t i = 0; i < size; i++)
            bytes[i] = seed % 4 == 0 ? (char)clv_random_below(&random, 256)
                                     : alphabet[clv_random_below(&random, sizeof alphabet - 1)];
        read_bytes(&one, bytes, size, (With){0});
        read_bytes(&two, bytes, size, (With){.chunk_bytes = 1 + seed % 7, .threads = 1 + seed % 2});
        assert_int_equal(one.status, two.status);
        if (one.status == OK)
            assert_string_equal(one.rows.data, two.rows.data);
        else
            assert_string_equal(one.error.message, two.error.message);
        done(&one);
        done(&two);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

typedef struct {
    long calls, fail_at;
} Meter;

static void *allocate(void *user, void *old, size_t size)
{
    Meter *meter = user;

    if (size == 0) {
        free(old);
        return NULL;
    }
    return ++meter->calls == meter->fail_at ? NULL : realloc(old, size);
}

static Status read_metered(Meter *meter, const char *table)
{
    Context *context = cleave_context_new(&(cleave_config){
        .size = sizeof(cleave_config), .allocate = allocate, .user = meter, .threads = 1});
    ReadOptions options = options_of((With){.chunk_bytes = 20});
    Source *source = NULL;
    Text rows = {.data = NULL};
    cleave_error error;
    Status status = CLEAVE_ERROR_MEMORY;

    if (context)
        status = clv_read_memory(context, "t.csv", table, strlen(table), &clv_format_csv, &options,
                                 NULL, &source, &error);
    if (status == OK)
        status = text_put_source(&rows, source, &error);
    clv_source_close(source);
    cleave_context_free(context);
    text_free(&rows);
    return status;
}

static void test_short_memory(void **unused)
{
    static const char *const tables[] = {
        "a,b,class\n1,2,x\n3,4,y\n5,,\"z\"\"\"\n6,7,x\n",
        "a,c,\"cl\"\"ass\"\n1,\"p\"\"\",x\n3,q,y\n5,,z\n6,p,x\n",
        "a,d,class\n1,2024-01-01,x\n3,2024-01-02,y\n5,,z\n",
    };

    (void)unused;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        Meter meter = {.calls = 0};
        long calls;

        assert_int_equal(read_metered(&meter, tables[i]), OK);
        calls = meter.calls;
        for (long at = 1; at <= calls; at++) {
            meter = (Meter){.fail_at = at};
            assert_int_equal(read_metered(&meter, tables[i]), CLEAVE_ERROR_MEMORY);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_delimiters),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_decimal_commas),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_impossible_dates),
        cmocka_unit_test(test_date_orders),
        cmocka_unit_test(test_label),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_label_guess),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_values_in_order),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_wrong_counts),
        cmocka_unit_test(test_late_missing),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_bad_quotes),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_names_twice),
        cmocka_unit_test(test_model_by_name),
        cmocka_unit_test(test_model_by_place),
        cmocka_unit_test(test_model_of_other_kind),
        cmocka_unit_test(test_two_files),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_sniff),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_long_cells),
        cmocka_unit_test(test_random_tables),
        cmocka_unit_test(test_repeated_cells),
        cmocka_unit_test(test_repeated_lines),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_short_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
