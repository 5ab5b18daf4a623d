#include "tests/engines/planted.h"

#include "store/test_store.h"

#include <string.h>

/* The operations of the engine as they were, and as they are broken. One engine at a time. */
static const struct ts_engine_ops *sound;
static struct ts_engine_ops broken;

static struct ts_engine_ops *begin(struct subject *s)
{
	sound = s->e->ops;
	broken = *sound;
	s->e->ops = &broken;
	return &broken;
}

/* ---- P1: acknowledged, and made when the next one comes ---- */

static struct ts_ref_update late;
static struct ts_span late_texts[4];
static uint8_t late_room[4][300];
static bool is_late;

static struct ts_span keep_text(size_t i, struct ts_span text)
{
	size_t len = text.len < sizeof late_room[0] ? text.len : sizeof late_room[0];

	if (len)
		memcpy(late_room[i], text.data, len);
	return late_texts[i] = ts_span_of(late_room[i], len);
}

static enum ts_status make_late(struct ts_engine *e, struct ts_arena *arena)
{
	struct ts_error ignored;

	if (!is_late)
		return TS_OK;
	is_late = false;
	return sound->commit(e, &late, 1, arena, NULL, &ignored);
}

static enum ts_status commit_late(struct ts_engine *e, const struct ts_ref_update *updates, size_t n, struct ts_arena *arena,
				  struct ts_ref *ret_ref, struct ts_error *err)
{
	(void)make_late(e, arena);
	if (n != 1 || ret_ref || updates->note || updates->remove || updates->expect != TS_EXPECT_ANY)
		return sound->commit(e, updates, n, arena, ret_ref, err);
	late = *updates;
	late.name = keep_text(0, updates->name);
	late.who = keep_text(1, updates->who);
	late.summary = keep_text(2, updates->summary);
	late.message = keep_text(3, updates->message);
	late.n_extracts = 0;
	is_late = true;
	return TS_OK;
}

static enum ts_status get_late(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
			       struct ts_ref *ret_ref, struct ts_error *err)
{
	(void)make_late(e, arena);
	return sound->ref_get(e, kind, name, arena, ret_ref, err);
}

static void late_commits(struct subject *s)
{
	is_late = false;
	begin(s)->commit = commit_late;
	broken.ref_get = get_late;
}

/* ---- P2: what is not complete gets a name ---- */

static enum ts_status commit_anyhow(struct ts_engine *e, const struct ts_ref_update *updates, size_t n, struct ts_arena *arena,
				    struct ts_ref *ret_ref, struct ts_error *err)
{
	enum ts_status status = sound->commit(e, updates, n, arena, ret_ref, err);

	return status == TS_NOT_FOUND && n == 1 && !updates->remove ? TS_OK : status;
}

static void incomplete_names(struct subject *s)
{
	begin(s)->commit = commit_anyhow;
}

/* ---- P3: what is there counts as new ---- */

static enum ts_status put_again(struct ts_engine *e, const struct ts_sealed *objects, size_t n, struct ts_put_stats *ret_stats,
				struct ts_error *err)
{
	enum ts_status status = sound->put_many(e, objects, n, ret_stats, err);

	if (!status && ret_stats)
		ret_stats->new_objects = ret_stats->objects;
	return status;
}

static void stored_twice(struct subject *s)
{
	begin(s)->put_many = put_again;
}

/* ---- P4: nobody asks what was expected ---- */

static enum ts_status commit_blindly(struct ts_engine *e, const struct ts_ref_update *updates, size_t n, struct ts_arena *arena,
				     struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_ref_update all[4];

	for (size_t i = 0; i < n && n <= 4; i++) {
		all[i] = updates[i];
		all[i].expect = TS_EXPECT_ANY;
	}
	return sound->commit(e, n <= 4 ? all : updates, n, arena, ret_ref, err);
}

static void blind_moves(struct subject *s)
{
	begin(s)->commit = commit_blindly;
}

/* ---- P5: a full store refuses removals, too ---- */

static enum ts_status commit_full(struct ts_engine *e, const struct ts_ref_update *updates, size_t n, struct ts_arena *arena,
				  struct ts_ref *ret_ref, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (updates[i].remove)
			return ts_error_set(err, TS_FULL, "no room to remove anything");
	return sound->commit(e, updates, n, arena, ret_ref, err);
}

static void full_for_removals(struct subject *s)
{
	begin(s)->commit = commit_full;
}

/* ---- P6: verify finds nothing ---- */

static enum ts_status verify_nothing(struct ts_engine *e, const struct ts_verify_options *options, struct ts_arena *arena,
				     struct ts_verify_report *ret_report, struct ts_error *err)
{
	enum ts_status status = sound->verify(e, options, arena, ret_report, err);

	if (!status)
		ret_report->damaged = ret_report->n_ids = 0;
	return status;
}

static void blind_verify(struct subject *s)
{
	begin(s)->verify = verify_nothing;
}

/* ---- P7: no lease holds; nothing is freed ---- */

static enum ts_status sweep_leased(struct ts_engine *e, const struct ts_sweep_options *options, struct ts_sweep_report *ret_report,
				   struct ts_error *err)
{
	struct ts_sweep_options now = *options;

	now.now_ns += options->lease_ns;
	now.removed_ns += options->lease_ns;
	now.lease_ns = 0;
	return sound->sweep(e, &now, ret_report, err);
}

static void no_lease_holds(struct subject *s)
{
	begin(s)->sweep = sweep_leased;
}

static enum ts_status sweep_nothing(struct ts_engine *e, const struct ts_sweep_options *options, struct ts_sweep_report *ret_report,
				    struct ts_error *err)
{
	struct ts_sweep_options now = *options;

	now.dry_run = true;
	return sound->sweep(e, &now, ret_report, err);
}

static void nothing_is_freed(struct subject *s)
{
	begin(s)->sweep = sweep_nothing;
}

/* ---- P8: the copy lacks a name ---- */

static enum ts_status backup_less(struct ts_engine *e, const char *path, struct ts_error *err)
{
	struct ts_ref_query query = {.kind = TS_REF_RUN, .order = TS_ORDER_NAME, .limit = 1};
	struct ts_lmdb_options options = {.path = path};
	struct ts_engine *copy;
	struct ts_arena arena;
	struct ts_span next;
	struct ts_ref *refs;
	size_t n = 0;

	if (sound->backup(e, path, err) || ts_lmdb_open(&options, &copy, err))
		return err->status;
	ts_arena_init(&arena, 0);
	if (!copy->ops->ref_list(copy, &query, &arena, &refs, &n, &next, err) && n) {
		struct ts_ref_update u = test_update(TS_REF_RUN, "", &refs[0].id, 1);

		u.name = refs[0].name;
		u.remove = true;
		(void)test_commit(copy, &u);
	}
	ts_arena_finish(&arena);
	ts_engine_destroy(copy);
	return TS_OK;
}

static void backups_lack_a_name(struct subject *s)
{
	begin(s)->backup = backup_less;
}

/* ---- P9: what changed since the plan goes, too ---- */

static enum ts_status retire_changed(struct ts_engine *e, const struct ts_retire *retire, enum ts_retire_outcome *ret_outcomes,
				     struct ts_error *err)
{
	struct ts_retire now = *retire;

	now.planned_ns = INT64_MAX;
	return sound->retire(e, &now, ret_outcomes, err);
}

static void changed_is_retired(struct subject *s)
{
	begin(s)->retire = retire_changed;
}

const struct planted planted_faults[PLANTED] = {
	{1, "a commit is acknowledged before it is made", late_commits, false},
	{2, "an incomplete run gets a name", incomplete_names, true},
	{3, "what is there counts as new", stored_twice, true},
	{4, "nobody asks what a move expected", blind_moves, true},
	{5, "a full store lets nothing be removed", full_for_removals, false},
	{6, "verify finds no damage", blind_verify, false},
	{7, "sweep asks for no lease", no_lease_holds, true},
	{7, "sweep frees nothing", nothing_is_freed, true},
	{8, "a backup lacks a name", backups_lack_a_name, false},
	{9, "what changed since the plan is retired", changed_is_retired, true},
};
