/* json_show.c - docs/schemas/show.schema.json. */
#include "cli/json/json_show.h"

#include "cli/core/listing.h"
#include "cli/json/json_parts.h"
#include "proto/shape/shape_rows.h"

enum { MISSING_SHOWN = 64 };

struct show_answer {
	struct ts_get_reply run;
	struct ts_printed_all printed;
	bool has_printed;
	struct ts_machine_about machine;
	bool has_machine;
	bool is_copy;
	size_t n_listed; /* how many of the missing ranks are listed */
	size_t counts[TS_GROUPS];
};

#define TYPE struct ts_printed
static const struct ts_shape_field printed_rows[] = {
	{NULL, "name", BYTES(name, 0)},
	{NULL, "rank", I32(rank), ABOUT("-1: of the job")},
	{NULL, "size_bytes", U64(size)},
	{NULL, "text", BYTES(text, 0), ABOUT("in lines, without the sequences that colour or move a terminal")},
};
static const struct ts_shape printed_shape = {JSON_SHAPE("printed", printed_rows)};
#undef TYPE

#define TYPE struct ts_machine_sum
static bool is_known(const void *in)
{
	return ((const TYPE *)in)->n > 0;
}
static const struct ts_shape_field sum_rows[] = {
	{NULL, "name", STRING(name), ABOUT("its end says the unit; shares are of the time")},
	{NULL, "known_count", SIZE(n), ABOUT("observations in which it is known")},
	{NULL, "median", F64(median), WHEN(is_known)},
	{NULL, "mean", F64(mean), WHEN(is_known)},
	{NULL, "least", F64(least), WHEN(is_known)},
	{NULL, "most", F64(most), WHEN(is_known)},
	{NULL, "most_at_s", F64(most_at), WHEN(is_known), ABOUT("since the run began")},
};
static const struct ts_shape sum_shape = {JSON_SHAPE("machine_column", sum_rows)};
#undef TYPE

#define TYPE struct ts_machine_about
static const struct ts_shape_field about_rows[] = {
	{NULL, "rank", I32(rank), ABOUT("-1: of the job")},
	{NULL, "observation_count", SIZE(rows)},
	{NULL, "seconds_s", F64(seconds), ABOUT("of the last observation, since the run began")},
	{NULL, "columns", MANY(sums, n, sum_shape, 0)},
};
static const struct ts_shape about_shape = {JSON_SHAPE("machine", about_rows)};
#undef TYPE

#define TYPE struct show_answer
static void json_counts(struct ts_shape_writer *w, const void *in)
{
	const TYPE *answer = in;

	ts_json_object(w->json);
	for (int g = 0; g < TS_GROUPS; g++)
		ts_json_count(w->json, ts_group_name((enum ts_group)g), answer->counts[g]);
	ts_json_end(w->json);
}

static const struct ts_shape_own counts_own = {
	.json = json_counts,
	.schema = "{\"type\": \"object\", \"propertyNames\": {\"$ref\": \"#/$defs/group\"},"
		  " \"additionalProperties\": {\"$ref\": \"#/$defs/count\"}}",
};
static const struct ts_shape counts_shape = {OWN_JSON("fact_counts", counts_own)};

static const struct ts_shape_field show_rows[] = {
	{NULL, "run", ONE(run.run, ts_shape_run)},
	{NULL, "ending", ONE(run.ending, ts_shape_ending), HAS(run.ending.told)},
	{NULL, "recorded_events", ONE(run.happenings, ts_shape_happenings), HAS(run.has_happenings), OR_NULL},
	{NULL, "names", MANY(run.names, run.n_names, ts_shape_ref, 0)},
	{NULL, "notes", MANY(run.notes, run.n_notes, ts_shape_note, 0)},
	{NULL, "lineage", ONE(run.lineage, ts_shape_lineage), HAS(run.lineage.named)},
	{NULL, "fact_counts", HERE(counts_shape)},
	{NULL, "series", MANY(run.columns, run.n_columns, ts_shape_column, 0)},
	{NULL, "files", MANY(run.files, run.n_files, ts_shape_file, 0)},
	{NULL, "output", MANY(printed.items, printed.n, printed_shape, 0), HAS(has_printed), ABOUT("with --output")},
	{NULL, "machine", ONE(machine, about_shape), HAS(has_machine), ABOUT("with --machine")},
	{NULL, "missing_ranks", LIST(I32, run.missing_ranks, n_listed, 0)},
	{NULL, "missing_rank_count", SIZE(run.n_missing)},
	{NULL, "copy_of", BYTES(run.copy.of, 0), HAS(is_copy), ABOUT("the store of which the one that was asked is a read-only copy")},
};
const struct ts_shape ts_shape_show_answer = {JSON_SHAPE("show", show_rows)};
#undef TYPE

enum ts_status ts_render_show_json(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_head *head,
				   const struct ts_printed_all *printed, const struct ts_machine_about *machine,
				   struct ts_error *err)
{
	struct show_answer answer = {.run = *run, .n_listed = run->n_missing < MISSING_SHOWN ? run->n_missing : MISSING_SHOWN};

	answer.is_copy = run->copy.of.len > 0;
	if (printed) {
		answer.printed = *printed;
		answer.has_printed = true;
	}
	if (machine) {
		answer.machine = *machine;
		answer.has_machine = true;
	}
	ts_facts_by_group(&head->facts, answer.counts);
	return ts_json_answer(cli, &ts_shape_show_answer, &answer, err);
}
