/* Mail, its transfer encodings and character sets, and pages: well-formed examples, then broken
 * ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/support.h"
#include "text/charset.h"
#include "text/html.h"
#include "text/mail.h"
#include "text/transfer.h"

static Context *context;

static int set_up(void **state)
{
    (void)state;
    context = cleave_context_new(NULL);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    cleave_context_free(context);
    return 0;
}

static void assert_holds(const Buffer *buffer, const char *expected)
{
    if (buffer->size != strlen(expected) ||
        (buffer->size && memcmp(buffer->data, expected, buffer->size) != 0))
        print_error("expected '%s', found '%.*s'\n", expected, (int)buffer->size,
                    buffer->data ? buffer->data : "");
    assert_int_equal(buffer->size, strlen(expected));
    if (buffer->size)
        assert_memory_equal(buffer->data, expected, buffer->size);
}

/* Reads from a copy that ends with the bytes, so that sanitizers detect reading past the end. */
static char *exact_copy(const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);

    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

static void page(const char *html, const char *expected)
{
    Buffer text = {0};
    cleave_error error;
    char *copy = exact_copy(html, strlen(html));

    assert_int_equal(clv_html_text(context, copy, strlen(html), &text, &error), OK);
    assert_holds(&text, expected);
    clv_free(context, text.data);
    free(copy);
}

static Mail read_mail(const char *bytes, size_t size)
{
    Mail mail = {0};
    cleave_error error;
    char *copy = exact_copy(bytes, size);

    assert_int_equal(clv_mail_read(context, copy, size, &mail, &error), OK);
    assert_int_equal(mail.body.data[mail.body.size], '\n');
    assert_int_equal(mail.subject.data[mail.subject.size], '\n');
    free(copy);
    return mail;
}

static void mail_reads(const char *bytes, const char *address, const char *host,
                       const char *subject, const char *body)
{
    Mail mail = read_mail(bytes, strlen(bytes));

    assert_holds(&mail.address, address);
    assert_holds(&mail.host, host);
    assert_holds(&mail.subject, subject);
    assert_holds(&mail.body, body);
    clv_mail_free(context, &mail);
}

static void body_reads(const char *bytes, const char *body)
{
    Mail mail = read_mail(bytes, strlen(bytes));

    assert_holds(&mail.body, body);
    clv_mail_free(context, &mail);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void tags_part_words_unless_they_change_the_look(void **state)
{
    (void)state;
    page("<p>One<p>two<br>three</p>", "\nOne\ntwo\nthree\n");
    page("V<b>i</b>a<!-- x -->gr<FONT color=red>a</FONT>", "Viagra");
    page("<td>a<td>b", "\na\nb");
    page("a<a href='x'>b</a>c", "abc");
}

static void scripts_styles_and_comments_go(void **state)
{
    (void)state;
    page("a<script>if (x<3) y('</p>')</script>b", "a\n\nb");
    page("a<STYLE type=x>p { }</Style >b", "a\n\nb");
    page("a<!-- <b> -- > x -->b<!---->c<!-->d", "abcd");
    page("a<script>never ends", "a\n");
    page("a<!-- never ends > x", "a");
    page("<!DOCTYPE html><html>a", "\n\na");
}

static void quoted_values_may_hold_what_ends_a_tag(void **state)
{
    (void)state;
    page("<img alt=\"a > b\" src='>'>c", "\nc");
    page("<img alt=\"never closed>c <img alt=\"d\">e", "\ne"); /* closed by the next quote */
    page("<p title='>never closed", "\nnever closed");
    page("don't <p class=a'b>c", "don't \nc");
}

static void a_sign_that_opens_no_tag_is_text(void **state)
{
    (void)state;
    page("1 < 2 <3 << <", "1 < 2 <3 << <");
    page("a <b", "a <b");
    page("<", "<");
    page("</", "</");
    page("<!", "<!");
    page("", "");
}

static void entities_are_characters(void **state)
{
    (void)state;
    page("&lt;b&gt; &amp;amp; &quot;x&quot;", "<b> &amp; \"x\"");
    page("caf&eacute; &#233; &#xE9; &#XE9;", "caf\xC3\xA9 \xC3\xA9 \xC3\xA9 \xC3\xA9");
    page("a&nbsp;b &copy 5&euro;", "a b \xC2\xA9 5\xE2\x82\xAC");
    page("&#128; &#150;", "\xE2\x82\xAC \xE2\x80\x93"); /* Windows-1252, as on the web */
    page("co&shy;op co&#173;op", "coop coop");
}

static void what_is_no_entity_stays(void **state)
{
    (void)state;
    page("AT&T & &; &#; &#x; &nosuch; &#", "AT&T & &; &#; &#x; &nosuch; &#");
    page("&#0; &#99999999999; &#xD800;", "\xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD");
}

static void pages_are_recognized(void **state)
{
    (void)state;
    assert_true(clv_html_begins("<!DOCTYPE HTML PUBLIC>", 22));
    assert_true(clv_html_begins(" \n<!-- x --><HTML lang=de>", 26));
    assert_false(clv_html_begins("<htmlx>", 7));
    assert_false(clv_html_begins("See <html>", 10));
    assert_false(clv_html_begins("<!-- ", 5));
    assert_false(clv_html_begins("", 0));
}

/* ---- encodings ------------------------------------------------------------------------------- */

static void base64(const char *text, const char *expected)
{
    Buffer bytes = {0};
    cleave_error error;

    assert_int_equal(clv_add_base64(context, &bytes, text, strlen(text), &error), OK);
    assert_holds(&bytes, expected);
    clv_free(context, bytes.data);
}

static void quoted(const char *text, bool header, const char *expected)
{
    Buffer bytes = {0};
    cleave_error error;

    assert_int_equal(clv_add_quoted(context, &bytes, text, strlen(text), header, &error), OK);
    assert_holds(&bytes, expected);
    clv_free(context, bytes.data);
}

static void base64_gives_what_it_can(void **state)
{
    (void)state;
    base64("", "");
    base64("Zg==", "f");
    base64("Zm8=", "fo");
    base64("Zm9vYmFy", "foobar");
    base64("Zm9v\r\nYmFy\r\n", "foobar");
    base64("Z!m*9 v", "foo");  /* other characters are skipped */
    base64("Zm9vY", "foo");    /* truncated: six bits are not a byte */
    base64("Zg==Zm8=", "ffo"); /* two pieces in succession */
}

static void quoted_printable_gives_what_it_can(void **state)
{
    (void)state;
    quoted("caf=C3=A9 =3d", false, "caf\xC3\xA9 =");
    quoted("soft=\nbreak and =  \r\nagain=", false, "softbreak and again");
    quoted("a=b =C =ZZ =4", false, "a=b =C =ZZ =4");
    quoted("a_b=5F", true, "a b_");
    quoted("a_b", false, "a_b");
}

static void latin_becomes_utf8(void **state)
{
    Buffer text = {0};
    cleave_error error;

    (void)state;
    assert_int_equal(clv_add_latin(context, &text, "na\xEFve \x80 \x93x\x94", 11, &error), OK);
    assert_holds(&text, "na\xC3\xAFve \xE2\x82\xAC \xE2\x80\x9Cx\xE2\x80\x9D");
    clv_free(context, text.data);
    assert_true(clv_is_latin("ISO-8859-1", 10));
    assert_true(clv_is_latin("Windows-1252", 12));
    assert_false(clv_is_latin("iso-8859-2", 10));
    assert_false(clv_is_latin("iso-8859-", 9));
    assert_false(clv_is_latin("", 0));
    assert_false(clv_is_latin(NULL, 0));
}

/* ---- mail ------------------------------------------------------------------------------------ */

static void a_plain_mail(void **state)
{
    (void)state;
    mail_reads("From: Joe <Joe@Mail.Example.com>\nSubject: Hello\n\tthere\n\nBody\n",
               "joe@mail.example.com", "mail.example.com", "Hello\n\tthere", "Body\n\n");
    mail_reads("From joe Mon Jan 1 00:00:00 2001\nfrom: a@b.org (Joe)\r\nSUBJECT: x\r\n\r\ny\r\n",
               "a@b.org", "b.org", "x", "y\r\n\n");
    mail_reads("Return-Path: <bounce@list.org>\nSubject: x\n\ny", "bounce@list.org", "list.org",
               "x", "y\n");
}

static void senders(void **state)
{
    (void)state;
    mail_reads("From: \"a@b.com\" <real@c.org>\nTo: x@y.z\n\n", "real@c.org", "c.org", "", "\n");
    mail_reads("From: joe@example.com. \n\n", "joe@example.com", "example.com", "", "\n");
    mail_reads("From: sender\n\n", "", "", "", "\n");
    mail_reads("From: @ a@ @b\n\n", "", "", "", "\n");
    mail_reads("From: =?utf-8?q?J=C3=B6?= <jo@x.de>\n\n", "jo@x.de", "x.de", "", "\n");
}

static void words_of_a_header_in_other_sets(void **state)
{
    (void)state;
    mail_reads("From: a@b\nSubject: =?UTF-8?Q?caf=C3=A9_au?= lait\n\n", "a@b", "b",
               "caf\xC3\xA9 au lait", "\n");
    mail_reads("From: a@b\nSubject: =?iso-8859-1?b?Y2Fm6Q==?=\n =?iso-8859-1*en?q?s?=\n\n", "a@b",
               "b", "caf\xC3\xA9s", "\n");
    /* Invalid ones are unchanged, and so are eight-bit bytes, which the tokenizer decodes. */
    mail_reads("From: a@b\nSubject: =?utf-8?x?y?= =?utf-8?q?never =? a=b \xE9\n\n", "a@b", "b",
               "=?utf-8?x?y?= =?utf-8?q?never =? a=b \xE9", "\n");
}

static void parts(void **state)
{
    (void)state;
    body_reads(
        "Content-Type: multipart/mixed; boundary=\"xx\"\nFrom: a@b\n\npreamble\n--xx\n\none\n--xx\n"
        "Content-Type: text/html\n\n<p>two</p>\n--xx\nContent-Type: "
        "image/gif\nContent-Transfer-Encoding: base64\n\n"
        "R0lGODdh\n--xx--\nepilogue\n",
        "one\n\n\ntwo\n\n\n");
}

static void nested_parts(void **state)
{
    (void)state;
    body_reads("Content-Type: multipart/mixed;\n\tboundary=a\nFrom: a@b\n\n--a\n"
               "Content-Type: multipart/alternative; charset=x; boundary=\"b c\"\n\n--b c\n"
               "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: "
               "quoted-printable\n\ncaf=E9\n"
               "--b c\nContent-Type: text/html; "
               "charset=\"windows-1252\"\nContent-Transfer-Encoding: base64\n\n"
               "PGI+Y2Fm6TwvYj4=\n--b c--\n--a\nContent-Type: message/rfc822\n\nSubject: "
               "inner\nFrom: x@y\n\ndeep\n--a--\n",
               "caf\xC3\xA9\n\ncaf\xC3\xA9\ninner\ndeep\n\n");
}

static void boundaries_that_are_not_there(void **state)
{
    (void)state;
    body_reads("Content-Type: multipart/mixed\nFrom: a@b\n\n--x\n\ntext\n", "--x\n\ntext\n\n");
    body_reads("Content-Type: multipart/mixed; boundary=x\nFrom: a@b\n\ntext\n--xy\n",
               "text\n--xy\n\n");
    body_reads("Content-Type: multipart/mixed; boundary=x\nFrom: a@b\n\n--x\n\ncut short",
               "cut short\n");
    body_reads("Content-Type: multipart/mixed; boundary=\"x\nFrom: a@b\n\n--x\n\ny",
               "y\n"); /* an unclosed quote */
    body_reads("Content-Type: multipart/mixed; boundary=x; ;=;a\nFrom: a@b\n\n--x--\n--x\n\ny", "");
}

static void depth_has_an_end(void **state)
{
    char bytes[4096] = "From: a@b\n";
    size_t length = strlen(bytes);
    Mail mail;

    (void)state;
    for (int i = 0; i < 30; i++)
        length += (size_t)snprintf(bytes + length, sizeof bytes - length,
                                   "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i);
    mail = read_mail(bytes, length);
    assert_holds(&mail.body, "");
    clv_mail_free(context, &mail);
}

static void what_is_no_mail_is_text(void **state)
{
    (void)state;
    mail_reads("", "", "", "", "\n");
    mail_reads("Just text.\nMore of it.\n", "", "", "", "Just text.\nMore of it.\n\n");
    mail_reads("Note: one line", "", "", "", "Note: one line\n");
    mail_reads("From here on: text", "", "", "", "From here on: text\n");
    mail_reads("Content-Type: text\nFrom: a@b\n\nold", "a@b", "b", "", "old\n");
    mail_reads("Subject: no body", "", "", "no body", "\n");
    mail_reads("From: a@b\n \nbody after a line of blanks", "a@b", "b", "",
               " \nbody after a line of blanks\n");
}

static void mails_are_recognized(void **state)
{
    static const char *const mails[] = {
        "From a@b Mon\nTo: x\n\n", "Received: from x\n by y\nFrom: a\n\n",
        "From: a\nX: y\nmessage-id: <x>\n\n", "Return-Path: <x>\nDelivered-To: y"};
    static const char *const others[] = {
        "From: a@b\nSubject: x\n\nnews", "From here to there\nand back", "", "Received: x",
        "X-Mailer: y\tFrom: z",          "text\nReceived: x\nFrom: y\n"};

    (void)state;
    for (size_t i = 0; i < sizeof mails / sizeof *mails; i++)
        assert_true(clv_mail_begins(mails[i], strlen(mails[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(clv_mail_begins(others[i], strlen(others[i])));
}

static void memory_may_fail_anywhere(void **state)
{
    static const char bytes[] =
        "From: =?utf-8?q?J?= <jo@x.de>\nSubject: =?utf-8?b?Zm9v?= x\n"
        "Content-Type: multipart/mixed; boundary=x\n\n--x\n"
        "Content-Type: text/html; charset=latin1\nContent-Transfer-Encoding: "
        "base64\n\nPGI+Y2Fm6Q==\n--x\n"
        "Content-Transfer-Encoding: quoted-printable\n\nx=\ny\n--x--\n";

    (void)state;
    for (long long fail_at = 1;; fail_at++) {
        TestMemory memory = {.fail_at = fail_at + 1}; /* the first is the context */
        Context *own = cleave_context_new(&(cleave_config){
            .size = sizeof(cleave_config), .allocate = test_allocate, .user = &memory});
        Mail mail = {0};
        cleave_error error;
        Status status = clv_mail_read(own, bytes, sizeof bytes - 1, &mail, &error);

        clv_mail_free(own, &mail);
        cleave_context_free(own);
        assert_int_equal(memory.live, 0);
        if (status == OK) {
            assert_int_equal(memory.failures, 0);
            assert_true(fail_at > 5);
            return;
        }
        assert_int_equal(status, CLEAVE_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_part_words_unless_they_change_the_look),
        cmocka_unit_test(scripts_styles_and_comments_go),
        cmocka_unit_test(quoted_values_may_hold_what_ends_a_tag),
        cmocka_unit_test(a_sign_that_opens_no_tag_is_text),
        cmocka_unit_test(entities_are_characters),
        cmocka_unit_test(what_is_no_entity_stays),
        cmocka_unit_test(pages_are_recognized),
        cmocka_unit_test(base64_gives_what_it_can),
        cmocka_unit_test(quoted_printable_gives_what_it_can),
        cmocka_unit_test(latin_becomes_utf8),
        cmocka_unit_test(a_plain_mail),
        cmocka_unit_test(senders),
        cmocka_unit_test(words_of_a_header_in_other_sets),
        cmocka_unit_test(parts),
        cmocka_unit_test(nested_parts),
        cmocka_unit_test(boundaries_that_are_not_there),
        cmocka_unit_test(depth_has_an_end),
        cmocka_unit_test(what_is_no_mail_is_text),
        cmocka_unit_test(mails_are_recognized),
        cmocka_unit_test(memory_may_fail_anywhere),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
