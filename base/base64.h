/* base64.h - bytes as text that JSON can hold. Source: RFC 4648, section 4, with padding.
 *
 * Reading is strict: nothing but the alphabet, whole groups of four, padding only at the end, and no bits behind the last byte,
 * so that the same bytes have one text.
 */
#ifndef TSCOPE_BASE_BASE64_H
#define TSCOPE_BASE_BASE64_H

#include "base/buf.h"

void ts_base64_print(struct ts_buf *out, struct ts_span bytes);
/* How many bytes text stands for, where it is such text. */
size_t ts_base64_len(struct ts_span text);
/* out takes ts_base64_len(text) bytes. False: *ret_at is the first byte of text that is wrong. */
bool ts_base64_parse(struct ts_span text, uint8_t *out, size_t *ret_at);

#endif
