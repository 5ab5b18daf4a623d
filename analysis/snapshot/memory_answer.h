/* memory_answer.h - the answer about a snapshot: for each device the figures of docs/memory.md, who held its memory, what was
 * refused.
 *
 * One struct feeds the report and JSON. Lists are cut to their largest entries; `more` counts the others. Texts are the snapshot's, and
 * foreign. All memory is the arena's; the snapshot must outlive the answer. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_ANSWER_H
#define TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_ANSWER_H

#include "analysis/answer/finding.h"
#include "analysis/rules/memory_advice.h"
#include "analysis/snapshot/allocator.h"
#include "analysis/snapshot/fragments.h"
#include "analysis/snapshot/marks.h"
#include "analysis/snapshot/memory_who.h"
#include "analysis/snapshot/spans.h"

enum { TS_MEMORY_OOM_LINES = 3, TS_MEMORY_ANNOTATIONS = 64 };

struct ts_memory_kind_sum {
	enum ts_memory_kind kind;
	bool traced; /* else at_peak and churned are not known */
	uint64_t at_peak, at_end, churned;
};

struct ts_memory_gap {
	uint64_t bytes, segment;
	struct ts_memory_who before, after; /* what is in use beside it */
};

/* What the profiler annotated under one name. */
struct ts_memory_annotation {
	struct ts_span name;
	uint64_t count, events; /* stretches, and the events in them */
	bool known;		/* the events reach to one of them (marks.h) */
	uint64_t peak;		/* the most that was requested in any of these */
	int64_t kept;		/* requested after less before, all these together */
};

struct ts_memory_refused {
	uint64_t event;
	int64_t time_us; /* INT64_MIN: not known */
	struct ts_oom oom;
	struct ts_span lines[TS_MEMORY_OOM_LINES]; /* whole sentences: what was asked for, what was free, what held it */
};

struct ts_memory_device {
	uint64_t device;
	struct ts_memory memory;
	const struct ts_replay *replay; /* reserved, allocated, requested, baseline, peak, ... */
	bool traced;			/* it has events; else nothing is known but the end */
	const char *no_history;		/* why it has none: a sentence without a subject's name; NULL where it is traced */
	uint64_t peak_allocated;	/* at least so much the blocks took at the peak: what is not known is rounded up to 512 */
	struct ts_fragments fragments;
	struct ts_allocator allocator;
	struct ts_spans spans;
	struct ts_memory_kind_sum kinds[TS_MEMORY_KINDS];
	struct ts_memory_whos at_peak, at_end, churn;	   /* by function */
	struct ts_memory_whos at_peak_files, at_end_files; /* by file and module */
	struct ts_memory_whos at_peak_stacks, at_end_stacks;
	struct ts_memory_whos by_size; /* what was churned */
	struct ts_memory_whos carried;
	struct ts_mark_stretches stretches;
	struct ts_memory_annotation *annotations; /* most kept first (marks.h), at most TS_MEMORY_ANNOTATIONS */
	size_t n_annotations, more_annotations;
	struct ts_memory_gap *gaps;
	size_t n_gaps;
	struct ts_memory_refused *refused;
	size_t n_refused;
	struct ts_findings findings; /* left empty: whoever asks the rules (memory_rows.h) puts them here */
	struct ts_memory_advice advice; /* the same */
	bool has_capacity;
	uint64_t capacity;
	const char *capacity_source; /* left NULL: whoever takes the capacity from facts puts here which say it */
	int64_t headroom; /* capacity less the most that was reserved; valid with a capacity */
};

struct ts_memory_unknown {
	struct ts_span key;
	uint64_t n;
	uint64_t at; /* of a known key: the byte of the pickle of its first such value */
};

struct ts_scaling;

struct ts_memory_answer {
	const struct ts_snapshot *snapshot;
	const struct ts_scaling *scaling; /* what would fit (scaling.h), left to whoever asks for it; NULL: nobody did */
	struct ts_memory_unknown *unknown; /* keys that were passed over */
	struct ts_memory_unknown *lost;	   /* known keys with values of another type or out of range, which count as unknown */
	size_t n_unknown, n_lost;
	struct ts_memory_device *devices; /* those that have segments or events */
	size_t n;
};

/* capacity: bytes of one device, 0 if that is not known. */
enum ts_status ts_memory_of(const struct ts_snapshot *s, uint64_t capacity, struct ts_arena *arena, struct ts_memory_answer *ret_answer,
			    struct ts_error *err);
/* The device whose requests were refused, else the one that held most; NULL if there is none. */
const struct ts_memory_device *ts_memory_main(const struct ts_memory_answer *m);

#endif
