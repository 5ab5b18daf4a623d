#include "ingest/trace/trace_fill.h"

#include "base/alloc.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/text.h"

#include <stdio.h>

enum ts_status ts_trace_fill_begin(struct ts_trace_fill *fill, struct ts_error *err)
{
	if (ts_trace_rows_reserve(&fill->rows, TS_TRACE_BATCH, err) || ts_trace_rows_reserve(&fill->one, 1, err))
		ts_trace_fill_finish(fill);
	else
		return TS_OK;
	return err->status;
}

void ts_trace_fill_finish(struct ts_trace_fill *fill)
{
	ts_trace_rows_finish(&fill->rows);
	ts_trace_rows_finish(&fill->one);
	ts_trace_finish(&fill->begun);
	ts_trace_lanes_finish(&fill->lanes);
	ts_free(fill->marks);
	fill->marks = NULL;
}

static enum ts_status give_rows(struct ts_trace_fill *fill, struct ts_error *err)
{
	if (fill->take(fill->ctx, &fill->rows, err))
		return err->status;
	ts_trace_rows_clear(&fill->rows);
	return TS_OK;
}

/* --- kinds --- */

static const struct kind_name {
	const char *category;
	uint8_t len, kind;
} kinds[] = {
#define KIND(category, kind)                                                                                                           \
	{                                                                                                                              \
		category, sizeof category - 1, kind                                                                                    \
	}
	KIND("cpu_op", TS_TRACE_OPERATOR),
	KIND("python_function", TS_TRACE_PYTHON),
	KIND("kernel", TS_TRACE_KERNEL),
	KIND("gpu_memcpy", TS_TRACE_COPY),
	KIND("gpu_memset", TS_TRACE_FILL),
	KIND("user_annotation", TS_TRACE_ANNOTATION),
	KIND("gpu_user_annotation", TS_TRACE_DEVICE_ANNOTATION),
	KIND("critical_path", TS_TRACE_DEVICE_ANNOTATION), /* that tscope added (cli/trace/overlay.h) */
	KIND("cuda_sync", TS_TRACE_SYNC),
	KIND("overhead", TS_TRACE_OVERHEAD),
	KIND("Trace", TS_TRACE_WINDOW),
	/* As PyTorch wrote them in 2021. */
	KIND("Operator", TS_TRACE_OPERATOR),
	KIND("Runtime", TS_TRACE_RUNTIME),
	KIND("Kernel", TS_TRACE_KERNEL),
	KIND("Memcpy", TS_TRACE_COPY),
	KIND("Memset", TS_TRACE_FILL),
#undef KIND
};

static bool begins(struct ts_trace_text text, const char *with)
{
	size_t n = strlen(with);

	return text.len >= n && memcmp(text.data, with, n) == 0;
}

static bool ends(struct ts_trace_text text, const char *with)
{
	size_t n = strlen(with);

	return text.len >= n && memcmp(text.data + text.len - n, with, n) == 0;
}

/* Calls are named after the platform: cuda_runtime, xpu_runtime, privateuse1_driver. */
static bool is_call(struct ts_trace_text category)
{
	return ends(category, "_runtime") || ends(category, "_driver");
}

static bool is_text(struct ts_trace_text text, const char *word)
{
	return text.data && text.len == strlen(word) && begins(text, word);
}

/* torch.autograd.profiler wrote no categories before 2021, but two processes: operators, and what they ran on devices, with the number
 * of the device as that of the thread. */
static uint8_t kind_of_process(const struct ts_trace_event *e)
{
	if (is_text(e->pid.text, "CPU functions"))
		return TS_TRACE_OPERATOR;
	return is_text(e->pid.text, "CUDA functions") ? TS_TRACE_KERNEL : TS_TRACE_OTHER;
}

static uint8_t kind_of(const struct ts_trace_event *e)
{
	uint8_t plain[64];
	struct ts_trace_text category = e->category;

	if (!category.len)
		return kind_of_process(e);
	if (category.escaped)
		category = (struct ts_trace_text){.data = plain,
						  .len = (uint32_t)ts_trace_plain(category.data, category.len, plain, sizeof plain)};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (category.len != kinds[i].len || memcmp(category.data, kinds[i].category, kinds[i].len) != 0)
			continue;
		/* In 2021 steps were operators. */
		return kinds[i].kind == TS_TRACE_OPERATOR && begins(e->name, "ProfilerStep#") ? TS_TRACE_ANNOTATION : kinds[i].kind;
	}
	return is_call(category) ? TS_TRACE_RUNTIME : TS_TRACE_OTHER;
}

static int32_t narrow(int64_t v)
{
	return v > INT32_MIN && v <= INT32_MAX ? (int32_t)v : TS_TRACE_NO_DEVICE;
}

/* The number that an id is, or that stands in its text behind these words: in 2021 "stream 7". */
static int64_t number_of(const struct ts_trace_name *id, const char *words)
{
	int64_t number;
	size_t n;

	if (!id->text.data)
		return id->number;
	n = begins(id->text, words) ? strlen(words) : 0;
	return ts_parse_i64(ts_span_of(id->text.data + n, id->text.len - n), &number) ? number : TS_TRACE_NONE;
}

/* --- rows --- */

/* Writes the span, and its details, behind those of rows, which has room; does not count it yet. */
static enum ts_status put_span(struct ts_trace_fill *fill, struct ts_trace_rows *rows, const struct ts_trace_event *e, uint64_t at,
			       struct ts_error *err)
{
	struct ts_trace_spans *t = &rows->spans;
	size_t i = t->n;
	const struct ts_trace_lane *lane = NULL;
	uint8_t kind = kind_of(e);
	bool device;

	if (ts_trace_thread_of(fill->words, &e->pid, &e->tid, &t->thread[i], err))
		return err->status;
	if (!e->category.len && fill->lanes.n_processes)
		lane = ts_trace_lane_of(&fill->lanes, t->thread[i]);
	if (lane)
		kind = ts_trace_lane_kind(lane, e->name);
	device = ts_trace_on_device(kind) || kind == TS_TRACE_DEVICE_ANNOTATION || kind == TS_TRACE_SYNC;
	t->kind[i] = kind;
	t->start_ns[i] = e->time_ns;
	t->duration_ns[i] = e->duration_ns;
	t->correlation[i] = e->correlation;
	t->external[i] = e->external;
	t->bytes[i] = e->bytes;
	t->device[i] = t->stream[i] = TS_TRACE_NO_DEVICE;
	if (device && lane) {
		t->device[i] = lane->device;
		t->stream[i] = lane->stream;
	} else if (device && !e->category.len) {
		t->device[i] = ts_trace_place_put(fill, number_of(&e->tid, ""), at);
	} else if (device) {
		t->device[i] = ts_trace_place_put(fill, e->device != TS_TRACE_NONE ? e->device : number_of(&e->pid, ""), at);
		t->stream[i] = ts_trace_place_put(fill, e->stream != TS_TRACE_NONE ? e->stream : number_of(&e->tid, "stream "), at);
	}
	t->category[i] = t->shapes[i] = t->collective[i] = t->group[i] = 0;
	if (ts_trace_word(fill->words, e->name, &t->name[i], err) ||
	    (kind == TS_TRACE_OTHER && ts_trace_word(fill->words, e->category, &t->category[i], err)) ||
	    (e->shapes.data && ts_trace_text_put(fill, e->shapes, at, &t->shapes[i], err)) ||
	    (e->collective.data && ts_trace_word(fill->words, e->collective, &t->collective[i], err)) ||
	    (e->group.data && ts_trace_word(fill->words, e->group, &t->group[i], err)) ||
	    (e->says && ts_trace_details_put(fill, rows, (uint32_t)i, e, at, err)))
		return err->status;
	return TS_OK;
}

/* Processes number their calls each by itself. */
static void one_process(struct ts_trace_fill *fill, uint32_t thread, uint64_t at)
{
	const struct ts_trace_thread *threads = fill->words->threads, *first;

	if (!fill->caller)
		fill->caller = thread + 1;
	first = &threads[fill->caller - 1];
	if (threads[thread].pid != first->pid || threads[thread].pid_text != first->pid_text)
		ts_trace_note(fill, "trace_processes", TS_NOTICE_INFO, at,
			      "a call of another process than the first; launches of both may have one number");
}

/* What says itself what it is by other means than a category. */
static void note_uncategorised(struct ts_trace_fill *fill, uint32_t thread, uint64_t at)
{
	if (ts_trace_lane_of(&fill->lanes, thread))
		ts_trace_note(fill, "trace_lanes", TS_NOTICE_INFO, at,
			      "an event of XLA's profiler (JAX, TensorFlow), whose process and thread say what it is");
	else
		ts_trace_note(fill, "trace_legacy", TS_NOTICE_INFO, at,
			      "an event of torch.autograd.profiler, without calls and streams, which torch.profiler.profile() records");
}

static enum ts_status span_row(struct ts_trace_fill *fill, struct ts_trace_event *e, uint64_t at, struct ts_error *err)
{
	struct ts_trace_spans *t = &fill->rows.spans;
	int64_t end;

	if (e->time_ns == TS_TRACE_NONE || e->duration_ns == TS_TRACE_NONE) {
		ts_trace_note(fill, "trace_no_time", TS_NOTICE_SKIPPED, at, "an event without its time or its duration");
		return TS_OK;
	}
	if (e->duration_ns < 0) {
		ts_trace_note(fill, "trace_negative", TS_NOTICE_INFO, at, "a duration below 0 counts as 0");
		e->duration_ns = 0;
	}
	if (__builtin_add_overflow(e->time_ns, e->duration_ns, &end)) {
		ts_trace_note(fill, "trace_no_time", TS_NOTICE_SKIPPED, at, "an event that ends after all time");
		return TS_OK;
	}
	if (put_span(fill, &fill->rows, e, at, err))
		return err->status;
	if (!e->category.len && t->kind[t->n] != TS_TRACE_OTHER)
		note_uncategorised(fill, t->thread[t->n], at);
	if (!fill->processes_apart && t->kind[t->n] == TS_TRACE_RUNTIME && t->correlation[t->n] != TS_TRACE_NONE)
		one_process(fill, t->thread[t->n], at);
	return ++t->n < TS_TRACE_BATCH ? TS_OK : give_rows(fill, err);
}

static enum ts_status mark_row(struct ts_trace_fill *fill, struct ts_trace_event *e, uint64_t at, struct ts_error *err)
{
	struct ts_trace_mark mark = {.time_ns = e->time_ns, .row = UINT32_MAX};

	if (e->time_ns == TS_TRACE_NONE) {
		ts_trace_note(fill, "trace_no_time", TS_NOTICE_SKIPPED, at, "an event without its time");
		return TS_OK;
	}
	if (ts_trace_thread_of(fill->words, &e->pid, &e->tid, &mark.thread, err) ||
	    (e->name.data && ts_trace_word(fill->words, e->name, &mark.name, err)))
		return err->status;
	if (e->phase == 'B') {
		mark.row = (uint32_t)fill->begun.rows.spans.n;
		ts_trace_rows_clear(&fill->one);
		if (put_span(fill, &fill->one, e, at, err))
			return err->status;
		fill->one.spans.n = 1;
		if (ts_trace_append(&fill->begun, &fill->one, err))
			return err->status;
	}
	return ts_trace_mark_add(fill, &mark, err);
}

static enum ts_status flow_row(struct ts_trace_fill *fill, const struct ts_trace_event *e, uint64_t at, struct ts_error *err)
{
	struct ts_trace_flows *t = &fill->rows.flows;
	int64_t id = e->id.number;

	/* An id may be a text of digits. */
	if (e->id.text.data && !ts_parse_i64(ts_span_of(e->id.text.data, e->id.text.len), &id))
		id = TS_TRACE_NONE;
	if (e->time_ns == TS_TRACE_NONE || id == TS_TRACE_NONE) {
		ts_trace_note(fill, "trace_no_time", TS_NOTICE_SKIPPED, at, "a flow without its time or its number");
		return TS_OK;
	}
	t->time_ns[t->n] = e->time_ns;
	t->id[t->n] = id;
	t->end[t->n] = e->phase == 'f';
	if (ts_trace_word(fill->words, e->category, &t->category[t->n], err) ||
	    ts_trace_thread_of(fill->words, &e->pid, &e->tid, &t->thread[t->n], err))
		return err->status;
	return ++t->n < TS_TRACE_BATCH ? TS_OK : give_rows(fill, err);
}

static void not_kept(struct ts_trace_fill *fill, const struct ts_trace_event *e, uint64_t at)
{
	char what[80];

	(void)snprintf(what, sizeof what, "an event of phase '%c', of which nothing is kept",
		       e->phase > ' ' && e->phase < 0x7f ? e->phase : '?');
	ts_trace_note(fill, "trace_not_kept", TS_NOTICE_INFO, at, what);
}

static enum ts_status instant_row(struct ts_trace_fill *fill, const struct ts_trace_event *e, uint64_t at, struct ts_error *err)
{
	struct ts_trace_allocations *t = &fill->rows.allocations;

	if (e->name.len != 8 || memcmp(e->name.data, "[memory]", 8) != 0 || e->time_ns == TS_TRACE_NONE || e->bytes == TS_TRACE_NONE) {
		not_kept(fill, e, at);
		return TS_OK;
	}
	t->time_ns[t->n] = e->time_ns;
	t->address[t->n] = e->address;
	t->bytes[t->n] = e->bytes;
	t->allocated[t->n] = e->allocated;
	t->reserved[t->n] = e->reserved;
	t->device_type[t->n] = narrow(e->device_type);
	t->device[t->n] = ts_trace_place_put(fill, e->device_id, at);
	if (ts_trace_thread_of(fill->words, &e->pid, &e->tid, &t->thread[t->n], err))
		return err->status;
	return ++t->n < TS_TRACE_BATCH ? TS_OK : give_rows(fill, err);
}

/* Each member of args is a series. */
static enum ts_status counter_rows(struct ts_trace_fill *fill, const struct ts_trace_event *e, uint64_t at, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 20);
	struct ts_trace_counters *t = &fill->rows.counters;
	struct ts_json_reader r;
	struct ts_json_token token;
	struct ts_error bad;
	uint32_t series = 0;
	enum ts_status status = TS_OK;

	ts_json_reader_init(&r, ts_span_of(e->args.data, e->args.len), &scratch);
	while (!status && e->time_ns != TS_TRACE_NONE && !ts_json_next(&r, &token, &bad) && token.type != TS_JSON_EOF && r.depth <= 1) {
		if (token.type == TS_JSON_KEY)
			status = ts_trace_word(fill->words,
					       (struct ts_trace_text){.data = token.text.data, .len = (uint32_t)token.text.len},
					       &series, err);
		if (token.type != TS_JSON_NUMBER)
			continue;
		t->time_ns[t->n] = e->time_ns;
		t->value[t->n] = token.number;
		t->series[t->n] = series;
		if (ts_trace_word(fill->words, e->name, &t->name[t->n], err) ||
		    ts_trace_thread_of(fill->words, &e->pid, &e->tid, &t->thread[t->n], err))
			status = err->status;
		else if (++t->n == TS_TRACE_BATCH)
			status = give_rows(fill, err);
	}
	ts_buf_finish(&scratch);
	if (e->time_ns == TS_TRACE_NONE)
		ts_trace_note(fill, "trace_no_time", TS_NOTICE_SKIPPED, at, "a counter without its time");
	return status;
}

/* Names of threads and processes. */
static enum ts_status meta(struct ts_trace_fill *fill, const struct ts_trace_event *e, uint64_t at, struct ts_error *err)
{
	struct ts_trace_thread *t;
	uint32_t thread;

	if (!e->arg_name.data && !e->labels.data)
		return TS_OK;
	if (ts_trace_thread_of(fill->words, &e->pid, &e->tid, &thread, err))
		return err->status;
	t = &fill->words->threads[thread];
	if (begins(e->name, "process_name") && is_text(e->arg_name, "Ascend Hardware"))
		ts_trace_note(fill, "trace_ascend", TS_NOTICE_SKIPPED, at,
			      "what devices of Ascend (CANN) did has no category, and counts as no work of a device");
	if (begins(e->name, "process_name")) {
		ts_trace_lane_process(&fill->lanes, e);
		return ts_trace_word(fill->words, e->arg_name, &t->process, err);
	}
	if (begins(e->name, "thread_name")) {
		if (ts_trace_word(fill->words, e->arg_name, &t->thread, err))
			return err->status;
		return ts_trace_lane_thread(&fill->lanes, e, thread, err);
	}
	if (begins(e->name, "process_labels"))
		return ts_trace_word(fill->words, e->labels, &t->label, err);
	return TS_OK;
}

static void note_numbers(struct ts_trace_fill *fill, const struct ts_trace_event *e, uint64_t at)
{
	if (e->rounded)
		ts_trace_note(fill, "trace_rounded", TS_NOTICE_INFO, at,
			      "a time with more than three decimals is rounded to the nanosecond");
	if (e->too_large)
		ts_trace_note(fill, "trace_number", TS_NOTICE_SKIPPED, at, "a number of more than 64 bits is left out");
}

enum ts_status ts_trace_fill_event(struct ts_trace_fill *fill, struct ts_trace_event *e, uint64_t at, struct ts_error *err)
{
	if (e->rounded || e->too_large)
		note_numbers(fill, e, at);
	switch (e->phase) {
	case 'X':
		return span_row(fill, e, at, err);
	case 'B':
	case 'E':
		return mark_row(fill, e, at, err);
	case 's':
	case 'f':
		return flow_row(fill, e, at, err);
	case 'i':
	case 'I':
		return instant_row(fill, e, at, err);
	case 'C':
		return counter_rows(fill, e, at, err);
	case 'M':
		return meta(fill, e, at, err);
	case 0:
		ts_trace_note(fill, "trace_not_event", TS_NOTICE_SKIPPED, at, "an entry of the list that is no event");
		return TS_OK;
	default:
		not_kept(fill, e, at);
		return TS_OK;
	}
}

/* In the order of their begins in the file, so that of two that begin and end together the outer one comes first. */
static enum ts_status give_pairs(struct ts_trace_fill *fill, struct ts_error *err)
{
	const struct ts_trace_spans *from = &fill->begun.rows.spans;
	struct ts_trace_spans *t = &fill->rows.spans;

	for (size_t row = 0; row < from->n; row++) {
		if (from->duration_ns[row] == TS_TRACE_UNENDED)
			continue;
#define COPY_CELL(type, column) t->column[t->n] = from->column[row];
		TS_TRACE_SPAN_COLUMNS(COPY_CELL)
		ts_trace_details_copy(&fill->rows, (uint32_t)t->n, &fill->begun.rows, (uint32_t)row);
		if (++t->n == TS_TRACE_BATCH && give_rows(fill, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_trace_fill_end(struct ts_trace_fill *fill, struct ts_error *err)
{
	if (fill->n_marks) {
		ts_trace_pair(fill);
		if (give_pairs(fill, err))
			return err->status;
	}
	return give_rows(fill, err);
}
