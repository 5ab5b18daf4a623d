/* shapes.h - declares the tables: one for each struct of an answer, each defined in the file of its noun. */
#ifndef TSCOPE_PROTO_SHAPE_SHAPES_H
#define TSCOPE_PROTO_SHAPE_SHAPES_H

#include "proto/shape/shape.h"

/* The words of enums that several tables use. */
extern const struct ts_shape_words ts_words_verdict, ts_words_tier, ts_words_yes, ts_words_cause, ts_words_unit, ts_words_column_type,
	ts_words_role, ts_words_better, ts_words_ref_kind, ts_words_memory_kind, ts_words_collective;

extern const struct ts_shape ts_shape_run;	 /* ts_run_ref */
extern const struct ts_shape ts_shape_fact;	 /* ts_fact */
extern const struct ts_shape ts_shape_cell;	 /* ts_value */
extern const struct ts_shape ts_shape_policy_item; /* ts_policy_item */
extern const struct ts_shape ts_shape_ending;	 /* ts_ending */
extern const struct ts_shape ts_shape_happenings; /* ts_happenings */
extern const struct ts_shape ts_shape_lineage;	 /* ts_lineage */
extern const struct ts_shape ts_shape_measure;	 /* ts_measure; in JSON as one row of evidence */
extern const struct ts_shape ts_shape_measures;	 /* ts_measures in JSON: values by group, subject and name */
extern const struct ts_shape ts_shape_unknown;	 /* ts_measures in JSON: the measures that are not known, and why */
extern const struct ts_shape ts_shape_plot;	 /* ts_plot */
extern const struct ts_shape ts_shape_chart_line; /* ts_chart_line */
extern const struct ts_shape ts_shape_chart;	 /* ts_chart */
extern const struct ts_shape ts_shape_bound;	 /* ts_bound */
extern const struct ts_shape ts_shape_gap;	 /* ts_gap */
extern const struct ts_shape ts_shape_tier;	 /* ts_tier */
extern const struct ts_shape ts_shape_diagnosis; /* ts_diagnosis */
extern const struct ts_shape ts_shape_ops;	 /* ts_op_diff */
extern const struct ts_shape ts_shape_sketches;	 /* ts_sketch_diff */
extern const struct ts_shape ts_shape_matrix;	 /* ts_diff_matrix, serialized only */
extern const struct ts_shape ts_shape_matrix_alias; /* ts_matrix_alias */
extern const struct ts_shape ts_shape_pairs;	 /* ts_diff_matrix in JSON: its pairs */
extern const struct ts_shape ts_shape_groups;	 /* ts_repeats in JSON: the runs of each group */
extern const struct ts_shape ts_shape_repeats;	 /* ts_repeats */
extern const struct ts_shape ts_shape_diff;	 /* ts_diff */
extern const struct ts_shape ts_shape_resume;	 /* ts_resume */
extern const struct ts_shape ts_shape_metrics;	 /* ts_reduction: its values, a part of the message */
extern const struct ts_shape ts_shape_gate_run;	 /* ts_gate_run */
extern const struct ts_shape ts_shape_gate_chosen; /* ts_gate_input: which runs were chosen, a part of the message */
extern const struct ts_shape ts_shape_gate_input; /* ts_gate_input */
extern const struct ts_shape ts_shape_verdict;	 /* ts_verdict */
extern const struct ts_shape ts_shape_memory_fix; /* ts_memory_fix */
extern const struct ts_shape ts_shape_finding;	 /* ts_finding */
extern const struct ts_shape ts_shape_unchecked; /* ts_unchecked */
extern const struct ts_shape ts_shape_analysis;	 /* ts_analysis */
extern const struct ts_shape ts_shape_trace;	 /* ts_trace_answer, JSON only */
extern const struct ts_shape ts_shape_trace_host; /* ts_trace_host, JSON alone */
extern const struct ts_shape ts_shape_trace_job; /* ts_trace_job, JSON only */
extern const struct ts_shape ts_shape_trace_path; /* ts_critical_path, of the former */
extern const struct ts_shape ts_shape_trace_work; /* ts_trace_work, JSON alone */
extern const struct ts_shape ts_shape_graph_work; /* ts_graph_work, JSON alone */
extern const struct ts_shape ts_shape_trace_diff; /* ts_trace_diff, JSON only */
extern const struct ts_shape ts_shape_lanes;	  /* ts_lanes_view, JSON only */
extern const struct ts_shape ts_shape_allocation_place; /* ts_allocation_place, of ts_trace_answer */
extern const struct ts_shape ts_shape_trace_recorded; /* ts_trace_recorded, of those */
extern const struct ts_shape ts_shape_trace_ranks; /* ts_rank_diff, JSON only */
extern const struct ts_shape ts_shape_trace_file;  /* ts_job_file, of the former and of ts_trace_job */
extern const struct ts_shape ts_shape_memory;	 /* ts_memory_answer, JSON alone */
extern const struct ts_shape ts_shape_memory_who, ts_shape_memory_whos;
extern const struct ts_shape ts_shape_moment;	 /* ts_moment, JSON alone */
extern const struct ts_shape ts_shape_scaling;	 /* ts_scaling, JSON alone */
extern const struct ts_shape ts_shape_memory_diff; /* ts_memory_diff, JSON alone */
extern const struct ts_shape ts_shape_memory_diffs; /* ts_memory_diffs, JSON alone */
extern const struct ts_shape ts_shape_determinism;  /* ts_determinism, JSON alone */
extern const struct ts_shape ts_shape_golden;	    /* ts_golden, JSON alone */
extern const struct ts_shape ts_shape_repro;	    /* ts_repro, JSON alone */
extern const struct ts_shape ts_shape_bisected;	    /* ts_bisected, JSON alone */
extern const struct ts_shape ts_shape_reproduced;    /* ts_reproduced, JSON alone */
extern const struct ts_shape ts_shape_why;	    /* ts_why, JSON alone */
extern const struct ts_shape ts_shape_comparison;    /* ts_comparison, JSON alone */
extern const struct ts_shape ts_shape_worlds;	 /* ts_worlds, JSON alone */
extern const struct ts_shape ts_shape_trend;	 /* ts_trend */
extern const struct ts_shape ts_shape_ref;	 /* ts_ref */
extern const struct ts_shape ts_shape_note;	 /* ts_note */
extern const struct ts_shape ts_shape_column;	 /* ts_column_info */
extern const struct ts_shape ts_shape_file;	 /* ts_file_info */
extern const struct ts_shape ts_shape_list_cell; /* ts_list_cell, serialized only */
extern const struct ts_shape ts_shape_ref_reply; /* ts_ref_reply */
extern const struct ts_shape ts_shape_log_reply; /* ts_log_reply */
extern const struct ts_shape ts_shape_removed_reply; /* ts_removed_reply */
extern const struct ts_shape ts_shape_find_request; /* ts_find_request */
extern const struct ts_shape ts_shape_find_reply; /* ts_find_reply */
extern const struct ts_shape ts_shape_restore_reply; /* ts_restore_reply */
extern const struct ts_shape ts_shape_tokens_reply; /* ts_tokens_reply */
extern const struct ts_shape ts_shape_usage_reply; /* ts_usage_reply */
extern const struct ts_shape ts_shape_retain_reply; /* ts_retain_reply */

/* Rows of tables that people see (cli/view/view.h). */
extern const struct ts_shape ts_shape_trace_collective, ts_shape_trace_place, ts_shape_trace_step, ts_shape_step_phase,
	ts_shape_trace_idle, ts_shape_trace_kernel_sum, ts_shape_trace_launches, ts_shape_trace_wait, ts_shape_trace_host_sum,
	ts_shape_trace_collectives, ts_shape_trace_operator, ts_shape_trace_module, ts_shape_trace_copies, ts_shape_trace_fills,
	ts_shape_trace_flops,
	ts_shape_trace_kernel_use, ts_shape_trace_step_sum, ts_shape_trace_allocations, ts_shape_path_window, ts_shape_path_row,
	ts_shape_path_stretch, ts_shape_what_if, ts_shape_host_step, ts_shape_job_rank, ts_shape_job_kind, ts_shape_job_group,
	ts_shape_job_collective, ts_shape_trace_diff_row, ts_shape_memory_annotation, ts_shape_moment_segment, ts_shape_moment_piece,
	ts_shape_memory_diff_row, ts_shape_memory_diff_gauge, ts_shape_removed_ref, ts_shape_project, ts_shape_sender,
	ts_shape_retain_item, ts_shape_retain_row;

/* Requests, and replies that are not answers. */
extern const struct ts_shape ts_shape_chart_request;
extern const struct ts_shape ts_shape_diff_request, ts_shape_matrix_request, ts_shape_resume_request, ts_shape_gate_request,
	ts_shape_trend_request, ts_shape_reduce_request, ts_shape_reduce_reply,
	ts_shape_analyze_request, ts_shape_commit_request, ts_shape_ref_request, ts_shape_log_request,
	ts_shape_note_request, ts_shape_list_request, ts_shape_get_request, ts_shape_has_request, ts_shape_objects_request,
	ts_shape_gc_request, ts_shape_verify_request, ts_shape_follow_request, ts_shape_follow_part,
	ts_shape_removed_request, ts_shape_restore_request, ts_shape_make_token_request,
	ts_shape_revoke_token_request, ts_shape_retain_request;
extern const struct ts_shape ts_shape_commit_reply, ts_shape_list_reply, ts_shape_get_reply, ts_shape_info_reply, ts_shape_has_reply,
	ts_shape_put_reply, ts_shape_verify_event, ts_shape_gc_reply;
extern const struct ts_shape ts_shape_matrix_reply; /* ts_diff_matrix, checked to have at least two runs */

/* Pieces of JSON that are also used outside of tables. */
struct ts_fact;
struct ts_measure;
void ts_json_fact(struct ts_json *j, const struct ts_fact *fact); /* {"type":, "value":}; null for NULL and ABSENT */
void ts_json_bare_fact(struct ts_json *j, const struct ts_fact *fact); /* the value alone */
void ts_json_measure_value(struct ts_json *j, const struct ts_measure *measure); /* null where it is not known */

#endif
