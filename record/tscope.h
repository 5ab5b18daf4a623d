/* tscope.h - records a training run: steps with their phases and numbers, regions, events and digests, into a file that
 * `tscope push`, `analyze` and `diff` read, also while it grows. For C and C++. Depends on libc alone.
 *
 *	struct tscope_options o = {.directory = "runs/exp1", .config = "{\"lr\": 0.001}"};
 *	struct tscope_run *run;
 *	if (tscope_open(&o, &run, &err) != TSCOPE_OK)
 *		... err.text says why; training may go on with run == NULL
 *	tscope_column forward = tscope_declare(run, TSCOPE_PHASE, "forward");
 *	tscope_column loss = tscope_declare(run, TSCOPE_NUMBER, "loss");
 *	for (...) {
 *		tscope_step_begin(run, TSCOPE_NEXT);
 *		...; tscope_mark(run, forward);
 *		tscope_log(run, loss, value);
 *		tscope_step_end(run);
 *	}
 *	tscope_close(run);
 *
 * Promise. Recording never stops, slows or crashes training: after tscope_open no function fails. What cannot be recorded is
 * counted, and the first cause is said once, on standard error and by tscope_trouble. Every function takes run == NULL and then
 * does nothing (a rank that is not recorded costs one comparison). A step whose tscope_step_end returned survives SIGKILL; a loss
 * of power costs at most what was recorded in the last flush interval.
 *
 * Cost. Begin, marks, logs and end of a step make no system call and take no lock: they write into memory, which a small process of
 * its own copies into the file. Where the disk is behind by all that memory, a call waits for at most 1 ms, once a second, and then
 * drops what it was given; tscope_trouble counts both.
 *
 * Time. Durations are integer nanoseconds of CLOCK_MONOTONIC. The file says once which wall-clock time one of them was.
 * The phases of a run add up to its wall time: what lay behind the last mark of a step is in `other`, what lay between two steps in
 * `between`, and a step without any mark, of which no part is known, is whole in `step`.
 *
 * Threads. The functions of steps (begin, mark, log, digest, end) belong to one thread at a time, the one that trains. Regions,
 * events, late values and declarations may come from any thread. After fork() the child does not record: every call does nothing there.
 * Processes: one rank is one process and one file.
 *
 * Files. directory/recording.tscope with run.json and facts.json beside it; with world_size > 1 or rank > 0
 * directory/rank<k>/recording.tscope. Attempt K of a run that is resumed has recording.K.tscope, run.K.json and facts.K.json beside
 * them. docs/recording.md describes every byte.
 */
#ifndef TSCOPE_RECORD_TSCOPE_H
#define TSCOPE_RECORD_TSCOPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tscope_run;

enum tscope_status {
	TSCOPE_OK = 0,
	TSCOPE_EXISTS,	  /* the directory holds a run already; nothing was written */
	TSCOPE_INVALID,	  /* an option is not as it has to be: config is no JSON object, rank >= world_size, ... */
	TSCOPE_IO,	  /* the system refused; the text names the path and the reason */
	TSCOPE_NO_MEMORY,
};

struct tscope_error {
	enum tscope_status status;
	char text[512]; /* one sentence, UTF-8 */
};

struct tscope_options {
	const char *directory;	/* of the run; made where it is missing, with the folders above it */
	const char *name;	/* of the run; NULL: its directory says it */
	const char *config;	/* a JSON object: the hyper-parameters; NULL: none */
	const char *facts;	/* a JSON object in the form of facts.json (docs/run-directory.md); NULL: none */
	int32_t rank;		/* 0 .. world_size - 1 */
	int32_t world_size;	/* 0: 1 */
	uint32_t flush_ms;	/* how much a loss of power may cost; 0: 1,000 */
	/* Not 0: where the directory holds recordings of this rank that have ended, this is a further attempt of that run. */
	int32_t resume;
	/* The path of the program tscope-keeper, which writes the file in a process of its own; NULL, or where it cannot be started: a
	 * thread of this process does. */
	const char *keeper;
	/* Not 0: the caller does himself what the environment asks for. Else of the first run of a process TSCOPE_DIRECTORY takes the
	 * place of `directory`, and when a step behind TSCOPE_STOP begins, the run is closed and the program ended by exit(0)
	 * (docs/reproduce.md). */
	int32_t asked;
};

/* Begins a recording. On failure *ret_run is NULL, which every function accepts, so that training may go on without a record.
 * A directory that holds a run already is TSCOPE_EXISTS: two runs are never mixed. With `resume` it is so only if that run is no
 * recording of tscope, or if another process still records it; the keeper of a killed process is waited for, 5 seconds at most.
 * The options are copied. err may be NULL. Of a file system that does not answer for 10 seconds it is TSCOPE_IO. */
enum tscope_status tscope_open(const struct tscope_options *options, struct tscope_run **ret_run, struct tscope_error *err);
/* Ends the recording, and writes run.json anew with the wall time and the number of steps. A step that has begun and not ended is
 * dropped and counted. No other thread may be in a call for this run, and none may call afterwards. Returns 0 if the file
 * system did not answer for some seconds, or the recording was broken: then the file is as after SIGKILL. */
int tscope_close(struct tscope_run *run);

/* What the values of a column are. */
enum tscope_kind {
	TSCOPE_PHASE = 1,    /* duration of a part of the step, ns, by the host's clock: phases.<name>, s */
	TSCOPE_DEVICE_PHASE, /* the same by the device's clock (CUDA events): phases.<name>, with columns.<..>.clock = "device" */
	TSCOPE_REGION,	     /* duration of a named part of the program, ns; may nest and repeat: regions.<name>, s */
	TSCOPE_NUMBER,	     /* a double that the run computed or that it is told: scalars.<name> */
	TSCOPE_MEMORY,	     /* bytes: memory.<name> */
	TSCOPE_AMOUNT,	     /* what the step worked on: the columns samples, tokens, ... under their bare names */
	TSCOPE_DIGEST,	     /* 64 bits of a digest: digests.<name> */
	TSCOPE_EVENT,	     /* something that happened at a time, with a number or a text */
};

/* A column's number in this recording. 0: there is none (run is NULL, or there are too many), and every function ignores it. */
typedef uint16_t tscope_column;

/* Returns the column of this kind and name, the same for the same kind and name. The name is UTF-8, 1 to 255 bytes, and copied.
 * Takes a lock: declare before the first step, and keep the number. At most 16,000 columns: the 15,000th
 * is said on standard error, and the first that is left out is, too. `other`, `between` and `step` are phases
 * that the recorder makes itself. */
tscope_column tscope_declare(struct tscope_run *run, enum tscope_kind kind, const char *name);

#define TSCOPE_LATE_MAX 64    /* digests of one call */
#define TSCOPE_NEXT INT64_MIN /* the step after the last one; 0 for the first */

/* A step that begins while another one is open ends that one. Steps should increase; where they go back, training was restarted. */
void tscope_step_begin(struct tscope_run *run, int64_t step);
/* Ends a phase: the time since the last mark of this step (or its beginning) is added to it. A phase that is marked again adds up.
 * Outside of a step it does nothing. A DEVICE_PHASE that is marked lasts as long as tscope_late_ns says; the host's time is given to no
 * phase then. */
void tscope_mark(struct tscope_run *run, tscope_column phase);
/* Adds a duration that was measured elsewhere. Outside of a step (a loader's wait before the step began) it counts for the step that
 * begins next, and is taken from `between`. In a step, a PHASE's duration is taken from the phase that is marked next, so that no time
 * counts twice; that of a DEVICE_PHASE, whose clock is another one, is not. */
void tscope_add_ns(struct tscope_run *run, tscope_column phase, int64_t duration_ns);
/* A NUMBER, MEMORY or AMOUNT of the open step, or after its end of the step that ended last; the last value counts. */
void tscope_log(struct tscope_run *run, tscope_column number, double value);
void tscope_log_digest(struct tscope_run *run, tscope_column digest, uint64_t bits);
/* Returns what the step took, ns: from its beginning to here. 0 if none is open. When it returns, the step survives SIGKILL. */
int64_t tscope_step_end(struct tscope_run *run);
/* The same for a step that is told when it is over: it began and ended at these times of tscope_now_ns. A time before the end of the
 * step before, or before the last mark, counts as that, and one that is still to come as now. */
void tscope_step_begin_at(struct tscope_run *run, int64_t step, int64_t begin_ns);
int64_t tscope_step_end_at(struct tscope_run *run, int64_t end_ns);
/* Gives up the open step: nothing of it is recorded, and TSCOPE_NEXT gives its number again. */
void tscope_step_cancel(struct tscope_run *run);
/* The number of the open step or of the last one; TSCOPE_NEXT before the first. */
int64_t tscope_step_now(const struct tscope_run *run);

/* A value that was read later than its step (a device's clock, an asynchronous copy): from any thread, for a step that has ended. It
 * replaces what the step has in this column. tscope_late is for NUMBER, MEMORY and AMOUNT, tscope_late_ns for phases, and
 * tscope_late_digest for DIGEST. */
void tscope_late(struct tscope_run *run, int64_t step, tscope_column column, double value);
void tscope_late_ns(struct tscope_run *run, int64_t step, tscope_column phase, int64_t duration_ns);
void tscope_late_digest(struct tscope_run *run, int64_t step, tscope_column digest, uint64_t bits);
/* Several of one step, at most TSCOPE_LATE_MAX, in one frame. */
void tscope_late_digests(struct tscope_run *run, int64_t step, const tscope_column *digests, const uint64_t *bits, unsigned n);

/* A NUMBER, MEMORY or AMOUNT that a program gave before its first step, and that waits for it: from any thread. If the recording ends
 * without a step, as that of a process that is killed, such values are the row of that step; otherwise they are nothing. */
void tscope_first(struct tscope_run *run, int64_t step, tscope_column column, double value);

/* Nanoseconds of the clock of this library. */
int64_t tscope_now_ns(void);
/* Records that a region lasted from begin_ns to now; any thread. It counts for the step that is open now. */
void tscope_region(struct tscope_run *run, tscope_column region, int64_t begin_ns);
/* Records something at this moment, with a number or with a text (UTF-8, cut at 4,096 bytes; NULL: none); any thread. */
void tscope_event(struct tscope_run *run, tscope_column event, double value);
void tscope_event_text(struct tscope_run *run, tscope_column event, const char *text);

/* A digest of a tensor or an operation in the order of execution (docs/run-directory.md, digests.jsonl): its inputs' digest, or has_in
 * = 0, and that of what it gave. kind is "param", "grad", "activation", "collective", "rng" or NULL; name: 1 to 512 bytes. Belongs to
 * the thread of the steps; counts for the open step or the last one, before the first for step 0. */
void tscope_digest(struct tscope_run *run, const char *name, const char *kind, int has_in, uint64_t in, uint64_t out);

/* Adds facts that became known later (docs/run-directory.md, facts.json): a JSON object of groups. Paths that were there are replaced.
 * The keeper writes facts.json anew by rename. TSCOPE_INVALID: no JSON object. TSCOPE_IO: those that were given before could not be
 * written. Any thread; not for the path of a step. */
enum tscope_status tscope_facts(struct tscope_run *run, const char *json, struct tscope_error *err);

/* Waits until what was recorded before is in the file, at most so many ms: for who reads a recording that goes on. Returns 0 if it is
 * not. Any thread. */
int tscope_sync(struct tscope_run *run, int ms);

/* Which attempt of its run this recording is, from 1; 0: run is NULL. */
uint32_t tscope_attempt(const struct tscope_run *run);

/* What went wrong since the beginning. All zero: nothing. */
struct tscope_trouble {
	uint64_t lost_frames;	/* steps, regions, events and late values that were not recorded */
	uint64_t waits;		/* times when a recording thread waited for the keeper, 1 ms at most */
	uint64_t refused_columns; /* declarations beyond the limit or with a name that is none; values for a column of another kind;
				   * durations below 0 or of more than two years */
	int stopped;		/* the recording ended early: the disk is full or errs, the file was cut, or the keeper was killed */
	char first[256];	/* the first cause, in words; empty: none */
};
void tscope_trouble(const struct tscope_run *run, struct tscope_trouble *ret_trouble);

#ifdef __cplusplus
}
#endif
#endif
