#include "run/ending.h"

#include "base/door.h"
#include "base/number.h"
#include "base/text.h"
#include "base/words.h"

#include <stdio.h>

static const char *const state_words[] = {
	[TS_END_UNKNOWN] = "unknown", [TS_END_RUNNING] = "running", [TS_END_FINISHED] = "finished",
	[TS_END_CRASHED] = "crashed", [TS_END_KILLED] = "killed",   [TS_END_HUNG] = "hung",
	[TS_END_LOST] = "lost",
};

/* Of several ranks that died the one counts whose cause has the least rank here: what others died of follows from it. */
static const struct {
	const char *word, *title;
	enum ts_end_state state;
	int rank;
} causes[] = {
	[TS_END_NO_CAUSE] = {"none", "", TS_END_CRASHED, 9},
	[TS_END_EXCEPTION] = {"exception", "", TS_END_CRASHED, 2},
	[TS_END_OUT_OF_MEMORY] = {"out_of_memory", "out of memory", TS_END_CRASHED, 0},
	[TS_END_TIMEOUT] = {"collective_timeout", "a collective operation timed out", TS_END_CRASHED, 3},
	[TS_END_NAN] = {"nan", "the program stopped because a value was NaN or infinite", TS_END_CRASHED, 1},
	[TS_END_EXIT] = {"exit_code", "", TS_END_CRASHED, 6},
	[TS_END_SIGNAL] = {"signal", "", TS_END_KILLED, 7},
	[TS_END_TIME_LIMIT] = {"time_limit", "the time limit of its job was over", TS_END_KILLED, 4},
	[TS_END_CANCELLED] = {"cancelled", "its job was cancelled", TS_END_KILLED, 5},
	[TS_END_CUT] = {"cut", "", TS_END_UNKNOWN, 8},
	[TS_END_DISK_FULL] = {"disk_full", "the disk was full", TS_END_CRASHED, 1},
};

enum { STATES = sizeof state_words / sizeof state_words[0], CAUSES = sizeof causes / sizeof causes[0] };

const char *ts_end_state_word(enum ts_end_state state)
{
	return (size_t)state < STATES ? state_words[state] : TS_NEWER_WORD;
}

bool ts_end_state_of(struct ts_span word, enum ts_end_state *ret_state)
{
	for (int i = 0; i < STATES; i++)
		if (i != TS_END_LOST && ts_span_is(word, state_words[i])) {
			*ret_state = (enum ts_end_state)i;
			return true;
		}
	return false;
}

bool ts_end_goes_on(struct ts_span word)
{
	return ts_span_is(word, state_words[TS_END_RUNNING]) || ts_span_is(word, state_words[TS_END_HUNG]);
}

const char *ts_end_cause_word(enum ts_end_cause cause)
{
	return (size_t)cause < CAUSES ? causes[cause].word : TS_NEWER_WORD;
}

static bool cause_of_word(struct ts_span word, enum ts_end_cause *ret)
{
	for (int i = 0; i < CAUSES; i++)
		if (ts_span_is(word, causes[i].word)) {
			*ret = (enum ts_end_cause)i;
			return true;
		}
	return false;
}

const char *ts_signal_name(int64_t number)
{
	static const struct {
		int number;
		const char *name;
	} signals[] = {{1, "SIGHUP"},	{2, "SIGINT"},	 {3, "SIGQUIT"}, {4, "SIGILL"},	 {5, "SIGTRAP"},  {6, "SIGABRT"},
		       {7, "SIGBUS"},	{8, "SIGFPE"},	 {9, "SIGKILL"}, {10, "SIGUSR1"}, {11, "SIGSEGV"}, {12, "SIGUSR2"},
		       {13, "SIGPIPE"}, {14, "SIGALRM"}, {15, "SIGTERM"}, {24, "SIGXCPU"}, {25, "SIGXFSZ"}};

	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		if (signals[i].number == number)
			return signals[i].name;
	return NULL;
}

/* --- what an exception is about --- */

/* Whether the text has these small letters, in whatever case. */
static bool has(struct ts_span text, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= text.len; i++) {
		size_t k = 0;

		while (k < n && (ts_is_alpha(text.data[i + k]) ? text.data[i + k] | 32 : text.data[i + k]) == (unsigned char)part[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

static bool has_any(struct ts_span text, const char *const *parts)
{
	for (; *parts; parts++)
		if (has(text, *parts))
			return true;
	return false;
}

/* Whether the text has "nan" as a word of its own. */
static bool has_nan(struct ts_span text)
{
	for (size_t i = 0; i + 3 <= text.len; i++)
		if ((i == 0 || !ts_is_alnum(text.data[i - 1])) && has(ts_span_part(text, i, 3), "nan") &&
		    (i + 3 == text.len || !ts_is_alnum(text.data[i + 3]) || (text.data[i + 3] | 32) == 's'))
			return true;
	return has(text, "infinite") || has(text, "non-finite") || has(text, "nonfinite");
}

enum ts_end_cause ts_end_cause_of(struct ts_span type, struct ts_span message)
{
	static const char *const memory[] = {"out of memory",	       "outofmemory",  "can't allocate memory",
					     "not enough memory",      "alloc_failed", "resource_exhausted",
					     "cannot allocate memory", "oom-kill",     NULL};
	static const char *const timeout[] = {"watchdog caught collective", "collective operation timeout", "barrier timed out",
					      "watchdog timeout", NULL};
	static const char *const disk[] = {"no space left on device", "disk quota exceeded", NULL};
	static const char *const values[] = {"loss", "grad", "norm", "logits", "weight", "activation", NULL};

	if (has(type, "keyboardinterrupt"))
		return TS_END_SIGNAL;
	if (has(type, "outofmemory") || has(type, "memoryerror") || has_any(message, memory))
		return TS_END_OUT_OF_MEMORY;
	if (has_any(message, disk))
		return TS_END_DISK_FULL;
	if (has_any(message, timeout) || (has(message, "timed out") && has_any(message, (const char *const[]){"nccl", "gloo", NULL})))
		return TS_END_TIMEOUT;
	if ((has_nan(message) && has_any(message, values)) || has(message, "minimum loss scale reached"))
		return TS_END_NAN;
	return type.len || message.len ? TS_END_EXCEPTION : TS_END_NO_CAUSE;
}

/* --- what a rank says --- */

static const struct ts_fact *fact_of(const struct ts_facts *facts, const char *path)
{
	return ts_facts_find(facts, ts_span_str(path));
}

static struct ts_span text_of(const struct ts_facts *facts, const char *path)
{
	const struct ts_fact *fact = fact_of(facts, path);

	return fact && fact->type == TS_FACT_TEXT ? fact->text : ts_span_of(NULL, 0);
}

static bool number_of(const struct ts_facts *facts, const char *path, int64_t *ret)
{
	const struct ts_fact *fact = fact_of(facts, path);

	if (!fact || fact->type != TS_FACT_INT)
		return false;
	*ret = fact->integer;
	return true;
}

static void say(struct ts_end_seen *seen, enum ts_end_state state, enum ts_end_cause cause, const char *record)
{
	seen->said = true;
	seen->state = state;
	seen->cause = cause;
	if (!seen->record.len)
		seen->record = ts_span_str(record);
}

static void say_exit(struct ts_end_seen *seen, int64_t code, const char *record)
{
	const char *signal = code > 128 ? ts_signal_name(code - 128) : code < 0 && code > -64 ? ts_signal_name(-code) : NULL;

	if (signal) {
		say(seen, TS_END_KILLED, TS_END_SIGNAL, record);
		seen->type = ts_span_str(signal);
		return;
	}
	seen->exit = code;
	say(seen, code ? TS_END_CRASHED : TS_END_FINISHED, code ? TS_END_EXIT : TS_END_NO_CAUSE, record);
}

/* What trackers keep of the state of a run. */
static void see_tracker(struct ts_end_seen *seen, const struct ts_facts *facts)
{
	static const struct {
		const char *path, *value;
		enum ts_end_state state;
		enum ts_end_cause cause;
		const char *record;
	} rows[] = {
		{"other.mlflow.status", "finished", TS_END_FINISHED, TS_END_NO_CAUSE, "MLflow's status"},
		{"other.mlflow.status", "failed", TS_END_CRASHED, TS_END_NO_CAUSE, "MLflow's status"},
		{"other.mlflow.status", "killed", TS_END_KILLED, TS_END_NO_CAUSE, "MLflow's status"},
		{"other.sacred.status", "COMPLETED", TS_END_FINISHED, TS_END_NO_CAUSE, "sacred's status"},
		{"other.sacred.status", "FAILED", TS_END_CRASHED, TS_END_NO_CAUSE, "sacred's status"},
		{"other.sacred.status", "INTERRUPTED", TS_END_KILLED, TS_END_CANCELLED, "sacred's status"},
		{"other.sacred.status", "TIMEOUT", TS_END_KILLED, TS_END_TIME_LIMIT, "sacred's status"},
	};
	int64_t code;

	if (number_of(facts, "other.wandb.exit_code", &code))
		say_exit(seen, code, "the exit code that W&B kept");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (ts_span_is(text_of(facts, rows[i].path), rows[i].value))
			say(seen, rows[i].state, rows[i].cause, rows[i].record);
}

/* A fact of an end: below session.end, or session.launch.end. */
struct below {
	char path[64];
};

static struct below below(const char *group, const char *name)
{
	struct below b;

	(void)snprintf(b.path, sizeof b.path, "%s.%s", group, name);
	return b;
}

static void see_ranks(struct ts_end_seen *seen, const struct ts_facts *facts, const char *group)
{
	char name[24];
	int64_t rank;

	for (size_t i = 0; i < TS_END_RANKS_MAX; i++) {
		(void)snprintf(name, sizeof name, "ranks[%zu]", i);
		if (!number_of(facts, below(group, name).path, &rank) || rank < 0 || rank > INT32_MAX)
			return;
		seen->named[seen->n_named++] = (int32_t)rank;
	}
}

/* What the facts below a group mean: a state that is said, else what the exception, the signal or the exit code tells. */
static void see_said(struct ts_end_seen *seen, const struct ts_facts *facts, const char *group, const char *by)
{
	struct ts_span signal = text_of(facts, below(group, "signal").path);
	enum ts_end_state state;
	enum ts_end_cause cause;
	int64_t code;

	seen->type = text_of(facts, below(group, "type").path);
	seen->message = text_of(facts, below(group, "message").path);
	seen->record = text_of(facts, below(group, "record").path);
	seen->at = text_of(facts, below(group, "at").path);
	seen->has_step = number_of(facts, below(group, "step").path, &seen->step);
	see_ranks(seen, facts, group);
	if (signal.len) {
		say(seen, TS_END_KILLED, TS_END_SIGNAL, by);
		seen->type = signal;
	} else if (number_of(facts, below(group, "exit").path, &code)) {
		say_exit(seen, code, by);
	} else if (seen->type.len || seen->message.len) {
		cause = ts_end_cause_of(seen->type, seen->message);
		say(seen, causes[cause].state, cause, by);
	}
	/* A recording that was not closed, or still is written, says so where nobody saw the end. */
	if (cause_of_word(text_of(facts, below(group, "cause").path), &cause) && cause != TS_END_NO_CAUSE &&
	    (cause != TS_END_CUT || !seen->said))
		say(seen, causes[cause].state, cause, "");
	if (ts_end_state_of(text_of(facts, below(group, "state").path), &state) && state != TS_END_UNKNOWN &&
	    (state != TS_END_RUNNING || !seen->said))
		say(seen, state, state == TS_END_HUNG ? TS_END_NO_CAUSE : seen->cause, "");
}

static bool is_dead(const struct ts_end_seen *seen)
{
	return seen->said && (seen->state == TS_END_CRASHED || seen->state == TS_END_KILLED);
}

/* What tscope run saw of the whole, and of the rank that failed first. A rank that says itself why it died knows more. */
static void see_launch(struct ts_end_seen *seen, const struct ts_facts *facts)
{
	struct ts_end_seen launch = {.rank = seen->rank, .has_steps = seen->has_steps, .last_step = seen->last_step}, own = *seen;
	bool knows = own.said && own.cause != TS_END_CUT && own.state != TS_END_RUNNING, mine = false;

	see_said(&launch, facts, "session.launch.end", "tscope run");
	if (!launch.said || (launch.state == TS_END_RUNNING && own.said))
		return;
	for (size_t i = 0; i < launch.n_named; i++)
		mine |= launch.named[i] == seen->rank;
	if (is_dead(&launch) && is_dead(&own)) {
		seen->at = mine || !launch.n_named ? launch.at : seen->at;
		seen->first = mine;
	} else if (!knows || (is_dead(&launch) && own.state == TS_END_FINISHED && (mine || !launch.n_named))) {
		*seen = launch;
		seen->closed = own.closed;
		seen->first = is_dead(&launch) && launch.n_named > 0;
	}
}

void ts_end_seen_facts(struct ts_end_seen *seen, const struct ts_facts *facts)
{
	TS_DOOR(ts_facts_hold(facts));
	seen->closed = fact_of(facts, "session.wall_time") != NULL;
	see_said(seen, facts, "session.end", "the recorder");
	if (!seen->said)
		see_tracker(seen, facts);
	see_launch(seen, facts);
}

void ts_end_seen_event(struct ts_end_seen *seen, struct ts_span name, struct ts_span text, const int64_t *step)
{
	if (ts_span_is(name, "exception")) {
		seen->has_exception = true;
		seen->exception = text;
		seen->exception_step = step ? *step : INT64_MIN;
	} else if (ts_span_is(name, "out of memory")) {
		seen->has_memory = true;
		seen->memory = text;
		seen->memory_step = step ? *step : INT64_MIN;
	}
}

/* --- one rank --- */

/* Whether nothing was recorded behind the event. */
static bool is_last(const struct ts_end_seen *seen, int64_t step)
{
	return step != INT64_MIN && (!seen->has_steps || step >= seen->last_step);
}

/* Whether the event of memory that ran out says more than the exception: which module was running. */
static bool names_layer(struct ts_span memory)
{
	return memory.len && !ts_span_contains(memory, "that is no module");
}

/* Takes what events say into the account of a rank, where its facts say nothing of an end, or no more than that memory ran out. */
static struct ts_end_seen settled(struct ts_end_seen seen)
{
	bool memory = seen.has_memory && is_last(&seen, seen.memory_step);
	bool told = seen.said && seen.cause != TS_END_CUT && seen.state != TS_END_RUNNING;

	if (memory && (!told || seen.cause == TS_END_OUT_OF_MEMORY)) {
		if (!told)
			seen.record = ts_span_str("the event 'out of memory'");
		seen.said = true;
		seen.state = TS_END_CRASHED;
		seen.cause = TS_END_OUT_OF_MEMORY;
		if (!seen.message.len || names_layer(seen.memory))
			seen.message = seen.memory;
		seen.has_step = true;
		seen.step = seen.memory_step;
	} else if (seen.has_exception && is_last(&seen, seen.exception_step) && !told) {
		seen.cause = ts_end_cause_of(seen.exception, ts_span_of(NULL, 0));
		seen.said = true;
		seen.state = causes[seen.cause].state;
		seen.type = seen.exception;
		seen.record = ts_span_str("the event 'exception'");
		seen.has_step = true;
		seen.step = seen.exception_step;
	}
	if (seen.cause == TS_END_SIGNAL && has(seen.type, "keyboardinterrupt"))
		seen.type = ts_span_str("SIGINT");
	if (!seen.said && seen.closed) {
		seen.said = true;
		seen.state = TS_END_FINISHED;
	}
	return seen;
}

/* --- in words --- */

static const char *number(struct ts_arena *arena, int64_t n)
{
	struct ts_buf text = TS_BUF_INIT(64);
	const char *said;

	if (n < 0)
		return ts_arena_printf(arena, "%" PRId64, n);
	ts_print_grouped(&text, (uint64_t)n);
	said = text.failed ? NULL : ts_arena_printf(arena, "%.*s", (int)text.len, (const char *)text.data);
	ts_buf_finish(&text);
	return said;
}

static const char *ranks_of(const struct ts_ending *e, struct ts_arena *arena)
{
	const char *text = e->n_ranks == 1 ? "rank " : "ranks ";

	for (size_t i = 0; i < e->n_ranks && text; i++)
		text = ts_arena_printf(arena, "%s%s%d", text, i == 0 ? "" : i + 1 == e->n_ranks ? " and " : ", ", e->ranks[i]);
	return text;
}

/* "crashed", "was killed by SIGTERM", "ended with exit code 3". */
static const char *verb_of(const struct ts_ending *e, struct ts_arena *arena)
{
	if (e->cause == TS_END_EXIT)
		return ts_arena_printf(arena, "ended with exit code %.*s", TS_SPAN_ARG(e->type));
	if (e->state == TS_END_CRASHED)
		return "crashed";
	return e->cause == TS_END_SIGNAL && e->type.len ? ts_arena_printf(arena, "was killed by %.*s", TS_SPAN_ARG(e->type))
							: "was killed";
}

/* ", out of memory: in the forward of encoder", ": RuntimeError: stack expects each tensor to be equal size"; empty: nothing is
 * known. */
static const char *reason_of(const struct ts_ending *e, struct ts_span at, struct ts_arena *arena)
{
	const char *title = causes[e->cause].title, *said = *title ? ts_arena_printf(arena, ", %s", title) : "";
	bool type = e->type.len && e->cause != TS_END_EXIT && e->cause != TS_END_SIGNAL && e->cause != TS_END_OUT_OF_MEMORY &&
		    e->cause != TS_END_TIMEOUT;

	if (type && said)
		said = ts_arena_printf(arena, "%s: %.*s", said, TS_SPAN_ARG(e->type));
	if (e->message.len && said)
		said = ts_arena_printf(arena, "%s: %.*s", said, TS_SPAN_ARG(e->message));
	if (at.len && said && e->cause != TS_END_EXIT && e->cause != TS_END_SIGNAL)
		said = ts_arena_printf(arena, "%s, at %.*s", said, TS_SPAN_ARG(at));
	return said;
}

/* " (rank 3, said by the event 'out of memory')". The message of a timeout names its ranks itself. */
static const char *by_whom(const struct ts_ending *e, bool several, struct ts_arena *arena)
{
	const char *ranks = (several || e->named) && e->n_ranks && e->cause != TS_END_TIMEOUT ? ranks_of(e, arena) : "";

	if (!ranks)
		return NULL;
	if (!e->record.len)
		return *ranks ? ts_arena_printf(arena, " (%s)", ranks) : "";
	return ts_arena_printf(arena, " (%s%ssaid by %.*s)", ranks, *ranks ? ", " : "", TS_SPAN_ARG(e->record));
}

static enum ts_status say_sentence(struct ts_ending *e, struct ts_span at_line, bool several, struct ts_arena *arena,
				   struct ts_error *err)
{
	const char *step = e->has_step ? number(arena, e->step) : "", *at = "", *text = "", *reason, *whom, *verb;

	if (step && *step)
		at = ts_arena_printf(arena, " %s step %s", e->after ? "after" : "at", step);
	reason = reason_of(e, ts_utf8_cut(at_line, TS_END_TEXT_MAX), arena);
	verb = verb_of(e, arena);
	whom = by_whom(e, several, arena);
	if (!step || !at || !reason || !whom || !verb)
		return ts_error_set(err, TS_NO_MEMORY, "not enough memory to say how a run ended");
	if (e->state == TS_END_CRASHED || e->state == TS_END_KILLED)
		text = ts_arena_printf(arena, "The run %s%s%s%s.", verb, at, reason, whom);
	else if (e->state == TS_END_HUNG)
		text = ts_arena_printf(arena, "The run hangs%s%s%s.", at, reason, whom);
	else if (e->state == TS_END_RUNNING)
		text = ts_arena_printf(arena, "The run still went on when it was read%s.", at);
	else if (e->cause == TS_END_CUT)
		text = ts_arena_printf(
			arena,
			"The run is not known to have finished: %s stops%s without an end, as after SIGKILL or a loss of "
			"power; or it goes on on another machine.",
			several ? ts_arena_printf(arena, "the recording of %s", ranks_of(e, arena)) : "its recording", at);
	e->sentence = text ? ts_span_str(text) : ts_span_of(NULL, 0);
	return text ? TS_OK : ts_arena_error(arena, err);
}

/* --- all ranks --- */

/* Takes what ended the run from this rank, and the ranks of which the same holds. */
static enum ts_status take(const struct ts_end_seen *seen, size_t n, size_t which, struct ts_arena *arena, struct ts_ending *e,
			   struct ts_error *err)
{
	struct ts_end_seen of = settled(seen[which]);

	e->state = of.state;
	e->cause = of.cause;
	e->type = of.type;
	if (of.cause == TS_END_EXIT) {
		const char *code = ts_arena_printf(arena, "%" PRId64, of.exit);

		if (!code)
			return ts_arena_error(arena, err);
		e->type = ts_span_str(code);
	}
	e->message = ts_utf8_cut(of.message, TS_END_TEXT_MAX);
	while (e->message.len && e->message.data[e->message.len - 1] == '.') /* the sentence has a full stop of its own */
		e->message.len--;
	e->named = of.n_named > 0;
	e->record = of.record;
	e->has_step = of.has_step || of.has_steps;
	e->step = of.has_step ? of.step : of.last_step;
	e->after = e->has_step && !of.has_step;
	if (!e->has_step)
		e->step = 0;
	e->ranks = ts_arena_array(arena, TS_END_RANKS_MAX, sizeof *e->ranks);
	if (!e->ranks)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < of.n_named; i++)
		e->ranks[e->n_ranks++] = of.named[i];
	for (size_t i = 0; i < n && !of.n_named && e->n_ranks < TS_END_RANKS_MAX; i++) {
		struct ts_end_seen other = settled(seen[i]);

		if (other.said && other.state == of.state && other.cause == of.cause)
			e->ranks[e->n_ranks++] = other.rank;
	}
	return TS_OK;
}

/* How far a rank decides for the run: the least decides. */
static int weight_of(const struct ts_end_seen *seen)
{
	if (is_dead(seen))
		return seen->first ? -1 : causes[seen->cause].rank;
	if (!seen->said)
		return 30;
	return seen->state == TS_END_HUNG ? 10 : seen->state == TS_END_RUNNING ? 11 : seen->cause == TS_END_CUT ? 12 : 20;
}

enum ts_status ts_ending_judge(const struct ts_end_seen *seen, size_t n, struct ts_arena *arena, struct ts_ending *ret_ending,
			       struct ts_error *err)
{
	struct ts_ending e = {.told = true, .state = TS_END_UNKNOWN};
	int least = INT32_MAX;
	size_t which = 0;

	for (size_t i = 0; i < n; i++) {
		struct ts_end_seen rank = settled(seen[i]);
		int weight = weight_of(&rank);

		if (weight < least) {
			least = weight;
			which = i;
		}
	}
	if (n && (take(seen, n, which, arena, &e, err) || say_sentence(&e, settled(seen[which]).at, n > 1, arena, err)))
		return err->status;
	*ret_ending = e;
	return TS_OK;
}

/* --- lost --- */

int64_t ts_pushed_every(const struct ts_facts *facts)
{
	int64_t every;

	return number_of(facts, "session.launch.push_every", &every) && every > 0 && every <= 86400 ? every : 0;
}

bool ts_is_lost(enum ts_end_state state, int64_t every_s, int64_t silent_ns)
{
	int64_t limit = every_s > 10 ? 6 * every_s : 60;

	return every_s > 0 && (state == TS_END_RUNNING || state == TS_END_HUNG) && silent_ns / 1000000000 > limit;
}

enum ts_status ts_ending_lose(struct ts_ending *ending, int64_t every_s, int64_t silent_ns, struct ts_arena *arena,
			      struct ts_error *err)
{
	int64_t silent = silent_ns / 1000000000;
	const char *unit = silent >= 7200 ? "hours" : silent >= 120 ? "minutes" : "seconds", *step, *text;

	silent /= silent >= 7200 ? 3600 : silent >= 120 ? 60 : 1;
	step = ending->has_step ? number(arena, ending->step) : "";
	if (!step)
		return ts_arena_error(arena, err);
	text = ts_arena_printf(arena,
			       "Nothing was heard of the run for %" PRId64 " %s: it still went on%s%s, and was pushed every %" PRId64
			       " s.",
			       silent, unit, *step ? " after step " : "", step, every_s);
	if (!text)
		return ts_arena_error(arena, err);
	ending->state = TS_END_LOST;
	ending->sentence = ts_span_str(text);
	return TS_OK;
}
