#include "ingest/trace/trace_words.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/grow.h"
#include "base/map.h"
#include "base/system.h"
#include "base/text.h"

enum { FIRST = 1 << 12 };

enum ts_status ts_trace_words_init(struct ts_trace_words *w, struct ts_error *err)
{
	memset(w, 0, sizeof *w);
	ts_arena_init(&w->arena, TS_TRACE_WORD_BYTES_MAX);
	if (ts_system_random(w->key, sizeof w->key, err))
		return err->status;
	w->key[0] |= 1;
	if (TS_GROW(w->words, w->cap, 1, FIRST)) {
		w->words[w->n++] = ts_span_str("");
		return TS_OK;
	}
	ts_trace_words_finish(w);
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for the names of a trace");
}

void ts_trace_words_finish(struct ts_trace_words *w)
{
	ts_arena_finish(&w->arena);
	ts_free(w->spellings);
	ts_free(w->words);
	ts_map_finish(&w->by_spelling);
	ts_map_finish(&w->by_ids);
	ts_free(w->threads);
	memset(w, 0, sizeof *w);
}

/* --- unescaping --- */

static int hex4(const uint8_t *p)
{
	uint8_t bytes[2];

	return ts_parse_hex(ts_span_of(p, 4), bytes) ? bytes[0] << 8 | bytes[1] : -1;
}

/* Reads the escape at raw[at], which is a backslash; returns its length, or 0 if JSON has none such. */
static size_t escape(struct ts_span raw, size_t at, uint32_t *ret_point)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;
	int high, low;

	if (at + 1 >= raw.len)
		return 0;
	found = memchr(from, raw.data[at + 1], sizeof from - 1);
	if (found) {
		*ret_point = (uint8_t)to[found - from];
		return 2;
	}
	high = raw.data[at + 1] == 'u' && at + 6 <= raw.len ? hex4(raw.data + at + 2) : -1;
	if (high < 0)
		return 0;
	*ret_point = (uint32_t)high;
	if (high < 0xD800 || high > 0xDFFF)
		return 6;
	low = high < 0xDC00 && at + 12 <= raw.len && raw.data[at + 6] == '\\' && raw.data[at + 7] == 'u' ? hex4(raw.data + at + 8) : -1;
	*ret_point = 0xFFFD;
	if (low < 0xDC00 || low > 0xDFFF)
		return 6;
	*ret_point = 0x10000 + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
	return 12;
}

struct ts_span ts_trace_unescape(struct ts_arena *arena, struct ts_span raw, bool *ret_bad)
{
	/* A byte that is no UTF-8 becomes three. */
	uint8_t *out = raw.len < SIZE_MAX / 3 ? ts_arena_alloc(arena, raw.len * 3) : NULL;
	size_t n = 0;

	if (!out)
		return ts_span_of(NULL, 0);
	for (size_t at = 0; at < raw.len;) {
		uint32_t point = 0;
		size_t len = raw.data[at] == '\\' ? escape(raw, at, &point) : 0;

		if (len) {
			n += ts_utf8_put(point, out + n);
			at += len;
			continue;
		}
		len = ts_utf8_next(ts_span_from(raw, at), &point);
		*ret_bad |= !len || raw.data[at] == '\\';
		n += ts_utf8_put(len ? point : 0xFFFD, out + n);
		at += len ? len : 1;
	}
	return ts_span_of(out, n);
}

/* --- words --- */

static enum ts_status no_memory(const struct ts_trace_words *w, struct ts_error *err)
{
	if (w->arena.failed && w->arena.used > TS_TRACE_WORD_BYTES_MAX / 4)
		return ts_error_set(err, TS_TOO_LARGE, "the names of the trace take more than %d MiB", TS_TRACE_WORD_BYTES_MAX >> 20);
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for the names of a trace");
}

static bool is_spelt(const struct ts_trace_text *a, const struct ts_trace_text *b)
{
	return a->len == b->len && a->escaped == b->escaped && a->json == b->json && memcmp(a->data, b->data, a->len) == 0;
}

/* The word of a text that was spelt so before; 0: none was. */
static uint32_t word_of(const struct ts_trace_words *w, uint64_t hash, struct ts_trace_text text)
{
	uint32_t number;

	TS_MAP_FIND(w->by_spelling, hash, i, is_spelt(&w->spellings[i].text, &text), number);
	return number == TS_MAP_NONE ? 0 : w->spellings[number].word;
}

/* JSON without white space outside of its strings, so that a file that is indented has the same. */
static struct ts_span compact(struct ts_arena *arena, struct ts_span raw, bool *ret_bad)
{
	/* A byte that is no UTF-8 becomes three. */
	size_t each = ts_utf8_valid(raw) ? 1 : 3;
	uint8_t *out = raw.len < SIZE_MAX / 3 ? ts_arena_alloc(arena, raw.len * each) : NULL;
	bool string = false;
	size_t n = 0;

	if (!out)
		return ts_span_of(NULL, 0);
	for (size_t at = 0, len; at < raw.len; at += len) {
		uint32_t point = 0;
		bool escapes = string && raw.data[at] == '\\' && at + 1 < raw.len;

		if (escapes)
			out[n++] = raw.data[at++];
		string ^= raw.data[at] == '"' && !escapes;
		len = ts_utf8_next(ts_span_from(raw, at), &point);
		*ret_bad |= !len;
		if (string || !ts_is_space(raw.data[at]))
			n += ts_utf8_put(len ? point : 0xFFFD, out + n);
		len += !len;
	}
	return ts_span_of(out, n);
}

static enum ts_status spelled(struct ts_trace_words *w, struct ts_trace_text text, uint32_t *ret_word, struct ts_error *err);

/* The word of a text that is written otherwise than it reads: the one of what it reads. */
static enum ts_status reads_as(struct ts_trace_words *w, struct ts_span raw, bool json, uint32_t *ret_word, struct ts_error *err)
{
	bool bad = false;
	struct ts_span clean = json ? compact(&w->arena, raw, &bad) : ts_trace_unescape(&w->arena, raw, &bad);

	if (!clean.data)
		return no_memory(w, err);
	w->repaired += bad;
	return spelled(w, (struct ts_trace_text){.data = clean.data, .len = (uint32_t)clean.len}, ret_word, err);
}

static enum ts_status new_spelling(struct ts_trace_words *w, uint64_t hash, struct ts_trace_text text, uint32_t *ret_word,
				   struct ts_error *err)
{
	struct ts_span raw;
	uint8_t *copy;

	if (w->by_spelling.n >= TS_TRACE_WORDS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d distinct names", TS_TRACE_WORDS_MAX);
	copy = ts_arena_alloc(&w->arena, text.len);
	if (!copy || !TS_GROW(w->words, w->cap, w->n + 1, FIRST))
		return no_memory(w, err);
	memcpy(copy, text.data, text.len);
	raw = ts_span_of(copy, text.len);
	if (text.json || text.escaped || !ts_utf8_valid(raw)) {
		if (reads_as(w, raw, text.json, ret_word, err))
			return err->status;
	} else {
		*ret_word = (uint32_t)w->n;
		w->words[w->n++] = raw;
	}
	text.data = copy;
	if (*ret_word == 0)
		return TS_OK;
	if (!TS_GROW(w->spellings, w->cap_spellings, w->by_spelling.n + 1, FIRST))
		return no_memory(w, err);
	w->spellings[w->by_spelling.n] = (struct ts_trace_spelling){.text = text, .word = *ret_word};
	return ts_map_add(&w->by_spelling, hash, (uint32_t)w->by_spelling.n) ? TS_OK : no_memory(w, err);
}

static enum ts_status spelled(struct ts_trace_words *w, struct ts_trace_text text, uint32_t *ret_word, struct ts_error *err)
{
	uint64_t hash;

	*ret_word = 0;
	if (!text.len)
		return TS_OK;
	hash = ts_hash_bytes(w->key, ts_span_of(text.data, text.len));
	*ret_word = word_of(w, hash, text);
	return *ret_word ? TS_OK : new_spelling(w, hash, text, ret_word, err);
}

enum ts_status ts_trace_word(struct ts_trace_words *w, struct ts_trace_text text, uint32_t *ret_word, struct ts_error *err)
{
	return spelled(w, text, ret_word, err);
}

enum ts_status ts_trace_word_if_room(struct ts_trace_words *w, struct ts_trace_text text, uint32_t *ret_word, struct ts_error *err)
{
	/* A text that is written otherwise than it reads is there twice, and takes up to three times as much where it was read. */
	bool room = w->by_spelling.n < TS_TRACE_WORDS_MAX / 4 * 3 && text.len < TS_TRACE_WORD_BYTES_MAX / 16 &&
		    w->arena.used + text.len * 5 < TS_TRACE_WORD_BYTES_MAX / 4 * 3;

	*ret_word = 0;
	if (!text.len)
		return TS_OK;
	if (!room) {
		*ret_word = word_of(w, ts_hash_bytes(w->key, ts_span_of(text.data, text.len)), text);
		return TS_OK;
	}
	return spelled(w, text, ret_word, err);
}

/* --- threads --- */

static uint64_t hash_ids(const struct ts_trace_words *w, const struct ts_trace_thread *t)
{
	uint64_t h = ts_hash_fold((uint64_t)t->pid ^ w->key[0], t->pid_text ^ w->key[1]);

	return ts_hash_fold(h ^ (uint64_t)t->tid, w->key[0] + t->tid_text);
}

static bool same(const struct ts_trace_thread *a, const struct ts_trace_thread *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->pid_text == b->pid_text && a->tid_text == b->tid_text;
}

static enum ts_status new_thread(struct ts_trace_words *w, const struct ts_trace_thread *t, uint64_t hash, struct ts_error *err)
{
	if (w->n_threads == TS_TRACE_THREADS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d threads", TS_TRACE_THREADS_MAX);
	if (!TS_GROW(w->threads, w->cap_threads, w->n_threads + 1, 64) || !ts_map_add(&w->by_ids, hash, (uint32_t)w->n_threads))
		return no_memory(w, err);
	w->threads[w->n_threads++] = *t;
	return TS_OK;
}

enum ts_status ts_trace_thread_of(struct ts_trace_words *w, const struct ts_trace_name *pid, const struct ts_trace_name *tid,
				  uint32_t *ret_thread, struct ts_error *err)
{
	struct ts_trace_thread t = {.pid = pid->number, .tid = tid->number};
	uint64_t hash;
	uint32_t number;

	if (pid->text.data && ts_trace_word(w, pid->text, &t.pid_text, err))
		return err->status;
	if (tid->text.data && ts_trace_word(w, tid->text, &t.tid_text, err))
		return err->status;
	if (w->n_threads && same(&w->threads[w->last], &t)) {
		*ret_thread = w->last;
		return TS_OK;
	}
	hash = hash_ids(w, &t);
	TS_MAP_FIND(w->by_ids, hash, i, same(&w->threads[i], &t), number);
	if (number == TS_MAP_NONE && new_thread(w, &t, hash, err))
		return err->status;
	w->last = number == TS_MAP_NONE ? (uint32_t)w->n_threads - 1 : number;
	*ret_thread = w->last;
	return TS_OK;
}
