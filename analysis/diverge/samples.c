#include "analysis/diverge/samples.h"

#include "base/door.h"
#include "base/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAMED = 3 /* places that are said */ };

static uint64_t bits_at(const uint64_t *words, size_t n_words, size_t at, size_t bits)
{
	uint64_t found = words[at / 64] >> at % 64;

	if (at % 64 + bits > 64 && at / 64 + 1 < n_words)
		found |= words[at / 64 + 1] << (64 - at % 64);
	return found & ((UINT64_C(1) << bits) - 1);
}

bool ts_samples_unpack(const uint64_t *words, size_t n_words, struct ts_samples *ret)
{
	size_t bits, known;

	if (n_words == 0 || n_words > TS_SAMPLES_WORDS)
		return false;
	bits = bits_at(words, n_words, TS_SAMPLES_COUNT, TS_SAMPLES_HEAD - TS_SAMPLES_COUNT);
	if (bits < 1 || bits > TS_SAMPLES_BITS_MAX)
		return false;
	known = (64 * n_words - TS_SAMPLES_HEAD) / bits;
	if (known > TS_SAMPLES_MAX)
		known = TS_SAMPLES_MAX;
	ret->drawn = (uint32_t)bits_at(words, n_words, 0, TS_SAMPLES_COUNT);
	ret->n = ret->drawn < known ? ret->drawn : (uint32_t)known;
	for (size_t i = 0; i < ret->n; i++)
		ret->ids[i] = bits_at(words, n_words, TS_SAMPLES_HEAD + i * bits, bits);
	return true;
}

static bool is_same_set(const struct ts_samples *a, const struct ts_samples *b)
{
	uint64_t sorted[2][TS_SAMPLES_MAX];

	if (a->n != b->n || a->n < a->drawn || b->n < b->drawn)
		return false;
	memcpy(sorted[0], a->ids, a->n * sizeof *sorted[0]);
	memcpy(sorted[1], b->ids, b->n * sizeof *sorted[1]);
	TS_SORT(sorted[0], a->n, ts_by_u64);
	TS_SORT(sorted[1], b->n, ts_by_u64);
	return memcmp(sorted[0], sorted[1], a->n * sizeof *sorted[0]) == 0;
}

/* "17 instead of 912, 5 instead of 44 and 2 more" */
static void say_places(const struct ts_samples *a, const struct ts_samples *b, uint32_t n, uint32_t differ, char *out, size_t room)
{
	uint32_t said = 0;
	size_t len = 0;

	out[0] = 0;
	for (uint32_t i = 0; i < n && said < NAMED; i++)
		if (a->ids[i] != b->ids[i]) {
			const char *before = said == 0 ? "" : said + 1 == differ ? " and " : ", ";

			len += (size_t)snprintf(out + len, room - len, "%s%" PRIu64 " instead of %" PRIu64, before, b->ids[i],
						a->ids[i]);
			said++;
		}
	if (differ > said)
		(void)snprintf(out + len, room - len, " and %" PRIu32 " more", differ - said);
}

const char *ts_samples_say(const struct ts_samples *a, const struct ts_samples *b, int64_t step, int64_t rank, struct ts_arena *arena)
{
	uint32_t n = a->n < b->n ? a->n : b->n, differ = 0;
	char places[NAMED * 64], where[48] = "", known[48] = "";

	TS_DOOR(a->n <= a->drawn && b->n <= b->drawn && a->n <= TS_SAMPLES_MAX && b->n <= TS_SAMPLES_MAX);
	if (rank >= 0)
		(void)snprintf(where, sizeof where, " of rank %" PRId64, rank);
	if (a->drawn != b->drawn)
		return ts_arena_printf(arena,
				       "at step %" PRId64 "%s the first run drew %" PRIu32 " samples, and the second %" PRIu32,
				       step, where, a->drawn, b->drawn);
	for (uint32_t i = 0; i < n; i++)
		differ += a->ids[i] != b->ids[i];
	if (!differ)
		return NULL;
	say_places(a, b, n, differ, places, sizeof places);
	if (is_same_set(a, b))
		return ts_arena_printf(arena,
				       "at step %" PRId64 "%s the same %" PRIu32
				       " samples come in another order: the second run has sample %s",
				       step, where, n, places);
	if (n < a->drawn)
		(void)snprintf(known, sizeof known, "the first %" PRIu32 " of ", n);
	return ts_arena_printf(arena,
			       "at step %" PRId64 "%s, %" PRIu32 " of %s%" PRIu32 " samples %s: the second run has sample %s", step,
			       where, differ, known, a->drawn, differ == 1 ? "differs" : "differ", places);
}
