/* Tests our codecs with tests/golden/format-v1/vectors.txt, which an independent program made from docs/format.md. */
#include "base/file.h"
#include "base/limits.h"
#include "base/number.h"
#include "run/block.h"
#include "run/builder.h"
#include "run/test_objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { WORDS = 5, ROWS_MAX = 64, OBJECTS_MAX = 8 };

struct line {
	struct ts_span word[WORDS];
	size_t n;
};

struct vector {
	struct ts_span kind, name;
	struct line *lines; /* the lines between "vector" and the first object */
	size_t n_lines;
	struct ts_span objects[OBJECTS_MAX]; /* empty for an object of a chain, of which only length and id are known */
	size_t lengths[OBJECTS_MAX];
	struct ts_id ids[OBJECTS_MAX];
	size_t n_objects;
	struct ts_id id;
};

struct state {
	struct ts_arena arena;
	struct ts_span left;
	size_t count;
};

static struct line next_line(struct state *s)
{
	struct line line = {.n = 0};
	const uint8_t *newline = memchr(s->left.data, '\n', s->left.len);
	struct ts_span rest;

	assert_non_null(newline);
	rest = ts_span_of(s->left.data, (size_t)(newline - s->left.data));
	s->left = ts_span_of(newline + 1, s->left.len - rest.len - 1);
	while (rest.len) {
		const uint8_t *space = memchr(rest.data, ' ', rest.len);
		size_t n = space ? (size_t)(space - rest.data) : rest.len;

		assert_true(line.n < WORDS);
		line.word[line.n++] = ts_span_of(rest.data, n);
		rest = ts_span_of(rest.data + n + (space != NULL), rest.len - n - (space != NULL));
	}
	return line;
}

static uint8_t nibble(uint8_t c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static struct ts_span unhex(struct state *s, struct ts_span text)
{
	uint8_t *out = ts_arena_alloc(&s->arena, text.len / 2 + 1);

	assert_non_null(out);
	if (ts_span_is(text, "-"))
		return ts_span_of(out, 0);
	for (size_t i = 0; i < text.len / 2; i++)
		out[i] = (uint8_t)(nibble(text.data[2 * i]) << 4 | nibble(text.data[2 * i + 1]));
	return ts_span_of(out, text.len / 2);
}

static struct ts_id id_word(struct ts_span text)
{
	struct ts_id id;

	assert_true(ts_id_parse(text, &id));
	return id;
}

static int64_t int_word(struct ts_span text)
{
	int64_t v = 0;

	assert_true(ts_parse_i64(text, &v));
	return v;
}

static uint64_t hex_word(struct ts_span text)
{
	uint64_t v = 0;

	assert_true(ts_parse_hex64(text, &v));
	return v;
}

static void add_object(struct state *s, struct vector *v, const struct line *line)
{
	size_t i = v->n_objects++;

	assert_true(i < OBJECTS_MAX);
	if (ts_span_is(line->word[0], "object")) {
		v->objects[i] = unhex(s, line->word[1]);
		v->lengths[i] = v->objects[i].len;
		ts_digest(v->objects[i], &v->ids[i]);
		return;
	}
	v->lengths[i] = (size_t)int_word(line->word[1]);
	v->ids[i] = id_word(line->word[2]);
}

static bool read_vector(struct state *s, struct vector *v)
{
	struct line line;

	if (s->left.len == 0)
		return false;
	*v = (struct vector){.lines = ts_arena_array(&s->arena, 512, sizeof *v->lines)};
	line = next_line(s);
	assert_true(ts_span_is(line.word[0], "vector") && line.n == 3);
	v->kind = line.word[1];
	v->name = line.word[2];
	for (line = next_line(s); !ts_span_is(line.word[0], "end"); line = next_line(s)) {
		if (ts_span_is(line.word[0], "object") || ts_span_is(line.word[0], "length"))
			add_object(s, v, &line);
		else if (ts_span_is(line.word[0], "id"))
			v->id = id_word(line.word[1]);
		else
			v->lines[v->n_lines++] = line;
	}
	s->count++;
	return true;
}

static void assert_encoded(const struct vector *v, const struct ts_buf *buf)
{
	struct ts_id id;

	if (!ts_span_eq(ts_buf_view(buf), v->objects[0]))
		fail_msg("vector %.*s: other bytes", TS_SPAN_ARG(v->name));
	ts_digest(ts_buf_view(buf), &id);
	assert_memory_equal(&id, &v->id, sizeof id);
}

static void check_keys(const struct vector *v, struct ts_buf *buf)
{
	int64_t rows[ROWS_MAX], back[ROWS_MAX];
	struct ts_error err;

	for (size_t i = 0; i < v->n_lines; i++)
		rows[i] = int_word(v->lines[i].word[1]);
	ts_block_keys_encode(rows, v->n_lines, buf);
	assert_encoded(v, buf);
	assert_int_equal(ts_block_keys_decode(v->objects[0], v->n_lines, back, &err), TS_OK);
	assert_memory_equal(rows, back, v->n_lines * 8);
}

static void check_f64(const struct vector *v, struct ts_buf *buf)
{
	double rows[ROWS_MAX], back[ROWS_MAX];
	struct ts_error err;

	for (size_t i = 0; i < v->n_lines; i++) {
		uint64_t bits = hex_word(v->lines[i].word[1]);

		memcpy(&rows[i], &bits, 8);
	}
	ts_block_f64_encode(rows, v->n_lines, buf);
	assert_encoded(v, buf);
	assert_int_equal(ts_block_f64_decode(v->objects[0], v->n_lines, back, &err), TS_OK);
	for (size_t i = 0; i < v->n_lines; i++)
		assert_true(memcmp(&rows[i], &back[i], 8) == 0 || __builtin_isnan(rows[i]));
}

static void check_u64(const struct vector *v, struct ts_buf *buf)
{
	uint64_t rows[ROWS_MAX], back[ROWS_MAX];
	struct ts_error err;

	for (size_t i = 0; i < v->n_lines; i++)
		rows[i] = hex_word(v->lines[i].word[1]);
	ts_block_u64_encode(rows, v->n_lines, buf);
	assert_encoded(v, buf);
	assert_int_equal(ts_block_u64_decode(v->objects[0], v->n_lines, back, &err), TS_OK);
	assert_memory_equal(rows, back, v->n_lines * 8);
}

static void check_text(struct state *s, const struct vector *v, struct ts_buf *buf)
{
	struct ts_span entries[ROWS_MAX], rows[ROWS_MAX], back[ROWS_MAX];
	uint32_t codes[ROWS_MAX];
	struct ts_error err;
	size_t n = 0;

	for (size_t i = 0; i < v->n_lines; i++) {
		size_t code = 0;

		rows[i] = unhex(s, v->lines[i].word[1]);
		while (code < n && !ts_span_eq(entries[code], rows[i]))
			code++;
		if (code == n)
			entries[n++] = rows[i];
		codes[i] = (uint32_t)code;
	}
	ts_block_text_encode(entries, n, codes, v->n_lines, buf);
	assert_encoded(v, buf);
	assert_int_equal(ts_block_text_decode(v->objects[0], v->n_lines, &s->arena, back, &err), TS_OK);
	for (size_t i = 0; i < v->n_lines; i++)
		assert_true(ts_span_eq(rows[i], back[i]));
}

static void read_long(struct ts_span word, struct ts_fact *fact)
{
	const uint8_t *colon = memchr(word.data, ':', word.len);
	size_t n = (size_t)(colon - word.data);

	fact->text_len = (uint32_t)int_word(ts_span_of(word.data, n));
	fact->text_id = id_word(ts_span_of(colon + 1, word.len - n - 1));
}

static void read_fact(struct state *s, const struct line *line, struct ts_facts *facts)
{
	struct ts_fact fact = {
		.path = unhex(s, line->word[1]),
		.type = (enum ts_fact_type)int_word(line->word[2]),
		.source = (enum ts_fact_source)int_word(line->word[3]),
	};
	struct ts_span value = line->word[4];
	struct ts_error err;
	uint64_t bits;

	if (fact.type == TS_FACT_BOOL)
		fact.boolean = ts_span_is(value, "1");
	if (fact.type == TS_FACT_INT)
		fact.integer = int_word(value);
	if (fact.type == TS_FACT_FLOAT) {
		bits = hex_word(value);
		memcpy(&fact.real, &bits, 8);
	}
	if (fact.type == TS_FACT_TEXT || fact.type == TS_FACT_NUMBER)
		fact.text = unhex(s, value);
	if (fact.type == TS_FACT_LONG)
		read_long(value, &fact);
	assert_int_equal(ts_facts_add(facts, &fact, &s->arena, &err), TS_OK);
}

static void check_head(struct state *s, const struct vector *v, struct ts_buf *buf)
{
	struct ts_rank_ref ranks[ROWS_MAX];
	struct ts_head head = {.ranks = ranks};
	struct ts_head back;
	struct ts_error err;

	for (size_t i = 0; i < v->n_lines; i++) {
		const struct line *line = &v->lines[i];

		if (ts_span_is(line->word[0], "rank"))
			ranks[head.n_ranks++] =
				(struct ts_rank_ref){(int32_t)int_word(line->word[1]), id_word(line->word[2])};
		else
			read_fact(s, line, &head.facts);
	}
	assert_int_equal(ts_head_digest_groups(&head, &err), TS_OK);
	assert_int_equal(ts_head_encode(&head, buf, &err), TS_OK);
	assert_encoded(v, buf);
	assert_int_equal(ts_head_decode(v->objects[0], &s->arena, &back, &err), TS_OK);
	assert_int_equal(back.n_ranks, head.n_ranks);
	assert_memory_equal(back.groups, head.groups, sizeof head.groups);
	assert_int_equal(back.facts.n, head.facts.n);
	for (size_t i = 0; i < head.facts.n; i++)
		assert_true(ts_fact_same(&back.facts.items[i], &head.facts.items[i]) &&
			    ts_span_eq(back.facts.items[i].path, head.facts.items[i].path));
}

/* Builds an index from the vector's lines; arrays of a fixed size are enough here. */
static void read_index_line(struct state *s, const struct line *line, struct ts_index *index)
{
	struct ts_table *table = index->n_tables ? &index->tables[index->n_tables - 1] : NULL;
	struct ts_file *file = index->n_files ? &index->files[index->n_files - 1] : NULL;
	static size_t n_values;

	if (ts_span_is(line->word[0], "rank"))
		index->rank = (int32_t)int_word(line->word[1]);
	if (ts_span_is(line->word[0], "fact"))
		read_fact(s, line, &index->facts);
	if (ts_span_is(line->word[0], "table"))
		index->tables[index->n_tables++] = (struct ts_table){
			.kind = (enum ts_table_kind)int_word(line->word[1]),
			.key_log2 = (uint8_t)int_word(line->word[2]),
			.blocks = ts_arena_array(&s->arena, ROWS_MAX, sizeof(struct ts_block)),
			.columns = ts_arena_array(&s->arena, ROWS_MAX, sizeof(struct ts_column)),
		};
	if (ts_span_is(line->word[0], "block"))
		table->blocks[table->n_blocks++] =
			(struct ts_block){int_word(line->word[1]), int_word(line->word[2]),
					  (uint32_t)int_word(line->word[3]), id_word(line->word[4])};
	if (ts_span_is(line->word[0], "column")) {
		n_values = 0;
		table->columns[table->n_columns++] =
			(struct ts_column){unhex(s, line->word[1]), (enum ts_column_type)int_word(line->word[2]),
					   (enum ts_precision)int_word(line->word[3]), (uint8_t)int_word(line->word[4]),
					   ts_arena_array(&s->arena, ROWS_MAX, sizeof(struct ts_id))};
	}
	if (ts_span_is(line->word[0], "value"))
		table->columns[table->n_columns - 1].blocks[n_values++] = id_word(line->word[1]);
	if (ts_span_is(line->word[0], "file"))
		index->files[index->n_files++] = (struct ts_file){
			.name = unhex(s, line->word[1]),
			.size = (uint64_t)int_word(line->word[2]),
			.chunks = ts_arena_array(&s->arena, ROWS_MAX, sizeof(struct ts_id)),
		};
	if (ts_span_is(line->word[0], "chunk"))
		file->chunks[file->n_chunks++] = id_word(line->word[1]);
	if (ts_span_is(line->word[0], "columns")) {
		file->has_columns = true;
		file->columns = id_word(line->word[1]);
	}
}

/* Encodes the content, compares every object of the chain, decodes the vector's objects and encodes the result
 * again. */
static void check_objects(struct state *s, const struct vector *v, const struct ts_index *index)
{
	struct test_objects objects = {0}, again = {0};
	struct ts_buf scratch = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_index back;
	struct ts_error err;
	struct ts_id id;

	if (ts_index_encode(index, test_objects_sink, &objects, &scratch, &id, &err))
		fail_msg("%s", err.text);
	assert_int_equal(objects.n, v->n_objects);
	for (size_t i = 0; i < v->n_objects; i++) { /* the last object was written first */
		const struct test_object *made = &objects.items[v->n_objects - 1 - i];

		assert_int_equal(made->bytes.len, v->lengths[i]);
		assert_memory_equal(&made->id, &v->ids[i], sizeof made->id);
	}
	assert_memory_equal(&id, &v->id, sizeof id);
	assert_int_equal(test_objects_index(&objects, &id, &s->arena, &back), v->n_objects);
	assert_int_equal(back.n_tables, index->n_tables);
	assert_int_equal(back.n_files, index->n_files);
	assert_int_equal(ts_index_encode(&back, test_objects_sink, &again, &scratch, &id, &err), TS_OK);
	assert_memory_equal(&id, &v->id, sizeof id);
	ts_buf_finish(&scratch);
	test_objects_finish(&objects);
	test_objects_finish(&again);
}

static void check_index(struct state *s, const struct vector *v)
{
	struct ts_index index = {
		.tables = ts_arena_array(&s->arena, ROWS_MAX, sizeof(struct ts_table)),
		.files = ts_arena_array(&s->arena, ROWS_MAX, sizeof(struct ts_file)),
	};

	for (size_t i = 0; i < v->n_lines; i++)
		read_index_line(s, &v->lines[i], &index);
	check_objects(s, v, &index);
}

static struct ts_id made_id(const char *tag, size_t i)
{
	char text[64];
	struct ts_id id;

	(void)snprintf(text, sizeof text, "%s %zu", tag, i);
	ts_digest(ts_span_str(text), &id);
	return id;
}

static void check_chain(struct state *s, const struct vector *v)
{
	size_t n_blocks = (size_t)int_word(v->lines[0].word[1]);
	size_t n_columns = (size_t)int_word(v->lines[0].word[2]);
	struct ts_table table = {.kind = TS_TABLE_STEPS, .key_log2 = 14, .n_blocks = n_blocks, .n_columns = n_columns};
	struct ts_file file = {.name = ts_span_str("trace.json"), .n_chunks = 40000};
	struct ts_index index = {.rank = 7, .tables = &table, .n_tables = 1, .files = &file, .n_files = 1};

	file.size = UINT64_C(1048560) * file.n_chunks;
	table.blocks = ts_arena_array(&s->arena, n_blocks, sizeof *table.blocks);
	table.columns = ts_arena_array(&s->arena, n_columns, sizeof *table.columns);
	file.chunks = ts_arena_array(&s->arena, file.n_chunks, sizeof *file.chunks);
	for (size_t i = 0; i < n_blocks; i++) {
		int64_t first = (int64_t)i * 16384;

		table.blocks[i] = (struct ts_block){first, first + 16383, 16384, made_id("keys", i)};
	}
	for (size_t j = 0; j < n_columns; j++) {
		struct ts_column *column = &table.columns[j];

		column->name = ts_span_str(ts_arena_printf(&s->arena, "scalars.%05zu", j));
		column->type = TS_COLUMN_F64;
		column->blocks = ts_arena_array(&s->arena, n_blocks, sizeof *column->blocks);
		for (size_t i = 0; i < n_blocks; i++)
			column->blocks[i] = made_id("values", 1000000 * j + i);
	}
	for (size_t i = 0; i < file.n_chunks; i++)
		file.chunks[i] = made_id("chunk", i);
	check_objects(s, v, &index);
}

static void put_text(struct ts_builder *b, uint32_t column, const char *before, int64_t n, const char *after)
{
	static char text[20016];

	(void)snprintf(text, sizeof text, "%s%d%s", before, (int)n, after);
	ts_builder_text(b, column, ts_span_str(text));
}

/* Writes row i of docs/format.md, "Test vectors". */
static void put_row(struct ts_builder *b, const uint32_t *c, int64_t i)
{
	static char xs[20001];

	memset(xs, 'x', sizeof xs - 1);
	ts_builder_row(b, TS_TABLE_STEPS, 7 * i - 100000 + i * i % 5);
	if (i % 997 != 300 && i >= 50)
		put_text(b, c[5], "[", i % 7, "]");
	if (i < 5000 && i != 40)
		put_text(b, c[4], "t", i % 3, "");
	ts_builder_f64(b, c[0], (double)i / 8);
	if (i % 100 == 0)
		ts_builder_f64(b, c[1], (double)-i); /* +0 in row 0 */
	if (i >= 70 && i % 1000 != 999)
		ts_builder_u64(b, c[2], (uint64_t)i * UINT64_C(11400714819323198485));
	if (i % 997 != 300)
		put_text(b, c[3], xs, i % 90, "");
}

static void check_rows(const struct vector *v)
{
	static const char *const names[] = {"scalars.loss", "scalars.eval", "digests.w",
					    "tags.text",    "tags.word",    "extra.list"};
	static const enum ts_column_type types[] = {TS_COLUMN_F64,  TS_COLUMN_F64,  TS_COLUMN_U64,
						    TS_COLUMN_TEXT, TS_COLUMN_TEXT, TS_COLUMN_JSON};
	int64_t n = int_word(v->lines[0].word[1]);
	struct test_objects objects = {0};
	struct ts_builder *b;
	struct ts_error err;
	struct ts_id id;
	uint32_t c[6];

	assert_int_equal(ts_builder_create(0, test_objects_sink, &objects, &b, &err), TS_OK);
	for (int i = 0; i < 6; i++)
		assert_int_equal(ts_builder_column(b, ts_span_str(names[i]), types[i], &c[i], &err), TS_OK);
	for (int64_t i = 0; i < n; i++) {
		put_row(b, c, i);
		assert_int_equal(ts_builder_row_end(b, &err), TS_OK);
		if (i % 500)
			continue;
		ts_builder_row(b, TS_TABLE_SUPERSEDED, i / 500);
		ts_builder_f64(b, c[0], (double)i);
		assert_int_equal(ts_builder_row_end(b, &err), TS_OK);
	}
	assert_int_equal(ts_builder_finish(b, NULL, &id, &err), TS_OK);
	assert_int_equal(test_objects_find(&objects, &id).len, v->lengths[0]);
	if (!ts_id_eq(&id, &v->id))
		fail_msg("vector %.*s: another id", TS_SPAN_ARG(v->name));
	ts_builder_destroy(b);
	test_objects_finish(&objects);
}

static void check(struct state *s, const struct vector *v)
{
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);

	if (ts_span_is(v->kind, "keys"))
		check_keys(v, &buf);
	else if (ts_span_is(v->kind, "f64"))
		check_f64(v, &buf);
	else if (ts_span_is(v->kind, "u64"))
		check_u64(v, &buf);
	else if (ts_span_is(v->kind, "text"))
		check_text(s, v, &buf);
	else if (ts_span_is(v->kind, "head"))
		check_head(s, v, &buf);
	else if (ts_span_is(v->kind, "index"))
		check_index(s, v);
	else if (ts_span_is(v->kind, "chain"))
		check_chain(s, v);
	else if (ts_span_is(v->kind, "rows"))
		check_rows(v);
	else if (ts_span_is(v->kind, "chunk")) {
		ts_chunk_encode(unhex(s, v->lines[0].word[1]), &buf);
		assert_encoded(v, &buf);
	} else
		fail_msg("vector of kind %.*s", TS_SPAN_ARG(v->kind));
	ts_buf_finish(&buf);
}

static void test_vectors(void **unused)
{
	struct state s = {.count = 0};
	struct ts_buf text = TS_BUF_INIT(16 << 20);
	struct vector v;
	struct ts_error err;

	(void)unused;
	ts_arena_init(&s.arena, 0);
	if (ts_file_read("tests/golden/format-v1/vectors.txt", &text, &err))
		fail_msg("%s", err.text);
	s.left = ts_buf_view(&text);
	while (read_vector(&s, &v))
		check(&s, &v);
	assert_int_equal(s.count, 24);
	ts_buf_finish(&text);
	ts_arena_finish(&s.arena);
}

/* The file equals what the program writes today. */
static void test_vectors_are_the_programs(void **unused)
{
	(void)unused;
	if (system("command -v python3 >/dev/null 2>&1"))
		skip();
	assert_int_equal(system("python3 tests/golden/format-v1/make.py --check"), 0);
}

static int set_up(void **unused)
{
	struct ts_error err;

	(void)unused;
	return ts_digest_init(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_vectors_are_the_programs),
	};

	return cmocka_run_group_tests_name("format_vectors", tests, set_up, NULL);
}
