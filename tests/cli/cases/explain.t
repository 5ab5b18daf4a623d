# The rules behind findings.
$ tscope explain
| code                          severity           fires when
| TIMING.DATALOADER_BOUND       high, medium       phase data takes at least min_share of the step time
| TIMING.BACKWARD_HEAVY         high, medium       phase backward takes at least min_ratio times as long as phase forward
| TIMING.OPTIMIZER_HEAVY        low                phase optimizer takes at least min_share of the step time
| TIMING.JITTER                 low                the deviation of step times is at least min_cv of their mean, or their 95th percentile at least min_tail times the median
| TIMING.STALLS                 high, medium       what steps above three times the median take beyond the usual is at least min_share of the step time
| TIMING.SLOWDOWN               high, medium       the level of the step time rises by at least min_slowdown and stays
| TIMING.UNATTRIBUTED           medium, low        at least min_share of the wall time lies in no phase of any step
| CONVERGENCE.DIVERGED          high               the loss is NaN or infinite at any step
| CONVERGENCE.BLOW_UP           high               the loss leaves the range that it had and does not come back, though it stays finite
| CONVERGENCE.NO_PROGRESS       high, medium, low  the loss rises over the second half of the run, or ends no lower than it began
| CONVERGENCE.SPIKES            medium, low        the loss leaves its neighbourhood upwards and comes back, at least min_spikes times
| CONVERGENCE.LEVEL_SHIFT       medium             the level of the loss rises by at least min_rise and stays
| CONVERGENCE.GRAD_SPIKES       medium, low        grad_norm leaves its neighbourhood upwards and comes back, at least min_spikes times
| CONVERGENCE.NONFINITE         medium, low        any other series of training is NaN or infinite at any step
| CROSS.CORRELATED_INSTABILITY  high               loss, gradient norm, step time or memory jump at the same steps more often than signals that have nothing to do with each other would
| DIST.STRAGGLER                high, medium       one rank or several are slower than the others, by a test against exchanged ranks
| DIST.LOAD_IMBALANCE           medium             no rank is a straggler, the ranks' own time scatters by at least min_cv and at least min_lost of it is lost
| DIST.COMM_BOUND               high, medium       transfer, the least time that any rank spends in communication, is at least min_share of a step
| DIST.WAIT_BOUND               high, medium       waiting for slower ranks is at least min_share of a step, on average over ranks
| DIST.MISSING_RANKS            medium             at least min_ranks ranks of the world left no steps
| DIST.EXPOSED_COMM             high, medium       communication that no computation hides is at least min_share of the wall time; always unchecked as yet, because it takes a kernel trace
| DIST.PIPELINE_BUBBLE          high, medium       the stages idle for min_excess more of the time than the schedule asks for; where the number of microbatches is not known, for at least min_bubble in all
| EFFICIENCY.MFU_IMPOSSIBLE     high               model FLOP/s utilization is more than max_mfu
| EFFICIENCY.MFU_SUSPICIOUS     medium             model FLOP/s utilization is more than max_mfu and not more than 100 %
| EFFICIENCY.LOW_MFU            high, medium       model FLOP/s utilization is less than max_mfu, and a single cause takes at least min_recoverable of the wall time
| EFFICIENCY.RECOVERABLE        high, medium       MFU is not known, and a single known cause other than computing takes at least min_share of the wall time
| MEMORY.PRESSURE               high, medium       the peak of memory is at least min_pressure of what the device has
| MEMORY.FORECAST               high, medium       memory grows by more than chance explains (max_p_value), and the device is full within max_lengths times as many steps as were run
| MEMORY.GROWTH                 high, medium       memory grows by more than chance explains (max_p_value), and by at least min_share of its peak over the run
| MEMORY.FRAGMENTATION          medium, low        at the peaks of its steps at least min_ratio of reserved memory is unused, and the peak is at least min_peak
| MEMORY.RANK_IMBALANCE         medium             the greatest peak of memory of a rank is min_skew above the median rank's, and at least min_pressure of the device where that is known
$ tscope explain TIMING.JITTER
| TIMING.JITTER
| Step times scatter.
|
| Fires when
|   the deviation of step times is at least min_cv of their mean, or their 95th
|   percentile at least min_tail times the median.
|
| Severity
|   low.
|
| What to try
|   Look at what slow steps do that others do not: sequence lengths, garbage
|   collection, logging, other jobs on the host.
|
| Source
|   pytscope 0.2.1, with thresholds that can be set.
|
| Thresholds
|   min_steps = 10
|       fewer steps are not judged
|   min_cv = 0.5 (50 %)
|       deviation over mean from which it fires
|   min_tail = 1.5
|       95th percentile over median from which it fires
|
| In a policy file
|   TIMING.JITTER.min_steps = 10
|   TIMING.JITTER = off
$ tscope explain CONVERGENCE.DIVERGED
| CONVERGENCE.DIVERGED
| The loss is not finite.
|
| Fires when
|   the loss is NaN or infinite at any step.
|
| Severity
|   high.
|
| What to try
|   Lower the learning rate or warm it up longer, clip gradients, check the inputs
|   of the step named, and with mixed precision the loss scale.
|
| Source
|   pytscope 0.2.1; mended: an infinite loss is shown as such; growth without NaN
|   is CONVERGENCE.BLOW_UP.
|
| Thresholds
|   It has none.
|
| In a policy file
|   CONVERGENCE.DIVERGED = off
$ COLUMNS=60 tscope explain MEMORY.FRAGMENTATION
| MEMORY.FRAGMENTATION
| The allocator holds memory that no tensor uses.
|
| Fires when
|   at the peaks of its steps at least min_ratio of reserved
|   memory is unused, and the peak is at least min_peak.
|
| Severity
|   medium from medium_ratio on, else low.
|
| What to try
|   Let segments expand
|   (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), and
|   keep shapes the same from step to step.
|
| Source
|   pytscope 0.2.1; mended: peaks within steps, not the trough
|   at their end, where a healthy run holds little.
|
| Thresholds
|   min_peak = 67108864 (64 MiB)
|       smaller peaks are not judged
|   min_ratio = 0.2 (20 %)
|       unused over reserved from which it fires
|   medium_ratio = 0.4 (40 %)
|       unused over reserved from which it is medium
|
| In a policy file
|   MEMORY.FRAGMENTATION.min_peak = 67108864
|   MEMORY.FRAGMENTATION = off
$ tscope explain jitter
! tscope: there is no rule 'jitter'; did you mean 'TIMING.JITTER'?
[2]
$ tscope explain unheard.of
! tscope: there is no rule 'unheard.of'; 'tscope explain' lists the rules
[2]
$ tscope explain --json DIST.MISSING_RANKS
| {
|   "rules": [
|     {
|       "code": "DIST.MISSING_RANKS",
|       "title": "Ranks are missing",
|       "severity": "medium",
|       "trigger": "at least min_ranks ranks of the world left no steps",
|       "advice": "Push the rest (tscope push --join), or find out whether these ranks died; what is said of ranks holds for those there are.",
|       "source": "ours: pytscope 0.2.1 drops the whole section then",
|       "thresholds": [
|         {
|           "name": "min_ranks",
|           "default": 1.0,
|           "unit": "count",
|           "meaning": "missing ranks from which it fires"
|         }
|       ]
|     }
|   ]
| }
$ tscope explain --markdown | head -5
| # Findings
|
| What `tscope analyze` may say of a run. This is what `tscope explain --markdown` prints of the
| table in `analysis/rules/rules.c`; a test holds the two together.
|
$ tscope explain --markdown --json
| {
|   "error": {
|     "status": "invalid",
|     "message": "explain: --markdown and --json cannot be combined"
|   }
| }
! tscope: explain: --markdown and --json cannot be combined
[2]
