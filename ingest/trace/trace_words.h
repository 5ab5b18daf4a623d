/* trace_words.h - gives numbers to the texts of a trace, and to its threads: each is there once, however often it comes.
 *
 * Texts are given as they stand between quotes in JSON; what the table holds is unescaped, and bytes that are no UTF-8 are U+FFFD
 * there; JSON is the same JSON without white space. Word 0 is the empty text. The hash has a random key, so that no trace can be made
 * whose words collide. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_WORDS_H
#define TSCOPE_INGEST_TRACE_TRACE_WORDS_H

#include "base/arena.h"
#include "base/map.h"
#include "ingest/trace/trace_event.h"

enum {
	TS_TRACE_WORDS_MAX = 1 << 20,	     /* real traces have some thousands */
	TS_TRACE_WORD_BYTES_MAX = 256 << 20, /* of all words together */
	TS_TRACE_THREADS_MAX = 1 << 20,
};

struct ts_trace_spelling {
	struct ts_trace_text text; /* as it is written */
	uint32_t word;
};

struct ts_trace_words {
	struct ts_arena arena;
	uint64_t key[2];
	struct ts_trace_spelling *spellings;
	struct ts_map by_spelling; /* which counts them */
	size_t cap_spellings;
	struct ts_span *words;
	size_t n, cap;
	uint64_t repaired; /* distinct texts that were no UTF-8, or had an escape that JSON does not have */
	struct ts_trace_thread *threads;
	size_t n_threads, cap_threads;
	struct ts_map by_ids; /* of threads */
	uint32_t last; /* the thread of the last call */
};

enum ts_status ts_trace_words_init(struct ts_trace_words *w, struct ts_error *err);
void ts_trace_words_finish(struct ts_trace_words *w);
/* The number of the text. TS_TOO_LARGE: there are too many. */
enum ts_status ts_trace_word(struct ts_trace_words *w, struct ts_trace_text text, uint32_t *ret_word, struct ts_error *err);
/* The same for a text that a trace can do without: a new one that would take the table beyond three quarters of its limits is left
 * out, and *ret_word is 0. */
enum ts_status ts_trace_word_if_room(struct ts_trace_words *w, struct ts_trace_text text, uint32_t *ret_word, struct ts_error *err);
enum ts_status ts_trace_thread_of(struct ts_trace_words *w, const struct ts_trace_name *pid, const struct ts_trace_name *tid,
				  uint32_t *ret_thread, struct ts_error *err);
/* Text as it stands between quotes of JSON, unescaped, in the arena; data NULL: no memory. *ret_bad: something in it was repaired. */
struct ts_span ts_trace_unescape(struct ts_arena *arena, struct ts_span raw, bool *ret_bad);

#endif
