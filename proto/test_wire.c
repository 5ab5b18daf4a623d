/* Every message against protoc's bytes, field by field; then cut, flipped and stuffed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "base/test_arena.h"
#include "proto/health.h"
#include "proto/test_again.h"
#include "proto/test_vectors.h"

#include <math.h>
#include <stdio.h>

static struct ts_error err;

static bool is(struct ts_span s, const char *text, size_t len)
{
	return ts_span_eq(s, ts_span_of(text, len));
}

#define IS(span, text) assert_true(is(span, text, sizeof(text) - 1))
#define ID(id, value) assert_true(id_is(&(id), value))
#define UNPACK(name, out)                                                                                              \
	if (ts_wire_unpack_##name(ts_span_of(vector_##name, sizeof vector_##name), &arena, out, &err))                 \
	fail_msg("%s", err.text)

static bool id_is(const struct ts_id *id, uint8_t value)
{
	for (size_t i = 0; i < TS_ID_BYTES; i++)
		if (id->bytes[i] != value)
			return false;
	return true;
}

/* The numbers are those of a RunRef in test_vectors.py. */
static void check_run(const struct ts_run_ref *run, uint8_t id)
{
	ID(run->id, id);
	IS(run->own_name, "o\0wn");
	assert_int_equal(run->steps, 11);
	assert_int_equal(run->first_step, -12);
	assert_int_equal(run->last_step, 13);
	assert_int_equal(run->ranks, 14);
}

static void check_ref(const struct ts_ref *ref, uint8_t id)
{
	assert_int_equal(ref->kind, TS_REF_TAG);
	IS(ref->name, "p/t");
	ID(ref->id, id);
	assert_int_equal(ref->seq, 21);
	assert_int_equal(ref->moved_ns, 22);
	IS(ref->who, "who");
	IS(ref->summary, "s\0m");
}

static void reads_store_messages(void **state)
{
	struct ts_info_reply info;
	struct ts_has_request has;
	struct ts_objects_request wanted;
	struct ts_make_token_request make;
	struct ts_revoke_token_request revoke;
	struct ts_tokens_reply tokens;
	struct ts_usage_reply usage;
	struct ts_has_reply missing;
	struct ts_put_request put;
	struct ts_put_stats stats;
	struct ts_verify_request verify;
	struct ts_verify_event event;
	struct ts_gc_request gc;
	struct ts_gc_reply gc_reply;

	(void)state;
	UNPACK(info_reply, &info);
	IS(info.version, "v");
	assert_int_equal(info.format_version, 2);
	IS(info.store, "st");
	assert_int_equal(info.started_ns, -4);
	assert_true(info.read_only);
	assert_int_equal(info.stats.objects, 6);
	assert_int_equal(info.stats.stored_bytes, 7);
	assert_int_equal(info.stats.file_bytes, 8);
	assert_int_equal(info.stats.refs, 9);
	IS(info.who, "w");
	IS(info.may, "read *");
	assert_int_equal(info.token_expires_ns, -10);
	assert_int_equal(info.copy.held_ns, -11);
	UNPACK(make_token_request, &make);
	IS(make.name, "n");
	IS(make.role, "push");
	IS(make.projects, "a b");
	assert_int_equal(make.lifetime_s, 3);
	UNPACK(revoke_token_request, &revoke);
	IS(revoke.token, "t");
	UNPACK(tokens_reply, &tokens);
	assert_int_equal(tokens.n, 2);
	IS(tokens.tokens[0].id, "0011223344556677");
	IS(tokens.tokens[0].name, "n");
	IS(tokens.tokens[0].role, "read");
	IS(tokens.tokens[0].projects, "*");
	IS(tokens.tokens[0].maker, "ada");
	assert_int_equal(tokens.tokens[0].made_ns, 5);
	assert_int_equal(tokens.tokens[0].expires_ns, -6);
	IS(tokens.tokens[1].name, "m");
	IS(tokens.secret, "s");
	UNPACK(usage_reply, &usage);
	assert_int_equal(usage.n_projects, 2);
	IS(usage.projects[0].project, "p");
	assert_int_equal(usage.projects[0].sealed_bytes, 2);
	assert_int_equal(usage.projects[0].raw_bytes, 3);
	assert_int_equal(usage.projects[0].names, 4);
	assert_int_equal(usage.projects[0].notes, 5);
	assert_true(usage.projects[0].has_sealed_limit && usage.projects[0].sealed_limit == 0);
	assert_true(usage.projects[0].has_raw_limit && usage.projects[0].raw_limit == 7);
	assert_true(usage.projects[0].has_names_limit && usage.projects[0].names_limit == 8);
	assert_true(usage.projects[0].has_notes_limit && usage.projects[0].notes_limit == 9);
	assert_true(usage.projects[0].has_rows_limit && usage.projects[0].rows_limit == 10);
	assert_false(usage.projects[1].has_sealed_limit || usage.projects[1].has_rows_limit);
	assert_int_equal(usage.n_senders, 2);
	IS(usage.senders[0].sender, "ada");
	assert_true(usage.senders[0].own && usage.senders[0].has_unnamed_limit && !usage.senders[1].has_unnamed_limit);
	assert_int_equal(usage.senders[0].unnamed_bytes, 3);
	assert_true(usage.uncounted);
	UNPACK(has_request, &has);
	assert_int_equal(has.n, 2);
	ID(has.ids[0], 1);
	ID(has.ids[1], 2);
	UNPACK(objects_request, &wanted);
	assert_int_equal(wanted.n, 2);
	ID(wanted.ids[1], 5);
	assert_int_equal(wanted.n_heads, 1);
	ID(wanted.heads[0], 6);
	UNPACK(has_reply, &missing);
	assert_int_equal(missing.n, 1);
	ID(missing.missing[0], 3);
	UNPACK(put_request, &put);
	assert_int_equal(put.n, 2);
	ID(put.objects[0].id, 1);
	assert_int_equal(put.objects[0].codec, 2);
	assert_int_equal(put.objects[0].kind, 3);
	assert_int_equal(put.objects[0].nrefs, 4);
	assert_int_equal(put.objects[0].raw_len, 500);
	assert_true(put.objects[0].checksum == UINT64_C(0xfedcba9876543210));
	IS(put.objects[0].bytes, "abc\0\377");
	ID(put.objects[1].id, 2);
	assert_int_equal(put.objects[1].bytes.len, 300);
	/* the bytes are not copied */
	assert_true(put.objects[1].bytes.data > vector_put_request &&
		    put.objects[1].bytes.data < vector_put_request + sizeof vector_put_request);
	UNPACK(put_reply, &stats);
	assert_int_equal(stats.objects, 1);
	assert_int_equal(stats.new_objects, 2);
	assert_true(stats.new_bytes == UINT64_MAX);
	UNPACK(verify_request, &verify);
	assert_true(verify.only_new);
	UNPACK(verify_event, &event);
	assert_true(event.final);
	assert_int_equal(event.done, 2);
	assert_int_equal(event.total, 3);
	assert_int_equal(event.report.objects, 4);
	assert_int_equal(event.report.bytes, 5);
	assert_int_equal(event.report.damaged, 6);
	assert_int_equal(event.report.missing, 7);
	assert_int_equal(event.report.n_ids, 1);
	assert_int_equal(event.misfits, 9);
	assert_int_equal(event.n_misfit, 2);
	assert_true(ts_span_is(event.misfit[1], "b"));
	assert_int_equal(event.report.drifted, 11);
	assert_int_equal(event.n_drift, 1);
	assert_true(ts_span_is(event.drift[0], "c"));
	assert_int_equal(event.report.sound_ns, 12);
	assert_int_equal(event.report.unread, 13);
	ID(event.report.ids[0], 8);
	UNPACK(gc_request, &gc);
	assert_true(gc.dry_run && gc.has_lease);
	assert_int_equal(gc.lease_s, 0);
	UNPACK(gc_reply, &gc_reply);
	assert_int_equal(gc_reply.swept.kept, 1);
	assert_int_equal(gc_reply.swept.freed, 2);
	assert_int_equal(gc_reply.swept.freed_bytes, 3);
	assert_int_equal(gc_reply.swept.leased, 4);
	assert_int_equal(gc_reply.scored, 5);
}

static void reads_retention_messages(void **state)
{
	struct ts_retain_request request;
	struct ts_retain_reply reply;

	(void)state;
	UNPACK(retain_request, &request);
	IS(request.policy, "x");
	assert_true(request.as_of_ns == 2 && request.n == 2);
	assert_true(request.items[0].what.kind == TS_REF_BRANCH && request.items[0].what.seq == 3);
	IS(request.items[0].what.name, "p/m");
	ID(request.items[0].what.id, 1);
	assert_true(request.items[1].what.kind == TS_REF_RUN && request.items[1].what.seq == 0 && request.items[1].why.len == 0);
	UNPACK(retain_reply, &reply);
	assert_true(reply.as_of_ns == 1 && reply.n_rows == 1 && reply.more_rows == 12 && reply.other_names == 13);
	IS(reply.rows[0].rule, "*: all");
	assert_int_equal(reply.rows[0].count[TS_RETENTION_GOES], 2);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_NEWEST], 3);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_ALL], 4);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_LATER], 5);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_LAST], 6);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_YOUNGER], 7);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_TAGGED], 8);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_NOTED], 9);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_TRAINING], 10);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_ON_BRANCH], 11);
	assert_true(reply.other_entries == 14 && reply.names == 15 && reply.entries == 16 && reply.more_items == 17);
	assert_true(reply.objects == 18 && reply.bytes == 19 && reply.keep_removed_s == 20 && reply.n == 1);
	IS(reply.items[0].why, "w");
}

static void reads_ref_messages(void **state)
{
	struct ts_commit_request commit;
	struct ts_commit_reply committed;
	struct ts_ref_request request;
	struct ts_ref_reply reply;
	struct ts_removed_request removed;
	struct ts_removed_reply names;
	struct ts_find_request find;
	struct ts_find_reply found;
	struct ts_restore_request restore;
	struct ts_restore_reply restored;
	struct ts_log_request log;
	struct ts_log_reply entries;
	struct ts_note_request note;

	(void)state;
	UNPACK(commit_request, &commit);
	IS(commit.name, "p/r");
	ID(commit.head, 1);
	assert_int_equal(commit.expect, TS_EXPECT_ID);
	ID(commit.expected, 2);
	assert_true(commit.force && commit.join && commit.expose);
	IS(commit.branch, "p/b");
	IS(commit.state, "running");
	IS(commit.message, "m\xc3\xbc");
	UNPACK(commit_reply, &committed);
	assert_int_equal(committed.outcome, TS_COMMIT_STAGED);
	ID(committed.id, 1);
	assert_true(committed.had_previous);
	ID(committed.previous, 2);
	assert_int_equal(committed.seq, 3);
	assert_int_equal(committed.n_missing, 2);
	assert_int_equal(committed.missing_ranks[0], 4);
	assert_int_equal(committed.missing_ranks[1], 5);
	check_run(&committed.run, 1);
	UNPACK(ref_request, &request);
	assert_int_equal(request.kind, TS_REF_BRANCH);
	IS(request.name, "p/b");
	assert_true(request.remove && request.force);
	IS(request.target, "t");
	assert_int_equal(request.expect, TS_EXPECT_ID);
	ID(request.expected, 7);
	IS(request.message, "m");
	UNPACK(ref_reply, &reply);
	check_ref(&reply.ref, 1);
	assert_true(reply.had_previous);
	ID(reply.previous, 2);
	UNPACK(removed_request, &removed);
	IS(removed.prefix, "p/");
	assert_int_equal(removed.limit, 3);
	UNPACK(removed_reply, &names);
	assert_true(names.n == 1 && names.more);
	check_ref(&names.removed[0].was.ref, 1);
	assert_int_equal(names.removed[0].was.removed_ns, 5);
	IS(names.removed[0].was.by, "w");
	assert_int_equal(names.removed[0].was.entries, 7);
	assert_int_equal(names.removed[0].expires_ns, 6);
	UNPACK(find_request, &find);
	IS(find.project, "p");
	assert_int_equal(find.n, 2);
	IS(find.words[1], "tag:w2");
	UNPACK(find_reply, &found);
	assert_int_equal(found.n, 2);
	assert_int_equal(found.names[0].found, TS_FOUND_END);
	ID(found.names[0].id, 3);
	assert_int_equal(found.names[0].kind, TS_REF_TAG);
	IS(found.names[0].name, "p/r/w1");
	assert_true(found.names[0].has_id && found.names[0].has_project);
	assert_int_equal(found.names[1].found, TS_FOUND_SEVERAL);
	IS(found.names[1].why, "w");
	assert_false(found.names[1].has_id);
	UNPACK(restore_request, &restore);
	assert_int_equal(restore.kind, TS_REF_TAG);
	IS(restore.name, "p/a");
	IS(restore.as, "p/b");
	UNPACK(restore_reply, &restored);
	check_ref(&restored.ref, 1);
	assert_int_equal(restored.entries, 2);
	UNPACK(log_request, &log);
	IS(log.spec, "s");
	assert_int_equal(log.limit, 2);
	assert_true(log.notes);
	UNPACK(log_reply, &entries);
	assert_int_equal(entries.kind, TS_REF_STAGE);
	assert_true(entries.pruned.entries == 5 && entries.pruned.at_ns == 6);
	IS(entries.pruned.who, "b");
	assert_int_equal(entries.n_notes, 2);
	IS(entries.notes[0].who, "n");
	IS(entries.notes[1].value, "");
	IS(entries.name, "p/s");
	assert_int_equal(entries.n, 2);
	assert_int_equal(entries.entries[0].seq, 1);
	ID(entries.entries[0].id, 2);
	assert_int_equal(entries.entries[0].moved_ns, 3);
	IS(entries.entries[0].who, "w");
	IS(entries.entries[0].message, "m");
	ID(entries.entries[1].id, 4);
	UNPACK(note_request, &note);
	IS(note.name, "n");
	IS(note.key, "k");
	IS(note.value, "v");
}

static void reads_list_messages(void **state)
{
	struct ts_list_request request;
	struct ts_list_reply reply;

	(void)state;
	UNPACK(list_request, &request);
	IS(request.project, "p");
	assert_int_equal(request.kind, TS_REF_TAG);
	IS(request.filter, "f");
	assert_int_equal(request.n_columns, 2);
	IS(request.columns[0], "c1");
	IS(request.columns[1], "c2");
	IS(request.sort, "-s");
	assert_int_equal(request.page_size, 1000);
	IS(request.page_token, "t\0");
	UNPACK(list_reply, &reply);
	assert_int_equal(reply.n, 2);
	assert_true(reply.rows[0].n_cells == 3 && reply.rows[1].n_cells == 3);
	IS(reply.rows[0].name, "p/1");
	ID(reply.rows[0].id, 1);
	assert_int_equal(reply.rows[0].pushed_ns, 3);
	assert_true(reply.rows[0].cells[0].known);
	assert_int_equal(reply.rows[0].cells[0].value.type, TS_FACT_INT);
	assert_int_equal(reply.rows[0].cells[0].value.source, TS_SOURCE_HOST);
	assert_int_equal(reply.rows[0].cells[0].value.integer, -4);
	assert_false(reply.rows[0].cells[1].known);
	assert_int_equal(reply.rows[0].cells[2].value.type, TS_FACT_FLOAT);
	assert_true(signbit(reply.rows[0].cells[2].value.real));
	assert_true(reply.rows[1].cells[0].value.boolean);
	IS(reply.rows[1].cells[1].value.text, "a\0b");
	assert_true(reply.rows[1].cells[2].known);
	assert_int_equal(reply.rows[1].cells[2].value.type, TS_FACT_NULL);
	IS(reply.next_token, "n\377");
	assert_int_equal(reply.examined, 5);
	assert_int_equal(reply.n_unrecorded, 2);
	IS(reply.unrecorded[0], "config.x");
	IS(reply.unrecorded[1], "note.y");
	assert_int_equal(reply.unscored, 7);
}

static void check_metric(const struct ts_column_info *column)
{
	const struct ts_column_metric *m = &column->metric;

	assert_true(column->has_metric && m->has_values && m->has_mean && m->has_best);
	assert_true(m->count == 3 && m->nonfinite == 4);
	assert_true(m->last == 0.5 && m->best == 0 && signbit(m->best) && m->mean == 7 && m->min == 8 && m->max == 10);
	assert_true(m->last_step == -6 && m->best_step == 0 && m->min_step == 9 && m->max_step == 11);
}

static void reads_get_messages(void **state)
{
	struct ts_get_request request;
	struct ts_get_reply reply;

	(void)state;
	UNPACK(get_request, &request);
	IS(request.spec, "tag:p/t");
	assert_true(request.metrics);
	UNPACK(get_reply, &reply);
	check_run(&reply.run, 1);
	assert_true(reply.by_ref);
	check_ref(&reply.ref, 2);
	IS(reply.head, "h\0d");
	assert_int_equal(reply.n_notes, 1);
	IS(reply.notes[0].key, "k");
	IS(reply.notes[0].value, "v");
	assert_int_equal(reply.notes[0].at_ns, 3);
	IS(reply.notes[0].who, "w");
	assert_int_equal(reply.n_columns, 3);
	IS(reply.columns[0].name, "c");
	assert_int_equal(reply.columns[0].type, TS_COLUMN_JSON);
	assert_int_equal(reply.columns[0].role, TS_ROLE_OBSERVATION);
	assert_int_equal(reply.columns[0].precision, TS_PRECISION_DECIMALS);
	assert_int_equal(reply.columns[0].digits, 5);
	assert_int_equal(reply.columns[0].table, TS_TABLE_SUPERSEDED);
	assert_int_equal(reply.columns[0].rank, -1);
	assert_int_equal(reply.columns[0].ranks, 8);
	assert_int_equal(reply.columns[0].rows, 9);
	assert_int_equal(reply.columns[0].first_key, -10);
	assert_int_equal(reply.columns[0].last_key, 11);
	assert_int_equal(reply.columns[0].rows_all, 12);
	assert_false(reply.columns[0].has_metric);
	check_metric(&reply.columns[1]);
	assert_true(reply.columns[2].has_metric && reply.columns[2].metric.nonfinite == 1);
	assert_false(reply.columns[2].metric.has_values || reply.columns[2].metric.has_mean || reply.columns[2].metric.has_best);
	assert_int_equal(reply.n_files, 1);
	assert_int_equal(reply.files[0].rank, 1);
	IS(reply.files[0].name, "f");
	assert_int_equal(reply.files[0].size, 3);
	assert_true(reply.files[0].has_columns && reply.files[0].columns.bytes[31] == 4);
	assert_int_equal(reply.n_missing, 2);
	assert_int_equal(reply.missing_ranks[1], 3);
	assert_int_equal(reply.n_names, 1);
	check_ref(&reply.names[0], 3);
}

static void reads_events_and_plots(const struct ts_analysis *a)
{
	const struct ts_event *e = a->events.items;
	const struct ts_plot *p = a->plots.items;

	assert_int_equal(a->events.n, 1);
	assert_int_equal(e->kind, TS_EVENT_DIP);
	IS(e->group, "convergence");
	IS(e->subject, "loss");
	assert_int_equal(e->first_step, -3);
	assert_int_equal(e->last_step, 4);
	assert_true(e->value == 0.5 && isnan(e->expected) && e->score == 7.5);
	assert_int_equal(a->plots.n, 1);
	IS(p->group, "timing");
	IS(p->name, "value");
	assert_int_equal(p->unit, TS_UNIT_SECONDS);
	assert_int_equal(p->first_step, -1);
	assert_int_equal(p->width, 2);
	assert_int_equal(p->n, 2);
	assert_true(p->min[0] == 1 && p->max[0] == 3 && p->mean[0] == 2 && p->count[0] == 2);
	assert_true(isnan(p->min[1]) && p->count[1] == 1 && p->nonfinite == 1);
}

static void reads_happenings(const struct ts_happenings *h)
{
	const struct ts_happening *e = h->items;

	assert_int_equal(h->n, 2);
	assert_int_equal(e->kind, TS_HAPPENING_RESTART);
	IS(e->name, "restart");
	IS(e->text, "ht");
	assert_true(e->has_value && e->value == 0 && e->has_step && e->step == -5 && e->after);
	assert_true(e->has_time && e->time_s == 2.5);
	assert_true(e->n_ranks == 2 && e->ranks[0] == -1 && e->ranks[1] == 3);
	assert_int_equal(e[1].kind, TS_HAPPENING_OTHER);
	assert_false(e[1].has_value || e[1].has_step || e[1].after || e[1].has_time);
	assert_true(h->all == 9 && h->more == 6 && h->regions == 4);
}

static void reads_bound(const struct ts_bound *b)
{
	assert_int_equal(b->kind, TS_BOUND_WAIT);
	IS(b->sentence, "b");
	assert_true(b->shares[0].known && b->shares[0].share == 0); /* known to be 0 */
	assert_false(b->shares[1].known);
	IS(b->shares[1].reason, "w");
	assert_true(b->shares[3].share == 0.5);
	assert_int_equal(b->shares[4].kind, TS_BOUND_HOST);
	assert_int_equal(b->n_fixes, 1);
	IS(b->fixes[0].how, "h");
	assert_int_equal(b->fixes[0].of, TS_BOUND_INPUT);
	assert_true(b->fixes[0].wins_most_ratio == 0.25 && b->fixes[0].effort == 2);
	assert_int_equal(b->n_unknowns, 2);
	IS(b->unknowns[1], "u2");
	IS(b->fixes[0].costs, "c");
	IS(b->fixes[0].source, "s");
	assert_int_equal(b->n_to_check, 1);
	IS(b->to_check[0].check, "cc");
	assert_int_equal(b->to_check[0].of, TS_BOUND_COMPUTE);
	IS(b->memory.sentence, "m");
	assert_int_equal(b->memory.n_fixes, 1);
	IS(b->memory.fixes[0].name, "mf");
	IS(b->memory.fixes[0].how, "mh");
	IS(b->memory.fixes[0].costs, "mc");
	IS(b->memory.fixes[0].source, "ms");
	assert_true(b->memory.fixes[0].saves_most == 4096 && b->memory.fixes[0].effort == 3);
}

static void reads_findings(const struct ts_findings *f)
{
	assert_int_equal(f->n, 2);
	IS(f->items[0].code, "DIST.STRAGGLER");
	assert_int_equal(f->items[0].severity, TS_SEVERITY_HIGH);
	IS(f->items[0].advice, "a");
	assert_true(f->items[0].has_steps);
	assert_int_equal(f->items[0].first_step, -2);
	assert_int_equal(f->items[0].last_step, 9);
	assert_int_equal(f->items[0].n_ranks, 2);
	assert_int_equal(f->items[0].ranks[1], 5);
	assert_int_equal(f->items[0].n_evidence, 1);
	assert_true(f->items[0].evidence[0].value == 0.5);
	assert_false(f->items[1].has_steps);
	assert_int_equal(f->n_unchecked, 1);
	IS(f->unchecked[0].reason, "no trace");
}

static void reads_analyze_messages(void **state)
{
	struct ts_analyze_request request;
	struct ts_analysis reply;

	(void)state;
	UNPACK(analyze_request, &request);
	IS(request.spec, "s");
	assert_true(request.has_warmup && request.has_rank); /* though both are 0 */
	assert_int_equal(request.warmup, 0);
	assert_int_equal(request.rank, 0);
	assert_true(request.has_flops_per_step && request.flops_per_step == 6e12);
	assert_true(request.has_peak_flops_per_s && request.peak_flops_per_s == 9.89e14);
	assert_true(request.has_microbatches && request.microbatches == 8);
	IS(request.dtype, "bf16");
	assert_int_equal(request.policy.n, 3);
	IS(request.policy.items[0].code, "TIMING.JITTER");
	IS(request.policy.items[0].threshold, "min_cv");
	assert_true(request.policy.items[0].value == 0.8 && !request.policy.items[0].off);
	IS(request.policy.items[0].text, "");
	IS(request.policy.items[1].threshold, "");
	assert_true(request.policy.items[1].off);
	IS(request.policy.items[2].text, "step_time");
	assert_true(request.fresh);
	assert_true(request.has_device_bytes && request.device_bytes == 8.5e10);
	UNPACK(analyze_reply, &reply);
	check_run(&reply.run, 1);
	assert_int_equal(reply.rank, -1);
	assert_int_equal(reply.warmup_cut, 3);
	assert_int_equal(reply.measures.n, 3);
	IS(reply.measures.items[0].group, "g");
	IS(reply.measures.items[0].subject, "s");
	IS(reply.measures.items[0].name, "n");
	assert_int_equal(reply.measures.items[0].unit, TS_UNIT_PER_SECOND);
	assert_true(reply.measures.items[0].known);
	assert_true(reply.measures.items[0].value == 0);
	assert_false(reply.measures.items[1].known); /* unknown is not 0 */
	IS(reply.measures.items[1].reason, "r");
	assert_true(reply.measures.items[2].known);
	IS(reply.measures.items[2].text, "found");
	assert_int_equal(reply.n_notes, 2);
	IS(reply.notes[1], "n2");
	reads_events_and_plots(&reply);
	reads_happenings(&reply.happenings);
	reads_bound(&reply.bound);
	reads_findings(&reply.findings);
}

static void refuses_analyze_messages(void **state)
{
	struct ts_analyze_request request = {.has_flops_per_step = true, .flops_per_step = NAN};
	double cell = 1;
	uint64_t count = 1;
	struct ts_plot plot = {.width = 0, .n = 1, .min = &cell, .max = &cell, .mean = &cell, .count = &count};
	struct ts_analysis reply = {.plots = {&plot, 1, 1}};
	struct ts_buf buf = TS_BUF_INIT(1 << 16);

	(void)state;
	assert_int_equal(ts_wire_pack_analyze_request(&request, &buf, &err), TS_OK);
	assert_int_equal(ts_wire_unpack_analyze_request(ts_buf_view(&buf), &arena, &request, &err), TS_INVALID);
	buf.len = 0;
	assert_int_equal(ts_wire_pack_analyze_reply(&reply, &buf, &err), TS_OK);
	assert_int_equal(ts_wire_unpack_analyze_reply(ts_buf_view(&buf), &arena, &reply, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "plots"));
	ts_buf_finish(&buf);
}

static void reads_gap(const struct ts_gap *g)
{
	assert_true(g->known && g->visible);
	assert_int_equal(g->visible_step, 0);
	assert_true(g->quantum == 0.5 && g->first == 1e-9 && g->at_visible == 2 && g->after_10 == 3 && g->after_30 == 4);
	assert_true(isnan(g->after_100) && g->slope == -0.25 && g->saturation == 6 && g->greatest == 7 && g->bias == 0.75);
	assert_int_equal(g->greatest_step, -8);
	assert_int_equal(g->points, 9);
	assert_int_equal(g->differing, 10);
	assert_int_equal(g->last_step, 11);
}

static void reads_diagnosis(const struct ts_diagnosis *d)
{
	assert_int_equal(d->cause, TS_CAUSE_DATA_ORDER);
	assert_int_equal(d->confidence, TS_CONFIDENCE_HIGH);
	assert_true(d->has_step && d->step == 0); /* step 0 is a step */
	IS(d->sentence, "s");
	assert_int_equal(d->bits.answer, TS_TIER_FAILS);
	IS(d->bits.why, "w1");
	assert_int_equal(d->numeric.answer, TS_TIER_UNKNOWN);
	assert_int_equal(d->statistical.answer, TS_TIER_HOLDS);
	assert_int_equal(d->n_for, 2);
	IS(d->evidence_for[1], "f2");
	assert_int_equal(d->n_against, 1);
	assert_int_equal(d->n_remaining, 2);
	assert_int_equal(d->remaining[0], TS_CAUSE_INIT);
	assert_int_equal(d->n_experiments, 1);
	IS(d->experiments[0].command, "c");
	IS(d->experiments[0].splits, "p");
	assert_int_equal(d->experiments[0].steps, 50);
	assert_int_equal(d->features.n, 1);
	assert_true(d->features.items[0].value == 0.5);
}

static void reads_ops(const struct ts_op_diff *o)
{
	assert_int_equal(o->n, 1);
	assert_int_equal(o->rows[0].rank, 2);
	assert_int_equal(o->rows[0].role, TS_OP_ORIGIN);
	assert_int_equal(o->rows[0].step, -1);
	assert_int_equal(o->rows[0].ordinal, 3);
	IS(o->rows[0].name, "attn");
	assert_int_equal(o->rows[0].occurrence, 4);
	assert_true(o->rows[0].has_inputs && o->reordered);
	assert_true(o->rows[0].in_a == 5 && o->rows[0].in_b == 5 && o->rows[0].out_a == 6 && o->rows[0].out_b == 7);
	assert_int_equal(o->compared, 8);
	assert_int_equal(o->only_a, 9);
	assert_int_equal(o->only_b, 10);
}

static void reads_events(const struct ts_event_diff *e)
{
	const struct ts_event_row *row = e->rows;

	assert_int_equal(e->n, 1);
	assert_int_equal(row->rank, -1);
	assert_int_equal(row->change, TS_EVENT_VALUE);
	assert_int_equal(row->where, TS_EVENT_BEHIND);
	assert_int_equal(row->step, -2);
	assert_true(row->region && e->cut);
	IS(row->name, "rate");
	assert_int_equal(row->occurrence, 3);
	assert_true(row->a.has_value && row->a.value == 0.5 && !row->a.text.len);
	assert_false(row->b.has_value);
	IS(row->b.text, "t");
	assert_true(e->all_a == 4 && e->all_b == 5 && e->compared == 6 && e->only_a == 7 && e->only_b == 8);
	assert_true(e->values == 9 && e->reordered == 10 && e->beyond_a == 11 && e->beyond_b == 12);
}

static void reads_layers(const struct ts_layer_drift *d)
{
	const struct ts_layer_row *row = d->rows;

	assert_int_equal(d->n, 1);
	IS(row->layer, "l.0");
	IS(row->what, "gn");
	IS(row->series, "scalars.gn");
	assert_true(row->rank == 1 && row->first_step == -1 && row->visible_step == 2 && row->visible && row->differs);
	assert_true(row->greatest == 0.5 && row->greatest_step == 3 && isnan(row->end));
	assert_true(d->layers == 7 && d->visible == 4 && d->within == 2 && d->cut);
}

static void reads_sketches(const struct ts_sketch_diff *s)
{
	const struct ts_sketch_row *row = s->rows;

	assert_true(s->recorded && s->has_rounding && s->flat && s->perturbation == 0.5);
	assert_true(s->steps == 1 && s->compared == 2 && s->only_a == 3 && s->only_b == 4 && s->equal == 5 && s->within == 6);
	assert_true(s->above == 7 && s->unjudged == 8 && s->noise == 9 && s->sizes == 10 && s->not_finite == 11 && s->shards == 12);
	assert_true(s->has_first && s->first == 0 && s->before == 13);
	IS(s->sentence, "st");
	assert_int_equal(s->n, 1);
	assert_true(row->step == -1 && row->place == 2 && row->occurrence == 3);
	IS(row->name, "m");
	IS(row->kind, "grad");
	assert_int_equal(row->part, TS_SKETCH_BACKWARD);
	assert_int_equal(row->state, TS_SKETCH_ABOVE);
	assert_true(row->count_a == 4 && row->count_b == 5 && row->nonfinite_a == 6 && row->nonfinite_b == 7);
	assert_true(row->distance == 8.5 && row->rounding == 9.5 && isnan(row->ratio) && row->limit == 10.5);
}

static void reads_levels(const struct ts_repeats *r)
{
	const struct ts_level_row *row = r->levels;

	assert_int_equal(r->n_levels, 2);
	IS(row->name, "scalars.loss");
	assert_int_equal(row->rank, -1);
	assert_true(row->known && !row[1].known && isnan(row[1].difference));
	IS(row[1].why_not, "lw");
	assert_int_equal(row->points, 7);
	assert_int_equal(row->first_step, -8);
	assert_int_equal(row->last_step, 9);
	assert_int_equal(row->n, 10);
	assert_true(row->mean == 1.5 && row->deviation == 2.5 && row->candidate == 3.5 && row->difference == 4.5);
	assert_true(row->low == 5.5 && row->high == 6.5 && row->p_value == 7.5 && row->seen == 8.5);
	assert_int_equal(row->answer, TS_TIER_FAILS);
	assert_int_equal(r->statistical.answer, TS_TIER_HOLDS);
	IS(r->statistical.why, "ly");
}

static void reads_repeats(const struct ts_repeats *r)
{
	assert_true(r->asked);
	assert_int_equal(r->matrix.n, 2);
	check_run(&r->matrix.runs[1], 5);
	assert_int_equal(r->matrix.pairs[0].step, 9);
	assert_int_equal(r->groups[1], 1);
	assert_int_equal(r->n_groups, 2);
	assert_int_equal(r->pattern, TS_PATTERN_SCATTERED);
	assert_true(r->has_odd);
	assert_int_equal(r->odd, 0);
	IS(r->sentence, "rs");
	assert_int_equal(r->n_rows, 3);
	IS(r->rows[0].name, "scalars.loss");
	assert_int_equal(r->rows[0].rank, -1);
	assert_true(r->rows[0].known && r->rows[0].real && !r->rows[1].known && !r->rows[1].real);
	IS(r->rows[1].why_not, "w");
	assert_int_equal(r->rows[0].points, 100);
	assert_true(r->rows[0].spread == 0.5 && r->rows[0].level == 0.25 && isnan(r->rows[0].spread_there));
	assert_true(r->rows[0].greatest == 2 && r->rows[0].first_r == 0.75 && r->rows[0].first_limit == 0.125);
	assert_int_equal(r->rows[0].greatest_step, -3);
	assert_int_equal(r->rows[0].outside, 4);
	assert_int_equal(r->rows[0].first_step, 0);
	assert_true(!r->rows[0].grown && !r->rows[1].grown && r->rows[2].grown && !r->rows[2].real);
	assert_int_equal(r->rows[2].first_step, 6);
	assert_int_equal(r->inside, TS_TIER_FAILS);
	IS(r->verdict, "rv");
	assert_true(r->spread == 0.0625);
	reads_levels(r);
}

static void reads_diff_facts(const struct ts_diff *d)
{
	assert_int_equal(d->n_facts, 2);
	assert_int_equal(d->facts[0].group, TS_GROUP_SEEDS);
	assert_int_equal(d->facts[0].change, TS_FACT_ONLY_A);
	assert_int_equal(d->facts[0].rank, -1);
	IS(d->facts[0].path, "seeds.a");
	assert_null(d->facts[0].b);
	assert_int_equal(d->facts[0].a->type, TS_FACT_LONG);
	assert_int_equal(d->facts[0].a->source, TS_SOURCE_PUSHER);
	ID(d->facts[0].a->text_id, 3);
	assert_int_equal(d->facts[0].a->text_len, 2000);
	assert_int_equal(d->facts[1].group, TS_GROUP_OTHER);
	assert_int_equal(d->facts[1].change, TS_FACT_CHANGED);
	assert_int_equal(d->facts[1].rank, 2);
	IS(d->facts[1].a->text, "12345678901234567890123");
	assert_int_equal(d->facts[1].b->type, TS_FACT_OBJECT);
}

static void reads_diff_series(const struct ts_diff *d)
{
	const struct ts_series_row *r = d->series;

	assert_int_equal(d->n_series, 4);
	reads_gap(&d->series[3].gap);
	assert_int_equal(d->series[3].step_a, -12);
	assert_int_equal(d->series[3].step_b, 13);
	assert_false(d->series[0].gap.known);
	IS(r[0].name, "n");
	assert_int_equal(r[0].type, TS_COLUMN_U64);
	assert_int_equal(r[0].role, TS_ROLE_TRAJECTORY);
	assert_int_equal(r[0].rank, 4);
	assert_int_equal(r[0].state, TS_SERIES_PARTS);
	assert_int_equal(r[0].first_step, -6);
	assert_true(r[0].after_known);
	assert_int_equal(r[0].after_step, 0);
	assert_int_equal(r[0].a.word, 8);
	assert_int_equal(r[0].b.type, TS_COLUMN_U64);
	assert_int_equal(r[0].steps_a, 10);
	assert_int_equal(r[0].steps_b, 11);
	assert_true(r[0].counted);
	assert_int_equal(r[0].common, 13);
	assert_int_equal(r[0].only_a, 14);
	assert_int_equal(r[0].only_b, 15);
	assert_false(r[1].after_known);
	assert_int_equal(r[1].a.type, TS_COLUMN_TEXT);
	assert_int_equal(r[1].a.text.len, 0);
	IS(r[1].b.text, "x\0");
	assert_int_equal(r[2].state, TS_SERIES_ONLY_B);
	assert_true(r[2].a.type == TS_COLUMN_F64 && signbit(r[2].a.real));
	assert_int_equal(r[2].b.type, TS_COLUMN_JSON);
	IS(r[2].b.text, "[]");
	assert_int_equal(r[2].other_types, 1 << TS_COLUMN_TEXT | 1 << TS_COLUMN_JSON);
	assert_int_equal(r[1].other_types, 0);
}

static void reads_resume_messages(void **state)
{
	struct ts_resume_request request;
	struct ts_get_reply run;
	struct ts_resume r;

	(void)state;
	UNPACK(resume_request, &request);
	IS(request.parent, "p");
	IS(request.child, "c");
	assert_true(request.has_tolerance && request.tolerance == 0.25);
	UNPACK(resume_reply, &r);
	check_run(&r.parent, 1);
	check_run(&r.child, 2);
	assert_true(r.restart);
	assert_int_equal(r.restarts, 3);
	assert_int_equal(r.verdict, TS_RESUME_UNDECIDED);
	assert_int_equal(r.why.cause, TS_CAUSE_RESUME_DATA);
	assert_true(r.why.has_step && r.why.step == 0);
	assert_int_equal(r.why.features.n, 1);
	assert_true(r.lineage.named && r.lineage.found && r.lineage.has_step && r.lineage.prefix);
	IS(r.lineage.parent, "p\0q");
	ID(r.lineage.id, 3);
	assert_int_equal(r.lineage.step, 0);
	assert_int_equal(r.lineage.blocks, 6);
	assert_int_equal(r.lineage.shared_blocks, 5);
	assert_int_equal(r.lineage.prefix_first, -4);
	assert_int_equal(r.lineage.prefix_last, 7);
	assert_true(r.ending_parent.told && r.ending_parent.state == TS_END_CRASHED);
	IS(r.ending_parent.message, "em");
	assert_true(r.ending_child.told && r.ending_child.state == TS_END_RUNNING);
	IS(r.before, "be");
	UNPACK(get_reply, &run);
	assert_true(run.lineage.named && !run.lineage.found && !run.lineage.prefix);
	assert_int_equal(run.lineage.step, 9);
}

static void refuses_resume_messages(void **state)
{
	struct ts_resume_request request = {.has_tolerance = true, .tolerance = 0};
	struct ts_resume reply = {.lineage = {.blocks = 1, .shared_blocks = 2}};
	struct ts_buf buf = TS_BUF_INIT(1 << 16);

	(void)state;
	assert_int_equal(ts_wire_pack_resume_request(&request, &buf, &err), TS_OK);
	assert_int_equal(ts_wire_unpack_resume_request(ts_buf_view(&buf), &arena, &request, &err), TS_INVALID);
	buf.len = 0;
	assert_int_equal(ts_wire_pack_resume_reply(&reply, &buf, &err), TS_OK);
	assert_int_equal(ts_wire_unpack_resume_reply(ts_buf_view(&buf), &arena, &reply, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "shared_blocks"));
	ts_buf_finish(&buf);
}

static void check_gate_run(const struct ts_gate_run *run, enum ts_gate_role role, uint8_t n)
{
	assert_int_equal(run->role, role);
	assert_int_equal(run->group, 3);
	ID(run->id, n);
	ID(run->workload.key[TS_WORKLOAD_LIBRARIES], 4);
	IS(run->workload.name, "wl");
	assert_true(run->workload.dirty && run->workload.started_ns == -5);
	assert_true(run->reduction.metrics[TS_METRIC_STEP_TIME].value == n / 10.0);
	assert_true(run->reduction.metrics[TS_METRIC_STEP_TIME].has_error);
	assert_true(run->reduction.metrics[TS_METRIC_STEP_TIME].error == 0.125);
	assert_true(run->reduction.wall_time.known && run->reduction.wall_time.value == 21.5);
	assert_true(!run->reduction.best_loss.known);
	assert_true(run->reduction.metrics[TS_METRIC_STALL_SHARE].known);
	assert_true(signbit(run->reduction.metrics[TS_METRIC_STALL_SHARE].value));
	assert_false(run->reduction.metrics[TS_METRICS - 1].known);
	IS(run->reduction.metrics[TS_METRICS - 1].reason, "no column");
	assert_int_equal(run->reduction.n_ranks, 2);
	assert_true(isnan(run->reduction.ranks[1].work) && run->reduction.ranks[1].wait == 2);
	assert_int_equal(run->reduction.n_series, 2);
	IS(run->reduction.series[0].name, "reward");
	IS(run->reduction.series[0].column, "scalars.train/reward");
	assert_true(run->reduction.series[0].value.value == 2.5 && run->reduction.series[0].value.error == 0.125);
	assert_true(run->reduction.series[0].last_step == -7 && !run->reduction.series[1].value.known);
	IS(run->reduction.series[1].value.reason, "no series");
}

static void check_gate_input(const struct ts_gate_input *in)
{
	assert_int_equal(in->analysis_version, 2);
	assert_true(in->policy.must_catch == 0.05 && in->policy.min_size[TS_METRIC_LOSS] == 0.03 && in->policy.pairs_most == 9);
	assert_int_equal(in->policy.reduce.n_excludes, 3);
	IS(in->baseline, "branch p/main");
	IS(in->sentence, "2 runs");
	assert_int_equal(in->n_runs, 2);
	check_gate_run(&in->runs[0], TS_GATE_CANDIDATE, 1);
	check_gate_run(&in->runs[1], TS_GATE_PAIR_CANDIDATE, 2);
	assert_int_equal(in->n_passed_over, 1);
	ID(in->passed_over[0].id, 7);
	IS(in->passed_over[0].name, "p/x");
	IS(in->passed_over[0].reason, "marked bad");
	assert_int_equal(in->n_differences, 1);
	assert_int_equal(in->differences[0].part, TS_WORKLOAD_LIBRARIES);
	IS(in->differences[0].path, "libraries.torch");
	IS(in->differences[0].a, "2.5");
	IS(in->differences[0].b, "2.6");
	IS(in->not_comparable, "why");
	assert_int_equal(in->n_facts, 1);
	IS(in->facts[0].path, "config.lr");
	IS(in->facts[0].a, "1\0");
	IS(in->facts[0].b, "2");
	assert_int_equal(in->facts_more, 9);
	assert_int_equal(in->loss.bits, TS_TIER_FAILS);
	assert_int_equal(in->loss.numeric, TS_TIER_HOLDS);
	assert_int_equal(in->loss.statistical, TS_TIER_UNKNOWN);
	IS(in->loss.sentence, "parts");
}

/* Renderers index the rows by the metrics of the table and the series of the policy. */
static void refuses_rows_of_another_table(void **state)
{
	struct ts_gate_row rows[TS_METRICS + 1] = {{.state = TS_GATE_PASS}};
	struct ts_verdict in = {.state = TS_GATE_PASS, .rows = rows}, out;
	struct ts_buf buf = TS_BUF_INIT(1 << 20);

	(void)state;
	for (size_t i = 0; i <= TS_METRICS; i++)
		rows[i].state = TS_GATE_PASS;
	ts_gate_policy_default(&in.input.policy);
	for (size_t logged = 0; logged < 2; logged++) {
		if (logged)
			assert_int_equal(ts_gate_policy_only(&in.input.policy, "val_bpb"), TS_METRICS);
		for (in.n_rows = TS_METRICS - 1; in.n_rows <= TS_METRICS + 1; in.n_rows++) {
			bool good = in.n_rows == TS_METRICS + logged;

			buf.len = 0;
			assert_int_equal(ts_wire_pack_gate_reply(&in, &buf, &err), TS_OK);
			assert_int_equal(ts_wire_unpack_gate_reply(ts_buf_view(&buf), &arena, &out, &err), good ? TS_OK : TS_INVALID);
			if (good && logged)
				IS(out.rows[TS_METRICS].name, "val_bpb");
			if (good)
				assert_int_equal(out.rows[TS_METRICS - 1 + logged].better, TS_BETTER_LOWER);
		}
	}
	ts_buf_finish(&buf);
}

static void reads_gate_messages(void **state)
{
	struct ts_gate_request request;
	struct ts_gate_input input;
	struct ts_verdict v;

	(void)state;
	UNPACK(gate_input, &input);
	check_gate_input(&input);
	UNPACK(gate_request, &request);
	assert_int_equal(request.n_candidates, 2);
	IS(request.candidates[1], "c2");
	assert_int_equal(request.n_baselines, 1);
	IS(request.baselines[0], "branch:p/main");
	assert_int_equal(request.n_pairs, 2);
	IS(request.pairs[1], "p2");
	assert_int_equal(request.policy.n, 1);
	IS(request.policy.items[0].text, "mfu");
	assert_true(request.has_given && request.replay && request.ancestors_cut);
	IS(request.ancestors, "a\nb");
	check_gate_input(&request.given);
	UNPACK(gate_reply, &v);
	check_gate_input(&v.input);
	assert_int_equal(v.state, TS_GATE_REGRESSION);
	assert_int_equal(v.exit_code, 1);
	IS(v.sentence, "s");
	assert_int_equal(v.n_warnings, 2);
	IS(v.warnings[1], "w2");
	assert_int_equal(v.rows[0].metric, TS_METRIC_STEP_TIME);
	assert_int_equal(v.rows[0].state, TS_GATE_SUSPECT);
	IS(v.rows[0].reason, "r");
	assert_true(v.rows[0].gates && v.rows[0].counts && v.rows[0].paired && isnan(v.rows[0].could_miss));
	assert_true(v.rows[0].base == 1 && v.rows[0].candidate == 2 && v.rows[0].base_draws == 3 && v.rows[0].candidate_draws == 4);
	assert_true(v.rows[0].size == 0.5 && v.rows[0].low == 0.25 && v.rows[0].high == 0.75 && v.rows[0].sd == 0.125);
	assert_true(v.rows[0].df == 5 && v.rows[0].prior_sd == 0.01 && v.rows[0].prior_df == 6 && v.rows[0].t == 7);
	assert_true(v.rows[0].p == 0.001 && v.rows[0].pairs == 8 && v.rows[0].pair_t == 9 && v.rows[0].pair_p == 0.002);
	assert_int_equal(v.rows[TS_METRICS - 1].metric, TS_METRIC_CPU_TIME);
	assert_int_equal(v.rows[TS_METRICS - 1].state, TS_GATE_PASS);
	assert_int_equal(v.n_why, 1);
	IS(v.why[0].kind, "phase");
	IS(v.why[0].name, "forward");
	assert_true(v.why[0].base == 1 && v.why[0].candidate == 2 && v.why[0].share == 0.5);
	assert_int_equal(v.ask.pairs, 4);
	IS(v.ask.base_commit, "bc");
	IS(v.ask.candidate_commit, "cc");
	ID(v.ask.base, 3);
	ID(v.ask.candidate, 4);
	ID(v.policy_digest, 5);
}

/* Each message is the vector with one change that the limits forbid. */
static void refuses_gate_messages(void **state)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	char long_name[TS_PATH_MAX + 2];
	struct ts_gate_input good, in, out;
	struct ts_gate_request request = {.replay = true}, back;
	struct ts_gate_passed_over row = {.reason = ts_span_of(long_name, sizeof long_name)};

	(void)state;
	memset(long_name, 'x', sizeof long_name);
	UNPACK(gate_input, &good);
	for (int i = 0; i < 5; i++) {
		static const char *const fields[] = {"facts", "runs.role", "facts.path", "passed_over.name", "loss.bits"};
		struct ts_gate_run run = good.runs[0];
		struct ts_gate_fact facts[65];

		in = good;
		for (size_t k = 0; k < 65; k++)
			facts[k] = good.facts[0];
		in.facts = facts;
		if (i == 0)
			in.n_facts = 65;
		if (i == 1) {
			run.role = (enum ts_gate_role)6;
			in.runs = &run;
			in.n_runs = 1;
		}
		if (i == 2)
			facts[0].path = ts_span_of(long_name, sizeof long_name);
		if (i == 3) {
			row.name = ts_span_of(long_name, sizeof long_name);
			in.passed_over = &row;
		}
		if (i == 4)
			in.loss.bits = (enum ts_tier_answer)3;
		buf.len = 0;
		assert_int_equal(ts_wire_pack_gate_input(&in, &buf, &err), TS_OK);
		assert_int_equal(ts_wire_unpack_gate_input(ts_buf_view(&buf), &arena, &out, &err),
				 i == 1 || i == 4 ? TS_UNSUPPORTED : TS_INVALID);
		if (!strstr(err.text, fields[i] + (i == 1 ? 5 : 0)))
			fail_msg("%s, not %s", err.text, fields[i]);
	}
	buf.len = 0;
	assert_int_equal(ts_wire_pack_gate_request(&request, &buf, &err), TS_OK);
	assert_int_equal(ts_wire_unpack_gate_request(ts_buf_view(&buf), &arena, &back, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "given"));
	ts_buf_finish(&buf);
}

/* The runs have numbers that no run can have. */
static void refuses_gate_runs(void **state)
{
	static const char *const fields[] = {
		"workload.session is not of hex digits", "reduction.ranks are not ascending",
		"reduction.parts.seconds is not finite", "reduction.accumulation is no number",
		"reduction.accumulation is no number",	 "reduction.metrics.value is none",
		"reduction.metrics.value is none",	 "role has the value 6",
	};
	struct ts_buf buf = TS_BUF_INIT(1 << 16);
	struct ts_gate_run run, out;

	(void)state;
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		UNPACK(gate_run, &run);
		if (i == 0)
			run.workload.session = ts_span_str("00fG");
		if (i == 1)
			run.reduction.ranks[1].rank = run.reduction.ranks[0].rank;
		if (i == 2)
			run.reduction.parts[0].seconds = INFINITY;
		if (i == 3 || i == 4)
			run.reduction.accumulation = i == 3 ? 0 : (double)INFINITY;
		if (i == 5 || i == 6) /* step time is compared by ratio */
			run.reduction.metrics[TS_METRIC_STEP_TIME].value = i == 5 ? 0 : (double)NAN;
		if (i == 7)
			run.role = (enum ts_gate_role)6;
		buf.len = 0;
		assert_int_equal(ts_wire_pack_gate_run(&run, &buf, &err), TS_OK);
		assert_int_equal(ts_wire_unpack_gate_run(ts_buf_view(&buf), &arena, &out, &err), i == 7 ? TS_UNSUPPORTED : TS_INVALID);
		if (!strstr(err.text, fields[i]))
			fail_msg("%s, not %s", err.text, fields[i]);
	}
	ts_buf_finish(&buf);
}

static void reads_trend_messages(void **state)
{
	struct ts_trend_request request;
	struct ts_trend t;

	(void)state;
	UNPACK(trend_request, &request);
	IS(request.branch, "branch:p/main");
	IS(request.metric, "peak_memory");
	assert_int_equal(request.limit, 12);
	IS(request.like, "l");
	assert_int_equal(request.policy.n, 1);
	IS(request.policy.items[0].threshold, "delta");
	UNPACK(trend_reply, &t);
	IS(t.branch, "p/main");
	assert_true(t.metric == TS_METRIC_LOSS && t.better == TS_BETTER_LOWER);
	IS(t.workload, "w");
	assert_int_equal(t.n_runs, 3);
	ID(t.runs[0].id, 1);
	assert_true(t.runs[0].commit.len == 2 && t.runs[0].commit.data[1] == '\0' && t.runs[0].moved_ns == -3);
	assert_true(t.runs[0].known && t.runs[0].value == 0 && signbit(t.runs[0].value) && !t.runs[0].accepted);
	assert_true(!t.runs[1].known && t.runs[1].accepted && t.runs[1].moved_ns == 0);
	IS(t.runs[1].reason, "marked bad");
	IS(t.runs[1].accept_reason, "a");
	assert_true(t.runs[2].known && t.runs[2].value == 4.5);
	assert_true(t.left_out == 1 && t.older == 7 && t.pruned == 8 && t.pruned_ns == 9 && t.n_changes == 1);
	assert_true(t.changes[0].at == 2 && t.changes[0].last_before == 0 && t.changes[0].before == 1 && t.changes[0].after == 2);
	assert_true(isinf(t.changes[0].size) && t.changes[0].p == 0.0005 && t.changes[0].worse && t.changes[0].accepted);
	assert_true(t.changes[0].with_host && t.runs[2].started_ns == 5 && t.runs[0].host.len == 0);
	IS(t.runs[2].host, "n1");
	IS(t.changes[0].host_after, "n1");
	assert_true(t.drift && t.drift->from == 0 && t.drift->to == 2 && t.drift->size == 0.25);
	assert_true(t.drift->low == -0.5 && t.drift->high == 0.75 && t.drift->worse && t.drift->accepted);
	assert_true(t.n_moved == 1 && t.moved[0].at == 2 && t.moved[0].last_before == 1 && t.moved[0].size == 0.5);
	assert_true(t.changes[0].other_size == -0.25 && t.changes[0].cost == TS_TREND_MOVED);
	IS(t.changes[0].other, "o");
	assert_true(t.host_spread == 0.125 && t.weekday_spread == 0.0625);
	IS(t.sentence, "s");
}

/* Renderers index runs by the numbers of a change. */
static void refuses_trend_messages(void **state)
{
	static const struct {
		size_t at, last_before, second, runs, left_out;
		const char *field;
	} cases[] = {
		{3, 0, 0, 3, 0, "changes.at"}, {1, 1, 0, 3, 0, "changes.at"}, {1, 2, 0, 3, 0, "changes.at"},
		{1, 0, 1, 3, 0, "ascending"},  {1, 0, 2, 3, 4, "left_out"},   {1, 0, 2, TS_TREND_RUNS_MAX + 1, 0, "runs"},
	};
	static const struct ts_trend_drift drifts[] = {{.to = 3}, {.from = 1, .to = 1}};
	struct ts_buf buf = TS_BUF_INIT(8 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_trend_change changes[2] = {{.at = cases[i].at, .last_before = cases[i].last_before},
						     {.at = cases[i].second}};
		struct ts_trend in = {.name = ts_span_str("loss"),
				      .runs = ts_arena_array(&arena, cases[i].runs, sizeof *in.runs),
				      .n_runs = cases[i].runs,
				      .left_out = cases[i].left_out,
				      .changes = changes,
				      .n_changes = 1 + (cases[i].second > 0)};
		struct ts_trend out;

		buf.len = 0;
		assert_int_equal(ts_wire_pack_trend_reply(&in, &buf, &err), TS_OK);
		assert_int_equal(ts_wire_unpack_trend_reply(ts_buf_view(&buf), &arena, &out, &err), TS_INVALID);
		if (!strstr(err.text, cases[i].field))
			fail_msg("%zu: %s, not %s", i, err.text, cases[i].field);
	}
	for (size_t i = 0; i < sizeof drifts / sizeof drifts[0]; i++) {
		struct ts_trend_run runs[3] = {{.known = false}};
		struct ts_trend in = {.name = ts_span_str("loss"), .runs = runs, .n_runs = 3, .drift = &drifts[i]}, out;

		buf.len = 0;
		assert_int_equal(ts_wire_pack_trend_reply(&in, &buf, &err), TS_OK);
		assert_int_equal(ts_wire_unpack_trend_reply(ts_buf_view(&buf), &arena, &out, &err), TS_INVALID);
	}
	ts_buf_finish(&buf);
}

static void reads_diff_messages(void **state)
{
	struct ts_diff_request request;
	struct ts_diff d;

	(void)state;
	UNPACK(diff_request, &request);
	assert_true(request.outcomes);
	IS(request.a, "a");
	IS(request.b, "b");
	assert_int_equal(request.n_ignore, 2);
	IS(request.ignore[1], "i2");
	assert_int_equal(request.n_repeats, 2);
	IS(request.repeats[1], "r2");
	IS(request.axis, "tokens");
	IS(request.rounding, "ro");
	assert_int_equal(request.plots, TS_PLOTS_ALL);
	assert_int_equal(request.policy.n, 2);
	IS(request.policy.items[0].code, "DIVERGENCE");
	IS(request.policy.items[0].threshold, "numeric_jump");
	assert_true(request.policy.items[0].value == 1e-5);
	assert_true(request.policy.items[1].off);
	UNPACK(diff_reply, &d);
	check_run(&d.a, 1);
	check_run(&d.b, 2);
	assert_int_equal(d.verdict, TS_DIFF_INCONCLUSIVE);
	IS(d.reason, "why");
	IS(d.axis, "scalars.seen");
	reads_diff_facts(&d);
	reads_diff_series(&d);
	assert_int_equal(d.n_same, 7);
	assert_int_equal(d.steps_only_a, 8);
	assert_int_equal(d.steps_only_b, 9);
	assert_int_equal(d.only_a_first, 10);
	assert_int_equal(d.only_a_last, 11);
	assert_int_equal(d.only_b_first, 12);
	assert_int_equal(d.only_b_last, 13);
	assert_int_equal(d.n_ranks_only_a, 2);
	assert_int_equal(d.ranks_only_a[1], 15);
	assert_int_equal(d.n_ranks_only_b, 1);
	assert_int_equal(d.ranks_only_b[0], 16);
	reads_diagnosis(&d.diagnosis);
	reads_ops(&d.ops);
	reads_events(&d.events);
	reads_layers(&d.layers);
	reads_sketches(&d.sketches);
	reads_repeats(&d.repeats);
	assert_int_equal(d.plots.n, 2);
	IS(d.plots.items[0].group, "around");
	IS(d.plots.items[1].name, "b");
	assert_true(d.plots.items[1].max[0] == 8);
	assert_int_equal(d.n_cut_offs, 2);
	IS(d.cut_offs[0].name, "quanta");
	assert_true(d.cut_offs[0].value == 4.5 && d.cut_offs[0].standard == 3);
	IS(d.cut_offs[1].name, "blow_up");
	assert_true(d.cut_offs[1].value == 0 && d.cut_offs[1].standard == 0.5);
}

static void reads_matrix_messages(void **state)
{
	struct ts_matrix_request request;
	struct ts_diff_matrix m;

	(void)state;
	UNPACK(matrix_request, &request);
	assert_int_equal(request.n, 3);
	IS(request.runs[2], "id:4f1c");
	UNPACK(matrix_reply, &m);
	assert_int_equal(m.n, 3);
	check_run(&m.runs[0], 1);
	check_run(&m.runs[2], 3);
	assert_int_equal(ts_matrix_pair(&m, 0, 1)->state, TS_PAIR_PARTS);
	assert_int_equal(ts_matrix_pair(&m, 1, 0)->step, -7);
	assert_int_equal(ts_matrix_pair(&m, 2, 0)->state, TS_PAIR_APART);
	assert_int_equal(ts_matrix_pair(&m, 1, 2)->state, TS_PAIR_SAME);
	assert_int_equal(m.n_endings, 3);
	assert_int_equal(m.endings[0].state, TS_END_KILLED);
	assert_int_equal(m.endings[0].cause, TS_END_SIGNAL);
	IS(m.endings[0].type, "SIGTERM");
	assert_true(m.endings[0].has_step && m.endings[0].step == 0 && m.endings[0].after && m.endings[0].ranks[0] == 2);
	IS(m.endings[0].record, "er");
	IS(m.endings[0].sentence, "es");
	assert_true(m.endings[1].state == TS_END_UNKNOWN && !m.endings[1].has_step);
	assert_int_equal(m.endings[2].state, TS_END_FINISHED);
}

static void reads_chart_messages(void **state)
{
	struct ts_chart_request request;
	struct ts_chart chart;
	const struct ts_chart_line *line;

	(void)state;
	UNPACK(chart_request, &request);
	assert_int_equal(request.n, 2);
	IS(request.runs[1], "id:4f1c");
	IS(request.by, "config.lr");
	assert_int_equal(request.column.len, 5); /* with a NUL */
	assert_int_equal(request.axis, TS_CHART_TOKENS);
	assert_true(request.columns == 640 && request.log_x && request.log_y && request.smooth == 2.5);
	assert_true(request.has_rank && request.rank == -1);
	assert_true(request.cells == 1999 && request.has_from && request.from == -0.5 && request.has_to && request.to == 7);
	UNPACK(chart_reply, &chart);
	IS(chart.column, "loss");
	assert_true(chart.unit == TS_UNIT_SECONDS && chart.axis == TS_CHART_TIME && chart.log_x && chart.log_y && chart.smooth == 3.5);
	assert_true(chart.low == 0.25 && chart.high == 8 && chart.columns == 2);
	assert_int_equal(chart.n, 2);
	line = &chart.lines[0];
	check_run(&line->run, 1);
	IS(line->group->text, "high");
	IS(line->why_not, "w");
	assert_true(line->rank == -1 && line->values == 5 && line->unplaced == 6 && line->back == 7 && line->odd == 8);
	assert_int_equal(line->n, 3);
	assert_true(line->x[1] == 0.5 && isnan(line->y[1]) && isinf(line->y[2]));
	assert_true(line->n_mean == 2 && line->mean[0] == 2 && isnan(line->mean[1]));
	assert_true(line->n_marks == 2 && line->marks[1].x == 5 && line->marks[1].what == TS_CHART_NOT_ABOVE_ZERO);
	assert_true(chart.cells == 2000 && line->cell_rows == 256 && line->n_cells == 2);
	assert_true(line->cells[0].first == 0.5 && line->cells[1].last == 3 && line->cells[0].min == -1 && isnan(line->cells[1].mean));
	assert_true(line->cells[0].max == 1 && line->cells[0].count == 255 && line->cells[1].odd == 256);
	check_run(&chart.lines[1].run, 2);
	assert_null(chart.lines[1].group);
}

/* A struct that was read is written with the same bytes that protoc writes. */
static void writes_what_protoc_writes(void **state)
{
	(void)state;
	for (size_t i = 0; i < test_n_messages; i++) {
		const struct test_message *m = &test_messages[i];
		struct ts_buf out = TS_BUF_INIT(1 << 20);

		if (m->again(m->vector, &arena, &out, &err))
			fail_msg("%s: %s", m->name, err.text);
		if (!ts_span_eq(ts_buf_view(&out), m->vector))
			fail_msg("%s is written otherwise than protoc writes it", m->name);
		ts_buf_finish(&out);
	}
}

/* Unpacks the bytes; a struct that was read must pack, and unpack again to the same struct. No other result is allowed. */
static bool survives(const struct test_message *m, struct ts_span in)
{
	struct ts_buf first = TS_BUF_INIT(1 << 20), second = TS_BUF_INIT(1 << 20);
	enum ts_status status;

	ts_arena_reset(&arena);
	status = m->again(in, &arena, &first, &err);
	if (!status) {
		if (m->again(ts_buf_view(&first), &arena, &second, &err))
			fail_msg("%s: what was packed does not unpack: %s", m->name, err.text);
		assert_true(ts_span_eq(ts_buf_view(&first), ts_buf_view(&second)));
	} else {
		assert_int_equal(err.status, status);
		assert_true(status == TS_INVALID || status == TS_UNSUPPORTED || status == TS_NO_MEMORY);
	}
	ts_buf_finish(&first);
	ts_buf_finish(&second);
	return !status;
}

static void survives_cuts(void **state)
{
	(void)state;
	for (size_t i = 0; i < test_n_messages; i++)
		for (size_t n = 0; n < test_messages[i].vector.len; n++) {
			/* The block has exactly that size, so that the sanitizer sees a read past the cut. */
			uint8_t *cut = ts_alloc(n);

			if (n)
				memcpy(cut, test_messages[i].vector.data, n);
			(void)survives(&test_messages[i], ts_span_of(cut, n));
			ts_free(cut);
		}
}

static void survives_flips(void **state)
{
	uint64_t seed = 88172645463325252u;

	(void)state;
	for (size_t i = 0; i < test_n_messages; i++)
		for (int round = 0; round < 1000; round++) {
			struct ts_buf own = TS_BUF_INIT(1 << 20);

			ts_buf_span(&own, test_messages[i].vector);
			for (int k = 0; k <= round % 3; k++) {
				seed ^= seed << 13;
				seed ^= seed >> 7;
				seed ^= seed << 17;
				own.data[seed % own.len] = (uint8_t)(seed >> 32);
			}
			(void)survives(&test_messages[i], ts_buf_view(&own));
			ts_buf_finish(&own);
		}
}

static void refuse(const char *name, const char *bytes, size_t len, const char *field)
{
	for (size_t i = 0; i < test_n_messages; i++)
		if (strcmp(test_messages[i].name, name) == 0) {
			if (survives(&test_messages[i], ts_span_of(bytes, len)))
				fail_msg("%s: %s was not refused", name, field);
			assert_int_equal(err.status, strstr(err.text, "does not know") ? TS_UNSUPPORTED : TS_INVALID);
			if (!strstr(err.text, field))
				fail_msg("%s: %s", name, err.text);
			return;
		}
	fail_msg("no message %s", name);
}

#define REFUSE(name, bytes, field) refuse(name, bytes, sizeof(bytes) - 1, field)
#define ID31 "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"

/* The tags are written by hand: field << 3 | type, as the encoding specification defines. */
static void refuses_wrong_fields(void **state)
{
	(void)state;
	REFUSE("has_request", "\x0a\x1f" ID31, "ids");
	REFUSE("commit_request", "\x0a\x03p/r", "head");
	REFUSE("commit_request", "\x0a\x03p/r\x12\x1f" ID31, "head");
	REFUSE("commit_request", "\x0a\x03p/r\x12\x20\1" ID31 "\x18\x03", "expect");
	REFUSE("commit_request", "\x0a\x03p/r\x12\x20\1" ID31 "\x18\x02", "expected");
	REFUSE("commit_request", "\x0a\x03p/r\x12\x20\1" ID31 "\x22\x20\1" ID31, "expected");
	REFUSE("commit_request", "\x0a\x03p\0r\x12\x20\1" ID31, "name");
	REFUSE("commit_request", "\x0a\x03p\xff/\x12\x20\1" ID31, "name");
	REFUSE("commit_request", "\x0a\x03p\xed\xa0\x12\x20\1" ID31, "name");
	REFUSE("ref_request", "\x08\x05", "kind");
	REFUSE("ref_request", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "kind");
	REFUSE("ref_reply", "", "ref");
	REFUSE("list_request", "\x30\xe9\x07", "page_size"); /* 1001 */
	REFUSE("gc_request", "\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "lease_s");
	REFUSE("analyze_reply", "", "run");
	REFUSE("diff_reply", "", "a");
	REFUSE("matrix_request", "\x0a\x01p", "runs");
	REFUSE("matrix_reply", "", "pairs");
	REFUSE("matrix_reply", "\x0a\x22\x0a\x20\1" ID31 "\x0a\x22\x0a\x20\2" ID31 "\x12\x01\x06\x1a\x01\x00", "states");
	REFUSE("put_request", "\x0a\x02\x10\x01", "id");
	REFUSE("put_request", "\x0a\x25\x0a\x20\1" ID31 "\x10\x80\x02", "codec"); /* 256 */
	REFUSE("put_request", "\x0a\x27\x0a\x20\1" ID31 "\x28\x81\x80\x80\x01", "raw_len"); /* 2 MiB + 1 */
	REFUSE("put_request", "\x0a\x24\x0a\x20\1" ID31 "\x3a\x05", "SealedObject");
	REFUSE("put_request", "\x0a\x24\x0a\x20\1" ID31 "\x38\x05", "data");
	REFUSE("put_request", "\x08\x01", "objects");
	REFUSE("put_request", "\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "objects");
	REFUSE("put_request", "\x0b", "objects");
	REFUSE("put_request", "\x00\x01", "objects"); /* no field has the number 0 */
}

static void refuses_chart_messages(void **state)
{
	(void)state;
	REFUSE("chart_request", "\x12\x01l", "runs");
	REFUSE("chart_request", "\x0a\x01p", "column");
	REFUSE("chart_request", "\x0a\x01p\x12\x01l\x39\0\0\0\0\0\0\xf0\xbf", "smooth"); /* -1 */
	REFUSE("chart_request", "\x0a\x01p\x12\x01l\x39\0\0\0\0\0\0\xf8\x7f", "smooth"); /* NaN */
	REFUSE("chart_request", "\x0a\x01p\x12\x01l\x20\x81\x08", "columns"); /* 1025 */
	REFUSE("chart_request", "\x0a\x01p\x12\x01l\x50\xd1\x0f", "cells"); /* 2001 */
	REFUSE("chart_request", "\x0a\x01p\x12\x01l\x59\0\0\0\0\0\0\xf8\x7f", "from"); /* NaN */
	REFUSE("chart_reply", "", "columns");
	REFUSE("chart_reply", "\x39\0\0\0\0\0\0\xf0\x3f\x48\x02", "low"); /* from 1 to 0 */
	REFUSE("chart_reply", "\x20\x01\x48\x02", "low"); /* a logarithmic axis from 0 */
	/* a line with one mean in a picture of two columns */
	REFUSE("chart_reply", "\x48\x02\x52\x2e\x0a\x22\x0a\x20\1" ID31 "\x62\x08\0\0\0\0\0\0\xf0\x3f", "mean");
	/* a point where the axis has no ends */
	REFUSE("chart_reply",
	       "\x39\0\0\0\0\0\0\xf8\x7f\x48\x02\x52\x38\x0a\x22\x0a\x20\1" ID31
	       "\x52\x08\0\0\0\0\0\0\xf0\x3f\x5a\x08\0\0\0\0\0\0\xf0\x3f",
	       "low");
}

#define UNPACKS(name, bytes, ret) ts_wire_unpack_##name(ts_span_of(bytes, sizeof(bytes) - 1), &arena, ret, &err)

/* What a caller of a later version asks for is refused where it is not known, unless it is a hint; in a reply it is left out. */
static void takes_later_fields(void **state)
{
	struct ts_has_request has;
	struct ts_has_reply reply;
	struct ts_gate_request gate;

	(void)state;
	assert_int_equal(UNPACKS(has_request, "\xf8\x07\x01", &has), TS_UNSUPPORTED);
	assert_string_equal(err.text, "HasObjectsRequest has a field 127, which this version does not know");
	assert_int_equal(UNPACKS(has_request, "\xc0\x3e\x01", &has), TS_OK);	 /* 1000 */
	assert_int_equal(UNPACKS(has_request, "\xb8\x3e\x01", &has), TS_UNSUPPORTED); /* 999 */
	assert_int_equal(UNPACKS(has_reply, "\xf8\x07\x01", &reply), TS_OK);
	assert_int_equal(UNPACKS(gate_request, "\x22\x03\xf8\x07\x01", &gate), TS_UNSUPPORTED); /* an item of the policy */
	assert_string_equal(err.text, "PolicyItem has a field 127, which this version does not know");
}

/* Fields of a later version are skipped. */
static void skips_unknown_fields(void **state)
{
	static const char later[] = "\x0a\x36\x0a\x20\1" ID31 "\xf8\x07\x01\xf9\x07"
				    "12345678"
				    "\xfd\x07"
				    "1234"
				    "\x50"
				    "\x12\x03"
				    "abc";
	static const char whole[] = "\x0a\x35\x0a\x20\1" ID31 "\xf8\x07\x01\xf9\x07"
				    "12345678"
				    "\xfd\x07"
				    "1234"
				    "\x12\x03"
				    "abc";
	struct ts_put_request put;

	(void)state;
	assert_int_equal(ts_wire_unpack_put_request(ts_span_of(whole, sizeof whole - 1), &arena, &put, &err), TS_OK);
	assert_int_equal(put.n, 1);
	assert_int_equal(put.objects[0].id.bytes[31], 1);
	/* A tag without its value is not a field and is refused. */
	assert_int_equal(ts_wire_unpack_put_request(ts_span_of(later, sizeof later - 1), &arena, &put, &err),
			 TS_INVALID);
}

/* A megabyte of empty messages uses no more memory than the arena's ceiling, and does not crash. */
static void bounds_amplification(void **state)
{
	struct ts_buf bomb = TS_BUF_INIT(2 << 20);

	(void)state;
	for (size_t i = 0; i < test_n_messages; i++)
		for (int field = 1; field <= 8; field++) {
			/* the whole megabyte is tried only where most messages repeat; each takes a second */
			bool most = strcmp(test_messages[i].name, "diff_reply") == 0 && field >= 5 && field <= 6;
			size_t n = most ? 1 << 19 : 1 << 15;

			ts_buf_reset(&bomb);
			for (size_t k = 0; k < n; k++) {
				ts_buf_u8(&bomb, (uint8_t)(field << 3 | 2));
				ts_buf_u8(&bomb, 0);
			}
			(void)survives(&test_messages[i], ts_buf_view(&bomb));
			assert_true(arena.used <= TS_CALL_ARENA);
		}
	ts_buf_finish(&bomb);
}

static void reads_health(void **state)
{
	struct ts_buf out = TS_BUF_INIT(100);
	struct ts_span service;
	enum ts_health health;

	(void)state;
	assert_int_equal(ts_wire_pack_health_request(ts_span_str("tscope.v1.Tscope"), &out, &err), TS_OK);
	IS(ts_buf_view(&out), "\x0a\x10tscope.v1.Tscope");
	assert_int_equal(ts_wire_unpack_health_request(ts_buf_view(&out), &arena, &service, &err), TS_OK);
	IS(service, "tscope.v1.Tscope");
	ts_buf_reset(&out);
	assert_int_equal(ts_wire_pack_health_reply(TS_HEALTH_NOT_SERVING, &out, &err), TS_OK);
	IS(ts_buf_view(&out), "\x08\x02");
	assert_int_equal(ts_wire_unpack_health_reply(ts_buf_view(&out), &arena, &health, &err), TS_OK);
	assert_int_equal(health, TS_HEALTH_NOT_SERVING);
	assert_int_equal(ts_wire_unpack_health_reply(ts_span_str("\x08\x04"), &arena, &health, &err), TS_UNSUPPORTED);
	assert_int_equal(ts_wire_unpack_health_request(ts_span_str("\x0a\x01\xff"), &arena, &service, &err),
			 TS_INVALID);
	ts_buf_finish(&out);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(reads_store_messages),
		T(reads_retention_messages),
		T(reads_ref_messages),
		T(reads_list_messages),
		T(reads_get_messages),
		T(reads_analyze_messages),
		T(refuses_analyze_messages),
		T(reads_resume_messages),
		T(refuses_resume_messages),
		T(reads_gate_messages),
		T(refuses_rows_of_another_table),
		T(refuses_gate_messages),
		T(refuses_gate_runs),
		T(reads_trend_messages),
		T(refuses_trend_messages),
		T(reads_diff_messages),
		T(reads_matrix_messages),
		T(reads_chart_messages),
		T(refuses_chart_messages),
		T(writes_what_protoc_writes),
		T(survives_cuts),
		T(survives_flips),
		T(refuses_wrong_fields),
		T(takes_later_fields),
		T(skips_unknown_fields),
		T(bounds_amplification),
		T(reads_health),
	};

	return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
