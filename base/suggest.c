/* suggest.c - computes the optimal string alignment distance of short words. */
#include "base/suggest.h"

#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t ts_word_distance(const char *a, const char *b)
{
	size_t n = least(strlen(a), TS_SUGGEST_MAX), m = least(strlen(b), TS_SUGGEST_MAX);
	size_t d[TS_SUGGEST_MAX + 1][TS_SUGGEST_MAX + 1];

	for (size_t i = 0; i <= n; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		for (size_t j = 1; j <= m; j++) {
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[n][m];
}

const char *ts_suggest(const char *typed, const char *word, const char *best, size_t *io_distance)
{
	size_t distance = ts_word_distance(typed, word);

	/* A word that was typed only in part is not a typo: "ver" means "version". */
	if (strlen(typed) >= 2 && strncmp(typed, word, strlen(typed)) == 0)
		distance = 1;
	if (distance >= *io_distance)
		return best;
	*io_distance = distance;
	return word;
}

size_t ts_suggest_bound(const char *typed)
{
	return strlen(typed) / 3 + 2;
}
