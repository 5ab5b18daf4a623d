/* bench_trend_peer.c - seeded series of 300 runs with a known truth, and what our trend claims of each, for trend_peer.py:
 * bench_trend_peer N prints N series of each kind, one JSON object a line. */
#include "tests/quality/trend_series.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 300, NONE = RUNS };

static const struct {
	struct trend_noise noise;
	struct trend_truth truth;
	const char *what;
} kinds[] = {
	{{.sd = 0.01}, {.drift = 0}, "white noise of 1 %"},
	{{.sd = 0.01, .heavy = true}, {.drift = 0}, "Student's t3 of 1 %"},
	{{.sd = 0.005, .odd = 0.1}, {.drift = 0}, "10 % odd runs"},
	{{.sd = 0.01, .rho = 0.8}, {.drift = 0}, "AR(1) 0.8 of 1 %"},
	{{.walk = 0.005}, {.drift = 0}, "random walk by 0.5 %"},
	{{.sd = 0.005, .weekdays = 0.042}, {.drift = 0}, "weekdays 4.2 % apart"},
	{{.sd = 0.005, .hosts = 0.04, .n_hosts = 4, .stay = 15}, {.drift = 0}, "hosts that stick, by 4 %"},
	{{.sd = 0.01}, {.drift = 0.03}, "drift of 3 %"},
	{{.sd = 0.01}, {.steps = {0.05, 0}, .at = {150, 0}}, "a step of 5 % at half"},
	{{.sd = 0.01}, {.steps = {0.05, 0}, .at = {295, 0}}, "a step of 5 % five runs ago"},
	{{.sd = 0.005, .weekdays = 0.042}, {.steps = {0.05, 0}, .at = {150, 0}}, "5 % under weekdays"},
	{{.sd = 0.005, .hosts = 0.04, .n_hosts = 4, .stay = 15}, {.steps = {0.05, 0}, .at = {150, 0}}, "5 % under hosts"},
};

static void print(size_t kind, const struct ts_trend *t)
{
	size_t at = kinds[kind].truth.at[0] ? kinds[kind].truth.at[0] : NONE;
	const char *comma = "";

	printf("{\"kind\": \"%s\", \"at\": %zu, \"drift\": %s, \"ours_drift\": %s, \"ours\": [", kinds[kind].what, at,
	       kinds[kind].truth.drift > 0 ? "true" : "false", t->drift ? "true" : "false");
	for (size_t i = 0; i < t->n_changes; i++)
		if (!t->changes[i].with_host) {
			printf("%s%" PRIu64, comma, t->changes[i].at);
			comma = ", ";
		}
	printf("], \"values\": [");
	for (size_t i = 0; i < t->n_runs; i++)
		printf("%s%.17g", i ? ", " : "", t->runs[i].value);
	printf("]}\n");
}

int main(int argc, char **argv)
{
	static struct ts_trend_run runs[RUNS];
	long n = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	struct ts_gate_policy policy;
	struct ts_arena arena;
	struct ts_error err;

	if (n <= 0) {
		(void)fprintf(stderr, "usage: bench_trend_peer N\n");
		return 2;
	}
	ts_arena_init(&arena, (size_t)1 << 26);
	ts_gate_policy_default(&policy);
	for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
		for (long i = 0; i < n; i++) {
			struct ts_trend t = {.branch = ts_span_str("p/main"), .runs = runs, .n_runs = RUNS};
			struct ts_random r;

			ts_random_init(&r, (uint64_t)i * 1000 + kind);
			trend_series(&kinds[kind].noise, &kinds[kind].truth, RUNS, &r, runs, NULL);
			ts_arena_reset(&arena);
			if (ts_trend_judge(&t, &policy, &arena, &err)) {
				(void)fprintf(stderr, "%s\n", err.text);
				return 1;
			}
			print(kind, &t);
		}
	ts_arena_finish(&arena);
	return 0;
}
