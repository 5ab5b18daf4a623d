#include "ingest/text/text_end.h"

#include "base/number.h"
#include "base/text.h"

#include <stdio.h>

enum { NO_RANK = -1 };

/* Lines that say an end by a part of their text, and what prints them. The first row that fits counts. */
static const struct {
	const char *part;
	enum ts_end_cause cause;
	const char *type;
} rows[] = {
	{"DUE TO TIME LIMIT", TS_END_TIME_LIMIT, ""}, /* slurmstepd */
	{"oom-kill event", TS_END_OUT_OF_MEMORY, ""}, /* slurmstepd: of the host's memory */
	{"oom_kill event", TS_END_OUT_OF_MEMORY, ""},
	{"DUE TO PREEMPTION", TS_END_CANCELLED, ""},
	{"DUE TO NODE FAILURE", TS_END_CANCELLED, ""},
	{"=>> PBS: job killed: walltime", TS_END_TIME_LIMIT, ""}, /* OpenPBS */
	{"TERM_RUNLIMIT", TS_END_TIME_LIMIT, ""},		  /* LSF */
	{"TERM_MEMLIMIT", TS_END_OUT_OF_MEMORY, ""},
	{"No space left on device", TS_END_DISK_FULL, ""}, /* any program, by errno */
	{"Disk quota exceeded", TS_END_DISK_FULL, ""},
	{"CUDA out of memory. Tried to allocate", TS_END_OUT_OF_MEMORY, ""}, /* torch, also without a traceback */
	{"HIP out of memory. Tried to allocate", TS_END_OUT_OF_MEMORY, ""},
	{"Fatal Python error: Segmentation fault", TS_END_SIGNAL, "SIGSEGV"}, /* faulthandler */
	{"Fatal Python error: Bus error", TS_END_SIGNAL, "SIGBUS"},
	{"Fatal Python error: Aborted", TS_END_SIGNAL, "SIGABRT"},
	{"Segmentation fault (core dumped)", TS_END_SIGNAL, "SIGSEGV"}, /* a shell */
	{"Bus error (core dumped)", TS_END_SIGNAL, "SIGBUS"},
	{"Aborted (core dumped)", TS_END_SIGNAL, "SIGABRT"},
};

/* Lines by which programs say that they came to their end. */
static const char *const done[] = {
	"[after training is done]",	/* Megatron-LM, training.py */
	"Training completed",		/* torchtitan, train.py */
	"`Trainer.fit` stopped: `max_", /* Lightning */
	"done training in ",		/* fairseq_cli/train.py */
	NULL,
};

/* --- pieces of lines --- */

/* A text that is not UTF-8 is none. */
static void keep(char *out, size_t size, struct ts_span text)
{
	struct ts_span cut = ts_utf8_cut(text, size - 1);

	if (!ts_utf8_valid(cut))
		cut.len = 0;
	if (cut.len)
		memcpy(out, cut.data, cut.len);
	out[cut.len] = '\0';
}

/* The number behind a word of the line: that of "SeqNum=64088". */
static bool number_behind(struct ts_span text, const char *word, int64_t *ret)
{
	size_t n = strlen(word), from, to;

	for (size_t i = 0; i + n < text.len; i++) {
		if (memcmp(text.data + i, word, n) != 0)
			continue;
		for (from = i + n; from < text.len && ts_is_space(text.data[from]); from++)
			;
		for (to = from + (from < text.len && text.data[from] == '-'); to < text.len && ts_is_digit(text.data[to]); to++)
			;
		return to > from && to - from < 19 && ts_parse_i64(ts_span_part(text, from, to - from), ret);
	}
	return false;
}

/* Whether a text is the name of an exception, "torch.cuda.OutOfMemoryError": dots between names, the last of which says so. */
static bool is_exception(struct ts_span name)
{
	static const char *const ends[] = {"Error", "Exception", "Interrupt", "Timeout", "ExceptionGroup"};

	if (!name.len || name.len >= TS_TEXT_END_TYPE || !(ts_is_alpha(name.data[0]) || name.data[0] == '_'))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (!ts_is_alnum(name.data[i]) && name.data[i] != '.' && name.data[i] != '_')
			return false;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (ts_span_ends(name, ends[i]))
			return true;
	return false;
}

/* Whether a text may be the name of an exception by its form alone, "EarlyStop" or "struct.error": words of logs are none, and neither
 * are the names of values. */
static bool is_class(struct ts_span name)
{
	static const char *const of_logs[] = {"Warning", "Note", "Notice", "Info", "Debug", "Hint", "Tip", "Usage"};
	bool small = false, dot = false;
	size_t last = 0;

	if (!name.len || name.len >= TS_TEXT_END_TYPE)
		return false;
	for (size_t i = 0; i < sizeof of_logs / sizeof of_logs[0]; i++)
		if (ts_span_is(name, of_logs[i]))
			return false;
	for (size_t i = 0; i < name.len; i++) {
		if (!ts_is_alnum(name.data[i]) && name.data[i] != '.' && name.data[i] != '_')
			return false;
		if (name.data[i] == '.') {
			dot = true;
			last = i + 1;
		}
	}
	for (size_t i = last; i < name.len; i++)
		small |= name.data[i] >= 'a' && name.data[i] <= 'z';
	if (last == name.len || !small)
		return false;
	if (dot && (ts_span_ends(name, "error") || ts_span_ends(name, ".timeout")))
		return true;
	return name.data[last] >= 'A' && name.data[last] <= 'Z';
}

/* Takes "ValueError: nan loss encountered" apart. any: behind frames, where the line that ends them is an exception by its place. */
static bool take_apart(struct ts_span text, bool any, struct ts_span *ret_type, struct ts_span *ret_message)
{
	size_t colon = 0;

	while (colon < text.len && text.data[colon] != ':')
		colon++;
	*ret_type = ts_span_part(text, 0, colon);
	*ret_message = colon < text.len ? ts_trim(ts_span_from(text, colon + 1)) : ts_span_of(NULL, 0);
	if (is_exception(*ret_type))
		return true;
	/* "Epoch: 3" of another process is none */
	return any && is_class(*ret_type) && (!ret_message->len || !ts_is_digit(ret_message->data[0]));
}

/* --- what is kept --- */

/* What others died of follows from the cause with the least number; of two of one number the first counts, but for an exception behind
 * a line that only speaks of it: a traceback quotes the program, and that may quote the words of the system. */
static int order_of(enum ts_end_cause cause)
{
	static const enum ts_end_cause first[] = {TS_END_OUT_OF_MEMORY, TS_END_DISK_FULL, TS_END_NAN,
						  TS_END_TIMEOUT,	TS_END_EXCEPTION, TS_END_TIME_LIMIT,
						  TS_END_CANCELLED,	TS_END_SIGNAL,	  TS_END_EXIT};
	int n = (int)(sizeof first / sizeof first[0]);

	for (int i = 0; i < n; i++)
		if (first[i] == cause)
			return i;
	return n;
}

static void take(struct ts_text_end *end, uint64_t number, int32_t rank, enum ts_end_cause cause, struct ts_span type,
		 struct ts_span message)
{
	bool plainer = end->said && cause == end->cause && !*end->type && type.len;
	bool last = end->linked && type.len && order_of(cause) == order_of(end->cause);

	if (end->said && order_of(cause) >= order_of(end->cause) && !plainer && !last)
		return;
	end->said = true;
	end->cause = cause;
	end->line = number;
	end->rank = rank;
	keep(end->type, sizeof end->type, type);
	keep(end->message, sizeof end->message, message);
}

/* "[Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=64088, OpType=ALLREDUCE, ...": keeps the least of a rank. */
static bool take_wait(struct ts_text_end *end, uint64_t number, struct ts_span text)
{
	struct ts_span operation = ts_span_of(NULL, 0);
	int64_t rank, sequence;
	size_t i = 0, from;

	if (!ts_span_contains(text, "Watchdog caught collective operation timeout"))
		return false;
	take(end, number, NO_RANK, TS_END_TIMEOUT, ts_span_of(NULL, 0), ts_span_of(NULL, 0));
	if (!number_behind(text, "[Rank ", &rank) || !number_behind(text, "SeqNum=", &sequence) || rank < 0 || rank > INT32_MAX)
		return true;
	while (i < end->n_waits && end->waits[i].rank != rank)
		i++;
	if (i == TS_END_RANKS_MAX)
		return true;
	if (i == end->n_waits || sequence < end->waits[i].sequence)
		end->waits[i] = (struct ts_text_wait){(int32_t)rank, sequence};
	end->n_waits += i == end->n_waits;
	for (from = 0; from + 7 < text.len && memcmp(text.data + from, "OpType=", 7) != 0; from++)
		;
	operation = ts_span_from(text, from + 7 < text.len ? from + 7 : text.len);
	for (from = 0; from < operation.len && (ts_is_alnum(operation.data[from]) || operation.data[from] == '_'); from++)
		;
	keep(end->operation, sizeof end->operation, ts_span_part(operation, 0, from));
	return true;
}

/* torchrun: "exitcode  : -9 (pid: 20836)", "failed (exitcode: 1) local_rank: 3", "Signal 9 (SIGKILL) received by PID 20836". */
static bool take_exit(struct ts_text_end *end, uint64_t number, struct ts_span text)
{
	int64_t code;
	bool signal = ts_span_contains(text, "received by PID") && number_behind(text, "Signal ", &code);
	const char *name;

	if (!signal && (!(number_behind(text, "exitcode: ", &code) || number_behind(text, "exitcode  : ", &code)) || code == 0))
		return false;
	if (!signal && code > 0 && code <= 128) {
		take(end, number, NO_RANK, TS_END_EXIT, ts_span_of(NULL, 0), ts_span_of(NULL, 0));
		if (end->line == number)
			end->exit = code;
		return true;
	}
	name = ts_signal_name(signal ? code : code < 0 ? -code : code - 128);
	if (name && strcmp(name, "SIGTERM") != 0) /* torchrun itself ends the others so */
		take(end, number, NO_RANK, TS_END_SIGNAL, ts_span_str(name), ts_span_of(NULL, 0));
	return true;
}

/* A shell: "Killed", "train.sh: line 3: 20836 Killed                  python train.py". */
static bool take_killed(struct ts_text_end *end, uint64_t number, struct ts_span text)
{
	struct ts_span rest = text, word;
	int64_t pid;

	if (!ts_span_is(text, "Killed")) {
		if (!ts_span_contains(text, ": line ") || !ts_span_contains(text, " Killed "))
			return false;
		while ((word = ts_next_word(&rest)).len && !ts_span_is(word, "line"))
			;
		(void)ts_next_word(&rest);
		if (!ts_parse_i64(ts_next_word(&rest), &pid) || !ts_span_is(ts_next_word(&rest), "Killed"))
			return false;
	}
	take(end, number, NO_RANK, TS_END_SIGNAL, ts_span_str("SIGKILL"), ts_span_of(NULL, 0));
	return true;
}

static bool take_row(struct ts_text_end *end, uint64_t number, int32_t rank, struct ts_span text)
{
	bool slurm = ts_span_contains(text, "slurmstepd: error:");

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (ts_span_contains(text, rows[i].part)) {
			take(end, number, rank, rows[i].cause, ts_span_str(rows[i].type), text);
			return true;
		}
	if (slurm && ts_span_contains(text, "CANCELLED AT"))
		take(end, number, rank, TS_END_CANCELLED, ts_span_of(NULL, 0), text);
	return slurm;
}

/* The exception that ends a traceback, or one that a program says to be uncaught. A launcher's, which only says that a child died, is
 * none. */
static void take_exception(struct ts_text_end *end, uint64_t number, int32_t rank, struct ts_span text)
{
	struct ts_span type, message, from = text;
	size_t i = 0;

	while (i + 9 < text.len && memcmp(text.data + i, "Uncaught ", 9) != 0)
		i++;
	if (i + 9 < text.len)
		from = ts_span_from(text, i + 9);
	else if (!end->in_trace || end->trace_rank != rank)
		return;
	if (!take_apart(from, end->framed && from.data == text.data, &type, &message) || ts_span_contains(type, "ChildFailed"))
		return;
	end->in_trace = end->framed = false;
	take(end, number, rank, ts_end_cause_of(type, message), type, message);
	end->linked = false;
}

/* Programs say of a file that cannot be written only that it cannot ("iostream error", torch.save). Where the recorder saw a full disk,
 * that is why. */
static void find_cause(struct ts_text_end *end)
{
	static const char *const writes[] = {"OSError", "RuntimeError", NULL};

	if (end->full && end->said && end->cause == TS_END_EXCEPTION && ts_word_among(end->type, writes))
		end->cause = TS_END_DISK_FULL;
}

bool ts_text_is_library(struct ts_span path)
{
	return ts_span_contains(path, "/site-packages/") || ts_span_contains(path, "/dist-packages/") ||
	       ts_span_contains(path, "/lib/python3") || ts_span_starts(path, ts_span_str("<"));
}

const char *const ts_text_links[] = {"During handling of the above exception", "The above exception was the direct cause", NULL};

struct ts_span ts_text_without_bar(struct ts_span line)
{
	struct ts_span trimmed = ts_trim(line);

	return trimmed.len > 2 && trimmed.data[0] == '|' && trimmed.data[1] == ' ' ? ts_trim(ts_span_from(trimmed, 2)) : line;
}

/* Takes lines that begin a traceback, link two, and name a frame. What does not compile has frames and no beginning. */
static bool take_trace(struct ts_text_end *end, int32_t rank, struct ts_span text)
{
	for (size_t i = 0; ts_text_links[i]; i++)
		if (ts_span_contains(text, ts_text_links[i])) {
			end->linked = end->trace_rank == rank && end->own;
			return true;
		}
	if (ts_span_contains(text, "Traceback (most recent call last)")) {
		end->linked &= end->trace_rank == rank;
		end->in_trace = true;
		end->framed = end->own = false;
		end->trace_rank = rank;
		return true;
	}
	if (!ts_span_starts(ts_trim(text), ts_span_str("File \"")) || !ts_span_contains(text, "\", line "))
		return false;
	if (!end->in_trace)
		end->trace_rank = rank;
	end->in_trace = true;
	end->framed |= end->trace_rank == rank;
	end->own |= end->trace_rank == rank && !ts_text_is_library(ts_span_from(ts_trim(text), 6));
	return true;
}

void ts_text_end_line(struct ts_text_end *end, uint64_t number, int32_t rank, struct ts_span text)
{
	if (ts_span_starts(text, ts_span_str("tscope: "))) { /* the recorder's own line: training goes on behind each */
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
			end->full |= rows[i].cause == TS_END_DISK_FULL && ts_span_contains(text, rows[i].part);
		find_cause(end);
		return;
	}
	for (size_t i = 0; done[i]; i++)
		end->finished |= ts_span_contains(text, done[i]);
	text = ts_text_without_bar(text);
	if (take_trace(end, rank, text))
		return;
	if (take_wait(end, number, text) || take_exit(end, number, text) || take_killed(end, number, text))
		return;
	take_exception(end, number, rank, text);
	if (end->line != number)
		(void)take_row(end, number, rank, text);
	find_cause(end);
}

void ts_text_end_step(struct ts_text_end *end)
{
	*end = (struct ts_text_end){.said = false};
}

/* --- facts --- */

static void write_text(struct ts_json *j, const char *key, const char *text)
{
	if (!*text)
		return;
	ts_json_key(j, key);
	ts_json_string(j, text);
}

/* Who waits at the earliest collective: the others came by it, and it did not. */
static size_t behind(const struct ts_text_end *end, int64_t *ret_least, int64_t *ret_next)
{
	size_t n = 0;

	*ret_least = *ret_next = INT64_MAX;
	for (size_t i = 0; i < end->n_waits; i++)
		if (end->waits[i].sequence < *ret_least)
			*ret_least = end->waits[i].sequence;
	for (size_t i = 0; i < end->n_waits; i++) {
		n += end->waits[i].sequence == *ret_least;
		if (end->waits[i].sequence > *ret_least && end->waits[i].sequence < *ret_next)
			*ret_next = end->waits[i].sequence;
	}
	return n;
}

static void write_waits(const struct ts_text_end *end, struct ts_json *j)
{
	int64_t least, next;
	size_t n = behind(end, &least, &next);
	char text[TS_TEXT_END_MESSAGE];
	int used;

	if (!end->n_waits)
		return;
	if (next == INT64_MAX) {
		used = snprintf(text, sizeof text, "all %zu ranks that say so wait at collective %" PRId64, end->n_waits, least);
	} else {
		used = snprintf(text, sizeof text, n == 1 ? "rank" : "ranks");
		for (size_t i = 0; i < end->n_waits && used < (int)sizeof text / 2; i++)
			if (end->waits[i].sequence == least)
				used += snprintf(text + used, sizeof text - (size_t)used, " %d", end->waits[i].rank);
		used += snprintf(text + used, sizeof text - (size_t)used,
				 " %s at collective %" PRId64 "%s%s, the others at %" PRId64 " and later", n == 1 ? "waits" : "wait",
				 least, *end->operation ? ", " : "", end->operation, next);
	}
	(void)used;
	write_text(j, "message", text);
	if (next == INT64_MAX)
		return;
	ts_json_key(j, "ranks");
	ts_json_array(j);
	for (size_t i = 0; i < end->n_waits; i++)
		if (end->waits[i].sequence == least)
			ts_json_i64(j, end->waits[i].rank);
	ts_json_end(j);
}

void ts_text_end_write(const struct ts_text_end *end, struct ts_json *j)
{
	char record[48];

	if (!end->said && !end->finished)
		return;
	ts_json_key(j, "end");
	ts_json_object(j);
	if (!end->said) {
		write_text(j, "state", ts_end_state_word(TS_END_FINISHED));
		ts_json_end(j);
		return;
	}
	if (end->cause == TS_END_EXIT) {
		ts_json_key(j, "exit");
		ts_json_i64(j, end->exit);
	}
	write_text(j, "cause", ts_end_cause_word(end->cause));
	write_text(j, end->cause == TS_END_SIGNAL ? "signal" : "type", end->type);
	if (end->cause == TS_END_TIMEOUT && end->n_waits)
		write_waits(end, j);
	else
		write_text(j, "message", end->message);
	if (end->rank != NO_RANK && end->cause != TS_END_TIMEOUT) {
		ts_json_key(j, "ranks");
		ts_json_array(j);
		ts_json_i64(j, end->rank);
		ts_json_end(j);
	}
	(void)snprintf(record, sizeof record, "line %" PRIu64, end->line);
	write_text(j, "record", record);
	ts_json_end(j);
}
