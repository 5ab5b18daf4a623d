/* wire.h - the requests and replies of tscope.v1 as plain structs, and functions that serialize and parse them.
 *
 * proto/wire*.c are the only translation units that see generated types. pack appends to a buffer; unpack parses bytes from an
 * untrusted peer into the arena (protobuf-c allocates from it, under its ceiling), checks every limit, length and enum, and
 * returns TS_INVALID with the field's name. Text fields must be valid UTF-8 without NUL. Data of a run (paths and text of
 * facts, cells, names of columns and files) may be any bytes. Spans lie in the arena, except that those of put_request and
 * objects_reply point into `in`, which must outlive them; so push does not copy objects needlessly. docs/protocol.md specifies
 * each method; proto/tscope/v1/tscope.proto each field with its unit and limit, and says what an absent field means.
 */
#ifndef TSCOPE_PROTO_WIRE_H
#define TSCOPE_PROTO_WIRE_H

#include "analysis/analysis.h"
#include "analysis/answer/chart.h"
#include "analysis/diverge/matrix.h"
#include "analysis/diverge/resume.h"
#include "analysis/gate/trend.h"
#include "analysis/policy.h"
#include "analysis/retention/retention_plan.h"
#include "store/engine.h"

/* Of which store the one that answers is a read-only copy, as a server that follows another one has it, and a mirror. */
struct ts_copy {
	struct ts_span of; /* for people; empty: it is none */
	int64_t held_ns;   /* when it last was that one; 0: not yet */
};

/* ServerInfo: {} -> */
struct ts_info_reply {
	struct ts_span version;
	uint32_t format_version;
	struct ts_span store; /* where it keeps runs, as a text for people */
	int64_t started_ns;
	bool read_only;
	struct ts_store_stats stats;
	struct ts_span who; /* what the caller counts as */
	struct ts_span may; /* "read *, push speed" */
	int64_t token_expires_ns; /* of the caller's token; 0 = none, or never */
	struct ts_copy copy;
	struct ts_span capabilities; /* names with blanks between them (capability.h); empty: a server of 0.1.0 */
};

/* MakeToken, RevokeToken and ListTokens, whose request has no fields; all reply with tokens. */
struct ts_make_token_request {
	struct ts_span name, role, projects;
	uint64_t lifetime_s; /* 0 = it never expires */
};
struct ts_revoke_token_request {
	struct ts_span token; /* name or id */
};
struct ts_token_info {
	struct ts_span id, name, role, projects, maker;
	int64_t made_ns;
	int64_t expires_ns; /* 0 = never */
};
struct ts_tokens_reply {
	struct ts_token_info *tokens;
	size_t n;
	struct ts_span secret; /* of the one that was made */
};

/* GetUsage, whose request has no fields. */
struct ts_project_usage {
	struct ts_span project;
	uint64_t sealed_bytes, raw_bytes, names, notes;
	uint64_t sealed_limit, raw_limit, names_limit, notes_limit, rows_limit;
	bool has_sealed_limit, has_raw_limit, has_names_limit, has_notes_limit, has_rows_limit;
};
struct ts_sender_usage {
	struct ts_span sender;
	bool own; /* the caller */
	uint64_t unnamed_bytes;
	uint64_t unnamed_limit;
	bool has_unnamed_limit;
};
struct ts_usage_reply {
	struct ts_project_usage *projects;
	size_t n_projects;
	struct ts_sender_usage *senders;
	size_t n_senders;
	bool uncounted; /* there may be more */
};

/* HasObjects: which of these are missing? The present ones are leased. */
struct ts_has_request {
	struct ts_id *ids;
	size_t n;
};
/* GetObjects */
struct ts_objects_request {
	struct ts_id *ids;
	size_t n;
	struct ts_id *heads; /* runs that reach them; a server asks for them when the caller may not read all projects */
	size_t n_heads;
	uint32_t codecs; /* that the caller opens, up to this one; 0: TS_SEALED_CODECS_FIRST */
};
struct ts_has_reply {
	struct ts_id *missing;
	size_t n;
};

/* PutObjects: the client sends a stream of these, and the server answers with one ts_put_stats. */
struct ts_put_request {
	struct ts_sealed *objects;
	size_t n;
};

/* CommitRun: a name shall point at a head. The head and all objects that it reaches must be stored. */
struct ts_commit_request {
	struct ts_span name; /* "project/run" */
	struct ts_id head;
	enum ts_expect expect; /* ANY: the ordinary rule: the name is new or equal, or the new run extends the old one */
	struct ts_id expected;
	bool force; /* move the name, whatever it points at */
	bool join; /* this head has some ranks of a run: collect ranks until the world is complete */
	bool expose; /* with join: show the run now, even if ranks are missing */
	struct ts_span branch; /* a branch that also gets this head, "project/branch"; empty = none */
	struct ts_span state; /* "running", "finished", "crashed", "killed", "hung", "unknown" */
	bool state_said;      /* a person chose it; else what the run itself records of its end counts before it */
	struct ts_span message;
};
enum ts_commit_outcome {
	TS_COMMIT_CREATED = 1,
	TS_COMMIT_UNCHANGED = 2, /* the name pointed at this head already */
	TS_COMMIT_EXTENDED = 3, /* the new run continues the old one */
	TS_COMMIT_FORCED = 4,
	TS_COMMIT_STAGED = 5, /* with join: ranks are still missing, and no name points at the run yet */
};
struct ts_commit_reply {
	enum ts_commit_outcome outcome;
	struct ts_id id; /* the head that the name points at, or the staged head */
	bool had_previous;
	struct ts_id previous;
	uint64_t seq;
	int32_t *missing_ranks; /* with STAGED: the first 64 missing ranks */
	uint64_t n_missing; /* number of all missing ranks */
	struct ts_run_ref run; /* describes the run of id; a joined run includes the ranks that were there before */
};

/* UpdateRef: sets or removes a name, a tag or a branch. */
struct ts_ref_request {
	enum ts_ref_kind kind;
	struct ts_span name;
	bool remove;
	struct ts_span target; /* a run spec (resolve.h); empty with remove */
	bool force; /* also move a tag that exists, or a name that points elsewhere */
	enum ts_expect expect;
	struct ts_id expected;
	struct ts_span message;
};
struct ts_ref_reply {
	struct ts_ref ref; /* the ref as it is now, or as it was before it was removed */
	bool had_previous;
	struct ts_id previous;
};

/* ListRemoved */
struct ts_removed_ref {
	struct ts_removed_name was;
	int64_t expires_ns;
};
struct ts_removed_request {
	struct ts_span prefix;
	uint32_t limit; /* 0: TS_REMOVED_MAX */
};
struct ts_removed_reply {
	struct ts_removed_ref *removed;
	size_t n;
	bool more;
};
enum { TS_REMOVED_MAX = 1000 };

/* RestoreRef */
struct ts_restore_request {
	enum ts_ref_kind kind;
	struct ts_span name, as;
};
struct ts_restore_reply {
	struct ts_ref ref;
	uint64_t entries; /* that came back into the log of this branch; 0: the name came back */
};

/* FindNames: what words stand for (service/handlers/core/resolve.h). */
enum { TS_FIND_WORDS_MAX = 256 };
struct ts_find_request {
	struct ts_span project; /* in which the words were typed */
	struct ts_span *words;
	size_t n;
};
enum ts_found_by {
	TS_FOUND_NOTHING,
	TS_FOUND_NAME,	  /* a name, exactly */
	TS_FOUND_ID,	  /* one id that begins so */
	TS_FOUND_END,	  /* one name that ends so */
	TS_FOUND_SEVERAL, /* more than one id or name */
	TS_FOUND_NO_WORD, /* no name can be written so */
};
struct ts_found_name {
	enum ts_found_by found;
	bool has_id; /* with NAME, ID and END; with SEVERAL if all are names of one run */
	struct ts_id id;
	enum ts_ref_kind kind; /* with NAME and END */
	struct ts_span name;   /* "project/name", with NAME and END */
	struct ts_span why;    /* with NOTHING, SEVERAL and NO_WORD, for people; with NAME, which other name may be meant */
	bool has_project;      /* the word is PROJECT/REST, and there are names in that project, or the server is configured for it */
};
struct ts_find_reply {
	struct ts_found_name *names; /* one for each word */
	size_t n;
};

/* RefLog */
struct ts_log_request {
	struct ts_span spec; /* spec of a run name, tag or branch */
	uint32_t limit; /* 0 = all */
	bool notes;	/* the notes of a run's name, too */
};
struct ts_log_reply {
	enum ts_ref_kind kind;
	struct ts_span name;
	struct ts_log_entry *entries;
	size_t n;
	struct ts_pruned pruned; /* without the owner */
	struct ts_note *notes;	 /* what they were, newest first, without their standing; one that was removed then has no value */
	size_t n_notes;
};

/* SetNote */
struct ts_note_request {
	struct ts_span name; /* spec of a run name */
	struct ts_span key;
	struct ts_span value; /* empty = remove */
};

/* ListRuns. filter.h has the grammar of filters; columns and sort keys are fact paths or name, id, steps, ranks, started, pushed,
 * state, project, first_step, last_step. */
struct ts_list_request {
	struct ts_span project; /* empty = all */
	enum ts_ref_kind kind;
	struct ts_span filter; /* empty = all */
	struct ts_span *columns;
	size_t n_columns;
	struct ts_span sort; /* a column, "-started" = descending; empty = the newest push first */
	uint32_t page_size; /* 1..TS_PAGE_MAX; 0 = 50 */
	struct ts_span page_token;
};
struct ts_list_cell {
	bool known;
	struct ts_fact value; /* its path is empty; its type is BOOL, INT, FLOAT, TEXT or NUMBER */
};
struct ts_list_row {
	struct ts_span name; /* "project/run" */
	struct ts_id id;
	int64_t pushed_ns;
	struct ts_list_cell *cells; /* one per requested column */
	size_t n_cells;
};
struct ts_list_reply {
	struct ts_list_row *rows;
	size_t n;
	struct ts_span next_token; /* empty = this is the last page */
	uint64_t examined; /* runs examined to fill this page */
	struct ts_span *unrecorded; /* facts, notes and metrics of the request that none of these runs records, if any was examined */
	size_t n_unrecorded;
	uint64_t unscored; /* of these runs, those with metrics that were asked for and never made */
	struct ts_copy copy;
};

/* GetRun: the first request of the verbs show, facts and export. */
struct ts_get_request {
	struct ts_span spec;
	bool metrics; /* of the columns, too */
};
/* What a column of numbers came to: run/score.h. */
struct ts_column_metric {
	uint64_t count, nonfinite;
	bool has_values; /* count is not 0 */
	double last, min, max;
	int64_t last_step, min_step, max_step;
	bool has_mean; /* and the sum is a double */
	double mean;
	bool has_best; /* and it is known which value is the best */
	double best;
	int64_t best_step;
};
struct ts_column_info {
	struct ts_span name;
	enum ts_column_type type;
	enum ts_role role;
	enum ts_precision precision;
	uint32_t digits;
	enum ts_table_kind table;
	int32_t rank; /* the lowest rank that has the column */
	uint32_t ranks; /* how many ranks have it */
	uint64_t rows; /* rows of the lowest rank */
	int64_t first_key, last_key;
	uint64_t rows_all; /* sum over all ranks */
	bool has_metric; /* it was asked for, and the column is one of numbers at steps */
	struct ts_column_metric metric; /* of the lowest rank */
};
struct ts_file_info {
	int32_t rank;
	struct ts_span name;
	uint64_t size;
	bool has_columns;
	struct ts_id columns; /* as ts_file (run/index.h) has them */
};
struct ts_get_reply {
	struct ts_run_ref run;
	bool by_ref; /* spec named a ref */
	struct ts_ref ref;
	struct ts_span head; /* the head object's bytes (run/head.h decodes them) */
	struct ts_note *notes; /* notes of the run name, if spec named one */
	size_t n_notes;
	struct ts_column_info *columns;
	size_t n_columns;
	struct ts_file_info *files;
	size_t n_files;
	int32_t *missing_ranks;
	size_t n_missing;
	struct ts_ref *names; /* run names, tags and branches that point at the run, at most 64 */
	size_t n_names;
	struct ts_lineage lineage; /* the parent, if the fact lineage.parent names one */
	struct ts_ending ending;
	bool has_happenings; /* metrics were asked for */
	struct ts_happenings happenings;
	struct ts_copy copy;
};

/* GetObjects: the client sends ids, and the server a stream of sealed objects in that order. A missing object ends the stream with
 * TS_NOT_FOUND. */

/* Analyze */
struct ts_analyze_request {
	struct ts_span spec;
	bool has_warmup;
	uint64_t warmup;
	bool has_rank;
	int32_t rank;
	bool has_flops_per_step;
	double flops_per_step;
	bool has_peak_flops_per_s;
	double peak_flops_per_s;
	bool has_microbatches;
	uint32_t microbatches;
	struct ts_span dtype; /* empty = not given */
	struct ts_policy policy;
	bool fresh; /* compute everything, without the cache */
	bool has_device_bytes;
	double device_bytes; /* memory of one device */
};

/* Chart -> ts_chart */
struct ts_chart_request {
	struct ts_span *runs; /* specs */
	size_t n; /* 1 to TS_CHART_RUNS_MAX */
	struct ts_span column; /* with or without its group: "loss", "scalars.loss" */
	enum ts_chart_axis axis;
	uint32_t columns; /* of pixels, at most TS_M4_COLUMNS_MAX; 0 = 640 */
	bool log_x, log_y;
	double smooth; /* 0 to TS_CHART_SMOOTH_MAX */
	struct ts_span by; /* path of a fact; empty = none */
	bool has_rank;
	int32_t rank;
	uint32_t cells; /* at most TS_CHART_CELLS_MAX; 0: a picture */
	bool has_from, has_to;
	double from, to; /* of the stretch that is cut into cells, on the axis */
};

/* Diff */
enum ts_plots_wanted { TS_PLOTS_NONE = 0, TS_PLOTS_AROUND = 1, TS_PLOTS_ALL = 2 };

struct ts_diff_request {
	struct ts_span a, b;
	struct ts_span *ignore; /* globs of fact paths to leave out */
	size_t n_ignore;
	struct ts_span *repeats; /* specs of repeated runs of one configuration, against whose spread b is judged */
	size_t n_repeats;
	struct ts_span axis; /* a column by which to align rows in place of the step; empty = the step */
	enum ts_plots_wanted plots; /* which curves the reply has */
	struct ts_policy policy; /* only its cut-offs are used */
	bool outcomes; /* the reply has what the runs came to */
	struct ts_span rounding; /* spec of a run that shows how far rounding goes; empty = none */
};

/* DiffMatrix */
struct ts_matrix_request {
	struct ts_span *runs; /* specs */
	size_t n; /* 2 to TS_MATRIX_RUNS_MAX */
};

/* CheckResume -> ts_resume */
struct ts_resume_request {
	struct ts_span parent, child; /* parent may be empty */
	bool has_tolerance;
	double tolerance;
};

/* Gate -> ts_verdict; Baseline -> ts_gate_input without candidates */
struct ts_gate_request {
	struct ts_span *candidates; /* specs; empty with a given input that has them */
	size_t n_candidates;
	struct ts_span *baselines;  /* specs of runs, or one "branch:project/main" */
	size_t n_baselines;
	struct ts_span *pairs;	    /* specs of runs in pairs: base and candidate on the same allocated machines */
	size_t n_pairs;
	struct ts_policy policy;    /* only its items of section GATE are used */
	bool has_given;
	struct ts_gate_input given; /* a bundle, whose baselines and history replace `baselines`; or a whole record */
	bool replay;		    /* judge `given` as it is, without looking at anything else */
	/* For Baseline with a candidate that is in `given` and not in the store: its ancestors, as in gate_subject.h. */
	struct ts_span ancestors;
	bool ancestors_cut;
};
enum { TS_GATE_SPECS_MAX = 1024 };

/* Trend -> ts_trend */
struct ts_trend_request {
	struct ts_span branch;	    /* spec */
	struct ts_span metric;	    /* a name of the table of metrics, or of a series that the runs log */
	uint64_t limit;		    /* how many of the newest runs; 0: all, at most TS_TREND_RUNS_MAX */
	struct ts_span like;	    /* spec of a run whose workload is followed; empty: the newest run of the branch */
	struct ts_policy policy;
};
enum { TS_TREND_RUNS_MAX = 10000 /* so many fit into a message */ };

/* ReduceRuns: what a member is asked for (service/handlers/core/shared_work.h). */
enum { TS_REDUCE_RUNS_MAX = 256 };
struct ts_reduce_request {
	uint64_t from;		    /* ts_members.own of the server that asks */
	uint32_t analysis_version;
	struct ts_id *ids;	    /* of heads */
	size_t n;
	struct ts_span metric;	    /* as of a trend; empty: those of the policy */
	struct ts_policy policy;
};
struct ts_reduce_reply {
	bool self; /* the server that asks is the one that answers */
	struct ts_gate_run *runs;
	size_t n;
};

/* What a server's audit log came to; nothing if it keeps none. */
struct ts_verify_audit {
	uint64_t files, lines, first;
	uint64_t broken;  /* number of the first line that does not follow the one before; 0: all do */
	uint64_t missing; /* lines at the end that the server wrote and that are gone */
	uint64_t torn;	  /* lines that power was lost in: no change was acknowledged by them */
};

struct ts_verify_request {
	bool only_new;
};

/* Verify: a stream of replies: progress while it runs, then the report. */
struct ts_verify_event {
	bool final;
	uint64_t done, total;
	struct ts_verify_report report;
	uint64_t misfits;	  /* runs below a name whose objects are not what their indexes say */
	struct ts_span *misfit;	  /* the first 64 of them: "run default/a: rank 0, steps, column scalars.loss, block 2: object ..." */
	size_t n_misfit;
	struct ts_span *drift; /* the first 64 of report.drifted, as sentences; report.drifts stays with the store */
	size_t n_drift;
	struct ts_verify_audit audit;
};

/* Follow: a stream of parts (store/engine.h, ts_mirror_ask). */
enum { TS_FOLLOW_MAX = 3 << 20 };
struct ts_follow_request {
	struct ts_span holds;
};
struct ts_follow_part {
	struct ts_span items;
};

/* CollectGarbage */
struct ts_gc_request {
	bool dry_run;
	bool has_lease;
	uint64_t lease_s;
	bool has_removed;
	uint64_t removed_s; /* how long removed names are kept */
};

struct ts_gc_reply {
	struct ts_sweep_report swept;
	uint64_t scored; /* runs that got the metrics that an older version did not make */
};

/* Retain: docs/operations.md says what a policy of retention is. */
struct ts_retain_item {
	struct ts_retired what;
	struct ts_span why; /* it stays; empty: it goes */
};
struct ts_retain_request {
	struct ts_span policy;
	int64_t as_of_ns;
	struct ts_retain_item *items;
	size_t n;
};
struct ts_retain_row {
	enum ts_ref_kind kind;
	struct ts_span name;
	struct ts_span rule;
	uint64_t count[TS_RETENTION_REASONS];
};
struct ts_retain_reply {
	int64_t as_of_ns;
	struct ts_retain_row *rows;
	size_t n_rows;
	uint64_t more_rows;
	uint64_t other_names, other_entries;
	uint64_t names, entries;
	struct ts_retain_item *items;
	size_t n;
	uint64_t more_items;
	uint64_t objects, bytes;
	uint64_t keep_removed_s;
};
enum { TS_RETAIN_POLICY_MAX = 65536, TS_RETAIN_ROWS_MAX = 1000, TS_RETAIN_RULE_MAX = 2048 };

/* Each message has one pack and one unpack function. */
#define TS_WIRE(name, type)                                                                                            \
	enum ts_status ts_wire_pack_##name(const struct type *in, struct ts_buf *out, struct ts_error *err);           \
	enum ts_status ts_wire_unpack_##name(struct ts_span in, struct ts_arena *arena, struct type *ret,              \
					     struct ts_error *err)

TS_WIRE(info_reply, ts_info_reply);
TS_WIRE(has_request, ts_has_request);
TS_WIRE(has_reply, ts_has_reply);
TS_WIRE(put_request, ts_put_request);
TS_WIRE(put_reply, ts_put_stats);
TS_WIRE(make_token_request, ts_make_token_request);
TS_WIRE(revoke_token_request, ts_revoke_token_request);
TS_WIRE(tokens_reply, ts_tokens_reply);
TS_WIRE(usage_reply, ts_usage_reply);
TS_WIRE(commit_request, ts_commit_request);
TS_WIRE(commit_reply, ts_commit_reply);
TS_WIRE(ref_request, ts_ref_request);
TS_WIRE(ref_reply, ts_ref_reply);
TS_WIRE(removed_request, ts_removed_request);
TS_WIRE(removed_reply, ts_removed_reply);
TS_WIRE(find_request, ts_find_request);
TS_WIRE(find_reply, ts_find_reply);
TS_WIRE(restore_request, ts_restore_request);
TS_WIRE(restore_reply, ts_restore_reply);
TS_WIRE(log_request, ts_log_request);
TS_WIRE(log_reply, ts_log_reply);
TS_WIRE(note_request, ts_note_request);
TS_WIRE(list_request, ts_list_request);
TS_WIRE(list_reply, ts_list_reply);
TS_WIRE(get_request, ts_get_request);
TS_WIRE(get_reply, ts_get_reply);
TS_WIRE(objects_request, ts_objects_request);
TS_WIRE(objects_reply, ts_put_request);
TS_WIRE(analyze_request, ts_analyze_request);
TS_WIRE(analyze_reply, ts_analysis);
TS_WIRE(chart_request, ts_chart_request);
TS_WIRE(chart_reply, ts_chart);
TS_WIRE(diff_request, ts_diff_request);
TS_WIRE(diff_reply, ts_diff);
TS_WIRE(matrix_request, ts_matrix_request);
TS_WIRE(matrix_reply, ts_diff_matrix);
TS_WIRE(resume_request, ts_resume_request);
TS_WIRE(resume_reply, ts_resume);
TS_WIRE(gate_input, ts_gate_input); /* also the record of a verdict, and a bundle, in files that outlive the runs */
TS_WIRE(gate_request, ts_gate_request);
TS_WIRE(gate_reply, ts_verdict);
TS_WIRE(trend_request, ts_trend_request);
TS_WIRE(trend_reply, ts_trend);
TS_WIRE(gate_run, ts_gate_run); /* as it is kept in a cache */
TS_WIRE(reduce_request, ts_reduce_request);
TS_WIRE(reduce_reply, ts_reduce_reply);
TS_WIRE(verify_request, ts_verify_request);
TS_WIRE(verify_event, ts_verify_event);
TS_WIRE(follow_request, ts_follow_request);
TS_WIRE(follow_part, ts_follow_part);
TS_WIRE(gc_request, ts_gc_request);
TS_WIRE(gc_reply, ts_gc_reply);
TS_WIRE(retain_request, ts_retain_request);
TS_WIRE(retain_reply, ts_retain_reply);

#undef TS_WIRE


#endif
