#include "service/handlers/diff/resume_rows.h"

#include "base/door.h"
#include "base/limits.h"
#include "base/text.h"
#include "run/role.h"
#include "service/handlers/diff/diff_evidence.h"

/* Finds the rows of a block that are between the two keys: [*ret_from, *ret_upto). */
static void rows_between(const int64_t *keys, size_t n, int64_t first, int64_t last, size_t *ret_from, size_t *ret_upto)
{
	size_t from = 0, upto = n;

	while (from < n && keys[from] < first)
		from++;
	while (upto > from && keys[upto - 1] > last)
		upto--;
	*ret_from = from;
	*ret_upto = upto;
}

static bool overlaps(const struct ts_block *block, int64_t first, int64_t last)
{
	return block->first_key <= last && block->last_key >= first;
}

/* Finds the blocks that hold at least `most` of the requested rows, or all: [*ret_from, *ret_upto). A block at the edge
 * of the range is not counted, since only a part of its rows may be inside. */
static size_t blocks_of(const struct ts_table *table, int64_t first, int64_t last, size_t most, bool from_end,
			size_t *ret_from, size_t *ret_upto)
{
	size_t from = 0, upto = table->n_blocks, rows = 0, full = 0;

	while (from < upto && !overlaps(&table->blocks[from], first, last))
		from++;
	while (upto > from && !overlaps(&table->blocks[upto - 1], first, last))
		upto--;
	for (size_t i = 0; i < upto - from; i++) {
		const struct ts_block *block = &table->blocks[from_end ? upto - 1 - i : from + i];

		rows += block->rows;
		if (block->first_key >= first && block->last_key <= last)
			full += block->rows;
		if (full < most)
			continue;
		if (from_end)
			from = upto - 1 - i;
		else
			upto = from + i + 1;
		break;
	}
	*ret_from = from;
	*ret_upto = upto;
	return rows;
}

enum ts_status ts_rows_load(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
			    int64_t first, int64_t last, size_t most, bool from_end, struct ts_arena *arena,
			    struct ts_rows *ret, struct ts_error *err)
{
	struct ts_rows out = {.n = 0};
	size_t from, upto, room = blocks_of(table, first, last, most, from_end, &from, &upto), skip;

	TS_DOOR(ts_table_holds(table));
	out.keys = ts_arena_array(arena, room, sizeof *out.keys);
	out.words = ts_arena_array(arena, room, sizeof *out.words);
	if (!out.keys || !out.words)
		return ts_arena_error(arena, err);
	for (size_t i = from; i < upto; i++) {
		const struct ts_block *block = &table->blocks[i];
		int64_t *keys = out.keys + out.n;
		uint64_t *words = out.words + out.n;
		size_t a, b;

		if (ts_fetch_block_keys(f, block, keys, err) ||
		    ts_fetch_block_words(f, &column->blocks[i], column->type, block->rows, words, err))
			return ts_error_prefix(err, "column %.*s", TS_SPAN_ARG(column->name));
		rows_between(keys, block->rows, first, last, &a, &b);
		memmove(keys, keys + a, (b - a) * sizeof *keys);
		memmove(words, words + a, (b - a) * sizeof *words);
		out.n += b - a;
	}
	skip = from_end && out.n > most ? out.n - most : 0;
	out.keys += skip;
	out.words += skip;
	out.n = out.n - skip < most ? out.n - skip : most;
	*ret = out;
	return TS_OK;
}

/* The bits of a double are read through the same 8 bytes: the code is built with -fno-strict-aliasing. */
static const double *real_of(const uint64_t *words)
{
	return (const double *)(const void *)words;
}

const double *ts_rows_real(const struct ts_rows *rows)
{
	return real_of(rows->words);
}

bool ts_rows_pair(const struct ts_rows *a, const struct ts_rows *b, size_t most, struct ts_arena *arena,
		  struct ts_row_pairs *ret)
{
	size_t room = a->n < b->n ? a->n : b->n, i = 0, j = 0;
	struct ts_row_pairs out = {.n = 0};

	room = room < most ? room : most;
	out.steps = ts_arena_array(arena, room, sizeof *out.steps);
	out.a = ts_arena_array(arena, room, sizeof *out.a);
	out.b = ts_arena_array(arena, room, sizeof *out.b);
	if (!out.steps || !out.a || !out.b)
		return false;
	while (i < a->n && j < b->n && out.n < room) {
		if (a->keys[i] == b->keys[j]) {
			out.steps[out.n] = a->keys[i];
			out.a[out.n] = a->words[i++];
			out.b[out.n++] = b->words[j++];
		} else if (a->keys[i] < b->keys[j]) {
			i++;
		} else {
			j++;
		}
	}
	*ret = out;
	return true;
}

/* What counts up while a run trains. */
static bool is_count(struct ts_span name)
{
	static const char *const leaves[] = {"epoch", "samples", "tokens"};
	uint8_t room[TS_PATH_MAX];
	struct ts_span leaf = ts_column_leaf(name, room);

	for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++)
		if (ts_span_is(leaf, leaves[i]))
			return true;
	return false;
}

/* Digests are named as in a diff. */
static enum ts_resume_kind digest_kind(struct ts_span name)
{
	static const struct {
		enum ts_series_kind of;
		enum ts_resume_kind kind;
	} digests[] = {{TS_KIND_BATCH, TS_RESUME_BATCH},
		       {TS_KIND_PARAMS, TS_RESUME_PARAMS},
		       {TS_KIND_GRADS, TS_RESUME_GRADS},
		       {TS_KIND_OPTIMIZER, TS_RESUME_OPTIMIZER},
		       {TS_KIND_RNG, TS_RESUME_RNG}};
	enum ts_series_kind kind = ts_series_kind_of(name, TS_COLUMN_U64, TS_ROLE_TRAJECTORY);

	for (size_t i = 0; i < sizeof digests / sizeof digests[0]; i++)
		if (kind == digests[i].of)
			return digests[i].kind;
	return TS_RESUME_DIGEST;
}

static bool has_loss(const struct ts_index *index)
{
	return ts_index_column(index, TS_TABLE_STEPS, ts_span_str("scalars.loss"), TS_COLUMN_F64, NULL) != NULL;
}

static enum ts_resume_kind number_kind(const struct ts_index *index, struct ts_span name)
{
	enum ts_series_kind kind = ts_series_kind_of(name, TS_COLUMN_F64, TS_ROLE_TRAJECTORY);

	if (ts_column_is_loss_scale(name))
		return TS_RESUME_SCALE;
	if (is_count(name))
		return TS_RESUME_COUNT;
	if (kind == TS_KIND_EVAL)
		return TS_RESUME_EVAL;
	if (kind == TS_KIND_GRAD_NORM)
		return TS_RESUME_GRAD_NORM;
	if (kind == TS_KIND_LR)
		return TS_RESUME_RATE;
	if (ts_span_is(name, "scalars.loss"))
		return TS_RESUME_LOSS;
	/* Where no series is named scalars.loss, any loss of the training is taken. */
	if (ts_glob(ts_span_str("scalars.*loss"), name) && !ts_glob(ts_span_str("scalars.*eval*"), name) &&
	    !ts_glob(ts_span_str("scalars.*val*"), name) && !has_loss(index))
		return TS_RESUME_LOSS;
	if (ts_series_stands_for_loss(name) && !ts_index_has_loss(index))
		return TS_RESUME_LOSS;
	return TS_RESUME_SCALAR;
}

bool ts_resume_kind_of(const struct ts_index *index, const struct ts_facts *facts, const struct ts_column *column,
		       enum ts_resume_kind *ret_kind)
{
	enum ts_role role = ts_role_of(column->name, facts);

	TS_DOOR(ts_facts_hold(facts));
	TS_DOOR(ts_index_holds(index));
	/* Nobody needs to declare that a scale or a rate (lr-AdamW) is computed by the training. */
	if (role == TS_ROLE_UNKNOWN && column->type == TS_COLUMN_F64 &&
	    (ts_column_is_loss_scale(column->name) || ts_series_kind_of(column->name, TS_COLUMN_F64, role) == TS_KIND_LR))
		role = TS_ROLE_TRAJECTORY;
	if (role != TS_ROLE_TRAJECTORY)
		return false;
	if (column->type == TS_COLUMN_U64) {
		*ret_kind = digest_kind(column->name);
		return true;
	}
	if (column->type != TS_COLUMN_F64)
		return false;
	*ret_kind = number_kind(index, column->name);
	return true;
}

double ts_resume_quantum(const struct ts_column *column, const struct ts_row_pairs *pairs)
{
	const double *a = real_of(pairs->a), *b = real_of(pairs->b);
	double greatest = 0, quantum = 1;

	if (column->type != TS_COLUMN_F64 || column->precision == TS_PRECISION_F64)
		return 0;
	if (column->precision == TS_PRECISION_DECIMALS) {
		for (int i = 0; i < column->digits; i++)
			quantum /= 10;
		return quantum;
	}
	for (size_t i = 0; i < pairs->n; i++) {
		greatest = isfinite(a[i]) ? fmax(greatest, fabs(a[i])) : greatest;
		greatest = isfinite(b[i]) ? fmax(greatest, fabs(b[i])) : greatest;
	}
	return greatest * 0x1p-23;
}

struct ts_resume_series ts_resume_series_of(enum ts_resume_kind kind, struct ts_span name, int32_t rank,
					    const struct ts_row_pairs *pairs, const struct ts_facts *facts_a,
					    const struct ts_facts *facts_b)
{
	struct ts_resume_series s = {.kind = kind, .name = name, .rank = rank, .steps = pairs->steps, .n = pairs->n};

	TS_DOOR(ts_facts_hold(facts_a));
	if (kind >= TS_RESUME_BATCH) {
		s.when = ts_digest_time_of(facts_a, facts_b, name);
		s.word_a = pairs->a;
		s.word_b = pairs->b;
	} else {
		s.a = real_of(pairs->a);
		s.b = real_of(pairs->b);
	}
	return s;
}
