/* path_graph.h - a trace as points in time and the links between them: what had to be before what, and at what distance.
 *
 * A chain is a thread of the host or the work of a device. A thread has a point wherever its innermost span changes, work one at its
 * begin and one at its end; the stretch before a point is what the chain did up to it. Links go from one point to another, never back
 * in time, and mostly between chains:
 *
 *	LAUNCH	from the begin of a call to the begin of the work that it launched (the same correlation)
 *	ORDER	from the end of work to the begin of the next on its stream, in the order of begins. If the former has not ended by
 *		then, the link goes from its begin, and its time is the former's
 *	EVENT	to the first work that a stream was given after cudaStreamWaitEvent, from the end of the last work that the other stream
 *		was given before the event was recorded (the table syncs)
 *	BESIDE	only in a trace without the table syncs: to work that began later than its other links explain, from the end of the work
 *		of another stream of the device that had ended last before. Both "later" and "before" are measured by the quickest
 *		launch of the trace; without any, the work must begin when the other ended. It is inferred, and counted so
 *	RETURN	to the end of a call that waited, from the end of the work that it waited for: of a copy its own; of a wait for a stream
 *		or an event what the table syncs says; of a wait for a device the last that each stream was given before. A wait for a
 *		stream that the trace does not name, if one of those had work pending whose work had ended when it returned, is one for
 *		the last of these. Of a wait for an event that the trace does not name nothing is known
 *	START	to the first point of a backward thread in a stretch of the forward thread without operators or calls, from its begin
 *	JOIN	from its last one to the end of that stretch
 *
 * A point is bound by the link whose least time (the quickest of its kind in the trace, where that was measured without another reason
 * to wait) explains it to the nanosecond; without one by the link from the latest point. The bound link has the time that was recorded,
 * the others their least time. So a point lies where it was recorded if everything before it does.
 *
 * Everything lies in an arena. Memory and time are linear in the spans, but for sorting. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_PATH_PATH_GRAPH_H
#define TSCOPE_ANALYSIS_TRACE_PATH_PATH_GRAPH_H

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/nest.h"
#include "analysis/trace/path/critical_path.h"

#define TS_PATH_NONE UINT32_MAX

enum ts_path_how {
	TS_PATH_FIRST, /* of a chain: no link */
	TS_PATH_CHAIN, /* the stretch before it took the time that was recorded */
	TS_PATH_WAITS, /* it was waiting: of itself it takes what the quickest of its name does */
	TS_PATH_IDLES, /* the thread had nothing to do */
	TS_PATH_BY_LAUNCH,
	TS_PATH_BY_ORDER,
	TS_PATH_BY_OVERLAP, /* ORDER, from the begin */
	TS_PATH_BY_EVENT,
	TS_PATH_BY_BESIDE,
	TS_PATH_BY_RETURN,
	TS_PATH_BY_START,
	TS_PATH_BY_JOIN,
	TS_PATH_HOWS,
};

struct ts_path_link {
	uint32_t from, to;
	uint8_t how;
};

struct ts_path_graph {
	const struct ts_trace *trace;
	size_t n, n_host; /* points; those of the host come first, of the work k then n_host + 2k and n_host + 2k + 1 */
	int64_t *at;	  /* the point's time */
	uint32_t *span;	  /* of the stretch before it; TS_PATH_NONE: the trace has none there */
	uint8_t *what;
	uint8_t *chain;	 /* enum ts_path_how: the link from the point before it in the chain */
	uint32_t *order; /* points, by time; a link goes from an earlier one of these to a later one */
	uint32_t *rank;
	struct ts_path_thread {
		uint32_t thread, first, n; /* points */
	} * threads;
	size_t n_threads;
	struct ts_device_event *work; /* by device, stream and begin */
	size_t n_work;
	uint32_t *call;	      /* by work: the point at which its call began, or TS_PATH_NONE */
	uint32_t *call_begin; /* by span: points at which calls began and ended, or TS_PATH_NONE */
	uint32_t *call_end;
	struct ts_path_stream {
		int32_t device, stream;
		uint32_t first, n; /* work */
	} * streams;
	size_t n_streams;
	struct ts_path_link *links; /* those to point i: links[first_link[i] .. first_link[i + 1]) */
	uint32_t *first_link;
	size_t n_links, cap_links;
	uint32_t *bound; /* the link that binds a point; TS_PATH_NONE: that of its chain */
	uint64_t least[TS_PATH_HOWS];
	uint64_t least_launch[TS_TRACE_KINDS]; /* by the kind of work */
	uint64_t *quickest;		       /* by name, of calls that did not wait: ns + 1; 0: there is none */
	uint64_t inferred, early; /* links BESIDE; work that began before its call did, as clocks of microseconds have it */
};

/* A whole graph: order and rank are each other, links go forward, and threads, streams and calls lie among the points. */
bool ts_path_graph_holds(const struct ts_path_graph *g);
enum ts_status ts_path_graph(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			     struct ts_path_graph *ret, struct ts_error *err);

/* The time of the chain's link to a point, and of a link, in a trace where nothing is different. */
uint64_t ts_path_chain_ns(const struct ts_path_graph *g, uint32_t point);
uint64_t ts_path_link_ns(const struct ts_path_graph *g, uint32_t link);
/* What the time of a link is spent on. */
uint8_t ts_path_link_what(const struct ts_path_graph *g, uint32_t link);
/* The last point of a thread that is not later than a time, else its first; the thread has one. */
uint32_t ts_path_last_at(const struct ts_path_graph *g, const struct ts_path_thread *t, int64_t time);
/* The work whose begin or end a point is. */
static inline size_t ts_path_work(const struct ts_path_graph *g, uint32_t point)
{
	return (point - g->n_host) / 2;
}

static inline uint64_t ts_path_between(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

/* Steps of building: path_points.c, path_links.c, path_waits.c, path_threads.c. */
enum ts_status ts_path_points(struct ts_path_graph *g, const struct ts_nest *nest, struct ts_arena *arena, struct ts_error *err);
void ts_path_links(struct ts_path_graph *g);
enum ts_status ts_path_waits(struct ts_path_graph *g, const struct ts_nest *nest, struct ts_arena *arena, struct ts_error *err);
enum ts_status ts_path_beside(struct ts_path_graph *g, struct ts_arena *arena, struct ts_error *err);
enum ts_status ts_path_threads(struct ts_path_graph *g, struct ts_arena *arena, struct ts_error *err);
/* Adds a link, unless it goes back in time. */
bool ts_path_link(struct ts_path_graph *g, uint32_t from, uint32_t to, enum ts_path_how how);
/* The least that a link takes. */
uint64_t ts_path_least_ns(const struct ts_path_graph *g, const struct ts_path_link *link);

/* --- path_collectives.c --- */

/* By work: what it took beyond the quickest collective of the same kind, group, size and type in the trace, which waited least. The
 * trace has to say the size. *ret_any: there is any such. */
enum ts_status ts_path_collectives(const struct ts_path_graph *g, struct ts_arena *arena, uint64_t *less, bool *ret_any,
				   struct ts_error *err);
/* By work: what is said of its span. */
enum ts_status ts_path_shorter(const struct ts_path_graph *g, const uint32_t *spans, const uint64_t *by_ns, size_t n,
			       struct ts_arena *arena, uint64_t *less, struct ts_error *err);

/* --- what_if.c --- */

/* Where to begin and end: points before `begin_ns` stay; the end is the latest of the sinks. */
struct ts_what_if_range {
	int64_t begin_ns, end_ns;
	const uint8_t *sink; /* by point: whether the windows wait for it */
};

struct ts_what_if_change {
	uint64_t none;	      /* bits by critical_path.h: these take no time */
	const uint64_t *less; /* by work, or NULL: how much less it takes */
};

/* The windows' length under a change. spare has room for a number for each point. */
uint64_t ts_what_if_ns(const struct ts_path_graph *g, const struct ts_what_if_range *range, const struct ts_what_if_change *change,
		       uint64_t *spare);

#endif
