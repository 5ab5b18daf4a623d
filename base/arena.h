/* arena.h - memory that lives as long as one call or one command.
 *
 *	struct ts_arena arena;
 *	ts_arena_init(&arena, 64 << 20);
 *	char *name = ts_arena_alloc(&arena, 32);	NULL: no memory, or over the ceiling
 *	ts_arena_finish(&arena);			everything is gone at once
 *
 * An arena is born with a ceiling (bytes handed out, 0 = none) and never passes it: what a hostile
 * message can cost is bounded by the arena it is parsed into. Blocks are aligned to 16 bytes and not
 * zeroed. A streaming call resets its arena per message. Threads: one at a time.
 */
#ifndef TSCOPE_BASE_ARENA_H
#define TSCOPE_BASE_ARENA_H

#include "base/error.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

struct ts_arena_chunk;

struct ts_arena {
	struct ts_arena_chunk *chunks; /* newest first */
	size_t used;		       /* bytes handed out since init or reset */
	size_t ceiling;
	bool failed;		       /* one of the below returned NULL since then */
};

void ts_arena_init(struct ts_arena *arena, size_t ceiling);
void ts_arena_finish(struct ts_arena *arena);
/* Forgets everything; keeps the first chunk for reuse. */
void ts_arena_reset(struct ts_arena *arena);

/* NULL when out of memory or over the ceiling. Size 0 gives a valid pointer. */
void *ts_arena_alloc(struct ts_arena *arena, size_t size);
/* count * size bytes, zeroed; NULL on overflow too. */
void *ts_arena_array(struct ts_arena *arena, size_t count, size_t size);
void *ts_arena_dup(struct ts_arena *arena, const void *data, size_t len);
/* A copy with a final NUL behind it (not counted in len). data == NULL on failure. */
struct ts_span ts_arena_span(struct ts_arena *arena, struct ts_span span);
char *ts_arena_printf(struct ts_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The error to report when one of the above returned NULL. */
enum ts_status ts_arena_error(const struct ts_arena *arena, struct ts_error *err);
/* TS_OK, or that error if any did: for who writes much out of an arena and looks once, at the end. */
enum ts_status ts_arena_check(const struct ts_arena *arena, struct ts_error *err);

#endif
