/* workload.h - do two runs have the same workload? A key is made from facts, in parts that are compared one by one.
 *
 *	config		facts of groups config, data and work, without those that a policy ignores
 *	hardware	devices by name, memory and number, per rank where they differ; not uuids, hosts or drivers
 *	parallelism	all of that group
 *	libraries	major versions (of 0.x also the minor one), and that of the driver
 *
 * seeds, determinism, code, lineage and session are not part of the key. A run that declares work.workload has the workload of that
 * name, whatever its config holds; hardware, parallelism and libraries are still compared.
 */
#ifndef TSCOPE_ANALYSIS_GATE_WORKLOAD_H
#define TSCOPE_ANALYSIS_GATE_WORKLOAD_H

#include "base/digest.h"
#include "run/fact.h"

enum ts_workload_part {
	TS_WORKLOAD_CONFIG,
	TS_WORKLOAD_HARDWARE,
	TS_WORKLOAD_PARALLELISM,
	TS_WORKLOAD_LIBRARIES,
	TS_WORKLOAD_PARTS,
};

struct ts_workload {
	struct ts_span name;		       /* work.workload; empty: not declared */
	struct ts_id key[TS_WORKLOAD_PARTS];   /* all zero where the run records nothing of that part */
	struct ts_span session;		       /* hosts, boot and allocation as hex digits; empty: the run does not record them */
	struct ts_span commit, branch;	       /* code.commit, code.branch; empty: not recorded */
	struct ts_span labels;		       /* facts that may tell runs of one key apart, a PATH=VALUE a line (ts_workload_label) */
	bool dirty;			       /* code.dirty */
	int64_t started_ns;		       /* session.started; 0: not recorded, and whoever reads runs takes .collected_at */
};

/* One fact in which the keys of two runs differ. */

struct ts_workload_difference {
	enum ts_workload_part part;
	struct ts_span path;
	struct ts_span a, b; /* as a person reads them; empty: not recorded */
};

struct ts_ignore {
	const struct ts_span *globs; /* of fact paths: "config.run_name", "config.*_dir" */
	size_t n;
};

/* The next line of labels, or false after the last: facts of the host and of its first device, and work.dtype. */
bool ts_workload_label(struct ts_span *rest, struct ts_span *ret_path, struct ts_span *ret_value);
/* The value of one label; empty: the run does not record it. */
struct ts_span ts_workload_label_of(const struct ts_workload *w, struct ts_span path);

const char *ts_workload_part_word(enum ts_workload_part part); /* "config", ... */
bool ts_workload_part_parse(struct ts_span word, enum ts_workload_part *ret_part);

/* facts are sorted, of the whole job (the head's). Spans of the result point into them or lie in the arena. */
enum ts_status ts_workload_of(const struct ts_facts *facts, struct ts_ignore ignore, struct ts_arena *arena,
			      struct ts_workload *ret_workload, struct ts_error *err);
enum ts_status ts_workload_compare(const struct ts_facts *a, const struct ts_facts *b, struct ts_ignore ignore, struct ts_arena *arena,
				   struct ts_workload_difference **ret_rows, size_t *ret_n, struct ts_error *err);

#endif
