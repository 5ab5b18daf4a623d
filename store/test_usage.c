/* Tests what a store counts of projects and senders, and that it asks before they use more. What is expected is summed up from the
 * objects that a test makes. */
#include "base/alloc.h"
#include "base/clock.h"
#include "store/lmdb_internal.h"
#include "store/store_internal.h"
#include "store/test_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

/* Lets every account have `most` of one use. */
struct purse {
	enum ts_use use;
	uint64_t most;
	bool closed;
	unsigned refused;
};

struct fixture {
	char dir[256];
	struct ts_engine *e;
	struct purse purse;
	struct ts_spending spending;
	struct ts_arena arena;
	struct ts_error err;
};

#define OK(call) \
	do { \
		if ((call) != TS_OK) \
			fail_msg("%s: %s", #call, f->err.text); \
	} while (0)

static uint64_t limit(void *ctx, const struct ts_account *account, enum ts_use use)
{
	const struct purse *purse = ctx;

	assert_int_equal(account->sender, use == TS_USE_UNNAMED);
	return purse->closed && use == purse->use ? purse->most : UINT64_MAX;
}

static enum ts_status refuse(void *ctx, const struct ts_account *account, enum ts_use use, uint64_t more, struct ts_error *err)
{
	((struct purse *)ctx)->refused++;
	return ts_error_set(err, TS_TOO_LARGE, "%.*s has %d and asks for %d", TS_SPAN_ARG(account->name), (int)account->used[use],
			    (int)more);
}

static void open_store(struct fixture *f, bool read_only)
{
	struct ts_lmdb_options options = {
		.path = f->dir, .create = !read_only, .read_only = read_only, .reserve_bytes = -1, .spending = &f->spending};

	OK(ts_lmdb_open(&options, &f->e, &f->err));
}

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	f->spending = (struct ts_spending){limit, refuse, &f->purse};
	ts_arena_init(&f->arena, 0);
	test_make_dir(f->dir, sizeof f->dir);
	open_store(f, false);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ts_engine_destroy(f->e);
	test_remove_dir(f->dir);
	ts_arena_finish(&f->arena);
	test_free(f);
	return 0;
}

static uint64_t used(struct fixture *f, const char *name, enum ts_use use)
{
	uint64_t all[TS_USES];
	bool counted;

	OK(f->e->ops->usage_get(f->e, use == TS_USE_UNNAMED, ts_span_str(name), all, &counted, &f->err));
	assert_true(counted);
	return all[use];
}

static uint64_t sealed(const struct ts_sealed *objects, size_t n)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += objects[i].bytes.len;
	return bytes;
}

static uint64_t raw(const struct ts_sealed *objects, size_t n)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += objects[i].raw_len;
	return bytes;
}

static enum ts_status upload(struct fixture *f, const char *who, const struct ts_sealed *objects, size_t n)
{
	return f->e->ops->upload_many(f->e, ts_span_str(who), objects, n, NULL, &f->err);
}

static enum ts_status name_it(struct fixture *f, enum ts_ref_kind kind, const char *name, const struct ts_sealed *head)
{
	struct ts_ref_update u = test_update(kind, name, &head->id, ts_now_real_ns());

	return f->e->ops->commit(f->e, &u, 1, &f->arena, NULL, &f->err);
}

static enum ts_status remove_it(struct fixture *f, enum ts_ref_kind kind, const char *name)
{
	struct ts_ref_update u = {.kind = kind, .name = ts_span_str(name), .remove = true, .now_ns = ts_now_real_ns()};

	return f->e->ops->commit(f->e, &u, 1, &f->arena, NULL, &f->err);
}

static enum ts_status note(struct fixture *f, const char *name, const char *key, const char *value)
{
	struct ts_note n = {.key = ts_span_str(key), .value = ts_span_str(value)};

	return f->e->ops->note_put(f->e, ts_span_str(name), &n, &f->err);
}

/* Sweeps after all leases and removals. */
static void sweep_later(struct fixture *f)
{
	struct ts_sweep_report report;

	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = ts_now_real_ns() + 1));
}

static struct ts_verify_report verify(struct fixture *f)
{
	struct ts_verify_report report;

	OK(f->e->ops->verify(f->e, NULL, &f->arena, &report, &f->err));
	assert_int_equal(report.damaged + report.missing + report.records, 0);
	return report;
}

static void a_name_takes_over_what_was_sent(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12];
	size_t n = test_run(&f->arena, 1, 10, objects);
	struct ts_account *accounts;
	bool counted;

	OK(upload(f, "ada", objects + 2, n - 2));
	assert_int_equal(used(f, "ada", TS_USE_UNNAMED), sealed(objects + 2, n - 2));
	OK(upload(f, "bea", objects, n)); /* most are there already */
	assert_int_equal(used(f, "bea", TS_USE_UNNAMED), sealed(objects, 2));
	assert_int_equal(used(f, "p", TS_USE_SEALED), 0);
	OK(f->e->ops->usage_list(f->e, &f->arena, &accounts, &n, &counted, &f->err));
	assert_true(n == 2 && counted && accounts[0].sender && accounts[1].sender);
	n = 12;

	OK(name_it(f, TS_REF_RUN, "p/a", &objects[0]));
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(objects, n));
	assert_int_equal(used(f, "p", TS_USE_RAW), raw(objects, n));
	assert_int_equal(used(f, "p", TS_USE_NAMES), 1);
	assert_int_equal(used(f, "ada", TS_USE_UNNAMED) + used(f, "bea", TS_USE_UNNAMED), 0);
	OK(f->e->ops->usage_list(f->e, &f->arena, &accounts, &n, &counted, &f->err));
	assert_true(n == 1 && !accounts[0].sender && ts_span_is(accounts[0].name, "p"));
	n = 12;

	OK(name_it(f, TS_REF_TAG, "p/best", &objects[0]));
	OK(name_it(f, TS_REF_BRANCH, "p/main", &objects[0]));
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(objects, n));
	assert_int_equal(used(f, "p", TS_USE_NAMES), 3);
	assert_int_equal(verify(f).drifted, 0);
}

static void a_run_that_grows_pays_for_what_is_new(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed first[6], next[8];

	(void)test_run(&f->arena, 1, 4, first);
	(void)test_run(&f->arena, 1, 6, next); /* the same four blocks and two more */
	assert_true(ts_id_eq(&first[5].id, &next[5].id) && !ts_id_eq(&first[1].id, &next[1].id));
	OK(upload(f, "ada", first, 6));
	OK(name_it(f, TS_REF_RUN, "p/a", &first[0]));
	OK(upload(f, "ada", next, 8));
	assert_int_equal(used(f, "ada", TS_USE_UNNAMED), sealed(next, 2) + sealed(next + 6, 2));
	OK(name_it(f, TS_REF_RUN, "p/a", &next[0]));
	assert_int_equal(used(f, "ada", TS_USE_UNNAMED), 0);
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(first, 2) + sealed(next, 8)); /* the old head stays until a sweep */
	assert_int_equal(verify(f).drifted, 1);
	sweep_later(f);
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(next, 8));
	assert_int_equal(verify(f).drifted, 0);
}

static void each_project_pays_for_what_its_names_reach(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed shared[6];

	(void)test_run(&f->arena, 1, 4, shared);
	OK(upload(f, "ada", shared, 6));
	OK(name_it(f, TS_REF_RUN, "p/a", &shared[0]));
	OK(name_it(f, TS_REF_TAG, "q/b", &shared[0]));
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(shared, 6));
	assert_int_equal(used(f, "q", TS_USE_SEALED), 0); /* it brought nothing new */
	assert_int_equal(used(f, "q", TS_USE_NAMES), 1);
	sweep_later(f);
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(shared, 6));
	assert_int_equal(used(f, "q", TS_USE_SEALED), sealed(shared, 6));
	OK(remove_it(f, TS_REF_RUN, "p/a"));
	assert_int_equal(used(f, "p", TS_USE_NAMES), 0);
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(shared, 6)); /* what was removed can come back */
	sweep_later(f);
	assert_int_equal(used(f, "p", TS_USE_SEALED), 0);
	assert_int_equal(used(f, "q", TS_USE_SEALED), sealed(shared, 6));
}

static void removed_names_take_their_notes_along(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_ref_update again = test_update(TS_REF_RUN, "p/a", &head.id, 2);
	struct ts_note state_note = {.key = ts_span_str("state"), .value = ts_span_str("running")};
	struct ts_ref ref;

	OK(upload(f, "ada", &head, 1));
	again.note = &state_note;
	OK(f->e->ops->commit(f->e, &again, 1, &f->arena, NULL, &f->err));
	OK(note(f, "p/a", "bad", "yes"));
	OK(note(f, "p/a", "bad", "no"));
	OK(note(f, "p/a", "why", "so"));
	OK(note(f, "p/a", "why", ""));
	OK(note(f, "p/a", "never", ""));
	assert_int_equal(used(f, "p", TS_USE_NOTES), 2);
	OK(remove_it(f, TS_REF_RUN, "p/a"));
	assert_int_equal(used(f, "p", TS_USE_NOTES), 0);
	assert_int_equal(used(f, "p", TS_USE_NAMES), 0);
	OK(f->e->ops->ref_restore(f->e, TS_REF_RUN, ts_span_str("p/a"), ts_span_str("q/b"), &f->arena, &ref, &f->err));
	assert_int_equal(used(f, "q", TS_USE_NOTES), 2);
	assert_int_equal(used(f, "q", TS_USE_NAMES), 1);
	OK(remove_it(f, TS_REF_RUN, "q/b"));
	again.name = ts_span_str("q/b");
	OK(f->e->ops->commit(f->e, &again, 1, &f->arena, NULL, &f->err)); /* the notes come back, "state" among them */
	assert_int_equal(used(f, "q", TS_USE_NOTES), 2);
	sweep_later(f);
	assert_int_equal(used(f, "q", TS_USE_NOTES), 2);
	assert_int_equal(used(f, "p", TS_USE_SEALED), 0);
	assert_int_equal(verify(f).drifted, 0);
}

static void what_is_retired_is_no_name_and_still_paid_for(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed heads[3];
	enum ts_retire_outcome outcomes[2];
	struct ts_retired items[2] = {{.kind = TS_REF_RUN, .name = ts_span_str("p/a")},
				      {.kind = TS_REF_BRANCH, .name = ts_span_str("p/main"), .seq = 1}};
	struct ts_retire retire = {.items = items, .n = 2, .planned_ns = INT64_MAX, .now_ns = ts_now_real_ns()};
	struct ts_ref ref;

	for (uint64_t i = 0; i < 3; i++)
		heads[i] = test_node(&f->arena, TEST_HEAD, NULL, 0, i);
	OK(upload(f, "ada", heads, 3));
	OK(name_it(f, TS_REF_RUN, "p/a", &heads[0]));
	OK(note(f, "p/a", "one", "1"));
	OK(name_it(f, TS_REF_BRANCH, "p/main", &heads[1]));
	OK(name_it(f, TS_REF_BRANCH, "p/main", &heads[2]));
	items[0].id = heads[0].id;
	items[1].id = heads[1].id;
	OK(f->e->ops->retire(f->e, &retire, outcomes, &f->err));
	assert_true(outcomes[0] == TS_RETIRED && outcomes[1] == TS_RETIRED);
	assert_int_equal(used(f, "p", TS_USE_NAMES), 1);
	assert_int_equal(used(f, "p", TS_USE_NOTES), 0);
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(heads, 3));
	assert_int_equal(verify(f).drifted, 0);
	OK(f->e->ops->ref_restore(f->e, TS_REF_BRANCH, ts_span_str("p/main"), ts_span_str(""), &f->arena, &ref, &f->err));
	OK(f->e->ops->ref_restore(f->e, TS_REF_RUN, ts_span_str("p/a"), ts_span_str(""), &f->arena, &ref, &f->err));
	assert_int_equal(used(f, "p", TS_USE_NAMES), 2);
	assert_int_equal(used(f, "p", TS_USE_NOTES), 1);
	assert_int_equal(verify(f).drifted, 0);
	OK(f->e->ops->retire(f->e, &retire, outcomes, &f->err));
	sweep_later(f);
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(&heads[2], 1));
	assert_int_equal(verify(f).drifted, 0);
}

static void what_is_swept_is_given_back(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed named[12], lost[12], kept[3];
	struct ts_sweep_report report;

	(void)test_run(&f->arena, 1, 10, named);
	(void)test_run(&f->arena, 2, 10, lost);
	(void)test_run(&f->arena, 3, 1, kept);
	for (size_t i = 0; i < 12; i++) { /* side by side in one pack, which then is moved */
		OK(upload(f, "ada", &named[i], 1));
		OK(upload(f, "bea", &lost[i], 1));
	}
	OK(upload(f, "cem", kept, 3));
	OK(name_it(f, TS_REF_RUN, "p/a", &named[0]));
	for (size_t i = 0; i < 12; i++)
		test_age(f->e, &lost[i].id, TEST_LATER);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = ts_now_real_ns(), .lease_ns = INT64_C(500) * 1000000000));
	assert_int_equal(report.freed, 12);
	assert_int_equal(used(f, "bea", TS_USE_UNNAMED), 0);
	assert_int_equal(used(f, "cem", TS_USE_UNNAMED), sealed(kept, 3));
	OK(name_it(f, TS_REF_RUN, "p/b", &kept[0]));
	assert_int_equal(used(f, "cem", TS_USE_UNNAMED), 0);
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(named, 12) + sealed(kept, 3));
	assert_int_equal(verify(f).drifted, 0);
}

/* An object that waits for its name lies in a pack that sweep writes anew. */
static void what_is_moved_stays_with_its_sender(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12];
	struct ts_sweep_report report;

	(void)test_run(&f->arena, 1, 10, objects);
	OK(upload(f, "ada", objects, 12));
	for (size_t i = 0; i < 11; i++)
		test_age(f->e, &objects[i].id, TEST_LATER);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = ts_now_real_ns(), .lease_ns = INT64_C(500) * 1000000000));
	assert_int_equal(report.freed, 11);
	assert_int_equal(used(f, "ada", TS_USE_UNNAMED), sealed(&objects[11], 1));
	assert_int_equal(verify(f).drifted, 0);
	OK(upload(f, "bea", objects, 11));
	OK(name_it(f, TS_REF_RUN, "p/a", &objects[0]));
	assert_int_equal(used(f, "ada", TS_USE_UNNAMED) + used(f, "bea", TS_USE_UNNAMED), 0);
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(objects, 12));
}

static void asks_before_it_writes(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed first[6], next[6];
	struct ts_ref ref;

	(void)test_run(&f->arena, 1, 4, first);
	(void)test_run(&f->arena, 2, 4, next);
	f->purse = (struct purse){.use = TS_USE_UNNAMED, .most = sealed(first, 6) + 1, .closed = true};
	OK(upload(f, "ada", first, 6));
	assert_int_equal(upload(f, "ada", next, 1), TS_TOO_LARGE);
	assert_int_equal(f->purse.refused, 1);
	OK(upload(f, "ada", first, 6)); /* nothing of this is new */
	assert_int_equal(f->purse.refused, 1);
	OK(upload(f, "bea", next, 6));
	assert_int_equal(used(f, "ada", TS_USE_UNNAMED), sealed(first, 6));

	f->purse = (struct purse){.use = TS_USE_SEALED, .most = sealed(first, 6), .closed = true};
	OK(name_it(f, TS_REF_RUN, "p/a", &first[0]));
	assert_int_equal(name_it(f, TS_REF_RUN, "p/b", &next[0]), TS_TOO_LARGE);
	assert_int_equal(f->e->ops->ref_get(f->e, TS_REF_RUN, ts_span_str("p/b"), &f->arena, &ref, &f->err), TS_NOT_FOUND);
	assert_int_equal(used(f, "bea", TS_USE_UNNAMED), sealed(next, 6));
	OK(name_it(f, TS_REF_TAG, "p/t", &first[0])); /* brings no bytes */
	OK(name_it(f, TS_REF_RUN, "q/b", &next[0]));

	f->purse = (struct purse){.use = TS_USE_NAMES, .most = 2, .closed = true};
	assert_int_equal(name_it(f, TS_REF_BRANCH, "p/main", &first[0]), TS_TOO_LARGE);
	OK(name_it(f, TS_REF_RUN, "p/a", &next[0])); /* a name that moves is no new one */
	OK(remove_it(f, TS_REF_RUN, "p/a"));
	OK(name_it(f, TS_REF_BRANCH, "p/main", &first[0]));
	assert_int_equal(f->e->ops->ref_restore(f->e, TS_REF_RUN, ts_span_str("p/a"), ts_span_str(""), &f->arena, &ref, &f->err),
			 TS_TOO_LARGE);

	f->purse = (struct purse){.use = TS_USE_NOTES, .most = 1, .closed = true};
	OK(note(f, "q/b", "one", "1"));
	assert_int_equal(note(f, "q/b", "two", "2"), TS_TOO_LARGE);
	OK(note(f, "q/b", "one", "3"));
	OK(note(f, "q/b", "one", ""));
	OK(note(f, "q/b", "two", "2"));
	sweep_later(f);
	assert_int_equal(verify(f).drifted, 0);
}

/* Takes away what an older version did not write. */
static int forget_counts(MDB_txn *txn)
{
	static const char *const tables[] = {"usage", "unnamed"};
	MDB_val key = {.mv_size = 7, .mv_data = (char[]){"counted"}};
	MDB_dbi dbi;
	int rc = 0;

	for (size_t i = 0; i < 2 && !rc; i++) {
		rc = mdb_dbi_open(txn, tables[i], 0, &dbi);
		rc = rc ? rc : mdb_drop(txn, dbi, 1);
	}
	rc = rc ? rc : mdb_dbi_open(txn, "meta", 0, &dbi);
	return rc ? rc : mdb_del(txn, dbi, &key, NULL);
}

static void an_older_store_is_counted_later(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed first[6], next[6];
	struct ts_account *accounts;
	uint64_t all[TS_USES];
	bool counted;
	size_t n;

	(void)test_run(&f->arena, 1, 4, first);
	(void)test_run(&f->arena, 2, 4, next);
	OK(upload(f, "ada", first, 6));
	OK(name_it(f, TS_REF_RUN, "p/a", &first[0]));
	OK(note(f, "p/a", "one", "1"));
	ts_engine_destroy(f->e);
	test_make_old(f->dir, 2, forget_counts);

	open_store(f, true);
	OK(f->e->ops->usage_get(f->e, false, ts_span_str("p"), all, &counted, &f->err));
	assert_true(!counted && all[TS_USE_SEALED] == 0);
	OK(f->e->ops->usage_list(f->e, &f->arena, &accounts, &n, &counted, &f->err));
	assert_true(!counted && n == 0);
	ts_engine_destroy(f->e);

	open_store(f, false);
	OK(f->e->ops->usage_get(f->e, false, ts_span_str("p"), all, &counted, &f->err));
	assert_false(counted);
	OK(upload(f, "ada", next, 6));
	OK(name_it(f, TS_REF_RUN, "p/b", &next[0])); /* counts from now on */
	OK(f->e->ops->usage_get(f->e, false, ts_span_str("p"), all, &counted, &f->err));
	assert_true(!counted && all[TS_USE_SEALED] == sealed(next, 6));
	OK(f->e->ops->recount(f->e, &f->err));
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(first, 6) + sealed(next, 6));
	assert_int_equal(used(f, "p", TS_USE_RAW), raw(first, 6) + raw(next, 6));
	assert_int_equal(used(f, "p", TS_USE_NAMES), 2);
	assert_int_equal(used(f, "p", TS_USE_NOTES), 1);
	assert_int_equal(verify(f).drifted, 0);
}

/* Lists, marks and counts as of now. */
static void count_now(struct fixture *f, struct ts_count *count, struct ts_table *t, struct ts_row ***rows)
{
	struct ts_read r;

	OK(ts_read_begin(ts_kv_of(f->e), &r, &f->err));
	OK(ts_table_load(t, ts_store_of(f->e), r, &f->err));
	OK(ts_table_by_pack(t, rows, &f->err));
	OK(ts_count_all(count, t, *rows, r, &f->err));
	ts_read_end(&r);
}

static void who_writes_while_it_counts_is_not_forgotten(void **state)
{
	struct fixture *f = *state;
	struct ts_table table = {.removed_since_ns = INT64_MIN};
	struct ts_count counting = {.n = 0};
	struct ts_sealed first[6], next[6], sent[3];
	struct ts_row **rows;

	(void)test_run(&f->arena, 1, 4, first);
	(void)test_run(&f->arena, 2, 4, next);
	(void)test_run(&f->arena, 3, 1, sent);
	OK(upload(f, "ada", first, 6));
	OK(name_it(f, TS_REF_RUN, "p/a", &first[0]));
	OK(upload(f, "ada", sent, 3));
	count_now(f, &counting, &table, &rows);
	OK(upload(f, "ada", next, 6));
	OK(name_it(f, TS_REF_RUN, "p/b", &next[0]));
	OK(ts_store_write(ts_store_of(f->e), ts_count_settle, &counting, 0, &f->err));
	assert_int_equal(used(f, "p", TS_USE_SEALED), sealed(first, 6) + sealed(next, 6));
	assert_int_equal(used(f, "p", TS_USE_NAMES), 2);
	assert_int_equal(used(f, "ada", TS_USE_UNNAMED), sealed(sent, 3));
	ts_count_finish(&counting);
	ts_table_finish(&table);
	ts_free(rows);
}

/* Writes a usage that is wrong. */
static enum ts_status run_lie(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_bill bill = {0};
	enum ts_status status;

	(void)ctx;
	status = ts_bill_project(&bill, ts_span_str("p"), TS_USE_NAMES, 5, err);
	if (!status)
		status = ts_bill_project(&bill, ts_span_str("gone"), TS_USE_NOTES, 7, err);
	if (!status)
		status = ts_bill_sender(&bill, ts_sender_key(ts_span_str("ada")), ts_span_str("ada"), 11, err);
	if (!status)
		status = ts_bill_write(&bill, w, err);
	ts_bill_finish(&bill);
	return status;
}

static void verify_names_what_drifted(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_verify_report report;

	OK(upload(f, "ada", &head, 1));
	OK(name_it(f, TS_REF_RUN, "p/a", &head));
	OK(ts_store_write(ts_store_of(f->e), run_lie, NULL, 0, &f->err));
	report = verify(f);
	assert_int_equal(report.drifted, 3);
	assert_int_equal(report.n_drifts, 3);
	assert_true(ts_span_is(report.drifts[0].counted.name, "p"));
	assert_int_equal(report.drifts[0].counted.used[TS_USE_NAMES], 6);
	assert_int_equal(report.drifts[0].found[TS_USE_NAMES], 1);
	sweep_later(f);
	assert_int_equal(verify(f).drifted, 0);
	assert_int_equal(used(f, "p", TS_USE_NAMES), 1);
	assert_int_equal(used(f, "ada", TS_USE_UNNAMED), 0);
}

static struct ts_store_vitals vitals(struct fixture *f)
{
	struct ts_store_vitals v;

	OK(f->e->ops->vitals(f->e, &v, &f->err));
	return v;
}

static void vitals_tell_who_reads_and_for_how_long(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[6];
	struct timespec pause = {.tv_nsec = 30000000};
	struct ts_read r;

	(void)test_run(&f->arena, 1, 4, objects);
	assert_int_equal(vitals(f).readers, 0);
	OK(ts_read_begin(ts_kv_of(f->e), &r, &f->err));
	assert_int_equal(vitals(f).readers, 1);
	assert_true(vitals(f).reader_slots >= 126);
	(void)nanosleep(&pause, NULL);
	assert_true(vitals(f).oldest_reader_s == 0); /* it holds nothing back */
	OK(upload(f, "ada", objects, 6));
	assert_true(vitals(f).oldest_reader_s < 0.02);
	(void)nanosleep(&pause, NULL);
	assert_true(vitals(f).oldest_reader_s >= 0.03);
	ts_read_end(&r);
	assert_true(vitals(f).oldest_reader_s == 0);
	assert_int_equal(vitals(f).readers, 0);
}

static void vitals_tell_what_need_not_be_sent(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[6];
	struct ts_id ids[6];
	bool present[6], leased;

	(void)test_run(&f->arena, 1, 4, objects);
	for (size_t i = 0; i < 6; i++)
		ids[i] = objects[i].id;
	OK(f->e->ops->has_many(f->e, ids, 6, present, &f->err));
	assert_int_equal(vitals(f).asked_bytes, 0);
	OK(upload(f, "ada", objects, 6));
	assert_int_equal(vitals(f).asked_bytes, sealed(objects, 6));
	assert_int_equal(vitals(f).new_bytes, sealed(objects, 6));
	assert_int_equal(vitals(f).unnamed_bytes, sealed(objects, 6));
	assert_int_equal(vitals(f).unnamed_objects, 6);
	OK(f->e->ops->has_many(f->e, ids, 6, present, &f->err));
	OK(f->e->ops->look_many(f->e, ids, 6, present, &leased, &f->err));
	assert_true(leased);
	OK(upload(f, "bea", objects, 1));
	assert_int_equal(vitals(f).asked_bytes, 3 * sealed(objects, 6) + sealed(objects, 1));
	assert_int_equal(vitals(f).new_bytes, sealed(objects, 6));
	OK(name_it(f, TS_REF_RUN, "p/a", &objects[0]));
	assert_int_equal(vitals(f).unnamed_bytes + vitals(f).unnamed_objects, 0);
}

/* Whatever is done in whatever order, names, notes and unnamed bytes are exact, and all is after a sweep. */
static void counts_stay_exact_whatever_is_done(void **state)
{
	static const char *const names[] = {"p/a", "p/b", "q/a", "q/b"};
	static const char *const who[] = {"ada", "bea"};
	struct fixture *f = *state;
	uint64_t x = 88172645463325252u;

	for (int i = 0; i < 400; i++) {
		struct ts_sealed objects[8];
		struct ts_verify_report report;
		const char *name;
		struct ts_ref ref;
		size_t n;

		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		name = names[x >> 8 & 3];
		n = test_run(&f->arena, x >> 16 & 7, 1 + (x >> 20 & 3), objects);
		switch (x % 8) {
		case 0:
		case 1:
		case 2:
			OK(upload(f, who[x >> 24 & 1], objects, n));
			break;
		case 3:
			OK(upload(f, who[x >> 24 & 1], objects, n));
			OK(name_it(f, x >> 25 & 1 ? TS_REF_RUN : TS_REF_BRANCH, name, &objects[0]));
			break;
		case 4:
			(void)remove_it(f, x >> 25 & 1 ? TS_REF_RUN : TS_REF_BRANCH, name);
			break;
		case 5:
			(void)f->e->ops->ref_restore(f->e, TS_REF_RUN, ts_span_str(name), ts_span_str(names[x >> 26 & 3]),
						     &f->arena, &ref, &f->err);
			break;
		case 6:
			(void)note(f, name, x >> 24 & 1 ? "one" : "two", x >> 25 & 1 ? "value" : "");
			break;
		default:
			if (x >> 30 & 1)
				sweep_later(f);
		}
		report = verify(f);
		for (size_t k = 0; k < report.n_drifts; k++) {
			const struct ts_drift *d = &report.drifts[k];

			assert_int_equal(d->counted.used[TS_USE_NAMES], d->found[TS_USE_NAMES]);
			assert_int_equal(d->counted.used[TS_USE_NOTES], d->found[TS_USE_NOTES]);
			assert_int_equal(d->counted.used[TS_USE_UNNAMED], d->found[TS_USE_UNNAMED]);
		}
		if (x % 8 == 7 && x >> 30 & 1)
			assert_int_equal(report.drifted, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_name_takes_over_what_was_sent, setup, teardown),
		cmocka_unit_test_setup_teardown(a_run_that_grows_pays_for_what_is_new, setup, teardown),
		cmocka_unit_test_setup_teardown(each_project_pays_for_what_its_names_reach, setup, teardown),
		cmocka_unit_test_setup_teardown(removed_names_take_their_notes_along, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_retired_is_no_name_and_still_paid_for, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_swept_is_given_back, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_moved_stays_with_its_sender, setup, teardown),
		cmocka_unit_test_setup_teardown(asks_before_it_writes, setup, teardown),
		cmocka_unit_test_setup_teardown(an_older_store_is_counted_later, setup, teardown),
		cmocka_unit_test_setup_teardown(who_writes_while_it_counts_is_not_forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(verify_names_what_drifted, setup, teardown),
		cmocka_unit_test_setup_teardown(vitals_tell_who_reads_and_for_how_long, setup, teardown),
		cmocka_unit_test_setup_teardown(vitals_tell_what_need_not_be_sent, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_stay_exact_whatever_is_done, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
