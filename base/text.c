#include "base/text.h"

#include "base/bisect.h"
#include "base/text_width.inc"

#include <math.h>
#include <stdio.h>

size_t ts_utf8_next(struct ts_span text, uint32_t *ret_point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const uint8_t *p = text.data;
	uint32_t point;
	size_t n;

	if (text.len == 0)
		return 0;
	if (p[0] < 0x80) {
		*ret_point = p[0];
		return 1;
	}
	if (p[0] < 0xC2 || p[0] > 0xF4)
		return 0;
	n = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
	if (text.len < n)
		return 0;
	point = p[0] & (0xFFu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return 0;
		point = point << 6 | (p[i] & 0x3F);
	}
	if (point < least[n] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
		return 0;
	*ret_point = point;
	return n;
}

size_t ts_utf8_put(uint32_t point, uint8_t out[4])
{
	size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

	if (n == 1) {
		out[0] = (uint8_t)point;
		return 1;
	}
	for (size_t i = n; i-- > 1; point >>= 6)
		out[i] = (uint8_t)(0x80 | (point & 0x3F));
	out[0] = (uint8_t)((0xF00u >> n) | point);
	return n;
}

bool ts_utf8_valid(struct ts_span text)
{
	size_t at = 0;

	while (at < text.len) {
		uint32_t point;
		size_t n = ts_utf8_next(ts_span_of(text.data + at, text.len - at), &point);

		if (n == 0)
			return false;
		at += n;
	}
	return true;
}

struct ts_span ts_utf8_cut(struct ts_span text, size_t most)
{
	if (text.len <= most)
		return text;
	while (most && (text.data[most] & 0xc0) == 0x80)
		most--;
	return ts_span_part(text, 0, most);
}

bool ts_harmful(uint32_t point)
{
	static const uint32_t ranges[][2] = {{0, 0x1F},	       {0x7F, 0x9F},	 {0xAD, 0xAD},	    {0x61C, 0x61C},
					     {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
					     {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};

	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && point >= ranges[i][0]; i++)
		if (point <= ranges[i][1])
			return true;
	return false;
}

bool ts_invisible(uint32_t point)
{
	/* What Unicode calls ignorable by default, marks of formats, and blanks; those of ts_harmful apart. */
	static const uint32_t ranges[][2] = {
		{0xA0, 0xA0},	  {0x34F, 0x34F},     {0x600, 0x605},	  {0x6DD, 0x6DD},     {0x70F, 0x70F},	  {0x890, 0x891},
		{0x8E2, 0x8E2},	  {0x115F, 0x1160},   {0x1680, 0x1680},	  {0x17B4, 0x17B5},   {0x180B, 0x180F},	  {0x2000, 0x200F},
		{0x202F, 0x202F}, {0x205F, 0x206F},   {0x2800, 0x2800},	  {0x3000, 0x3000},   {0x3164, 0x3164},	  {0xFE00, 0xFE0F},
		{0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x13438}, {0x1BCA0, 0x1BCA3},
		{0x1D159, 0x1D159}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && point >= ranges[i][0]; i++)
		if (point <= ranges[i][1])
			return true;
	return ts_harmful(point);
}

bool ts_order_at(struct ts_span text, size_t at)
{
	const uint8_t *p = text.data;
	size_t end = at + 1;

	if (p[at] == ':')
		return at + 1 < text.len && p[at + 1] == ':' && (at == 0 || p[at - 1] <= ' ');
	if (p[at] != '#' || at == 0 || p[at - 1] != '#')
		return false;
	while (end < text.len && ts_is_alpha(p[end]))
		end++;
	return end < text.len && p[end] == '[';
}

static bool in_ranges(const struct range *ranges, size_t n, uint32_t point)
{
	size_t at = 0;

	TS_BISECT(at, n, i, ranges[i].last < point);
	return at < n && ranges[at].first <= point;
}

/* Letters of Greek and Cyrillic, the signs of kelvin and angstrom, ligatures, and letters of full width or of formulas, that look like
 * one of Latin in most fonts. Those of Greek that formulas have beside Latin (alpha, beta, mu,
 * sigma, Delta, ...) are not among them. */
static bool looks_latin(uint32_t point)
{
	static const uint16_t letters[] = {
		0x391, 0x392, 0x395, 0x396, 0x397, 0x399, 0x39A, 0x39C, 0x39D, 0x39F, 0x3A1, 0x3A4, 0x3A5, 0x3A7, 0x3BF, 0x3F2, 0x3F3,
		0x3F9, 0x405, 0x406, 0x408, 0x410, 0x412, 0x415, 0x41A, 0x41C, 0x41D, 0x41E, 0x420, 0x421, 0x422, 0x423, 0x425, 0x430,
		0x435, 0x43E, 0x440, 0x441, 0x443, 0x445, 0x455, 0x456, 0x458, 0x474, 0x475, 0x4AE, 0x4AF, 0x4BB, 0x4C0, 0x4CF, 0x501,
		0x50C, 0x51A, 0x51B, 0x51C, 0x51D};

	if (point < letters[0])
		return false;
	if (point > 0x2000)
		return point == 0x212A || point == 0x212B || (point >= 0xFB00 && point <= 0xFB06) ||
		       (point >= 0xFF21 && point <= 0xFF3A) || (point >= 0xFF41 && point <= 0xFF5A) ||
		       (point >= 0x1D400 && point <= 0x1D6A5);
	for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
		if (letters[i] == point)
			return true;
	return false;
}

/* A mark that Unicode has in one with many a letter of Latin before it: the same name could be written in two ways. */
static bool is_apart(struct ts_span text, size_t at, uint32_t point)
{
	static const struct range marks[] = {{0x300, 0x304}, {0x306, 0x30C}, {0x30F, 0x311}, {0x31B, 0x31B},
					     {0x323, 0x328}, {0x32D, 0x32E}, {0x330, 0x331}};

	return at > 0 && ts_is_alpha(text.data[at - 1]) && in_ranges(marks, sizeof marks / sizeof marks[0], point);
}

/* Letters of Latin (with those with marks), Greek and Cyrillic, of which words are made. */
static bool is_letter(uint32_t point)
{
	return (point < 0x80 && ts_is_alpha((unsigned char)point)) || (point >= 0x370 && point <= 0x52F) ||
	       (point >= 0xC0 && point <= 0x24F && point != 0xD7 && point != 0xF7);
}

static bool is_latin(uint32_t point)
{
	return point < 0x370 && is_letter(point);
}

/* Whether the letter at a place looks like one of Latin in a word that has some; at most 64 bytes of the word are looked at to either
 * side. */
static bool is_lookalike(struct ts_span text, size_t at, uint32_t point)
{
	enum { LOOKED_AT = 64 };
	size_t first = at > LOOKED_AT ? at - LOOKED_AT : 0, end = text.len - at > LOOKED_AT ? at + LOOKED_AT : text.len, n;
	bool latin = false;

	if (!looks_latin(point))
		return false;
	while (first < at && (text.data[first] & 0xc0) == 0x80)
		first++;
	for (size_t i = first; i < end; i += n ? n : 1) {
		uint32_t letter = 0;

		n = ts_utf8_next(ts_span_of(text.data + i, text.len - i), &letter);
		if (i == at)
			continue;
		if (n && is_letter(letter))
			latin |= is_latin(letter);
		else if (i > at)
			break;
		else
			latin = false; /* the word begins later */
	}
	return latin;
}

size_t ts_escape_next(struct ts_span text, size_t *at, char out[TS_ESCAPE_TEXT])
{
	const uint8_t *p = text.data + *at;
	bool order = ts_order_at(text, *at), other;
	uint32_t point;
	size_t n;

	if (*p >= ' ' && *p < 0x7F && !order) { /* nearly all text */
		out[0] = (char)*p;
		++*at;
		return 1;
	}
	n = ts_utf8_next(ts_span_of(p, text.len - *at), &point);
	other = n > 1 && (is_lookalike(text, *at, point) || is_apart(text, *at, point));
	*at += n ? n : 1;
	if (n && !order && !other && (point < 0x7F ? point >= ' ' : !ts_harmful(point))) {
		memcpy(out, p, n);
		return n;
	}
	if (n == 1 && (point == '\n' || point == '\t' || point == '\r')) {
		out[0] = '\\';
		out[1] = point == '\n' ? 'n' : point == '\t' ? 't' : 'r';
		return 2;
	}
	if (n > 1)
		return (size_t)snprintf(out, TS_ESCAPE_TEXT, "\\u{%04X}", (unsigned)point);
	return (size_t)snprintf(out, TS_ESCAPE_TEXT, "\\x%02X", *p);
}

void ts_escape(struct ts_buf *out, struct ts_span text)
{
	char one[TS_ESCAPE_TEXT];
	size_t at = 0;

	while (at < text.len) {
		size_t n = ts_escape_next(text, &at, one);

		ts_buf_bytes(out, one, n);
	}
}

void ts_print_grouped(struct ts_buf *out, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n);

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			ts_buf_char(out, ',');
		ts_buf_char(out, digits[i]);
	}
}

void ts_print_bytes(struct ts_buf *out, double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double v = fabs(bytes);
	char text[400];
	size_t unit = 0;
	int decimals;
	int len;

	if (!isfinite(bytes)) {
		ts_buf_str(out, isnan(bytes) ? "NaN" : bytes < 0 ? "-Infinity" : "Infinity");
		return;
	}
	/* 1023.5 of a unit would be printed as 1024 of it. */
	while (v >= 1023.5 && unit + 1 < sizeof units / sizeof units[0]) {
		v /= 1024;
		unit++;
	}
	decimals = unit == 0 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
	len = snprintf(text, sizeof text, "%.*f", decimals, v);
	if (decimals > 0) {
		while (text[len - 1] == '0')
			len--;
		if (text[len - 1] == '.')
			len--;
	}
	ts_buf_printf(out, "%s%.*s %s", bytes < 0 ? "-" : "", len, text, units[unit]);
}

int ts_text_width(struct ts_span text)
{
	size_t at = 0;
	int width = 0;

	while (at < text.len) {
		uint32_t point = 0;
		size_t n = ts_utf8_next(ts_span_of(text.data + at, text.len - at), &point);

		at += n ? n : 1;
		if (point < 0x300)
			width++;
		else if (in_ranges(wide, sizeof wide / sizeof wide[0], point))
			width += 2;
		else if (!in_ranges(empty, sizeof empty / sizeof empty[0], point))
			width++;
	}
	return width;
}

struct ts_span ts_trim(struct ts_span text)
{
	while (text.len && ts_is_space(text.data[0]))
		text = ts_span_of(text.data + 1, text.len - 1);
	while (text.len && ts_is_space(text.data[text.len - 1]))
		text.len--;
	return text;
}

struct ts_span ts_next_word(struct ts_span *io)
{
	size_t n = 0;
	struct ts_span word;

	while (io->len && (io->data[0] == ' ' || io->data[0] == '\t'))
		*io = ts_span_from(*io, 1);
	while (n < io->len && io->data[n] != ' ' && io->data[n] != '\t')
		n++;
	word = ts_span_part(*io, 0, n);
	*io = ts_span_from(*io, n);
	return word;
}

struct ts_shown ts_show(struct ts_span word)
{
	struct ts_shown shown;
	size_t at = 0, n = 0;

	while (at < word.len && n + TS_ESCAPE_TEXT + 4 < sizeof shown.text)
		n += ts_escape_next(word, &at, shown.text + n);
	if (at < word.len) {
		memcpy(shown.text + n, "...", 3);
		n += 3;
	}
	shown.text[n] = '\0';
	return shown;
}

bool ts_glob(struct ts_span pattern, struct ts_span text)
{
	size_t p = 0;
	size_t t = 0;
	size_t star = SIZE_MAX; /* the position of the last '*', and the end of the text that it matches */
	size_t eaten = 0;

	while (t < text.len) {
		if (p < pattern.len && pattern.data[p] == '*') {
			star = p++;
			eaten = t;
		} else if (p < pattern.len && (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++eaten;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.data[p] == '*')
		p++;
	return p == pattern.len;
}

void ts_print_hex(struct ts_buf *out, struct ts_span bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < bytes.len; i++) {
		ts_buf_char(out, digits[bytes.data[i] >> 4]);
		ts_buf_char(out, digits[bytes.data[i] & 15]);
	}
}

static int hex_value(uint8_t c)
{
	if (ts_is_digit(c))
		return c - '0';
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (c | 32) - 'a' + 10;
	return -1;
}

bool ts_parse_hex(struct ts_span text, uint8_t *out)
{
	if (text.len % 2)
		return false;
	for (size_t i = 0; i < text.len; i += 2) {
		int high = hex_value(text.data[i]);
		int low = hex_value(text.data[i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i / 2] = (uint8_t)(high << 4 | low);
	}
	return true;
}

bool ts_word_among(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

bool ts_name_words(struct ts_span name, struct ts_name_words *ret)
{
	size_t len = 0;

	ret->n = 0;
	for (size_t i = 0; i <= name.len; i++) {
		unsigned char c = i < name.len ? name.data[i] : ' ';

		if (ts_is_alnum(c)) {
			if (ret->n == TS_NAME_WORDS || len == TS_NAME_WORD_MAX - 1)
				return false;
			ret->text[ret->n][len++] = (char)(c >= 'A' && c <= 'Z' ? c | 32 : c);
		} else if (len) {
			ret->text[ret->n++][len] = '\0';
			len = 0;
		}
	}
	return true;
}
