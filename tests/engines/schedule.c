#include "tests/engines/schedule.h"

#include "base/clock.h"
#include "store/test_store.h"
#include "tests/engines/postgres.h"
#include "tests/engines/store_model.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LIVES_MOST = 4,	   /* of an engine with files: it is killed once less at most */
	COMPARE_EACH = 6,  /* operations after which all that can be read is compared */
	KILL_US_MOST = 12000,
	DAY = 86400,
	UNDER_WAY = 2,
	LOST = 3, /* what a life ends with whose database was cut off */
	CRASH_EACH = 10, /* schedules in which the database is killed; in the others its connections are cut */
};
static const int64_t second = 1000000000;

/* What outlives the process in which an engine is asked. */
struct shared {
	struct model models[2];	 /* before the operation that goes on, and after it */
	volatile unsigned phase; /* which of them is before, and UNDER_WAY: one word, so that no kill comes between */
	struct model_op op;
	unsigned next;	/* operation */
	uint64_t noise;
	int64_t begun_ns;
	int64_t at_ns[SCHEDULE_OPS]; /* of each operation so far */
	int64_t swept_ns;	     /* not before the last sweep, or the opening, which counts as one: nothing is removed earlier */
	struct schedule_result result;
	struct model_text want, got;
};

/* One life of an engine. */
struct life {
	struct shared *shared;
	struct subject *s;
	struct ts_arena arena; /* of one operation */
	struct ts_arena kept;
	struct ts_sealed objects[MODEL_OBJECTS];
	struct ts_error err;
};

static struct model *before(struct shared *sh)
{
	return &sh->models[sh->phase & 1];
}

static struct model *after(struct shared *sh)
{
	return &sh->models[~sh->phase & 1];
}

static unsigned draw(struct shared *sh, unsigned below)
{
	sh->noise = sh->noise * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(sh->noise >> 33) % below;
}

/* ---- objects ---- */

static void make_objects(struct life *l)
{
	for (unsigned i = MODEL_OBJECTS; i-- > 0;) {
		struct ts_sealed children[MODEL_OBJECTS];
		size_t n = 0;

		for (unsigned to = i + 1; to < MODEL_OBJECTS; to++)
			if (model_refers(i, to))
				children[n++] = l->objects[to];
		if (i >= MODEL_HEADS + MODEL_INDEXES)
			l->objects[i] = test_block(&l->kept, i, 30 + i, i % 2);
		else
			l->objects[i] = test_node(&l->kept, i < MODEL_HEADS ? TEST_HEAD : TEST_INDEX, children, n, i);
	}
}

static unsigned number_of(const struct life *l, const struct ts_id *id)
{
	unsigned i = 0;

	while (i < MODEL_OBJECTS && !ts_id_eq(&l->objects[i].id, id))
		i++;
	return i;
}

static struct ts_span name_span(unsigned name)
{
	return ts_span_str(model_name_of(name));
}

/* ---- the engine's answers ---- */

static enum ts_status put_objects(struct life *l, uint32_t mask, struct model_text *out)
{
	struct ts_sealed objects[MODEL_OBJECTS];
	struct ts_put_stats stats = {0};
	enum ts_status status;
	size_t n = 0;

	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		if (mask >> i & 1)
			objects[n++] = l->objects[i];
	status = l->s->e->ops->put_many(l->s->e, objects, n, &stats, &l->err);
	model_say(out, " %u of which new %u", (unsigned)n, (unsigned)stats.new_objects);
	return status;
}

static enum ts_status has_objects(struct life *l, uint32_t mask, struct model_text *out)
{
	bool present[MODEL_OBJECTS] = {false};
	struct ts_id ids[MODEL_OBJECTS];
	enum ts_status status;
	size_t n = 0;

	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		if (mask >> i & 1)
			ids[n++] = l->objects[i].id;
	status = l->s->e->ops->has_many(l->s->e, ids, n, present, &l->err);
	model_say(out, " ");
	for (size_t i = 0; i < n; i++)
		model_say(out, "%d", present[i]);
	return status;
}

static enum ts_status get_object(struct life *l, unsigned object, struct model_text *out)
{
	struct ts_sealed got;
	enum ts_status status = l->s->e->ops->get(l->s->e, &l->objects[object].id, &l->arena, &got, &l->err);

	if (!status && !ts_span_eq(got.bytes, l->objects[object].bytes))
		model_say(out, " other bytes");
	return status;
}

static enum ts_status commit_moves(struct life *l, const struct model_op *op)
{
	struct ts_ref_update updates[2];
	struct ts_note notes[2];

	for (unsigned i = 0; i < op->n_moves; i++) {
		const struct model_move *move = &op->moves[i];
		struct ts_ref_update *u = &updates[i];

		*u = test_update(model_kind_of(move->name), model_name_of(move->name), &l->objects[move->head].id, op->now_ns);
		u->remove = move->remove;
		u->expect = move->expect;
		u->expected = l->objects[move->expected].id;
		notes[i] = (struct ts_note){.key = ts_span_str("k0"), .at_ns = op->now_ns, .who = ts_span_str("me")};
		notes[i].value = ts_span_str(ts_arena_printf(&l->arena, "v%u", move->note));
		u->note = move->note ? &notes[i] : NULL;
	}
	return l->s->e->ops->commit(l->s->e, updates, op->n_moves, &l->arena, NULL, &l->err);
}

static enum ts_status put_note(struct life *l, const struct model_op *op)
{
	struct ts_note note = {.at_ns = op->now_ns, .who = ts_span_str("me")};

	note.key = ts_span_str(ts_arena_printf(&l->arena, "k%u", op->key));
	if (op->value)
		note.value = ts_span_str(ts_arena_printf(&l->arena, "v%u", op->value));
	return l->s->e->ops->note_put(l->s->e, name_span(op->name), &note, &l->err);
}

static enum ts_status put_record(struct life *l, const struct model_op *op)
{
	struct ts_record record = {.key = ts_span_str(ts_arena_printf(&l->arena, "test/%u", op->key))};

	if (op->value)
		record.value = ts_span_str(ts_arena_printf(&l->arena, "%u", op->value));
	return l->s->e->ops->record_put(l->s->e, &record, NULL, &l->err);
}

static enum ts_status retire_one(struct life *l, const struct model_op *op, struct model_text *out)
{
	const struct ts_retired item = {model_kind_of(op->name), name_span(op->name), op->seq, l->objects[op->head].id};
	const struct ts_retire what = {&item, 1, op->keep_from_ns, op->now_ns, ts_span_str("ann")};
	enum ts_retire_outcome outcome = TS_RETIRED;
	enum ts_status status = l->s->e->ops->retire(l->s->e, &what, &outcome, &l->err);

	model_say(out, " outcome %d", (int)outcome);
	return status;
}

static enum ts_status sweep(struct life *l, const struct model_op *op, struct model_text *out)
{
	int64_t now_ns = ts_now_real_ns() + TEST_LATER;
	struct ts_sweep_report report = {0};
	enum ts_status status;

	now_ns = now_ns > op->now_ns ? now_ns : op->now_ns;
	l->shared->swept_ns = now_ns;
	status = TEST_SWEEP(l->s->e, &report, &l->err, .now_ns = now_ns, .lease_ns = op->leases ? DAY * second : 0,
			    .removed_ns = now_ns - op->keep_from_ns);
	model_say(out, " freed %u", (unsigned)report.freed);
	return status;
}

static enum ts_status reopen(struct life *l)
{
	subject_close(l->s);
	return subject_open(l->s, &l->err);
}

/* A database that is away ends this life; the next one finds out what was done. */
static void end_if_lost(struct life *l)
{
	if (l->s->kind->database && (l->err.status == TS_UNAVAILABLE || strstr(l->shared->got.bytes, "its database")))
		_exit(LOST);
}

static void engine_do(struct life *l, const struct model_op *op, struct model_text *out)
{
	enum ts_status status = TS_OK;
	struct ts_ref ref;

	switch (op->kind) {
	case MODEL_PUT:
		status = put_objects(l, op->mask, out);
		break;
	case MODEL_HAS:
		status = has_objects(l, op->mask, out);
		break;
	case MODEL_GET:
		status = get_object(l, op->object, out);
		break;
	case MODEL_COMMIT:
		status = commit_moves(l, op);
		break;
	case MODEL_NOTE:
		status = put_note(l, op);
		break;
	case MODEL_RESTORE:
		status = l->s->e->ops->ref_restore(l->s->e, model_kind_of(op->name), name_span(op->name), name_span(op->as), &l->arena,
						   &ref, &l->err);
		break;
	case MODEL_RETIRE:
		status = retire_one(l, op, out);
		break;
	case MODEL_SWEEP:
		status = sweep(l, op, out);
		break;
	case MODEL_AGE:
		test_age(l->s->e, &l->objects[op->object].id, 2 * DAY);
		break;
	case MODEL_RECORD:
		status = put_record(l, op);
		break;
	case MODEL_REOPEN:
		status = l->s->kind->outlives ? reopen(l) : TS_OK;
		break;
	}
	model_say(out, " status %d", (int)status);
}

/* ---- all that an engine can be asked ---- */

static void say_log(struct life *l, unsigned name, struct model_text *out)
{
	struct ts_engine *e = l->s->e;
	struct ts_log_entry *log;
	struct ts_pruned pruned;
	struct ts_note *notes;
	size_t n = 0;

	if (e->ops->ref_log(e, model_kind_of(name), name_span(name), 0, &l->arena, &log, &n, &l->err))
		model_say(out, "  no log: %s\n", l->err.text);
	for (size_t i = 0; i < n; i++)
		model_say(out, "  entry %d h%u at %d\n", (int)log[i].seq, number_of(l, &log[i].id),
			  (int)(log[i].moved_ns - l->shared->begun_ns));
	if (e->ops->log_pruned(e, model_kind_of(name), name_span(name), &l->arena, &pruned, &l->err))
		model_say(out, "  nothing is known of what was pruned: %s\n", l->err.text);
	else if (pruned.entries)
		model_say(out, "  pruned %u at %d\n", (unsigned)pruned.entries, (int)(pruned.at_ns - l->shared->begun_ns));
	if (model_kind_of(name) != TS_REF_RUN)
		return;
	n = 0;
	if (e->ops->note_list(e, name_span(name), &l->arena, NULL, &notes, &n, &l->err))
		model_say(out, "  no notes: %s\n", l->err.text);
	for (size_t i = 0; i < n; i++)
		model_say(out, "  note %.*s %.*s at %d\n", TS_SPAN_ARG(notes[i].key), TS_SPAN_ARG(notes[i].value),
			  (int)(notes[i].at_ns - l->shared->begun_ns));
}

static void say_names(struct life *l, struct model_text *out)
{
	for (unsigned i = 0; i < MODEL_NAMES; i++) {
		struct ts_ref ref;
		enum ts_status status = l->s->e->ops->ref_get(l->s->e, model_kind_of(i), name_span(i), &l->arena, &ref, &l->err);

		if (status == TS_NOT_FOUND)
			continue;
		if (status) {
			model_say(out, "%s: %s\n", model_name_of(i), l->err.text);
			continue;
		}
		model_say(out, "%c %s h%u seq %d moved %d\n", (char)ref.kind, model_name_of(i), number_of(l, &ref.id), (int)ref.seq,
			  (int)(ref.moved_ns - l->shared->begun_ns));
		say_log(l, i, out);
	}
}

static void say_newest(struct life *l, struct model_text *out)
{
	for (unsigned i = 0; i < MODEL_NAMES; i++) {
		struct ts_ref_query q = {.kind = model_kind_of(i), .order = TS_ORDER_NEWEST, .limit = MODEL_NAMES};
		struct ts_span next;
		struct ts_ref *refs;
		size_t n = 0;

		if (i && model_kind_of(i) == model_kind_of(i - 1))
			continue;
		model_say(out, "newest %c:", (char)q.kind);
		if (l->s->e->ops->ref_list(l->s->e, &q, &l->arena, &refs, &n, &next, &l->err))
			model_say(out, " %s", l->err.text);
		for (size_t k = 0; k < n; k++)
			model_say(out, " %.*s", TS_SPAN_ARG(refs[k].name));
		model_say(out, "\n");
	}
}

static void say_removed_and_records(struct life *l, struct model_text *out)
{
	struct ts_removed_query q = {.limit = MODEL_NAMES * MODEL_REMOVED};
	struct ts_engine *e = l->s->e;
	struct ts_removed_name *removed;
	struct ts_record *records;
	size_t n = 0;
	bool more;

	if (e->ops->removed_list(e, &q, &l->arena, &removed, &n, &more, &l->err))
		model_say(out, "what was removed: %s\n", l->err.text);
	for (size_t i = 0; i < n; i++)
		model_say(out, "removed %c %.*s entries %u at %d\n", (char)removed[i].ref.kind, TS_SPAN_ARG(removed[i].ref.name),
			  (unsigned)removed[i].entries, (int)(removed[i].removed_ns - l->shared->begun_ns));
	n = 0;
	if (e->ops->record_list(e, ts_span_str("test/"), &l->arena, &records, &n, &l->err))
		model_say(out, "records: %s\n", l->err.text);
	for (size_t i = 0; i < n; i++)
		model_say(out, "record %.*s is %.*s\n", TS_SPAN_ARG(ts_span_from(records[i].key, 5)), TS_SPAN_ARG(records[i].value));
}

static void look(struct life *l, bool present[MODEL_OBJECTS])
{
	struct ts_outline outlines[MODEL_OBJECTS] = {0};
	struct ts_id ids[MODEL_OBJECTS];

	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		ids[i] = l->objects[i].id;
	if (l->s->e->ops->outline_many(l->s->e, ids, MODEL_OBJECTS, outlines, &l->err))
		model_say(&l->shared->got, "%s\n", l->err.text);
	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		present[i] = outlines[i].present;
}

static void engine_state(struct life *l, struct model_text *out)
{
	bool present[MODEL_OBJECTS];

	look(l, present);
	model_say(out, "objects ");
	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		model_say(out, "%d", present[i]);
	model_say(out, "\n");
	say_names(l, out);
	say_newest(l, out);
	say_removed_and_records(l, out);
}

/* ---- comparing ---- */

/* Says where two texts part: the line of each. */
static bool differ(struct shared *sh, const char *when)
{
	const char *want = sh->want.bytes, *got = sh->got.bytes;
	size_t at = 0;

	for (size_t i = 0; want[i] && want[i] == got[i]; i++)
		at = want[i] == '\n' ? i + 1 : at;
	(void)snprintf(sh->result.text, sizeof sh->result.text, "call %u (%u), %s: the model has \"%.*s\", the engine \"%.*s\"",
		       sh->next, (unsigned)sh->op.kind, when, (int)strcspn(want + at, "\n"), want + at,
		       (int)strcspn(got + at, "\n"), got + at);
	sh->result.same = false;
	return false;
}

static bool same_texts(struct shared *sh, const char *when)
{
	return strcmp(sh->want.bytes, sh->got.bytes) == 0 || differ(sh, when);
}

static void clear_texts(struct shared *sh)
{
	sh->want.len = sh->got.len = 0;
	sh->want.bytes[0] = sh->got.bytes[0] = 0;
}

static bool same_state(struct life *l, const struct model *m, const char *when)
{
	struct shared *sh = l->shared;

	clear_texts(sh);
	l->err.status = TS_OK;
	model_state(m, sh->begun_ns, &sh->want);
	engine_state(l, &sh->got);
	end_if_lost(l);
	ts_arena_reset(&l->arena);
	return same_texts(sh, when);
}

static bool is_sound(struct life *l)
{
	struct ts_verify_report report;
	struct ts_engine *e = l->s->e;
	bool sound;

	l->err.text[0] = 0;
	l->err.status = TS_OK;
	report = (struct ts_verify_report){.damaged = 0};
	sound = !e->ops->verify(e, NULL, &l->arena, &report, &l->err) && !report.damaged && !report.missing && !report.records;

	ts_arena_reset(&l->arena);
	end_if_lost(l);
	if (!sound) {
		(void)snprintf(l->shared->result.text, sizeof l->shared->result.text,
			       "verify finds %u damaged, %u missing, %u records: %s", (unsigned)report.damaged,
			       (unsigned)report.missing, (unsigned)report.records, l->err.text);
		l->shared->result.same = false;
	}
	return sound;
}

/* ---- what is done ---- */

static struct model_move draw_move(struct shared *sh)
{
	struct model_move move = {.name = draw(sh, MODEL_NAMES), .head = draw(sh, MODEL_HEADS), .expected = draw(sh, MODEL_HEADS)};
	unsigned expect = draw(sh, 6);

	move.remove = draw(sh, 4) == 0;
	move.expect = expect == 0 ? TS_EXPECT_ABSENT : expect < 3 ? TS_EXPECT_ID : TS_EXPECT_ANY;
	if (move.expect == TS_EXPECT_ID && draw(sh, 2)) /* what is there */
		move.expected = before(sh)->names[move.name].head;
	if (model_kind_of(move.name) == TS_REF_RUN && !move.remove && draw(sh, 3) == 0)
		move.note = 1 + draw(sh, 5);
	return move;
}

/* Mostly whole runs, since else no commit would find all that it needs. */
static uint32_t draw_mask(struct shared *sh)
{
	unsigned head = draw(sh, MODEL_HEADS);
	uint32_t mask = 0;

	if (draw(sh, 3) == 0)
		return draw(sh, 1u << MODEL_OBJECTS);
	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		for (unsigned k = 0; k <= i; k++)
			if (i == head || ((mask >> k & 1) && model_refers(k, i)))
				mask |= 1u << i;
	return draw(sh, 6) ? mask : mask & ~(1u << draw(sh, MODEL_OBJECTS));
}

static void draw_entry(struct shared *sh, struct model_op *op)
{
	const struct model_name *name = &before(sh)->names[op->name];
	unsigned at = draw(sh, MODEL_LOG);

	op->head = draw(sh, 6) ? name->head : draw(sh, MODEL_HEADS);
	if (model_kind_of(op->name) != TS_REF_BRANCH || name->n_log == 0)
		return;
	at %= name->n_log;
	op->seq = name->log[at].seq;
	op->head = draw(sh, 6) ? name->log[at].head : op->head;
}

static struct model_op draw_op(struct shared *sh)
{
	static const enum model_kind kinds[] = {MODEL_PUT,  MODEL_PUT,	   MODEL_PUT,	 MODEL_HAS,    MODEL_GET,   MODEL_COMMIT,
						MODEL_COMMIT, MODEL_COMMIT, MODEL_COMMIT, MODEL_COMMIT, MODEL_NOTE,  MODEL_NOTE,
						MODEL_RESTORE, MODEL_RETIRE, MODEL_RETIRE, MODEL_SWEEP, MODEL_AGE,   MODEL_AGE,
						MODEL_RECORD, MODEL_REOPEN};
	struct model_op op = {.kind = kinds[draw(sh, sizeof kinds / sizeof *kinds)]};
	unsigned kept;

	op.now_ns = sh->next ? sh->at_ns[sh->next - 1] : sh->begun_ns;
	op.now_ns = (op.now_ns > sh->swept_ns ? op.now_ns : sh->swept_ns) + 1000;
	sh->at_ns[sh->next] = op.now_ns;
	op.mask = draw_mask(sh);
	for (unsigned i = 0; i < MODEL_OBJECTS && op.kind == MODEL_PUT; i++)
		op.mask &= before(sh)->below[i] ? ~(1u << i) : ~0u;
	op.object = draw(sh, MODEL_OBJECTS);
	op.name = op.kind == MODEL_NOTE ? 2 + draw(sh, 3) : draw(sh, MODEL_NAMES);
	op.as = draw(sh, MODEL_NAMES);
	if (model_kind_of(op.as) != model_kind_of(op.name))
		op.as = op.name;
	op.key = draw(sh, MODEL_NOTES);
	op.value = draw(sh, 5);
	op.leases = draw(sh, 3) > 0;
	kept = draw(sh, sh->next + 2);
	op.keep_from_ns = kept ? sh->at_ns[kept - 1] : sh->begun_ns;
	op.n_moves = draw(sh, 4) ? 1 : 2;
	op.moves[0] = draw_move(sh);
	op.moves[1] = draw_move(sh);
	if (op.moves[1].name == op.moves[0].name)
		op.n_moves = 1;
	if (op.kind == MODEL_RETIRE) {
		op.name = draw(sh, 5); /* branches and runs */
		draw_entry(sh, &op);
	}
	return op;
}

static bool do_op(struct life *l)
{
	struct shared *sh = l->shared;

	do
		sh->op = draw_op(sh);
	while (!model_can(before(sh), &sh->op));
	clear_texts(sh);
	*after(sh) = *before(sh);
	model_do(after(sh), &sh->op, &sh->want);
	l->err.status = TS_OK;
	sh->phase |= UNDER_WAY;
	engine_do(l, &sh->op, &sh->got);
	end_if_lost(l);
	sh->phase = ~sh->phase & 1;
	sh->result.calls++;
	ts_arena_reset(&l->arena);
	if (!same_texts(sh, "its answer"))
		return false;
	sh->next++;
	return sh->next % COMPARE_EACH || same_state(l, before(sh), "all that can be read");
}

/* ---- after a kill ---- */

/* Objects that no name reaches may be there or not, since only a commit makes them durable. All leases are renewed. */
static bool settle_objects(struct life *l, struct model *m)
{
	uint32_t all = (1u << MODEL_OBJECTS) - 1;
	bool reached[MODEL_OBJECTS], present[MODEL_OBJECTS];

	model_reached(m, reached);
	look(l, present);
	for (unsigned i = 0; i < MODEL_OBJECTS; i++) {
		m->there[i] = reached[i] ? m->there[i] : present[i];
		m->old[i] = false;
	}
	clear_texts(l->shared);
	return has_objects(l, all, &l->shared->got) == TS_OK;
}

/* The call that was cut has happened or has not; a sweep is run once more. */
static bool settle(struct life *l)
{
	struct shared *sh = l->shared;
	bool same;

	l->err.status = TS_OK;
	clear_texts(sh);
	if (!(sh->phase & UNDER_WAY))
		*after(sh) = *before(sh);
	else if (sh->op.kind == MODEL_SWEEP) {
		if (sweep(l, &sh->op, &sh->got)) {
			end_if_lost(l);
			return differ(sh, "a sweep that goes on after kill -9");
		}
		*before(sh) = *after(sh);
	}
	if (!settle_objects(l, before(sh)) || !settle_objects(l, after(sh))) {
		end_if_lost(l);
		return differ(sh, "objects after kill -9");
	}
	if (!is_sound(l))
		return false;
	same = same_state(l, before(sh), "all that can be read after kill -9");
	if (!same && !same_state(l, after(sh), "all that can be read after kill -9"))
		return false;
	sh->next += (sh->phase & UNDER_WAY) > 0;
	sh->phase = (sh->phase & 1) ^ !same;
	sh->result.same = true;
	return true;
}

/* ---- lives ---- */

static void die(int signal)
{
	(void)signal;
	(void)kill(getpid(), SIGKILL);
}

static void kill_soon(struct shared *sh)
{
	struct itimerval when = {.it_value = {.tv_usec = 1 + (int)draw(sh, KILL_US_MOST)}};

	(void)signal(SIGALRM, die);
	(void)setitimer(ITIMER_REAL, &when, NULL);
}

/* What lies below an engine is there from the beginning. */
static bool fill_below(struct life *l)
{
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/a", &l->objects[0].id, l->shared->begun_ns);
	struct ts_sealed objects[MODEL_OBJECTS];
	size_t n = 0;

	if (!l->s->below)
		return true;
	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		if (before(l->shared)->below[i])
			objects[n++] = l->objects[i];
	return l->s->below->ops->put_many(l->s->below, objects, n, NULL, &l->err) == TS_OK && test_commit(l->s->below, &u) == TS_OK;
}

static void live(struct shared *sh, struct subject *s, unsigned life)
{
	struct life l = {.shared = sh, .s = s};
	bool same = true;

	ts_arena_init(&l.arena, 0);
	ts_arena_init(&l.kept, 0);
	make_objects(&l);
	if (subject_open(s, &l.err)) {
		end_if_lost(&l);
		(void)snprintf(sh->result.text, sizeof sh->result.text, "it does not open: %.200s", l.err.text);
		sh->result.same = same = false;
	} else {
		sh->swept_ns = sh->swept_ns ? sh->swept_ns : ts_now_real_ns();
		same = life ? settle(&l) : fill_below(&l);
		sh->result.same = same;
	}
	if (same && s->kind->outlives && life + 1 < LIVES_MOST)
		kill_soon(sh);
	while (same && sh->next < SCHEDULE_OPS)
		same = do_op(&l);
	if (same)
		same = is_sound(&l);
	subject_close(s);
	ts_arena_finish(&l.arena);
	ts_arena_finish(&l.kept);
	_exit(same ? 0 : 1);
}

/* Cuts all connections of a database at some moment, or kills it. */
static void disturb(struct shared *sh, uint64_t seed)
{
	uint64_t us = (seed * 2654435761u + sh->next * 40503u) % KILL_US_MOST * 10;

	(void)nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
	if (seed % CRASH_EACH == 0)
		postgres_crash();
	else
		postgres_cut();
	sh->result.cuts++;
}

void schedule_run(const struct subject_kind *kind, uint64_t seed, void (*opened)(struct subject *s), struct schedule_result *ret)
{
	struct shared *sh = mmap(NULL, sizeof *sh, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct subject s;
	int status = 0;

	if (sh == MAP_FAILED)
		abort();
	*sh = (struct shared){.begun_ns = ts_now_real_ns(), .result = {.same = true}};
	sh->noise = seed * 2862933555777941757u + 3037000493u;
	model_begin(before(sh), kind->over, kind->names_below, sh->begun_ns);
	subject_make(&s, kind);
	s.opened = opened;
	for (unsigned life = 0;; life++) {
		pid_t child = fork();

		if (child == 0)
			live(sh, &s, life);
		if (kind->database && life < 2)
			disturb(sh, seed);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
			sh->result.crashes++;
		else if (!WIFEXITED(status) || WEXITSTATUS(status) != LOST)
			break;
	}
	if (sh->result.same && status)
		(void)snprintf(sh->result.text, sizeof sh->result.text, "its process ended with %d", status);
	sh->result.same = sh->result.same && status == 0;
	*ret = sh->result;
	(void)munmap(sh, sizeof *sh);
	subject_remove(&s);
}
