/* keep_mirror_part.c - see keep_mirror_part.h. */
#include "service/keep_mirror_part.h"

#include "base/bisect.h"
#include "base/clock.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/object.h"
#include "base/order.h"
#include "proto/wire.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/scores.h"
#include "service/handlers/core/summary.h"
#include "store/cluster/cluster.h"

#include <string.h>

enum { WANTED_MOST = 1024, PUT_BYTES = 4 << 20, LIST_PAGE = 1000 };

/* A name of the part. */
struct wanted {
	enum ts_ref_kind kind;
	struct ts_span name;
	bool gone; /* it was removed since it was listed */
};
/* Ids, each once after settle(). */
struct ids {
	struct ts_id *items;
	size_t n, cap;
};

struct part {
	const struct ts_mirror_options *options;
	struct ts_channel *from;
	struct ts_engine *to;
	struct ts_mirror_report *report;
	struct ts_arena names;	/* of wanted */
	struct ts_arena arena;	/* of one name */
	struct ts_arena entry;	/* of one entry of its log, of which there may be many */
	struct ts_arena scratch; /* of one request */
	struct wanted *wanted;
	size_t n_wanted, cap_wanted;
};

TS_ORDER(by_name, struct wanted, TS_UP(kind); TS_TEXT(name))
TS_ORDER(by_id, struct ts_id, TS_THEN(ts_id_cmp(a, b)))

static void settle(struct ids *ids)
{
	size_t n = 0;

	TS_SORT(ids->items, ids->n, by_id);
	for (size_t i = 0; i < ids->n; i++)
		if (n == 0 || !ts_id_eq(&ids->items[n - 1], &ids->items[i]))
			ids->items[n++] = ids->items[i];
	ids->n = n;
}

static bool has_id(const struct ids *ids, const struct ts_id *id)
{
	size_t at = 0;
	bool found;

	TS_SEEK(at, ids->n, i, ts_id_cmp(&ids->items[i], id), found);
	return found;
}

static enum ts_status add_id(struct ts_arena *arena, struct ids *ids, const struct ts_id *id, struct ts_error *err)
{
	if (!TS_GROW_IN(arena, ids->items, ids->cap, ids->n + 1, 256))
		return ts_arena_error(arena, err);
	ids->items[ids->n++] = *id;
	return TS_OK;
}

/* ---- questions ---- */

#define ASK(method, request_type, reply_type)                                                                                          \
	struct ts_buf request = TS_BUF_INIT(TS_MESSAGE_MAX);                                                                           \
	struct ts_span answer = {NULL, 0};                                                                                             \
	enum ts_status status = ts_wire_pack_##request_type(in, &request, err);                                                        \
                                                                                                                                       \
	if (!status)                                                                                                                   \
		status = p->from->ops->call(p->from, method, ts_buf_view(&request), arena, &answer, err);                              \
	ts_buf_finish(&request);                                                                                                       \
	return status ? status : ts_wire_unpack_##reply_type(answer, arena, ret, err)

static enum ts_status ask_list(struct part *p, const struct ts_list_request *in, struct ts_arena *arena, struct ts_list_reply *ret,
			       struct ts_error *err)
{
	ASK("ListRuns", list_request, list_reply);
}

static enum ts_status ask_log(struct part *p, const struct ts_log_request *in, struct ts_arena *arena, struct ts_log_reply *ret,
			      struct ts_error *err)
{
	ASK("RefLog", log_request, log_reply);
}

static enum ts_status ask_get(struct part *p, const struct ts_get_request *in, struct ts_arena *arena, struct ts_get_reply *ret,
			      struct ts_error *err)
{
	ASK("GetRun", get_request, get_reply);
}

static struct ts_span spec_of(enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena)
{
	const char *text = ts_arena_printf(arena, "%s:%.*s", ts_ref_word(kind), TS_SPAN_ARG(name));

	return ts_span_str(text ? text : "");
}

/* ---- which names ---- */

static enum ts_status want(struct part *p, enum ts_ref_kind kind, struct ts_span name, struct ts_error *err)
{
	struct wanted w = {.kind = kind, .name = ts_arena_span(&p->names, name)};

	if (!w.name.data || !TS_GROW_IN(&p->names, p->wanted, p->cap_wanted, p->n_wanted + 1, 256))
		return ts_arena_error(&p->names, err);
	p->wanted[p->n_wanted++] = w;
	return TS_OK;
}

/* Wants the names of a kind; with `among`, those that point at one of these. */
static enum ts_status list_kind(struct part *p, enum ts_ref_kind kind, struct ts_span project, struct ts_span filter,
				const struct ids *among, struct ts_error *err)
{
	struct ts_list_request request = {
		.project = project, .kind = kind, .filter = filter, .sort = ts_span_str("name"), .page_size = LIST_PAGE};
	struct ts_list_reply page;
	uint8_t token[TS_MESSAGE_MAX / 1024];

	do {
		ts_arena_reset(&p->scratch);
		if (ask_list(p, &request, &p->scratch, &page, err))
			return err->status;
		for (size_t i = 0; i < page.n; i++)
			if ((!among || has_id(among, &page.rows[i].id)) && want(p, kind, page.rows[i].name, err))
				return err->status;
		if (page.next_token.len > sizeof token)
			return ts_error_set(err, TS_DAMAGED, "%s sent a token of %zu bytes", p->from->where, page.next_token.len);
		if (page.next_token.len)
			memcpy(token, page.next_token.data, page.next_token.len);
		request.page_token = ts_span_of(token, page.next_token.len);
	} while (request.page_token.len);
	return TS_OK;
}

static enum ts_status list_branch(struct part *p, struct ts_error *err)
{
	struct ts_span name = ts_span_str(p->options->branch);
	const uint8_t *slash = memchr(name.data, '/', name.len);
	struct ts_log_request request = {.spec = spec_of(TS_REF_BRANCH, name, &p->arena)};
	struct ids heads = {.n = 0};
	struct ts_log_reply log;

	if (!slash)
		return ts_error_set(err, TS_INVALID, "--branch names a branch with its project: lab/main");
	if (ask_log(p, &request, &p->arena, &log, err))
		return err->status;
	for (size_t i = 0; i < log.n; i++)
		if (add_id(&p->arena, &heads, &log.entries[i].id, err))
			return err->status;
	settle(&heads);
	name = ts_span_of(name.data, (size_t)(slash - name.data));
	return want(p, TS_REF_BRANCH, log.name, err) || list_kind(p, TS_REF_RUN, name, ts_span_of(NULL, 0), &heads, err)
		       ? err->status
		       : list_kind(p, TS_REF_TAG, name, ts_span_of(NULL, 0), &heads, err);
}

static enum ts_status list_names(struct part *p, struct ts_error *err)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
	struct ts_span project = ts_span_str(p->options->project ? p->options->project : "");
	struct ts_span filter = ts_span_str(p->options->filter ? p->options->filter : "");

	if (p->options->branch && list_branch(p, err))
		return err->status;
	for (size_t i = 0; i < (p->options->branch ? 0 : filter.len ? 2 : 3); i++)
		if (list_kind(p, kinds[i], project, filter, NULL, err))
			return err->status;
	TS_SORT(p->wanted, p->n_wanted, by_name);
	return TS_OK;
}

/* ---- objects ---- */

/* Objects on their way: what came is put into the mirror some megabytes at a time. */
struct coming {
	struct part *p;
	const struct ts_id *asked;
	size_t n, at;
	struct ids *next;	  /* what they refer to */
	struct ts_arena message;
};

static enum ts_status add_refs(struct part *p, struct ids *next, struct ts_span bytes, struct ts_error *err)
{
	struct ts_object object;

	if (ts_object_parse(bytes, &object, err))
		return err->status;
	for (uint32_t i = 0; i < object.nrefs; i++) {
		struct ts_id id = ts_object_ref(&object, i);

		if (add_id(&p->entry, next, &id, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status take_objects(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct coming *c = ctx;
	struct ts_put_request came;
	struct ts_put_stats stats;

	ts_arena_reset(&c->message);
	if (ts_wire_unpack_objects_reply(message, &c->message, &came, err))
		return err->status;
	for (size_t i = 0; i < came.n; i++) {
		struct ts_span bytes;

		if (c->at == c->n || !ts_id_eq(&came.objects[i].id, &c->asked[c->at++]))
			return ts_error_set(err, TS_DAMAGED, "%s sent an object that was not asked for", c->p->from->where);
		ts_arena_reset(&c->p->scratch);
		if (ts_sealed_verify(&came.objects[i], &c->p->scratch, &bytes, err) || add_refs(c->p, c->next, bytes, err))
			return err->status;
	}
	if (c->p->to->ops->put_many(c->p->to, came.objects, came.n, &stats, err))
		return err->status;
	c->p->report->objects += stats.new_objects;
	c->p->report->bytes += stats.new_bytes;
	return TS_OK;
}

static enum ts_status fetch(struct part *p, const struct ts_id *head, struct ids *lacking, struct ids *next, struct ts_error *err)
{
	struct coming c = {.p = p, .asked = lacking->items, .n = lacking->n, .next = next};
	const struct ts_objects_request wanted = {
		.ids = lacking->items, .n = lacking->n, .heads = (struct ts_id *)(uintptr_t)head, .n_heads = 1,
		.codecs = TS_SEALED_CODECS};
	struct ts_buf request = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status = ts_wire_pack_objects_request(&wanted, &request, err);

	ts_arena_init(&c.message, TS_CALL_ARENA);
	if (!status)
		status = p->from->ops->download(p->from, "GetObjects", ts_buf_view(&request), take_objects, &c, err);
	if (!status && c.at < c.n)
		status = ts_error_set(err, TS_DAMAGED, "%s ended before all objects were sent", p->from->where);
	ts_arena_finish(&c.message);
	ts_buf_finish(&request);
	return status;
}

/* What an object that is there refers to: of one that came before a copy was stopped, that may be missing. */
static enum ts_status add_refs_of(struct part *p, const struct ts_id *id, struct ids *next, struct ts_error *err)
{
	struct ts_sealed sealed;
	struct ts_span bytes;

	ts_arena_reset(&p->scratch);
	if (p->to->ops->get(p->to, id, &p->scratch, &sealed, err) || ts_unseal(&sealed, &p->scratch, &bytes, err))
		return err->status;
	return add_refs(p, next, bytes, err);
}

/* Has the mirror have some objects, and lists what these refer to. */
static enum ts_status have_some(struct part *p, const struct ts_id *head, const struct ts_id *ids, size_t n, struct ids *next,
				struct ts_error *err)
{
	struct ts_outline outlines[WANTED_MOST];
	bool present[WANTED_MOST];
	struct ids lacking = {.n = 0};

	if (p->to->ops->has_many(p->to, ids, n, present, err) || p->to->ops->outline_many(p->to, ids, n, outlines, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		bool lacks = !present[i] || !outlines[i].present;

		if (lacks && add_id(&p->entry, &lacking, &ids[i], err))
			return err->status;
		if (!lacks && outlines[i].nrefs && add_refs_of(p, &ids[i], next, err))
			return err->status;
	}
	return lacking.n ? fetch(p, head, &lacking, next, err) : TS_OK;
}

/* Has the mirror have all that a run consists of. */
static enum ts_status have_run(struct part *p, const struct ts_id *head, struct ts_error *err)
{
	struct ids level = {.n = 0}, next;

	if (add_id(&p->entry, &level, head, err))
		return err->status;
	for (; level.n; level = next) {
		next = (struct ids){.n = 0};
		for (size_t at = 0; at < level.n; at += WANTED_MOST) {
			size_t n = level.n - at < WANTED_MOST ? level.n - at : WANTED_MOST;

			if (have_some(p, head, level.items + at, n, &next, err))
				return err->status;
		}
		settle(&next);
	}
	return TS_OK;
}

/* ---- one name ---- */

/* What a list shows of a run without opening it, which a server makes when it is pushed. */
static enum ts_status describe(struct part *p, const struct ts_id *id, struct ts_ref_update *u, struct ts_error *err)
{
	const struct ts_server_facts facts = {.version = ""};
	const struct ts_call call = {.engine = p->to, .server = &facts, .arena = &p->entry, .deadline_ns = INT64_MAX};
	struct ts_extract *extracts;
	struct ts_description d;
	struct ts_scores scores;
	struct ts_fetch f;
	struct ts_run run;
	enum ts_status status;

	ts_fetch_init(&f, &call);
	status = ts_run_open(&f, id, &p->entry, &run, err);
	if (!status)
		status = ts_describe(&f, &run, &p->entry, &d, err);
	if (!status)
		status = ts_summary_make(&d, &p->entry, &u->summary, err);
	if (!status)
		status = ts_scores_make(&f, &run, &p->entry, &scores, err);
	if (!status)
		status = ts_scores_extracts(&scores, &p->entry, &extracts, &u->n_extracts, err);
	if (!status)
		u->extracts = extracts;
	ts_fetch_finish(&f);
	return status;
}

/* The summary of a name is that of its newest entry, and only that one is described. */
static enum ts_status move_name(struct part *p, const struct wanted *w, const struct ts_log_entry *entry, bool newest,
				struct ts_error *err)
{
	struct ts_ref_update u = {.kind = w->kind,
				  .name = w->name,
				  .id = entry->id,
				  .expect = TS_EXPECT_ANY,
				  .now_ns = entry->moved_ns,
				  .who = entry->who,
				  .message = entry->message,
				  .standing = entry->standing};

	ts_arena_reset(&p->entry);
	if (have_run(p, &entry->id, err) || (newest && describe(p, &entry->id, &u, err)))
		return err->status;
	return p->to->ops->commit(p->to, &u, 1, &p->entry, NULL, err);
}

static enum ts_status remove_name(struct part *p, enum ts_ref_kind kind, struct ts_span name, struct ts_error *err)
{
	struct ts_ref_update u = {.kind = kind, .name = name, .remove = true, .expect = TS_EXPECT_ANY,
				  .now_ns = ts_now_real_ns(), .who = ts_span_str("tscoped mirror")};

	ts_arena_reset(&p->entry);
	return p->to->ops->commit(p->to, &u, 1, &p->entry, NULL, err);
}

static bool is_same(const struct ts_log_entry *a, const struct ts_log_entry *b)
{
	return ts_id_eq(&a->id, &b->id) && a->moved_ns == b->moved_ns && ts_span_eq(a->who, b->who) &&
	       ts_span_eq(a->message, b->message);
}

/* The log of the mirror becomes that of the other one: it gets the entries that it lacks, or, where entries of it are gone there, is
 * made anew. Of names that are no branch the newest entry counts. */
static enum ts_status sync_log(struct part *p, const struct wanted *w, const struct ts_log_reply *log, struct ts_error *err)
{
	struct ts_log_entry *own = NULL;
	struct ts_error mine;
	size_t n_own = 0, same = 0, n = w->kind == TS_REF_BRANCH ? log->n : 1;
	enum ts_status status;

	status = p->to->ops->ref_log(p->to, w->kind, w->name, w->kind == TS_REF_BRANCH ? 0 : 1, &p->arena, &own, &n_own, &mine);
	if (status && status != TS_NOT_FOUND)
		return ts_error_set(err, status, "%s", mine.text);
	while (same < n && same < n_own && is_same(&log->entries[n - 1 - same], &own[n_own - 1 - same]))
		same++;
	if (same == n && same == n_own)
		return TS_OK;
	if (same < n_own && w->kind == TS_REF_BRANCH) {
		if (remove_name(p, w->kind, w->name, err))
			return err->status;
		same = 0;
	}
	for (size_t i = n - (w->kind == TS_REF_BRANCH ? same : 0); i-- > 0;)
		if (move_name(p, w, &log->entries[i], i == 0, err))
			return err->status;
	p->report->names++;
	return TS_OK;
}

static const struct ts_note *note_of(const struct ts_note *notes, size_t n, struct ts_span key)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_eq(notes[i].key, key))
			return &notes[i];
	return NULL;
}

static bool are_same(const struct ts_note *a, size_t n_a, const struct ts_note *b, size_t n_b)
{
	for (size_t i = 0; i < n_a; i++) {
		const struct ts_note *other = note_of(b, n_b, a[i].key);

		if (!other || !ts_span_eq(other->value, a[i].value) || other->at_ns != a[i].at_ns)
			return false;
	}
	return n_a == n_b;
}

/* The notes that a run has by the log of its notes, newest first, whose first of each key counts; in place. */
static size_t fold(struct ts_note *notes, size_t n)
{
	size_t kept = 0, seen = 0;

	for (size_t i = 0; i < n; i++)
		if (!note_of(notes, seen, notes[i].key))
			notes[seen++] = notes[i];
	for (size_t i = 0; i < seen; i++)
		if (notes[i].value.len)
			notes[kept++] = notes[i];
	return kept;
}

static enum ts_status put_notes(struct part *p, const struct wanted *w, const struct ts_note *notes, size_t n,
				const struct ts_note *own, size_t n_own, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct ts_note *is = note_of(own, n_own, notes[i].key);

		if (is && ts_span_eq(is->value, notes[i].value) && is->at_ns == notes[i].at_ns)
			continue;
		if (p->to->ops->note_put(p->to, w->name, &notes[i], err))
			return err->status;
	}
	for (size_t i = 0; i < n_own; i++) {
		struct ts_note gone = {.key = own[i].key, .at_ns = ts_now_real_ns(), .who = ts_span_str("tscoped mirror")};

		if (!note_of(notes, n, own[i].key) && p->to->ops->note_put(p->to, w->name, &gone, err))
			return err->status;
	}
	return TS_OK;
}

/* What the log of notes says may have been removed with the name: where the mirror has something else, the run itself is asked. */
static enum ts_status sync_notes(struct part *p, const struct wanted *w, struct ts_log_reply *log, struct ts_error *err)
{
	const struct ts_get_request request = {.spec = spec_of(w->kind, w->name, &p->arena)};
	size_t n = fold(log->notes, log->n_notes), n_own;
	struct ts_get_reply run;
	struct ts_note *own;

	if (p->to->ops->note_list(p->to, w->name, &p->arena, NULL, &own, &n_own, err))
		return err->status;
	if (are_same(log->notes, n, own, n_own))
		return TS_OK;
	if (ask_get(p, &request, &p->arena, &run, err))
		return err->status;
	return put_notes(p, w, run.notes, run.n_notes, own, n_own, err);
}

/* One that was removed meanwhile is removed from the mirror, too. */
static enum ts_status sync_name(struct part *p, struct wanted *w, struct ts_error *err)
{
	struct ts_log_request request = {.limit = w->kind == TS_REF_BRANCH ? 0 : 1, .notes = w->kind == TS_REF_RUN};
	struct ts_log_reply log;

	ts_arena_reset(&p->arena);
	request.spec = spec_of(w->kind, w->name, &p->arena);
	if (ask_log(p, &request, &p->arena, &log, err)) {
		w->gone = err->status == TS_NOT_FOUND;
		return w->gone ? TS_OK : err->status;
	}
	if (log.n == 0)
		return ts_error_set(err, TS_DAMAGED, "%s has no log of %.*s", p->from->where, TS_SPAN_ARG(w->name));
	if (sync_log(p, w, &log, err))
		return err->status;
	return w->kind == TS_REF_RUN ? sync_notes(p, w, &log, err) : TS_OK;
}

/* ---- names that the part has no more ---- */

static bool is_wanted(const struct part *p, const struct ts_ref *ref)
{
	const struct wanted key = {.kind = ref->kind, .name = ref->name};
	size_t at = 0;
	bool found;

	TS_SEEK(at, p->n_wanted, i, by_name(&p->wanted[i], &key), found);
	return found && !p->wanted[at].gone;
}

static enum ts_status remove_others(struct part *p, enum ts_ref_kind kind, struct ts_error *err)
{
	struct ts_ref_query query = {.kind = kind, .order = TS_ORDER_NAME, .limit = LIST_PAGE};
	struct ts_span next;
	struct ts_ref *refs;
	size_t n;

	do {
		ts_arena_reset(&p->scratch);
		query.after = ts_arena_span(&p->scratch, query.after);
		if (p->to->ops->ref_list(p->to, &query, &p->scratch, &refs, &n, &next, err))
			return err->status;
		for (size_t i = 0; i < n; i++) {
			if (is_wanted(p, &refs[i]))
				continue;
			ts_arena_reset(&p->arena);
			if (remove_name(p, kind, refs[i].name, err))
				return err->status;
			p->report->removed++;
		}
		ts_arena_reset(&p->arena);
		query.after = ts_arena_span(&p->arena, next);
		if (next.len && !query.after.data)
			return ts_arena_error(&p->arena, err);
	} while (query.after.len);
	return TS_OK;
}

/* Frees what no name of the mirror has reached for as long as removed names are kept. */
static enum ts_status sweep(struct part *p, struct ts_error *err)
{
	struct ts_sweep_clock clock;
	struct ts_sweep_options options = {.now_ns = ts_now_real_ns(),
					   .clock = &clock,
					   .lease_ns = TS_LEASE_SECONDS * INT64_C(1000000000),
					   .removed_ns = TS_KEEP_REMOVED_SECONDS * INT64_C(1000000000)};
	struct ts_sweep_report report;

	ts_sweep_clock_read(ts_cluster_file(p->options->to) == NULL, &clock);
	return p->to->ops->sweep(p->to, &options, &report, err);
}

/* A project that is spelled wrong and one that the token may not read have no names, too, and an empty answer takes nothing away. */
static enum ts_status check_empty(struct part *p, const enum ts_ref_kind *kinds, size_t n_kinds, struct ts_error *err)
{
	for (size_t i = 0; i < n_kinds; i++) {
		struct ts_ref_query query = {.kind = kinds[i], .order = TS_ORDER_NAME, .limit = 1};
		struct ts_span next;
		struct ts_ref *refs;
		size_t n;

		ts_arena_reset(&p->scratch);
		if (p->to->ops->ref_list(p->to, &query, &p->scratch, &refs, &n, &next, err))
			return err->status;
		if (n)
			return ts_error_set(err, TS_CONFLICT,
					    "%s shows no name of what is mirrored: it has none any more, or you may not read it. "
					    "Nothing was taken away; an empty mirror begins as an empty store",
					    p->from->where);
	}
	if (p->options->filter)
		return TS_OK;
	return ts_error_set(err, TS_NOT_FOUND, "%s has no project %s, or you may not read it", p->from->where, p->options->project);
}

static enum ts_status run(struct part *p, struct ts_error *err)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_STAGE, TS_REF_BRANCH};

	if (list_names(p, err) || (!p->n_wanted && check_empty(p, kinds, sizeof kinds / sizeof kinds[0], err)))
		return err->status;
	for (size_t i = 0; i < p->n_wanted; i++)
		if (sync_name(p, &p->wanted[i], err))
			return ts_error_prefix(err, "%.*s", TS_SPAN_ARG(p->wanted[i].name));
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (remove_others(p, kinds[i], err))
			return err->status;
	return p->report->removed ? sweep(p, err) : TS_OK;
}

enum ts_status ts_mirror_part(const struct ts_mirror_options *options, struct ts_channel *from, struct ts_engine *to,
			      struct ts_mirror_report *io_report, struct ts_error *err)
{
	struct part p = {.options = options, .from = from, .to = to, .report = io_report};
	enum ts_status status;

	ts_arena_init(&p.names, 0);
	ts_arena_init(&p.arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&p.scratch, TS_ANALYSIS_ARENA);
	ts_arena_init(&p.entry, TS_ANALYSIS_ARENA);
	status = run(&p, err);
	ts_arena_finish(&p.names);
	ts_arena_finish(&p.arena);
	ts_arena_finish(&p.scratch);
	ts_arena_finish(&p.entry);
	return status;
}
