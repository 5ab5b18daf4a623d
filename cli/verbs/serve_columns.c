/* serve_columns.c - see serve_columns.h. */
#include "cli/verbs/serve_columns.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/serve/rpc.h"
#include "ingest/export/run_view.h"
#include "run/block.h"
#include "service/handlers/core/typed_column.h"

enum { NAMES_MAX = 4096, SCRATCH_MAX = 1 << 20 };

/* A column of a rank. */
struct found {
	const char *asked; /* its name as it was asked for */
	int32_t rank;
	const struct ts_table *table;
	const struct ts_column *column;
};

struct sending {
	struct ts_cli *cli;
	const struct ts_columns_wanted *wanted;
	struct ts_view view;
	struct ts_arena indexes, block;
	struct ts_index *ranks;
	struct found *found;
	size_t n;
};

/* -- what is wanted -- */

static enum ts_status take_names(struct ts_span list, struct ts_arena *arena, struct ts_columns_wanted *ret, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(SCRATCH_MAX);
	struct ts_json_reader r;
	struct ts_json_token token;
	enum ts_status status;

	ret->names = ts_arena_array(arena, NAMES_MAX, sizeof *ret->names);
	if (!ret->names)
		return ts_arena_error(arena, err);
	ts_json_reader_init(&r, list, &scratch);
	status = ts_json_next(&r, &token, err);
	if (!status && token.type != TS_JSON_ARRAY)
		status = ts_error_set(err, TS_INVALID, "columns is a list of names");
	while (!status && !(status = ts_json_next(&r, &token, err)) && token.type != TS_JSON_END) {
		if (token.type != TS_JSON_STRING || token.text.len == 0 || memchr(token.text.data, 0, token.text.len))
			status = ts_error_set(err, TS_INVALID, "columns is a list of names");
		else if (ret->n == NAMES_MAX)
			status = ts_error_set(err, TS_INVALID, "more than %d columns are asked for", NAMES_MAX);
		else
			ret->names[ret->n++] = ts_arena_phrase(arena, "%.*s", TS_SPAN_ARG(token.text));
	}
	ts_buf_finish(&scratch);
	return status ? status : ts_arena_check(arena, err);
}

enum ts_status ts_columns_wanted_read(struct ts_span params, struct ts_arena *arena, struct ts_columns_wanted *ret,
				      struct ts_error *err)
{
	struct ts_span value;
	int64_t rank;

	if (!ts_rpc_text(params, "run", arena, &value) || value.len == 0)
		return ts_error_set(err, TS_INVALID, "run is not given");
	ret->run = (const char *)value.data;
	if (ts_rpc_member(params, "columns", &value) && take_names(value, arena, ret, err))
		return err->status;
	ret->steps = ts_rpc_member(params, "steps", &value) && ts_span_is(value, "true");
	if (!ts_rpc_member(params, "ranks", &value) || ts_span_is(value, "null"))
		return TS_OK;
	ret->all_ranks = ts_span_is(value, "\"all\"");
	ret->has_rank = !ret->all_ranks;
	if (ret->has_rank && (!ts_parse_i64(value, &rank) || rank < -1 || rank > INT32_MAX))
		return ts_error_set(err, TS_INVALID, "ranks is \"all\" or the number of a rank");
	ret->rank = ret->has_rank ? (int32_t)rank : 0;
	return TS_OK;
}

/* -- which columns -- */

/* As a plot finds it. ret->column is NULL where it is not there. */
static enum ts_status find(struct sending *s, const struct ts_index *index, const char *asked, struct found *ret,
			   struct ts_error *err)
{
	const char *name;

	*ret = (struct found){.asked = asked, .rank = index->rank};
	for (size_t i = 0; !ret->column; i++) {
		if (ts_typed_column(ts_span_str(asked), i, &s->cli->arena, &name, err))
			return err->status;
		if (!name)
			break;
		ret->column = ts_index_column(index, TS_TABLE_STEPS, ts_span_str(name), 0, &ret->table);
	}
	return TS_OK;
}

/* Makes room for all that may be found. */
static enum ts_status make_room(struct sending *s, struct ts_error *err)
{
	size_t most = s->wanted->n * s->view.head.n_ranks;

	for (size_t i = 0; i < s->view.head.n_ranks && s->wanted->n == 0; i++)
		for (size_t t = 0; t < s->ranks[i].n_tables; t++)
			most += s->ranks[i].tables[t].n_columns;
	s->found = ts_arena_array(&s->indexes, most, sizeof *s->found);
	return s->found ? TS_OK : ts_arena_error(&s->indexes, err);
}

static enum ts_status refuse(struct sending *s, const char *asked, struct ts_error *err)
{
	size_t bound = ts_suggest_bound(asked);
	const char *best = NULL;

	for (size_t i = 0; i < s->view.head.n_ranks; i++)
		for (size_t t = 0; t < s->ranks[i].n_tables; t++)
			for (size_t c = 0; s->ranks[i].tables[t].kind == TS_TABLE_STEPS && c < s->ranks[i].tables[t].n_columns; c++) {
				struct ts_span name = s->ranks[i].tables[t].columns[c].name;
				const uint8_t *dot = name.len ? memchr(name.data, '.', name.len) : NULL;

				best = ts_suggest(asked, ts_arena_phrase(&s->cli->arena, "%.*s", TS_SPAN_ARG(name)), best, &bound);
				if (dot)
					best = ts_suggest(
						asked,
						ts_arena_phrase(&s->cli->arena, "%.*s",
								TS_SPAN_ARG(ts_span_from(name, (size_t)(dot - name.data) + 1))),
						best, &bound);
			}
	if (s->wanted->has_rank)
		return ts_error_set(err, TS_NOT_FOUND, "rank %d of %s records no %s%s%s", (int)s->wanted->rank, s->wanted->run, asked,
				    best ? "; the nearest name is " : "", best ? best : "");
	return ts_error_set(err, TS_NOT_FOUND, "%s records no %s%s%s", s->wanted->run, asked, best ? "; the nearest name is " : "",
			    best ? best : "");
}

static enum ts_status find_named(struct sending *s, const char *asked, struct ts_error *err)
{
	bool any = false;

	for (size_t i = 0; i < s->view.head.n_ranks && (!any || s->wanted->all_ranks); i++) {
		struct found found;

		if (s->wanted->has_rank && s->ranks[i].rank != s->wanted->rank)
			continue;
		if (find(s, &s->ranks[i], asked, &found, err))
			return err->status;
		if (!found.column)
			continue;
		any = true;
		s->found[s->n++] = found;
	}
	return any ? TS_OK : refuse(s, asked, err);
}

static void find_all(struct sending *s)
{
	for (size_t i = 0; i < s->view.head.n_ranks; i++)
		for (size_t t = 0; t < s->ranks[i].n_tables; t++) {
			const struct ts_table *table = &s->ranks[i].tables[t];

			for (size_t c = 0; table->kind == TS_TABLE_STEPS && c < table->n_columns; c++)
				s->found[s->n++] = (struct found){NULL, s->ranks[i].rank, table, &table->columns[c]};
		}
}

static void put_found(struct sending *s, struct ts_buf *out)
{
	static const char *const types[] = {
		[TS_COLUMN_F64] = "f64", [TS_COLUMN_U64] = "u64", [TS_COLUMN_TEXT] = "text", [TS_COLUMN_JSON] = "json"};
	struct ts_json j = ts_json_of(out);

	ts_json_object(&j);
	ts_json_key(&j, "columns");
	ts_json_array(&j);
	for (size_t i = 0; i < s->n; i++) {
		const struct found *f = &s->found[i];

		ts_json_object(&j);
		ts_json_key(&j, "asked");
		ts_json_string(&j, f->asked);
		ts_json_key(&j, "name");
		ts_json_span(&j, f->column->name);
		ts_json_key(&j, "rank");
		ts_json_i64(&j, f->rank);
		ts_json_key(&j, "type");
		ts_json_string(&j, types[f->column->type]);
		ts_json_key(&j, "rows");
		ts_json_u64(&j, f->table->rows);
		ts_json_end(&j);
	}
	ts_json_end(&j);
	ts_json_end(&j);
}

/* -- bytes -- */

static enum ts_status get(struct sending *s, const struct ts_id *id, struct ts_span *ret_object, struct ts_error *err)
{
	ts_arena_reset(&s->block);
	return s->view.get(s->view.ctx, id, &s->block, ret_object, err);
}

static enum ts_status put_texts(struct sending *s, struct ts_span object, size_t rows, struct ts_error *err)
{
	struct ts_span *texts = ts_arena_array(&s->block, rows, sizeof *texts);

	if (!texts)
		return ts_arena_error(&s->block, err);
	if (ts_block_text_decode(object, rows, &s->block, texts, err))
		return err->status;
	return ts_value_texts(s->wanted->to.fd, texts, rows, &s->block, err);
}

/* The keys of a block where column is NULL. */
static enum ts_status put_block(struct sending *s, const struct ts_table *table, const struct ts_column *column, size_t b,
				struct ts_error *err)
{
	size_t rows = table->blocks[b].rows;
	struct ts_span object;
	void *words;

	if (get(s, column ? &column->blocks[b] : &table->blocks[b].keys, &object, err))
		return err->status;
	if (column && (column->type == TS_COLUMN_TEXT || column->type == TS_COLUMN_JSON))
		return put_texts(s, object, rows, err);
	words = ts_arena_alloc(&s->block, rows * 8);
	if (!words)
		return ts_arena_error(&s->block, err);
	if (!column			    ? ts_block_keys_decode(object, rows, words, err)
	    : column->type == TS_COLUMN_U64 ? ts_block_u64_decode(object, rows, words, err)
					    : ts_block_f64_decode(object, rows, words, err))
		return err->status;
	return ts_value_chunk(s->wanted->to.fd, words, rows * 8, err);
}

static enum ts_status put_column(struct sending *s, const struct found *f, struct ts_error *err)
{
	if (ts_stored_prefetch(s->cli, f->column->blocks, f->table->n_blocks, err))
		return err->status;
	if (s->wanted->steps)
		for (size_t b = 0; b < f->table->n_blocks; b++)
			if (put_block(s, f->table, NULL, b, err))
				return err->status;
	for (size_t b = 0; b < f->table->n_blocks; b++)
		if (put_block(s, f->table, f->column, b, err))
			return err->status;
	return TS_OK;
}

static void put_all(struct sending *s)
{
	struct ts_error err;

	for (size_t i = 0; i < s->n && s->wanted->n; i++)
		if (put_column(s, &s->found[i], &err)) {
			ts_value_error(s->wanted->to.fd, &err);
			return;
		}
}

static enum ts_status open_indexes(struct sending *s, struct ts_error *err)
{
	s->ranks = ts_arena_array(&s->indexes, s->view.head.n_ranks, sizeof *s->ranks);
	if (!s->ranks)
		return ts_arena_error(&s->indexes, err);
	for (size_t i = 0; i < s->view.head.n_ranks; i++)
		if (ts_view_index(&s->view, i, &s->indexes, &s->ranks[i], err))
			return err->status;
	return TS_OK;
}

static enum ts_status send_view(struct sending *s, struct ts_error *err)
{
	struct ts_buf json = TS_BUF_INIT(64 << 20);
	enum ts_status status = open_indexes(s, err);

	if (!status)
		status = make_room(s, err);
	for (size_t i = 0; i < s->wanted->n && !status; i++)
		status = find_named(s, s->wanted->names[i], err);
	if (!status && s->wanted->n == 0)
		find_all(s);
	if (!status)
		status = ts_arena_check(&s->cli->arena, err);
	if (!status) {
		put_found(s, &json);
		status = ts_buf_check(&json, err);
	}
	if (!status) {
		pthread_mutex_lock(s->wanted->to.lock);
		s->wanted->to.say(s->wanted->to.ctx, &json);
		put_all(s);
		pthread_mutex_unlock(s->wanted->to.lock);
	}
	ts_buf_finish(&json);
	return status;
}

enum ts_status ts_columns_send(struct ts_cli *cli, void *ctx, struct ts_error *err)
{
	struct sending s = {.cli = cli, .wanted = ctx};
	struct ts_get_reply run;
	struct ts_span spec;
	enum ts_status status;

	if (ts_cli_run(cli, s.wanted->run, &spec, err) || ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) ||
	    ts_view_open(&s.view, &run.run.id, ts_stored_object, cli, err))
		return err->status;
	ts_arena_init(&s.indexes, TS_ANALYSIS_ARENA);
	ts_arena_init(&s.block, TS_ANALYSIS_ARENA);
	status = send_view(&s, err);
	ts_arena_finish(&s.block);
	ts_arena_finish(&s.indexes);
	ts_view_close(&s.view);
	return status;
}
