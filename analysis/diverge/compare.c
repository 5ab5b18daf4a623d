#include "analysis/diverge/compare.h"

/* Walks two arrays of keys; tells the next key and which side has it. */
struct walk {
	const int64_t *keys_a, *keys_b;
	size_t n_a, n_b;
	size_t at_a, at_b;
};

/* Moves to the next common key and counts the keys that are passed; returns false at the end. */
static bool next_common(struct walk *w, struct ts_compare *io)
{
	while (w->at_a < w->n_a && w->at_b < w->n_b) {
		int64_t a = w->keys_a[w->at_a], b = w->keys_b[w->at_b];

		if (a == b) {
			io->common++;
			return true;
		}
		if (a < b) {
			io->only_a++;
			w->at_a++;
		} else {
			io->only_b++;
			w->at_b++;
		}
	}
	io->only_a += w->n_a - w->at_a;
	io->only_b += w->n_b - w->at_b;
	return false;
}

/* Returns true when no later row needs to be compared. */
static bool differs(const struct walk *w, struct ts_compare *io)
{
	if (io->differing++ == 0) {
		io->parts = true;
		io->first_key = w->keys_a[w->at_a];
		io->at_a = w->at_a;
		io->at_b = w->at_b;
	}
	return io->stops;
}

/* Skips the rows at the front whose keys are one array and whose words agree: most rows of two runs that share a
 * beginning. */
static void pass_equal(struct walk *w, const uint64_t *a, const uint64_t *b, struct ts_compare *io)
{
	size_t n = w->n_a < w->n_b ? w->n_a : w->n_b, at = 0;

	if (w->keys_a != w->keys_b)
		return;
	while (at < n && a[at] == b[at])
		at++;
	w->at_a = w->at_b = at;
	io->common += at;
}

void ts_compare_words(const int64_t *keys_a, const uint64_t *a, size_t n_a, const int64_t *keys_b, const uint64_t *b,
		      size_t n_b, struct ts_compare *io)
{
	struct walk w = {.keys_a = keys_a, .keys_b = keys_b, .n_a = n_a, .n_b = n_b};

	pass_equal(&w, a, b, io);
	for (; next_common(&w, io); w.at_a++, w.at_b++)
		if (a[w.at_a] != b[w.at_b] && differs(&w, io))
			return;
}

void ts_compare_text(const int64_t *keys_a, const struct ts_span *a, size_t n_a, const int64_t *keys_b,
		     const struct ts_span *b, size_t n_b, struct ts_compare *io)
{
	struct walk w = {.keys_a = keys_a, .keys_b = keys_b, .n_a = n_a, .n_b = n_b};

	for (; next_common(&w, io); w.at_a++, w.at_b++)
		if (!ts_span_eq(a[w.at_a], b[w.at_b]) && differs(&w, io))
			return;
}
