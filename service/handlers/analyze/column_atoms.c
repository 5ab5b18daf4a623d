/* column_atoms.c - see column_atoms.h. */
#include "service/handlers/analyze/column_atoms.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/helper.h"

#include <pthread.h>

/* A block has a few places, so that the blocks of one column rarely drive each other out. */
enum { SETS = 512, PLACES = 8 };

/* Of fewer, two threads are no faster. */
enum { HELPED_BLOCKS = 16 };

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

/* The keys of a block that has one for each whole number from the first to the last are not read. */
static enum ts_status read_keys(struct ts_fetch *f, const struct ts_block *block, int64_t **ret_keys, struct ts_error *err)
{
	*ret_keys = NULL;
	if ((uint64_t)block->last_key - (uint64_t)block->first_key == block->rows - 1)
		return TS_OK;
	*ret_keys = ts_alloc(block->rows * sizeof **ret_keys);
	if (!*ret_keys)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for a block");
	return ts_fetch_block_keys(f, block, *ret_keys, err);
}

static double key_of(const struct ts_block *block, const int64_t *keys, size_t row)
{
	return (double)(keys ? keys[row] : block->first_key + (int64_t)row);
}

static enum ts_status read_block(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column, size_t b,
				 struct ts_cell *ret_atoms, struct ts_error *err)
{
	const struct ts_block *block = &table->blocks[b];
	size_t n = ts_atoms_in(block->rows);
	double *values;
	int64_t *keys;
	enum ts_status status;

	if (find(&block->keys, &column->blocks[b], n, ret_atoms))
		return TS_OK;
	values = ts_alloc(block->rows * sizeof *values);
	if (!values)
		return ts_error_set(err, TS_NO_MEMORY, "there is no memory for a block");
	status = read_keys(f, block, &keys, err);
	if (!status)
		status = ts_fetch_block_words(f, &column->blocks[b], TS_COLUMN_F64, block->rows, (uint64_t *)(void *)values, err);
	for (size_t row = 0; !status && row < block->rows; row += TS_ATOM_ROWS) {
		size_t last = row + TS_ATOM_ROWS < block->rows ? row + TS_ATOM_ROWS - 1 : block->rows - 1;

		ret_atoms[row / TS_ATOM_ROWS] =
			ts_cell_of(values + row, last + 1 - row, key_of(block, keys, row), key_of(block, keys, last));
	}
	if (!status)
		keep(&block->keys, &column->blocks[b], ret_atoms, n);
	ts_free(keys);
	ts_free(values);
	return status;
}

/* The blocks from begin to before end. */
struct part {
	struct ts_fetch fetch; /* of this part: a part runs in a thread of its own */
	const struct ts_table *table;
	const struct ts_column *column;
	size_t begin, end;
	struct ts_cell *atoms;
	struct ts_error err;
};

static void read_part(void *ctx)
{
	struct part *p = ctx;
	struct ts_cell *at = p->atoms;

	for (size_t b = p->begin; b < p->end; at += ts_atoms_in(p->table->blocks[b++].rows))
		if (read_block(&p->fetch, p->table, p->column, b, at, &p->err))
			return;
}

enum ts_status ts_atoms_of_column(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
				  struct ts_cell *ret_atoms, struct ts_error *err)
{
	struct part parts[2] = {{.table = table, .column = column, .atoms = ret_atoms}};
	struct ts_helper *helper = table->n_blocks >= HELPED_BLOCKS ? ts_helper_hire() : NULL;

	parts[0].end = table->n_blocks / 2;
	parts[1] = parts[0];
	parts[1].begin = parts[0].end;
	parts[1].end = table->n_blocks;
	for (size_t b = 0; b < parts[0].end; b++)
		parts[1].atoms += ts_atoms_in(table->blocks[b].rows);
	for (int i = 0; i < 2; i++)
		ts_fetch_init(&parts[i].fetch, f->call);
	ts_helper_give(helper, read_part, &parts[1]);
	read_part(&parts[0]);
	ts_helper_wait(helper);
	ts_helper_dismiss(helper);
	for (int i = 0; i < 2; i++)
		ts_fetch_finish(&parts[i].fetch);
	for (int i = 0; i < 2; i++)
		if (parts[i].err.status) {
			*err = parts[i].err;
			return err->status;
		}
	return TS_OK;
}
