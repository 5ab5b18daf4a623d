#include "cli/verbs/analyze_options.h"

#include <stdio.h>

enum { ANY_TRACE = TS_OF_TRACES | TS_OF_STORED, ANY_SNAPSHOT = TS_OF_SNAPSHOTS | TS_OF_STORED_SNAPSHOTS };

/* Those that are not here are for all. */
static const struct {
	const char *name;
	unsigned of;
} options[] = {
	{"warmup", TS_OF_RUNS},
	{"rank", TS_OF_RUNS | TS_OF_STORED | TS_OF_STORED_SNAPSHOTS},
	{"trace", TS_OF_STORED},
	{"snapshot", TS_OF_STORED_SNAPSHOTS},
	{"flops-per-step", TS_OF_RUNS},
	{"peak-tflops", TS_OF_RUNS},
	{"dtype", TS_OF_RUNS},
	{"microbatches", TS_OF_RUNS},
	{"device-memory", TS_OF_RUNS | ANY_SNAPSHOT | TS_AS_PEER},
	{"policy", TS_OF_RUNS | ANY_TRACE | ANY_SNAPSHOT},
	{"fail-on", TS_OF_RUNS | ANY_TRACE | ANY_SNAPSHOT},
	{"as", TS_OF_TRACES | TS_OF_SNAPSHOTS | TS_AS_PEER},
	{"html", TS_OF_RUNS | ANY_TRACE | ANY_SNAPSHOT},
	{"rows", TS_OF_RUNS},
	{"fresh", TS_OF_RUNS},
	{"step", ANY_TRACE},
	{"overlay", TS_OF_TRACES},
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
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* "runs, traces and memory snapshots": "traces" are files and those of runs, where both are meant. */
static void list(unsigned of, char *out, size_t cap)
{
	size_t at = 0, left = 0;

	of &= of & TS_OF_TRACES ? ~(unsigned)TS_OF_STORED : ~0U;
	of &= of & TS_OF_SNAPSHOTS ? ~(unsigned)TS_OF_STORED_SNAPSHOTS : ~0U;
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

enum ts_status ts_analyze_refuse(const struct ts_cli *cli, enum ts_analyzed of, const char *word, struct ts_error *err)
{
	char many[256];

	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (!(options[i].of & of) && ts_args_has(&cli->args, options[i].name)) {
			if (of == TS_AS_PEER)
				return ts_error_set(err, TS_INVALID, "analyze: --%s does not go with --as", options[i].name);
			list(options[i].of, many, sizeof many);
			return ts_error_set(err, TS_INVALID, "analyze: --%s is for %s, and %s is %s", options[i].name, many, word,
					    one_of(of));
		}
	return TS_OK;
}

bool ts_analyze_allows(const struct ts_cli *cli, enum ts_analyzed of)
{
	struct ts_error err;

	return ts_analyze_refuse(cli, of, "", &err) == TS_OK;
}
