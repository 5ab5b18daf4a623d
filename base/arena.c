#include "base/arena.h"

#include "base/alloc.h"
#include "base/scratch.h"

#include <stdarg.h>
#include <stdio.h>

enum { ALIGN = 16, CHUNK_MIN = 64 * 1024 };

struct ts_arena_chunk {
	struct ts_arena_chunk *next;
	struct ts_budget *budget; /* on which it counts */
	size_t size;
	size_t used;
	bool whole; /* one block fills it, which is larger than chunks are */
	_Alignas(ALIGN) uint8_t bytes[];
};

void ts_arena_init(struct ts_arena *arena, size_t ceiling)
{
	*arena = (struct ts_arena){.ceiling = ceiling, .budget = ts_budget_current()};
}

static void free_chunks(struct ts_arena_chunk *chunk)
{
	while (chunk) {
		struct ts_arena_chunk *next = chunk->next;

		ts_budget_give(chunk->budget, sizeof *chunk + chunk->size);
		ts_free(chunk);
		chunk = next;
	}
}

void ts_arena_finish(struct ts_arena *arena)
{
	free_chunks(arena->chunks);
	*arena = (struct ts_arena){.ceiling = arena->ceiling, .budget = arena->budget};
}

void ts_arena_reset(struct ts_arena *arena)
{
	if (arena->chunks) {
		free_chunks(arena->chunks->next);
		arena->chunks->next = NULL;
		arena->chunks->used = 0;
	}
	arena->used = 0;
	arena->failed = false;
	arena->refused = NULL;
}

bool ts_arena_adopt(struct ts_arena *arena, struct ts_arena *other)
{
	struct ts_arena_chunk **at = arena->chunks ? &arena->chunks->next : &arena->chunks, *last = other->chunks;

	if (arena->ceiling && (other->used > arena->ceiling || arena->used > arena->ceiling - other->used)) {
		arena->failed = true;
		return false;
	}
	if (!last)
		return true;
	while (last->next)
		last = last->next;
	last->next = *at;
	*at = other->chunks;
	arena->used += other->used;
	*other = (struct ts_arena){.ceiling = other->ceiling, .budget = other->budget};
	return true;
}

static struct ts_arena_chunk *add_chunk(struct ts_arena *arena, size_t need)
{
	struct ts_arena_chunk *chunk;
	size_t size = CHUNK_MIN;
	size_t total;

	if (arena->chunks && size < arena->chunks->size * 2 && arena->chunks->size < (1u << 20))
		size = arena->chunks->size * 2;
	if (size < need)
		size = need;
	if (!ts_size_add(sizeof *chunk, size, &total))
		return NULL;
	arena->refused = ts_budget_take(arena->budget, total);
	if (arena->refused)
		return NULL;
	chunk = ts_alloc(total);
	if (!chunk) {
		ts_budget_give(arena->budget, total);
		return NULL;
	}
	chunk->budget = arena->budget;
	chunk->size = size;
	chunk->used = 0;
	chunk->whole = size == need;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk;
}

static void *take(struct ts_arena *arena, size_t size)
{
	struct ts_arena_chunk *chunk = arena->chunks;
	size_t need;
	void *block;

	if (!ts_size_add(size, ALIGN - 1, &need))
		return NULL;
	need &= ~(size_t)(ALIGN - 1);
	if (need == 0)
		need = ALIGN;
	if (arena->budget && atomic_load_explicit(&arena->budget->revoked, memory_order_relaxed))
		return NULL;
	if (arena->ceiling && (need > arena->ceiling || arena->used > arena->ceiling - need))
		return NULL;
	if (!chunk || chunk->size - chunk->used < need)
		chunk = add_chunk(arena, need);
	if (!chunk)
		return NULL;
	block = chunk->bytes + chunk->used;
	chunk->used += need;
	arena->used += need;
	return block;
}

void ts_scratch_give(struct ts_arena *arena, const void *block)
{
	struct ts_arena_chunk **at = &arena->chunks, *chunk;

	while (*at && (*at)->bytes != block)
		at = &(*at)->next;
	chunk = *at;
	if (!chunk || !chunk->whole)
		return;
	*at = chunk->next;
	chunk->next = NULL;
	arena->used -= chunk->used;
	free_chunks(chunk);
}

void *ts_arena_alloc(struct ts_arena *arena, size_t size)
{
	void *block = take(arena, size);

	arena->failed |= !block;
	return block;
}

void *ts_arena_array(struct ts_arena *arena, size_t count, size_t size)
{
	size_t total;
	void *block;

	if (!ts_size_mul(count, size, &total)) {
		arena->failed = true;
		return NULL;
	}
	block = ts_arena_alloc(arena, total);
	if (block && total)
		memset(block, 0, total);
	return block;
}

void *ts_arena_dup(struct ts_arena *arena, const void *data, size_t len)
{
	void *block = ts_arena_alloc(arena, len);

	if (block && len)
		memcpy(block, data, len);
	return block;
}

struct ts_span ts_arena_span(struct ts_arena *arena, struct ts_span span)
{
	uint8_t *block = ts_arena_alloc(arena, span.len + 1);

	if (!block)
		return ts_span_of(NULL, 0);
	if (span.len)
		memcpy(block, span.data, span.len);
	block[span.len] = 0;
	return ts_span_of(block, span.len);
}

char *ts_arena_vprintf(struct ts_arena *arena, const char *format, va_list args)
{
	va_list again;
	char *block = NULL;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	if (len >= 0)
		block = ts_arena_alloc(arena, (size_t)len + 1);
	if (block)
		(void)vsnprintf(block, (size_t)len + 1, format, again);
	va_end(again);
	return block;
}

char *ts_arena_printf(struct ts_arena *arena, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = ts_arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

const char *ts_arena_phrase(struct ts_arena *arena, const char *format, ...)
{
	va_list args;
	const char *text;

	va_start(args, format);
	text = ts_arena_vprintf(arena, format, args);
	va_end(args);
	return text ? text : "";
}

enum ts_status ts_arena_error(const struct ts_arena *arena, struct ts_error *err)
{
	if (arena->budget && atomic_load(&arena->budget->revoked))
		return ts_error_set(err, TS_NO_MEMORY, "nobody waits for this any more");
	if (arena->refused)
		return ts_budget_error(arena->refused, err);
	if (arena->ceiling)
		return ts_error_set(err, TS_NO_MEMORY,
				    "out of memory: %zu bytes are in use, and this call may use at most %zu bytes",
				    arena->used, arena->ceiling);
	return ts_error_set(err, TS_NO_MEMORY, "out of memory: %zu bytes in use", arena->used);
}

enum ts_status ts_arena_check(const struct ts_arena *arena, struct ts_error *err)
{
	return arena->failed ? ts_arena_error(arena, err) : TS_OK;
}
