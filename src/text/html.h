/*
 * The text of an HTML page, as a reader would see it: tags, comments, scripts and styles are left out, entities are
 * characters (https://html.spec.whatwg.org, sections 13.1 and 13.2, of which this is the part that words need).
 *
 * A tag that only changes the look (<b>, <font>, …) and a comment part no words, so that "V<b>i</b>agra" is one; any other
 * tag does. What is broken has an answer: a '<' that opens no tag, or a tag that never ends, is text; a comment, script or
 * style that never ends takes the rest of the page; an entity that is none stays as it is written.
 */
#ifndef TEXT_HTML_H
#define TEXT_HTML_H

#include "base/memory.h"

/* Adds the page's text to a buffer, at most three bytes for each of the page's. */
Status clv_html_text(Context *context, const char *page, size_t size, Buffer *text, cleave_error *error);

/* Whether a document begins as a page does: "<!doctype html" or "<html", after blanks and comments. */
bool clv_html_begins(const char *text, size_t size);

#endif
