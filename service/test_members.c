/* A share of work for each server of a store: all of it is done, by whomever, and nobody waits for one that is away, deaf, slow, older,
 * or wrong. Members are servers in this process over the handlers of service/rpc/testing.h. */
#include "service/members.h"

#include "base/clock.h"
#include "base/limits.h"
#include "service/handlers/core/test_must.h"
#include "service/rpc/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 200, MEMBERS = 2 };

#define MS INT64_C(1000000)

static struct testing servers[MEMBERS];
static char addresses[MEMBERS * 100 + 100];
static struct ts_members *members;
static struct ts_server_facts facts;
static struct ts_arena arena;
static struct ts_error err;

/* Items are numbers; what one comes to is its triple. */
static struct ts_id runs[ITEMS];
static uint8_t came_to[ITEMS];
static bool done[ITEMS];
static size_t own_n, stop_after;
static int64_t own_ns;
static bool cancelled, lies, is_self;
static bool (*awaited)(void); /* what own work begins after; NULL: nothing */
static int64_t deadline_ns;

static enum ts_status put_items(void *ctx, const size_t *items, size_t n, struct ts_buf *out, struct ts_error *ret_err)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++)
		ts_buf_u8(out, (uint8_t)items[i]);
	return ts_buf_check(out, ret_err);
}

static void take_items(void *ctx, struct ts_span reply, bool *io_done, bool *ret_self)
{
	(void)ctx;
	*ret_self = is_self;
	for (size_t i = 0; i < reply.len && !lies && !is_self; i++) {
		size_t item = reply.data[i];

		assert_true(item < ITEMS);
		if (io_done[item])
			continue;
		came_to[item] = (uint8_t)(3 * item);
		io_done[item] = true;
	}
}

static enum ts_status do_own(void *ctx, size_t item, struct ts_error *ret_err)
{
	struct timespec wait = {.tv_nsec = own_ns};

	(void)ctx;
	(void)ret_err;
	for (int i = 0; awaited && !awaited() && i < 1000; i++)
		(void)usleep(10000);
	awaited = NULL;
	(void)nanosleep(&wait, NULL);
	came_to[item] = (uint8_t)(3 * item);
	own_n++;
	cancelled = stop_after && own_n >= stop_after;
	return TS_OK;
}

static bool is_cancelled(const struct ts_call *call)
{
	(void)call;
	return cancelled;
}

static enum ts_status share(const char *method)
{
	struct ts_call call = {.server = &facts, .deadline_ns = deadline_ns, .cancelled = is_cancelled};
	const struct ts_share_work work = {.method = method, .runs = runs, .n = ITEMS, .done = done, .request = put_items,
					   .take = take_items, .own = do_own};

	memset(done, 0, sizeof done);
	memset(came_to, 0xff, sizeof came_to);
	own_n = 0;
	return ts_members_share(&call, &work, &err);
}

static void all_is_done(void)
{
	for (size_t i = 0; i < ITEMS; i++) {
		assert_true(done[i]);
		assert_int_equal(came_to[i], (uint8_t)(3 * i));
	}
}

static struct ts_member_state state_of(size_t i)
{
	struct ts_member_state s;

	assert_true(ts_members_look(members, i, &s));
	return s;
}

static bool both_sleep(void)
{
	return atomic_load(&testing_sleeping) == MEMBERS;
}

static bool both_stopped(void)
{
	return atomic_load(&testing_stopped) == MEMBERS;
}

static bool both_failed(void)
{
	return state_of(0).failures && state_of(1).failures;
}

static bool third_failed(void)
{
	return state_of(2).failures;
}

static void start_members(const char *list)
{
	const struct ts_members_options options = {.addresses = list, .token_file = "", .ca = ""};

	must(ts_members_start(&options, &members, &err), &err);
	facts.members = members;
}

static int setup(void **state)
{
	(void)state;
	assert_int_equal(ts_digest_init(&err), TS_OK);
	ts_arena_init(&arena, TS_CALL_ARENA);
	for (size_t i = 0; i < ITEMS; i++)
		ts_digest(ts_span_of(&i, sizeof i), &runs[i]);
	for (size_t i = 0; i < MEMBERS; i++) {
		testing_init(&servers[i]);
		testing_start(&servers[i]);
	}
	(void)snprintf(addresses, sizeof addresses, "%s,%s", servers[0].unix_address, servers[1].unix_address);
	facts = (struct ts_server_facts){.version = "test"};
	members = NULL;
	own_ns = MS / 2;
	cancelled = lies = is_self = false;
	awaited = NULL;
	deadline_ns = INT64_MAX;
	stop_after = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_true(ts_members_stop(members));
	for (size_t i = 0; i < MEMBERS; i++)
		testing_finish(&servers[i]);
	ts_arena_finish(&arena);
	return 0;
}

static void alone_it_does_all(void **state)
{
	(void)state;
	must(share("PoolEcho"), &err);
	all_is_done();
	assert_int_equal(own_n, ITEMS);
}

static void members_do_their_share(void **state)
{
	(void)state;
	start_members(addresses);
	own_ns = 20 * MS; /* four seconds for all */
	must(share("PoolEcho"), &err);
	all_is_done();
	/* Neither is this server, so all items belong to members, who take microseconds for a part that takes this server 320 ms. */
	assert_in_range(own_n, 0, ITEMS / 2);
	assert_int_equal(state_of(0).items + state_of(1).items + own_n, ITEMS);
	assert_true(state_of(0).items > 0 && state_of(1).items > 0);
	assert_int_equal(state_of(0).failures + state_of(1).failures, 0);
}

static void nobody_waits_for_one_that_is_slow(void **state)
{
	int64_t began_ns = ts_now_mono_ns();

	(void)state;
	atomic_store(&testing_sleeping, 0);
	atomic_store(&testing_stopped, 0);
	start_members(addresses);
	awaited = both_sleep;
	must(share("LongSleep"), &err); /* which takes 20 s unless it is told to stop */
	all_is_done();
	assert_int_equal(own_n, ITEMS);
	assert_in_range(ts_now_mono_ns() - began_ns, 0, 10000 * MS);
	/* What nobody waits for is cancelled there, too. */
	for (int i = 0; i < 500 && atomic_load(&testing_stopped) < MEMBERS; i++)
		(void)usleep(10000);
	assert_int_equal(atomic_load(&testing_sleeping), MEMBERS);
	assert_int_equal(atomic_load(&testing_stopped), MEMBERS);
	assert_int_equal(state_of(0).failures + state_of(1).failures, 0); /* it was not asked long enough to be slow */
}

static void one_that_is_away_is_done_without(void **state)
{
	const char *list = ts_arena_printf(&arena, "%s,unix:/tmp/tscope-test-nobody-listens", addresses);

	(void)state;
	assert_non_null(list);
	start_members(list);
	awaited = third_failed;
	must(share("PoolEcho"), &err);
	all_is_done();
	assert_int_equal(state_of(2).items, 0);
	assert_int_equal(state_of(2).failures, 1);
	must(share("PoolEcho"), &err); /* it is not asked again so soon */
	all_is_done();
	assert_int_equal(state_of(2).failures, 1);
}

/* The kernel accepts its connections, and nobody reads. */
static void one_that_is_deaf_is_done_without(void **state)
{
	int64_t began_ns = ts_now_mono_ns();
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	(void)snprintf(name.sun_path, sizeof name.sun_path, "%s/deaf", servers[0].dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
	assert_int_equal(listen(fd, 8), 0);
	start_members(ts_arena_printf(&arena, "%s,unix:%s", addresses, name.sun_path));
	must(share("PoolEcho"), &err);
	all_is_done();
	assert_in_range(ts_now_mono_ns() - began_ns, 0, 3000 * MS); /* a connection is given up after TS_CONNECT_SECONDS */
	(void)close(fd);
}

static void one_that_refuses_or_is_older_is_done_without(void **state)
{
	(void)state;
	start_members(addresses);
	awaited = both_failed;
	must(share("NoSuchMethod"), &err);
	all_is_done();
	assert_int_equal(own_n, ITEMS);
	assert_int_equal(state_of(0).failures, 1);
	assert_int_equal(state_of(1).failures, 1);
}

static void an_answer_that_is_no_good_is_done_again(void **state)
{
	(void)state;
	start_members(addresses);
	lies = true;
	must(share("PoolEcho"), &err);
	all_is_done();
	assert_int_equal(own_n, ITEMS);
}

static void it_finds_itself_in_the_list(void **state)
{
	(void)state;
	start_members(addresses);
	is_self = true;
	own_ns = 5 * MS;
	must(share("PoolEcho"), &err);
	all_is_done();
	assert_int_equal(own_n, ITEMS);
	assert_true(state_of(0).self || state_of(1).self);
}

static void one_that_ends_in_the_middle_is_done_without(void **state)
{
	(void)state;
	start_members(addresses);
	own_ns = 5 * MS;
	must(share("PoolEcho"), &err);
	testing_finish(&servers[1]); /* its connection stands */
	must(share("PoolEcho"), &err);
	all_is_done();
	assert_true(state_of(0).items > 0);
	testing_init(&servers[1]);
}

/* Connections are closed meanwhile, as those that are idle for long are. */
static void one_that_came_back_is_asked_at_once(void **state)
{
	uint64_t items;

	(void)state;
	start_members(addresses);
	own_ns = 20 * MS;
	must(share("PoolEcho"), &err);
	items = state_of(0).items;
	assert_true(items > 0);
	ts_server_destroy(servers[0].server);
	testing_start(&servers[0]);
	must(share("PoolEcho"), &err);
	all_is_done();
	assert_true(state_of(0).items > items);
	assert_int_equal(state_of(0).failures, 0);
}

static void a_call_that_is_cancelled_ends(void **state)
{
	(void)state;
	start_members(addresses);
	stop_after = 5;
	assert_int_equal(share("LongSleep"), TS_CANCELLED);
	assert_int_equal(own_n, 5);
}

/* A call that had little time says nothing of the members, who are asked again at once. */
static void a_call_whose_time_is_over_ends(void **state)
{
	(void)state;
	atomic_store(&testing_stopped, 0);
	start_members(addresses);
	awaited = both_stopped;
	own_ns = 200 * MS; /* so that members see it before they are told */
	deadline_ns = ts_now_mono_ns() + 1000 * MS;
	assert_int_equal(share("LongSleep"), TS_DEADLINE);
	assert_int_equal(own_n, 1);
	deadline_ns = INT64_MAX;
	own_ns = 20 * MS;
	must(share("PoolEcho"), &err);
	all_is_done();
	assert_true(state_of(0).items > 0 && state_of(1).items > 0);
	assert_int_equal(state_of(0).failures + state_of(1).failures, 0);
}

static void addresses_are_checked(void **state)
{
	const struct ts_members_options ssh = {.addresses = "tls:a:1,ssh://b"}, empty = {.addresses = "tls:a:1,"};

	(void)state;
	assert_int_equal(ts_members_start(&ssh, &members, &err), TS_INVALID);
	assert_int_equal(ts_members_start(&empty, &members, &err), TS_INVALID);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(alone_it_does_all),
		T(members_do_their_share),
		T(nobody_waits_for_one_that_is_slow),
		T(one_that_is_away_is_done_without),
		T(one_that_is_deaf_is_done_without),
		T(one_that_refuses_or_is_older_is_done_without),
		T(an_answer_that_is_no_good_is_done_again),
		T(it_finds_itself_in_the_list),
		T(one_that_ends_in_the_middle_is_done_without),
		T(one_that_came_back_is_asked_at_once),
		T(a_call_that_is_cancelled_ends),
		T(a_call_whose_time_is_over_ends),
		T(addresses_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
