/* Every verb and renderer with one allocation failing, the first two of each caller and some others: exit status 2 and words about
 * memory with nothing on stdout, or the very same answer; files whole or not there; nothing leaks (the sanitizer looks).
 *
 *	test_cli_alloc PART	verbs, analyses, diffs or gates: a part is a test of its own, so that each is short
 */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/map.h"
#include "cli/command.h"

#include <execinfo.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* The first FIRST_OF allocations of a caller fail, in whatever scenario of a part they are, and one in STRIDE of all. */
enum { FIRST_OF = 2, STRIDE = 20, FRAMES = 18, MOST = 1 << 18, WORDS_MAX = 64, FILES_MAX = 8 };

static char dir[64];

/* --- who allocates --- */

/* Who asked for an allocation: the addresses on the stack as one number. What one caller allocates fails into the same code. */
static uint64_t allocations[MOST];
static atomic_size_t n_allocations;
static bool watched;

static void note_caller(void)
{
	void *frames[FRAMES];
	size_t n;
	int depth;

	if (!watched)
		return;
	n = atomic_fetch_add(&n_allocations, 1);
	assert_true(n < MOST);
	depth = backtrace(frames, FRAMES);
	allocations[n] = ts_hash_bytes(ts_hash_open, (struct ts_span){(const uint8_t *)frames, (size_t)depth * sizeof *frames});
}

/* The linker has all of tscope call these in the place of the three functions of base/alloc.h, which do not count a size of 0. */
void *__real_ts_alloc(size_t size);
void *__real_ts_alloc_array(size_t count, size_t size);
void *__real_ts_realloc(void *block, size_t size);
void *__wrap_ts_alloc(size_t size);
void *__wrap_ts_alloc_array(size_t count, size_t size);
void *__wrap_ts_realloc(void *block, size_t size);

void *__wrap_ts_alloc(size_t size)
{
	if (size > 0)
		note_caller();
	return __real_ts_alloc(size);
}

void *__wrap_ts_alloc_array(size_t count, size_t size)
{
	if (count > 0 && size > 0)
		note_caller();
	return __real_ts_alloc_array(count, size);
}

void *__wrap_ts_realloc(void *block, size_t size)
{
	if (size > 0)
		note_caller();
	return __real_ts_realloc(block, size);
}

/* The callers of all scenarios so far, and how often each allocated. */
static struct {
	uint64_t stack;
	size_t n;
} callers[MOST];
static uint32_t n_callers;
static struct ts_map known;

static size_t n_of(uint64_t stack)
{
	uint32_t number;

	TS_MAP_FIND(known, stack, i, callers[i].stack == stack, number);
	if (number == TS_MAP_NONE) {
		number = n_callers++;
		assert_true(number < MOST && ts_map_add(&known, stack, number));
		callers[number].stack = stack;
	}
	return callers[number].n++;
}

/* Puts the numbers of those that are to fail in ret, from 1 on. Returns how many. */
static size_t choose_failures(size_t n, size_t ret[MOST])
{
	size_t chosen = 0;

	for (size_t i = 0; i < n; i++)
		if (n_of(allocations[i]) < FIRST_OF || i % STRIDE == 0)
			ret[chosen++] = i + 1;
	return chosen;
}

/* --- one command --- */

struct said {
	int exit_code;
	char *out, *err;
	char *files[FILES_MAX]; /* NULL: the file does not exist */
};

static char *kept(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = test_malloc((size_t)size + 1);

	assert_int_equal(pread(fd, text, (size_t)size, 0), size);
	text[size] = '\0';
	(void)close(fd);
	return text;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");

	return file ? kept(dup(fileno(file))) : NULL;
}

static void forget(struct said *said)
{
	test_free(said->out);
	test_free(said->err);
	for (size_t i = 0; i < FILES_MAX; i++)
		if (said->files[i])
			test_free(said->files[i]);
}

/* A sanitizer that ends the process has written its report to the file that replaces stderr, so the report is printed. */
extern void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));
static int saved_err = -1;

static void show_last_words(void)
{
	char text[4096];
	ssize_t n;

	for (off_t at = 0; saved_err >= 0 && (n = pread(STDERR_FILENO, text, sizeof text, at)) > 0; at += n)
		(void)!write(saved_err, text, (size_t)n);
}

/* Stamps contain the current time, so each of their digits is replaced by 0. */
static void mask_stamps(char *text)
{
	for (char *c = text; (c = strchr(c, 'Z')) != NULL; c++)
		for (char *d = c; d > text && strchr("0123456789:-. T", d[-1]); d--)
			if (d[-1] >= '0' && d[-1] <= '9')
				d[-1] = '0';
}

/* The words of the command are separated by single spaces. The first one is the verb. */
static struct said run(const char *command, size_t fail_at)
{
	int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
	int old_out = dup(STDOUT_FILENO);
	char text[1024], *words[WORDS_MAX + 1] = {text}, *at = text;
	struct said said = {.exit_code = 0};
	int n = 1;

	assert_true(snprintf(text, sizeof text, "tscope %s", command) < (int)sizeof text);
	while ((at = strchr(at, ' ')) != NULL && n < WORDS_MAX) {
		*at++ = '\0';
		words[n++] = at;
	}
	(void)fflush(stdout);
	saved_err = dup(STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	atomic_store(&n_allocations, 0);
	(void)ts_alloc_fail_at(fail_at);
	said.exit_code = ts_command(n, words);
	(void)ts_alloc_fail_at(0);
	dup2(old_out, STDOUT_FILENO);
	dup2(saved_err, STDERR_FILENO);
	(void)close(old_out);
	(void)close(saved_err);
	saved_err = -1;
	said.out = kept(out);
	mask_stamps(said.out);
	said.err = kept(err);
	return said;
}

/* --- one scenario --- */

struct scenario {
	const char *command;
	const char *before; /* a command that runs before each call, with unlimited memory; may be NULL */
	const char *files;  /* the files that it writes, separated by single spaces; may be NULL */
};

static const char *file_of(const struct scenario *s, size_t i, char path[256])
{
	const char *at = s->files;

	for (; at && i > 0; i--)
		at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
	if (!at)
		return NULL;
	(void)snprintf(path, 256, "%.*s", (int)strcspn(at, " "), at);
	return path;
}

static struct said play(const struct scenario *s, size_t fail_at)
{
	struct said said;
	char path[256];

	if (s->before) {
		said = run(s->before, 0);
		forget(&said);
	}
	for (size_t i = 0; file_of(s, i, path); i++)
		(void)unlink(path);
	said = run(s->command, fail_at);
	for (size_t i = 0; file_of(s, i, path); i++)
		said.files[i] = read_file(path);
	return said;
}

static bool lacks_memory(const struct said *said)
{
	return said->exit_code == 2 && strstr(said->err, "memory") != NULL;
}

/* A command that runs out of memory must print nothing, or only the error as JSON, and must leave no half-written file. */
static void check_refusal(const struct scenario *s, size_t n, const struct said *got, const struct said *want)
{
	bool json = strstr(s->command, " --json") != NULL;

	if (json ? !strstr(got->out, "\"status\": \"no_memory\"") : *got->out != '\0')
		fail_msg("%s, allocation %zu: stdout beside an error:\n%s", s->command, n, got->out);
	for (size_t i = 0; i < FILES_MAX; i++)
		if (got->files[i] && (!want->files[i] || strcmp(got->files[i], want->files[i]) != 0))
			fail_msg("%s, allocation %zu: half a file:\n%s", s->command, n, got->files[i]);
}

static void check_answer(const struct scenario *s, size_t n, const struct said *got, const struct said *want)
{
	if (got->exit_code != want->exit_code || strcmp(got->out, want->out) != 0)
		fail_msg("%s, allocation %zu: another answer, exit %d: %s\n%sin place of\n%s", s->command, n, got->exit_code, got->err,
			 got->out, want->out);
	for (size_t i = 0; i < FILES_MAX; i++)
		if (!got->files[i] != !want->files[i] || (got->files[i] && strcmp(got->files[i], want->files[i]) != 0))
			fail_msg("%s, allocation %zu: another file %zu", s->command, n, i + 1);
}

/* What the command says while each of its allocations is noted. */
static struct said watch(const struct scenario *s)
{
	struct said said;

	watched = true;
	said = play(s, 0);
	watched = false;
	return said;
}

static void fail_each(const struct scenario *s)
{
	static size_t numbers[MOST];
	size_t made, chosen, failed = 0;
	struct said want, got;

	got = play(s, 0); /* these objects are new only in the first call */
	forget(&got);
	want = watch(s);
	if (want.exit_code == 2)
		fail_msg("%s: %s", s->command, want.err);
	made = atomic_load(&n_allocations);
	chosen = choose_failures(made, numbers);
	for (size_t i = 0; i < chosen; i++) {
		size_t n = numbers[i];

		got = play(s, n);
		if (lacks_memory(&got))
			check_refusal(s, n, &got, &want);
		else
			check_answer(s, n, &got, &want);
		failed += lacks_memory(&got);
		forget(&got);
	}
	if (!failed)
		fail_msg("%s lacked no memory", s->command);
	print_message("%s: %zu allocations, of which %zu failed\n", s->command, made, chosen);
	forget(&want);
}

static void fail_all(const struct scenario *scenarios, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fail_each(&scenarios[i]);
}

/* --- parts --- */

#define ALL(scenarios) fail_all(scenarios, sizeof scenarios / sizeof scenarios[0])

static void verbs(void **state)
{
	static const struct scenario scenarios[] = {
		{"push demo/base", "rm base", NULL},
		{"push --join --name half joined/rank0", NULL, NULL},
		{"push --json --branch nightly --fact config.x=1 demo/order", "rm order", NULL},
		{"list", NULL, NULL},
		{"list --all-projects --columns name,config.lr,seeds.torch,ranks --sort -steps steps>=8", NULL, NULL},
		{"list --json", NULL, NULL},
		{"list --branches", NULL, NULL},
		{"list --html page.html", NULL, "page.html"},
		{"show slow", NULL, NULL},
		{"show --json slow", NULL, NULL},
		{"show ./evil", NULL, NULL},
		{"facts slow", NULL, NULL},
		{"facts --json ./evil", NULL, NULL},
		{"explain", NULL, NULL},
		{"explain --json TIMING.JITTER", NULL, NULL},
		{"name slow another", "rm another", NULL},
		{"tag slow v2", "rm tag:v2", NULL},
		{"tag --json", NULL, NULL},
		{"note slow bad=yes", "note slow bad=", NULL},
		{"note --json slow", NULL, NULL},
		{"log branch:nightly", NULL, NULL},
		{"rm another", "name slow another", NULL},
		{"export slow --format csv", NULL, NULL},
		{"export slow --format csv -o out.csv", NULL, "out.csv"},
		{"verify", NULL, NULL},
		{"gc --dry-run", NULL, NULL},
		{"gc --policy keep.policy", NULL, NULL},
		{"version --json", NULL, NULL},
		{"help", NULL, NULL},
		{"help --json diff", NULL, NULL},
	};

	(void)state;
	ALL(scenarios);
}

static void analyses(void **state)
{
	static const struct scenario scenarios[] = {
		{"analyze slow", NULL, NULL},
		{"analyze --json slow", NULL, NULL},
		{"analyze --fresh --json joined", NULL, NULL},
		{"analyze --html page.html slow", NULL, "page.html"},
		{"analyze ./traced/demo.json.gz", NULL, NULL},
		{"analyze --json ./traced/trace.json", NULL, NULL},
		{"analyze ./traced/job", NULL, NULL},
		{"analyze --json ./traced/job", NULL, NULL},
		{"analyze --html - ./traced/demo.json.gz", NULL, NULL},
		{"analyze ./oom.pickle", NULL, NULL},
		{"analyze --html - ./oom.pickle", NULL, NULL},
		{"show --at 108 ./oom.pickle", NULL, NULL},
		{"show --json --at oom ./oom.pickle", NULL, NULL},
		{"analyze --json ./list.pickle", NULL, NULL},
	};

	(void)state;
	ALL(scenarios);
}

static void diffs(void **state)
{
	static const struct scenario scenarios[] = {
		{"diff slow lr", NULL, NULL},
		{"diff --json --curves base parts", NULL, NULL},
		{"diff --reproduce --html page.html slow lr", NULL, "page.html"},
		{"diff --all base ./evil", NULL, NULL},
		{"diff base parts --repeats rerun --repeats longer", NULL, NULL},
		{"diff base rerun parts", NULL, NULL},
		{"diff --json base rerun parts", NULL, NULL},
		{"diff --as traceml ./summaries/cpu ./summaries/slower", NULL, NULL},
		{"plot loss base parts ./longer --by config.lr", NULL, NULL},
		{"plot loss b* --bands --log --smooth 3", NULL, NULL},
		{"plot --json loss base", NULL, NULL},
		{"plot loss base longer --html page.html", NULL, "page.html"},
		{"check-resume ./whole ./resumed", NULL, NULL},
		{"check-resume --json ./restarted", NULL, NULL},
	};

	(void)state;
	ALL(scenarios);
}

static void gates(void **state)
{
	static const struct scenario scenarios[] = {
		{"gate late --baseline main", NULL, NULL},
		{"gate --json late --baseline main", NULL, NULL},
		{"gate late --baseline main --request r --markdown c --junit j --gitlab m --verdict v", NULL, "r c j m v"},
		{"baseline --baseline branch:main", NULL, NULL},
		{"baseline --json --baseline branch:main", NULL, NULL},
		{"trend main", NULL, NULL},
		{"trend --json main --metric loss", NULL, NULL},
		{"trend main --html page.html", NULL, "page.html"},
	};

	(void)state;
	ALL(scenarios);
}

/* --- the place --- */

static void must(const char *command)
{
	struct said said = run(command, 0);

	if (said.exit_code == 2)
		fail_msg("%s: %s", command, said.err);
	forget(&said);
}

static int setup(void **state)
{
	static const char *const unset[] = {"TSCOPE_SERVER", "TSCOPE_PROJECT", "XDG_DATA_HOME",
					    "COLUMNS",	     "FORCE_COLOR",    "TSCOPE_STORE"};
	char command[1024];

	(void)state;
	(void)snprintf(dir, sizeof dir, "/tmp/test_cli_alloc.XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)snprintf(command, sizeof command,
		       "cp tests/golden/snapshot/*.pickle %s && cp -r tests/golden/trace %s/traced && "
		       "cp -r tests/golden/demo/runs %s/demo && cp -r tests/cli/runs/* %s && "
		       "for i in 1 2 3 4; do python3 "
		       "tests/cli/runs/gate.py %s/m$i time=0.100$i commit=c$i session=h$i started=170000$i || exit 1; done && python3 "
		       "tests/cli/runs/gate.py %s/late time=0.108 commit=c9 session=h9 started=1700009 && "
		       "echo 'RETENTION.branch = *: last 2' > %s/keep.policy",
		       dir, dir, dir, dir, dir, dir, dir);
	assert_int_equal(system(command), 0);
	for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++)
		unsetenv(unset[i]);
	setenv("HOME", dir, 1);
	assert_int_equal(chdir(dir), 0);
	must("push -q demo/slow demo/lr late base rerun parts longer joined");
	must("push -q --branch main m1 m2 m3 m4");
	must("push -q --branch nightly base");
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	return nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(verbs), cmocka_unit_test(analyses), cmocka_unit_test(diffs),
					   cmocka_unit_test(gates)};

	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(show_last_words);
	for (size_t i = 0; argc == 2 && i < sizeof tests / sizeof tests[0]; i++)
		if (strcmp(argv[1], tests[i].name) == 0) {
			const struct CMUnitTest one[] = {tests[i]};

			return cmocka_run_group_tests_name(argv[1], one, setup, teardown);
		}
	(void)fputs("usage: test_cli_alloc verbs|analyses|diffs|gates\n", stderr);
	return 2;
}
