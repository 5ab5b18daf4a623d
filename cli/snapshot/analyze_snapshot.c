#include "cli/snapshot/analyze_snapshot.h"

#include "analysis/rules/rule.h"
#include "analysis/snapshot/memory_moment.h"
#include "analysis/snapshot/memory_rows.h"
#include "base/below.h"
#include "base/number.h"
#include "cli/core/ask.h"
#include "cli/core/path_run.h"
#include "cli/core/policy_file.h"
#include "cli/json/json_parts.h"
#include "cli/report/render_report.h"
#include "cli/snapshot/report_memory.h"
#include "cli/snapshot/report_moment.h"
#include "cli/snapshot/report_scaling.h"
#include "ingest/snapshot/snapshot_read.h"

bool ts_is_snapshot(const char *word)
{
	if (!word || !ts_is_path(word))
		return false;
	return ts_snapshot_sniff(word) || (ts_snapshot_named(word) && ts_below_kind(word, word) == TS_FILE_REGULAR);
}

/* A size, or the name of a device whose memory is known; without the option what the run's facts say, if it is of a run. */
static enum ts_status device_memory(const struct ts_cli *cli, const struct ts_device_capacity *facts,
				    struct ts_device_capacity *ret_capacity, struct ts_error *err)
{
	uint64_t bytes = 0;

	if (ts_capacity_option(&cli->args, &bytes, err))
		return err->status;
	*ret_capacity = ts_args_has(&cli->args, "device-memory") ? (struct ts_device_capacity){bytes, NULL, facts->setup} : *facts;
	return TS_OK;
}

/* The device that --device names, else the main one; NULL if the snapshot has none. */
static enum ts_status choose_device(const struct ts_cli *cli, const struct ts_memory_answer *answer,
				    const struct ts_memory_device **ret_device, struct ts_error *err)
{
	uint64_t number = 0;
	bool given;

	*ret_device = ts_memory_main(answer);
	if (ts_args_uint(&cli->args, "device", UINT16_MAX, &given, &number, err))
		return err->status;
	if (!given)
		return TS_OK;
	for (size_t i = 0; i < answer->n; i++) {
		*ret_device = &answer->devices[i];
		if (answer->devices[i].device == number)
			return TS_OK;
	}
	return ts_error_set(err, TS_NOT_FOUND, "--device %" PRIu64 ": the snapshot has no segments or events of it", number);
}

/* The event that --at names. */
static enum ts_status choose_event(const char *word, const struct ts_memory_device *d, uint32_t *ret_event, struct ts_error *err)
{
	const struct ts_replay *r = d->replay;
	uint64_t event;

	if (strcmp(word, "start") == 0)
		*ret_event = TS_REPLAY_BEFORE;
	else if (strcmp(word, "peak") == 0)
		*ret_event = r->peak_event;
	else if (strcmp(word, "end") == 0)
		*ret_event = r->n_events ? r->n_events - 1 : TS_REPLAY_BEFORE;
	else if (strcmp(word, "oom") == 0 && d->n_refused)
		*ret_event = (uint32_t)d->refused[0].event;
	else if (strcmp(word, "oom") == 0)
		return ts_error_set(err, TS_NOT_FOUND, "--at oom: no request was refused on device %" PRIu64, d->device);
	else if (ts_parse_u64(ts_span_str(word), &event) && event < r->n_events)
		*ret_event = (uint32_t)event;
	else if (ts_parse_u64(ts_span_str(word), &event))
		return r->n_events ? ts_error_set(err, TS_NOT_FOUND, "--at %s: device %" PRIu64 " has the events 0 to %u", word,
						  d->device, r->n_events - 1)
				   : ts_error_set(err, TS_NOT_FOUND, "--at %s: device %" PRIu64 " has no events", word, d->device);
	else
		return ts_error_set(err, TS_INVALID, "--at %s: it takes the number of an event, start, peak, end or oom", word);
	return TS_OK;
}

static enum ts_status show_moment(struct ts_cli *cli, const char *word, const struct ts_memory_device *d, const char *name,
				  struct ts_error *err)
{
	uint32_t event = 0;
	struct ts_moment moment;
	struct ts_report report;

	if (!d)
		return ts_error_set(err, TS_NOT_FOUND, "--at %s: the snapshot has neither segments nor events", word);
	if (choose_event(word, d, &event, err) || ts_moment_of(&d->memory, event, &cli->arena, &moment, err))
		return err->status;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_moment, &moment, err);
	if (ts_report_of_moment(d, &moment, name, &cli->arena, &report, err))
		return err->status;
	return ts_render_report_text(cli, &report, err);
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static enum ts_status append(const struct ts_measures *setup, struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err)
{
	for (size_t i = 0; i < setup->n; i++)
		if (!ts_measure_put(io_rows, arena, &setup->items[i]))
			return ts_arena_error(arena, err);
	return TS_OK;
}

/* Asks the rules of each device, and what to try; of the one that is shown with what would fit. */
static enum ts_status judge(struct ts_cli *cli, struct ts_memory_answer *answer, const struct ts_memory_device *shown,
			    const struct ts_measures *setup, struct ts_findings *io_worst, struct ts_error *err)
{
	struct ts_policy policy;

	if (ts_policy_file(cli, &policy, err))
		return err->status;
	for (size_t i = 0; i < answer->n; i++) {
		struct ts_memory_device *d = &answer->devices[i];
		struct ts_measures rows = {0};

		if (ts_memory_rows(d, &cli->arena, &rows, err) ||
		    ts_findings_of_snapshot(&rows, &policy, &cli->arena, &d->findings, err))
			return err->status;
		if ((d == shown && answer->scaling && ts_memory_rows_fit(answer->scaling, &cli->arena, &rows, err)) ||
		    append(setup, &cli->arena, &rows, err) || ts_memory_advise(&rows, &cli->arena, &d->advice, err))
			return err->status;
		if (d->findings.n && (!io_worst->n || d->findings.items[0].severity > io_worst->items[0].severity))
			*io_worst = d->findings;
	}
	return TS_OK;
}

/* --- what would fit --- */

/* "batch=8,16" or "length=512,1024": the sizes of the word's snapshot and of those of --with, in their order. */
static enum ts_status scale(const char *word, bool *ret_lengths, double sizes[TS_SCALING_MOST], size_t *ret_n, struct ts_error *err)
{
	const char *list = strchr(word, '=');
	struct ts_span of = ts_span_of(word, list ? (size_t)(list - word) : 0), rest = ts_span_str(list ? list + 1 : "");
	size_t n = 0;

	if (!ts_span_is(of, "batch") && !ts_span_is(of, "length"))
		return ts_error_set(err, TS_INVALID, "--scale %s: it takes batch=N,N,... or length=N,N,...", word);
	while (rest.len && n < TS_SCALING_MOST) {
		const uint8_t *comma = memchr(rest.data, ',', rest.len);
		struct ts_span one = ts_span_part(rest, 0, comma ? (size_t)(comma - rest.data) : rest.len);

		if (!ts_parse_double(one, &sizes[n]) || !isfinite(sizes[n]) || sizes[n] <= 0)
			return ts_error_set(err, TS_INVALID, "--scale %s: each size is a number above 0", word);
		n++;
		rest = comma ? ts_span_from(rest, one.len + 1) : ts_span_of(NULL, 0);
	}
	*ret_lengths = ts_span_is(of, "length");
	*ret_n = n;
	return TS_OK;
}

/* The same device of another snapshot. */
static enum ts_status add_other(struct ts_cli *cli, const char *path, double size, struct ts_scaling *io, struct ts_error *err)
{
	struct ts_snapshot *snapshot = ts_arena_array(&cli->arena, 1, sizeof *snapshot);
	struct ts_memory_answer answer;
	const struct ts_memory_device *device;

	if (!snapshot)
		return ts_arena_error(&cli->arena, err);
	if (ts_snapshot_load(path, &cli->arena, snapshot, err) || ts_memory_of(snapshot, 0, &cli->arena, &answer, err) ||
	    choose_device(cli, &answer, &device, err))
		return err->status;
	return device ? ts_scaling_add(io, size, device, err) : ts_error_set(err, TS_INVALID, "%s has no device", path);
}

static enum ts_status would_fit(struct ts_cli *cli, const struct ts_memory_device *device, uint64_t capacity,
				const struct ts_scaling **ret_scaling, struct ts_error *err)
{
	const char *word = ts_args_text(&cli->args, "scale");
	struct ts_scaling *s = ts_arena_array(&cli->arena, 1, sizeof *s);
	double sizes[TS_SCALING_MOST];
	size_t n = 0, given = 1;

	if (!word && !ts_args_has(&cli->args, "with"))
		return TS_OK;
	if (!word)
		return ts_error_set(err, TS_INVALID, "--with needs --scale, which says the sizes of the snapshots: --scale batch=8,16");
	if (!s || !(s->points = ts_arena_array(&cli->arena, TS_SCALING_MOST, sizeof *s->points)))
		return ts_arena_error(&cli->arena, err);
	if (scale(word, &s->lengths, sizes, &n, err))
		return err->status;
	while (ts_args_nth(&cli->args, "with", given - 1))
		given++;
	if (n != given || !device)
		return ts_error_set(err, TS_INVALID, "--scale %s has %zu size%s for %zu snapshot%s (the first, and those of --with)",
				    word, n, n == 1 ? "" : "s", given, given == 1 ? "" : "s");
	if (ts_scaling_add(s, sizes[0], device, err))
		return err->status;
	for (size_t i = 1; i < n; i++)
		if (add_other(cli, ts_args_nth(&cli->args, "with", i - 1), sizes[i], s, err))
			return err->status;
	if (ts_scaling_fit(s, capacity, err))
		return err->status;
	*ret_scaling = s;
	return TS_OK;
}

static enum ts_status write_page(struct ts_cli *cli, const struct ts_memory_answer *answer, const struct ts_memory_device *device,
				 const char *path, bool *ret_answered, struct ts_error *err)
{
	struct ts_report report;

	if (!ts_args_has(&cli->args, "html"))
		return TS_OK;
	if (ts_check_page_option(cli, "at", err) || ts_report_of_memory(answer, device, name_of(path), true, &cli->arena, &report, err))
		return err->status;
	return ts_render_report_page(cli, &report, ret_answered, err);
}

static enum ts_status show_report(struct ts_cli *cli, const struct ts_memory_answer *answer, const struct ts_memory_device *device,
				  const char *path, struct ts_error *err)
{
	struct ts_report report;

	if (ts_report_of_memory(answer, device, name_of(path), false, &cli->arena, &report, err))
		return err->status;
	return ts_render_report_text(cli, &report, err);
}

/* facts: what the run says of the capacity. */
static enum ts_status answer(struct ts_cli *cli, const struct ts_snapshot *snapshot, const struct ts_device_capacity *facts,
			     const char *path, const char *at, struct ts_findings *io_worst, struct ts_error *err)
{
	const struct ts_memory_device *device;
	struct ts_memory_answer answer;
	bool answered = false;
	struct ts_device_capacity capacity = {0};

	if (device_memory(cli, facts, &capacity, err) || ts_memory_of(snapshot, capacity.bytes, &cli->arena, &answer, err) ||
	    choose_device(cli, &answer, &device, err))
		return err->status;
	for (size_t i = 0; i < answer.n; i++)
		answer.devices[i].capacity_source = capacity.source;
	if (would_fit(cli, device, capacity.bytes, &answer.scaling, err) || judge(cli, &answer, device, &capacity.setup, io_worst, err))
		return err->status;
	if (at && ts_args_has(&cli->args, "html"))
		return ts_error_set(err, TS_INVALID, "--html is for the whole snapshot, and --at for one moment as text");
	if (at)
		return show_moment(cli, at, device, name_of(path), err);
	if (write_page(cli, &answer, device, path, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_memory, &answer, err);
	return show_report(cli, &answer, device, path, err);
}

static enum ts_status load_and_answer(struct ts_cli *cli, const char *verb, const char *path, const char *at,
				      struct ts_findings *io_worst, struct ts_error *err)
{
	struct ts_device_capacity facts;
	struct ts_snapshot snapshot;

	if (ts_snapshot_load(path, &cli->arena, &snapshot, err) || ts_capacity_around(cli, path, &facts, err))
		return err->status;
	return answer(cli, &snapshot, &facts, path, at, io_worst, err) ? ts_error_prefix(err, "%s", verb) : TS_OK;
}

enum ts_status ts_analyze_snapshot(struct ts_cli *cli, const char *path, struct ts_findings *ret_findings, struct ts_error *err)
{
	struct ts_findings worst = {0};

	if (load_and_answer(cli, "analyze", path, ts_args_text(&cli->args, "at"), &worst, err))
		return err->status;
	*ret_findings = worst;
	return TS_OK;
}

/* --- a snapshot of a run --- */

static enum ts_status answer_stored(struct ts_cli *cli, const char *verb, const struct ts_get_reply *run,
				    const struct ts_snapshot_choice *choice, const char *at, struct ts_findings *io_worst,
				    struct ts_error *err)
{
	struct ts_stored_snapshot stored;

	if (ts_stored_snapshot(cli, run, choice, &stored, err))
		return ts_error_prefix(err, "%s", verb);
	return answer(cli, &stored.snapshot, &stored.capacity, stored.name, at, io_worst, err) ? ts_error_prefix(err, "%s", verb)
											       : TS_OK;
}

enum ts_status ts_analyze_stored_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
					  struct ts_findings *ret_findings, struct ts_error *err)
{
	struct ts_findings worst = {0};

	if (answer_stored(cli, "analyze", run, choice, ts_args_text(&cli->args, "at"), &worst, err))
		return err->status;
	*ret_findings = worst;
	return TS_OK;
}

enum ts_status ts_show_stored_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
				       struct ts_error *err)
{
	const char *at = ts_args_text(&cli->args, "at");
	struct ts_findings worst = {0};

	return answer_stored(cli, "show", run, choice, at ? at : "end", &worst, err);
}

enum ts_status ts_show_snapshot(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	const char *at = ts_args_text(&cli->args, "at");
	struct ts_findings worst = {0};

	return load_and_answer(cli, "show", path, at ? at : "end", &worst, err);
}
