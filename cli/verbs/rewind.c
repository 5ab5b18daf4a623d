/* rewind.c - see rewind.h. What was removed since comes back first, since its log and notes come with it; then each name is asked for
 * its log, and is moved to where it was, or removed if there was none. Each change expects what the log said last, so that what moves
 * meanwhile stays and is said. */
#include "cli/verbs/rewind.h"

#include "base/clock.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/list_pages.h"
#include "cli/json/json_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"

enum act { ACT_RESTORE, ACT_MOVE, ACT_REMOVE, ACT_NOTE, ACT_LOST };
static const char *const act_words[] = {"restore", "move", "remove", "note", "lost"};

struct step {
	enum act act;
	enum ts_ref_kind kind;
	struct ts_span name;
	struct ts_span key;	      /* of a note */
	struct ts_span before, after; /* values of a note, or ids in hex; empty: none */
	struct ts_span why;	      /* why it was not done; empty: it was, or would be */
};

struct rewind {
	struct ts_cli *cli;
	struct ts_arena scratch; /* of one name */
	int64_t at_ns;
	const char *message; /* of the logs */
	bool dry_run;
	struct step *steps;
	size_t n, cap;
	size_t failed;
};

/* ---- steps ---- */

static enum ts_status keep(struct rewind *r, struct step step, struct ts_error *err)
{
	struct ts_span *texts[] = {&step.name, &step.key, &step.before, &step.after, &step.why};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		*texts[i] = ts_arena_span(&r->cli->arena, *texts[i]);
		if (!texts[i]->data)
			return ts_arena_error(&r->cli->arena, err);
	}
	if (!TS_GROW_IN(&r->cli->arena, r->steps, r->cap, r->n + 1, 64))
		return ts_arena_error(&r->cli->arena, err);
	r->failed += step.why.len > 0;
	r->steps[r->n++] = step;
	return TS_OK;
}

/* Notes the step with what came of it. A failure of one name does not end the others; one of the connection does. */
static enum ts_status done(struct rewind *r, struct step step, enum ts_status status, const struct ts_error *why, struct ts_error *err)
{
	if (status == TS_UNAVAILABLE || status == TS_CANCELLED || status == TS_DEADLINE || status == TS_NO_MEMORY) {
		*err = *why;
		return status;
	}
	if (status)
		step.why = ts_span_str(why->text);
	if (status == TS_NOT_FOUND && step.act == ACT_MOVE) {
		step.act = ACT_LOST;
		step.why = ts_span_str("the run that it pointed at was freed by a gc since");
	}
	return keep(r, step, err);
}

static struct ts_span hex_of(struct rewind *r, const struct ts_id *id)
{
	char hex[TS_ID_HEX + 1];

	return ts_arena_span(&r->cli->arena, ts_span_str(ts_id_hex(id, hex)));
}

static struct ts_span exact(struct rewind *r, enum ts_ref_kind kind, struct ts_span name)
{
	const char *spec = ts_arena_printf(&r->scratch, "%s:%.*s", ts_ref_word(kind), TS_SPAN_ARG(name));

	return spec ? ts_span_str(spec) : ts_span_of(NULL, 0);
}

/* ---- names ---- */

/* Whether a run is still there; asked where it is not to be moved, which says it, too. */
static enum ts_status is_there(struct rewind *r, const struct ts_id *id, bool *ret_there, struct ts_error *err)
{
	struct ts_id ids[1] = {*id};
	struct ts_has_request request = {.ids = ids, .n = 1};
	struct ts_has_reply reply;

	if (ts_ask_has(r->cli->target.channel, &request, &r->scratch, &reply, err))
		return err->status;
	*ret_there = reply.n == 0;
	return TS_OK;
}

static enum ts_status change_name(struct rewind *r, enum ts_ref_kind kind, struct ts_span name, const struct ts_id *now,
				  const struct ts_id *then, struct ts_error *err)
{
	struct step step = {.act = then ? ACT_MOVE : ACT_REMOVE, .kind = kind, .name = name, .before = hex_of(r, now)};
	struct ts_ref_request request = {.kind = kind, .name = name, .remove = !then, .force = then != NULL, .expect = TS_EXPECT_ID,
					 .expected = *now, .message = ts_span_str(r->message)};
	enum ts_status status = TS_OK;
	struct ts_ref_reply reply;
	struct ts_error why = {.status = TS_OK};
	bool there = true;

	if (then) {
		const char *target = ts_arena_printf(&r->scratch, "id:%.*s", TS_ID_HEX, (const char *)hex_of(r, then).data);

		step.after = hex_of(r, then);
		request.target = ts_span_str(target ? target : "");
		if (r->dry_run && is_there(r, then, &there, err))
			return err->status;
	}
	if (!there)
		status = ts_error_set(&why, TS_NOT_FOUND, "the run is not there");
	else if (!r->dry_run)
		status = ts_ask_ref(r->cli->target.channel, &request, &r->scratch, &reply, &why);
	return done(r, step, status, &why, err);
}

/* The entry that held at the time; NULL: there was none. Entries are newest first. */
static const struct ts_log_entry *held(const struct rewind *r, const struct ts_log_reply *log)
{
	for (size_t i = 0; i < log->n; i++)
		if (log->entries[i].moved_ns <= r->at_ns)
			return &log->entries[i];
	return NULL;
}

/* ---- notes ---- */

static bool seen_before(const struct ts_log_reply *log, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (ts_span_eq(log->notes[i].key, log->notes[at].key))
			return true;
	return false;
}

/* What a note was: from its newest entry on, which is `at`. *ret_known is false where the history does not reach that far. */
static struct ts_span noted(const struct rewind *r, const struct ts_log_reply *log, size_t at, bool *ret_known)
{
	size_t n = 0;

	*ret_known = true;
	for (size_t i = at; i < log->n_notes; i++) {
		if (!ts_span_eq(log->notes[i].key, log->notes[at].key))
			continue;
		if (log->notes[i].at_ns <= r->at_ns)
			return log->notes[i].value;
		n++;
	}
	*ret_known = n < TS_NOTE_LOG_MAX;
	return ts_span_of(NULL, 0);
}

static enum ts_status change_note(struct rewind *r, struct ts_span name, const struct ts_note *now, struct ts_span then, bool known,
				  struct ts_error *err)
{
	struct step step = {.act = known ? ACT_NOTE : ACT_LOST, .kind = TS_REF_RUN, .name = name,
			    .key = now->key, .before = now->value, .after = then};
	struct ts_note_request request = {.name = exact(r, TS_REF_RUN, name), .key = now->key, .value = then};
	struct ts_error why = {.status = TS_OK};
	enum ts_status status = TS_OK;

	if (!known)
		status = ts_error_set(&why, TS_NOT_FOUND, "the note was changed over %d times since, and the first changes are gone",
				      TS_NOTE_LOG_MAX);
	else if (!r->dry_run)
		status = ts_ask_note(r->cli->target.channel, &request, &r->scratch, &why);
	return done(r, step, status, &why, err);
}

static enum ts_status rewind_notes(struct rewind *r, const struct ts_log_reply *log, struct ts_error *err)
{
	for (size_t i = 0; i < log->n_notes; i++) {
		struct ts_span then;
		bool known;

		if (seen_before(log, i))
			continue;
		then = noted(r, log, i, &known);
		if (known && ts_span_eq(then, log->notes[i].value))
			continue;
		if (change_note(r, log->name, &log->notes[i], then, known, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status rewind_name(struct rewind *r, enum ts_ref_kind kind, struct ts_span name, struct ts_error *err)
{
	struct ts_log_request request = {.notes = kind == TS_REF_RUN};
	const struct ts_log_entry *then;
	struct ts_log_reply log;

	ts_arena_reset(&r->scratch);
	request.spec = exact(r, kind, name);
	if (ts_ask_log(r->cli->target.channel, &request, &r->scratch, &log, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status; /* it went meanwhile */
	if (log.n == 0)
		return TS_OK;
	then = held(r, &log);
	if (!then)
		return change_name(r, kind, name, &log.entries[0].id, NULL, err);
	if (!ts_id_eq(&then->id, &log.entries[0].id) && change_name(r, kind, name, &log.entries[0].id, &then->id, err))
		return err->status;
	return rewind_notes(r, &log, err);
}

static enum ts_status rewind_kind(struct rewind *r, struct ts_span project, enum ts_ref_kind kind, struct ts_error *err)
{
	struct ts_list_request request = {.project = project, .kind = kind, .sort = ts_span_str("name")};
	struct ts_listing list = {.n = 0};

	if (ts_list_pages(r->cli, &request, NULL, UINT64_MAX, &list, err))
		return err->status;
	for (size_t i = 0; i < list.n; i++)
		if (rewind_name(r, kind, list.rows[i].name, err))
			return err->status;
	return TS_OK;
}

/* ---- what was removed since ---- */

static enum ts_status exists(struct rewind *r, const struct ts_ref *ref, bool *ret_exists, struct ts_error *err)
{
	struct ts_log_request request = {.spec = exact(r, ref->kind, ref->name), .limit = 1};
	struct ts_log_reply log;
	struct ts_error why;
	enum ts_status status = ts_ask_log(r->cli->target.channel, &request, &r->scratch, &log, &why);

	if (status && status != TS_NOT_FOUND)
		return *err = why, status;
	*ret_exists = status == TS_OK;
	return TS_OK;
}

/* A name that exists again stands before the one that was removed: that one can come back under another name only. One that was
 * moved since may have been made since: it comes back, and then its log says so. */
static enum ts_status bring_back(struct rewind *r, const struct ts_removed_name *was, struct ts_error *err)
{
	struct ts_restore_request request = {.kind = was->ref.kind, .name = was->ref.name};
	struct step step = {.act = ACT_RESTORE, .kind = was->ref.kind, .name = was->ref.name, .after = hex_of(r, &was->ref.id)};
	struct ts_error why = {.status = TS_OK};
	enum ts_status status = TS_OK;
	struct ts_restore_reply reply;
	bool there;

	ts_arena_reset(&r->scratch);
	if (exists(r, &was->ref, &there, err))
		return err->status;
	if (there && was->ref.moved_ns > r->at_ns) /* it may have come since, too */
		return TS_OK;
	if (there)
		status = ts_error_set(&why, TS_CONFLICT, "another of this name is there; tscope restore --as gives this one a name");
	else if (!r->dry_run)
		status = ts_ask_restore(r->cli->target.channel, &request, &r->scratch, &reply, &why);
	return done(r, step, status, &why, err);
}

static bool is_latest(const struct ts_removed_reply *removed, size_t at)
{
	const struct ts_ref *ref = &removed->removed[at].was.ref;

	for (size_t i = 0; i < at; i++)
		if (removed->removed[i].was.ref.kind == ref->kind && ts_span_eq(removed->removed[i].was.ref.name, ref->name) &&
		    !removed->removed[i].was.entries)
			return false;
	return true;
}

static enum ts_status bring_back_all(struct rewind *r, struct ts_span prefix, struct ts_error *err)
{
	struct ts_removed_request request = {.prefix = prefix};
	struct ts_removed_reply removed;

	if (ts_ask_removed(r->cli->target.channel, &request, &r->cli->arena, &removed, err))
		return err->status;
	for (size_t i = 0; i < removed.n; i++) {
		const struct ts_removed_name *was = &removed.removed[i].was;

		bool made_since = was->ref.seq == 1 && was->ref.moved_ns > r->at_ns;

		if (was->entries || was->removed_ns <= r->at_ns || made_since || !is_latest(&removed, i))
			continue;
		if (bring_back(r, was, err))
			return err->status;
	}
	if (removed.more)
		ts_cli_say(r->cli, "more than %zu names were removed; run the command again for the rest", removed.n);
	return TS_OK;
}

/* ---- said ---- */

static struct ts_span brief(struct ts_span value)
{
	struct ts_id id;

	return ts_id_parse(value, &id) ? ts_span_of(value.data, 12) : value;
}

static enum ts_status text(const struct rewind *r, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {
		TS_LEFT("change", 0), TS_NAMED("name", 12), TS_LEFT("note", 0),
		TS_LEFT("now", 12),   TS_LEFT("then", 12),  TS_LEFT("", 16),
	};
	struct ts_arena *arena = &r->cli->arena;
	char when[TS_TIME_TEXT];
	struct ts_view view;

	if (r->n == 0) {
		ts_buf_printf(&r->cli->out, "nothing differs from what it was at %s\n", ts_time_text(r->at_ns, when));
		return TS_OK;
	}
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), arena);
	for (size_t i = 0; i < r->n; i++) {
		const struct step *s = &r->steps[i];
		bool note = s->key.len > 0;
		const char *name = ts_arena_printf(arena, "%s %.*s", ts_ref_word(s->kind), TS_SPAN_ARG(s->name));
		struct ts_span none = ts_span_str(note ? "(no note)" : "(not there)");

		if (!name)
			return ts_arena_error(arena, err);
		ts_view_text(&view, s->why.len ? TS_STYLE_YELLOW : TS_STYLE_PLAIN, act_words[s->act]);
		ts_view_text(&view, TS_STYLE_BOLD, name);
		ts_view_span(&view, TS_STYLE_PLAIN, s->key);
		ts_view_span(&view, TS_STYLE_PLAIN, s->before.len ? brief(s->before) : none);
		ts_view_span(&view, TS_STYLE_PLAIN, s->after.len ? brief(s->after) : none);
		ts_view_span(&view, TS_STYLE_DIM, s->why);
	}
	if (ts_view_print(&view, &r->cli->term, 0, &r->cli->out, err))
		return err->status;
	if (r->dry_run)
		ts_cli_say(r->cli, "nothing was changed; without --dry-run, this is done");
	return TS_OK;
}

static void json(const struct rewind *r)
{
	struct ts_json writer = ts_cli_json(r->cli), *j = &writer;

	ts_json_object(j);
	ts_json_time(j, "at", r->at_ns);
	ts_json_key(j, "dry_run");
	ts_json_bool(j, r->dry_run);
	ts_json_key(j, "changes");
	ts_json_array(j);
	for (size_t i = 0; i < r->n; i++) {
		const struct step *s = &r->steps[i];

		ts_json_object(j);
		ts_json_word(j, "change", act_words[s->act]);
		ts_json_word(j, "kind", ts_ref_word(s->kind));
		ts_json_text(j, "name", s->name);
		ts_json_text(j, "note", s->key);
		ts_json_text(j, "now", s->before);
		ts_json_text(j, "then", s->after);
		ts_json_text(j, "failed", s->why);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_count(j, "failed_count", r->failed);
	ts_json_end(j);
	ts_cli_json_end(r->cli, j);
}

/* A time, or how long ago. */
static enum ts_status read_time(const struct ts_cli *cli, const char *at, int64_t *ret_ns, struct ts_error *err)
{
	int64_t now_ns = ts_now_real_ns();
	uint64_t seconds;
	bool given;

	if (!ts_time_parse(ts_span_str(at), ret_ns)) {
		if (ts_args_seconds(&cli->args, "at", &given, &seconds, err))
			return ts_error_set(err, TS_INVALID,
					    "restore: --at takes a time such as 2026-11-20T11:27:00Z, or how long ago, such as 2h; it "
					    "is '%s'",
					    at);
		*ret_ns = seconds < (uint64_t)now_ns / 1000000000 ? now_ns - (int64_t)seconds * 1000000000 : 0;
	}
	if (*ret_ns > now_ns)
		return ts_error_set(err, TS_INVALID, "restore: the time of --at has not come yet");
	return TS_OK;
}

enum ts_status ts_rewind(struct ts_cli *cli, const char *at, struct ts_error *err)
{
	struct rewind r = {.cli = cli, .dry_run = ts_args_has(&cli->args, "dry-run")};
	const char *project, *prefix;
	char when[TS_TIME_TEXT];
	enum ts_status status;

	if (read_time(cli, at, &r.at_ns, err) || ts_cli_project(cli, &project, err) ||
	    ts_cli_open(cli, r.dry_run ? TS_USE_READ : TS_USE_CHANGE, err))
		return err->status;
	prefix = ts_arena_printf(&cli->arena, "%s/", project);
	r.message = ts_arena_printf(&cli->arena, "as it was at %s", ts_time_text(r.at_ns, when));
	if (!prefix || !r.message)
		return ts_arena_error(&cli->arena, err);
	ts_arena_init(&r.scratch, 0);
	status = bring_back_all(&r, ts_span_str(prefix), err);
	if (!status)
		status = rewind_kind(&r, ts_span_str(project), TS_REF_RUN, err);
	if (!status)
		status = rewind_kind(&r, ts_span_str(project), TS_REF_TAG, err);
	if (!status)
		status = rewind_kind(&r, ts_span_str(project), TS_REF_BRANCH, err);
	ts_arena_finish(&r.scratch);
	if (status)
		return status;
	cli->exit_code = r.failed ? TS_EXIT_NO : TS_EXIT_YES;
	if (!cli->json)
		return text(&r, err);
	json(&r);
	return TS_OK;
}
