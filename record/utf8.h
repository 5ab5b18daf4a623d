/* utf8.h - whether bytes are UTF-8, for a room that may not use base: no surrogates, nothing overlong, nothing above U+10FFFF. */
#ifndef TSCOPE_RECORD_UTF8_H
#define TSCOPE_RECORD_UTF8_H

#include <stdbool.h>
#include <stddef.h>

bool ts_record_utf8_valid(const char *text, size_t len);
/* Returns the longest length up to `max` that does not cut a character of the text in two. */
size_t ts_record_utf8_cut(const char *text, size_t len, size_t max);

#endif
