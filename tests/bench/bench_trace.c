/* bench_trace.c - how long a trace takes to read to columns, and its timelines to compute, for trace.py.
 *
 *	bench_trace read FILE [SCANNER]		"SECONDS THREAD BYTES ROWS" of processor time: all threads, and the one that parses
 *	bench_trace timeline FILE		"SECONDS EVENTS", of the timelines of a trace that was read
 *	bench_trace path FILE			"SECONDS EVENTS STRETCHES IFS", of its nesting, critical path and what ifs
 */
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/path/critical_path.h"
#include "base/file.h"
#include "ingest/trace/trace_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		fprintf(stderr, "bench_trace: %s\n", err->text);
		exit(1);
	}
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const struct ts_trace_scanner *scanner_named(const char *name)
{
	const struct ts_trace_scanner *s;

	for (size_t i = 0; (s = ts_trace_scanner_at(i)); i++)
		if (!name || strcmp(s->name, name) == 0)
			return s;
	fprintf(stderr, "bench_trace: this machine has no scanner %s\n", name);
	exit(3);
}

static void load(const char *path, const char *scanner, struct ts_trace *trace, struct ts_trace_file *file)
{
	struct ts_source source = {.name = ts_span_str(path), .path = ts_span_str(path)};
	struct ts_arena arena;
	struct ts_notices notices = {.arena = &arena};
	struct ts_trace_reading reading = {.scanner = scanner_named(scanner), .notices = &notices};
	struct ts_error err;

	ts_arena_init(&arena, 0);
	must(ts_file_open(path, &source.fd, &source.size, &err), &err);
	must(ts_trace_load(&source, &reading, trace, file, &err), &err);
	ts_arena_finish(&arena);
}

static void timeline(const struct ts_trace *trace)
{
	struct ts_timelines lines;
	struct ts_arena arena;
	struct ts_error err;
	double began = seconds(CLOCK_THREAD_CPUTIME_ID);

	ts_arena_init(&arena, 0);
	must(ts_timelines(trace, &arena, &lines, &err), &err);
	printf("%.6f %" PRIu64 "\n", seconds(CLOCK_THREAD_CPUTIME_ID) - began, lines.all.events);
	ts_arena_finish(&arena);
}

static void critical_path(const struct ts_trace *trace, uint64_t events)
{
	struct ts_critical_path path;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_nest nest;
	double began = seconds(CLOCK_THREAD_CPUTIME_ID);

	ts_arena_init(&arena, 0);
	must(ts_nest(trace, &arena, &nest, &err), &err);
	must(ts_critical_path(trace, &nest, &(struct ts_path_asked){.has_step = false}, &arena, &path, &err), &err);
	printf("%.6f %" PRIu64 " %zu %zu\n", seconds(CLOCK_THREAD_CPUTIME_ID) - began, events, path.n_pieces, path.n_ifs);
	ts_arena_finish(&arena);
}

int main(int argc, char **argv)
{
	double all = seconds(CLOCK_PROCESS_CPUTIME_ID), one = seconds(CLOCK_THREAD_CPUTIME_ID);
	struct ts_trace_file file;
	struct ts_trace trace;

	if (argc < 3 || (strcmp(argv[1], "read") != 0 && strcmp(argv[1], "timeline") != 0 && strcmp(argv[1], "path") != 0)) {
		fprintf(stderr, "usage: bench_trace read FILE [SCANNER] | timeline FILE | path FILE\n");
		return 2;
	}
	load(argv[2], argc > 3 ? argv[3] : NULL, &trace, &file);
	if (strcmp(argv[1], "timeline") == 0)
		timeline(&trace);
	else if (strcmp(argv[1], "path") == 0)
		critical_path(&trace, file.events);
	else
		printf("%.6f %.6f %" PRIu64 " %zu\n", seconds(CLOCK_PROCESS_CPUTIME_ID) - all, seconds(CLOCK_THREAD_CPUTIME_ID) - one,
		       file.bytes, trace.rows.spans.n + trace.rows.flows.n);
	ts_trace_finish(&trace);
	ts_trace_file_finish(&file);
	return 0;
}
