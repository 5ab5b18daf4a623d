/* builder_dictionary.h - the texts of one window, each once, numbered in order of first appearance. The builder's, and
 * whose texts of two runs need common numbers. */
#ifndef TSCOPE_RUN_BUILDER_DICTIONARY_H
#define TSCOPE_RUN_BUILDER_DICTIONARY_H

#include "base/buf.h"

/* The dictionary of one text window. Entries lie one behind the other in bytes; slots hash them. */
struct ts_dictionary {
	struct ts_buf bytes;
	uint32_t *ends; /* entry i is bytes[ends[i-1], ends[i]) */
	size_t n, cap;
	uint32_t *slots; /* entry + 1, 0 = free */
	size_t n_slots; /* a power of two, at least twice n */
};

/* NULL on failure. */
struct ts_dictionary *ts_dictionary_create(struct ts_error *err);
void ts_dictionary_destroy(struct ts_dictionary *d); /* NULL is allowed */
/* Empty again; keeps its memory. */
void ts_dictionary_reset(struct ts_dictionary *d);
/* The number of this text, a new one if it was not there. */
enum ts_status ts_dictionary_code(struct ts_dictionary *d, struct ts_span text, uint32_t *ret_code,
				  struct ts_error *err);
struct ts_span ts_dictionary_entry(const struct ts_dictionary *d, size_t i);

/* Room for `need` items in *items of *cap; on failure both stay. */
enum ts_status ts_builder_grow(void *items, size_t *cap, size_t need, size_t size, struct ts_error *err);

#endif
