/* version.c - see version.h. The text is written by each build (cmake/write_version.cmake). */
#include "base/version.h"

#include "base/version_text.h"

#include <inttypes.h>
#include <stdbool.h>

enum { NUMBERS = 3, DIGITS = 9 };

struct parsed {
	uint32_t numbers[NUMBERS];
	bool before; /* on the way to that version */
};

const char *ts_version(void)
{
	return TS_VERSION_TEXT;
}

static bool parse(struct ts_span text, struct parsed *ret)
{
	size_t at = 0;

	for (int i = 0; i < NUMBERS; i++) {
		size_t from = at;

		for (ret->numbers[i] = 0; at < text.len && at < from + DIGITS && text.data[at] >= '0' && text.data[at] <= '9'; at++)
			ret->numbers[i] = ret->numbers[i] * 10 + (uint32_t)(text.data[at] - '0');
		if (at == from || (i + 1 < NUMBERS && (at == text.len || text.data[at++] != '.')))
			return false;
	}
	ret->before = at < text.len && text.data[at] == '~';
	return at == text.len || ret->before;
}

int ts_version_order(struct ts_span a, struct ts_span b)
{
	struct parsed x, y;

	if (!parse(a, &x) || !parse(b, &y))
		return 0;
	for (int i = 0; i < NUMBERS; i++)
		if (x.numbers[i] != y.numbers[i])
			return x.numbers[i] < y.numbers[i] ? -1 : 1;
	return (int)y.before - (int)x.before;
}
