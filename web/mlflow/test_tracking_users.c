/* Doors of many tokens: each has its own runs, and places are for those that are used. */
#include "web/mlflow/tracking_users.h"

#include "base/file.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

static const char *name_of(void *ctx, const char *token, struct ts_span experiment, struct ts_span run, const char *id,
			   struct ts_arena *arena)
{
	(void)ctx, (void)token, (void)run;
	return ts_arena_printf(arena, "p/%.*s/%s", TS_SPAN_ARG(experiment), id);
}

static enum ts_status push(void *ctx, const char *token, const char *folder, const char *name, const char *state, bool begins,
			   enum ts_tracking_kept *ret_kept, struct ts_error *err)
{
	(void)ctx, (void)token, (void)folder, (void)name, (void)state, (void)begins, (void)err;
	*ret_kept = TS_TRACKING_KEPT_ALL;
	return TS_OK;
}

static enum ts_status remove_name(void *ctx, const char *token, const char *name, bool back, struct ts_error *err)
{
	(void)ctx, (void)token, (void)name, (void)back, (void)err;
	return TS_OK;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static int status_of(struct ts_tracking *door, const char *path, const char *query, bool post)
{
	struct ts_tracking_call call = {.method = post ? TS_TRACKING_POST : TS_TRACKING_GET, .path = ts_span_str(path)};
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_tracking_reply reply = {.out = &out};
	struct ts_arena arena;

	*(post ? &call.body : &call.query) = ts_span_str(query);
	ts_arena_init(&arena, 0);
	ts_tracking_answer(door, &call, &arena, &reply);
	ts_arena_finish(&arena);
	ts_buf_finish(&out);
	return reply.status;
}

static struct ts_tracking *door_of(struct ts_tracking_users *users, const char *token)
{
	struct ts_tracking *door = NULL;
	struct ts_error err;

	assert_int_equal(ts_tracking_users_door(users, ts_span_str(token), &door, &err), TS_OK);
	return door;
}

static bool knows(struct ts_tracking *door, const char *experiment)
{
	char query[100];
	int status;

	(void)snprintf(query, sizeof query, "experiment_name=%s", experiment);
	status = status_of(door, "/api/2.0/mlflow/experiments/get-by-name", query, false);
	assert_true(status == 200 || status == 404);
	return status == 200;
}

static void a_place_that_nobody_uses_goes_to_who_comes(void **state)
{
	char folder[] = "/tmp/tscope-users-XXXXXX";
	struct ts_tracking_wanted wanted = {.folder = folder, .name = name_of, .push = push, .remove = remove_name};
	struct ts_tracking_users *users;
	struct ts_tracking *ann, *bob, *eve;
	struct ts_error err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(ts_tracking_users_open(&wanted, 2, 0, &users, &err), TS_OK);
	ann = door_of(users, "ann");
	bob = door_of(users, "bob");
	assert_int_equal(status_of(ann, "/api/2.0/mlflow/experiments/create", "{\"name\":\"hers\"}", true), 200);
	assert_true(knows(ann, "hers"));
	assert_false(knows(bob, "hers"));
	assert_int_equal(ts_tracking_users_door(users, ts_span_str("eve"), &eve, &err), TS_FULL); /* both are in hands */
	ts_tracking_users_give(users, ann);
	eve = door_of(users, "eve"); /* in the place of ann, whose folder stays */
	assert_false(knows(eve, "hers"));
	assert_int_equal(ts_tracking_users_door(users, ts_span_str("ann"), &ann, &err), TS_FULL);
	ts_tracking_users_give(users, bob);
	ann = door_of(users, "ann");
	assert_true(knows(ann, "hers"));
	ts_tracking_users_close(users);
	assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void a_place_that_was_used_lately_stays(void **state)
{
	char folder[] = "/tmp/tscope-users-XXXXXX";
	struct ts_tracking_wanted wanted = {.folder = folder, .name = name_of, .push = push, .remove = remove_name};
	struct ts_tracking_users *users;
	struct ts_tracking *door;
	struct ts_error err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(ts_tracking_users_open(&wanted, 1, 100000, &users, &err), TS_OK);
	ts_tracking_users_give(users, door_of(users, "ann"));
	assert_int_equal(ts_tracking_users_door(users, ts_span_str("bob"), &door, &err), TS_FULL);
	ts_tracking_users_give(users, door_of(users, "ann"));
	ts_tracking_users_close(users);
	assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_that_nobody_uses_goes_to_who_comes),
		cmocka_unit_test(a_place_that_was_used_lately_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
