/* base64.h - bytes as text that JSON can hold. Source: RFC 4648, section 4, with padding.
 *
 * The parser is strict: it accepts only the alphabet, whole groups of four, padding only at the end, and no bits after the
 * last byte, so that the same bytes have exactly one text.
 */
#ifndef TSCOPE_BASE_BASE64_H
#define TSCOPE_BASE_BASE64_H

#include "base/buf.h"

/* Appends the text of bytes. */
void ts_base64_print(struct ts_buf *out, struct ts_span bytes);
/* How many bytes the text stands for, if it is valid. */
size_t ts_base64_len(struct ts_span text);
/* Writes ts_base64_len(text) bytes to out. False if the text is not valid: *ret_at is then the offset of its first wrong byte. */
bool ts_base64_parse(struct ts_span text, uint8_t *out, size_t *ret_at);

#endif
