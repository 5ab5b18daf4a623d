/* utf8.h - whether bytes are UTF-8: no surrogates, nothing overlong, nothing above U+10FFFF. */
#ifndef TSCOPE_RECORD_UTF8_H
#define TSCOPE_RECORD_UTF8_H

#include <stdbool.h>
#include <stddef.h>

bool ts_utf8_valid(const char *text, size_t len);
/* Returns the longest length up to `max` that does not cut a character of the text in two. */
size_t ts_utf8_cut(const char *text, size_t len, size_t max);

#endif
