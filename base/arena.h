/* arena.h - memory that lives as long as one call or one command.
 *
 *	struct ts_arena arena;
 *	ts_arena_init(&arena, 64 << 20);
 *	char *name = ts_arena_alloc(&arena, 32);	NULL: no memory, or over the ceiling
 *	ts_arena_finish(&arena);			frees everything at once
 *
 * An arena has a ceiling from the start (bytes handed out, 0 = none) and never exceeds it: so the arena into which a hostile
 * message is parsed bounds what the message can cost. Blocks are aligned to 16 bytes and not zeroed. A streaming call resets
 * its arena for each message. An arena also draws on the budget that its thread had when it was made (budget.h), in chunks, and
 * returns NULL when that has no more or is revoked.
 *
 * An arena fails once: `failed` says from the first refusal on, until a reset, that not all that was asked for is there. So who makes
 * many texts and rows asks once, by ts_arena_check, before an answer is given, shown or stored, and needs no flag of its own. An array
 * is asked for where it is made, since who writes n places has to have them (docs/decisions/0015-arenas.md).
 * Threads: one thread at a time may use an arena.
 */
#ifndef TSCOPE_BASE_ARENA_H
#define TSCOPE_BASE_ARENA_H

#include "base/budget.h"
#include "base/error.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>

struct ts_arena_chunk;

struct ts_arena {
	struct ts_arena_chunk *chunks; /* newest first */
	size_t used;		       /* bytes handed out since init or reset */
	size_t ceiling;
	struct ts_budget *budget;	 /* NULL: none */
	const struct ts_budget *refused; /* who had no more, when an allocation failed for that */
	bool failed;		       /* an allocation returned NULL since then */
};

void ts_arena_init(struct ts_arena *arena, size_t ceiling);
void ts_arena_finish(struct ts_arena *arena);
/* Frees everything that was handed out; keeps the first chunk for reuse. */
void ts_arena_reset(struct ts_arena *arena);

/* Moves everything that was handed out by other, which is empty afterwards, so that it lives as long as this arena. False if that is
 * over the ceiling; then nothing moves. */
bool ts_arena_adopt(struct ts_arena *arena, struct ts_arena *other);

/* Allocates size bytes; NULL if there is no memory or the ceiling is reached. Size 0 gives a valid pointer. */
void *ts_arena_alloc(struct ts_arena *arena, size_t size);
/* Allocates count * size bytes, zeroed; NULL also on overflow. */
void *ts_arena_array(struct ts_arena *arena, size_t count, size_t size);
void *ts_arena_dup(struct ts_arena *arena, const void *data, size_t len);
/* Copies a span and adds a NUL after it, which len does not count. data == NULL on failure. */
struct ts_span ts_arena_span(struct ts_arena *arena, struct ts_span span);
char *ts_arena_printf(struct ts_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for a text that is only read: never NULL, and empty where there is no room for it. Whoever gives an answer of such texts
 * asks ts_arena_check first. */
const char *ts_arena_phrase(struct ts_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *ts_arena_vprintf(struct ts_arena *arena, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Sets the error to report when one of the functions above returned NULL: TS_NO_MEMORY. */
enum ts_status ts_arena_error(const struct ts_arena *arena, struct ts_error *err);
/* TS_OK, or that error if any allocation failed: for a caller that allocates many times and checks once, at the end. */
enum ts_status ts_arena_check(const struct ts_arena *arena, struct ts_error *err);

#endif
