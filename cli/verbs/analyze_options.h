/* analyze_options.h - which options of `tscope analyze` go with what: a run, a trace or a snapshot that stands alone, or is a run's. */
#ifndef TSCOPE_CLI_VERBS_ANALYZE_OPTIONS_H
#define TSCOPE_CLI_VERBS_ANALYZE_OPTIONS_H

#include "cli/core/context.h"

enum ts_analyzed {
	TS_OF_RUNS = 1,
	TS_OF_TRACES = 2,
	TS_OF_STORED = 4, /* a trace of a run */
	TS_OF_SNAPSHOTS = 8,
	TS_OF_FOLDERS = 16,	     /* traces of the ranks of a job */
	TS_OF_STORED_SNAPSHOTS = 32, /* a snapshot of a run */
	TS_OF_STORED_JOBS = 64,	     /* traces of several ranks of a run without steps */
};

/* TS_INVALID if an option was given that does not go with this; word: how it was named. */
enum ts_status ts_analyze_refuse(const struct ts_cli *cli, enum ts_analyzed of, const char *word, struct ts_error *err);
/* Whether all options that were given go with this, too. */
bool ts_analyze_allows(const struct ts_cli *cli, enum ts_analyzed of);

#endif
