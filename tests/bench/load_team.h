/* load_team.h - the clients of bench_load: each is a process of its own with a connection of its own, as users are.
 *
 * The processes are forked, so the caller must not have started C-core. They connect first, and begin together. */
#ifndef TSCOPE_TESTS_BENCH_LOAD_TEAM_H
#define TSCOPE_TESTS_BENCH_LOAD_TEAM_H

#include "load_runs.h"
#include "load_server.h"

enum { LOAD_KINDS = 3, LOAD_SAMPLES = 1 << 16, LOAD_OLD_RUNS = 8 };

extern const char *const load_kinds[LOAD_KINDS];   /* "list" */
extern const char *const load_methods[LOAD_KINDS]; /* "ListRuns" */

/* Seconds that answers took, of each kind. Lies in memory that the processes share. */
struct load_answers {
	double seconds[LOAD_KINDS][LOAD_SAMPLES];
	_Atomic size_t n[LOAD_KINDS];
};

struct load_team {
	unsigned clients, readers;
	const struct load_run *runs;	/* the clients push those of [from, to), and name them load/run<number> + named */
	size_t from, to, named;
	const char *push_at, *ask_at;	/* addresses */
	const struct ts_client_login *push_as, *ask_as;
	bool echo;			/* push_at throws the messages away */
	double seconds;			/* without clients, the readers ask so long; with some, until all is pushed */
};

struct load_answers *load_answers_make(void);

/* Returns pushes a second. answers may be NULL without readers; what they get is added. */
double load_team_run(const struct load_team *team, struct load_answers *answers);

/* Pushes LOAD_OLD_RUNS runs, about which readers ask. */
void load_push_old(const struct load_server *server, const struct load_run *runs);

#endif
