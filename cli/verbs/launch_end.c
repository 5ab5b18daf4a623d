#include "cli/verbs/launch_end.h"

#include "base/clock.h"
#include "cli/verbs/launch_flight.h"
#include "cli/view/show_value.h"
#include "ingest/text/text_tail.h"
#include "launch/witness.h"
#include "run/ending.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum {
	UNCAUGHT = 1, /* by an exception, of Python */
	MAKE_FAILED = 2,
	CODE_LAST = 125, /* of those that a program chooses */
};

/* --- facts --- */

static enum ts_status add(struct ts_launch_folder *f, const char *name, const char *text, struct ts_error *err)
{
	return text && *text ? ts_launch_fact_text(f, name, text, err) : TS_OK;
}

/* What the lines say, and which rank torchrun names. */
static enum ts_status add_said(struct ts_launch_folder *f, const struct ts_text_tail *s, struct ts_error *err)
{
	struct ts_facts found = {.n = 0};

	if (ts_text_tail_facts(s, "output.txt", &f->cli->arena, &found, err))
		return err->status;
	for (size_t i = 0; i < found.n; i++)
		if (ts_launch_fact(f, &found.items[i], err))
			return err->status;
	return s->root_rank >= 0 ? ts_launch_fact_int(f, "end.ranks[0]", s->root_rank, err) : TS_OK;
}

/* Whether what was printed tells why: a process that was killed from outside did not print it. */
static bool explains(const struct ts_text_tail *s, const struct ts_ended *end)
{
	bool why = s->end.said && s->end.cause != TS_END_SIGNAL && s->end.cause != TS_END_EXIT;

	if (s->end.said && s->end.cause == TS_END_EXCEPTION && !end->signal && end->code > MAKE_FAILED && end->code <= CODE_LAST)
		return false; /* Python ends with 1 for an exception that nobody caught */
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
static enum ts_status add_root(struct ts_launch_folder *f, const struct ts_text_tail *s, struct ts_error *err)
{
	if (add(f, "end.state", ts_end_state_word(TS_END_KILLED), err) ||
	    add(f, "end.signal", ts_signal_name(-s->root_code), err) || add(f, "end.record", "torchrun", err))
		return err->status;
	return s->root_rank >= 0 ? ts_launch_fact_int(f, "end.ranks[0]", s->root_rank, err) : TS_OK;
}

/* The lines of the process that failed first say why. Who is behind at a collective say those of all. */
static void read_tails(struct ts_text_tail *s, const struct ts_launched *l)
{
	ts_text_tail_read(s, -1, ts_tail_view(&l->tails[l->first]));
	s->others = true;
	for (size_t i = 0; i < l->n && s->end.said && s->end.cause == TS_END_TIMEOUT; i++)
		if (i != l->first)
			ts_text_tail_read(s, -1, ts_tail_view(&l->tails[i]));
}

/* Where nothing else says why a program chose its exit code, what it printed last may: sys.exit("no data in /data"). */
static enum ts_status add_last(struct ts_launch_folder *f, const struct ts_text_tail *s, int code, struct ts_error *err)
{
	struct ts_arena *a = &f->cli->arena;
	bool own = s->end.said && *s->end.type;
	/* Where a launcher started several ranks, others may have gone on behind the exception of one. */
	const struct ts_text_end *end = own ? &s->end : code == UNCAUGHT && s->passed.said ? &s->passed : NULL;
	const char *text = "";

	if (end)
		text = ts_arena_printf(a, "the last exception that it printed is %s%s%s", end->type, *end->message ? ": " : "",
				       end->message);
	if (!own && *s->last)
		text = ts_arena_printf(a, "%s%sthe last line that it printed is %s", text ? text : "", end ? ", and " : "", s->last);
	return add(f, "end.message", text, err);
}

/* The end of the first process that failed. */
static enum ts_status add_failed(struct ts_launch_folder *f, const struct ts_launched *l, int64_t kills, struct ts_error *err)
{
	const struct ts_ended *end = &l->ends[l->first];
	const char *signal = end->signal ? ts_signal_name(end->signal) : NULL;
	struct ts_text_tail s = TS_TEXT_TAIL;
	enum ts_end_state state;

	read_tails(&s, l);
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
		return ts_launch_fact_int(f, "end.exit", end->code, err) ? err->status : add_last(f, &s, end->code, err);
	signal = signal ? signal : ts_arena_printf(&f->cli->arena, "signal %d", end->signal);
	if (add(f, "end.signal", signal, err))
		return err->status;
	if (end->signal == SIGKILL && kills > 0)
		return add_out_of_memory(f, end, kills, err);
	return l->sent == end->signal ? add_sender(f, l, err) : TS_OK;
}

/* Of a run that hung when it was killed, that is why; of one that failed by itself it stands beside its own cause. */
static enum ts_status add_hang(struct ts_launch_folder *f, const struct ts_launched *l, const char *hang, struct ts_error *err)
{
	if (!*hang || l->lost || l->first == l->n)
		return TS_OK;
	if (add(f, "end.hang", hang, err))
		return err->status;
	if (!l->ends[l->first].signal)
		return TS_OK;
	return add(f, "end.message", ts_arena_printf(&f->cli->arena, "it hung: %s", hang), err);
}

static const char *fact_text(const struct ts_launch_folder *f, const char *path)
{
	for (size_t i = f->facts.n; i-- > 0;)
		if (ts_span_is(f->facts.items[i].path, path) && f->facts.items[i].type == TS_FACT_TEXT)
			return ts_arena_printf(&f->cli->arena, "%.*s", TS_SPAN_ARG(f->facts.items[i].text));
	return NULL;
}

static bool ended_by(const struct ts_launch_folder *f, enum ts_end_cause cause)
{
	const char *word = fact_text(f, "session.launch.end.cause");

	return word && strcmp(word, ts_end_cause_word(cause)) == 0;
}

/* The ranks that are behind, in the place of those that failed first, which waited for them. */
static enum ts_status put_ranks(struct ts_launch_folder *f, const struct ts_flight_behind *b, struct ts_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->facts.n; i++)
		if (!ts_span_starts(f->facts.items[i].path, ts_span_str("session.launch.end.ranks[")))
			f->facts.items[kept++] = f->facts.items[i];
	f->facts.n = kept;
	for (size_t i = 0; i < b->n_ranks && i < TS_END_RANKS_MAX; i++) {
		const char *name = ts_arena_printf(&f->cli->arena, "end.ranks[%zu]", i);

		if (!name || ts_launch_fact_int(f, name, b->ranks[i], err))
			return name ? err->status : ts_arena_error(&f->cli->arena, err);
	}
	return TS_OK;
}

/* Who is behind explains a collective that timed out, and stands beside a signal that ended a wait. */
static enum ts_status add_flight(struct ts_launch_folder *f, const struct ts_launched *l, const char *hang, struct ts_error *err)
{
	const char *message = fact_text(f, "session.launch.end.message"), *said;
	bool waited = ended_by(f, TS_END_TIMEOUT);
	struct ts_flight_behind behind;

	if (!waited && !(l->ends[l->first].signal && (*hang || l->ends[l->first].signal == SIGABRT)))
		return TS_OK;
	/* Of a rank on another machine no dump lies here, whether it has left one or not. */
	if (ts_launch_flight(f, l->n == l->world_size ? l->world_size : 0, &behind, err))
		return err->status;
	if (!behind.said)
		return TS_OK;
	said = ts_arena_printf(&f->cli->arena, "%s%sby the Flight Recorder, %.*s", waited || !message ? "" : message,
			       waited || !message ? "" : "; ", TS_SPAN_ARG(behind.sentence));
	if (waited && behind.n_ranks && put_ranks(f, &behind, err))
		return err->status;
	return add(f, "end.message", said, err);
}

static enum ts_status add_end(struct ts_launch_folder *folder, const struct ts_launched *launched, int64_t oom_kills,
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

enum ts_status ts_launch_end_facts(struct ts_launch_folder *folder, const struct ts_launched *launched, int64_t oom_kills,
				   const char *hang, struct ts_error *err)
{
	if (add_end(folder, launched, oom_kills, err) || add_hang(folder, launched, hang, err))
		return err->status;
	return launched->lost || launched->first == launched->n ? TS_OK : add_flight(folder, launched, hang, err);
}

/* --- in words --- */

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
	const char *at = fact_text(f, "session.launch.end.at");
	bool memory = ended_by(f, TS_END_OUT_OF_MEMORY), waited = ended_by(f, TS_END_TIMEOUT);

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
