#include "cli/verbs/launch_end.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/view/show_value.h"
#include "ingest/facts/facts_json.h"
#include "ingest/text/text_end.h"
#include "launch/witness.h"
#include "run/ending.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096, PLACE = 512 };

/* --- what was printed --- */

/* What the last lines say. */
struct said {
	struct ts_text_end end;
	char frame[PLACE];  /* of the program's own code, in the traceback that is read: train.py:12 */
	char at[PLACE];	    /* where the exception was raised that counts */
	bool root;	    /* inside of what torchrun says of the first failure */
	int32_t root_rank;  /* -1: it says none */
	int64_t root_code;  /* its exit code; below 0: a signal's number */
};

/* A line without the sequences by which terminals are coloured and moved; of one that was overwritten the last. */
static struct ts_span plain(struct ts_span line, uint8_t to[LINE_MAX_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < line.len && n < LINE_MAX_BYTES; i++) {
		uint8_t c = line.data[i];

		if (c == 0x1B && i + 1 < line.len && line.data[i + 1] == '[') {
			for (i += 2; i < line.len && (line.data[i] < 0x40 || line.data[i] > 0x7E); i++)
				;
		} else if (c == '\r') {
			n = i + 1 < line.len ? 0 : n;
		} else {
			to[n++] = c;
		}
	}
	return ts_utf8_cut(ts_span_of(to, n), n);
}

/* Takes "[rank3]: " off the line. Returns 3, or -1. */
static int32_t rank_of(struct ts_span *io_line)
{
	struct ts_span line = *io_line;
	size_t n = 5;
	int64_t rank;

	if (!ts_span_starts(line, ts_span_str("[rank")))
		return -1;
	while (n < line.len && ts_is_digit(line.data[n]))
		n++;
	if (n + 1 >= line.len || line.data[n] != ']' || line.data[n + 1] != ':' || n > 14 ||
	    !ts_parse_i64(ts_span_part(line, 5, n - 5), &rank) || rank > INT32_MAX)
		return -1;
	n += 2;
	n += n < line.len && line.data[n] == ' ';
	*io_line = ts_span_from(line, n);
	return (int32_t)rank;
}

/* `  File "train.py", line 12, in main`: of libraries the program's own frame before them counts. */
static void take_frame(struct said *s, struct ts_span line)
{
	struct ts_span text = ts_trim(line), path;
	const uint8_t *quote;
	size_t at;
	int64_t number;

	if (!ts_span_starts(text, ts_span_str("File \"")))
		return;
	path = ts_span_from(text, 6);
	quote = memchr(path.data, '"', path.len);
	if (!quote)
		return;
	at = (size_t)(quote - path.data);
	text = ts_span_from(path, at);
	path.len = at;
	if (!ts_span_starts(text, ts_span_str("\", line ")))
		return;
	text = ts_span_from(text, 8);
	for (at = 0; at < text.len && ts_is_digit(text.data[at]); at++)
		;
	if (!ts_parse_i64(ts_span_part(text, 0, at), &number))
		return;
	if (*s->frame && (ts_span_contains(path, "/site-packages/") || ts_span_contains(path, "/dist-packages/") ||
			  ts_span_contains(path, "/lib/python3") || ts_span_starts(path, ts_span_str("<"))))
		return;
	(void)snprintf(s->frame, sizeof s->frame, "%.*s:%" PRId64, (int)(path.len < 400 ? path.len : 400), (const char *)path.data,
		       number);
}

/* The number behind the beginning of a line. */
static bool number_behind(struct ts_span line, const char *begin, int64_t *ret)
{
	struct ts_span rest = line;

	if (!ts_span_starts(line, ts_span_str(begin)))
		return false;
	rest = ts_span_from(line, strlen(begin));
	return ts_parse_i64(ts_next_word(&rest), ret);
}

static void take_line(struct said *s, uint64_t number, struct ts_span line)
{
	int32_t rank = rank_of(&line);
	uint64_t before = s->end.said ? s->end.line : 0;
	struct ts_span rest;
	int64_t root;

	if (ts_span_contains(line, "Traceback (most recent call last)"))
		s->frame[0] = '\0';
	take_frame(s, line);
	ts_text_end_line(&s->end, number, rank, line);
	if (s->end.said && s->end.line == number && before != number)
		memcpy(s->at, s->frame, sizeof s->at);
	s->root |= ts_span_contains(line, "Root Cause (first observed failure)");
	rest = ts_trim(line);
	if (s->root && s->root_rank < 0 && number_behind(rest, "rank      : ", &root) && root >= 0 && root <= INT32_MAX)
		s->root_rank = (int32_t)root;
	else if (s->root && !s->root_code && number_behind(rest, "exitcode  : ", &root) && root > -128)
		s->root_code = root;
}

static void read_tail(struct said *s, struct ts_span text)
{
	uint8_t bytes[LINE_MAX_BYTES];

	for (uint64_t number = 1; text.len; number++) {
		const uint8_t *newline = memchr(text.data, '\n', text.len);
		size_t n = newline ? (size_t)(newline - text.data) : text.len;

		take_line(s, number, plain(ts_span_of(text.data, n), bytes));
		text = ts_span_from(text, n + (newline != NULL));
	}
}

/* --- facts --- */

static enum ts_status add(struct ts_launch_folder *f, const char *name, const char *text, struct ts_error *err)
{
	return text && *text ? ts_launch_fact_text(f, name, text, err) : TS_OK;
}

/* What the lines say, in the words of session.end. */
static enum ts_status add_said(struct ts_launch_folder *f, const struct said *s, struct ts_error *err)
{
	struct ts_buf json = TS_BUF_INIT(65536);
	struct ts_json j = ts_json_of(&json);
	struct ts_facts found = {.n = 0};
	enum ts_status status;

	ts_json_object(&j);
	ts_json_key(&j, "session");
	ts_json_object(&j);
	ts_json_key(&j, "launch");
	ts_json_object(&j);
	ts_text_end_write(&s->end, &j);
	ts_json_end(&j);
	ts_json_end(&j);
	ts_json_end(&j);
	status = ts_buf_check(&json, err);
	if (!status)
		status = ts_facts_from_json(ts_buf_view(&json), TS_SOURCE_HOST, &f->cli->arena, &found, NULL, err);
	for (size_t i = 0; !status && i < found.n; i++)
		status = ts_facts_add(&f->facts, &found.items[i], &f->cli->arena, err);
	ts_buf_finish(&json);
	if (status || add(f, "end.record", "output.txt", err) || add(f, "end.at", s->at, err))
		return err->status;
	return s->root_rank >= 0 ? ts_launch_fact_int(f, "end.ranks[0]", s->root_rank, err) : TS_OK;
}

/* Whether what was printed tells why: a process that was killed from outside did not print it. */
static bool explains(const struct said *s, const struct ts_ended *end)
{
	bool why = s->end.said && s->end.cause != TS_END_SIGNAL && s->end.cause != TS_END_EXIT;

	return end->signal ? end->signal == SIGABRT && why : s->end.said;
}

static enum ts_status add_out_of_memory(struct ts_launch_folder *f, const struct ts_ended *end, int64_t kills, struct ts_error *err)
{
	char line[TS_WITNESS_LINE];
	struct ts_arena *a = &f->cli->arena;
	const char *text = ts_witness_oom_line(end->pid, line)
				   ? ts_arena_printf(a, "the kernel says: %s", line)
				   : ts_arena_printf(a, "the kernel killed %" PRId64 " process%s of its control group for that", kills,
						     kills == 1 ? "" : "es");

	if (add(f, "end.cause", ts_end_cause_word(TS_END_OUT_OF_MEMORY), err))
		return err->status;
	return add(f, "end.message", text, err);
}

static enum ts_status add_sender(struct ts_launch_folder *f, const struct ts_launched *l, struct ts_error *err)
{
	struct ts_arena *a = &f->cli->arena;
	int pid = (int)l->sent_by;
	const char *by = l->sent_name[0] ? ts_arena_printf(a, "process %d (%s) sent it to tscope run", pid, l->sent_name)
			 : pid		 ? ts_arena_printf(a, "process %d sent it to tscope run", pid)
					 : "the terminal or the system sent it to tscope run";

	return add(f, "end.message", by, err);
}

/* What torchrun says of the rank that failed first, which a signal killed. */
static enum ts_status add_root(struct ts_launch_folder *f, const struct said *s, struct ts_error *err)
{
	if (add(f, "end.state", ts_end_state_word(TS_END_KILLED), err) ||
	    add(f, "end.signal", ts_signal_name(-s->root_code), err) || add(f, "end.record", "torchrun", err))
		return err->status;
	return s->root_rank >= 0 ? ts_launch_fact_int(f, "end.ranks[0]", s->root_rank, err) : TS_OK;
}

/* The end of the first process that failed. */
static enum ts_status add_failed(struct ts_launch_folder *f, const struct ts_launched *l, int64_t kills, struct ts_error *err)
{
	const struct ts_ended *end = &l->ends[l->first];
	const char *signal = end->signal ? ts_signal_name(end->signal) : NULL;
	struct said s = {.root_rank = -1};
	enum ts_end_state state;

	read_tail(&s, ts_tail_view(&l->tails[l->first]));
	if (add(f, "end.state", ts_end_state_word(end->signal ? TS_END_KILLED : TS_END_CRASHED), err) ||
	    add(f, "end.record", "tscope run", err) ||
	    (l->n > 1 && ts_launch_fact_int(f, "end.ranks[0]", (int64_t)(l->first_rank + l->first), err)))
		return err->status;
	if (end->code && s.root_code < 0 && ts_signal_name(-s.root_code)) /* what others died of follows from it */
		return add_root(f, &s, err);
	if (explains(&s, end)) { /* what it says is why; the state is that of the cause */
		state = s.end.cause == TS_END_SIGNAL ? TS_END_KILLED : TS_END_CRASHED;
		return add(f, "end.state", ts_end_state_word(state), err) ? err->status : add_said(f, &s, err);
	}
	if (end->cannot && ts_launch_fact_int(f, "end.exit", ts_ended_code(end), err))
		return err->status;
	if (end->cannot)
		return add(f, "end.message", strerror(end->cannot), err);
	if (!end->signal)
		return ts_launch_fact_int(f, "end.exit", end->code, err);
	if (signal ? add(f, "end.signal", signal, err) : ts_launch_fact_int(f, "end.exit", ts_ended_code(end), err))
		return err->status;
	if (end->signal == SIGKILL && kills > 0)
		return add_out_of_memory(f, end, kills, err);
	return l->sent == end->signal ? add_sender(f, l, err) : TS_OK;
}

enum ts_status ts_launch_end_facts(struct ts_launch_folder *folder, const struct ts_launched *launched, int64_t oom_kills,
				   struct ts_error *err)
{
	int64_t kills = ts_witness_oom_kills();

	kills = kills < 0 || oom_kills < 0 ? 0 : kills - oom_kills;
	if (ts_launch_fact_real(folder, "ended", (double)ts_now_real_ns() / 1e9, err) ||
	    (kills > 0 && ts_launch_fact_int(folder, "end.oom_kills", kills, err)))
		return err->status;
	if (launched->lost)
		return ts_launch_fact_text(folder, "end.state", "unknown", err);
	if (launched->first < launched->n)
		return add_failed(folder, launched, kills, err);
	if (ts_launch_fact_text(folder, "end.state", "finished", err))
		return err->status;
	return ts_launch_fact_int(folder, "end.exit", 0, err);
}

/* --- in words --- */

static const char *fact_text(const struct ts_launch_folder *f, const char *path)
{
	for (size_t i = f->facts.n; i-- > 0;)
		if (ts_span_is(f->facts.items[i].path, path) && f->facts.items[i].type == TS_FACT_TEXT)
			return ts_arena_printf(&f->cli->arena, "%.*s", TS_SPAN_ARG(f->facts.items[i].text));
	return NULL;
}

/* One sentence of why the command could not be started. */
static void say_cannot(const struct ts_cli *cli, const char *command, int error)
{
	if (error == ENOENT && !strchr(command, '/'))
		ts_cli_say(cli, "run: there is no command %s in PATH", command);
	else
		ts_cli_say(cli, "run: %s cannot be executed: %s%s", command, strerror(error),
			   error == ENOENT   ? ", or its interpreter is not there"
			   : error == EACCES ? "; chmod +x makes a file executable"
					     : "");
}

/* ": ValueError: no such layer, at train.py:12"; empty: nothing tells why. */
static const char *why(const struct ts_launch_folder *f)
{
	const char *type = fact_text(f, "session.launch.end.type"), *message = fact_text(f, "session.launch.end.message");
	const char *signal = fact_text(f, "session.launch.end.signal"), *record = fact_text(f, "session.launch.end.record");
	const char *at = fact_text(f, "session.launch.end.at"), *cause = fact_text(f, "session.launch.end.cause");
	bool memory = cause && strcmp(cause, ts_end_cause_word(TS_END_OUT_OF_MEMORY)) == 0;
	bool waited = cause && strcmp(cause, ts_end_cause_word(TS_END_TIMEOUT)) == 0;

	if (signal && record && strcmp(record, "torchrun") == 0)
		return ts_arena_printf(&f->cli->arena, ": torchrun says that %s killed the rank that failed first", signal);
	return ts_arena_printf(&f->cli->arena, "%s%s%s%s%s%s%s",
			       memory	? ": out of memory"
			       : waited ? ": a collective timed out"
					: "",
			       type ? ": " : "", type ? type : "", message && *message ? ": " : "", message ? message : "",
			       at ? ", at " : "", at ? at : "");
}

static void say_failed(struct ts_launch_folder *f, const struct ts_launched *l, const char *after)
{
	const struct ts_ended *end = &l->ends[l->first];
	struct ts_arena *a = &f->cli->arena;
	const char *name = end->signal ? ts_signal_name(end->signal) : NULL, *first;

	first = l->n > 1 ? ts_arena_printf(a, "rank %zu was the first: ", l->first_rank + l->first) : "";
	if (end->signal)
		name = name ? ts_arena_printf(a, "killed by %s", name) : ts_arena_printf(a, "killed by signal %d", end->signal);
	else
		name = ts_arena_printf(a, "ended with exit code %d", end->code);
	ts_cli_say(f->cli, "%s%s after %s%s; the run is %s", first, name, after, why(f), f->run);
}

static void say_kept(const struct ts_cli *cli, const struct ts_launched *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->tails[i].error) {
			ts_cli_say(cli, "what the command printed could not be kept: %s: %s", l->tails[i].path,
				   strerror(l->tails[i].error));
			return;
		}
}

void ts_launch_end_say(struct ts_launch_folder *folder, const struct ts_launched *l, const char *const *words)
{
	const struct ts_cli *cli = folder->cli;
	const char *after = ts_show_seconds((double)(ts_now_mono_ns() - folder->mono_ns) / 1e9, &folder->cli->arena);

	if (l->first < l->n && l->ends[l->first].cannot)
		say_cannot(cli, words[0], l->ends[l->first].cannot);
	else if (l->lost)
		ts_cli_say(cli, "the process that waits for the command was killed, so its end is not known; the run is %s",
			   folder->run);
	else if (l->first == l->n)
		ts_cli_say(cli, "finished after %s; the run is %s", after ? after : "some time", folder->run);
	else
		say_failed(folder, l, after ? after : "some time");
	say_kept(cli, l);
	if (l->left)
		ts_cli_say(cli, "processes that the command left behind still hold its output; nobody waits for them");
}
