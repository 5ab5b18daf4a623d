#include "cli/watch/asker.h"

#include "base/cursor.h"
#include "base/file.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IN_MAX = 64 << 20, QUESTION = 9, HEADER = 5 };

/* --- an answer --- */

struct to_live {
	struct ts_live *live;
	struct ts_buf cells;
};

static void take_row(void *ctx, const struct ts_look_row *row)
{
	struct to_live *to = ctx;
	struct ts_live_rank *rank = ts_live_rank(to->live, row->rank);
	struct ts_live_step step = {.step = row->step, .time = row->time};

	ts_buf_reset(&to->cells);
	for (size_t i = 0; i < row->n; i++) {
		struct ts_live_cell cell = {ts_live_column(to->live, row->columns[i]), row->values[i]};

		ts_buf_bytes(&to->cells, &cell, sizeof cell);
	}
	step.cells = (const struct ts_live_cell *)(const void *)to->cells.data;
	step.n = to->cells.len / sizeof(struct ts_live_cell);
	if (rank)
		ts_live_step(to->live, rank, &step);
}

static enum ts_status ask(struct ts_look *look, struct ts_answer *answer, ts_look_sink *sink, void *ctx, struct ts_arena *arena,
			  struct ts_error *err)
{
	const char *path = NULL;
	enum ts_status status;

	switch (answer->kind) {
	case TS_ASK_SETTLE:
		status = ts_look_settle(look, &path, err);
		if (!status && path)
			answer->path = ts_span_str(path);
		return status;
	case TS_ASK_POLL:
		return ts_look_poll(look, sink, ctx, arena, &answer->news, err);
	case TS_ASK_ANALYZE:
		status = ts_look_analyze(look, answer->from, arena, &answer->analysis, err);
		if (!status)
			answer->news = answer->analysis.news;
		return status;
	case TS_ASK_COMPARE:
		return ts_look_compare(look, arena, &answer->diff, err);
	}
	return ts_error_set(err, TS_INTERNAL, "asker: no such question");
}

/* What this process took of a core: on a machine that has much to do an answer takes far longer than it costs. */
static double cpu_seconds(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec / 1e9 : 0;
}

static void make(struct ts_look *look, enum ts_ask_kind kind, uint64_t from, ts_look_sink *sink, void *ctx, struct ts_arena *arena,
		 struct ts_answer *ret)
{
	struct ts_answer answer = {.kind = kind, .from = from};
	double began = cpu_seconds();
	struct ts_error err;

	answer.status = ask(look, &answer, sink, ctx, arena, &err);
	if (answer.status)
		answer.error = ts_arena_span(arena, ts_span_str(err.text));
	answer.seconds = cpu_seconds() - began;
	*ret = answer;
}

void ts_answer_make(struct ts_look *look, enum ts_ask_kind kind, uint64_t from, struct ts_live *live, struct ts_arena *arena,
		    struct ts_answer *ret_answer)
{
	struct to_live to = {live, TS_BUF_INIT((size_t)16 << 20)};

	make(look, kind, from, take_row, &to, arena, ret_answer);
	ts_buf_finish(&to.cells);
}

/* --- messages: a letter, the length of the rest, the rest --- */

static void put_text(struct ts_buf *out, struct ts_span text)
{
	ts_buf_u32(out, (uint32_t)text.len);
	ts_buf_span(out, text);
}

static void put_news(struct ts_buf *out, const struct ts_look_news *news)
{
	ts_buf_u8(out, news->changed);
	put_text(out, news->name);
	ts_buf_u8(out, (uint8_t)news->state);
	put_text(out, news->sentence);
	ts_buf_u64(out, (uint64_t)news->total);
	ts_buf_f64(out, news->capacity);
}

static void put_analysis(struct ts_buf *out, const struct ts_look_analysis *a)
{
	ts_buf_u64(out, a->steps);
	ts_buf_u64(out, a->cut);
	ts_buf_u32(out, (uint32_t)a->n_findings);
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct ts_look_finding *f = &a->findings[i];

		put_text(out, f->code);
		put_text(out, f->title);
		put_text(out, f->detail);
		put_text(out, f->advice);
		ts_buf_u8(out, (uint8_t)f->severity);
		ts_buf_u32(out, (uint32_t)f->rank);
	}
	ts_buf_u8(out, a->forecast.known);
	ts_buf_u32(out, (uint32_t)a->forecast.rank);
	ts_buf_u64(out, (uint64_t)a->forecast.from);
	ts_buf_f64(out, a->forecast.left);
	ts_buf_f64(out, a->forecast.low);
	ts_buf_f64(out, a->forecast.high);
}

static void put_diff(struct ts_buf *out, const struct ts_look_diff *d)
{
	ts_buf_u8(out, d->differs);
	ts_buf_u8(out, d->unknown);
	ts_buf_u8(out, d->has_step);
	ts_buf_u64(out, (uint64_t)d->step);
	put_text(out, d->series);
	put_text(out, d->sentence);
}

static void put_answer(struct ts_buf *out, const struct ts_answer *a)
{
	ts_buf_u8(out, (uint8_t)a->kind);
	ts_buf_u8(out, (uint8_t)a->status);
	put_text(out, a->error);
	ts_buf_f64(out, a->seconds);
	put_text(out, a->path);
	ts_buf_u64(out, a->from);
	put_news(out, &a->news);
	put_analysis(out, &a->analysis);
	put_diff(out, &a->diff);
}

static struct ts_span get_text(struct ts_cursor *in, struct ts_arena *arena)
{
	uint32_t n = ts_cursor_u32(in);

	return ts_arena_span(arena, ts_cursor_bytes(in, n));
}

static double get_f64(struct ts_cursor *in)
{
	uint64_t bits = ts_cursor_u64(in);
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static void get_news(struct ts_cursor *in, struct ts_arena *arena, struct ts_look_news *news)
{
	news->changed = ts_cursor_u8(in) != 0;
	news->name = get_text(in, arena);
	news->state = (enum ts_end_state)ts_cursor_u8(in);
	news->sentence = get_text(in, arena);
	news->total = (int64_t)ts_cursor_u64(in);
	news->capacity = get_f64(in);
}

static void get_analysis(struct ts_cursor *in, struct ts_arena *arena, struct ts_look_analysis *a)
{
	size_t n;

	a->steps = ts_cursor_u64(in);
	a->cut = ts_cursor_u64(in);
	n = ts_cursor_u32(in);
	a->findings = n <= ts_cursor_left(in) ? ts_arena_array(arena, n + 1, sizeof *a->findings) : NULL;
	for (size_t i = 0; a->findings && i < n; i++) {
		struct ts_look_finding *f = &a->findings[a->n_findings++];

		f->code = get_text(in, arena);
		f->title = get_text(in, arena);
		f->detail = get_text(in, arena);
		f->advice = get_text(in, arena);
		f->severity = (enum ts_severity)ts_cursor_u8(in);
		f->rank = (int32_t)ts_cursor_u32(in);
	}
	a->forecast.known = ts_cursor_u8(in) != 0;
	a->forecast.rank = (int32_t)ts_cursor_u32(in);
	a->forecast.from = (int64_t)ts_cursor_u64(in);
	a->forecast.left = get_f64(in);
	a->forecast.low = get_f64(in);
	a->forecast.high = get_f64(in);
}

static void get_diff(struct ts_cursor *in, struct ts_arena *arena, struct ts_look_diff *d)
{
	d->differs = ts_cursor_u8(in) != 0;
	d->unknown = ts_cursor_u8(in) != 0;
	d->has_step = ts_cursor_u8(in) != 0;
	d->step = (int64_t)ts_cursor_u64(in);
	d->series = get_text(in, arena);
	d->sentence = get_text(in, arena);
}

static bool get_answer(struct ts_cursor *in, struct ts_arena *arena, struct ts_answer *ret)
{
	struct ts_answer a = {.kind = (enum ts_ask_kind)ts_cursor_u8(in)};

	a.status = (enum ts_status)ts_cursor_u8(in);
	a.error = get_text(in, arena);
	a.seconds = get_f64(in);
	a.path = get_text(in, arena);
	a.from = ts_cursor_u64(in);
	get_news(in, arena, &a.news);
	get_analysis(in, arena, &a.analysis);
	get_diff(in, arena, &a.diff);
	*ret = a;
	return !in->failed && !arena->failed;
}

/* --- the process --- */

struct speaker {
	int to;
	struct ts_live names; /* numbers of columns */
	size_t told;	      /* columns whose names were sent */
	struct ts_buf out;
};

/* A parent that is gone ends this process. */
static void flush(struct speaker *s)
{
	struct ts_error err;

	if (s->out.failed || ts_write_full(s->to, s->out.data, s->out.len, &err))
		_exit(0);
	ts_buf_reset(&s->out);
}

static size_t begin_message(struct speaker *s, char letter)
{
	ts_buf_char(&s->out, letter);
	ts_buf_u32(&s->out, 0);
	return s->out.len;
}

static void end_message(struct speaker *s, size_t from)
{
	if (!s->out.failed)
		ts_store_u32(s->out.data + from - 4, (uint32_t)(s->out.len - from));
	if (s->out.failed || s->out.len >= 1 << 16)
		flush(s);
}

static void tell_columns(struct speaker *s)
{
	for (; s->told < s->names.n_columns; s->told++) {
		size_t from = begin_message(s, 'C');

		ts_buf_span(&s->out, s->names.columns[s->told].path);
		end_message(s, from);
	}
}

static void tell_row(void *ctx, const struct ts_look_row *row)
{
	struct speaker *s = ctx;
	size_t from;

	for (size_t i = 0; i < row->n; i++)
		(void)ts_live_column(&s->names, row->columns[i]);
	tell_columns(s);
	from = begin_message(s, 'R');
	ts_buf_u32(&s->out, (uint32_t)row->rank);
	ts_buf_u64(&s->out, (uint64_t)row->step);
	ts_buf_f64(&s->out, row->time);
	for (size_t i = 0; i < row->n; i++) {
		uint32_t column = ts_live_column(&s->names, row->columns[i]);

		if (column == TS_LIVE_NONE)
			continue;
		ts_buf_u32(&s->out, column);
		ts_buf_f64(&s->out, row->values[i]);
	}
	end_message(s, from);
}

static void answer_one(struct ts_look *look, struct speaker *s, const uint8_t question[QUESTION])
{
	struct ts_answer answer;
	struct ts_arena arena;
	size_t from;

	ts_arena_init(&arena, (size_t)1 << 30);
	make(look, (enum ts_ask_kind)question[0], ts_load_le(question + 1, 8), tell_row, s, &arena, &answer);
	from = begin_message(s, 'E');
	put_answer(&s->out, &answer);
	end_message(s, from);
	flush(s);
	/* A training may run here; what is on a server is analyzed there. */
	if (answer.kind == TS_ASK_SETTLE && answer.path.len)
		(void)setpriority(PRIO_PROCESS, 0, 19);
	ts_arena_finish(&arena);
}

static void serve(const struct ts_cli *cli, int in, int out)
{
	struct speaker s = {.to = out, .out = TS_BUF_INIT(IN_MAX)};
	uint8_t question[QUESTION];
	struct ts_look look;
	struct ts_error err;
	size_t got;

	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN); /* the parent ends it */
	(void)signal(SIGTSTP, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	ts_live_init(&s.names);
	ts_look_init(&look, cli);
	while (!ts_read_full(in, question, sizeof question, &got, &err) && got == sizeof question)
		answer_one(&look, &s, question);
	ts_look_finish(&look);
	ts_live_finish(&s.names);
	ts_buf_finish(&s.out);
}

enum ts_status ts_asker_start(struct ts_asker *a, const struct ts_cli *cli, struct ts_error *err)
{
	int to[2], from[2];

	*a = (struct ts_asker){.in = TS_BUF_INIT(IN_MAX)};
	if (ts_system_pipe(to) < 0 || ts_system_pipe(from) < 0)
		return ts_error_errno(err, errno, "pipe");
	a->pid = fork();
	if (a->pid < 0)
		return ts_error_errno(err, errno, "fork");
	if (a->pid == 0) {
		(void)close(to[1]);
		(void)close(from[0]);
		serve(cli, to[0], from[1]);
		_exit(0);
	}
	(void)close(to[0]);
	(void)close(from[1]);
	a->to = to[1];
	a->from = from[0];
	(void)fcntl(a->from, F_SETFL, O_NONBLOCK);
	return TS_OK;
}

void ts_asker_stop(struct ts_asker *a)
{
	if (a->pid <= 0)
		return;
	(void)kill(a->pid, SIGKILL);
	(void)waitpid(a->pid, NULL, 0);
	(void)close(a->to);
	(void)close(a->from);
	ts_buf_finish(&a->in);
	a->pid = 0;
}

void ts_asker_ask(struct ts_asker *a, enum ts_ask_kind kind, uint64_t from)
{
	uint8_t question[QUESTION] = {(uint8_t)kind};
	struct ts_error err;

	ts_store_u64(question + 1, from);
	a->busy = true;
	(void)ts_write_full(a->to, question, sizeof question, &err); /* that it is gone is seen when it does not answer */
}

/* --- taking --- */

static void take_told_row(struct ts_asker *a, struct ts_live *live, struct ts_cursor *in)
{
	struct ts_buf cells = TS_BUF_INIT((size_t)16 << 20);
	struct ts_live_rank *rank = ts_live_rank(live, (int32_t)ts_cursor_u32(in));
	struct ts_live_step step = {.step = (int64_t)ts_cursor_u64(in)};

	step.time = get_f64(in);
	while (ts_cursor_left(in)) {
		uint32_t number = ts_cursor_u32(in);
		struct ts_live_cell cell = {.value = get_f64(in)};

		cell.column = number < a->n_columns ? a->columns[number] : TS_LIVE_NONE;
		ts_buf_bytes(&cells, &cell, sizeof cell);
	}
	step.cells = (const struct ts_live_cell *)(const void *)cells.data;
	step.n = cells.len / sizeof(struct ts_live_cell);
	if (rank && !in->failed)
		ts_live_step(live, rank, &step);
	ts_buf_finish(&cells);
}

static void take_column(struct ts_asker *a, struct ts_live *live, struct ts_span path)
{
	if (a->n_columns < TS_LIVE_COLUMNS)
		a->columns[a->n_columns++] = ts_live_column(live, path);
}

static enum ts_status take_messages(struct ts_asker *a, struct ts_live *live, struct ts_arena *arena, struct ts_answer *ret,
				    bool *ret_answered, struct ts_error *err)
{
	size_t at = 0;

	while (!*ret_answered && a->in.len - at >= HEADER) {
		uint32_t len = ts_load_u32(a->in.data + at + 1);
		struct ts_span body;
		struct ts_cursor in;

		if (a->in.len - at - HEADER < len)
			break;
		body = ts_span_of(a->in.data + at + HEADER, len);
		in = ts_cursor_of(body);
		if (a->in.data[at] == 'C')
			take_column(a, live, body);
		else if (a->in.data[at] == 'R')
			take_told_row(a, live, &in);
		else if (get_answer(&in, arena, ret))
			*ret_answered = true;
		else
			return ts_error_set(err, TS_INTERNAL, "an answer is damaged");
		at += HEADER + len;
	}
	memmove(a->in.data, a->in.data + at, a->in.len - at);
	a->in.len -= at;
	a->busy &= !*ret_answered;
	return TS_OK;
}

enum ts_status ts_asker_take(struct ts_asker *a, struct ts_live *live, struct ts_arena *arena, struct ts_answer *ret_answer,
			     bool *ret_answered, struct ts_error *err)
{
	*ret_answered = false;
	for (;;) {
		uint8_t *to = ts_buf_reserve(&a->in, 1 << 16);
		ssize_t got = to ? read(a->from, to, 1 << 16) : -1;

		if (!to)
			return ts_buf_check(&a->in, err);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return TS_OK;
		if (got == 0)
			return ts_error_set(err, TS_UNAVAILABLE, "the process that asks has ended");
		a->in.len += (size_t)got;
		if (take_messages(a, live, arena, ret_answer, ret_answered, err))
			return err->status;
		if (*ret_answered)
			return TS_OK;
	}
}
