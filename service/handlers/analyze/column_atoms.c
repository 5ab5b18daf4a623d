/* column_atoms.c - see column_atoms.h. */
#include "service/handlers/analyze/column_atoms.h"

#include "base/alloc.h"
#include "base/cursor.h"

#include <pthread.h>

/* A block has a few places, so that the blocks of one column rarely drive each other out. */
enum { SETS = 512, PLACES = 8 };

/* The atoms of one block; a block whose place another one takes is read again. */
struct kept {
	struct ts_id keys, values;
	uint64_t used; /* when it was asked for last */
	size_t n;
	struct ts_cell atoms[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *sets[SETS][PLACES];
static uint64_t clock_now;

static struct kept **set_of(const struct ts_id *keys, const struct ts_id *values)
{
	return sets[(ts_load_le(keys->bytes, 4) ^ ts_load_le(values->bytes, 4)) % SETS];
}

static bool is_of(const struct kept *kept, const struct ts_id *keys, const struct ts_id *values, size_t n)
{
	return kept && kept->n == n && ts_id_eq(&kept->keys, keys) && ts_id_eq(&kept->values, values);
}

static bool find(const struct ts_id *keys, const struct ts_id *values, size_t n, struct ts_cell *ret_atoms)
{
	struct kept **set = set_of(keys, values);
	bool found = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < PLACES && !found; i++) {
		found = is_of(set[i], keys, values, n);
		if (found) {
			set[i]->used = ++clock_now;
			memcpy(ret_atoms, set[i]->atoms, n * sizeof *ret_atoms);
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void keep(const struct ts_id *keys, const struct ts_id *values, const struct ts_cell *atoms, size_t n)
{
	struct kept *made = ts_alloc(sizeof *made + n * sizeof *atoms), *old, **set = set_of(keys, values);
	size_t at = 0;

	if (!made)
		return;
	*made = (struct kept){.keys = *keys, .values = *values, .n = n};
	memcpy(made->atoms, atoms, n * sizeof *atoms);
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < PLACES; i++) { /* that of the same block, else the one that was used longest ago */
		if (is_of(set[i], keys, values, n)) {
			at = i;
			break;
		}
		if ((set[i] ? set[i]->used : 0) < (set[at] ? set[at]->used : 0))
			at = i;
	}
	old = set[at];
	made->used = ++clock_now;
	set[at] = made;
	pthread_mutex_unlock(&lock);
	ts_free(old);
}

enum ts_status ts_atoms_of_block(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column, size_t b,
				 struct ts_cell *ret_atoms, struct ts_error *err)
{
	const struct ts_block *block = &table->blocks[b];
	size_t n = ts_atoms_in(block->rows);
	enum ts_status status = TS_OK;
	int64_t *keys;
	double *values;

	if (find(&block->keys, &column->blocks[b], n, ret_atoms))
		return TS_OK;
	keys = ts_alloc(block->rows * sizeof *keys);
	values = ts_alloc(block->rows * sizeof *values);
	if (!keys || !values)
		status = ts_error_set(err, TS_NO_MEMORY, "there is no memory for a block");
	if (!status)
		status = ts_fetch_block_keys(f, block, keys, err);
	if (!status)
		status = ts_fetch_block_words(f, &column->blocks[b], TS_COLUMN_F64, block->rows, (uint64_t *)(void *)values, err);
	for (size_t i = 0; !status && i < block->rows; i++) {
		if (i % TS_ATOM_ROWS == 0)
			ret_atoms[i / TS_ATOM_ROWS] = ts_cell_open;
		ts_cell_add(&ret_atoms[i / TS_ATOM_ROWS], (double)keys[i], values[i]);
	}
	if (!status)
		keep(&block->keys, &column->blocks[b], ret_atoms, n);
	ts_free(keys);
	ts_free(values);
	return status;
}
