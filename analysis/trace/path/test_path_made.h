/* test_path_made.h - programs of a host and its devices, which a simulation runs and writes down as a trace. It shares nothing with
 * path_graph.h: it goes forward, from what the program does, by the rules of streams and events. */
#ifndef TSCOPE_ANALYSIS_TRACE_PATH_TEST_PATH_MADE_H
#define TSCOPE_ANALYSIS_TRACE_PATH_TEST_PATH_MADE_H

#include "base/arena.h"
#include "run/trace.h"

enum { PROGRAM_STREAMS = 3, PROGRAM_EVENTS = 4, PROGRAM_MOST = 96 };

enum program_word {
	WORD_NONE,
	WORD_GEMM,
	WORD_ALL_REDUCE,
	WORD_ELEMENTWISE,
	WORD_OPERATOR,
	WORD_LAUNCH,
	WORD_RECORD,
	WORD_STREAM_WAIT_CALL,
	WORD_STREAM_SYNC_CALL,
	WORD_EVENT_SYNC_CALL,
	WORD_DEVICE_SYNC_CALL,
	WORD_STREAM_WAIT,
	WORD_STREAM_SYNC,
	WORD_EVENT_SYNC,
	WORD_CONTEXT_SYNC,
	WORD_FLOWS,
	WORD_BACKWARD,
	WORD_STEP_1,
	WORD_STEP_2,
	WORD_STEP_3,
	WORD_STEP_4,
	PROGRAM_WORDS,
};

enum program_verb {
	DO_OPERATE, /* an operator of ns */
	DO_NOTHING, /* ns of which the trace says nothing */
	DO_LAUNCH,  /* a kernel of ns, by its word, on a stream */
	DO_RECORD,  /* an event on a stream */
	DO_AWAIT,   /* a stream waits for an event */
	DO_SYNC_STREAM,
	DO_SYNC_EVENT,
	DO_SYNC_DEVICE,
	DO_STEP,     /* the next ns actions are a step, of which the word is the name */
	DO_BACKWARD, /* the next ns actions run on the backward thread, and the forward thread waits for them */
};

struct program {
	struct action {
		enum program_verb verb;
		uint32_t word;
		int stream, event;
		int64_t ns;
	} actions[PROGRAM_MOST];
	size_t n;
	int64_t call, sync, launch, order, back, start,
		join; /* ns: a call, a call that syncs, from call to kernel, from kernel to kernel,
								 from kernel to the end of a sync, to the backward thread and back */
};

/* The time from the begin of the first action to the end of everything. trace: NULL, or where to write it down; done: NULL, or where to
 * write the times at which the steps and all that was launched until then were done. */
int64_t program_run(const struct program *p, struct ts_trace *trace, int64_t *done);
void program_finish(struct ts_trace *trace);

#endif
