/* kernel_summary.c - a summary of a trace's kernels as JSON, and back. */
#include "run/kernel_summary.h"

#include "base/digest.h"
#include "base/grow.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/order.h"
#include "base/text.h"
#include "run/trace.h"

enum { VERSION = 1, SUB_BINS_LOG2 = 4, SUB_BINS = 1 << SUB_BINS_LOG2, DIGEST_DIGITS = 8 };

/* --- bins and names --- */

/* Durations below SUB_BINS have a bin each; from there on a bin is what has the same leading five bits and the same size. */
uint32_t ts_summary_bin_of(uint64_t ns)
{
	uint32_t shift = 0;

	while (ns >> shift >= 2 * SUB_BINS)
		shift++;
	return shift * SUB_BINS + (uint32_t)(ns >> shift);
}

uint64_t ts_summary_bin_middle(uint32_t bin)
{
	uint32_t shift = bin < 2 * SUB_BINS ? 0 : bin / SUB_BINS - 1;

	return ((uint64_t)(bin - shift * SUB_BINS) << shift) + (shift ? UINT64_C(1) << (shift - 1) : 0);
}

struct ts_span ts_summary_name(struct ts_span name, struct ts_arena *arena)
{
	struct ts_span head = ts_utf8_cut(name, TS_SUMMARY_NAME_MOST);
	char hex[TS_ID_HEX + 1], *text;
	struct ts_id id;

	if (name.len <= TS_SUMMARY_NAME_MOST + 1 + DIGEST_DIGITS)
		return name;
	ts_digest(name, &id);
	text = ts_arena_printf(arena, "%.*s#%.*s", TS_SPAN_ARG(head), DIGEST_DIGITS, ts_id_hex(&id, hex));
	return text ? ts_span_str(text) : ts_span_of(NULL, 0);
}

bool ts_summary_named(struct ts_span name)
{
	return name.len >= sizeof TS_SUMMARY_ENDING && ts_span_ends(name, TS_SUMMARY_ENDING);
}

bool ts_summary_begins(struct ts_span text)
{
	return ts_span_starts(text, ts_span_str("{\"kernel_summary\":"));
}

/* --- the median --- */

/* Calls of about one duration. */
struct alike {
	uint64_t ns, calls;
};

TS_ORDER(shortest_first, struct alike, TS_UP(ns))

static uint64_t within(uint64_t ns, uint64_t least, uint64_t most)
{
	if (ns < least)
		return least;
	return ns > most ? most : ns;
}

/* Up to three calls are told one by one: the third is what the sum leaves. */
static size_t list_calls(const struct ts_summary_cell *cell, struct alike *out)
{
	size_t n = 0;

	for (size_t i = 0; i < cell->n_bins; i++)
		out[n++] = (struct alike){within(ts_summary_bin_middle(cell->bins[i].bin), cell->least_ns, cell->most_ns),
					  cell->bins[i].calls};
	if (n)
		return n;
	out[n++] = (struct alike){cell->least_ns, 1};
	if (cell->calls > 1)
		out[n++] = (struct alike){cell->most_ns, 1};
	if (cell->calls > 2)
		out[n++] = (struct alike){within(cell->sum_ns - cell->least_ns - cell->most_ns, cell->least_ns, cell->most_ns), 1};
	return n;
}

enum ts_status ts_summary_median(const struct ts_summary_row *row, size_t first_steps, struct ts_arena *arena, bool *ret_known,
				 uint64_t *ret_ns, struct ts_error *err)
{
	uint64_t calls = 0, before = 0;
	struct alike *all;
	size_t room = 0, n = 0, at = 0;

	for (size_t i = 0; i < row->n; i++)
		room += row->cells[i].n_bins + TS_SUMMARY_TOLD;
	all = ts_arena_array(arena, room, sizeof *all);
	if (!all)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < row->n && !row->joined; i++) {
		if (row->cells[i].step < first_steps)
			continue;
		n += list_calls(&row->cells[i], all + n);
		calls += row->cells[i].calls;
	}
	TS_SORT(all, n, shortest_first);
	while (at + 1 < n && before + all[at].calls < calls - calls / 2)
		before += all[at++].calls;
	*ret_known = n != 0;
	*ret_ns = n ? all[at].ns : 0;
	return TS_OK;
}

/* --- to JSON --- */

static void put_or_null(struct ts_json *j, int64_t value)
{
	if (value == TS_TRACE_NONE)
		ts_json_null(j);
	else
		ts_json_i64(j, value);
}

static void put_cell(struct ts_json *j, const struct ts_summary_cell *cell)
{
	const uint64_t numbers[] = {cell->step, cell->calls, cell->sum_ns, cell->least_ns, cell->most_ns};

	ts_json_array(j);
	for (size_t i = 0; i < (cell->calls == 1 ? 3 : sizeof numbers / sizeof numbers[0]); i++)
		ts_json_u64(j, numbers[i]);
	for (size_t i = 0; i < cell->n_bins; i++) {
		ts_json_u64(j, cell->bins[i].bin - (i ? cell->bins[i - 1].bin : 0));
		ts_json_u64(j, cell->bins[i].calls);
	}
	ts_json_end(j);
}

static void put_row(struct ts_json *j, const struct ts_summary_row *row)
{
	ts_json_array(j);
	ts_json_span(j, row->category);
	if (row->joined)
		ts_json_u64(j, row->joined);
	else
		ts_json_span(j, row->name);
	for (size_t i = 0; i < row->n; i++)
		put_cell(j, &row->cells[i]);
	ts_json_end(j);
}

void ts_summary_row_write(const struct ts_summary_row *row, struct ts_buf *buf)
{
	struct ts_json j = ts_json_of(buf);

	put_row(&j, row);
}

void ts_kernel_summary_write(const struct ts_kernel_summary *s, struct ts_buf *buf)
{
	struct ts_json j = ts_json_of(buf);

	ts_json_object(&j);
	ts_json_key(&j, "kernel_summary");
	ts_json_u64(&j, VERSION);
	ts_json_key(&j, "rank");
	put_or_null(&j, s->rank);
	ts_json_key(&j, "world_size");
	put_or_null(&j, s->world_size);
	ts_json_key(&j, "cut");
	ts_json_bool(&j, s->cut);
	ts_json_key(&j, "clock_ns");
	ts_json_i64(&j, s->clock_ns);
	ts_json_key(&j, "steps");
	ts_json_array(&j);
	for (size_t i = 0; i < s->n_steps; i++) {
		ts_json_array(&j);
		put_or_null(&j, s->steps[i].number);
		ts_json_u64(&j, s->steps[i].ns);
		ts_json_u64(&j, s->steps[i].host_ns);
		ts_json_end(&j);
	}
	ts_json_end(&j);
	ts_json_key(&j, "parts");
	ts_json_array(&j);
	for (size_t i = 0; i < s->n_parts; i++) {
		ts_json_array(&j);
		ts_json_span(&j, s->parts[i].name);
		for (size_t k = 0; k < s->n_steps; k++)
			ts_json_u64(&j, s->parts[i].ns[k]);
		ts_json_end(&j);
	}
	ts_json_end(&j);
	ts_json_key(&j, "kernels");
	ts_json_array(&j);
	for (size_t i = 0; i < s->n_rows; i++)
		put_row(&j, &s->rows[i]);
	ts_json_end(&j);
	ts_json_end(&j);
	ts_buf_char(buf, '\n');
}

/* --- from JSON --- */

struct reading {
	struct ts_json_reader json;
	struct ts_json_token token; /* that is looked at */
	struct ts_arena *arena;
	struct ts_kernel_summary s;
	size_t parts_cap, rows_cap, steps_cap;
	struct ts_error *err;
};

/* Functions that read return whether they could; err says why they could not. */
static bool refuse(struct reading *r, const char *what)
{
	(void)ts_error_set(r->err, TS_INVALID, "byte %zu: a summary of kernels has %s here", r->token.at, what);
	return false;
}

static bool no_memory(struct reading *r)
{
	(void)ts_arena_error(r->arena, r->err);
	return false;
}

static bool next(struct reading *r)
{
	return ts_json_next(&r->json, &r->token, r->err) == TS_OK;
}

static bool expect(struct reading *r, enum ts_json_type type, const char *what)
{
	return next(r) && (r->token.type == type || refuse(r, what));
}

/* Goes on to the next element; *ret_more is false at the end. */
static bool element(struct reading *r, bool *ret_more)
{
	if (!next(r))
		return false;
	*ret_more = r->token.type != TS_JSON_END;
	return true;
}

/* The token that is looked at. A number above 2^53 is written as a string. */
static bool number(struct reading *r, uint64_t *ret)
{
	struct ts_span text = r->token.type == TS_JSON_STRING ? r->token.text : r->token.raw;

	return ((r->token.type == TS_JSON_STRING || r->token.type == TS_JSON_NUMBER) && ts_parse_u64(text, ret)) ||
	       refuse(r, "a whole number");
}

static bool next_number(struct reading *r, uint64_t *ret)
{
	return next(r) && number(r, ret);
}

static bool next_or_null(struct reading *r, int64_t *ret)
{
	if (!next(r))
		return false;
	if (r->token.type == TS_JSON_NULL) {
		*ret = TS_TRACE_NONE;
		return true;
	}
	return (r->token.type == TS_JSON_NUMBER && ts_parse_i64(r->token.raw, ret) && *ret != TS_TRACE_NONE) ||
	       refuse(r, "a whole number or null");
}

static bool text(struct reading *r, struct ts_span *ret)
{
	if (r->token.type != TS_JSON_STRING)
		return refuse(r, "a text");
	*ret = ts_arena_span(r->arena, r->token.text);
	return ret->data || no_memory(r);
}

static bool read_steps(struct reading *r)
{
	bool more = false;

	if (!expect(r, TS_JSON_ARRAY, "a list of steps"))
		return false;
	while (element(r, &more) && more) {
		struct ts_summary_step step;

		if (r->token.type != TS_JSON_ARRAY)
			return refuse(r, "a step");
		if (!next_or_null(r, &step.number) || !next_number(r, &step.ns) || !next_number(r, &step.host_ns) ||
		    !expect(r, TS_JSON_END, "the end of a step"))
			return false;
		if (step.ns > INT64_MAX)
			return refuse(r, "a time that fits 63 bits");
		if (!TS_GROW_IN(r->arena, r->s.steps, r->steps_cap, r->s.n_steps + 1, 8))
			return no_memory(r);
		r->s.steps[r->s.n_steps++] = step;
	}
	return r->token.type == TS_JSON_END;
}

static bool read_part(struct reading *r)
{
	struct ts_summary_part part = {.ns = ts_arena_array(r->arena, r->s.n_steps, sizeof *part.ns)};

	if (!part.ns || !TS_GROW_IN(r->arena, r->s.parts, r->parts_cap, r->s.n_parts + 1, 8))
		return no_memory(r);
	if (r->token.type != TS_JSON_ARRAY)
		return refuse(r, "a part");
	if (!next(r) || !text(r, &part.name))
		return false;
	for (size_t i = 0; i < r->s.n_steps; i++)
		if (!next_number(r, &part.ns[i]))
			return false;
	r->s.parts[r->s.n_parts++] = part;
	return expect(r, TS_JSON_END, "the end of a part");
}

/* The bins of a cell up to its end, which have so many calls. */
static bool read_bins(struct reading *r, struct ts_summary_cell *cell, uint64_t want)
{
	uint64_t calls = 0, bin = 0;
	size_t cap = 0;
	bool more = false;

	while (element(r, &more) && more) {
		struct ts_summary_bin one;
		uint64_t distance;

		if (!number(r, &distance) || !next_number(r, &one.calls))
			return false;
		bin += distance;
		if (distance > UINT16_MAX || bin > ts_summary_bin_of(UINT64_MAX) || (cell->n_bins && !distance) || !one.calls ||
		    one.calls > want - calls)
			return refuse(r, "a bin that is possible");
		if (!TS_GROW_IN(r->arena, cell->bins, cap, cell->n_bins + 1, 4))
			return no_memory(r);
		one.bin = (uint32_t)bin;
		calls += one.calls;
		cell->bins[cell->n_bins++] = one;
	}
	if (r->token.type != TS_JSON_END)
		return false;
	return calls == want || refuse(r, "bins with all calls");
}

static bool read_cell(struct reading *r, struct ts_summary_row *row, size_t *cap)
{
	struct ts_summary_cell cell = {0};
	uint64_t step;

	if (r->token.type != TS_JSON_ARRAY)
		return refuse(r, "the cell of a step");
	if (!next_number(r, &step) || !next_number(r, &cell.calls) || !next_number(r, &cell.sum_ns))
		return false;
	cell.least_ns = cell.most_ns = cell.sum_ns;
	if (cell.calls != 1 && (!next_number(r, &cell.least_ns) || !next_number(r, &cell.most_ns)))
		return false;
	if (step >= r->s.n_steps || (row->n && step <= row->cells[row->n - 1].step) || !cell.calls || cell.least_ns > cell.most_ns ||
	    cell.most_ns > cell.sum_ns)
		return refuse(r, "a cell that is possible");
	cell.step = (uint32_t)step;
	if (!read_bins(r, &cell, row->joined || cell.calls <= TS_SUMMARY_TOLD ? 0 : cell.calls))
		return false;
	if (!TS_GROW_IN(r->arena, row->cells, *cap, row->n + 1, 8))
		return no_memory(r);
	row->cells[row->n++] = cell;
	return true;
}

static bool read_row(struct reading *r)
{
	struct ts_summary_row row = {0};
	bool more = false;
	size_t cap = 0;

	if (r->token.type != TS_JSON_ARRAY)
		return refuse(r, "a kernel");
	if (!next(r) || !text(r, &row.category) || !next(r))
		return false;
	if (r->token.type != TS_JSON_NUMBER ? !text(r, &row.name)
					    : !number(r, &row.joined) || (!row.joined && !refuse(r, "a number of kernels above 0")))
		return false;
	while (element(r, &more) && more)
		if (!read_cell(r, &row, &cap))
			return false;
	if (r->token.type != TS_JSON_END)
		return false;
	if (r->s.n_rows == TS_SUMMARY_ROWS_MAX) {
		(void)ts_error_set(r->err, TS_TOO_LARGE, "a summary of more than %d kernels", TS_SUMMARY_ROWS_MAX);
		return false;
	}
	if (!TS_GROW_IN(r->arena, r->s.rows, r->rows_cap, r->s.n_rows + 1, 16))
		return no_memory(r);
	r->s.rows[r->s.n_rows++] = row;
	return true;
}

static bool read_list(struct reading *r, bool (*one)(struct reading *r))
{
	bool more = false;

	if (!expect(r, TS_JSON_ARRAY, "a list"))
		return false;
	while (element(r, &more) && more)
		if (!one(r))
			return false;
	return r->token.type == TS_JSON_END;
}

static bool key(struct reading *r, const char *want)
{
	return next(r) && ((r->token.type == TS_JSON_KEY && ts_span_is(r->token.text, want)) || refuse(r, want));
}

static bool read_head(struct reading *r)
{
	uint64_t version = 0;

	if (!expect(r, TS_JSON_OBJECT, "an object") || !key(r, "kernel_summary") || !next_number(r, &version))
		return false;
	if (version != VERSION)
		return refuse(r, "the version 1");
	if (!key(r, "rank") || !next_or_null(r, &r->s.rank) || !key(r, "world_size") || !next_or_null(r, &r->s.world_size) ||
	    !key(r, "cut") || !next(r))
		return false;
	if (r->token.type != TS_JSON_TRUE && r->token.type != TS_JSON_FALSE)
		return refuse(r, "true or false");
	r->s.cut = r->token.type == TS_JSON_TRUE;
	return key(r, "clock_ns") && next_or_null(r, &r->s.clock_ns) &&
	       (r->s.clock_ns == 1 || r->s.clock_ns == 1000 || refuse(r, "1 or 1000"));
}

/* A trace that marks no steps is one step alone, without a number. */
static bool check_steps(struct reading *r)
{
	for (size_t i = 0; i < r->s.n_steps; i++)
		if (r->s.steps[i].number == TS_TRACE_NONE && r->s.n_steps > 1)
			return refuse(r, "numbers of its steps");
	return r->s.n_steps || refuse(r, "a step");
}

static bool read_all(struct reading *r)
{
	return read_head(r) && key(r, "steps") && read_steps(r) && check_steps(r) && key(r, "parts") && read_list(r, read_part) &&
	       key(r, "kernels") && read_list(r, read_row) && expect(r, TS_JSON_END, "its end") && expect(r, TS_JSON_EOF, "its end");
}

enum ts_status ts_kernel_summary_read(struct ts_span in, struct ts_arena *arena, struct ts_kernel_summary *ret, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_SUMMARY_FILE_MAX);
	struct reading r = {.arena = arena, .err = err};
	bool read;

	if (in.len > TS_SUMMARY_FILE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "a summary of kernels of more than %d MiB", TS_SUMMARY_FILE_MAX >> 20);
	ts_json_reader_init(&r.json, in, &scratch);
	read = read_all(&r);
	ts_buf_finish(&scratch);
	if (!read)
		return err->status;
	*ret = r.s;
	return TS_OK;
}
