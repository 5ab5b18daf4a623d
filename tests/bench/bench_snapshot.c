/* bench_snapshot.c - what reading and replaying a memory snapshot costs: bench_snapshot read|replay PATH prints "SECONDS PICKLE_BYTES
 * EVENTS STACKS TABLE_BYTES" of processor time. */
#include "bench_clock.h"

#include "analysis/snapshot/holders.h"
#include "base/file.h"
#include "ingest/snapshot/snapshot_read.h"

#include <stdio.h>
#include <stdlib.h>

static void must(bool ok, const struct ts_error *err)
{
	if (!ok) {
		fprintf(stderr, "bench_snapshot: %s\n", err->text);
		exit(1);
	}
}

/* All that an answer about one device needs. */
static void replay(const struct ts_snapshot *s, struct ts_arena *arena)
{
	struct ts_error err = {.text = "out of memory"};
	struct ts_replay r;
	struct ts_holders holders;
	struct ts_memory m = {.replay = &r};

	must(ts_replay_device(s, 0, arena, &r, &err) == TS_OK, &err);
	m.origins = ts_origins(s, arena);
	must(m.origins, &err);
	m.kinds = ts_kinds_of(&r, m.origins, arena);
	must(m.kinds, &err);
	for (int by = TS_BY_STACK; by <= TS_BY_SIZE; by++) {
		must(ts_holders_at(&m, r.peak_event, (enum ts_holder_by)by, arena, &holders, &err) == TS_OK, &err);
		must(ts_holders_of_all(&m, (enum ts_holder_by)by, arena, &holders, &err) == TS_OK, &err);
	}
}

int main(int argc, char **argv)
{
	struct ts_source source = {.path = ts_span_str(argc == 3 ? argv[2] : "")};
	int64_t began = bench_cpu_ns();
	struct ts_snapshot s;
	struct ts_arena arena;
	struct ts_error err;
	size_t tables;

	if (argc != 3) {
		fprintf(stderr, "usage: bench_snapshot read|replay PATH\n");
		return 2;
	}
	ts_arena_init(&arena, 0);
	must(ts_file_open(argv[2], &source.fd, &source.size, &err) == TS_OK, &err);
	must(ts_snapshot_read(&source, &arena, &s, &err) == TS_OK, &err);
	tables = arena.used;
	if (strcmp(argv[1], "replay") == 0)
		replay(&s, &arena);
	printf("%.6f %" PRIu64 " %zu %zu %zu\n", (double)(bench_cpu_ns() - began) / 1e9, s.pickle_bytes, s.n_events, s.n_stacks,
	       tables);
	ts_arena_finish(&arena);
	return 0;
}
