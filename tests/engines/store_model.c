#include "tests/engines/store_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	enum ts_ref_kind kind;
	const char *name;
} names[MODEL_NAMES] = {
	{TS_REF_BRANCH, "p/main"}, {TS_REF_BRANCH, "q/main"}, {TS_REF_RUN, "p/a"}, {TS_REF_RUN, "p/b"}, {TS_REF_RUN, "q/a"},
	{TS_REF_STAGE, "p/s"},	   {TS_REF_TAG, "p/t"},
};

void model_say(struct model_text *out, const char *format, ...)
{
	size_t room = sizeof out->bytes - out->len;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(out->bytes + out->len, room, format, args);
	va_end(args);
	out->len += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

enum ts_ref_kind model_kind_of(unsigned name)
{
	return names[name].kind;
}

const char *model_name_of(unsigned name)
{
	return names[name].name;
}

bool model_refers(unsigned from, unsigned to)
{
	unsigned block = to - MODEL_HEADS - MODEL_INDEXES;

	if (from < MODEL_HEADS)
		return to == MODEL_HEADS + from;
	from -= MODEL_HEADS;
	return from < MODEL_INDEXES && to >= MODEL_HEADS + MODEL_INDEXES &&
	       (block == from || block == (from + 3) % MODEL_BLOCKS || block == MODEL_BLOCKS - 1);
}

/* ---- what reaches what ---- */

static void reach(bool out[MODEL_OBJECTS], unsigned object)
{
	out[object] = true;
	for (unsigned to = object + 1; to < MODEL_OBJECTS; to++)
		if (model_refers(object, to))
			reach(out, to);
}

static bool is_there(const struct model *m, unsigned object)
{
	return m->there[object] || m->below[object];
}

static bool is_complete(const struct model *m, unsigned object)
{
	bool wanted[MODEL_OBJECTS] = {false};

	reach(wanted, object);
	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		if (wanted[i] && !is_there(m, i))
			return false;
	return true;
}

/* What is not there leads nowhere. */
static void reach_from_leased(const struct model *m, bool out[MODEL_OBJECTS], unsigned object)
{
	out[object] = true;
	for (unsigned to = object + 1; to < MODEL_OBJECTS && is_there(m, object); to++)
		if (model_refers(object, to))
			reach_from_leased(m, out, to);
}

static void reach_log(bool out[MODEL_OBJECTS], const struct model_name *name)
{
	for (unsigned i = 0; i < name->n_log; i++)
		reach(out, name->log[i].head);
}

void model_reached(const struct model *m, bool out[MODEL_OBJECTS])
{
	memset(out, 0, MODEL_OBJECTS * sizeof *out);
	for (unsigned i = 0; i < MODEL_NAMES; i++) {
		bool branch = names[i].kind == TS_REF_BRANCH; /* its whole log keeps its objects */

		if (m->names[i].there)
			reach(out, m->names[i].head);
		if (m->names[i].there && branch)
			reach_log(out, &m->names[i]);
		for (unsigned k = 0; k < m->n_removed[i]; k++) {
			reach(out, m->removed[i][k].what.head);
			if (branch)
				reach_log(out, &m->removed[i][k].what);
		}
	}
}

void model_begin(struct model *m, bool over, bool names_below, int64_t now_ns)
{
	*m = (struct model){.n_removed = {0}};
	for (unsigned i = 0; i < MODEL_BELOW && over; i++) {
		bool closure[MODEL_OBJECTS] = {false};

		reach(closure, i);
		for (unsigned k = 0; k < MODEL_OBJECTS; k++)
			m->below[k] = m->below[k] || closure[k];
	}
	if (names_below)
		m->names[2] = (struct model_name){.there = true, .seq = 1, .moved_ns = now_ns, .log = {{1, 0, now_ns}}, .n_log = 1};
}

/* ---- operations ---- */

static enum ts_status move_status(const struct model *m, const struct model_move *move)
{
	const struct model_name *name = &m->names[move->name];

	if (move->expect == TS_EXPECT_ABSENT && name->there)
		return TS_CONFLICT;
	if (move->expect == TS_EXPECT_ID && (!name->there || name->head != move->expected))
		return TS_CONFLICT;
	if (move->remove)
		return name->there ? TS_OK : TS_NOT_FOUND;
	return is_complete(m, move->head) ? TS_OK : TS_NOT_FOUND;
}

/* What is removed later than everything that was removed of this name. */
static int64_t removed_at(const struct model *m, unsigned name, int64_t now_ns)
{
	unsigned n = m->n_removed[name];

	return n && m->removed[name][n - 1].at_ns >= now_ns ? m->removed[name][n - 1].at_ns + 1 : now_ns;
}

static void remove_name(struct model *m, unsigned name, int64_t now_ns)
{
	if (names[name].kind != TS_REF_STAGE)
		m->removed[name][m->n_removed[name]++] =
			(struct model_removed){.at_ns = removed_at(m, name, now_ns), .what = m->names[name]};
	m->names[name] = (struct model_name){.there = false};
}

/* A run that gets a name again which it had last gets its notes back. */
static void notes_again(struct model *m, unsigned name, unsigned head)
{
	unsigned n = m->n_removed[name];

	if (names[name].kind != TS_REF_RUN || n == 0 || m->removed[name][n - 1].what.head != head)
		return;
	memcpy(m->names[name].notes, m->removed[name][n - 1].what.notes, sizeof m->names[name].notes);
	m->n_removed[name]--;
}

static void move_name(struct model *m, const struct model_move *move, int64_t now_ns)
{
	struct model_name *name = &m->names[move->name];

	if (move->remove) {
		remove_name(m, move->name, now_ns);
		return;
	}
	if (!name->there)
		notes_again(m, move->name, move->head);
	name->there = true;
	name->head = move->head;
	name->moved_ns = now_ns;
	name->log[name->n_log++] = (struct model_entry){++name->seq, move->head, now_ns};
	if (move->note)
		name->notes[0] = (struct model_note){move->note, now_ns};
}

static enum ts_status do_commit(struct model *m, const struct model_op *op)
{
	enum ts_status status = TS_OK;

	for (unsigned i = 0; i < op->n_moves && !status; i++)
		status = move_status(m, &op->moves[i]);
	for (unsigned i = 0; i < op->n_moves && !status; i++)
		move_name(m, &op->moves[i], op->now_ns);
	return status;
}

static void do_put(struct model *m, const struct model_op *op, struct model_text *out)
{
	unsigned n = 0, fresh = 0;

	for (unsigned i = 0; i < MODEL_OBJECTS; i++) {
		if (!(op->mask >> i & 1))
			continue;
		n++;
		fresh += !m->there[i];
		m->there[i] = true;
		m->old[i] = false;
	}
	model_say(out, " %u of which new %u", n, fresh);
}

static void do_has(struct model *m, const struct model_op *op, struct model_text *out)
{
	model_say(out, " ");
	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		if (op->mask >> i & 1) {
			model_say(out, "%d", is_there(m, i));
			m->old[i] = false;
		}
}

static enum ts_status do_note(struct model *m, const struct model_op *op)
{
	struct model_name *name = &m->names[op->name];

	if (!name->there)
		return TS_NOT_FOUND;
	name->notes[op->key] = (struct model_note){op->value, op->value ? op->now_ns : 0};
	return TS_OK;
}

static enum ts_status restore_entries(struct model *m, const struct model_op *op)
{
	struct model_removed *last = &m->removed[op->name][m->n_removed[op->name] - 1];
	struct model_name *name = &m->names[op->name];

	if (!name->there)
		return TS_CONFLICT;
	if (op->as != op->name)
		return TS_INVALID;
	if (name->pruned < last->entries || name->born_ns != last->what.born_ns)
		return TS_CONFLICT;
	for (unsigned i = 0; i < last->entries; i++) {
		unsigned at = name->n_log++;

		for (; at && name->log[at - 1].seq > last->what.log[i].seq; at--)
			name->log[at] = name->log[at - 1];
		name->log[at] = last->what.log[i];
	}
	name->pruned -= last->entries;
	if (name->pruned == 0)
		name->pruned_ns = name->born_ns = 0;
	m->n_removed[op->name]--;
	return TS_OK;
}

static enum ts_status do_restore(struct model *m, const struct model_op *op)
{
	unsigned n = m->n_removed[op->name];

	if (n == 0)
		return TS_NOT_FOUND;
	if (m->removed[op->name][n - 1].entries)
		return restore_entries(m, op);
	if (m->names[op->as].there)
		return TS_CONFLICT;
	m->names[op->as] = m->removed[op->name][n - 1].what;
	m->n_removed[op->name]--;
	return TS_OK;
}

static bool is_tagged(const struct model *m, unsigned head)
{
	for (unsigned i = 0; i < MODEL_NAMES; i++)
		if (names[i].kind == TS_REF_TAG && m->names[i].there && m->names[i].head == head)
			return true;
	return false;
}

static enum ts_retire_outcome outcome_of(const struct model *m, const struct model_op *op)
{
	const struct model_name *name = &m->names[op->name];
	bool same = false;

	if (!name->there)
		return TS_STAYS_CHANGED;
	if (names[op->name].kind == TS_REF_BRANCH) {
		if (op->seq == name->seq)
			return TS_STAYS_NEWEST;
		for (unsigned i = 0; i < name->n_log; i++)
			same = same || (name->log[i].seq == op->seq && name->log[i].head == op->head);
	} else {
		same = name->head == op->head && name->moved_ns <= op->keep_from_ns;
		for (unsigned i = 0; i < MODEL_NOTES; i++)
			same = same && (!name->notes[i].value || name->notes[i].at_ns <= op->keep_from_ns);
	}
	return !same ? TS_STAYS_CHANGED : is_tagged(m, op->head) ? TS_STAYS_TAGGED : TS_RETIRED;
}

static void retire_entry(struct model *m, const struct model_op *op)
{
	struct model_name *name = &m->names[op->name];
	struct model_removed gone = {.entries = 1, .what = {.head = op->head, .n_log = 1}};
	unsigned at = 0;

	gone.at_ns = removed_at(m, op->name, op->now_ns);
	if (name->pruned == 0)
		name->born_ns = name->log[0].at_ns;
	gone.what.born_ns = name->born_ns;
	while (name->log[at].seq != op->seq)
		at++;
	gone.what.log[0] = name->log[at];
	for (name->n_log--; at < name->n_log; at++)
		name->log[at] = name->log[at + 1];
	name->pruned++;
	name->pruned_ns = op->now_ns;
	m->removed[op->name][m->n_removed[op->name]++] = gone;
}

static void do_retire(struct model *m, const struct model_op *op, struct model_text *out)
{
	enum ts_retire_outcome outcome = outcome_of(m, op);

	model_say(out, " outcome %d", (int)outcome);
	if (outcome != TS_RETIRED)
		return;
	if (names[op->name].kind == TS_REF_BRANCH)
		retire_entry(m, op);
	else
		remove_name(m, op->name, op->now_ns);
}

static void do_sweep(struct model *m, const struct model_op *op, struct model_text *out)
{
	bool kept[MODEL_OBJECTS];
	unsigned freed = 0;

	for (unsigned i = 0; i < MODEL_NAMES; i++) {
		unsigned n = 0;

		for (unsigned k = 0; k < m->n_removed[i]; k++)
			if (m->removed[i][k].at_ns > op->keep_from_ns)
				m->removed[i][n++] = m->removed[i][k];
		m->n_removed[i] = n;
	}
	model_reached(m, kept);
	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		if (op->leases && m->there[i] && !m->old[i])
			reach_from_leased(m, kept, i);
	for (unsigned i = 0; i < MODEL_OBJECTS; i++) {
		freed += m->there[i] && !kept[i];
		m->there[i] = m->there[i] && kept[i];
	}
	model_say(out, " freed %u", freed);
}

bool model_can(const struct model *m, const struct model_op *op)
{
	for (unsigned i = 0; i < op->n_moves && op->kind == MODEL_COMMIT; i++)
		if (m->names[op->moves[i].name].n_log == MODEL_LOG || m->n_removed[op->moves[i].name] == MODEL_REMOVED)
			return false;
	if (op->kind == MODEL_RETIRE)
		return m->n_removed[op->name] < MODEL_REMOVED;
	if (op->kind == MODEL_RESTORE)
		return m->names[op->name].n_log < MODEL_LOG;
	return op->kind != MODEL_AGE || m->there[op->object];
}

void model_do(struct model *m, const struct model_op *op, struct model_text *out)
{
	enum ts_status status = TS_OK;

	switch (op->kind) {
	case MODEL_PUT:
		do_put(m, op, out);
		break;
	case MODEL_HAS:
		do_has(m, op, out);
		break;
	case MODEL_GET:
		status = is_there(m, op->object) ? TS_OK : TS_NOT_FOUND;
		break;
	case MODEL_COMMIT:
		status = do_commit(m, op);
		break;
	case MODEL_NOTE:
		status = do_note(m, op);
		break;
	case MODEL_RESTORE:
		status = do_restore(m, op);
		break;
	case MODEL_RETIRE:
		do_retire(m, op, out);
		break;
	case MODEL_SWEEP:
		do_sweep(m, op, out);
		break;
	case MODEL_AGE:
		m->old[op->object] = true;
		break;
	case MODEL_RECORD:
		m->records[op->key] = op->value;
		break;
	case MODEL_REOPEN:
		break;
	}
	model_say(out, " status %d", (int)status);
}

/* ---- what can be read ---- */

static void say_name(const struct model *m, unsigned i, int64_t since_ns, struct model_text *out)
{
	const struct model_name *name = &m->names[i];

	if (!name->there)
		return;
	model_say(out, "%c %s h%u seq %d moved %d\n", (char)names[i].kind, names[i].name, name->head, (int)name->seq,
		  (int)(name->moved_ns - since_ns));
	for (unsigned k = name->n_log; k-- > 0;)
		model_say(out, "  entry %d h%u at %d\n", (int)name->log[k].seq, name->log[k].head,
			  (int)(name->log[k].at_ns - since_ns));
	if (name->pruned)
		model_say(out, "  pruned %u at %d\n", name->pruned, (int)(name->pruned_ns - since_ns));
	for (unsigned k = 0; k < MODEL_NOTES && names[i].kind == TS_REF_RUN; k++)
		if (name->notes[k].value)
			model_say(out, "  note k%u v%u at %d\n", k, name->notes[k].value, (int)(name->notes[k].at_ns - since_ns));
}

/* Whether a comes before b in the list of the newest. */
static bool is_newer(const struct model *m, unsigned a, unsigned b)
{
	return m->names[a].moved_ns > m->names[b].moved_ns || (m->names[a].moved_ns == m->names[b].moved_ns && a < b);
}

static void say_newest(const struct model *m, enum ts_ref_kind kind, struct model_text *out)
{
	bool said[MODEL_NAMES] = {false};

	model_say(out, "newest %c:", (char)kind);
	for (;;) {
		unsigned best = MODEL_NAMES;

		for (unsigned i = 0; i < MODEL_NAMES; i++)
			if (m->names[i].there && names[i].kind == kind && !said[i] && (best == MODEL_NAMES || is_newer(m, i, best)))
				best = i;
		if (best == MODEL_NAMES)
			break;
		said[best] = true;
		model_say(out, " %s", names[best].name);
	}
	model_say(out, "\n");
}

void model_state(const struct model *m, int64_t since_ns, struct model_text *out)
{
	model_say(out, "objects ");
	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		model_say(out, "%d", is_there(m, i));
	model_say(out, "\n");
	for (unsigned i = 0; i < MODEL_NAMES; i++)
		say_name(m, i, since_ns, out);
	for (unsigned i = 0; i < MODEL_NAMES; i++)
		if (i == 0 || names[i].kind != names[i - 1].kind)
			say_newest(m, names[i].kind, out);
	for (unsigned i = 0; i < MODEL_NAMES; i++)
		for (unsigned k = m->n_removed[i]; k-- > 0;)
			model_say(out, "removed %c %s entries %u at %d\n", (char)names[i].kind, names[i].name, m->removed[i][k].entries,
				  (int)(m->removed[i][k].at_ns - since_ns));
	for (unsigned i = 0; i < MODEL_RECORDS; i++)
		if (m->records[i])
			model_say(out, "record %u is %u\n", i, m->records[i]);
}
