/* conformance.c - asks every engine for the promises of a store, breaks each on purpose, and runs random schedules beside a model.
 *
 *	conformance promises | planted | schedules N [SEED] | (nothing: a short form of all)
 */
#include "base/digest.h"
#include "tests/engines/planted.h"
#include "tests/engines/postgres.h"
#include "tests/engines/promises.h"
#include "tests/engines/schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many of the kinds there are on this machine: those in a database are the last, and of these the one with a bucket. */
static int kinds = SUBJECTS;

enum { SOME_SCHEDULES = 8, TRIES_MOST = 200, MEMORY_MIB = 2048 };

/* Whether there is so much room in memory; a container has 64 MiB often, which is less than a database takes. */
static bool has_room(const char *path)
{
	struct statvfs there;

	return access(path, W_OK) == 0 && statvfs(path, &there) == 0 && there.f_bavail >= ((uint64_t)MEMORY_MIB << 20) / there.f_frsize;
}

/* Asked in a process of its own: an engine with files must not be open where another process is begun, nor a server run. */
struct asked {
	const struct subject_kind *kind;
	const struct promise *promise;
	void (*opened)(struct subject *s);
	bool done, holds;
	char text[PROMISE_TEXT];
};

static void ask_now(struct asked *asked, struct subject *s)
{
	struct ts_error err;

	s->opened = asked->opened;
	if (subject_open(s, &err))
		(void)snprintf(asked->text, sizeof asked->text, "it does not open: %.200s", err.text);
	else
		asked->holds = asked->promise->holds(s, asked->text);
	subject_close(s);
	asked->done = true;
	_exit(0);
}

static bool ask(const struct subject_kind *kind, const struct promise *promise, void (*opened)(struct subject *s),
		char text[PROMISE_TEXT])
{
	struct asked *asked = mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct subject s;
	pid_t child;
	bool holds;

	if (asked == MAP_FAILED)
		abort();
	*asked = (struct asked){.kind = kind, .promise = promise, .opened = opened};
	subject_make(&s, kind);
	(void)fflush(stdout);
	child = fork();
	if (child == 0)
		ask_now(asked, &s);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	holds = asked->done && asked->holds;
	(void)snprintf(text, PROMISE_TEXT, "%s", asked->done ? asked->text : "its process ended");
	(void)munmap(asked, sizeof *asked);
	subject_remove(&s);
	return holds;
}

static bool is_asked(const struct subject_kind *kind, const struct promise *promise)
{
	return (kind->outlives || !promise->outlives) && (kind->files || !promise->files);
}

static int show_promises(void)
{
	char text[PROMISE_TEXT];
	int failed = 0;

	(void)printf("%-21s", "engine");
	for (int p = 0; p < PROMISES; p++)
		(void)printf(" P%-5d", p + 1);
	for (int k = 0; k < kinds; k++) {
		(void)printf("\n%-21s", subject_kinds[k].name);
		for (int p = 0; p < PROMISES; p++) {
			bool asked = is_asked(&subject_kinds[k], &promises[p]);
			bool holds = asked && ask(&subject_kinds[k], &promises[p], NULL, text);

			(void)printf(" %-6s", !asked ? "-" : holds ? "holds" : "BROKEN");
			if (!asked || holds)
				continue;
			failed++;
			(void)fprintf(stderr, "%s, P%d: %s\n", subject_kinds[k].name, p + 1, text);
		}
	}
	(void)printf("\n\n");
	for (int p = 0; p < PROMISES; p++)
		(void)printf("P%d  %s%s%s\n", p + 1, promises[p].what, promises[p].not_asked ? "; - says: " : "",
			     promises[p].not_asked ? promises[p].not_asked : "");
	return failed;
}

/* Returns in how many schedules the fault was found first; 0: in none. */
static unsigned schedules_until(const struct subject_kind *kind, const struct planted *planted)
{
	struct schedule_result result;

	for (unsigned i = 1; i <= TRIES_MOST; i++) {
		schedule_run(kind, i, planted->opened, &result);
		if (!result.same)
			return i;
	}
	return 0;
}

static int show_planted(void)
{
	char text[PROMISE_TEXT];
	int failed = 0;

	(void)printf("%-44s %-21s %-13s %s\n", "planted fault", "engine", "by the suite", "by schedules");
	for (int i = 0; i < PLANTED; i++) {
		const struct planted *planted = &planted_faults[i];
		const struct promise *promise = &promises[planted->promise - 1];

		for (int k = 0; k < kinds; k++) {
			unsigned first;
			bool found, asked;

			if (!is_asked(&subject_kinds[k], promise))
				continue;
			found = !ask(&subject_kinds[k], promise, planted->opened, text);
			asked = planted->in_schedules && !subject_kinds[k].outlives; /* those take longer, and find the same */
			first = asked ? schedules_until(&subject_kinds[k], planted) : 0;
			(void)printf("P%d %-41s %-21s %-13s ", planted->promise, planted->what, subject_kinds[k].name,
				     found ? "found" : "NOT FOUND");
			if (first)
				(void)printf("in number %u\n", first);
			else
				(void)printf("%s\n", asked ? "NOT FOUND" : "not asked");
			failed += !found + (asked && !first);
		}
	}
	return failed;
}

static int show_schedules(unsigned n, uint64_t seed)
{
	int failed = 0;

	(void)printf("%-21s %9s %9s %9s %9s %9s\n", "engine", "schedules", "calls", "kill -9", "cuts", "differ");
	for (int k = 0; k < kinds; k++) {
		unsigned calls = 0, crashes = 0, cuts = 0, differ = 0;

		for (unsigned i = 0; i < n; i++) {
			struct schedule_result result;

			(void)fflush(stdout);
			schedule_run(&subject_kinds[k], seed + i, NULL, &result);
			calls += result.calls;
			crashes += result.crashes;
			cuts += result.cuts;
			differ += !result.same;
			if (!result.same)
				(void)fprintf(stderr, "%s, seed %" PRIu64 ": %s\n", subject_kinds[k].name, seed + i, result.text);
		}
		(void)printf("%-21s %9u %9u %9u %9u %9u\n", subject_kinds[k].name, n, calls, crashes, cuts, differ);
		failed += (int)differ;
	}
	return failed;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "all";
	struct ts_error err;
	char text[256];
	int failed = 0;

	if (ts_digest_init(&err))
		return 1;
	/* SIGKILL takes nothing from a disk that the kernel has; tests/fault cuts the power. */
	if (has_room("/dev/shm"))
		(void)setenv("TMPDIR", "/dev/shm", 0);
	if (!postgres_start(text, sizeof text)) {
		kinds -= 2;
		(void)printf("PostgreSQL is not asked: %s\n", text);
	} else if (!subject_bucket_start()) {
		kinds--;
		(void)printf("S3 is not asked: its server for tests does not start\n");
	}
	if (strcmp(what, "all") == 0 || strcmp(what, "promises") == 0)
		failed += show_promises();
	if (strcmp(what, "all") == 0 || strcmp(what, "planted") == 0)
		failed += show_planted();
	if (strcmp(what, "all") == 0 || strcmp(what, "schedules") == 0)
		failed += show_schedules(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : SOME_SCHEDULES,
					 argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
	if (kinds == SUBJECTS)
		subject_bucket_stop();
	postgres_stop();
	return failed > 0;
}
