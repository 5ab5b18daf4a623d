/* An index is a stream of records, packed greedily into objects: docs/format.md, "Index". A planner goes over the stream
 * once and notes where each object ends; then the objects are written from the last to the first, so that each can
 * name its successor. */
#include "run/index.h"

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/words.h"
#include "run/fact_codec.h"
#include "run/index_record.h"

/* --- order and lookup --- */

int ts_column_cmp(const struct ts_column *a, const struct ts_column *b)
{
	int c = ts_span_cmp(a->name, b->name);

	return c ? c : (a->type > b->type) - (a->type < b->type);
}

int ts_table_cmp(const struct ts_table *a, const struct ts_table *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (!a->n_columns || !b->n_columns)
		return (a->n_columns > 0) - (b->n_columns > 0);
	return ts_column_cmp(&a->columns[0], &b->columns[0]);
}

bool ts_file_name_valid(struct ts_span name)
{
	if (name.len == 0 || name.len > TS_FILE_NAME_MAX || ts_span_is(name, ".") || ts_span_is(name, ".."))
		return false;
	return !memchr(name.data, '/', name.len) && !memchr(name.data, '\0', name.len);
}

static bool blocks_hold(const struct ts_table *table)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < table->n_blocks; i++) {
		const struct ts_block *b = &table->blocks[i];

		if (b->rows == 0 || b->rows > TS_BLOCK_ROWS_MAX || b->first_key > b->last_key || (i && b[-1].last_key >= b->first_key))
			return false;
		rows += b->rows;
	}
	return rows == table->rows;
}

bool ts_table_holds(const struct ts_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct ts_column *c = &table->columns[i];

		if (c->name.len == 0 || c->type < TS_COLUMN_F64 || c->type > TS_COLUMN_JSON || c->precision > TS_PRECISION_DECIMALS)
			return false;
		if (i && ts_column_cmp(c - 1, c) >= 0)
			return false;
	}
	return table->kind >= TS_TABLE_STEPS && table->kind <= TS_TABLE_KINDS && blocks_hold(table);
}

bool ts_index_holds(const struct ts_index *index)
{
	for (size_t i = 0; i < index->n_tables; i++)
		if (!ts_table_holds(&index->tables[i]) || (i && ts_table_cmp(&index->tables[i - 1], &index->tables[i]) > 0))
			return false;
	for (size_t i = 0; i < index->n_files; i++)
		if (!ts_file_name_valid(index->files[i].name) ||
		    (i && ts_span_cmp(index->files[i - 1].name, index->files[i].name) >= 0))
			return false;
	return ts_facts_hold(&index->facts);
}

const struct ts_column *ts_index_column(const struct ts_index *index, enum ts_table_kind kind, struct ts_span name,
					enum ts_column_type type, const struct ts_table **ret_table)
{
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; table->kind == kind && i < table->n_columns; i++) {
			const struct ts_column *column = &table->columns[i];

			if ((!type || column->type == type) && ts_span_eq(column->name, name)) {
				if (ret_table)
					*ret_table = table;
				return column;
			}
		}
	}
	return NULL;
}

size_t ts_table_block_of(const struct ts_table *table, int64_t key)
{
	size_t at = 0;

	TS_DOOR_SORTED(i, table->n_blocks, table->blocks[i - 1].last_key < table->blocks[i].first_key);
	TS_BISECT(at, table->n_blocks, i, table->blocks[i].last_key < key);
	return at;
}

/* --- the stream --- */

/* The position in the stream: a record, and for a list the next element. */
struct place {
	uint8_t record; /* enum ts_index_record, or 0 at the end */
	size_t a;	/* the number of the fact, table or file */
	size_t column; /* of the table */
	size_t element; /* of a list */
};

static struct place first_table_or_file(const struct ts_index *index, size_t table)
{
	if (table < index->n_tables)
		return (struct place){.record = TS_RECORD_TABLE, .a = table};
	return (struct place){.record = index->n_files ? TS_RECORD_FILE : 0};
}

static struct place first(const struct ts_index *index)
{
	if (index->facts.n)
		return (struct place){.record = TS_RECORD_FACT};
	return first_table_or_file(index, 0);
}

static size_t list_length(const struct ts_index *index, const struct place *at)
{
	switch (at->record) {
	case TS_RECORD_BLOCKS:
	case TS_RECORD_VALUES:
		return index->tables[at->a].n_blocks;
	case TS_RECORD_CHUNKS:
		return index->files[at->a].n_chunks;
	default:
		return 0;
	}
}

/* The place behind a file and its chunks. */
static struct place after_file(const struct ts_index *index, size_t file)
{
	return file + 1 < index->n_files ? (struct place){.record = TS_RECORD_FILE, .a = file + 1} : (struct place){.record = 0};
}

static struct place after_chunks(const struct ts_index *index, size_t file)
{
	return index->files[file].has_columns ? (struct place){.record = TS_RECORD_FILE_COLUMNS, .a = file} : after_file(index, file);
}

static struct place after_columns(const struct ts_index *index, struct place at, size_t column)
{
	if (column < index->tables[at.a].n_columns)
		return (struct place){.record = TS_RECORD_COLUMN, .a = at.a, .column = column};
	return first_table_or_file(index, at.a + 1);
}

/* Returns the record after this one. */
static struct place next(const struct ts_index *index, struct place at)
{
	switch (at.record) {
	case TS_RECORD_FACT:
		if (at.a + 1 < index->facts.n)
			return (struct place){.record = TS_RECORD_FACT, .a = at.a + 1};
		return first_table_or_file(index, 0);
	case TS_RECORD_TABLE:
		return (struct place){.record = TS_RECORD_BLOCKS, .a = at.a};
	case TS_RECORD_BLOCKS:
		return after_columns(index, at, 0);
	case TS_RECORD_COLUMN:
		return (struct place){.record = TS_RECORD_VALUES, .a = at.a, .column = at.column};
	case TS_RECORD_VALUES:
		return after_columns(index, at, at.column + 1);
	case TS_RECORD_FILE:
		if (index->files[at.a].n_chunks)
			return (struct place){.record = TS_RECORD_CHUNKS, .a = at.a};
		return after_chunks(index, at.a);
	case TS_RECORD_CHUNKS:
		return after_chunks(index, at.a);
	case TS_RECORD_FILE_COLUMNS:
		return after_file(index, at.a);
	default:
		return (struct place){.record = 0};
	}
}

/* Returns the size in bytes of a record that is not a list, references included. */
static size_t record_size(const struct ts_index *index, const struct place *at)
{
	const struct ts_fact *fact;

	switch (at->record) {
	case TS_RECORD_FACT:
		fact = &index->facts.items[at->a];
		return 1 + ts_fact_size(fact) + (fact->type == TS_FACT_LONG ? TS_ID_BYTES : 0);
	case TS_RECORD_TABLE:
		return TS_RECORD_TABLE_BYTES;
	case TS_RECORD_COLUMN:
		return TS_RECORD_COLUMN_BYTES + index->tables[at->a].columns[at->column].name.len;
	case TS_RECORD_FILE:
		return TS_RECORD_FILE_BYTES + index->files[at->a].name.len;
	case TS_RECORD_FILE_COLUMNS:
		return TS_RECORD_FILE_COLUMNS_BYTES + TS_ID_BYTES;
	default:
		return 0;
	}
}

/* --- one object --- */

/* The content of one object: it begins at a place and takes as many records as fit. */
struct part {
	struct place from;
	uint32_t nrefs; /* without the reference to the next object */
};

/* Goes over the records of one object. With out it writes them, with refs it collects the references (both may be
 * NULL). */
struct packer {
	const struct ts_index *index;
	struct place at;
	size_t left;
	struct ts_buf *out;
	struct ts_id *refs;
	uint32_t nrefs;
};

static void take_ref(struct packer *p, const struct ts_id *id)
{
	if (p->refs)
		p->refs[p->nrefs] = *id;
	p->nrefs++;
}

static void write_record(const struct packer *p)
{
	const struct ts_table *table;
	const struct ts_column *column;
	const struct ts_file *file;

	ts_buf_u8(p->out, p->at.record);
	switch (p->at.record) {
	case TS_RECORD_FACT:
		ts_fact_encode(&p->index->facts.items[p->at.a], p->out);
		break;
	case TS_RECORD_TABLE:
		table = &p->index->tables[p->at.a];
		ts_buf_u8(p->out, (uint8_t)table->kind);
		ts_buf_u8(p->out, table->key_log2);
		break;
	case TS_RECORD_COLUMN:
		column = &p->index->tables[p->at.a].columns[p->at.column];
		ts_buf_u8(p->out, (uint8_t)column->type);
		ts_buf_u8(p->out, (uint8_t)column->precision);
		ts_buf_u8(p->out, column->digits);
		ts_buf_u16(p->out, (uint16_t)column->name.len);
		ts_buf_span(p->out, column->name);
		break;
	case TS_RECORD_FILE:
		file = &p->index->files[p->at.a];
		ts_buf_u64(p->out, file->size);
		ts_buf_u8(p->out, (uint8_t)file->name.len);
		ts_buf_span(p->out, file->name);
		break;
	default:
		break;
	}
}

static void take_element(struct packer *p, size_t i)
{
	const struct ts_block *block;

	switch (p->at.record) {
	case TS_RECORD_BLOCKS:
		block = &p->index->tables[p->at.a].blocks[i];
		take_ref(p, &block->keys);
		if (!p->out)
			break;
		ts_buf_u64(p->out, (uint64_t)block->first_key);
		ts_buf_u64(p->out, (uint64_t)block->last_key);
		ts_buf_u32(p->out, block->rows);
		break;
	case TS_RECORD_VALUES:
		take_ref(p, &p->index->tables[p->at.a].columns[p->at.column].blocks[i]);
		break;
	case TS_RECORD_CHUNKS:
		take_ref(p, &p->index->files[p->at.a].chunks[i]);
		break;
	default:
		break;
	}
}

/* Packs elements of the list while they fit; returns true when the list is finished. */
static bool pack_list(struct packer *p)
{
	size_t size = TS_ID_BYTES + (p->at.record == TS_RECORD_BLOCKS ? TS_RECORD_BLOCK_BYTES : 0);
	size_t length = list_length(p->index, &p->at);
	size_t n = length - p->at.element;

	if (p->left < TS_RECORD_LIST_BYTES + size)
		return false;
	if (n > (p->left - TS_RECORD_LIST_BYTES) / size)
		n = (p->left - TS_RECORD_LIST_BYTES) / size;
	if (p->out) {
		ts_buf_u8(p->out, p->at.record);
		ts_buf_u32(p->out, (uint32_t)n);
	}
	for (size_t i = 0; i < n; i++)
		take_element(p, p->at.element + i);
	p->left -= TS_RECORD_LIST_BYTES + n * size;
	p->at.element += n;
	return p->at.element == length;
}

static bool pack_record(struct packer *p)
{
	size_t size = record_size(p->index, &p->at);

	if (p->left < size)
		return false;
	if (p->out)
		write_record(p);
	if (p->at.record == TS_RECORD_FACT && p->index->facts.items[p->at.a].type == TS_FACT_LONG)
		take_ref(p, &p->index->facts.items[p->at.a].text_id);
	if (p->at.record == TS_RECORD_FILE_COLUMNS)
		take_ref(p, &p->index->files[p->at.a].columns);
	p->left -= size;
	return true;
}

static void pack(struct packer *p)
{
	p->left = TS_INDEX_ROOM;
	p->nrefs = 0;
	while (p->at.record) {
		if (!(ts_index_record_is_list(p->at.record) ? pack_list(p) : pack_record(p)))
			break;
		p->at = next(p->index, p->at);
	}
}

/* --- the chain --- */

struct chain {
	struct part *parts;
	size_t n, cap;
};

static enum ts_status add_part(struct chain *chain, struct part part, struct ts_error *err)
{
	if (!TS_GROW(chain->parts, chain->cap, chain->n + 1, 8))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for an index of %zu objects", chain->n + 1);
	chain->parts[chain->n++] = part;
	return TS_OK;
}

static enum ts_status plan(const struct ts_index *index, struct chain *chain, struct ts_error *err)
{
	struct packer p = {.index = index, .at = first(index)};

	do {
		struct part part = {.from = p.at};

		pack(&p);
		part.nrefs = p.nrefs;
		if (add_part(chain, part, err))
			return err->status;
	} while (p.at.record);
	return TS_OK;
}

/* next_id is NULL for the last object. */
static enum ts_status write_part(const struct ts_index *index, const struct part *part, const struct ts_id *next_id,
				 struct ts_buf *out, struct ts_error *err)
{
	struct packer p = {.index = index, .at = part->from};
	uint32_t nrefs = part->nrefs + (next_id != NULL);
	struct ts_id *refs = ts_alloc_array((size_t)nrefs + 1, sizeof *refs);

	if (!refs)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %u references", nrefs);
	p.refs = refs;
	pack(&p);
	if (next_id)
		refs[nrefs - 1] = *next_id;
	ts_buf_reset(out);
	ts_object_begin(out, TS_KIND_INDEX, TS_FORMAT_VERSION, TS_LAYOUT_BYTES, refs, nrefs);
	ts_free(refs);
	ts_buf_u32(out, (uint32_t)index->rank);
	ts_buf_u8(out, next_id != NULL);
	p = (struct packer){.index = index, .at = part->from, .out = out};
	pack(&p);
	return ts_buf_check(out, err);
}

static enum ts_status check_facts(const struct ts_facts *facts, struct ts_error *err)
{
	for (size_t i = 0; i < facts->n; i++)
		if (ts_fact_check(&facts->items[i], true, err))
			return err->status;
	return TS_OK;
}

static enum ts_status write_chain(const struct ts_index *index, const struct chain *chain, ts_object_sink *sink,
				  void *ctx, struct ts_buf *scratch, struct ts_id *ret_id, struct ts_error *err)
{
	struct ts_id id;

	for (size_t i = chain->n; i-- > 0;) {
		if (write_part(index, &chain->parts[i], i + 1 < chain->n ? &id : NULL, scratch, err))
			return err->status;
		ts_digest(ts_buf_view(scratch), &id);
		if (sink(ctx, &id, ts_buf_view(scratch), err))
			return err->status;
	}
	*ret_id = id;
	return TS_OK;
}

enum ts_status ts_index_encode(const struct ts_index *index, ts_object_sink *sink, void *ctx, struct ts_buf *scratch,
			       struct ts_id *ret_id, struct ts_error *err)
{
	struct chain chain = {0};
	enum ts_status status = check_facts(&index->facts, err);

	if (!status)
		status = plan(index, &chain, err);
	if (!status)
		status = write_chain(index, &chain, sink, ctx, scratch, ret_id, err);
	ts_free(chain.parts);
	return status;
}

TS_WORDS(ts_column_type_word, enum ts_column_type, "json", [TS_COLUMN_F64] = "f64", [TS_COLUMN_U64] = "u64",
	 [TS_COLUMN_TEXT] = "text", [TS_COLUMN_JSON] = "json")

uint64_t ts_index_superseded(const struct ts_index *index)
{
	uint64_t rows = 0;

	TS_DOOR(ts_index_holds(index));
	for (size_t t = 0; t < index->n_tables; t++)
		if (index->tables[t].kind == TS_TABLE_SUPERSEDED && index->tables[t].rows > rows)
			rows = index->tables[t].rows;
	return rows;
}

const char *ts_table_word(enum ts_table_kind table)
{
	static const char *const words[] = {"steps",
					    "superseded",
					    "pipeline",
					    "digests",
					    "events",
					    "sketches",
					    "trace spans",
					    "trace flows",
					    "trace allocations",
					    "trace counters",
					    "trace operators",
					    "trace frames",
					    "trace kernels",
					    "trace collectives",
					    "trace syncs",
					    "trace names",
					    "trace threads",
					    "trace devices",
					    "trace said",
					    "trace notices",
					    "trace about",
					    "snapshot frames",
					    "snapshot stacks",
					    "snapshot stack frames",
					    "snapshot segments",
					    "snapshot blocks",
					    "snapshot events",
					    "snapshot marks",
					    "snapshot settings",
					    "snapshot unknown keys",
					    "snapshot devices",
					    "snapshot about"};
	_Static_assert(sizeof words / sizeof words[0] == TS_TABLE_KINDS, "each kind has a word");

	return words[table - 1];
}
