/* From what a person types to an id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/core/test_runs.h"

#include <stdio.h>

static struct test_store s;
static struct ts_id first, second;

static int setup(void **state)
{
	struct test_run run = test_run_plain();

	(void)state;
	test_store_open(&s);
	first = test_run_put(&s, &run);
	run.steps = 20;
	second = test_run_put(&s, &run);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_store_close(&s);
	return 0;
}

static void put_ref(enum ts_ref_kind kind, const char *name, struct ts_id id)
{
	struct ts_ref_update u = {.kind = kind, .name = ts_span_str(name), .id = id};

	must(s.engine->ops->commit(s.engine, &u, 1, &s.arena, NULL, &s.err), &s.err);
}

static enum ts_status resolve(const char *spec, struct ts_resolved *ret)
{
	return ts_resolve(s.engine, ts_span_str(spec), &s.arena, ret, &s.err);
}

static void expect_ref(const char *spec, enum ts_ref_kind kind, struct ts_id id)
{
	struct ts_resolved r;

	must(resolve(spec, &r), &s.err);
	assert_true(r.by_ref);
	assert_int_equal(r.ref.kind, kind);
	assert_true(ts_id_eq(&r.id, &id));
}

static void expect_id(const char *spec, struct ts_id id)
{
	struct ts_resolved r;

	must(resolve(spec, &r), &s.err);
	assert_false(r.by_ref);
	assert_true(ts_id_eq(&r.id, &id));
}

static void expect_error(const char *spec, enum ts_status status, const char *text)
{
	struct ts_resolved r;

	assert_int_equal(resolve(spec, &r), status);
	if (!strstr(s.err.text, text))
		fail_msg("%s: %s", spec, s.err.text);
}

static void finds_names(void **state)
{
	(void)state;
	put_ref(TS_REF_RUN, "p/exp", first);
	put_ref(TS_REF_TAG, "p/v1", second);
	put_ref(TS_REF_BRANCH, "p/main", second);
	expect_ref("p/exp", TS_REF_RUN, first);
	expect_ref("?p/exp", TS_REF_RUN, first);
	expect_ref("run:p/exp", TS_REF_RUN, first);
	expect_ref("p/v1", TS_REF_TAG, second);
	expect_ref("tag:p/v1", TS_REF_TAG, second);
	expect_ref("?p/main", TS_REF_BRANCH, second);
	expect_ref("branch:p/main", TS_REF_BRANCH, second);
	expect_error("tag:p/exp", TS_NOT_FOUND, "nothing is named p/exp");
	/* A slash belongs to a name of the project; where there is none, the project may be in front. */
	put_ref(TS_REF_RUN, "p/sweep/1", second);
	expect_ref("?p/sweep/1", TS_REF_RUN, second);
	expect_ref("?other/p/exp", TS_REF_RUN, first);
	put_ref(TS_REF_RUN, "sweep/1", first);
	expect_ref("?p/sweep/1", TS_REF_RUN, second);
	expect_ref("?p/project:sweep/1", TS_REF_RUN, first);
	expect_ref("?q/sweep/1", TS_REF_RUN, first);
	expect_ref("?p/run:sweep/1", TS_REF_RUN, second);
	expect_ref("?p/tag:v1", TS_REF_TAG, second);
	expect_error("?p/tag:sweep/1", TS_NOT_FOUND, "nothing is named sweep/1");
	expect_ref("p/sweep/1", TS_REF_RUN, second);
	expect_error("?p/sweep/2", TS_NOT_FOUND, "nothing is named sweep/2");
}

static void finds_ids(void **state)
{
	char hex[TS_ID_HEX + 1], spec[80];

	(void)state;
	ts_id_hex(&first, hex);
	(void)snprintf(spec, sizeof spec, "id:%s", hex);
	expect_id(spec, first);
	expect_id(hex, first);
	(void)snprintf(spec, sizeof spec, "id:%.9s", hex);
	expect_id(spec, first);
	(void)snprintf(spec, sizeof spec, "?p/%.9s", hex);
	expect_id(spec, first);
	for (char *c = spec + 3; *c; c++)
		*c = *c >= 'a' && *c <= 'f' ? (char)(*c - 32) : *c; /* upper case */
	expect_id(spec, first);
	expect_error("id:12", TS_INVALID, "4 to 64 hex digits");
	expect_error("?p/id:abcd1234", TS_NOT_FOUND, "nothing is named id:abcd1234");
	expect_error("id:xyzw", TS_INVALID, "hex digits");
	/* Only heads are runs, although the index of the run has an id too. */
	{
		struct ts_get_reply got;
		char index[TS_ID_HEX + 1];

		put_ref(TS_REF_RUN, "p/exp", first);
		must(test_get(&s, "p/exp", &got), &s.err);
		ts_id_hex((const struct ts_id *)(const void *)(got.head.data + 16), index);
		expect_error(index, TS_NOT_FOUND, "nothing is named");
	}
}

static void lists_candidates(void **state)
{
	char hex[TS_ID_HEX + 1], name[80], want[80];

	(void)state;
	put_ref(TS_REF_RUN, "p/x", first);
	put_ref(TS_REF_TAG, "p/x", second);
	expect_error("p/x", TS_AMBIGUOUS, "run:p/x, tag:p/x");
	expect_ref("run:p/x", TS_REF_RUN, first);
	/* A name that is also the beginning of an id is a name, but not if it is as long as the ids that are shown. */
	(void)snprintf(name, sizeof name, "p/%.6s", ts_id_hex(&second, hex));
	put_ref(TS_REF_RUN, name, first);
	(void)snprintf(name, sizeof name, "?p/%.6s", hex);
	expect_ref(name, TS_REF_RUN, first);
	(void)snprintf(name, sizeof name, "p/%.12s", hex);
	put_ref(TS_REF_RUN, name, first);
	(void)snprintf(name, sizeof name, "?p/%.12s", hex);
	(void)snprintf(want, sizeof want, "run:p/%.12s, id:%.16s", hex, hex);
	expect_error(name, TS_AMBIGUOUS, want);
}

static void offers_near_names(void **state)
{
	(void)state;
	put_ref(TS_REF_RUN, "p/baseline", first);
	put_ref(TS_REF_RUN, "p/baseline-2", first);
	put_ref(TS_REF_RUN, "p/other", first);
	put_ref(TS_REF_RUN, "q/baseline", first);
	expect_error("p/basline", TS_NOT_FOUND, "similar names: p/baseline, p/baseline-2");
	assert_null(strstr(s.err.text, "other"));
	assert_null(strstr(s.err.text, "q/"));
	put_ref(TS_REF_BRANCH, "p/main", first);
	put_ref(TS_REF_TAG, "p/v1.0", first);
	expect_error("p/mian", TS_NOT_FOUND, "similar names: p/main");
	expect_error("p/v1.1", TS_NOT_FOUND, "similar names: p/v1.0");
	expect_error("tag:p/mian", TS_NOT_FOUND, "nothing is named p/mian");
	assert_null(strstr(s.err.text, "main"));
	expect_error("p/zzzzzzzz", TS_NOT_FOUND, "nothing is named p/zzzzzzzz");
	assert_null(strstr(s.err.text, "near"));
}

/* The nearest name is offered first, however many stand before it: one letter in the other case, two that changed places. */
static void offers_the_nearest_of_many(void **state)
{
	char name[32];

	(void)state;
	for (int i = 0; i < 1200; i++) {
		(void)snprintf(name, sizeof name, "p/exp%04d", i);
		put_ref(TS_REF_RUN, name, first);
	}
	put_ref(TS_REF_RUN, "p/zeta-run", first);
	put_ref(TS_REF_RUN, "p/zeta-rat", first);
	expect_error("p/zeta-rnu", TS_NOT_FOUND, "similar names: p/zeta-run, p/zeta-rat");
	expect_error("p/Zeta-run", TS_NOT_FOUND, "similar names: p/zeta-run, p/zeta-rat");
	expect_error("p/exp119", TS_NOT_FOUND, "p/exp1190");
}

static struct ts_found_name find(const char *project, const char *word)
{
	struct ts_call call = {.engine = s.engine, .arena = &s.arena, .deadline_ns = INT64_MAX};
	struct ts_span words[] = {ts_span_str("nothing-of-this-name"), ts_span_str(word)};
	struct ts_find_request request = {.project = ts_span_str(project), .words = words, .n = 2};
	struct ts_found_name found[2];

	must(ts_find_names(&call, &request, found, &s.err), &s.err);
	assert_int_equal(found[0].found, TS_FOUND_NOTHING);
	return found[1];
}

static void expect_found(const char *word, enum ts_found_by found, const char *name, struct ts_id id)
{
	struct ts_found_name f = find("p", word);

	if (f.found != found)
		fail_msg("%s: %d, %.*s", word, (int)f.found, TS_SPAN_ARG(f.why));
	assert_true(f.has_id && ts_id_eq(&f.id, &id));
	if (!ts_span_is(f.name, name))
		fail_msg("%s: %.*s", word, TS_SPAN_ARG(f.name));
}

static void expect_not_found(const char *word, enum ts_found_by found, const char *why)
{
	struct ts_found_name f = find("p", word);

	if (f.found != found || !strstr((const char *)f.why.data, why))
		fail_msg("%s: %d, %.*s", word, (int)f.found, TS_SPAN_ARG(f.why));
	assert_false(f.has_id);
}

/* What no name is exactly may be the end of one. */
static void finds_ends(void **state)
{
	char hex[TS_ID_HEX + 1];

	(void)state;
	put_ref(TS_REF_RUN, "p/runs30/exp23", first);
	put_ref(TS_REF_RUN, "p/sweep/a", first);
	put_ref(TS_REF_RUN, "p/sweep/b/a", second);
	put_ref(TS_REF_TAG, "p/release/v1", second);
	put_ref(TS_REF_RUN, "q/deep/er/x", second);
	put_ref(TS_REF_RUN, "q/deep/a", second);
	expect_found("exp23", TS_FOUND_END, "p/runs30/exp23", first);
	expect_found("runs30/exp23", TS_FOUND_NAME, "p/runs30/exp23", first);
	expect_found("p/runs30/exp23", TS_FOUND_NAME, "p/runs30/exp23", first);
	expect_found("p/exp23", TS_FOUND_END, "p/runs30/exp23", first);
	expect_found("project:p/exp23", TS_FOUND_END, "p/runs30/exp23", first);
	expect_found("run:exp23", TS_FOUND_END, "p/runs30/exp23", first);
	expect_found("v1", TS_FOUND_END, "p/release/v1", second);
	expect_found("q/x", TS_FOUND_END, "q/deep/er/x", second);
	expect_found("q/er/x", TS_FOUND_END, "q/deep/er/x", second);
	expect_not_found("tag:exp23", TS_FOUND_NOTHING, "nothing is named p/exp23");
	expect_not_found("xp23", TS_FOUND_NOTHING, "nothing is named p/xp23; similar names: p/runs30/exp23");
	expect_not_found("x", TS_FOUND_NOTHING, "nothing is named p/x"); /* that of q is not meant */
	put_ref(TS_REF_RUN, "p/exp1", first);
	expect_not_found("runs/exp3", TS_FOUND_NOTHING, "nothing is named runs/exp3; similar names: p/exp1, p/runs30/exp23");
	expect_not_found("some/where/exp3", TS_FOUND_NOTHING, "nothing is named some/where/exp3; similar names: p/exp1");
	expect_not_found("a", TS_FOUND_SEVERAL, "p/a is ambiguous; it may be run:p/sweep/a, run:p/sweep/b/a");
	put_ref(TS_REF_TAG, "p/sweep/c", first);
	put_ref(TS_REF_RUN, "p/c", first);
	put_ref(TS_REF_TAG, "p/c", first);
	assert_true(find("p", "c").found == TS_FOUND_SEVERAL && find("p", "c").has_id); /* whichever is meant, it is this run */
	expect_found("b/a", TS_FOUND_END, "p/sweep/b/a", second);
	expect_not_found("x y", TS_FOUND_NO_WORD, "byte 4 of a name");
	expect_not_found("project:x", TS_FOUND_NO_WORD, "project/name");
	/* An exact name is not looked for as an end, nor is one as many digits of an id as are shown. */
	put_ref(TS_REF_RUN, "p/a", second);
	expect_found("a", TS_FOUND_NAME, "p/a", second);
	hex[12] = '\0';
	expect_found(strcpy(hex, ts_id_hex(&first, (char[TS_ID_HEX + 1]){0})), TS_FOUND_ID, "", first);
	hex[6] = '\0';
	expect_found(hex, TS_FOUND_ID, "", first);
}

static void tells_of_other_projects(void **state)
{
	struct ts_found_name f;

	(void)state;
	put_ref(TS_REF_RUN, "p/q/1", first);
	f = find("p", "q/1");
	assert_true(f.found == TS_FOUND_NAME && !f.has_project && !f.why.len);
	put_ref(TS_REF_RUN, "q/1", second);
	f = find("p", "q/1");
	assert_true(ts_span_is(f.name, "p/q/1") && f.has_project);
	assert_true(ts_span_is(f.why, "project:q/1 is another one"));
	f = find("p", "q/new");
	assert_true(f.found == TS_FOUND_NOTHING && f.has_project);
	f = find("p", "r/new");
	assert_true(f.found == TS_FOUND_NOTHING && !f.has_project);
}

static void refuses_what_is_no_name(void **state)
{
	static const char *const bad[] = {"",      "x",     "/x",    "p/",   "p//x", "p/../x",
					  "p/x y", "p/x\n", "run:x", "run:", "?",    "tag:p/-x"};
	char text[2 * TS_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		expect_error(bad[i], TS_INVALID, "name");
	memset(text, 'a', sizeof text);
	text[1] = '/';
	text[TS_NAME_MAX] = '\0';
	assert_int_equal(ts_name_check(ts_span_str(text), &s.err), TS_OK);
	text[TS_NAME_MAX] = 'a';
	text[TS_NAME_MAX + 1] = '\0';
	expect_error(text, TS_INVALID, "128");
	assert_int_equal(ts_name_check(ts_span_str("p/a/b.c_d+e-1"), &s.err), TS_OK);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(finds_names), T(finds_ids), T(lists_candidates), T(offers_near_names),
		T(offers_the_nearest_of_many), T(finds_ends), T(tells_of_other_projects),
		T(refuses_what_is_no_name),
	};

	return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
