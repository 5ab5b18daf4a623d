/* memory_name.c - moves names in a memory engine, with their logs and notes. */
#include "store/memory_internal.h"

#include "base/alloc.h"

static int compare_name(const struct ts_memory_name *a, enum ts_ref_kind kind, struct ts_span name)
{
	if (a->kind != kind)
		return a->kind < kind ? -1 : 1;
	return ts_span_cmp(a->name, name);
}

struct ts_memory_name *ts_memory_find(struct ts_memory *m, enum ts_ref_kind kind, struct ts_span name, size_t *ret_at)
{
	size_t low = 0;
	size_t high = m->n_names;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare_name(m->names[mid], kind, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (ret_at)
		*ret_at = low;
	if (low < m->n_names && compare_name(m->names[low], kind, name) == 0)
		return m->names[low];
	return NULL;
}

static bool reserve_names(struct ts_memory *m)
{
	size_t cap = m->names_cap ? m->names_cap * 2 : 16;
	struct ts_memory_name **names;
	size_t bytes;

	if (m->n_names < m->names_cap)
		return true;
	names = ts_size_mul(cap, sizeof(struct ts_memory_name *), &bytes) ? ts_realloc(m->names, bytes) : NULL;
	if (!names)
		return false;
	m->names = names;
	m->names_cap = cap;
	return true;
}

struct ts_memory_name *ts_memory_make(struct ts_memory *m, enum ts_ref_kind kind, struct ts_span name)
{
	struct ts_memory_name *made;
	size_t at;

	made = ts_memory_find(m, kind, name, &at);
	if (made)
		return made;
	if (!reserve_names(m))
		return NULL;
	made = ts_alloc(sizeof *made + name.len);
	if (!made)
		return NULL;
	*made = (struct ts_memory_name){.kind = kind};
	memcpy(made->text, name.data, name.len);
	made->name = ts_span_of(made->text, name.len);
	memmove(m->names + at + 1, m->names + at, (m->n_names - at) * sizeof(struct ts_memory_name *));
	m->names[at] = made;
	m->n_names++;
	return made;
}

static void forget_moves(struct ts_memory_name *name)
{
	while (name->moves) {
		struct ts_memory_move *older = name->moves->older;

		ts_free(name->moves);
		name->moves = older;
	}
	ts_free(name->pruned);
	name->pruned = NULL;
}

/* The array keeps its room, which prepare_note may have made. */
static void forget_notes(struct ts_memory_name *name)
{
	for (size_t i = 0; i < name->n_notes; i++)
		ts_free(name->notes[i]);
	name->n_notes = 0;
	name->hides_base_notes = true;
}

void ts_memory_notes_forget(struct ts_memory *m)
{
	for (size_t i = 0; i < m->n_names; i++)
		if (m->names[i]->removed) {
			forget_notes(m->names[i]);
			m->names[i]->removed = false;
		}
}

void ts_memory_free_names(struct ts_memory *m)
{
	for (size_t i = 0; i < m->n_names; i++) {
		forget_moves(m->names[i]);
		forget_notes(m->names[i]);
		ts_free(m->names[i]->notes);
		ts_free(m->names[i]);
	}
	ts_free(m->names);
	m->names = NULL;
	m->n_names = 0;
}

enum ts_status ts_memory_current(struct ts_memory *m, enum ts_ref_kind kind, struct ts_span name,
				 struct ts_arena *arena, struct ts_ref *ret_ref, bool *ret_found, struct ts_error *err)
{
	struct ts_memory_name *here = ts_memory_find(m, kind, name, NULL);
	enum ts_status status = TS_NOT_FOUND;

	if (here && here->moves)
		status = ts_ref_copy(arena, &here->moves->ref, ret_ref, err);
	else if (m->base && !(here && here->hides_base))
		status = m->base->ops->ref_get(m->base, kind, name, arena, ret_ref, err);
	*ret_found = status == TS_OK;
	return status == TS_NOT_FOUND ? TS_OK : status;
}

static struct ts_span put_text(uint8_t **at, struct ts_span text)
{
	uint8_t *start = *at;

	if (text.len)
		memcpy(start, text.data, text.len);
	*at += text.len;
	return ts_span_of(start, text.len);
}

static struct ts_memory_move *make_move(const struct ts_ref *ref, struct ts_span message)
{
	struct ts_memory_move *move;
	uint8_t *at;

	move = ts_alloc(sizeof *move + ref->who.len + ref->summary.len + message.len);
	if (!move)
		return NULL;
	*move = (struct ts_memory_move){.ref = *ref};
	at = move->text;
	move->ref.who = put_text(&at, ref->who);
	move->ref.summary = put_text(&at, ref->summary);
	move->message = put_text(&at, message);
	return move;
}

static size_t find_note(const struct ts_memory_name *name, struct ts_span key, bool *ret_found)
{
	size_t at = 0;

	while (at < name->n_notes && ts_span_cmp(name->notes[at]->note.key, key) < 0)
		at++;
	*ret_found = at < name->n_notes && ts_span_eq(name->notes[at]->note.key, key);
	return at;
}

static struct ts_memory_note *make_note(const struct ts_note *note)
{
	struct ts_memory_note *made = ts_alloc(sizeof *made + note->key.len + note->value.len + note->who.len);
	uint8_t *at;

	if (!made)
		return NULL;
	at = made->text;
	made->note = *note;
	made->note.key = put_text(&at, note->key);
	made->note.value = put_text(&at, note->value);
	made->note.who = put_text(&at, note->who);
	return made;
}

/* Makes a copy of the note and room for it, so that place_note cannot fail. NULL: no memory. */
static struct ts_memory_note *prepare_note(struct ts_memory_name *name, const struct ts_note *note)
{
	struct ts_memory_note **notes = ts_realloc(name->notes, (name->n_notes + 1) * sizeof(struct ts_memory_note *));

	if (!notes)
		return NULL;
	name->notes = notes;
	return make_note(note);
}

static void place_note(struct ts_memory_name *name, struct ts_memory_note *made)
{
	bool found;
	size_t at = find_note(name, made->note.key, &found);

	if (found) {
		ts_free(name->notes[at]);
	} else {
		memmove(name->notes + at + 1, name->notes + at, (name->n_notes - at) * sizeof(struct ts_memory_note *));
		name->n_notes++;
	}
	name->notes[at] = made;
}

/* One update of a commit, prepared before any is applied, so that applying it cannot fail. */
struct ready {
	struct ts_memory_name *name;
	struct ts_id current;	     /* what it points at, if it is removed */
	struct ts_memory_move *move; /* NULL for a removal */
	struct ts_memory_note *note; /* NULL: none */
};

static enum ts_status make_ready(struct ts_memory *m, const struct ts_ref_update *u, struct ts_arena *arena,
				 struct ready *ret, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_ref current = {0};
	struct ts_ref after;
	bool found;

	if (ts_memory_current(m, u->kind, u->name, arena, &current, &found, err) ||
	    ts_expect_check(u, found ? &current.id : NULL, err))
		return err->status;
	if (!u->remove && ts_memory_check_complete(m, &u->id, err))
		return err->status;
	after = ts_ref_after(u, &current);
	if (ret_ref && ts_ref_copy(arena, &after, ret_ref, err))
		return err->status;
	ret->name = ts_memory_make(m, u->kind, u->name);
	ret->current = current.id;
	ret->move = u->remove || !ret->name ? NULL : make_move(&after, u->message);
	ret->note = ret->move && u->note ? prepare_note(ret->name, u->note) : NULL;
	if (!ret->name || (!u->remove && !ret->move) || (u->note && !ret->note))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a name");
	if (ret->move)
		ret->move->ref.name = ret->name->name;
	return TS_OK;
}

static void apply_move(struct ts_memory_name *name, struct ts_memory_move *move)
{
	if (name->removed && !ts_id_eq(&name->removed_id, &move->ref.id))
		forget_notes(name);
	name->removed = false;
	move->older = name->moves;
	name->moves = move;
}

static void remove_moves(struct ts_memory_name *name)
{
	forget_moves(name);
	name->hides_base = true;
	name->removed = true;
}

void ts_memory_remove(struct ts_memory_name *name)
{
	name->removed_id = name->moves->ref.id;
	remove_moves(name);
}

static void apply(const struct ready *ready)
{
	if (ready->move) {
		apply_move(ready->name, ready->move);
		if (ready->note)
			place_note(ready->name, ready->note);
		return;
	}
	ready->name->removed_id = ready->current; /* which may be that of base */
	remove_moves(ready->name);
}

enum ts_status ts_memory_commit(struct ts_engine *e, const struct ts_ref_update *updates, size_t n,
				struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	enum ts_status status = TS_OK;
	struct ready *ready;
	struct ts_ref first = {0};

	if (n == 0 || ts_updates_check(updates, n, err))
		return n ? err->status : TS_OK;
	ready = ts_arena_array(arena, n, sizeof *ready);
	if (!ready)
		return ts_arena_error(arena, err);
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < n && !status; i++)
		status = make_ready(m, &updates[i], arena, &ready[i], ret_ref && i == 0 ? &first : NULL, err);
	for (size_t i = 0; i < n && !status; i++)
		status = ts_memory_extracts_place(m, &updates[i].id, updates[i].extracts, updates[i].n_extracts, err);
	for (size_t i = 0; i < n; i++) {
		if (!status) {
			apply(&ready[i]);
			continue;
		}
		ts_free(ready[i].move);
		ts_free(ready[i].note);
	}
	pthread_mutex_unlock(&m->lock);
	if (!status && ret_ref)
		*ret_ref = first;
	return status;
}

/* Sets *ret_found to whether such a run exists, in this engine or in base. */
static enum ts_status run_exists(struct ts_memory *m, struct ts_span name, bool *ret_found, struct ts_error *err)
{
	struct ts_arena arena;
	struct ts_ref ref;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_memory_current(m, TS_REF_RUN, name, &arena, &ref, ret_found, err);
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status note_put_locked(struct ts_memory *m, struct ts_span name, const struct ts_note *note,
				      struct ts_error *err)
{
	struct ts_memory_name *here;
	struct ts_memory_note *made;
	bool found;

	if (run_exists(m, name, &found, err))
		return err->status;
	if (!found)
		return ts_no_ref(TS_REF_RUN, name, err);
	here = ts_memory_make(m, TS_REF_RUN, name);
	made = here ? prepare_note(here, note) : NULL;
	if (!made)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a note");
	place_note(here, made);
	return TS_OK;
}

enum ts_status ts_memory_note_put(struct ts_engine *e, struct ts_span name, const struct ts_note *note,
				  struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	enum ts_status status;

	if (ts_note_check(name, note, err))
		return err->status;
	pthread_mutex_lock(&m->lock);
	status = note_put_locked(m, name, note, err);
	pthread_mutex_unlock(&m->lock);
	return status;
}

static enum ts_status copy_note(struct ts_arena *arena, const struct ts_note *note, struct ts_note *ret,
				struct ts_error *err)
{
	ret->key = ts_arena_span(arena, note->key);
	ret->value = ts_arena_span(arena, note->value);
	ret->who = ts_arena_span(arena, note->who);
	ret->at_ns = note->at_ns;
	if (!ret->key.data || !ret->value.data || !ret->who.data)
		return ts_arena_error(arena, err);
	return TS_OK;
}

/* Both lists are sorted by key. A note of this engine comes before base's note of the same key, and hides it when it is empty. */
static enum ts_status merge_notes(const struct ts_memory_name *here, const struct ts_note *base, size_t n_base,
				  struct ts_arena *arena, struct ts_note **ret_notes, size_t *ret_n,
				  struct ts_error *err)
{
	size_t n_here = here ? here->n_notes : 0;
	struct ts_note *notes = ts_arena_array(arena, n_here + n_base, sizeof *notes);
	size_t n = 0;
	size_t b = 0;

	if (!notes)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n_here; i++) {
		const struct ts_note *note = &here->notes[i]->note;

		while (b < n_base && ts_span_cmp(base[b].key, note->key) < 0)
			notes[n++] = base[b++];
		if (b < n_base && ts_span_eq(base[b].key, note->key))
			b++;
		if (note->value.len && copy_note(arena, note, &notes[n++], err))
			return err->status;
	}
	while (b < n_base)
		notes[n++] = base[b++];
	*ret_notes = notes;
	*ret_n = n;
	return TS_OK;
}

enum ts_status ts_memory_note_list(struct ts_engine *e, struct ts_span name, struct ts_arena *arena,
				   struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_memory_name *here;
	struct ts_note *base = NULL;
	enum ts_status status = TS_OK;
	size_t n_base = 0;

	if (ts_ref_name_check(name, err))
		return err->status;
	pthread_mutex_lock(&m->lock);
	here = ts_memory_find(m, TS_REF_RUN, name, NULL);
	*ret_n = 0;
	if (m->base && !(here && (here->hides_base_notes || here->removed)))
		status = m->base->ops->note_list(m->base, name, arena, &base, &n_base, err);
	if (!status && !(here && here->removed))
		status = merge_notes(here, base, n_base, arena, ret_notes, ret_n, err);
	pthread_mutex_unlock(&m->lock);
	return status;
}
