#include "record/utf8.h"

#include <stdint.h>

/* Returns the length of the character at p, or 0 if there is none (RFC 3629, section 4). */
static size_t character(const uint8_t *p, size_t left)
{
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
	uint8_t low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80, high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;

	if (len > left)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (p[i] < (i == 1 ? low : 0x80) || p[i] > (i == 1 ? high : 0xbf))
			return 0;
	}
	return len;
}

bool ts_record_utf8_valid(const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text;

	while (len > 0) {
		size_t n = character(p, len);

		if (n == 0)
			return false;
		p += n;
		len -= n;
	}
	return true;
}

size_t ts_record_utf8_cut(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && ((uint8_t)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}
