#!/usr/bin/env python3
"""Holds every parser of foreign bytes to a fuzz target: python3 tests/fuzz/parsers.py, from the root.

A parser is a function of a header whose name says so (_parse, _decode, _unpack, _read of a path or of bytes, _from_json, ...) and that
takes bytes, text or a path. Each stands in TARGETS, with the target that feeds it, or in NOT_FOREIGN with a reason. Each target is built
by ts_fuzz and has inputs in tests/fuzz/corpus, which ctest replays."""
import os
import re
import subprocess
import sys

TARGETS = {  # target: what it feeds
    "fuzz_json_merge": "ts_record_json_check ts_record_json_merge ts_record_utf8_valid ts_record_utf8_cut",
    "fuzz_json": "ts_number_scan ts_parse_double",
    "fuzz_text": "ts_time_parse ts_time_parse_zoneless ts_id_parse ts_base64_parse ts_parse_hex ts_parse_hex64 ts_parse_u64 ts_parse_i64",
    "fuzz_object": "ts_object_parse ts_head_decode ts_index_decode ts_fact_decode ts_block_keys_decode ts_block_f64_decode "
                   "ts_block_u64_decode ts_block_text_decode",
    "fuzz_sealed": "ts_unseal ts_sealed_verify ts_zstd_decode ts_words_decode ts_lines_decode ts_deflate_decode",
    "fuzz_bundle": "ts_bundle_head_parse ts_bundle_rows_parse ts_place_parse",
    "fuzz_keys": "ts_s3_keys_parse ts_s3_keys_from_json",
    "fuzz_superblock": "ts_super_parse ts_sums_parse ts_held_parse ts_verdict_parse ts_meta_parse ts_root_parse",
    "fuzz_increment": "ts_increment_parse",
    "fuzz_mirror": "ts_mirror_take",
    "fuzz_wire": "ts_wire_parse ts_shape_unpack ts_wire_unpack_health_request ts_wire_unpack_health_reply ts_wire_unpack_reflection_request",
    "fuzz_handlers": "ts_resolve ts_name_check ts_sort_begin ts_summary_read",
    "fuzz_filter": "ts_filter_parse ts_fact_unpack",
    "fuzz_machine": "ts_machine_read",
    "fuzz_kernel_summary": "ts_kernel_summary_read",
    "fuzz_policy": "ts_policy_parse ts_policy_gate_parse ts_gate_setting_read ts_gate_exclude_parse ts_gate_ending_parse ts_gate_better_parse "
                   "ts_workload_part_parse ts_retention_setting_read ts_kernel_rules_parse",
    "fuzz_config": "ts_listen_parse ts_config_load ts_grant_parse ts_quota_parse",
    "fuzz_audit": "ts_audit_read ts_audit_line_read",
    "fuzz_conduct": "ts_frames_next ts_conduct_up ts_conduct_down",
    "fuzz_address": "ts_address_parse ts_address_list_parse",
    "fuzz_web_address": "ts_uri_decode",
    "fuzz_tracking": "ts_tracking_body_read ts_tracking_query_read ts_tracking_filter_read ts_tracking_order_read",
    "fuzz_credentials": "ts_credentials_parse ts_token_parse",
    "fuzz_page_token": "ts_page_token_parse",
    "fuzz_serve": "ts_rpc_read ts_tool_read ts_columns_wanted_read",
    "fuzz_page_links": "ts_page_links_find",
    "fuzz_project": "ts_project_parse ts_name_component",
    "fuzz_gate_record": "ts_gate_record_read",
    "fuzz_golden": "ts_golden_parse",
    "fuzz_facts": "ts_facts_from_json ts_facts_from_run_json ts_fact_from_arg ts_source_parse ts_secret_code",
    "fuzz_steps": "ts_steps_read ts_side_read ts_record_parse ts_sketch_sums_parse ts_sketch_frames_read",
    "fuzz_recording": "ts_recording_open ts_recording_read",
    "fuzz_snapshot": "ts_snapshot_read",
    "fuzz_flight": "ts_flight_read",
    "fuzz_run_dir": "ts_run_dir_read ts_trace_reader_read ts_facts_read_dir",
    "fuzz_log_files": "ts_csv_read ts_jsonl_read ts_golden_read ts_losses_read",
    "fuzz_export": "ts_export_read",
    "fuzz_log_map": "ts_log_table_import ts_log_number",
    "fuzz_text_log": "ts_text_read ts_text_bar_parse ts_text_tail_read",
    "fuzz_text_guess": "ts_text_guess ts_text_unfold ts_text_tokenize ts_text_named_in ts_text_table_row",
    "fuzz_dvclive": "ts_dvclive_read ts_deepspeed_read ts_log_hparams",
    "fuzz_huggingface": "ts_huggingface_read",
    "fuzz_tensorboard": "ts_tensorboard_read",
    "fuzz_offline": "ts_comet_read ts_clearml_read ts_offline_read ts_unzip_read",
    "fuzz_sacred": "ts_sacred_read ts_json_find ts_json_said",
    "fuzz_swanlab": "ts_swanlab_read",
    "fuzz_nsys": "ts_nsys_load ts_nsys_is",
    "fuzz_trackio": "ts_trackio_read ts_trackio_parts",
    "fuzz_traceml": "ts_traceml_read",
    "fuzz_wandb": "ts_wandb_read ts_wandb_metadata ts_wandb_requirements",
    "fuzz_trace_columns": "ts_trace_columns_load ts_trace_columns_about",
    "fuzz_trace": "ts_trace_read ts_trace_load ts_trace_unescape",
    "fuzz_mlflow": "ts_mlflow_read ts_flat_yaml_read",
    "fuzz_mlflow_db": "ts_mlflow_db_read ts_mlflow_db_parts",
}
NOT_FOREIGN = {
    "ts_args_parse": "the words of the person's own command line",
    "ts_severity_parse": "a word of the same command line",
    "ts_entry_parse": "a record of our own store, behind a checksum; damage of a disk is tests/fault's",
    "ts_ref_parse": "the same",
    "ts_log_parse": "the same",
    "ts_note_read": "the same",
    "ts_usage_parse": "the same",
    "ts_log_gap_read": "the same",
    "ts_unnamed_parse": "the same",
    "ts_ref_read": "the same",
    "ts_score_decode": "the same",
    "ts_job_read": "what the same program wrote, in the process that it made for it",
    "ts_below_read": "reads bytes, and looks at none",
    "ts_file_read": "reads bytes, and looks at none",
    "ts_trace_folder_read": "lists files; ts_trace_load reads each",
}
DECLARED = re.compile(r"^[a-z][\w \*]*?(ts_\w+)\(([^;{]*)\)[^;{]*[;{]", re.M)
NAME = re.compile(r"(_|^ts_)(parse|decode|unpack|unseal)(_|$)|_from_(run_)?json$|_read$|_scan$")
TAKES = re.compile(r"struct ts_span|char \*|ts_ingest_options|struct ts_sealed|struct ts_payload")


def listed(*patterns):
    return subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], capture_output=True, text=True,
                          check=True).stdout.split()


def parsers():
    """Returns {function: header} of all headers except those of tests."""
    found, all_names = {}, set()
    for path in listed("*.h"):
        if os.path.basename(path).startswith(("test_", "fuzz_")) or not os.path.exists(path):
            continue
        text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
        for name, takes in DECLARED.findall(text):
            all_names.add(name)
            if NAME.search(name) and TAKES.search(takes):
                found[name] = path
    return found, all_names


def main():
    found, all_names = parsers()
    built = set(re.findall(r"ts_fuzz\((\w+)", "".join(open(p, encoding="utf-8").read() for p in listed("*CMakeLists.txt"))))
    fed = {name: target for target, names in TARGETS.items() for name in names.split()}
    errors = [f"{path}: {name} has no fuzz target (tests/fuzz/parsers.py)" for name, path in sorted(found.items())
              if name not in fed and name not in NOT_FOREIGN]
    errors += [f"{name}: no header has it" for name in sorted({*fed, *NOT_FOREIGN} - all_names)]
    errors += [f"{target}: not built, or not in the table" for target in sorted(built ^ set(TARGETS))]
    errors += [f"tests/fuzz/corpus/{target}: no inputs" for target in sorted(built)
               if not os.path.isdir(f"tests/fuzz/corpus/{target}") or not os.listdir(f"tests/fuzz/corpus/{target}")]
    for e in errors:
        print(e)
    print(f"{len(found)} parsers, {len(TARGETS)} fuzz targets, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
