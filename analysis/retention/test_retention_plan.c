#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/policy.h"
#include "analysis/retention/retention_plan.h"

enum { ENTRIES = 8, DAY = 86400 };

static const int64_t day_ns = (int64_t)DAY * 1000000000;

struct fixture {
	struct ts_arena arena;
	struct ts_error err;
	struct ts_retention_policy policy;
	struct ts_retention_entry entries[ENTRIES];
	struct ts_retention_branch branch;
	struct ts_retention_name names[ENTRIES];
	struct ts_retention_version versions[2 * ENTRIES];
	struct ts_id tagged[2];
	struct ts_retention_store store;
};

static struct ts_id id_of(int n)
{
	struct ts_id id = {{(uint8_t)(n * 37), (uint8_t)n}}; /* in no order */

	return id;
}

/* Entries 8 to 1 of a branch, the newest first, a day apart; the newest is of day 8. */
static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	ts_arena_init(&f->arena, 1 << 20);
	for (int i = 0; i < ENTRIES; i++)
		f->entries[i] = (struct ts_retention_entry){.seq = (uint64_t)(ENTRIES - i), .id = id_of(ENTRIES - i),
							    .moved_ns = (ENTRIES - i) * day_ns};
	f->branch = (struct ts_retention_branch){.name = ts_span_str("p/main"), .entries = f->entries, .n = ENTRIES};
	f->store = (struct ts_retention_store){.branches = &f->branch, .n_branches = 1, .names = f->names, .versions = f->versions,
					       .tagged = f->tagged};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ts_arena_finish(&f->arena);
	test_free(f);
	return 0;
}

/* A name that points at a run, as of a day. */
static struct ts_retention_name *name_run(struct fixture *f, const char *name, int run, int day)
{
	struct ts_retention_name *made = &f->names[f->store.n_names];

	*made = (struct ts_retention_name){.name = ts_span_str(name), .id = id_of(run), .moved_ns = day * day_ns};
	f->versions[f->store.n_versions++] = (struct ts_retention_version){id_of(run), f->store.n_names++};
	return made;
}

/* Plans as of a day, and writes a letter for each entry, newest first: '-' goes, else the first of the reason's word. */
static const char *plan(struct fixture *f, const char *policy, int day)
{
	static char letters[ENTRIES + 1];
	struct ts_policy items;

	if (ts_policy_parse(ts_span_str(policy), "p", &f->arena, &items, &f->err) ||
	    ts_policy_of_retention(&items, &f->arena, &f->policy, &f->err) ||
	    ts_retention_plan(&f->policy, day * day_ns, &f->store, &f->arena, &f->err))
		fail_msg("%s", f->err.text);
	for (int i = 0; i < ENTRIES; i++) {
		static const char of[TS_RETENTION_REASONS + 1] = "-NRALlytntb";

		letters[i] = of[f->entries[i].why];
		if (f->entries[i].why == TS_RETENTION_NOTED)
			letters[i] = 'o';
		if (f->entries[i].why == TS_RETENTION_TRAINING)
			letters[i] = 'r';
	}
	return letters;
}

static void the_newest_and_the_young_stay(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(plan(f, "RETENTION.branch = */main: last 3", 8), "Nll-----");
	assert_string_equal(plan(f, "RETENTION.branch = */main: younger 4d", 8), "Nyyy----"); /* of day 4 is not younger than 4 days */
	assert_string_equal(plan(f, "RETENTION.branch = */main: last 2, younger 4d", 8), "Nlyy----");
	assert_string_equal(plan(f, "RETENTION.branch = */main: younger 1d", 800), "N-------");
	assert_string_equal(plan(f, "RETENTION.branch = */main: all", 800), "AAAAAAAA");
	assert_string_equal(plan(f, "RETENTION.branch = */other: last 1", 8), "RRRRRRRR");
	assert_string_equal(plan(f, "RETENTION.runs = *: last 1", 8), "RRRRRRRR");
	/* the first rule counts */
	assert_string_equal(plan(f, "RETENTION.branch = p/*: last 5\nRETENTION.branch = *: last 1", 8), "Nllll---");
}

static void what_is_marked_stays(void **state)
{
	struct fixture *f = *state;

	f->tagged[0] = id_of(7);
	f->tagged[1] = id_of(2);
	f->store.n_tagged = 2;
	name_run(f, "p/a", 1, 1)->noted = true;
	name_run(f, "p/b", 4, 4)->training = true;
	name_run(f, "p/c", 5, 5);
	assert_string_equal(plan(f, "RETENTION.branch = *: last 1", 8), "Nt--r-to");
}

/* Run 6 was pushed again as 7 and 8 while it trained: it is one of the last 2. */
static void a_run_that_grew_counts_once(void **state)
{
	struct fixture *f = *state;

	name_run(f, "p/grew", 8, 8);
	f->versions[f->store.n_versions++] = (struct ts_retention_version){id_of(7), 0};
	f->versions[f->store.n_versions++] = (struct ts_retention_version){id_of(6), 0};
	assert_string_equal(plan(f, "RETENTION.branch = *: last 2", 8), "Nlll----");
}

/* A plan of day 6 that is made again on day 8 lets nothing go that it did not before. */
static void what_came_later_does_not_count(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(plan(f, "RETENTION.branch = *: last 2, younger 3d", 6), "NLlly---");
	name_run(f, "p/new", 20, 7);
	name_run(f, "p/old", 21, 6);
	name_run(f, "p/older", 22, 5);
	(void)plan(f, "RETENTION.runs = *: last 1", 6);
	assert_int_equal(f->names[0].why, TS_RETENTION_LATER);
	assert_int_equal(f->names[1].why, TS_RETENTION_LAST);
	assert_int_equal(f->names[2].why, TS_RETENTION_GOES);
}

static void names_stay_with_their_branch(void **state)
{
	struct fixture *f = *state;

	f->tagged[0] = id_of(30);
	f->store.n_tagged = 1;
	name_run(f, "p/at-7", 7, 1);  /* its entry stays, and the gate reads its notes */
	name_run(f, "p/at-3", 3, 1);  /* its entry goes */
	name_run(f, "p/tag", 30, 1);
	name_run(f, "p/new", 31, 2);
	name_run(f, "q/new", 31, 1);  /* the newest of its project */
	name_run(f, "r/any", 32, 1);
	(void)plan(f, "RETENTION.branch = *: last 2\nRETENTION.runs = r/*: all\nRETENTION.runs = *: last 1", 8);
	assert_int_equal(f->names[0].why, TS_RETENTION_ON_BRANCH);
	assert_int_equal(f->names[1].why, TS_RETENTION_GOES);
	assert_int_equal(f->names[2].why, TS_RETENTION_TAGGED);
	assert_int_equal(f->names[3].why, TS_RETENTION_LAST);
	assert_int_equal(f->names[4].why, TS_RETENTION_LAST);
	assert_int_equal(f->names[5].why, TS_RETENTION_ALL);
	(void)plan(f, "RETENTION.branch = *: last 2", 8);
	assert_int_equal(f->names[1].why, TS_RETENTION_NO_RULE);
}

static void every_reason_has_a_word(void **state)
{
	(void)state;
	for (int i = 0; i < TS_RETENTION_REASONS; i++)
		assert_non_null(ts_retention_reason_word(i));
	assert_null(ts_retention_reason_word(TS_RETENTION_REASONS));
	assert_null(ts_retention_reason_word(-1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_newest_and_the_young_stay),
		TEST(what_is_marked_stays),
		TEST(a_run_that_grew_counts_once),
		TEST(what_came_later_does_not_count),
		TEST(names_stay_with_their_branch),
		TEST(every_reason_has_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
