#include "base/base64.h"

#include "base/text.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void ts_base64_print(struct ts_buf *out, struct ts_span bytes)
{
	size_t groups = bytes.len / 3 + (bytes.len % 3 != 0);
	uint8_t *at = groups <= SIZE_MAX / 4 ? ts_buf_reserve(out, groups * 4) : NULL;

	if (!at)
		return;
	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t left = bytes.len - i;
		uint32_t word = (uint32_t)bytes.data[i] << 16;

		word |= left > 1 ? (uint32_t)bytes.data[i + 1] << 8 : 0;
		word |= left > 2 ? bytes.data[i + 2] : 0;
		*at++ = (uint8_t)digits[word >> 18];
		*at++ = (uint8_t)digits[word >> 12 & 63];
		*at++ = (uint8_t)(left > 1 ? digits[word >> 6 & 63] : '=');
		*at++ = (uint8_t)(left > 2 ? digits[word & 63] : '=');
	}
	out->len += groups * 4;
}

/* Returns 64 for a character that is not in the alphabet. */
static unsigned digit_of(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned)c - 'A';
	if (c >= 'a' && c <= 'z')
		return (unsigned)c - 'a' + 26;
	if (ts_is_digit(c))
		return (unsigned)c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Counts the padding characters of the last group. */
static size_t padding_of(struct ts_span text)
{
	if (text.len < 4 || text.data[text.len - 1] != '=')
		return 0;
	return text.data[text.len - 2] == '=' ? 2 : 1;
}

size_t ts_base64_len(struct ts_span text)
{
	return text.len / 4 * 3 - (text.len >= 4 ? padding_of(text) : 0);
}

bool ts_base64_parse(struct ts_span text, uint8_t *out, size_t *ret_at)
{
	size_t said = text.len - padding_of(text);

	for (size_t i = 0; i < text.len; i += 4) {
		size_t n = said - i < 4 ? said - i : 4; /* digits of this group: 2, 3 or 4 */
		uint32_t word = 0;

		for (size_t k = 0; k < 4; k++) {
			unsigned digit = i + k < said ? digit_of(text.data[i + k]) : 0;

			*ret_at = i + k;
			if (digit == 64 || i + k >= text.len)
				return false;
			word = word << 6 | digit;
		}
		*ret_at = i + n - 1;
		if ((n == 2 && (word & 0xffff)) || (n == 3 && (word & 0xff)))
			return false;
		*out++ = (uint8_t)(word >> 16);
		if (n > 2)
			*out++ = (uint8_t)(word >> 8);
		if (n > 3)
			*out++ = (uint8_t)word;
	}
	return true;
}
