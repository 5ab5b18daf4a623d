#include "cli/verbs/analyze_options.h"

#include <stdio.h>

enum {
	ANY_TRACE = TS_OF_TRACES | TS_OF_STORED,
	ANY_SNAPSHOT = TS_OF_SNAPSHOTS | TS_OF_STORED_SNAPSHOTS,
	JOBS = TS_OF_FOLDERS | TS_OF_STORED_JOBS,
};

/* Those that are not here are for all. */
static const struct {
	const char *name;
	unsigned of;
} options[] = {
	{"warmup", TS_OF_RUNS | ANY_TRACE | JOBS},
	{"rank", TS_OF_RUNS | TS_OF_STORED | TS_OF_STORED_SNAPSHOTS},
	{"trace", TS_OF_STORED},
	{"snapshot", TS_OF_STORED_SNAPSHOTS},
	{"flops-per-step", TS_OF_RUNS},
	{"peak-tflops", TS_OF_RUNS},
	{"dtype", TS_OF_RUNS},
	{"microbatches", TS_OF_RUNS},
	{"device-memory", TS_OF_RUNS | ANY_SNAPSHOT},
	{"policy", TS_OF_RUNS | ANY_TRACE | JOBS | ANY_SNAPSHOT},
	{"fail-on", TS_OF_RUNS | ANY_TRACE | JOBS | ANY_SNAPSHOT},
	{"html", TS_OF_RUNS | ANY_TRACE | JOBS | ANY_SNAPSHOT},
	{"force", TS_OF_RUNS | ANY_TRACE | JOBS | ANY_SNAPSHOT},
	{"rows", TS_OF_RUNS},
	{"fresh", TS_OF_RUNS | TS_OF_STORED_JOBS},
	{"step", ANY_TRACE},
	{"overlay", TS_OF_TRACES},
	{"capture", TS_OF_TRACES},
	{"kernels", ANY_TRACE | TS_OF_FOLDERS},
	{"step-name", ANY_TRACE | TS_OF_FOLDERS},
	{"at", ANY_SNAPSHOT},
	{"device", ANY_SNAPSHOT},
	{"with", ANY_SNAPSHOT},
	{"scale", ANY_SNAPSHOT},
};

static const struct {
	unsigned of;
	const char *many, *one;
} kinds[] = {
	{TS_OF_RUNS, "runs", "a run"},
	{TS_OF_TRACES, "traces", "a profiler's trace"},
	{TS_OF_STORED, "traces of runs", "a trace of a run"},
	{TS_OF_SNAPSHOTS, "memory snapshots", "a memory snapshot"},
	{TS_OF_STORED_SNAPSHOTS, "memory snapshots of runs", "a memory snapshot of a run"},
	{TS_OF_FOLDERS, "folders of traces", "a folder of profiler's traces"},
	{TS_OF_STORED_JOBS, "runs with the traces of several ranks", "a run with the traces of several ranks, and without steps"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* "runs, traces and memory snapshots": "traces" are files and those of runs, where both are meant. */
static void list(unsigned of, char *out, size_t cap)
{
	size_t at = 0, left = 0;

	of &= of & TS_OF_TRACES ? ~(unsigned)TS_OF_STORED : ~0U;
	of &= of & TS_OF_SNAPSHOTS ? ~(unsigned)TS_OF_STORED_SNAPSHOTS : ~0U;
	of &= of & (TS_OF_FOLDERS | TS_OF_RUNS) ? ~(unsigned)TS_OF_STORED_JOBS : ~0U;
	for (size_t i = 0; i < KINDS; i++)
		left += (of & kinds[i].of) != 0;
	for (size_t i = 0; i < KINDS; i++)
		if (of & kinds[i].of)
			at += (size_t)snprintf(out + at, cap - at, "%s%s", kinds[i].many, --left > 1 ? ", " : left ? " and " : "");
}

static const char *one_of(enum ts_analyzed of)
{
	size_t i = 0;

	while (kinds[i].of != (unsigned)of)
		i++;
	return kinds[i].one;
}

/* The command that asks it of one file of what the word names: "tscope analyze exp1 --trace NAME --step 2". *ret_one: what the file is;
 * NULL: there is no such command. */
static void way(const struct ts_cli *cli, enum ts_analyzed of, size_t i, const char *word, const char **ret_one, char *out, size_t cap)
{
	const char *value = ts_args_text(&cli->args, options[i].name), *space = value ? " " : "";
	bool run = of == TS_OF_RUNS || of == TS_OF_STORED_JOBS, trace = options[i].of & TS_OF_STORED;

	*ret_one = NULL;
	value = value ? value : "";
	if (run && options[i].of & (TS_OF_STORED | TS_OF_STORED_SNAPSHOTS)) {
		*ret_one = !trace				    ? "one memory snapshot"
			   : options[i].of & TS_OF_STORED_SNAPSHOTS ? "one trace or one memory snapshot"
								    : "one trace";
		snprintf(out, cap, "tscope analyze %s --%s NAME --%s%s%s", word, trace ? "trace" : "snapshot", options[i].name, space,
			 value);
	} else if (of == TS_OF_FOLDERS && options[i].of & TS_OF_TRACES) {
		*ret_one = "one trace";
		snprintf(out, cap, "tscope analyze %s/FILE --%s%s%s", word, options[i].name, space, value);
	} else if (of == TS_OF_FOLDERS && trace) { /* --rank and --trace */
		*ret_one = "what was pushed";
		snprintf(out, cap, "tscope analyze %s/FILE shows one of its traces", word);
	} else if (run && options[i].of & TS_OF_TRACES) {
		*ret_one = options[i].of & TS_OF_SNAPSHOTS ? "the file of a trace or of a memory snapshot" : "the file of a trace";
		snprintf(out, cap, "tscope export %s DIRECTORY writes its files", word);
	}
}

enum ts_status ts_analyze_refuse(const struct ts_cli *cli, enum ts_analyzed of, const char *word, struct ts_error *err)
{
	char many[256], command[512];
	const char *one;

	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
		if (options[i].of & of || !ts_args_has(&cli->args, options[i].name))
			continue;
		way(cli, of, i, word, &one, command, sizeof command);
		if (one)
			return ts_error_set(err, TS_INVALID, "analyze: --%s is for %s, and %s is %s: %s", options[i].name, one, word,
					    one_of(of), command);
		list(options[i].of, many, sizeof many);
		return ts_error_set(err, TS_INVALID, "analyze: --%s is for %s, and %s is %s", options[i].name, many, word, one_of(of));
	}
	return TS_OK;
}

bool ts_analyze_allows(const struct ts_cli *cli, enum ts_analyzed of)
{
	struct ts_error err;

	return ts_analyze_refuse(cli, of, "", &err) == TS_OK;
}
