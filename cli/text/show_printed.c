#include "cli/text/show_printed.h"

#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/view/show_value.h"
#include "ingest/export/run_view.h"
#include "ingest/kept/kept.h"
#include "ingest/text/text_tail.h"
#include "run/head.h"

#include <stdio.h>

/* --- one output --- */

static void put_line(struct ts_span line, struct ts_buf *out)
{
	uint8_t bytes[TS_TEXT_TAIL_LINE];
	struct ts_span plain = ts_text_tail_plain(line, bytes);
	char piece[TS_ESCAPE_TEXT];
	size_t at = 0;

	while (at < plain.len) {
		if (plain.data[at] == '\t') {
			ts_buf_char(out, '\t');
			at++;
		} else {
			size_t n = ts_escape_next(plain, &at, piece);

			ts_buf_span(out, ts_span_of(piece, n));
		}
	}
	ts_buf_char(out, '\n');
}

static enum ts_status as_lines(struct ts_span text, struct ts_arena *arena, struct ts_span *ret, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(8 * text.len + 64);
	enum ts_status status;

	while (text.len) {
		const uint8_t *newline = memchr(text.data, '\n', text.len);
		size_t n = newline ? (size_t)(newline - text.data) : text.len;

		put_line(ts_span_of(text.data, n), &out);
		text = ts_span_from(text, n + (newline != NULL));
	}
	status = ts_buf_check(&out, err);
	if (!status) {
		*ret = ts_arena_span(arena, ts_buf_view(&out));
		status = ret->data || !out.len ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&out);
	return status;
}

static enum ts_status load(const struct ts_view *view, const struct ts_file *file, struct ts_arena *arena, struct ts_span *ret,
			   struct ts_error *err)
{
	struct ts_buf all = TS_BUF_INIT(TS_KEPT_OUTPUT_MAX + 1);
	enum ts_status status = ts_view_file(view, file, &all, err);

	if (!status)
		status = as_lines(ts_buf_view(&all), arena, ret, err);
	ts_buf_finish(&all);
	return status;
}

/* --- those of a run --- */

static bool is_wanted(const struct ts_file *file, int32_t of, bool has_rank, int32_t rank)
{
	char name[64];
	int32_t said;

	if (file->has_columns || file->size > TS_KEPT_OUTPUT_MAX || file->name.len >= sizeof name)
		return false;
	(void)snprintf(name, sizeof name, "%.*s", TS_SPAN_ARG(file->name));
	if (!ts_kept_output(name, &said))
		return false;
	return !has_rank || rank == (said >= 0 ? said : of);
}

static enum ts_status add_of_rank(struct ts_cli *cli, const struct ts_view *view, size_t which, bool has_rank, int32_t rank,
				  struct ts_printed_all *all, struct ts_error *err)
{
	struct ts_index index;

	if (ts_view_index(view, which, &cli->arena, &index, err))
		return err->status;
	for (size_t i = 0; i < index.n_files; i++) {
		struct ts_printed *one = &all->items[all->n];

		if (!is_wanted(&index.files[i], index.rank, has_rank, rank))
			continue;
		*one = (struct ts_printed){.rank = index.rank, .name = index.files[i].name, .size = index.files[i].size};
		if (load(view, &index.files[i], &cli->arena, &one->text, err))
			return err->status;
		all->n++;
	}
	return TS_OK;
}

enum ts_status ts_printed_of(struct ts_cli *cli, const struct ts_get_reply *run, bool has_rank, int32_t rank,
			     struct ts_printed_all *ret, struct ts_error *err)
{
	struct ts_printed_all all = {.items = ts_arena_array(&cli->arena, run->n_files + 1, sizeof *all.items)};
	struct ts_view view;
	enum ts_status status;

	if (!all.items)
		return ts_arena_error(&cli->arena, err);
	if (ts_view_open(&view, &run->run.id, ts_stored_object, cli, err))
		return err->status;
	status = TS_OK;
	for (size_t i = 0; !status && i < view.head.n_ranks; i++)
		status = add_of_rank(cli, &view, i, has_rank, rank, &all, err);
	ts_view_close(&view);
	if (status)
		return status;
	if (!all.n && has_rank)
		return ts_error_set(err, TS_NOT_FOUND, "the run has no kept output of rank %d", (int)rank);
	if (!all.n)
		return ts_error_set(err, TS_NOT_FOUND,
				    "the run has no kept output: tscope run keeps it, and a push with --no-output leaves it out");
	*ret = all;
	return TS_OK;
}

enum ts_status ts_printed_show(struct ts_cli *cli, const struct ts_printed_all *all, struct ts_error *err)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct ts_printed *one = &all->items[i];

		if (all->n > 1)
			ts_buf_printf(&cli->out, "%s%s%s\n", i ? "\n" : "", ts_show_text(one->name, &cli->arena),
				      one->rank == TS_RANK_JOB ? "" : ts_arena_printf(&cli->arena, ", rank %d", (int)one->rank));
		ts_buf_span(&cli->out, one->text);
	}
	return ts_arena_check(&cli->arena, err);
}
