#include "cli/trace/overlay.h"

#include "base/below.h"
#include "base/json_writer.h"
#include "ingest/trace/trace_insert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* --- events --- */

enum { EVENTS_AT_ONCE = 512 };

struct overlay {
	const struct ts_trace *trace;
	const struct ts_critical_path *path;
	int64_t pid; /* a process that the trace does not have */
	size_t at;   /* of pieces */
	bool begun;
	const struct ts_path_piece *last; /* that lies on a span of the trace */
	uint64_t arrows;
};

/* Microseconds, as the trace has them: with the digits of nanoseconds where there are any. */
static void put_time(struct ts_json *j, const char *key, bool below, uint64_t ns)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%s%" PRIu64, below ? "-" : "", ns / 1000);

	if (ns % 1000)
		n += snprintf(text + n, sizeof text - (size_t)n, ".%03" PRIu64, ns % 1000);
	ts_json_key(j, key);
	ts_json_raw(j, ts_span_of(text, (size_t)n));
}

static void put_at(struct ts_json *j, int64_t ns)
{
	put_time(j, "ts", ns < 0, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns);
}

static void put_word(struct ts_json *j, const char *key, const char *text)
{
	ts_json_key(j, key);
	ts_json_string(j, text);
}

/* A number as the number that it is: the writer would make a text of it beyond 2^53. */
static void put_number(struct ts_json *j, const char *key, int64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof text, "%" PRId64, value);

	ts_json_key(j, key);
	ts_json_raw(j, ts_span_of(text, (size_t)n));
}

static struct ts_json begin_event(struct overlay *o, struct ts_buf *buf, const char *phase)
{
	struct ts_json j;

	ts_buf_str(buf, o->begun ? ",\n" : "\n");
	o->begun = true;
	j = ts_json_of(buf);
	ts_json_object(&j);
	put_word(&j, "ph", phase);
	return j;
}

static void put_track(struct overlay *o, struct ts_buf *buf)
{
	struct ts_json j = begin_event(o, buf, "M");

	put_word(&j, "name", "process_name");
	put_number(&j, "pid", o->pid);
	put_number(&j, "tid", 0);
	ts_json_key(&j, "args");
	ts_json_object(&j);
	put_word(&j, "name", "Critical path");
	ts_json_end(&j);
	ts_json_end(&j);
	j = begin_event(o, buf, "M");
	put_word(&j, "name", "process_sort_index");
	put_number(&j, "pid", o->pid);
	put_number(&j, "tid", 0);
	ts_json_key(&j, "args");
	ts_json_object(&j);
	put_number(&j, "sort_index", -1);
	ts_json_end(&j);
	ts_json_end(&j);
}

static void put_piece(struct overlay *o, struct ts_buf *buf, const struct ts_path_piece *p)
{
	struct ts_json j = begin_event(o, buf, "X");

	put_word(&j, "cat", "critical_path");
	ts_json_key(&j, "name");
	if (p->span == UINT32_MAX ||
	    p->what == TS_PATH_UNSAID) /* a step's name here would be another step to who counts them by name */
		ts_json_string(&j, ts_path_what_word(p->what));
	else
		ts_json_span(&j, o->trace->names[o->trace->rows.spans.name[p->span]]);
	put_number(&j, "pid", o->pid);
	put_number(&j, "tid", 0);
	put_at(&j, p->begin_ns);
	put_time(&j, "dur", false, p->ns);
	ts_json_key(&j, "args");
	ts_json_object(&j);
	put_word(&j, "part", ts_path_group_word(ts_path_group(p->what)));
	put_word(&j, "what", ts_path_what_word(p->what));
	ts_json_end(&j);
	ts_json_end(&j);
}

static void put_place(struct ts_json *j, const char *key, int64_t number, struct ts_span text, bool is_text)
{
	if (!is_text) {
		put_number(j, key, number);
		return;
	}
	ts_json_key(j, key);
	ts_json_span(j, text);
}

/* One end of an arrow, at the begin of a piece: on its own track, where it has a span there. */
static void put_arrow(struct overlay *o, struct ts_buf *buf, const struct ts_path_piece *p, uint64_t id, bool head)
{
	const struct ts_trace_thread *t = &o->trace->threads[p->thread];
	struct ts_json j = begin_event(o, buf, head ? "f" : "s");

	put_word(&j, "cat", "critical_path");
	put_word(&j, "name", "critical path");
	put_number(&j, "id", (int64_t)id);
	if (head)
		put_word(&j, "bp", "e");
	put_place(&j, "pid", t->pid, o->trace->names[t->pid_text], t->pid_text);
	put_place(&j, "tid", t->tid, o->trace->names[t->tid_text], t->tid_text);
	put_at(&j, p->begin_ns);
	ts_json_end(&j);
}

/* Whether the piece lies on a span of the trace, so that an arrow has something to point to. Waiting stretches before work do not. */
static bool on_span(const struct ts_trace *trace, const struct ts_path_piece *p)
{
	const struct ts_trace_spans *s = &trace->rows.spans;

	return p->span != UINT32_MAX && p->begin_ns >= s->start_ns[p->span] &&
	       p->begin_ns < s->start_ns[p->span] + s->duration_ns[p->span];
}

/* An arrow from the last piece that lies on a span of another track to this one. */
static void put_arrows(struct overlay *o, struct ts_buf *buf, const struct ts_path_piece *p)
{
	if (!on_span(o->trace, p))
		return;
	if (o->last && o->last->thread != p->thread) {
		o->arrows++;
		put_arrow(o, buf, o->last, o->arrows, false);
		put_arrow(o, buf, p, o->arrows, true);
	}
	o->last = p;
}

static bool more(void *ctx, struct ts_buf *buf)
{
	struct overlay *o = ctx;

	if (!o->begun)
		put_track(o, buf);
	for (size_t i = 0; i < EVENTS_AT_ONCE && o->at < o->path->n_pieces; i++, o->at++) {
		put_piece(o, buf, &o->path->pieces[o->at]);
		put_arrows(o, buf, &o->path->pieces[o->at]);
	}
	return o->at < o->path->n_pieces;
}

/* A number that no process of the trace has. */
static int64_t free_pid(const struct ts_trace *trace)
{
	int64_t most = 0, least = 0;

	for (size_t i = 0; i < trace->n_threads; i++) {
		most = trace->threads[i].pid > most ? trace->threads[i].pid : most;
		least = trace->threads[i].pid < least ? trace->threads[i].pid : least;
	}
	if (most < INT32_MAX)
		return most + 1;
	return least > INT32_MIN ? least - 1 : INT32_MAX;
}

/* --- the file --- */

static enum ts_status write_to(const char *from, const struct ts_trace_file *file, struct overlay *o, int fd, bool packed,
			       struct ts_error *err)
{
	struct ts_source source = {.path = ts_span_str(from), .name = ts_span_str("")};
	enum ts_status status;

	if (ts_below_open(from, from, &source.fd, &source.size, err))
		return err->status;
	status = ts_trace_insert(&source, file, more, o, fd, packed, err);
	(void)close(source.fd);
	if (!status && fsync(fd) && errno != EINVAL)
		return ts_error_errno(err, errno, "fsync");
	return status;
}

static enum ts_status exists(const char *to, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "%s exists already, and analyze does not overwrite files", to);
}

/* Gives the finished file its name, unless something has it by now. */
static enum ts_status appear(const char *beside, const char *to, struct ts_error *err)
{
	if (link(beside, to) == 0) {
		(void)unlink(beside);
		return TS_OK;
	}
	if (errno == EEXIST)
		return exists(to, err);
	if (access(to, F_OK) == 0)
		return exists(to, err);
	return rename(beside, to) == 0 ? TS_OK : ts_error_errno(err, errno, "%s", to); /* a file system without hard links */
}

enum ts_status ts_write_overlay(const char *from, const struct ts_trace *trace, const struct ts_trace_file *file,
				const struct ts_critical_path *path, const char *to, struct ts_error *err)
{
	struct overlay o = {.trace = trace, .path = path, .pid = free_pid(trace)};
	struct ts_buf beside = TS_BUF_INIT(64 << 10);
	enum ts_status status;
	int fd = -1;

	if (access(to, F_OK) == 0) {
		(void)exists(to, err);
		return ts_error_prefix(err, "--overlay");
	}
	ts_buf_printf(&beside, "%s.%ld.new", to, (long)getpid());
	ts_buf_char(&beside, '\0');
	status = ts_buf_check(&beside, err);
	if (!status) {
		fd = open((const char *)beside.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0)
			status = ts_error_errno(err, errno, "%s", to);
	}
	if (!status) {
		status = write_to(from, file, &o, fd, ts_span_ends(ts_span_str(to), ".gz"), err);
		(void)close(fd);
		if (!status)
			status = appear((const char *)beside.data, to, err);
		if (status)
			(void)unlink((const char *)beside.data);
	}
	ts_buf_finish(&beside);
	return status ? ts_error_prefix(err, "--overlay") : TS_OK;
}
