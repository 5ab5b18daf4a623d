#!/usr/bin/env python3
"""Writes test_vectors.h: one message of each kind as Google's protoc serializes it, which shares no code with ours.

    python3 proto/test_vectors.py > proto/test_vectors.h

Every field has a value of its own, so that two fields that change places are seen.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def ident(n):
    """32 bytes of value n, in text format."""
    return '"' + "\\%03o" % n * 32 + '"'


def ids(*ns):
    return '"' + "".join("\\%03o" % n * 32 for n in ns) + '"'


RUN = "id: %s own_name: \"o\\000wn\" steps: 11 first_step: -12 last_step: 13 ranks: 14"
REF = "kind: REF_KIND_TAG name: \"p/t\" id: %s seq: 21 moved_ns: 22 who: \"who\" summary: \"s\\000m\""

METRICS = ("step_time", "step_time_mean", "step_time_p95", "stall_share", "peak_memory", "tokens_per_s", "tokens_per_s_device",
           "samples_per_s", "samples_per_s_device", "mfu", "loss", "step_time_p10", "step_time_end", "step_time_floor",
           "cpu_time")

POLICY = "".join("GATE.%s\\n" % line for line in (
    "metrics = step_time, peak_memory", "watch = loss", *(m + ".min_size = 0.03" for m in METRICS), "mfu.least = 0.38", "delta = 0.0", "alpha = 0.001", "suspect_alpha = 0.1",
    "must_catch = 0.05", "rerun = off", "pairs = 3", "pairs_most = 9", "baselines = 12", "collect = 5", "prior_sd = 0.004",
    "prior_df = 12.5", "prior_df_most = 8.0", "across = hardware, libraries", "other_work = off", "workload = llama 7b", "ignore = config.a*, config.b",
    "exclude = tag:eval, phase:checkpoint, every:500", "warmup = 40", "inconclusive = fail", "blind = exit-3"))
LACKING = "metrics { reason: \"no column\" } "


def gate_run(role, n):
    """One of each field; n stands in the id and in the step time."""
    return ("role: %s group: 3 id: %s name: \"p/r%d\" workload { name: \"wl\" keys: %s session: \"0af%d\" commit: \"c\" branch: \"b\" dirty: true started_ns: -5 labels: \"session.host=a\\n\" } "
            "reduction { metrics { value: 0.%d error: 0.125 } %s metrics { value: -0.0 } %s parts { name: \"forward\" seconds: 0.25 } ranks: -1 ranks: 4 work: 0.5 work: nan wait: 0.125 wait: 2 "
            "time_source: \"timestamps\" mfu_basis: \"6N\" records: 11 warmup: 2 excluded: 3 counted: 6 window: 7 windows: 8 accumulation: 2.5 piece_count: 9 piece_count: 4 piece_time_sd: 0.25 piece_time_sd: 0.125 piece_time_most: 0.75 piece_time_most: -0.5 piece_mean_sd: 0.5 piece_mean_sd: 0.375 piece_mean_most: 1.5 piece_mean_most: 1.25 "
            "wall_time { value: 21.5 } best_loss { reason: \"no column\" } loss_column: \"scalars.train/loss\" "
            "series { name: \"reward\" column: \"scalars.train/reward\" value { value: 2.5 error: 0.125 } last_step: -7 } "
            "series { name: \"kl\" value { reason: \"no series\" } last_step: 0 } }"
            % (role, ident(n), n, ids(1, 2, 3, 4), n, n, LACKING * 2, LACKING * (len(METRICS) - 4)))


GATE_INPUT = ("analysis_version: 2 policy: \"%s\" baseline: \"branch p/main\" sentence: \"2 runs\" runs { %s } runs { %s } "
              "passed_over { id: %s name: \"p/x\" reason: \"marked bad\" } differences { part: WORKLOAD_PART_LIBRARIES path: \"libraries.torch\" a: \"2.5\" b: \"2.6\" } "
              "not_comparable: \"why\" facts { path: \"config.lr\" a: \"1\\000\" b: \"2\" } facts_more: 9 "
              "loss { bits: TIER_ANSWER_FAILS numeric: TIER_ANSWER_HOLDS sentence: \"parts\" } other_work: \"other\""
              % (POLICY, gate_run("GATE_ROLE_CANDIDATE", 1), gate_run("GATE_ROLE_PAIR_CANDIDATE", 2), ident(7)))
GATE_ROW = ("state: GATE_STATE_SUSPECT gates: true reason: \"r\" baseline: 1 candidate: 2 base_draws: 3 candidate_draws: 4 size: 0.5 low: 0.25 high: 0.75 "
            "sd: 0.125 df: 5 prior_sd: 0.01 prior_df: 6 t: 7 p: 0.001 could_miss: nan counts: true paired: true pairs: 8 pair_t: 9 pair_p: 0.002 "
            "value_low: 1.5 value_high: 2.5 least: 1.75 floored: true")

VECTORS = [
    ("info_reply", "ServerInfoReply",
     'version: "v" format_version: 2 store: "st" started_ns: -4 read_only: true objects: 6 stored_bytes: 7 file_bytes: 8 refs: 9 who: "w" may: "read *" token_expires_ns: -10 leader: "l" held_ns: -11'),
    ("has_request", "HasObjectsRequest", "ids: " + ids(1, 2)),
    ("has_reply", "HasObjectsReply", "missing: " + ids(3)),
    ("put_request", "PutObjectsRequest",
     "objects { id: %s codec: 2 kind: 3 refs: 4 raw_len: 500 checksum: 0xfedcba9876543210 data: \"abc\\000\\377\" } objects { id: %s data: \"%s\" }"
     % (ident(1), ident(2), "x" * 300)),
    ("put_reply", "PutObjectsReply", "objects: 1 new_objects: 2 new_bytes: 18446744073709551615"),
    ("commit_request", "CommitRunRequest",
     "name: \"p/r\" head: %s expect: EXPECT_ID expected: %s force: true join: true expose: true branch: \"p/b\" state: \"running\" message: \"m\\303\\274\""
     % (ident(1), ident(2))),
    ("commit_reply", "CommitRunReply",
     "outcome: COMMIT_OUTCOME_STAGED id: %s previous: %s seq: 3 missing_ranks: 4 missing_ranks: 5 missing_count: 2 run { %s }"
     % (ident(1), ident(2), RUN % ident(1))),
    ("ref_request", "UpdateRefRequest",
     "kind: REF_KIND_BRANCH name: \"p/b\" remove: true target: \"t\" force: true expect: EXPECT_ID expected: %s message: \"m\"" % ident(7)),
    ("ref_reply", "UpdateRefReply", "ref { %s } previous: %s" % (REF % ident(1), ident(2))),
    ("removed_request", "ListRemovedRequest", 'prefix: "p/" limit: 3'),
    ("removed_reply", "ListRemovedReply", 'removed { ref { %s } removed_ns: 5 by: "w" expires_ns: 6 entries: 7 } more: true' % (REF % ident(1))),
    ("find_request", "FindNamesRequest", 'project: "p" words: "w1" words: "tag:w2"'),
    ("find_reply", "FindNamesReply",
     'names { found: FOUND_END id: %s kind: REF_KIND_TAG name: "p/r/w1" has_project: true } names { found: FOUND_SEVERAL kind: REF_KIND_RUN why: "w" }' % ident(3)),
    ("restore_request", "RestoreRefRequest", 'kind: REF_KIND_TAG name: "p/a" as: "p/b"'),
    ("restore_reply", "RestoreRefReply", "ref { %s } entries: 2" % (REF % ident(1))),
    ("log_request", "RefLogRequest", 'spec: "s" limit: 2 notes: true'),
    ("log_reply", "RefLogReply",
     "kind: REF_KIND_STAGE name: \"p/s\" entries { seq: 1 id: %s moved_ns: 3 who: \"w\" message: \"m\" } entries { id: %s } pruned: 5 pruned_ns: 6 pruned_by: \"b\" notes { key: \"k\" value: \"v\" at_ns: 7 who: \"n\" } notes { key: \"k\" at_ns: 8 }"
     % (ident(2), ident(4))),
    ("note_request", "SetNoteRequest", 'name: "n" key: "k" value: "v"'),
    ("list_request", "ListRunsRequest",
     'project: "p" kind: REF_KIND_TAG filter: "f" columns: "c1" columns: "c2" sort: "-s" page_size: 1000 page_token: "t\\000"'),
    ("list_reply", "ListRunsReply",
     "rows { name: \"p/1\" id: %s pushed_ns: 3 cells { type: FACT_TYPE_INT source: FACT_SOURCE_HOST integer: -4 } cells {} cells { type: FACT_TYPE_FLOAT real: -0.0 } } "
     "rows { name: \"p/2\" id: %s cells { type: FACT_TYPE_BOOL boolean: true } cells { type: FACT_TYPE_TEXT text: \"a\\000b\" } cells { type: FACT_TYPE_NULL } } "
     "next_token: \"n\\377\" examined: 5 unrecorded: \"config.x\" unrecorded: \"note.y\" unscored: 7 copy_of: \"o\" copy_held_ns: -8" % (ident(1), ident(2))),
    ("get_request", "GetRunRequest", 'spec: "tag:p/t" metrics: true'),
    ("get_reply", "GetRunReply",
     "run { %s } ref { %s } head: \"h\\000d\" notes { key: \"k\" value: \"v\" at_ns: 3 who: \"w\" } "
     "columns { name: \"c\" type: COLUMN_TYPE_JSON role: ROLE_OBSERVATION precision: PRECISION_DECIMALS digits: 5 table: TABLE_KIND_SUPERSEDED rank: -1 ranks: 8 rows: 9 first_key: -10 last_key: 11 rows_all: 12 } "
     "columns { name: \"d\" type: COLUMN_TYPE_F64 table: TABLE_KIND_STEPS metric { count: 3 nonfinite: 4 last: 0.5 last_step: -6 best: -0.0 best_step: 0 mean: 7 min: 8 min_step: 9 max: 10 max_step: 11 } } "
     "columns { name: \"e\" type: COLUMN_TYPE_F64 table: TABLE_KIND_STEPS metric { nonfinite: 1 } } "
     "files { rank: 1 name: \"f\" size: 3 columns: %s } missing_ranks: 2 missing_ranks: 3 names { %s } lineage { parent: \"w\" step: 9 } copy_of: \"o\" copy_held_ns: -8" % (RUN % ident(1), REF % ident(2), ident(4), REF % ident(3))),
    ("objects_request", "GetObjectsRequest", "ids: " + ids(4, 5) + " heads: " + ids(6)),
    ("objects_reply", "GetObjectsReply", "objects { id: %s codec: 1 data: \"z\" }" % ident(9)),
    ("analyze_request", "AnalyzeRequest", 'spec: "s" warmup: 0 rank: 0 flops_per_step: 6e12 peak_flops_per_s: 9.89e14 microbatches: 8 dtype: "bf16" '
     'policy { code: "TIMING.JITTER" threshold: "min_cv" value: 0.8 } policy { code: "MEMORY.GROWTH" off: true } '
     'policy { code: "GATE" threshold: "metrics" text: "step_time" } fresh: true device_bytes: 8.5e10'),
    ("analyze_reply", "AnalyzeReply",
     "run { %s } rank: -1 warmup_cut: 3 measures { group: \"g\" subject: \"s\" name: \"n\" unit: UNIT_PER_SECOND value: 0 } "
     "measures { group: \"h\" reason: \"r\" } measures { group: \"w\" unit: UNIT_TEXT text: \"found\" } notes: \"n1\" notes: \"n2\" "
     "events { kind: EVENT_KIND_DIP group: \"convergence\" subject: \"loss\" first_step: -3 last_step: 4 value: 0.5 expected: nan score: 7.5 } "
     "happenings { items { kind: HAPPENING_KIND_RESTART name: \"restart\" text: \"ht\" value: 0 step: -5 after: true time_s: 2.5 ranks: -1 ranks: 3 } "
     "items { kind: HAPPENING_KIND_OTHER name: \"o\" ranks: 1 } all: 9 more: 6 regions: 4 } "
     "plots { group: \"timing\" subject: \"step\" name: \"value\" unit: UNIT_SECONDS first_step: -1 width: 2 min: 1 min: nan max: 3 max: nan mean: 2 mean: nan count: 2 count: 1 nonfinite: 1 } "
     "bound { kind: BOUND_WAIT sentence: \"b\" shares { kind: BOUND_INPUT share: 0 } shares { kind: BOUND_COMPUTE reason: \"w\" } shares { kind: BOUND_COMMUNICATION } shares { kind: BOUND_WAIT share: 0.5 } shares { kind: BOUND_HOST } "
     "fixes { name: \"f\" how: \"h\" of: BOUND_INPUT wins_most_ratio: 0.25 effort: 2 costs: \"c\" source: \"s\" } unknowns: \"u1\" unknowns: \"u2\" "
     "worth_checking { name: \"cf\" how: \"ch\" check: \"cc\" of: BOUND_COMPUTE effort: 1 source: \"cs\" } "
     "memory: \"m\" memory_fixes { name: \"mf\" how: \"mh\" costs: \"mc\" source: \"ms\" saves_most: 4096 effort: 3 } } "
     "findings { code: \"DIST.STRAGGLER\" severity: SEVERITY_HIGH title: \"t\" detail: \"d\" advice: \"a\" steps { first: -2 last: 9 } ranks: 3 ranks: 5 evidence { group: \"ranks\" unit: UNIT_RATIO value: 0.5 } } "
     "findings { code: \"X.Y\" severity: SEVERITY_LOW } unchecked { code: \"DIST.EXPOSED_COMM\" reason: \"no trace\" }" % (RUN % ident(1))),
    ("diff_request", "DiffRequest", 'a: "a" b: "b" ignore: "i1" ignore: "i2" repeats: "r1" repeats: "r2" axis: "tokens" plots: PLOTS_WANTED_ALL '
     'policy { code: "DIVERGENCE" threshold: "numeric_jump" value: 1e-5 } policy { code: "TIMING.JITTER" off: true } outcomes: true rounding: "ro"'),
    ("diff_reply", "DiffReply",
     "a { %s } b { %s } verdict: VERDICT_INCONCLUSIVE reason: \"why\" "
     "facts { group: GROUP_SEEDS change: FACT_CHANGE_ONLY_A rank: -1 path: \"seeds.a\" a { path: \"seeds.a\" type: FACT_TYPE_LONG source: FACT_SOURCE_PUSHER text_id: %s text_len: 2000 } } "
     "facts { group: GROUP_OTHER change: FACT_CHANGE_CHANGED rank: 2 path: \"q\" a { type: FACT_TYPE_NUMBER text: \"12345678901234567890123\" } b { type: FACT_TYPE_OBJECT } } "
     "series { name: \"n\" type: COLUMN_TYPE_U64 role: ROLE_TRAJECTORY rank: 4 state: SERIES_STATE_PARTS first_step: -6 after_step: 0 a { word: 8 } b { word: 0 } steps_a: 10 steps_b: 11 counted: true common: 13 only_a: 14 only_b: 15 } "
     "series { name: \"t\" type: COLUMN_TYPE_TEXT rank: -1 state: SERIES_STATE_PARTS a { text: \"\" } b { text: \"x\\000\" } } "
     "series { name: \"j\" type: COLUMN_TYPE_F64 state: SERIES_STATE_ONLY_B a { real: -0.0 } b { json: \"[]\" } other_types: 24 } "
     "series { name: \"g\" type: COLUMN_TYPE_F64 state: SERIES_STATE_PARTS a { real: 1 } b { real: 2 } gap { quantum: 0.5 visible_step: 0 first: 1e-9 at_visible: 2 after_10: 3 after_30: 4 after_100: nan slope: -0.25 saturation: 6 greatest: 7 greatest_step: -8 bias: 0.75 points: 9 differing: 10 last_step: 11 } step_a: -12 step_b: 13 } "
     "axis: \"scalars.seen\" same_count: 7 steps_only_a: 8 steps_only_b: 9 only_a_first: 10 only_a_last: 11 only_b_first: 12 only_b_last: 13 ranks_only_a: 14 ranks_only_a: 15 ranks_only_b: 16 "
     "diagnosis { cause: CAUSE_DATA_ORDER confidence: CONFIDENCE_HIGH step: 0 sentence: \"s\" bits { answer: TIER_ANSWER_FAILS why: \"w1\" } numeric { why: \"w2\" } statistical { answer: TIER_ANSWER_HOLDS } "
     "evidence_for: \"f1\" evidence_for: \"f2\" evidence_against: \"x\" remaining: CAUSE_INIT remaining: CAUSE_UNSPECIFIED experiments { what: \"e\" command: \"c\" splits: \"p\" steps: 50 } features { group: \"divergence\" name: \"jump\" value: 0.5 } } "
     "repeats { matrix { runs { %s } runs { %s } states: PAIR_STATE_PARTS steps: 9 } groups: 0 groups: 1 pattern: PATTERN_SCATTERED odd: 0 sentence: \"rs\" "
     "rows { name: \"scalars.loss\" rank: -1 known: true points: 100 spread: 0.5 level: 0.25 spread_there: nan greatest: 2 greatest_step: -3 outside: 4 first_step: 0 first_r: 0.75 first_limit: 0.125 } "
     "rows { name: \"e\" why_not: \"w\" } rows { name: \"g\" known: true first_step: 6 grown: true } inside: TIER_ANSWER_FAILS verdict: \"rv\" spread: 0.0625 "
     "levels { name: \"scalars.loss\" rank: -1 known: true points: 7 first_step: -8 last_step: 9 repeats: 10 mean: 1.5 deviation: 2.5 candidate: 3.5 difference: 4.5 low: 5.5 high: 6.5 p_value: 7.5 seen: 8.5 answer: TIER_ANSWER_FAILS } "
     "levels { name: \"v\" why_not: \"lw\" difference: nan } level: TIER_ANSWER_HOLDS level_why: \"ly\" } "
     "layers { rows { layer: \"l.0\" what: \"gn\" series: \"scalars.gn\" rank: 1 first_step: -1 visible_step: 2 greatest: 0.5 greatest_step: 3 end: nan } layers: 7 visible: 4 within: 2 cut: true } "
     "ops { rows { rank: 2 role: OP_ROLE_ORIGIN step: -1 ordinal: 3 name: \"attn\" occurrence: 4 has_inputs: true in_a: 5 in_b: 5 out_a: 6 out_b: 7 } compared: 8 only_a: 9 only_b: 10 reordered: true } "
     "sketches { recorded: true has_rounding: true flat: true perturbation: 0.5 steps: 1 compared: 2 only_a: 3 only_b: 4 equal: 5 within: 6 above: 7 unjudged: 8 noise: 9 sizes: 10 "
     "not_finite: 11 shards: 12 first: 0 before: 13 sentence: \"st\" estimated: true group: SKETCH_GROUP_CLIPPED factor: 1.5 claim: \"c\" why: \"w\" apart: \"ap\" rows { step: -1 place: 2 name: \"m\" kind: \"grad\" occurrence: 3 part: SKETCH_PART_BACKWARD "
     "state: SKETCH_STATE_ABOVE count_a: 4 count_b: 5 nonfinite_a: 6 nonfinite_b: 7 distance: 8.5 rounding: 9.5 ratio: nan limit: 10.5 } } "
     "plots { group: \"around\" subject: \"loss\" name: \"a\" first_step: 5 width: 1 min: 1 max: 1 mean: 1 count: 1 } "
     "plots { group: \"around\" subject: \"loss\" name: \"b\" first_step: 5 width: 1 min: 6 max: 8 mean: 7 count: 1 } "
     "events { rows { rank: -1 change: EVENT_CHANGE_VALUE where: EVENT_WHERE_BEHIND step: -2 region: true name: \"rate\" occurrence: 3 a { value: 0.5 } b { text: \"t\" } } "
     "all_a: 4 all_b: 5 compared: 6 only_a: 7 only_b: 8 values: 9 reordered: 10 cut: true beyond_a: 11 beyond_b: 12 } "
     "cut_offs { name: \"quanta\" value: 4.5 standard: 3 } cut_offs { name: \"blow_up\" standard: 0.5 }"
     % (RUN % ident(1), RUN % ident(2), ident(3), RUN % ident(4), RUN % ident(5))),
    ("make_token_request", "MakeTokenRequest", 'name: "n" role: "push" projects: "a b" lifetime_s: 3'),
    ("revoke_token_request", "RevokeTokenRequest", 'token: "t"'),
    ("tokens_reply", "TokensReply",
     'tokens { id: "0011223344556677" name: "n" role: "read" projects: "*" maker: "ada" made_ns: 5 expires_ns: -6 } tokens { name: "m" } secret: "s"'),
    ("usage_reply", "UsageReply",
     'projects { project: "p" sealed_bytes: 2 raw_bytes: 3 names: 4 notes: 5 sealed_limit: 0 raw_limit: 7 names_limit: 8 notes_limit: 9 rows_limit: 10 } projects { project: "q" } '
     'senders { sender: "ada" own: true unnamed_bytes: 3 unnamed_limit: 0 } senders { sender: "bea" } uncounted: true'),
    ("chart_request", "ChartRequest",
     'runs: "p/a" runs: "id:4f1c" column: "lo\\000ss" axis: CHART_AXIS_TOKENS columns: 640 log_x: true log_y: true smooth: 2.5 by: "config.lr" rank: -1 cells: 1999 from: -0.5 to: 7'),
    ("chart_reply", "ChartReply",
     "column: \"loss\" unit: UNIT_SECONDS axis: CHART_AXIS_TIME log_x: true log_y: true smooth: 3.5 low: 0.25 high: 8 columns: 2 "
     "lines { run { %s } group { path: \"config.lr\" type: FACT_TYPE_TEXT source: FACT_SOURCE_RUN_JSON text: \"high\" } column: \"c\\000\" why_not: \"w\" rank: -1 values: 5 unplaced: 6 back: 7 odd: 8 "
     "x: 0.25 x: 0.5 x: 8 y: 1 y: nan y: -inf mean: 2 mean: nan odd_x: 4 odd_x: 5 odd_what: CHART_ODD_INF odd_what: CHART_ODD_NOT_ABOVE_ZERO "
     "cell_rows: 256 cell_first: 0.5 cell_first: 2 cell_last: 1 cell_last: 3 cell_min: -1 cell_min: nan cell_mean: 0 cell_mean: nan cell_max: 1 cell_max: nan "
     "cell_count: 255 cell_count: 0 cell_odd: 1 cell_odd: 256 } lines { run { %s } } cells: 2000"
     % (RUN % ident(1), RUN % ident(2))),
    ("matrix_request", "DiffMatrixRequest", 'runs: "p/a" runs: "p/b" runs: "id:4f1c"'),
    ("matrix_reply", "DiffMatrixReply",
     "runs { %s } runs { %s } runs { %s } states: PAIR_STATE_PARTS states: PAIR_STATE_APART states: PAIR_STATE_SAME steps: -7 steps: 0 steps: 0 "
     "endings { state: END_STATE_KILLED cause: END_CAUSE_SIGNAL type: \"SIGTERM\" step: 0 after: true ranks: 2 record: \"er\" sentence: \"es\" } endings {} endings { state: END_STATE_FINISHED }"
     % (RUN % ident(1), RUN % ident(2), RUN % ident(3))),
    ("resume_request", "CheckResumeRequest", 'parent: "p" child: "c" tolerance: 0.25'),
    ("resume_reply", "CheckResumeReply",
     "parent { %s } child { %s } restart: true restarts: 3 verdict: RESUME_VERDICT_UNDECIDED "
     "why { cause: CAUSE_RESUME_DATA confidence: CONFIDENCE_LOW step: 0 sentence: \"s\" bits {} numeric {} statistical {} features { group: \"resume\" name: \"n\" value: 2 } } "
     "lineage { parent: \"p\\000q\" id: %s step: 0 blocks: 6 shared_blocks: 5 prefix { first: -4 last: 7 } } "
     "ending_parent { state: END_STATE_CRASHED message: \"em\" } ending_child { state: END_STATE_RUNNING } before: \"be\""
     % (RUN % ident(1), RUN % ident(2), ident(3))),
    ("gate_input", "GateInput", GATE_INPUT),
    ("gate_request", "GateRequest",
     "candidates: \"c1\" candidates: \"c2\" baselines: \"branch:p/main\" pairs: \"p1\" pairs: \"p2\" "
     "policy { code: \"GATE\" threshold: \"metrics\" text: \"mfu\" } given { %s } replay: true ancestors: \"a\\nb\" ancestors_cut: true" % GATE_INPUT),
    ("gate_reply", "GateReply",
     "input { %s } state: GATE_STATE_REGRESSION exit_code: 1 sentence: \"s\" warnings: \"w1\" warnings: \"w2\" %s "
     "why { kind: \"phase\" name: \"forward\" baseline: 1 candidate: 2 share: 0.5 } "
     "ask { pairs: 4 base_commit: \"bc\" candidate_commit: \"cc\" baseline: %s candidate: %s } policy_digest: %s"
     % (GATE_INPUT, "rows { %s } " % GATE_ROW + "rows { state: GATE_STATE_PASS } " * (len(METRICS) - 1), ident(3), ident(4), ident(5))),
    ("trend_request", "TrendRequest",
     'branch: "branch:p/main" metric: "peak_memory" limit: 12 like: "l" policy { code: "GATE" threshold: "delta" value: 0.5 }'),
    ("trend_reply", "TrendReply",
     "branch: \"p/main\" metric: \"loss\" workload: \"w\" runs { id: %s commit: \"c\\000\" moved_ns: -3 value: -0.0 } "
     "runs { id: %s reason: \"marked bad\" accepted: true accept_reason: \"a\" } runs { id: %s value: 4.5 host: \"n1\" started_ns: 5 } left_out: 1 older: 7 "
     "changes { at: 2 last_before: 0 before: 1 after: 2 size: inf p: 0.0005 worse: true accepted: true with_host: true other: \"o\" other_size: -0.25 } moved { at: 2 last_before: 1 size: 0.5 } sentence: \"s\" "
     "drift { from: 0 to: 2 size: 0.25 low: -0.5 high: 0.75 worse: true accepted: true } host_spread: 0.125 weekday_spread: 0.0625 pruned: 8 pruned_ns: 9 better: \"lower\""
     % (ident(1), ident(2), ident(3))),
    ("reduce_request", "ReduceRunsRequest",
     'from: 1 analysis_version: 2 ids: %s metric: "m" policy { code: "GATE" threshold: "delta" value: 0.5 }' % ids(3, 4)),
    ("reduce_reply", "ReduceRunsReply", "self: true runs { %s }" % gate_run("GATE_ROLE_CANDIDATE", 2)),
    ("gate_run", "GateRun", gate_run("GATE_ROLE_HISTORY", 1)),
    ("verify_request", "VerifyRequest", "only_new: true"),
    ("verify_event", "VerifyEvent",
     "final: true done: 2 total: 3 objects: 4 bytes: 5 damaged: 6 missing: 7 ids: " + ids(8) + " misfits: 9 misfit: \"a\" misfit: \"b\" records: 10 drifts: 11 drift: \"c\" sound_ns: 12 unread: 13"),
    ("follow_request", "FollowRequest", "holds: \"a\\000b\""),
    ("follow_part", "FollowPart", "items: \"E\\001\""),
    ("gc_request", "CollectGarbageRequest", "dry_run: true lease_s: 0 removed_s: 7"),
    ("gc_reply", "CollectGarbageReply", "kept: 1 freed: 2 freed_bytes: 3 leased: 4 scored: 5 removed: 6 removed_bytes: 7"),
    ("retain_request", "RetainRequest",
     "policy: \"x\" as_of_ns: 2 items { kind: REF_KIND_BRANCH name: \"p/m\" id: %s seq: 3 } items { kind: REF_KIND_RUN name: \"p/r\" id: %s }"
     % (ident(1), ident(2))),
    ("retain_reply", "RetainReply",
     "as_of_ns: 1 rows { kind: REF_KIND_BRANCH name: \"p/m\" rule: \"*: all\" goes: 2 newest: 3 all: 4 later: 5 last: 6 younger: 7 tagged: 8 noted: 9 "
     "training: 10 on_branch: 11 } more_rows: 12 other_names: 13 other_entries: 14 names: 15 entries: 16 "
     "items { kind: REF_KIND_RUN name: \"p/r\" id: %s why: \"w\" } more_items: 17 objects: 18 bytes: 19 keep_removed_s: 20" % ident(3)),
]


def encode(message, text):
    done = subprocess.run(["protoc", "-I" + HERE, "--encode=tscope.v1." + message, "tscope/v1/tscope.proto"],
                          input=text.encode(), stdout=subprocess.PIPE, cwd=HERE)
    if done.returncode:
        sys.exit("%s: %s" % (message, text))
    return done.stdout


print("/* test_vectors.h - written by test_vectors.py from what protoc serializes. */")
print("#ifndef TSCOPE_PROTO_TEST_VECTORS_H\n#define TSCOPE_PROTO_TEST_VECTORS_H\n\n#include <stdint.h>\n")
for name, message, text in VECTORS:
    data = encode(message, text)
    print("static const uint8_t vector_%s[] = {" % name)
    for at in range(0, len(data), 20):
        print("\t" + ", ".join("0x%02x" % b for b in data[at:at + 20]) + ",")
    print("};\n")
print("#endif")
