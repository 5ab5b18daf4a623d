/* Doors of many tokens: each has its own runs, and places are for those that are used. */
#include "web/mlflow/tracking_users.h"

#include "base/file.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

/* What pushes of ann do: nothing, fail, or wait until they may go on. */
static enum { GO_ON, FAIL, WAIT } pushes_of_ann;
static sem_t push_began, push_goes_on;
static bool waited_too_long;

static bool wait_for(sem_t *what)
{
	struct timespec limit;
	int failed;

	(void)clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	while ((failed = sem_timedwait(what, &limit)) != 0 && errno == EINTR)
		;
	return failed == 0;
}

static const char *name_of(void *ctx, const char *token, struct ts_span experiment, struct ts_span run, const char *id,
			   struct ts_arena *arena)
{
	(void)ctx, (void)token, (void)run;
	return ts_arena_printf(arena, "p/%.*s/%s", TS_SPAN_ARG(experiment), id);
}

static enum ts_status push(void *ctx, const char *token, const char *folder, const char *name, const char *state, bool begins,
			   enum ts_tracking_kept *ret_kept, struct ts_error *err)
{
	(void)ctx, (void)folder, (void)name, (void)state, (void)begins;
	*ret_kept = TS_TRACKING_KEPT_ALL;
	if (strcmp(token, "ann") != 0 || pushes_of_ann == GO_ON)
		return TS_OK;
	if (pushes_of_ann == FAIL)
		return ts_error_set(err, TS_UNAVAILABLE, "the server does not answer");
	sem_post(&push_began);
	waited_too_long |= !wait_for(&push_goes_on);
	return TS_OK;
}

static enum ts_status remove_name(void *ctx, const char *token, const char *name, bool back, struct ts_error *err)
{
	(void)ctx, (void)token, (void)name, (void)back, (void)err;
	return TS_OK;
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
	ts_remove_tree(folder);
	assert_int_equal(ts_file_kind(folder), TS_FILE_NONE);
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
	ts_remove_tree(folder);
	assert_int_equal(ts_file_kind(folder), TS_FILE_NONE);
}

/* A run that is not pushed yet, since its push fails or waits. */
static void make_run(struct ts_tracking *door)
{
	pushes_of_ann = FAIL;
	assert_int_equal(status_of(door, "/api/2.0/mlflow/runs/create", "{\"experiment_id\":\"0\",\"run_name\":\"r\"}", true), 200);
}

static void who_has_pushed_all_makes_place_first(void **state)
{
	char folder[] = "/tmp/tscope-users-XXXXXX";
	struct ts_tracking_wanted wanted = {.folder = folder, .name = name_of, .push = push, .remove = remove_name};
	struct ts_tracking_users *users;
	struct ts_tracking *ann;
	struct ts_error err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(ts_tracking_users_open(&wanted, 2, 0, &users, &err), TS_OK);
	ann = door_of(users, "ann");
	make_run(ann);
	ts_tracking_users_give(users, ann);
	ts_tracking_users_give(users, door_of(users, "bob")); /* later */
	(void)door_of(users, "eve");
	assert_ptr_equal(door_of(users, "ann"), ann);
	pushes_of_ann = GO_ON;
	ts_tracking_users_close(users);
	ts_remove_tree(folder);
	assert_int_equal(ts_file_kind(folder), TS_FILE_NONE);
}

static void *come_as_eve(void *users)
{
	(void)door_of(users, "eve");
	return NULL;
}

static void nobody_waits_for_a_door_that_closes(void **state)
{
	char folder[] = "/tmp/tscope-users-XXXXXX";
	struct ts_tracking_wanted wanted = {.folder = folder, .name = name_of, .push = push, .remove = remove_name};
	struct ts_tracking_users *users;
	struct ts_tracking *ann;
	struct ts_error err;
	pthread_t eve;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(sem_init(&push_began, 0, 0), 0);
	assert_int_equal(sem_init(&push_goes_on, 0, 0), 0);
	assert_int_equal(ts_tracking_users_open(&wanted, 2, 0, &users, &err), TS_OK);
	(void)door_of(users, "bob");
	ann = door_of(users, "ann");
	make_run(ann);
	pushes_of_ann = WAIT;
	ts_tracking_users_give(users, ann);
	assert_int_equal(pthread_create(&eve, NULL, come_as_eve, users), 0);
	assert_true(wait_for(&push_began)); /* of the run of ann, whose door closes */
	(void)door_of(users, "bob");
	assert_int_equal(ts_tracking_users_door(users, ts_span_str("ann"), &ann, &err), TS_UNAVAILABLE);
	sem_post(&push_goes_on);
	assert_int_equal(pthread_join(eve, NULL), 0);
	assert_false(waited_too_long);
	pushes_of_ann = GO_ON;
	ts_tracking_users_close(users);
	sem_destroy(&push_began);
	sem_destroy(&push_goes_on);
	ts_remove_tree(folder);
	assert_int_equal(ts_file_kind(folder), TS_FILE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_that_nobody_uses_goes_to_who_comes),
		cmocka_unit_test(a_place_that_was_used_lately_stays),
		cmocka_unit_test(who_has_pushed_all_makes_place_first),
		cmocka_unit_test(nobody_waits_for_a_door_that_closes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
