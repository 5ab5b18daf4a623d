#include "store/matches.h"

#include "base/alloc.h"

enum {
	NONE = TS_MATCH_MIN - 1, /* the length where nothing matches */
	FAR = TS_MATCH_WINDOW - TS_MATCH_MAX - TS_MATCH_MIN - 1,
	TOO_FAR = 4096, /* for three bytes */
	FAST_LEVELS = 3,
};

/* zlib's configuration_table; gzip's is the same. */
static const struct {
	uint16_t good, lazy, nice, chain;
} levels[TS_LEVELS + 1] = {{0},
			   {4, 4, 8, 4},
			   {4, 5, 16, 8},
			   {4, 6, 32, 32},
			   {4, 4, 16, 16},
			   {8, 16, 32, 32},
			   {8, 16, 128, 128},
			   {8, 32, 128, 256},
			   {32, 128, 258, 1024},
			   {32, 258, 258, 4096}};

bool ts_matches_how_holds(struct ts_matches_how how)
{
	return how.level >= 1 && how.level <= TS_LEVELS && (how.hash_bits == 15 || how.hash_bits == 16);
}

static bool is_fast(const struct ts_matches *m)
{
	return m->how.level <= FAST_LEVELS;
}

static bool has_three(const struct ts_matches *m, size_t at)
{
	return m->end - at >= TS_MATCH_MIN;
}

/* Adds places up to `to` to their chains. */
static void insert(struct ts_matches *m, size_t to)
{
	unsigned bits = m->how.hash_bits, shift = (bits + 2) / 3;

	for (; m->inserted < to && has_three(m, m->inserted); m->inserted++) {
		const uint8_t *p = m->text + m->inserted;
		uint32_t hash = ((uint32_t)p[0] << 2 * shift ^ (uint32_t)p[1] << shift ^ p[2]) & ((1u << bits) - 1);

		m->before[m->inserted % TS_MATCH_WINDOW] = m->heads[hash];
		m->heads[hash] = (uint32_t)m->inserted + 1;
	}
}

static size_t length_of(const struct ts_matches *m, size_t a, size_t b)
{
	size_t most = m->end - a < TS_MATCH_MAX ? m->end - a : TS_MATCH_MAX, n = 0;

	while (n < most && m->text[a + n] == m->text[b + n])
		n++;
	return n;
}

/* zlib's longest_match: the nearest of the longest ones that are longer than `best`. */
static struct ts_token longest(struct ts_matches *m, size_t at, size_t place, size_t best)
{
	const uint8_t *text = m->text, *here = text + at;
	const uint32_t *before = m->before;
	size_t left = m->end - at, limit = at > m->base + FAR ? at - FAR : m->base;
	size_t nice = levels[m->how.level].nice, chain = levels[m->how.level].chain, found = 0;
	uint64_t work = 0;

	if (best >= levels[m->how.level].good)
		chain /= 4;
	if (nice > left)
		nice = left;
	while (best < left) {
		work++;
		if (text[place + best] == here[best] && text[place + best - 1] == here[best - 1] && text[place] == here[0] &&
		    text[place + 1] == here[1]) {
			size_t n = length_of(m, at, place);

			work += n / 16;
			if (n > best) {
				found = place;
				best = n;
				if (n >= nice)
					break;
			}
		}
		place = before[place % TS_MATCH_WINDOW];
		if (!place || --place <= limit || !--chain)
			break;
	}
	m->work += work;
	return found ? (struct ts_token){(uint16_t)best, (uint16_t)(at - found)} : (struct ts_token){NONE, 0};
}

/* What matches at a place, where so many bytes matched at the one before. */
static struct ts_token search(struct ts_matches *m, size_t at, size_t length_before)
{
	const struct ts_token none = {NONE, 0};
	struct ts_token found;
	size_t place;

	if (at >= m->end || !has_three(m, at))
		return none;
	insert(m, at + 1);
	place = m->before[at % TS_MATCH_WINDOW];
	if (!place || --place <= m->base || at - place > FAR || (!is_fast(m) && length_before >= levels[m->how.level].lazy))
		return none;
	found = longest(m, at, place, length_before);
	return !is_fast(m) && found.length == TS_MATCH_MIN && found.distance > TOO_FAR ? none : found;
}

static void look(struct ts_matches *m)
{
	m->now = search(m, m->at, NONE);
	m->has_next = false;
}

enum ts_status ts_matches_begin(struct ts_matches *m, size_t at, struct ts_error *err)
{
	m->heads = ts_alloc_array((size_t)1 << m->how.hash_bits, sizeof *m->heads);
	m->before = ts_alloc_array(TS_MATCH_WINDOW, sizeof *m->before);
	if (!m->heads || !m->before) {
		ts_matches_finish(m);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for matches of a text");
	}
	m->at = at;
	insert(m, at);
	look(m);
	return TS_OK;
}

void ts_matches_finish(struct ts_matches *m)
{
	ts_free(m->heads);
	ts_free(m->before);
	m->heads = m->before = NULL;
}

static void look_ahead(struct ts_matches *m)
{
	if (!m->has_next)
		m->next = search(m, m->at + 1, m->now.length);
	m->has_next = true;
}

struct ts_token ts_matches_guess(struct ts_matches *m)
{
	struct ts_token literal = {0, m->at < m->end ? m->text[m->at] : 0};

	if (m->now.length < TS_MATCH_MIN)
		return literal;
	if (is_fast(m))
		return m->now;
	look_ahead(m);
	return m->next.length > m->now.length ? literal : m->now;
}

void ts_matches_take(struct ts_matches *m, struct ts_token token)
{
	if (token.length >= TS_MATCH_MIN) {
		m->at += token.length;
		if (is_fast(m) && token.length > levels[m->how.level].lazy)
			m->inserted = m->at;
		else
			insert(m, m->at);
		look(m);
	} else if (is_fast(m)) {
		m->at++;
		look(m);
	} else {
		look_ahead(m);
		m->at++;
		m->now = m->next;
		m->has_next = false;
	}
}

void ts_matches_pass(struct ts_matches *m, size_t n)
{
	m->at += n;
	insert(m, m->at);
	look(m);
}

void ts_matches_restart(struct ts_matches *m)
{
	memset(m->heads, 0, sizeof *m->heads << m->how.hash_bits);
	m->base = m->inserted = m->at;
	look(m);
}
