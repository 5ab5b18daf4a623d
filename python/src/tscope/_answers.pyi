# Written by python/make_answers.py from docs/schemas.
from collections.abc import Iterator
from typing import Any, Optional, Union

class Record:
    def __init__(self, members: dict[str, Any]) -> None: ...
    def __getitem__(self, name: str) -> Any: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __hash__(self) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...

class Answer(Record):
    def __init__(self, members: dict[str, Any], verb: str, arguments: dict[str, Any], exit_code: int, remarks: str) -> None: ...
    @property
    def exit_code(self) -> int: ...
    @property
    def remarks(self) -> str: ...
    def brief(self) -> str: ...
    def page(self) -> str: ...
    def _repr_html_(self) -> str: ...

class AnyAnswer(Answer):
    def __getattr__(self, name: str) -> Any: ...

class DiffCutOff(Record):
    name: str
    value: float
    default: float

class DiffTier(Record):
    answer: str
    why: Optional[str]

class DiffDiagnosisTiers(Record):
    bit_exact: DiffTier
    numerically_equivalent: DiffTier
    statistically_equivalent: DiffTier

class DiffExperimentFactor(Record):
    path: str
    value: str

class DiffExperiment(Record):
    what: Optional[str]
    command: Optional[str]
    splits: Optional[str]
    run_step_count: int
    kind: str
    recipe: str
    factors: list[DiffExperimentFactor]
    stop: Optional[int]

class DiffDiagnosisUnknown(Record):
    group: str
    subject: str
    name: str
    reason: str

class DiffDiagnosis(Record):
    cause: str
    title: str
    confidence: str
    step: Optional[int]
    sentence: Optional[str]
    tiers: DiffDiagnosisTiers
    evidence_for: list[str]
    evidence_against: list[str]
    remaining: list[str]
    experiments: list[DiffExperiment]
    features: dict[str, Any]
    unknown: list[DiffDiagnosisUnknown]

class DiffRun(Record):
    id: str
    own_name: Optional[str]
    step_count: int
    first_step: Optional[int]
    last_step: Optional[int]
    rank_count: int

class DiffEnding(Record):
    state: str
    cause: str
    type: Optional[str]
    message: Optional[str]
    step: Optional[int]
    after_step: bool
    ranks: list[int]
    record: Optional[str]
    sentence: Optional[str]

class DiffOutcomeSide(Record):
    reason: Optional[str]

class DiffOutcome(Record):
    name: str
    a: DiffOutcomeSide
    b: DiffOutcomeSide
    reason: Optional[str]

class DiffFact(Record):
    type: str
    value: Union[Optional[Union[bool, float, str]], dict[str, Any], list[Any]]
    text_bytes: Optional[int]
    text_id: Optional[str]

class DiffFactRow(Record):
    group: str
    path: str
    rank: Optional[int]
    change: str
    a: Optional[DiffFact]
    b: Optional[DiffFact]

class DiffGap(Record):
    quantum: float
    visible_step: Optional[int]
    first_ratio: Optional[float]
    at_visible_ratio: Optional[float]
    after_10_ratio: Optional[float]
    after_30_ratio: Optional[float]
    after_100_ratio: Optional[float]
    slope_per_step: Optional[float]
    saturation_ratio: Optional[float]
    greatest_ratio: Optional[float]
    greatest_step: int
    a_greater_ratio: Optional[float]
    point_count: int
    differing_count: int
    last_step: int

class DiffSeriesRow(Record):
    name: str
    type: str
    role: str
    rank: Optional[int]
    state: str
    other_types: list[str]
    first_step: Optional[int]
    after_step: Optional[int]
    a_step: Optional[int]
    b_step: Optional[int]
    a: Optional[Union[float, str]]
    b: Optional[Union[float, str]]
    a_row_count: int
    b_row_count: int
    common_row_count: Optional[int]
    only_a_row_count: Optional[int]
    only_b_row_count: Optional[int]
    gap: Optional[DiffGap]

class DiffOnlyA(Record):
    step_count: int
    first_step: Optional[int]
    last_step: Optional[int]
    ranks: list[int]

class DiffOnlyB(Record):
    step_count: int
    first_step: Optional[int]
    last_step: Optional[int]
    ranks: list[int]

class DiffAliasRow(Record):
    a: str
    b: str
    rank_count: int
    equal_row_count: int
    parts: bool

class DiffOp(Record):
    rank: Optional[int]
    role: str
    step: int
    ordinal: int
    name: str
    occurrence: int
    a_inputs: Optional[str]
    b_inputs: Optional[str]
    a_output: Optional[str]
    b_output: Optional[str]
    after: Optional[str]

class DiffOps(Record):
    compared_count: int
    only_a_count: int
    only_b_count: int
    reordered: bool
    rows: list[DiffOp]
    apart: list[DiffOp]

class DiffEventSide(Record):
    value: Optional[float]
    text: Optional[str]

class DiffEventRow(Record):
    rank: Optional[int]
    change: str
    where: str
    step: Optional[int]
    region: bool
    name: str
    occurrence: int
    a: Optional[DiffEventSide]
    b: Optional[DiffEventSide]

class DiffEvents(Record):
    a_count: int
    b_count: int
    compared_count: int
    only_a_count: int
    only_b_count: int
    beyond_a_count: int
    beyond_b_count: int
    value_count: int
    reordered_count: int
    cut: bool
    rows: list[DiffEventRow]

class DiffLayerRow(Record):
    layer: str
    what: str
    series: str
    rank: Optional[int]
    first_step: int
    visible_step: int
    greatest_ratio: float
    greatest_step: int
    end_ratio: float

class DiffLayers(Record):
    layer_count: int
    differing_count: int
    within_count: int
    cut: bool
    rows: list[DiffLayerRow]

class DiffTensor(Record):
    step: int
    place: int
    name: str
    kind: str
    occurrence: int
    part: str
    state: str
    a_element_count: int
    b_element_count: int
    a_nonfinite_count: int
    b_nonfinite_count: int
    distance_ratio: Optional[float]
    rounding_ratio: Optional[float]
    over_rounding_ratio: Optional[float]
    limit_ratio: Optional[float]

class DiffTensors(Record):
    recorded: bool
    sentence: str
    has_rounding: bool
    flat: bool
    perturbation_ratio: float
    step_count: int
    compared_count: int
    only_a_count: int
    only_b_count: int
    equal_count: int
    within_count: int
    above_count: int
    unjudged_count: int
    noise_count: int
    sizes_count: int
    not_finite_count: int
    sharded_count: int
    first: Optional[int]
    before_count: int
    estimated: bool
    group: str
    factor_ratio: Optional[float]
    claim: str
    why: str
    apart: str
    rows: list[DiffTensor]

class DiffRepeatsPairs(Record):
    a: int
    b: int
    state: str
    first_step: Optional[int]

class DiffMatrixAlias(Record):
    a: str
    b: str

class DiffEnvelopeRow(Record):
    name: str
    rank: Optional[int]
    unknown_because: Optional[str]
    point_count: int
    spread_ratio: Optional[float]
    level_ratio: Optional[float]
    spread_there_ratio: Optional[float]
    greatest_ratio: Optional[float]
    greatest_step: Optional[int]
    outside_count: int
    is_real: bool
    has_grown: bool
    first_outside_step: Optional[int]
    first_outside_ratio: Optional[float]
    first_limit_ratio: Optional[float]

class DiffLevelRow(Record):
    name: str
    rank: Optional[int]
    unknown_because: Optional[str]
    point_count: int
    first_step: Optional[int]
    last_step: Optional[int]
    repeat_count: int
    mean: Optional[float]
    deviation: Optional[float]
    candidate: Optional[float]
    difference_ratio: Optional[float]
    low_ratio: Optional[float]
    high_ratio: Optional[float]
    p_value: Optional[float]
    seen_ratio: Optional[float]
    is_equivalent: Any

class DiffRepeats(Record):
    pattern: str
    sentence: str
    odd: Optional[int]
    runs: list[DiffRun]
    groups: list[list[int]]
    pairs: list[DiffRepeatsPairs]
    aliases: list[DiffMatrixAlias]
    inside: Any
    verdict: str
    spread_ratio: Optional[float]
    envelope: list[DiffEnvelopeRow]
    is_equivalent: Any
    equivalent_because: Optional[str]
    levels: list[DiffLevelRow]

class DiffPlot(Record):
    group: str
    subject: str
    name: str
    unit: Any
    first_step: int
    cell_step_count: int
    min: list[float]
    max: list[float]
    mean: list[float]
    count: list[int]
    nonfinite_count: int

class DiffRecipe(Record):
    commands: list[str]
    missing: list[str]

class DiffReproduce(Record):
    a: DiffRecipe
    b: DiffRecipe

class DiffTraceRecorded(Record):
    cuda_runtime_version: Optional[str]
    cuda_driver_version: Optional[str]
    cupti_version: Optional[str]
    hip_runtime_version: Optional[str]
    hip_driver_version: Optional[str]
    roctracer_version: Optional[str]
    schema_version: Optional[str]
    with_stack: Optional[bool]
    record_shapes: Optional[bool]
    profile_memory: Optional[bool]
    with_flops: Optional[bool]
    with_modules: Optional[bool]

class DiffTraceDiffSide(Record):
    recorded_step_count: Optional[int]
    warm_up_step_count: int
    step_count: int
    first_step: Optional[int]
    last_step: Optional[int]
    recorded: DiffTraceRecorded
    cut: bool
    summary: bool

class DiffTraceDiffSum(Record):
    sum_ns: int
    mean_ns: int
    count: Optional[int]
    least_count: Optional[int]
    most_count: Optional[int]
    median_call_ns: Optional[int]
    longest_ns: Optional[int]
    longest_at_ns: Optional[int]

class DiffTraceDiffRow(Record):
    name: str
    category: Optional[str]
    a: DiffTraceDiffSum
    b: DiffTraceDiffSum
    difference_ns: int
    low_ns: Optional[int]
    high_ns: Optional[int]
    time_differs: bool
    count_differs: bool
    replaced_by: Optional[str]
    replaced_under: Optional[str]

class DiffTraceDiffTable(Record):
    table: str
    differing_count: int
    one_sided_count: int
    rows: list[DiffTraceDiffRow]

class DiffTraceDiff(Record):
    trace_a: str
    trace_b: str
    verdict: str
    sentence: str
    recorded_apart: Optional[str]
    on_device: bool
    a: DiffTraceDiffSide
    b: DiffTraceDiffSide
    step: DiffTraceDiffRow
    host_step: Optional[DiffTraceDiffRow]
    tables: list[DiffTraceDiffTable]

class Diff(Answer):
    verdict: str
    reason: str
    axis: Optional[str]
    cut_offs: list[DiffCutOff]
    diagnosis: DiffDiagnosis
    a: DiffRun
    b: DiffRun
    a_ending: Optional[DiffEnding]
    b_ending: Optional[DiffEnding]
    outcomes: list[DiffOutcome]
    machines: Optional[str]
    facts: list[DiffFactRow]
    ignored_fact_count: int
    series: list[DiffSeriesRow]
    same_series_count: int
    only_a: DiffOnlyA
    only_b: DiffOnlyB
    a_superseded_row_count: int
    b_superseded_row_count: int
    aliases: list[DiffAliasRow]
    ops: DiffOps
    events: DiffEvents
    layers: DiffLayers
    tensors: DiffTensors
    repeats: Optional[DiffRepeats]
    plots: list[DiffPlot]
    reproduce: Optional[DiffReproduce]
    trace: Optional[DiffTraceDiff]

class AnalysisRun(Record):
    id: str
    own_name: Optional[str]
    step_count: int
    first_step: Optional[int]
    last_step: Optional[int]
    rank_count: int

class AnalysisEnding(Record):
    state: str
    cause: str
    type: Optional[str]
    message: Optional[str]
    step: Optional[int]
    after_step: bool
    ranks: list[int]
    record: Optional[str]
    sentence: Optional[str]

class AnalysisRecordedEvent(Record):
    kind: str
    name: str
    text: Optional[str]
    value: Optional[float]
    step: Optional[int]
    after_step: bool
    time_s: Optional[float]
    ranks: list[int]

class AnalysisRecordedEvents(Record):
    rows: list[AnalysisRecordedEvent]
    all_count: int
    more_count: int
    region_count: int

class AnalysisBoundShares(Record):
    kind: str
    share_ratio: Optional[float]
    reason: Optional[str]

class AnalysisFix(Record):
    name: str
    how: str
    of: str
    wins_most_ratio: float
    effort: int
    costs: Optional[str]
    source: Optional[str]

class AnalysisToCheck(Record):
    name: str
    how: str
    check: str
    of: str
    effort: int
    costs: Optional[str]
    source: Optional[str]

class AnalysisMemoryFix(Record):
    name: str
    how: str
    costs: Optional[str]
    source: Optional[str]
    saves_most_bytes: float
    effort: int

class AnalysisBound(Record):
    kind: str
    sentence: Optional[str]
    shares: list[AnalysisBoundShares]
    fixes: list[AnalysisFix]
    worth_checking: list[AnalysisToCheck]
    unknowns: list[str]
    memory: Optional[str]
    memory_fixes: list[AnalysisMemoryFix]

class AnalysisMeasure(Record):
    group: str
    subject: str
    name: str
    unit: Any
    value: Optional[Union[float, int, str]]
    reason: Optional[str]

class AnalysisFinding(Record):
    code: str
    severity: str
    title: str
    detail: str
    advice: str
    first_step: Optional[int]
    last_step: Optional[int]
    ranks: list[int]
    evidence_rank: Optional[int]
    evidence: list[AnalysisMeasure]

class AnalysisUnchecked(Record):
    code: str
    reason: str
    ranks: list[int]

class AnalysisUnknown(Record):
    group: str
    subject: str
    name: str
    reason: str

class AnalysisEvent(Record):
    kind: str
    group: str
    subject: str
    first_step: int
    last_step: int
    value: float
    expected: float
    score: float

class AnalysisPlot(Record):
    group: str
    subject: str
    name: str
    unit: Any
    first_step: int
    cell_step_count: int
    min: list[float]
    max: list[float]
    mean: list[float]
    count: list[int]
    nonfinite_count: int

class Analysis(Answer):
    run: AnalysisRun
    ending: Optional[AnalysisEnding]
    recorded_events: AnalysisRecordedEvents
    rank: int
    warmup_cut_count: int
    bound: AnalysisBound
    findings: list[AnalysisFinding]
    unchecked: list[AnalysisUnchecked]
    measures: dict[str, Any]
    unknown: list[AnalysisUnknown]
    events: list[AnalysisEvent]
    plots: list[AnalysisPlot]
    notes: list[str]

class GateGateRow(Record):
    metric: str
    unit: Any
    better: str
    verdict: str
    gates: bool
    counts: bool
    reason: Optional[str]
    baseline: Optional[float]
    candidate: Optional[float]
    baseline_session_count: int
    candidate_session_count: int
    change_ratio: Optional[float]
    low_ratio: Optional[float]
    high_ratio: Optional[float]
    candidate_low: Optional[float]
    candidate_high: Optional[float]
    floor: Optional[float]
    floored: bool
    sd: Optional[float]
    df: Optional[float]
    prior_sd: Optional[float]
    prior_df: Optional[float]
    t: Optional[float]
    p: Optional[float]
    could_miss_ratio: Optional[float]
    paired: bool
    pair_count: int
    pair_t: Optional[float]
    pair_p: Optional[float]

class GateGateWhy(Record):
    kind: Optional[str]
    name: Optional[str]
    baseline_s: Optional[float]
    candidate_s: Optional[float]
    share_ratio: Optional[float]

class GateGateAsk(Record):
    pair_count: int
    baseline_commit: Optional[str]
    candidate_commit: Optional[str]
    baseline_id: str
    candidate_id: str

class GateWorkloadDifference(Record):
    part: str
    path: Optional[str]
    baseline: Optional[str]
    candidate: Optional[str]

class GateChangedFact(Record):
    path: Optional[str]
    baseline: Optional[str]
    candidate: Optional[str]

class GateGateLoss(Record):
    bits: str
    numeric: str
    statistical: str
    sentence: Optional[str]

class GateGateRunMetrics(Record):
    step_time_s: Optional[float]
    step_time_mean_s: Optional[float]
    step_time_p95_s: Optional[float]
    stall_share_ratio: Optional[float]
    peak_memory_bytes: Optional[float]
    tokens_per_s_per_s: Optional[float]
    tokens_per_s_device_per_s: Optional[float]
    samples_per_s_per_s: Optional[float]
    samples_per_s_device_per_s: Optional[float]
    mfu_ratio: Optional[float]
    loss: Optional[float]
    step_time_p10_s: Optional[float]
    step_time_end_s: Optional[float]
    step_time_floor_s: Optional[float]
    cpu_time_s: Optional[float]

class GateReducedSeries(Record):
    name: str
    column: Optional[str]
    value: Optional[float]
    reason: Optional[str]
    last_step: int

class GateGateRun(Record):
    role: str
    group: int
    id: str
    name: Optional[str]
    commit: Optional[str]
    dirty: bool
    workload: Optional[str]
    session: Optional[str]
    started: Optional[str]
    record_count: int
    warmup_record_count: int
    excluded_record_count: int
    time_source: Optional[str]
    metrics: GateGateRunMetrics
    series: list[GateReducedSeries]
    loss_column: Optional[str]

class GatePassedOver(Record):
    id: str
    name: Optional[str]
    reason: Optional[str]

class Gate(Answer):
    verdict: str
    exit_code: Any
    sentence: Optional[str]
    rates: Optional[str]
    warnings: list[str]
    metrics: list[GateGateRow]
    why: list[GateGateWhy]
    wanted: Optional[GateGateAsk]
    not_comparable: Optional[str]
    other_work: Optional[str]
    lost: Optional[str]
    differences: list[GateWorkloadDifference]
    changed_facts: list[GateChangedFact]
    more_changed_fact_count: int
    loss: GateGateLoss
    baseline: Optional[str]
    chosen: Optional[str]
    runs: list[GateGateRun]
    passed_over: list[GatePassedOver]
    policy: str
    policy_digest: str
    analysis_version: int
    record: str

class CheckResumeTier(Record):
    answer: str
    why: Optional[str]

class CheckResumeDiagnosisTiers(Record):
    bit_exact: CheckResumeTier
    numerically_equivalent: CheckResumeTier
    statistically_equivalent: CheckResumeTier

class CheckResumeExperimentFactor(Record):
    path: str
    value: str

class CheckResumeExperiment(Record):
    what: Optional[str]
    command: Optional[str]
    splits: Optional[str]
    run_step_count: int
    kind: str
    recipe: str
    factors: list[CheckResumeExperimentFactor]
    stop: Optional[int]

class CheckResumeDiagnosisUnknown(Record):
    group: str
    subject: str
    name: str
    reason: str

class CheckResumeDiagnosis(Record):
    cause: str
    title: str
    confidence: str
    step: Optional[int]
    sentence: Optional[str]
    tiers: CheckResumeDiagnosisTiers
    evidence_for: list[str]
    evidence_against: list[str]
    remaining: list[str]
    experiments: list[CheckResumeExperiment]
    features: dict[str, Any]
    unknown: list[CheckResumeDiagnosisUnknown]

class CheckResumeRun(Record):
    id: str
    own_name: Optional[str]
    step_count: int
    first_step: Optional[int]
    last_step: Optional[int]
    rank_count: int

class CheckResumeLineage(Record):
    parent: Optional[str]
    parent_id: Optional[str]
    resumed_step: Optional[int]
    block_count: Optional[int]
    shared_block_count: Optional[int]
    shared_first_step: Optional[int]
    shared_last_step: Optional[int]

class CheckResumeEnding(Record):
    state: str
    cause: str
    type: Optional[str]
    message: Optional[str]
    step: Optional[int]
    after_step: bool
    ranks: list[int]
    record: Optional[str]
    sentence: Optional[str]

class CheckResume(Answer):
    verdict: str
    diagnosis: CheckResumeDiagnosis
    parent: Optional[CheckResumeRun]
    child: CheckResumeRun
    restart_count: Optional[int]
    lineage: CheckResumeLineage
    parent_ending: Optional[CheckResumeEnding]
    child_ending: Optional[CheckResumeEnding]
    before_restart: Optional[str]

class ShowRun(Record):
    id: str
    own_name: Optional[str]
    step_count: int
    first_step: Optional[int]
    last_step: Optional[int]
    rank_count: int

class ShowEnding(Record):
    state: str
    cause: str
    type: Optional[str]
    message: Optional[str]
    step: Optional[int]
    after_step: bool
    ranks: list[int]
    record: Optional[str]
    sentence: Optional[str]

class ShowRecordedEvent(Record):
    kind: str
    name: str
    text: Optional[str]
    value: Optional[float]
    step: Optional[int]
    after_step: bool
    time_s: Optional[float]
    ranks: list[int]

class ShowRecordedEvents(Record):
    rows: list[ShowRecordedEvent]
    all_count: int
    more_count: int
    region_count: int

class ShowRef(Record):
    kind: str
    name: str
    id: str

class ShowNote(Record):
    key: str
    value: str
    at: Optional[str]
    who: Optional[str]

class ShowLineage(Record):
    parent: Optional[str]
    parent_id: Optional[str]
    resumed_step: Optional[int]
    block_count: Optional[int]
    shared_block_count: Optional[int]
    shared_first_step: Optional[int]
    shared_last_step: Optional[int]

class ShowColumnMetric(Record):
    value_count: int
    nonfinite_count: int
    last: Optional[float]
    last_step: Optional[int]
    best: Optional[float]
    best_step: Optional[int]
    mean: Optional[float]
    min: Optional[float]
    min_step: Optional[int]
    max: Optional[float]
    max_step: Optional[int]

class ShowColumn(Record):
    name: str
    table: str
    type: str
    role: str
    lowest_rank: int
    rank_count: int
    row_count: int
    first_key: int
    last_key: int
    metric: Optional[ShowColumnMetric]

class ShowFile(Record):
    name: str
    rank: Optional[int]
    size_bytes: int

class ShowPrinted(Record):
    name: str
    rank: int
    size_bytes: int
    text: str

class ShowMachineColumn(Record):
    name: str
    known_count: int
    median: Optional[float]
    mean: Optional[float]
    least: Optional[float]
    most: Optional[float]
    most_at_s: Optional[float]

class ShowMachine(Record):
    rank: int
    observation_count: int
    seconds_s: float
    columns: list[ShowMachineColumn]

class Show(Answer):
    run: ShowRun
    ending: Optional[ShowEnding]
    recorded_events: Optional[ShowRecordedEvents]
    names: list[ShowRef]
    notes: list[ShowNote]
    lineage: Optional[ShowLineage]
    fact_counts: dict[str, Any]
    series: list[ShowColumn]
    files: list[ShowFile]
    output: Optional[list[ShowPrinted]]
    machine: Optional[ShowMachine]
    missing_ranks: list[int]
    missing_rank_count: int
    copy_of: Optional[str]
