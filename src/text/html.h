/*
 * Extracts the visible text of an HTML page: tags, comments, scripts and styles are dropped,
 * entities are decoded (https://html.spec.whatwg.org, sections 13.1 and 13.2, restricted to words).
 *
 * Inline tags (<b>, <font>, …) and comments do not separate words, so "V<b>i</b>agra" is one word;
 * other tags do. Invalid markup has defined results. A '<' without a tag and an unclosed tag are
 * text. An unclosed comment, script or style extends to the end of the page. An unknown entity is
 * unchanged.
 */
#ifndef TEXT_HTML_H
#define TEXT_HTML_H

#include "base/memory.h"

/* Appends the page's text to a buffer, at most three bytes per byte of the page. */
Status clv_html_text(Context *context, const char *page, size_t size, Buffer *text,
                     cleave_error *error);

/* Returns whether a document starts as a page: "<!doctype html" or "<html", after blanks and
 * comments. */
bool clv_html_begins(const char *text, size_t size);

#endif
