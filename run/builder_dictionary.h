/* builder_dictionary.h - the texts of one window, each once, numbered in order of first appearance. The builder uses it, and
 * so does code that needs common numbers for the texts of two runs.
 */
#ifndef TSCOPE_RUN_BUILDER_DICTIONARY_H
#define TSCOPE_RUN_BUILDER_DICTIONARY_H

#include "base/buf.h"
#include "base/map.h"

/* The dictionary of one text window. Entries lie one after the other in bytes. */
struct ts_dictionary {
	struct ts_buf bytes;
	uint32_t *ends; /* entry i is bytes[ends[i-1], ends[i]) */
	size_t n, cap;
	struct ts_map map; /* of entries */
};

/* NULL with an error set on failure: TS_NO_MEMORY. */
struct ts_dictionary *ts_dictionary_create(struct ts_error *err);
void ts_dictionary_destroy(struct ts_dictionary *d); /* NULL is allowed */
/* Empties the dictionary; keeps its memory. */
void ts_dictionary_reset(struct ts_dictionary *d);
/* Looks up the number of a text, which is added if it is new. TS_NO_MEMORY is the only error. */
enum ts_status ts_dictionary_code(struct ts_dictionary *d, struct ts_span text, uint32_t *ret_code,
				  struct ts_error *err);
struct ts_span ts_dictionary_entry(const struct ts_dictionary *d, size_t i);

/* Grows *items to room for `need` items and sets *cap; on failure both stay as they are. */
enum ts_status ts_builder_grow(void *items, size_t *cap, size_t need, size_t size, struct ts_error *err);

#endif
