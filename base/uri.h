/* uri.h - texts in the address of a page: percent-encoding, and the fields of a query (RFC 3986; '+' is a space in a query). */
#ifndef TSCOPE_BASE_URI_H
#define TSCOPE_BASE_URI_H

#include "base/arena.h"
#include "base/buf.h"

/* Appends the text with everything encoded but letters, digits and -._~ and, with slashes, '/'. */
void ts_uri_encode(struct ts_buf *out, struct ts_span text, bool slashes);
/* Appends the name of a run as the end of an address, with its slashes. A name that ends in .json, as the address of a document does,
 * is told apart from one by an encoded dot. */
void ts_uri_encode_name(struct ts_buf *out, struct ts_span name);
/* Decodes into the arena, with a final NUL that the span does not count. TS_INVALID for a '%' without two hex digits, for a NUL, and
 * for what is not UTF-8 then. */
enum ts_status ts_uri_decode(struct ts_span text, bool query, struct ts_arena *arena, struct ts_span *ret_text, struct ts_error *err);

/* Cuts the next "name=value" off a query; false at the end. A field without '=' has an empty value. */
bool ts_uri_field(struct ts_span *io_query, struct ts_span *ret_name, struct ts_span *ret_value);

#endif
