/* render.h - results to text and to JSON: one renderer a result and format, and the pieces that they share.
 *
 * Text goes through grids that fit the terminal; every foreign byte is escaped. JSON keys carry units; what is not known
 * is null; a run is shown by its id and the name it gives itself, never by how it was named on the command line.
 * docs/schemas has a JSON Schema for each.
 */
#ifndef TSCOPE_CLI_RENDER_H
#define TSCOPE_CLI_RENDER_H

#include "cli/context.h"
#include "cli/report.h"
#include "proto/wire.h"
#include "run/head.h"

/* Pieces of JSON. */
void ts_json_id(struct ts_json *j, const char *key, const struct ts_id *id);
void ts_json_text(struct ts_json *j, const char *key, struct ts_span text); /* empty is null */
void ts_json_time(struct ts_json *j, const char *key, int64_t real_ns);	    /* 0 is null */
void ts_json_count(struct ts_json *j, const char *key, uint64_t n);
/* Null where it is not known. */
void ts_json_known_count(struct ts_json *j, const char *key, bool known, uint64_t n);
void ts_json_known_step(struct ts_json *j, const char *key, bool known, int64_t step);
void ts_json_known_real(struct ts_json *j, const char *key, bool known, double value); /* NaN is not known */
void ts_json_run(struct ts_json *j, const char *key, const struct ts_run_ref *run);
void ts_json_bare_run(struct ts_json *j, const struct ts_run_ref *run);
void ts_json_fact(struct ts_json *j, const struct ts_fact *fact); /* {"type":, "value":}; NULL and ABSENT are null */
void ts_json_bare_fact(struct ts_json *j, const struct ts_fact *fact); /* the value alone */
void ts_json_cell_value(struct ts_json *j, const struct ts_value *value);
void ts_json_ranks(struct ts_json *j, const char *key, const int32_t *ranks, size_t n);
void ts_json_ref(struct ts_json *j, const struct ts_ref *ref);
void ts_json_notes(struct ts_json *j, const char *key, const struct ts_note *notes, size_t n);
/* Rows as an object of groups of subjects, with their units in their names; those not known are null, and ts_json_unknown says why. */
enum ts_status ts_json_measures(struct ts_json *j, const char *key, const struct ts_measures *m, struct ts_arena *arena,
				struct ts_error *err);
void ts_json_unknown(struct ts_json *j, const char *key, const struct ts_measures *m);
void ts_json_plots(struct ts_json *j, const struct ts_plots *plots);
void ts_json_gap(struct ts_json *j, const char *key, const struct ts_gap *gap); /* one not known is null */
enum ts_status ts_json_diagnosis(struct ts_json *j, const struct ts_diagnosis *d, struct ts_arena *arena, struct ts_error *err);
void ts_json_ops(struct ts_json *j, const struct ts_op_diff *ops);

/* Pieces of text. */
/* "name  value" with name padded to 9 columns; value foreign. */
void ts_text_field(struct ts_cli *cli, const char *name, const char *value);
void ts_text_heading(struct ts_cli *cli, const char *heading);
/* Foreign text wrapped to the terminal, each line in the style: a pager ends one with its line. */
void ts_text_wrapped(struct ts_cli *cli, enum ts_style style, int indent, const char *text);
/* "exp1  4f0c2a9d13b7  10,000 steps (0 to 9999), 1 rank" */
const char *ts_show_run(const struct ts_run_ref *run, struct ts_arena *arena);

struct ts_diff_view {
	bool first; /* only the first step at which they part */
	bool all;
};
/* "80<tab>loss<tab>0": first step, series (without one the operation), rank of what decides; dashes where nothing does. */
enum ts_status ts_render_diff_first(struct ts_cli *cli, const struct ts_diff *diff, struct ts_error *err);
/* The row that decides: the first that parts and is no observation. NULL without one. */
const struct ts_series_row *ts_diff_first(const struct ts_diff *diff);
struct ts_reproduce; /* NULL where it was not asked for */
enum ts_status ts_render_diff_json(struct ts_cli *cli, const struct ts_diff *diff, struct ts_diff_view view,
				   const struct ts_reproduce *how, struct ts_error *err);

enum ts_status ts_render_resume_text(struct ts_cli *cli, const struct ts_resume *r, struct ts_error *err);
enum ts_status ts_render_resume_json(struct ts_cli *cli, const struct ts_resume *r, struct ts_error *err);
/* What is shared with the parent; NULL when the arena is full. */
const char *ts_show_lineage(const struct ts_lineage *l, struct ts_arena *arena);
void ts_json_lineage(struct ts_json *j, const char *key, const struct ts_lineage *l);

void ts_json_repeats(struct ts_json *j, const struct ts_repeats *repeats); /* null if none were asked for */
/* runs, groups and pairs. */
void ts_json_matrix_parts(struct ts_json *j, const struct ts_diff_matrix *m, const size_t *groups, size_t n_groups);
/* A verdict: text, and docs/schemas/gate.schema.json, which holds the record that --replay reads. */
enum ts_status ts_render_gate_text(struct ts_cli *cli, const struct ts_verdict *v, struct ts_error *err);
enum ts_status ts_render_gate_json(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);
/* Which runs a candidate would be held against: text, and docs/schemas/baseline.schema.json, which is a bundle. */
enum ts_status ts_render_baseline_text(struct ts_cli *cli, const struct ts_gate_input *in, struct ts_error *err);
enum ts_status ts_render_baseline_json(const struct ts_gate_input *in, struct ts_arena *arena, struct ts_buf *out,
				       struct ts_error *err);
/* Where the level of a metric of a branch changed, as docs/schemas/trend.schema.json; for people it is a report (report.h). */
void ts_render_trend_json(struct ts_cli *cli, const struct ts_trend *trend);
/* Of three runs or more; all: no list of names is cut. */
enum ts_status ts_render_matrix_text(struct ts_cli *cli, const struct ts_diff_matrix *m, bool all, struct ts_error *err);
enum ts_status ts_render_matrix_json(struct ts_cli *cli, const struct ts_diff_matrix *m, struct ts_error *err);

/* The report: panels of bars and sparklines (report.h), a page that is appended to out, every row as it is, and JSON. */
enum ts_status ts_render_report_text(struct ts_cli *cli, const struct ts_report *r, struct ts_error *err);
enum ts_status ts_render_report_html(const struct ts_report *r, struct ts_buf *out, struct ts_error *err);
/* The page that --html asks for, as a file in place of what was there, or on stdout, where it is the whole answer. It comes before
 * anything else reaches stdout: where it cannot be written, there is no answer. */
enum ts_status ts_render_report_page(struct ts_cli *cli, const struct ts_report *r, bool *ret_answered, struct ts_error *err);
/* --html names a file, or stdout if neither --json nor the option other wants it. */
enum ts_status ts_check_page_option(const struct ts_cli *cli, const char *other, struct ts_error *err);
enum ts_status ts_render_rows_text(struct ts_cli *cli, const struct ts_analysis *a, struct ts_error *err);
enum ts_status ts_render_analysis_json(struct ts_cli *cli, const struct ts_analysis *a, struct ts_error *err);

/* Pages that were asked for, joined. */
struct ts_listing {
	const struct ts_list_row *rows;
	size_t n;
	struct ts_span *columns; /* as asked for; cells are in this order */
	size_t n_columns;
	struct ts_span next_token;
	uint64_t examined;
	struct ts_span project; /* empty = all */
	enum ts_ref_kind kind;
	bool filtered;
};
/* Asks for pages until there are limit rows, then renders. request lacks columns and page_size. */
enum ts_status ts_list_refs(struct ts_cli *cli, struct ts_list_request *request, const char *columns, uint64_t limit,
			    struct ts_error *err);
enum ts_status ts_render_list_text(struct ts_cli *cli, const struct ts_listing *list, struct ts_error *err);
void ts_render_list_json(struct ts_cli *cli, const struct ts_listing *list);

enum ts_status ts_render_show_text(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_head *head,
				   struct ts_error *err);
void ts_render_show_json(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_head *head);

/* Facts of the head, and those that single ranks say otherwise. */
struct ts_rank_facts {
	int32_t rank; /* TS_RANK_JOB for the head's */
	struct ts_facts facts;
};
struct ts_fact_listing {
	const struct ts_run_ref *run;
	const struct ts_rank_facts *ranks;
	size_t n_ranks;
	struct ts_span glob; /* empty = all */
};
enum ts_status ts_render_facts_text(struct ts_cli *cli, const struct ts_fact_listing *list, struct ts_error *err);
void ts_render_facts_json(struct ts_cli *cli, const struct ts_fact_listing *list);

#endif
