#include "service/handlers/core/fit.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/order.h"
#include "base/text.h"
#include "service/handlers/core/resolve.h"

enum { BATCH = 1024 };

/* What the run says of one object, and where it says so. */
struct claim {
	struct ts_id id;
	enum ts_kind kind;
	uint32_t rows, bytes; /* bytes: of a chunk's payload; 0: any number */
	int64_t first, last;  /* of keys */
	int32_t rank;
	const struct ts_table *table;
	const struct ts_column *column; /* NULL: the keys */
	const struct ts_file *file;
	struct ts_span fact;
	size_t block;
};

struct claims {
	struct claim *items;
	size_t n;
	struct ts_index *columns; /* of the files that have some, in the order of ranks and files */
	size_t n_columns;
};

/* --- what was seen --- */

static uint64_t hash_of(const struct ts_id *id, unsigned kind, uint32_t rows, int64_t first, int64_t last)
{
	struct {
		struct ts_id id;
		uint32_t kind, rows;
		int64_t first, last;
	} what = {*id, kind, rows, first, last};

	_Static_assert(sizeof what == sizeof what.id + 24, "no byte of it is unset");
	return ts_hash_bytes(ts_hash_open, ts_span_of(&what, sizeof what));
}

static bool has_seen(const struct ts_fit_seen *seen, uint64_t hash)
{
	uint32_t number = TS_MAP_NONE;

	if (seen)
		TS_MAP_FIND(seen->map, hash, i, seen->hashes[i] == hash, number);
	return number != TS_MAP_NONE;
}

/* What there is no memory to remember is looked at again. */
static void see(struct ts_fit_seen *seen, uint64_t hash)
{
	if (!seen || has_seen(seen, hash) || !TS_GROW(seen->hashes, seen->cap, seen->map.n + 1, 512))
		return;
	seen->hashes[seen->map.n] = hash;
	(void)ts_map_add(&seen->map, hash, (uint32_t)seen->map.n);
}

void ts_fit_seen_finish(struct ts_fit_seen *seen)
{
	ts_free(seen->hashes);
	ts_map_finish(&seen->map);
	*seen = (struct ts_fit_seen){0};
}

bool ts_fit_seen_run(struct ts_fit_seen *seen, const struct ts_id *run)
{
	uint64_t hash = hash_of(run, TS_KIND_HEAD, 0, 0, 0);
	bool there = has_seen(seen, hash);

	see(seen, hash);
	return !there;
}

/* --- claims --- */

static size_t count_facts(const struct ts_facts *facts)
{
	size_t n = 0;

	for (size_t i = 0; i < facts->n; i++)
		n += facts->items[i].type == TS_FACT_LONG;
	return n;
}

static size_t count_blocks(const struct ts_index *index)
{
	size_t n = 0;

	for (size_t t = 0; t < index->n_tables; t++)
		n += index->tables[t].n_blocks * (1 + index->tables[t].n_columns);
	return n;
}

static size_t count_claims(const struct ts_run *run, const struct claims *c)
{
	size_t n = count_facts(&run->head.facts);

	for (size_t r = 0; r < run->head.n_ranks; r++) {
		const struct ts_index *index = &run->indexes[r];

		n += count_facts(&index->facts) + count_blocks(index);
		for (size_t i = 0; i < index->n_files; i++)
			n += index->files[i].n_chunks;
	}
	for (size_t i = 0; i < c->n_columns; i++)
		n += count_blocks(&c->columns[i]);
	return n;
}

/* Opens the indexes of the columns of all files. */
static enum ts_status open_columns(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct claims *c,
				   struct ts_error *err)
{
	size_t n = 0;

	for (size_t r = 0; r < run->head.n_ranks; r++)
		for (size_t i = 0; i < run->indexes[r].n_files; i++)
			n += run->indexes[r].files[i].has_columns;
	c->columns = ts_arena_array(arena, n, sizeof *c->columns);
	if (!c->columns)
		return ts_arena_error(arena, err);
	for (size_t r = 0; r < run->head.n_ranks; r++)
		for (size_t i = 0; i < run->indexes[r].n_files; i++) {
			const struct ts_file *file = &run->indexes[r].files[i];

			if (file->has_columns && ts_run_columns(f, file, arena, &c->columns[c->n_columns++], err))
				return ts_error_prefix(err, "rank %d, file %s", (int)run->head.ranks[r].rank, ts_show(file->name).text);
		}
	return TS_OK;
}

static enum ts_kind kind_of(enum ts_column_type type)
{
	return type == TS_COLUMN_F64 ? TS_KIND_F64 : type == TS_COLUMN_U64 ? TS_KIND_U64 : TS_KIND_TEXT;
}

static void claim_facts(struct claims *c, int32_t rank, const struct ts_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		if (facts->items[i].type == TS_FACT_LONG)
			c->items[c->n++] = (struct claim){
				.id = facts->items[i].text_id, .kind = TS_KIND_CHUNK, .rank = rank, .fact = facts->items[i].path};
}

static void claim_table(struct claims *c, int32_t rank, const struct ts_table *table)
{
	for (size_t b = 0; b < table->n_blocks; b++) {
		const struct ts_block *block = &table->blocks[b];

		c->items[c->n++] = (struct claim){.id = block->keys,
						  .kind = TS_KIND_KEYS,
						  .rows = block->rows,
						  .first = block->first_key,
						  .last = block->last_key,
						  .rank = rank,
						  .table = table,
						  .block = b};
		for (size_t i = 0; i < table->n_columns; i++)
			c->items[c->n++] = (struct claim){.id = table->columns[i].blocks[b],
							  .kind = kind_of(table->columns[i].type),
							  .rows = block->rows,
							  .rank = rank,
							  .table = table,
							  .column = &table->columns[i],
							  .block = b};
	}
}

static void claim_file(struct claims *c, int32_t rank, const struct ts_file *file)
{
	uint64_t left = file->size;

	for (size_t i = 0; i < file->n_chunks; i++) {
		uint32_t bytes = left < TS_CHUNK_BYTES ? (uint32_t)left : (uint32_t)TS_CHUNK_BYTES;

		c->items[c->n++] = (struct claim){
			.id = file->chunks[i], .kind = TS_KIND_CHUNK, .bytes = bytes, .rank = rank, .file = file, .block = i};
		left -= bytes;
	}
}

/* By what is claimed, so that equal claims are neighbours, and outlines are asked for in the order of ids. */
TS_ORDER(compare_claims, struct claim, TS_THEN(ts_id_cmp(&a->id, &b->id)); TS_UP(kind); TS_UP(rows); TS_UP(bytes); TS_UP(first);
	 TS_UP(last))

/* Keeps of equal claims one, and none of those that were seen. */
static void drop_known(struct claims *c, const struct ts_fit_seen *seen)
{
	size_t n = 0;

	TS_SORT(c->items, c->n, compare_claims);
	for (size_t i = 0; i < c->n; i++) {
		const struct claim *item = &c->items[i];

		if ((n && compare_claims(&c->items[n - 1], item) == 0) ||
		    has_seen(seen, hash_of(&item->id, item->kind, item->rows + item->bytes, item->first, item->last)))
			continue;
		c->items[n++] = *item;
	}
	c->n = n;
}

static enum ts_status make_claims(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct claims *ret_claims,
				  struct ts_error *err)
{
	struct claims c = {.n = 0};
	size_t n;

	if (open_columns(f, run, arena, &c, err))
		return err->status;
	n = count_claims(run, &c);
	c.items = ts_arena_array(arena, n ? n : 1, sizeof *c.items);
	if (!c.items)
		return ts_arena_error(arena, err);
	claim_facts(&c, TS_RANK_JOB, &run->head.facts);
	for (size_t r = 0; r < run->head.n_ranks; r++) {
		const struct ts_index *index = &run->indexes[r];

		claim_facts(&c, index->rank, &index->facts);
		for (size_t t = 0; t < index->n_tables; t++)
			claim_table(&c, index->rank, &index->tables[t]);
		for (size_t i = 0; i < index->n_files; i++)
			claim_file(&c, index->rank, &index->files[i]);
	}
	for (size_t i = 0; i < c.n_columns; i++)
		for (size_t t = 0; t < c.columns[i].n_tables; t++)
			claim_table(&c, c.columns[i].rank, &c.columns[i].tables[t]);
	*ret_claims = c;
	return TS_OK;
}

/* --- checks --- */

static const char *word_of(unsigned kind)
{
	static const char *const words[] = {"nothing",	      "the head of a run", "an index",	      "a block of keys",
					    "a block of f64", "a block of u64",	   "a block of text", "a chunk of a file"};

	return kind < sizeof words / sizeof words[0] ? words[kind] : "an object of an unknown kind";
}

/* Puts before the text of err where the run says so. */
static enum ts_status at(const struct claim *c, struct ts_error *err)
{
	(void)ts_object_error(&c->id, err);
	if (c->fact.len && c->rank == TS_RANK_JOB)
		return ts_error_prefix(err, "fact %s", ts_show(c->fact).text);
	if (c->fact.len)
		return ts_error_prefix(err, "rank %d, fact %s", (int)c->rank, ts_show(c->fact).text);
	if (c->file)
		return ts_error_prefix(err, "rank %d, file %s, chunk %zu", (int)c->rank, ts_show(c->file->name).text, c->block);
	if (!c->column)
		return ts_error_prefix(err, "rank %d, %s, keys, block %zu", (int)c->rank, ts_table_word(c->table->kind), c->block);
	return ts_error_prefix(err, "rank %d, %s, column %s, block %zu", (int)c->rank, ts_table_word(c->table->kind),
			       ts_show(c->column->name).text, c->block);
}

/* The size that the object must have as a whole; 0: its outline does not tell. */
static uint64_t size_of(const struct claim *c)
{
	if (c->kind == TS_KIND_CHUNK)
		return c->bytes ? TS_OBJECT_HEADER + (uint64_t)c->bytes : 0;
	return c->kind == TS_KIND_TEXT ? 0 : TS_OBJECT_HEADER + (uint64_t)c->rows * 8;
}

static enum ts_status check_outline(struct ts_fetch *f, const struct claim *c, const struct ts_outline *o, struct ts_error *err)
{
	uint64_t size = size_of(c);

	f->missing |= !o->present;
	if (!o->present)
		(void)ts_error_set(err, TS_DAMAGED, "it is missing from the store");
	else if (o->kind != c->kind)
		(void)ts_error_set(err, TS_DAMAGED, "it is %s, and the run says %s", word_of(o->kind), word_of(c->kind));
	else if (o->nrefs)
		(void)ts_error_set(err, TS_DAMAGED, "it refers to %u objects, and %s to none", o->nrefs, word_of(c->kind));
	else if (size && o->raw_len != size)
		(void)ts_error_set(err, TS_DAMAGED, "it has %u bytes, and the run says %" PRIu64, o->raw_len, size);
	else
		return TS_OK;
	return at(c, err);
}

/* Opens a block, which also checks its rows. */
static enum ts_status open_block(struct ts_fetch *f, const struct claim *c, struct ts_arena *work, struct ts_error *err)
{
	uint64_t *words;
	struct ts_span *texts;

	ts_arena_reset(work);
	if (c->kind == TS_KIND_TEXT) {
		texts = ts_arena_array(work, c->rows, sizeof *texts);
		return texts ? ts_fetch_block_text(f, &c->id, c->rows, work, texts, err) : ts_arena_error(work, err);
	}
	words = ts_arena_array(work, c->rows, sizeof *words);
	if (!words)
		return ts_arena_error(work, err);
	if (c->kind == TS_KIND_KEYS)
		return ts_fetch_block_keys(f, &c->table->blocks[c->block], (int64_t *)(void *)words, err);
	return ts_fetch_block_words(f, &c->id, c->kind == TS_KIND_F64 ? TS_COLUMN_F64 : TS_COLUMN_U64, c->rows, words, err);
}

static enum ts_status check_content(struct ts_fetch *f, const struct claim *c, bool values, struct ts_arena *work, struct ts_error *err)
{
	bool opens = c->kind == TS_KIND_KEYS || c->kind == TS_KIND_TEXT || (values && c->kind == TS_KIND_F64);

	if (!opens || open_block(f, c, work, err) == TS_OK)
		return TS_OK;
	return err->status == TS_DAMAGED ? at(c, err) : err->status;
}

static enum ts_status check_batch(struct ts_fetch *f, const struct claim *claims, size_t n, bool values, struct ts_fit_seen *seen,
				  struct ts_arena *work, struct ts_error *err)
{
	struct ts_id ids[BATCH];
	struct ts_outline outlines[BATCH];

	for (size_t i = 0; i < n; i++)
		ids[i] = claims[i].id;
	if (ts_call_check(f->call, err) || f->call->engine->ops->outline_many(f->call->engine, ids, n, outlines, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const struct claim *c = &claims[i];

		if (check_outline(f, c, &outlines[i], err) || check_content(f, c, values, work, err))
			return err->status;
		see(seen, hash_of(&c->id, c->kind, c->rows + c->bytes, c->first, c->last));
	}
	return TS_OK;
}

enum ts_status ts_run_fits(struct ts_fetch *f, const struct ts_run *run, bool values, struct ts_fit_seen *seen, struct ts_error *err)
{
	struct ts_arena arena, work;
	struct claims claims = {0};
	enum ts_status status;

	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&work, 16 * (size_t)TS_OBJECT_MAX);
	status = make_claims(f, run, &arena, &claims, err);
	if (!status)
		drop_known(&claims, seen);
	for (size_t i = 0; i < claims.n && !status; i += BATCH)
		status = check_batch(f, &claims.items[i], claims.n - i < BATCH ? claims.n - i : BATCH, values, seen, &work, err);
	ts_arena_finish(&work);
	ts_arena_finish(&arena);
	return status;
}

/* --- blame --- */

static enum ts_status fits(struct ts_fetch *f, struct ts_span spec, struct ts_error *err)
{
	struct ts_resolved found;
	struct ts_arena arena;
	enum ts_status status;
	struct ts_run run;

	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = ts_resolve(f->call->engine, spec, &arena, &found, err);
	if (!status)
		status = ts_run_open(f, &found.id, &arena, &run, err);
	if (!status)
		status = ts_run_fits(f, &run, true, NULL, err);
	ts_arena_finish(&arena);
	return status;
}

/* "run:default/a" and "?default/a" are default/a to people. */
static struct ts_span name_of(struct ts_span spec)
{
	if (ts_span_starts(spec, ts_span_str("run:")))
		return ts_span_from(spec, 4);
	return ts_span_starts(spec, ts_span_str("?")) ? ts_span_from(spec, 1) : spec;
}

enum ts_status ts_blame(const struct ts_call *call, const struct ts_span *specs, size_t n, struct ts_error *err)
{
	struct ts_fetch f;

	ts_fetch_init(&f, call);
	for (size_t i = 0; i < n && err->status == TS_DAMAGED; i++) {
		struct ts_error why = {.status = TS_OK};

		if (fits(&f, specs[i], &why) != TS_DAMAGED)
			continue;
		*err = why;
		(void)ts_error_prefix(err, "%s", ts_show(name_of(specs[i])).text);
		break;
	}
	ts_fetch_finish(&f);
	return err->status;
}
