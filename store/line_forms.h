/* line_forms.h - compresses text whose lines differ in their numbers alone, as logs and traces do: each form once, numbers in columns.
 *
 * Text is cut behind each line feed and each closing brace. What is left of such a piece when its numbers are taken out is its form;
 * the different forms are kept once, in the order in which they come, and of each piece which form it has. Numbers of all pieces go
 * into columns by the few bytes before them ("dur": ), so that a column has numbers of one kind; each is a stream of words (codec.h).
 * docs/sealed.md has the bytes.
 *
 * Threads: safe; memory is taken for the call alone, twice the text and some ten bytes for each number and piece.
 */
#ifndef TSCOPE_STORE_LINE_FORMS_H
#define TSCOPE_STORE_LINE_FORMS_H

#include "base/buf.h"
#include "store/codec.h"

/* Appends the text to out, or nothing and TS_UNSUPPORTED, if it has a byte that stands for a number in a form (a control character
 * other than tab, line feed and carriage return), or more pieces or numbers than an eighth of its bytes. */
enum ts_status ts_lines_encode(struct ts_scratch *s, struct ts_span text, struct ts_buf *out, struct ts_error *err);
/* Decodes to exactly len bytes at out; TS_DAMAGED if the bytes do not decode to that. */
enum ts_status ts_lines_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len, struct ts_error *err);

#endif
