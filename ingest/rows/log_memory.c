#include "ingest/rows/log_memory.h"

#include "base/text.h"

#include <string.h>

#define KIB 1024.0
#define MIB 1048576.0
#define GIB 1073741824.0
#define BYTES_LEAST 1e6 /* what can be bytes */
#define GB_MOST 300.0	/* what can be gigabytes: no device has more */

enum { NAME_MOST = 64, WORD_MOST = 10 };

enum part { NO_PART = 0, MEMORY = 1, VRAM = 2, PLACE = 4, PEAK = 8, ALLOCATED = 16, RESERVED = 32, UNIT = 64 };

static const struct {
	const char *word;
	enum part part;
	double bytes;
} words[] = {
	{"mem", MEMORY, 0},	  {"memory", MEMORY, 0},  {"vram", VRAM, 0},	     {"gpu", PLACE, 0},
	{"cuda", PLACE, 0},	  {"device", PLACE, 0},	  {"hbm", PLACE, 0},	     {"max", PEAK, 0},
	{"peak", PEAK, 0},	  {"maximum", PEAK, 0},	  {"alloc", ALLOCATED, 0},   {"allocated", ALLOCATED, 0},
	{"active", ALLOCATED, 0}, {"used", ALLOCATED, 0}, {"current", ALLOCATED, 0}, {"reserved", RESERVED, 0},
	{"cached", RESERVED, 0},  {"b", UNIT, 1},	  {"bytes", UNIT, 1},	     {"kb", UNIT, 1e3},
	{"kib", UNIT, KIB},	  {"mb", UNIT, 1e6},	  {"m", UNIT, MIB},	     {"mib", UNIT, MIB},
	{"gb", UNIT, 1e9},	  {"g", UNIT, 1e9},	  {"gib", UNIT, GIB},
};

/* What the word at text.data[*at] says; *at becomes the place behind it. */
static enum part part_at(struct ts_span text, size_t *at, double *bytes)
{
	size_t from = *at;
	char word[WORD_MOST + 1];

	while (*at < text.len && ts_is_alnum(text.data[*at]))
		(*at)++;
	if (*at - from > WORD_MOST)
		return NO_PART;
	for (size_t i = from; i < *at; i++)
		word[i - from] = (char)(ts_is_alpha(text.data[i]) ? text.data[i] | 32 : text.data[i]);
	word[*at - from] = '\0';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i].word, word) == 0) {
			*bytes = words[i].part == UNIT ? words[i].bytes : *bytes;
			return words[i].part;
		}
	return NO_PART;
}

/* The parts of the name; 0 if it has a word that is none of them, or a unit before its end. */
static unsigned parts_of(struct ts_span name, double *ret_bytes)
{
	unsigned parts = 0;

	*ret_bytes = 0;
	if (name.len > NAME_MOST)
		return 0;
	for (size_t at = 0; at < name.len;) {
		enum part part;

		if (!ts_is_alnum(name.data[at])) {
			if (!memchr(" _-/.()[]", name.data[at], 9))
				return 0;
			at++;
			continue;
		}
		part = part_at(name, &at, ret_bytes);
		if (part == NO_PART || (parts & UNIT))
			return 0;
		parts |= part;
	}
	return parts;
}

const char *ts_log_memory(struct ts_span name, double *ret_bytes)
{
	unsigned parts = parts_of(name, ret_bytes);

	if (!(parts & (MEMORY | VRAM)) || !(parts & ~(unsigned)(MEMORY | UNIT)))
		return NULL;
	if (parts & RESERVED)
		return parts & PEAK ? "memory.peak_reserved" : "memory.reserved";
	return parts & PEAK ? "memory.peak_alloc" : "memory.alloc";
}

double ts_log_memory_unit(struct ts_span name)
{
	size_t end = name.len, from;
	double bytes = 0;

	if (end && name.data[end - 1] == ')')
		end--;
	for (from = end; from > 0 && ts_is_alpha(name.data[from - 1]);)
		from--;
	if (!from || from == end || !memchr("(_ /", name.data[from - 1], 4))
		return 0;
	(void)part_at(ts_span_part(name, 0, end), &from, &bytes);
	return bytes;
}

double ts_log_memory_guess(double largest, const char **ret_unit)
{
	*ret_unit = largest > GB_MOST ? "MiB" : "GB";
	if (!(largest > 0) || largest >= BYTES_LEAST)
		return 1;
	return largest > GB_MOST ? MIB : 1e9;
}
