#include "cli/verbs/serve_trace.h"

#include "base/json_writer.h"
#include "base/number.h"
#include "cli/trace/chosen_trace.h"
#include "run/trace_sheet.h"

enum { BATCH = 1 << 16 };

struct sending {
	const struct ts_value_stream *to;
	const struct ts_trace_sheet *sheet;
	struct ts_arena *arena;
	int64_t cells[BATCH];
};

/* The words that a column uses, in the order in which they are first met. */
struct used {
	int64_t *numbers; /* of each code; -1: not used, as 0 is */
	struct ts_span *words;
	size_t n;
};

static enum ts_status words_of(struct sending *s, const struct ts_sheet_column *column, struct used *ret, struct ts_error *err)
{
	size_t codes = ts_sheet_codes(s->sheet, column);
	struct used used = {.numbers = ts_arena_alloc(s->arena, codes * sizeof *used.numbers),
			    .words = ts_arena_array(s->arena, codes, sizeof *used.words)};

	if (!used.numbers || !used.words)
		return ts_arena_error(s->arena, err);
	for (size_t i = 0; i < codes; i++)
		used.numbers[i] = -1;
	for (size_t row = 0; row < s->sheet->rows; row++) {
		uint32_t code = ts_sheet_code(s->sheet, column, row);

		if (!code || used.numbers[code] >= 0)
			continue;
		used.numbers[code] = (int64_t)used.n;
		used.words[used.n++] = ts_sheet_text(s->sheet, column, code);
	}
	*ret = used;
	return ts_value_texts(s->to->fd, used.words, used.n, s->arena, err);
}

static int64_t cell(const struct sending *s, const struct ts_sheet_column *column, const struct used *used, size_t row)
{
	if (column->type == TS_SHEET_TEXT)
		return used->numbers[ts_sheet_code(s->sheet, column, row)];
	if (column->type == TS_SHEET_INT)
		return ts_sheet_int(s->sheet, column, row);
	return (int64_t)ts_double_bits(ts_sheet_double(s->sheet, column, row));
}

static enum ts_status put_column(struct sending *s, const struct ts_sheet_column *column, struct ts_error *err)
{
	struct used used = {NULL, NULL, 0};

	ts_arena_reset(s->arena);
	if (column->type == TS_SHEET_TEXT && words_of(s, column, &used, err))
		return err->status;
	for (size_t from = 0, n; from < s->sheet->rows; from += n) {
		n = s->sheet->rows - from < BATCH ? s->sheet->rows - from : BATCH;
		for (size_t i = 0; i < n; i++)
			s->cells[i] = cell(s, column, &used, from + i);
		if (ts_value_chunk(s->to->fd, s->cells, n * sizeof s->cells[0], err))
			return err->status;
	}
	return TS_OK;
}

static void put_about(const struct ts_trace_sheet *sheet, bool cut, struct ts_buf *out)
{
	static const char *const types[] = {[TS_SHEET_INT] = "i64", [TS_SHEET_DOUBLE] = "f64", [TS_SHEET_TEXT] = "text"};
	struct ts_json j = ts_json_of(out);

	ts_json_object(&j);
	ts_json_key(&j, "rows");
	ts_json_u64(&j, sheet->rows);
	ts_json_key(&j, "cut");
	ts_json_bool(&j, cut);
	ts_json_key(&j, "columns");
	ts_json_array(&j);
	for (size_t i = 0; i < sheet->n_columns; i++) {
		ts_json_object(&j);
		ts_json_key(&j, "name");
		ts_json_string(&j, sheet->columns[i].name);
		ts_json_key(&j, "type");
		ts_json_string(&j, types[sheet->columns[i].type]);
		ts_json_end(&j);
	}
	ts_json_end(&j);
	ts_json_end(&j);
}

static void say(const struct ts_value_stream *to, const struct ts_buf *json, struct sending *s)
{
	struct ts_error err;

	pthread_mutex_lock(to->lock);
	to->say(to->ctx, json);
	for (size_t i = 0; s && i < s->sheet->n_columns; i++)
		if (put_column(s, &s->sheet->columns[i], &err)) {
			ts_value_error(to->fd, &err);
			break;
		}
	pthread_mutex_unlock(to->lock);
}

static enum ts_status send_table(struct ts_cli *cli, const struct ts_trace *trace, const char *table, const struct ts_value_stream *to,
				 struct ts_error *err)
{
	struct ts_buf json = TS_BUF_INIT(1 << 20);
	struct ts_trace_sheet sheet;
	struct ts_arena arena;
	enum ts_status status;
	struct sending *s;

	if (ts_trace_sheet_open(trace, ts_span_str(table), &cli->arena, &sheet, err))
		return err->status;
	s = ts_arena_alloc(&cli->arena, sizeof *s);
	if (!s)
		return ts_arena_error(&cli->arena, err);
	ts_arena_init(&arena, 0);
	s->to = to;
	s->sheet = &sheet;
	s->arena = &arena;
	put_about(&sheet, trace->cut, &json);
	status = ts_buf_check(&json, err);
	if (!status)
		say(to, &json, s);
	ts_arena_finish(&arena);
	ts_buf_finish(&json);
	return status;
}

static enum ts_status send_tables(struct ts_cli *cli, const struct ts_trace *trace, const struct ts_value_stream *to,
				  struct ts_error *err)
{
	struct ts_buf json = TS_BUF_INIT(1 << 20);
	struct ts_json j = ts_json_of(&json);
	enum ts_status status = TS_OK;

	ts_json_object(&j);
	ts_json_key(&j, "cut");
	ts_json_bool(&j, trace->cut);
	ts_json_key(&j, "tables");
	ts_json_array(&j);
	for (size_t i = 0; i < TS_TRACE_SHEETS && !status; i++) {
		struct ts_trace_sheet sheet;

		status = ts_trace_sheet_open(trace, ts_span_str(ts_trace_sheet_name(i)), &cli->arena, &sheet, err);
		if (status)
			break;
		ts_json_object(&j);
		ts_json_key(&j, "name");
		ts_json_string(&j, sheet.name);
		ts_json_key(&j, "rows");
		ts_json_u64(&j, sheet.rows);
		ts_json_end(&j);
	}
	ts_json_end(&j);
	ts_json_end(&j);
	if (!status)
		status = ts_buf_check(&json, err);
	if (!status)
		say(to, &json, NULL);
	ts_buf_finish(&json);
	return status;
}

enum ts_status ts_trace_send(struct ts_cli *cli, void *stream, struct ts_error *err)
{
	struct ts_trace_choice choice = {.word = ts_cli_word(cli, 0), .name = ts_args_text(&cli->args, "file")};
	const char *table = ts_args_text(&cli->args, "table");
	struct ts_chosen_trace chosen;
	enum ts_status status;
	uint64_t rank = 0;

	if (ts_args_uint(&cli->args, "rank", INT32_MAX, &choice.has_rank, &rank, err))
		return err->status;
	choice.rank = (int32_t)rank;
	if (ts_choose_trace(cli, &choice, &chosen, err))
		return err->status;
	status = table ? send_table(cli, &chosen.trace, table, stream, err) : send_tables(cli, &chosen.trace, stream, err);
	ts_chosen_trace_finish(&chosen);
	return status;
}
