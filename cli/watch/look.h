/* look.h - what watch asks the handlers: what is new in a run that is not followed by its files, what an analysis finds, where it
 * differs.
 *
 *	ts_look_init(&look, &cli)
 *	ts_look_settle(&look, &place, err)	what the word stands for
 *	ts_look_poll(&look, sink, ctx, &news, err)	rows since the last time, and what the run says of itself
 *	ts_look_analyze(&look, from, &arena, &answer, err)
 *	ts_look_compare(&look, &arena, &answer, err)
 *	ts_look_finish(&look)
 *
 * Each analysis and each comparison has memory and a target of its own, so that any number of them costs what one does. A name on a
 * server is asked for by one connection; of its rows only blocks with later steps are fetched. Answers lie in the arena. Threads: one
 * at a time.
 */
#ifndef TSCOPE_CLI_WATCH_LOOK_H
#define TSCOPE_CLI_WATCH_LOOK_H

#include "analysis/analysis.h"
#include "analysis/diverge/diff.h"
#include "cli/core/context.h"
#include "run/ending.h"

struct ts_look {
	struct ts_cli cli; /* of the polls; its words are those of the command */
	const char *word;
	bool settled, is_path;
	struct ts_span spec; /* of a name */
	struct ts_id head;   /* of the run when it was last read */
	bool any;
	int64_t last_step[64]; /* up to which rows were given, by the place of the rank in the head */
	int64_t steps;
};

/* A row of a rank that was not given yet. Columns are named by paths. */
struct ts_look_row {
	int32_t rank;
	int64_t step;
	double time;
	const struct ts_span *columns;
	const double *values;
	size_t n;
};
typedef void ts_look_sink(void *ctx, const struct ts_look_row *row);

/* What a run says of itself. */
struct ts_look_news {
	bool changed; /* it is another run than the last time */
	struct ts_span name;
	enum ts_end_state state;
	struct ts_span sentence; /* of its end; empty: none */
	int64_t total;		 /* steps that there will be; 0: it does not say */
	double capacity;	 /* bytes of a device's memory; 0: it does not say */
};

struct ts_look_finding {
	struct ts_span code, title, detail, advice;
	enum ts_severity severity;
	int32_t rank; /* the rank that it is about, where it is one; else -1 */
};

/* When the device will be full, if its memory grows on as it does. */
struct ts_look_forecast {
	bool known;
	int32_t rank;
	int64_t from;	  /* the last step that was looked at */
	double left;	  /* steps behind that; 0: it is full */
	double low, high; /* the ends of the interval of 95 %; NaN: not known */
};

struct ts_look_analysis {
	uint64_t steps; /* of the run when it was looked at */
	uint64_t cut;	/* steps that were left out at its beginning */
	struct ts_look_finding *findings;
	size_t n_findings;
	struct ts_look_forecast forecast;
	struct ts_look_news news;
};

struct ts_look_diff {
	bool differs; /* by bits or, with repeats, by more than chance */
	bool unknown; /* nothing could be compared yet */
	bool has_step;
	int64_t step;
	struct ts_span series;	 /* the first that differs; a list where several do at that step */
	struct ts_span sentence; /* one line */
	uint64_t compared;	 /* the last common step up to which nothing differs; with has_step */
};

void ts_look_init(struct ts_look *look, const struct ts_cli *cli);
void ts_look_finish(struct ts_look *look);
/* *ret_path: the path that the word stands for, in the command's arena; NULL: it is a name. */
enum ts_status ts_look_settle(struct ts_look *look, const char **ret_path, struct ts_error *err);
enum ts_status ts_look_poll(struct ts_look *look, ts_look_sink *sink, void *ctx, struct ts_arena *arena, struct ts_look_news *ret_news,
			    struct ts_error *err);
/* from: steps that are left out at the beginning; 0: none. */
enum ts_status ts_look_analyze(struct ts_look *look, uint64_t from, struct ts_arena *arena, struct ts_look_analysis *ret,
			       struct ts_error *err);
/* Against the run or branch of --baseline. */
enum ts_status ts_look_compare(struct ts_look *look, struct ts_arena *arena, struct ts_look_diff *ret, struct ts_error *err);

#endif
