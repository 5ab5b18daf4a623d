/* text_trace_job.c - what a folder of traces says of the ranks of a job, as text. */
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/timeline_link.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "proto/shape/shapes.h"

#include <math.h>

enum { RANGES_SHOWN = 16, RANKS_SHOWN = 32, GROUPS_SHOWN = 16, LATEST_SHOWN = 5, FILES_SHOWN = 8 };

/* Where an allocation failed, the end of the answer says so. */
static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static const char *number(struct ts_cli *cli, int64_t n)
{
	return or_empty(ts_arena_printf(&cli->arena, "%" PRId64, n));
}

static const char *text_of(struct ts_cli *cli, struct ts_span text)
{
	return or_empty(ts_show_text(text, &cli->arena));
}

static void note(struct ts_cli *cli, const char *text)
{
	ts_text_field(cli, "note", or_empty(text));
}

/* --- who they are --- */

static const char *list(struct ts_cli *cli, const int64_t *ranks, size_t n, uint64_t all)
{
	const char *text = "";
	size_t at = 0;

	for (int shown = 0; at < n && shown < RANGES_SHOWN && text; shown++) {
		size_t end = at;

		while (end + 1 < n && ranks[end + 1] == ranks[end] + 1)
			end++;
		text = ts_arena_printf(&cli->arena, end > at ? "%s%s%" PRId64 "-%" PRId64 : "%s%s%" PRId64, text, *text ? ", " : "",
				       ranks[at], ranks[end]);
		at = end + 1;
	}
	if (text && all > at)
		text = ts_arena_printf(&cli->arena, "%s and %s more", text, ts_trace_count(cli, all - at));
	return or_empty(text);
}

/* Of what the figures are. */
static const char *over(struct ts_cli *cli, const struct ts_trace_job *j)
{
	const struct ts_trace_warmup *w = &j->warmup;

	if (!w->steps)
		return w->given ? "all of each trace" : "all of each trace (--warmup N leaves out the first N steps that each marks)";
	return or_empty(ts_arena_printf(&cli->arena,
					"each trace without the first %s that it marks. Left out of every figure as warm-up: these, "
					"%s of devices that %s launched before the next step began, and what the host began before",
					w->steps == 1 ? "step" : ts_trace_plural(cli, w->steps, "step"),
					ts_trace_plural(cli, w->events, "event"), w->events == 1 ? "was" : "were"));
}

static void who(struct ts_cli *cli, const struct ts_trace_job *j)
{
	const char *of = j->has_world_size ? or_empty(ts_arena_printf(&cli->arena, " of %" PRId64, j->world_size)) : "";
	const char *backend = text_of(cli, j->backend), *device = text_of(cli, j->device_name);

	ts_text_field(cli, j->of_run ? "run" : "folder", j->path);
	ts_text_field(cli, "of",
		      or_empty(ts_arena_printf(&cli->arena, "%s%s%s%s%s%s", ts_trace_plural(cli, j->n_ranks, "rank"), of,
					       *backend ? ", " : "", backend, *device ? ", on " : "", device)));
	if (j->n_ranks)
		ts_text_field(cli, "over", over(cli, j));
	if (j->missing_count)
		note(cli, ts_arena_printf(&cli->arena, "no trace of rank %s", list(cli, j->missing, j->n_missing, j->missing_count)));
	for (size_t i = 0, said = 0; j->has_world_size && i < j->n_ranks && said < FILES_SHOWN; i++)
		if (j->ranks[i].rank < 0 || j->ranks[i].rank >= j->world_size) {
			said++;
			note(cli, ts_arena_printf(&cli->arena, "rank %" PRId64 " is none of a world of %" PRId64, j->ranks[i].rank,
						  j->world_size));
		}
	if (j->worlds_differ)
		note(cli, "the traces say different world sizes; the largest is taken");
	for (size_t i = 0, said = 0; i < j->n_ranks && said < FILES_SHOWN; i++)
		if (j->ranks[i].files > 1) {
			said++;
			note(cli,
			     ts_arena_printf(
				     &cli->arena,
				     "rank %" PRId64
				     " has %zu traces that follow each other in time: cycles of its profiler, whose times are added",
				     j->ranks[i].rank, j->ranks[i].files));
		}
}

/* Of the first rank, and where others say something else. */
static void recorded(struct ts_cli *cli, const struct ts_trace_job *j)
{
	const char *text = j->n_ranks ? or_empty(ts_trace_recorded_text(&j->ranks[0].recorded, &cli->arena)) : "";
	const char *first = j->n_ranks ? or_empty(ts_arena_printf(&cli->arena, "rank %" PRId64, j->ranks[0].rank)) : "";
	size_t n = 0;

	if (*text)
		ts_text_field(cli, "recorded", text);
	for (size_t i = 1; i < j->n_ranks; i++) {
		const char *other = or_empty(ts_arena_printf(&cli->arena, "rank %" PRId64, j->ranks[i].rank));

		text = or_empty(ts_trace_recorded_apart(&j->ranks[0].recorded, first, &j->ranks[i].recorded, other, &cli->arena));
		if (*text && n++ < FILES_SHOWN)
			note(cli, ts_arena_printf(&cli->arena, "not recorded alike: %s", text));
	}
	if (n > FILES_SHOWN)
		note(cli, ts_arena_printf(&cli->arena, "and %s were not recorded like %s; --json has all",
					  ts_trace_plural(cli, n - FILES_SHOWN, "more rank"), first));
}

static void files_of(struct ts_cli *cli, const struct ts_trace_job *j, enum ts_job_file_state state, const char *what)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n_files; i++) {
		const char *name = or_empty(ts_show_text(ts_span_str(j->files[i].name), &cli->arena));
		const char *why = j->files[i].why ? or_empty(ts_show_text(ts_span_str(j->files[i].why), &cli->arena)) : NULL;

		if (j->files[i].state != state || n++ >= FILES_SHOWN)
			continue;
		note(cli, ts_arena_printf(&cli->arena, why ? "%s %s: %s" : "%s %s", name, what, why));
	}
	if (n > FILES_SHOWN)
		note(cli,
		     ts_arena_printf(&cli->arena, "and %s; --json has all", ts_trace_plural(cli, n - FILES_SHOWN, "more such file")));
}

/* The reasons are not in a run, and so where they are. */
static void failed_of_run(struct ts_cli *cli, const struct ts_trace_job *j)
{
	uint64_t n = 0;

	for (size_t i = 0; i < j->n_files; i++)
		n += j->files[i].state == TS_JOB_FILE_FAILED;
	if (n)
		note(cli, ts_arena_printf(&cli->arena,
					  "%s of the run %s not read: its folder, pushed again, says why, and tscope export %s "
					  "writes %s back",
					  ts_trace_plural(cli, n, "file"), n == 1 ? "was" : "were", j->path, n == 1 ? "it" : "them"));
}

static void files(struct ts_cli *cli, const struct ts_trace_job *j)
{
	files_of(cli, j, TS_JOB_FILE_FAILED, "was not read");
	if (j->of_run)
		failed_of_run(cli, j);
	files_of(cli, j, TS_JOB_FILE_NO_RANK, "does not say its rank, and is left out");
	files_of(cli, j, TS_JOB_FILE_SAME, "is left out");
	files_of(cli, j, TS_JOB_FILE_OTHER, "is no trace");
	for (size_t i = 0; i < j->n_files; i++)
		if (j->files[i].cut)
			note(cli, ts_arena_printf(&cli->arena, "%s ends too early", text_of(cli, ts_span_str(j->files[i].name))));
}

/* --- times of ranks --- */

/* The figures of times, in the order of their columns. */
static const char *const figures[TS_JOB_FIGURES] = {[TS_JOB_SPAN] = "span_ns",
						    [TS_JOB_BUSY] = "busy_ns",
						    [TS_JOB_IDLE] = "idle_ns",
						    [TS_JOB_COMPUTATION] = "computation_ns",
						    [TS_JOB_COMMUNICATION] = "communication_ns",
						    [TS_JOB_EXPOSED] = "exposed_communication_ns",
						    [TS_JOB_WAITING] = "waiting_ns",
						    [TS_JOB_EXPOSED_WAITING] = "exposed_waiting_ns"};

enum spread { MEAN, LEAST, MOST };

static void spread_row(struct ts_view *view, const struct ts_trace_job *j, const char *what, enum spread which)
{
	struct ts_job_rank rank = {.rank = 0};

	for (int f = 0; f < TS_JOB_FIGURES; f++) {
		const struct ts_job_spread *s = &j->spread[f];

		rank.ns[f] = which == MEAN ? s->mean_ns : which == LEAST ? s->least_ns : s->most_ns;
	}
	ts_view_row(view, &rank);
	ts_view_set(view, "rank", TS_STYLE_PLAIN, what);
	ts_view_set(view, "event_count", TS_STYLE_PLAIN, "");
}

/* Over all ranks: what they have on average, at least, at most, and which rank has the most. */
static void spread_rows(struct ts_cli *cli, struct ts_view *view, const struct ts_trace_job *j)
{
	spread_row(view, j, "mean", MEAN);
	spread_row(view, j, "least", LEAST);
	spread_row(view, j, "most", MOST);
	ts_view_row(view, NULL);
	ts_view_set(view, "rank", TS_STYLE_PLAIN, "most on rank");
	for (int f = 0; f < TS_JOB_FIGURES; f++)
		if (figures[f])
			ts_view_set(view, figures[f], TS_STYLE_PLAIN, number(cli, j->spread[f].most_rank));
}

static bool has_events(const struct ts_trace_job *j)
{
	for (size_t i = 0; i < j->n_ranks; i++)
		if (j->ranks[i].events)
			return true;
	return false;
}

static enum ts_status times(struct ts_cli *cli, const struct ts_trace_job *j, struct ts_error *err)
{
	struct ts_view view;

	if (!has_events(j)) {
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0,
				"The traces have no events of devices, so there is nothing to say of their time.");
		return TS_OK;
	}
	ts_text_heading(cli, "Times of ranks (waiting: for ranks that had not come, a sum; the others are unions)");
	ts_view_of(&view, &ts_shape_job_rank,
		   "rank event_count span_ns busy_ns idle_ns computation_ns communication_ns exposed_communication_ns waiting_ns "
		   "exposed_waiting_ns",
		   &cli->arena);
	ts_view_rows(&view, j->ranks, j->n_ranks < RANKS_SHOWN ? j->n_ranks : RANKS_SHOWN);
	if (j->n_ranks > 1)
		spread_rows(cli, &view, j);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, j->n_ranks, RANKS_SHOWN, "rank");
	return TS_OK;
}

static enum ts_status steps(struct ts_cli *cli, const struct ts_trace_job *j, struct ts_error *err)
{
	static const char *const of_devices[] = {"step_mean.busy_ns", "step_mean.computation_ns", "step_mean.communication_ns",
						 "step_mean.exposed_communication_ns"};
	struct ts_view view;
	bool any = false;

	for (size_t i = 0; i < j->n_ranks; i++)
		any |= j->ranks[i].steps > 0;
	if (!any)
		return TS_OK;
	ts_text_heading(cli, "Steps of ranks: means (own time: what a step took less exposed waiting, over steps that all ranks have)");
	ts_view_of(&view, &ts_shape_job_rank,
		   "rank step_count step_mean.on_the_host_ns step_mean.busy_ns step_mean.computation_ns step_mean.communication_ns "
		   "step_mean.exposed_communication_ns own_step_ns",
		   &cli->arena);
	for (size_t i = 0; i < j->n_ranks && i < RANKS_SHOWN; i++) {
		ts_view_row(&view, &j->ranks[i]);
		for (size_t k = 0; k < sizeof of_devices / sizeof of_devices[0] && !j->ranks[i].events; k++)
			ts_view_set(&view, of_devices[k], TS_STYLE_PLAIN, "-");
	}
	return ts_trace_print(cli, &view, err);
}

/* --- clocks --- */

static size_t corrected(const struct ts_trace_job *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n_ranks; i++)
		n += j->ranks[i].clock.corrected;
	return n;
}

static enum ts_status clock_rows(struct ts_cli *cli, const struct ts_trace_job *j, struct ts_error *err)
{
	static const struct ts_view_column made[] = {TS_RIGHT("drift")};
	struct ts_view view;

	ts_view_with(&view, &ts_shape_job_rank, "rank clock.offset_ns drift clock.error_low_ns clock.error_high_ns clock.residual_ns",
		     TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < j->n_ranks && i < RANKS_SHOWN; i++) {
		const struct ts_job_clock *c = &j->ranks[i].clock;

		ts_view_row(&view, &j->ranks[i]);
		ts_view_set(&view, "drift", TS_STYLE_PLAIN,
			    c->drifts ? ts_arena_printf(&cli->arena, "%+" PRId64 " ns/s", c->drift_ppb) : "none");
	}
	return ts_trace_print(cli, &view, err);
}

static enum ts_status clocks(struct ts_cli *cli, const struct ts_trace_job *j, struct ts_error *err)
{
	size_t n = corrected(j), apart = 0;

	if (!j->n_collectives)
		return TS_OK;
	for (size_t i = 0; i < j->n_ranks; i++)
		apart += !j->ranks[i].clock.connected;
	ts_text_heading(cli, "Clocks");
	if (!n)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				"One clock for all ranks: no collective ends on a rank before it begins on another, and ends show no "
				"difference that lasts.");
	else if (clock_rows(cli, j, err))
		return err->status;
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
			or_empty(ts_arena_printf(
				&cli->arena, "Ends of a collective lie %s apart in half of the cases, %s in 95 %%, %s at most.",
				ts_trace_ms(cli, j->ends_p50_ns), ts_trace_ms(cli, j->ends_p95_ns), ts_trace_ms(cli, j->ends_max_ns))));
	if (j->violations)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				or_empty(ts_arena_printf(
					&cli->arena,
					"%s of %s end on a rank before they begin on another, by up to %s: the clocks are not as "
					"steady as was taken, or these are not one collective.",
					ts_trace_count(cli, j->violations), ts_trace_count(cli, j->n_collectives),
					ts_trace_ms(cli, j->violation_ns))));
	if (apart)
		ts_text_wrapped(
			cli, TS_STYLE_PLAIN, 2,
			or_empty(ts_arena_printf(&cli->arena, "%s no collective with the first, so that their clocks are not known.",
						 apart == 1 ? "One rank shares" : "Some ranks share")));
	if (j->apart)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				"Recordings of ranks do not overlap in time, as their clocks have it: are they of one job?");
	return TS_OK;
}

/* --- who is last --- */

static enum ts_status last(struct ts_cli *cli, const struct ts_trace_job *j, struct ts_error *err)
{
	static const struct ts_view_column itself[] = {{.head = "waited itself", .key = "waiting_ns"}};
	const char *now = ts_arena_printf(&cli->arena,
					  "Who arrives last at collectives (step if in time: what a step, now %s, would take at "
					  "least if the rank came with the next to last)",
					  ts_trace_ms(cli, j->step_ns));
	struct ts_view view;

	ts_text_heading(cli, j->n_steps ? or_empty(now) : "Who arrives last at collectives");
	ts_view_with(&view, &ts_shape_job_rank,
		     j->n_steps ? "rank last_count collective_count caused_ns behind_next_ns lateness_ns waiting_ns in_time_step_ns"
				: "rank last_count collective_count caused_ns behind_next_ns lateness_ns waiting_ns",
		     TS_VIEW_COLUMNS(itself), &cli->arena);
	ts_view_rows(&view, j->ranks, j->n_ranks < RANKS_SHOWN ? j->n_ranks : RANKS_SHOWN);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, j->n_ranks, RANKS_SHOWN, "rank");
	if (j->close)
		ts_text_wrapped(
			cli, TS_STYLE_PLAIN, 2,
			or_empty(ts_arena_printf(&cli->arena,
						 "In %s of %s the last came less behind the next than ends differ, so either may "
						 "have been last.",
						 ts_trace_count(cli, j->close), ts_trace_count(cli, j->n_collectives))));
	return TS_OK;
}

static const char *group_word(struct ts_cli *cli, const struct ts_job_group *g)
{
	if (g->is.ordinal >= 0 && g->is.stream == TS_TRACE_NO_DEVICE)
		return "not named (on the host)";
	if (g->is.ordinal >= 0)
		return or_empty(ts_arena_printf(&cli->arena, "not named (stream %" PRId32 ")", g->is.stream));
	return or_empty(
		ts_arena_printf(&cli->arena, g->is.about.len ? "%s (%s)" : "%s", text_of(cli, g->is.name), text_of(cli, g->is.about)));
}

static const char *where(struct ts_cli *cli, const struct ts_job_collective *c)
{
	if (c->has_sequence)
		return or_empty(ts_arena_printf(&cli->arena, "number %" PRId64, c->sequence));
	return c->in_step ? or_empty(ts_arena_printf(&cli->arena, "step %" PRId64, c->step)) : "";
}

/* The latest arrivals, by lateness; the earlier of equal ones first. */
static size_t latest(const struct ts_trace_job *j, size_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n_collectives; i++) {
		size_t at = n;

		while (at && j->collectives[ret[at - 1]].lateness_ns < j->collectives[i].lateness_ns)
			at--;
		if (at == LATEST_SHOWN || !j->collectives[i].lateness_ns)
			continue;
		n = n < LATEST_SHOWN ? n + 1 : n;
		memmove(ret + at + 1, ret + at, (n - 1 - at) * sizeof *ret);
		ret[at] = i;
	}
	return n;
}

/* On a page that is served, a link to where a rank of a run came last, by its own clock. Files are named as in stored_job.c. */
static void link_latest(struct ts_cli *cli, const struct ts_trace_job *j, const struct ts_job_collective *c)
{
	for (size_t i = 0; j->of_run && i < j->n_ranks; i++) {
		const struct ts_job_rank *r = &j->ranks[i];
		struct ts_run_trace trace = {.rank = (int32_t)r->rank, .name = ts_span_str(r->file)};
		int64_t at = c->begin_ns + (int64_t)c->lateness_ns - r->clock.offset_ns;

		if (r->rank != c->last_rank || !ts_span_skip(&trace.name, ts_arena_phrase(&cli->arena, "rank%" PRId64 "/", r->rank)))
			continue;
		ts_text_link(cli, ts_arena_phrase(&cli->arena, "Timeline of rank %" PRId64 ", which came %s late", r->rank,
						  ts_trace_ms(cli, c->lateness_ns)),
			     ts_timeline_link(cli, j->path, &trace, &at));
	}
}

static enum ts_status latest_rows(struct ts_cli *cli, const struct ts_trace_job *j, struct ts_error *err)
{
	static const struct ts_view_column made[] = {{.head = "group", .least = 9, .key = "within"}, TS_LEFT("which", 0)};
	size_t rows[LATEST_SHOWN + 1], n = latest(j, rows);
	struct ts_view view;

	if (!n)
		return TS_OK;
	ts_text_heading(cli, "The latest arrivals (times are those of the first rank's trace)");
	ts_view_with(&view, &ts_shape_job_collective, "last_rank lateness_ns waiting_ns transfer_ns kind within which begin_ns",
		     TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < n; i++) {
		const struct ts_job_collective *c = &j->collectives[rows[i]];

		ts_view_row(&view, c);
		ts_view_set(&view, "within", TS_STYLE_PLAIN, group_word(cli, &j->groups[c->group]));
		ts_view_set(&view, "which", TS_STYLE_PLAIN, where(cli, c));
	}
	if (ts_trace_print(cli, &view, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		link_latest(cli, j, &j->collectives[rows[i]]);
	ts_trace_more(cli, j->n_collectives, n, "collective");
	return TS_OK;
}

/* --- groups and kinds --- */

static uint64_t unmatched(const struct ts_job_group *g)
{
	uint64_t n = 0;

	for (int i = 0; i < TS_JOB_UNMATCHED; i++)
		n += g->unmatched[i];
	return n;
}

static const char *reasons(struct ts_cli *cli, const struct ts_job_group *g)
{
	static const char *const words[TS_JOB_UNMATCHED] = {"are not in the trace of every member",
							    "differ in number over ranks",
							    "differ in kind over ranks",
							    "differ in size over ranks",
							    "were launched before the recording",
							    "have no other member's trace here",
							    "do not say which rank they go to or come from",
							    "are not of one group: they end on a rank before they begin on another"};
	const char *text = "";

	for (int i = 0; i < TS_JOB_UNMATCHED && text; i++)
		if (g->unmatched[i])
			text = ts_arena_printf(&cli->arena, "%s%s%s %s", text, *text ? ", " : "", ts_trace_count(cli, g->unmatched[i]),
					       words[i]);
	if (text && g->example)
		text = ts_arena_printf(&cli->arena, "%s (%s)", text, g->example);
	return or_empty(text);
}

static enum ts_status groups(struct ts_cli *cli, const struct ts_trace_job *j, struct ts_error *err)
{
	static const struct ts_view_column made[] = {TS_LEFT("group", 9),
						     {.head = "ranks", .least = 8, .key = "members"},
						     {.head = "matched by", .key = "by"},
						     {.head = "most often last", .key = "last"}};
	struct ts_view view;

	if (!j->n_groups)
		return TS_OK;
	ts_text_heading(cli, "Skew by process group (last begin - first begin of a collective)");
	ts_view_with(&view, &ts_shape_job_group, "group members by waiting_count skew_mean_ns skew_p95_ns skew_max_ns transfer_ns last",
		     TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < j->n_groups && i < GROUPS_SHOWN; i++) {
		const struct ts_job_group *g = &j->groups[i];
		const char *ranks = list(cli, g->members, g->n_members, g->n_members);

		ts_view_row(&view, g);
		ts_view_set(&view, "group", TS_STYLE_PLAIN, group_word(cli, g));
		ts_view_set(&view, "members", TS_STYLE_PLAIN,
			    g->absent ? ts_arena_printf(&cli->arena, "%s, %zu not here", ranks, g->absent) : ranks);
		ts_view_set(&view, "by", TS_STYLE_PLAIN, !g->collectives ? "-" : g->by_sequence ? "number" : "order");
		ts_view_set(&view, "last", TS_STYLE_PLAIN,
			    g->last_times ? ts_arena_printf(&cli->arena, "rank %" PRId64 ", %s", g->last_rank,
							    ts_trace_count(cli, g->last_times))
					  : "-");
	}
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, j->n_groups, GROUPS_SHOWN, "group");
	for (size_t i = 0; i < j->n_groups && i < GROUPS_SHOWN; i++)
		if (unmatched(&j->groups[i]))
			ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
					or_empty(ts_arena_printf(&cli->arena, "Not matched in group %s: %s.",
								 group_word(cli, &j->groups[i]), reasons(cli, &j->groups[i]))));
	return TS_OK;
}

static struct ts_job_kind kind_of_all(const struct ts_trace_job *j, int kind)
{
	struct ts_job_kind all = {.kind = (enum ts_collective)kind};

	for (size_t i = 0; i < j->n_ranks; i++) {
		const struct ts_job_kind *of = &j->ranks[i].kinds[kind];

		all.kernels += of->kernels;
		all.matched += of->matched;
		for (int k = 0; k < TS_JOB_NO_RULES; k++)
			all.no_rule[k] += of->no_rule[k];
		ts_job_add(&all.ns, of->ns);
		ts_job_add(&all.waiting_ns, of->waiting_ns);
		ts_job_add(&all.transfer_ns, of->transfer_ns);
		ts_job_add(&all.unknown_ns, of->unknown_ns);
	}
	return all;
}

/* One more of a list in words. */
static const char *listed(struct ts_cli *cli, const char *text, const char *more)
{
	return or_empty(ts_arena_printf(&cli->arena, "%s%s%s", text, *text ? ", " : "", or_empty(more)));
}

/* What is neither waiting nor transfer, kind by kind. Of kernels that are not matched the groups say why. */
static void why_unknown(struct ts_cli *cli, const struct ts_trace_job *j)
{
	static const char *const words[TS_JOB_NO_RULES] = {"the traces do not name the root of", "clocks of ranks are not known for",
							   "no rule says who waits for whom in"};

	for (int k = 0; k < TS_COLLECTIVES; k++) {
		struct ts_job_kind all = kind_of_all(j, k);
		const char *text = "";

		for (int i = 0; i < TS_JOB_NO_RULES; i++)
			if (all.no_rule[i])
				text = listed(cli, text,
					      ts_arena_printf(&cli->arena, "%s %s of the matched kernels", words[i],
							      ts_trace_count(cli, all.no_rule[i])));
		if (all.kernels > all.matched)
			text = listed(cli, text,
				      ts_arena_printf(&cli->arena, "kernels that are not matched: %s",
						      ts_trace_count(cli, all.kernels - all.matched)));
		if (all.unknown_ns && all.matched > ts_job_without_rule(&all) && k > TS_COLLECTIVE_ALL_TO_ALL)
			text = listed(cli, text, "a rank that nobody waits for may wait or fill buffers until the last comes");
		if (*text && all.unknown_ns)
			ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
					or_empty(ts_arena_printf(&cli->arena, "Unknown of %s: %s.",
								 ts_collective_word((enum ts_collective)k), text)));
	}
}

static enum ts_status kinds(struct ts_cli *cli, const struct ts_trace_job *j, struct ts_error *err)
{
	struct ts_view view;

	ts_text_heading(cli, "Communication of all ranks (sums over kernels)");
	ts_view_of(&view, &ts_shape_job_kind, NULL, &cli->arena);
	for (int k = 0; k < TS_COLLECTIVES; k++) {
		struct ts_job_kind all = kind_of_all(j, k);

		if (all.kernels)
			ts_view_row(&view, &all);
	}
	if (ts_trace_print(cli, &view, err))
		return err->status;
	why_unknown(cli, j);
	return TS_OK;
}

/* --- stragglers --- */

static void stragglers(struct ts_cli *cli, const struct ts_trace_job *j)
{
	size_t n = 0;

	if (j->n_ranks < 2)
		return;
	ts_text_heading(cli, "Stragglers, by own time of steps");
	if (!j->n_steps) {
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, "No step is in the traces of all ranks, so nothing can be said.");
		return;
	}
	for (size_t i = 0; i < j->n_ranks; i++) {
		const struct ts_job_rank *r = &j->ranks[i];

		if (!r->straggler)
			continue;
		n++;
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				or_empty(ts_arena_printf(&cli->arena,
							 "rank %" PRId64 " is slow by %.1f %% (p = %.2g): %s of its own for a step",
							 r->rank, 100 * r->slowdown, r->p, ts_trace_ms(cli, r->own_ns))));
	}
	if (j->undecided)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				or_empty(ts_arena_printf(
					&cli->arena, "It cannot be decided whether %srank is slow: %s. It would take at least %s.",
					n ? "another " : "a ", j->undecided, ts_trace_plural(cli, j->steps_needed, "step"))));
	else if (!n)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				or_empty(ts_arena_printf(&cli->arena, "No rank is slow by more than chance, in %s.",
							 ts_trace_plural(cli, j->n_steps, "step"))));
}

enum ts_status ts_render_trace_job_text(struct ts_cli *cli, const struct ts_trace_job *j, struct ts_error *err)
{
	who(cli, j);
	recorded(cli, j);
	files(cli, j);
	if (!j->n_ranks) {
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0, "No trace says which rank it is of, so there is no job to speak of.");
		return ts_arena_check(&cli->arena, err);
	}
	ts_text_trace_job_verdict(cli, j);
	if (times(cli, j, err) || steps(cli, j, err) || clocks(cli, j, err))
		return err->status;
	if (j->n_collectives && (last(cli, j, err) || latest_rows(cli, j, err)))
		return err->status;
	if (j->n_groups && (groups(cli, j, err) || kinds(cli, j, err)))
		return err->status;
	stragglers(cli, j);
	return ts_arena_check(&cli->arena, err);
}
