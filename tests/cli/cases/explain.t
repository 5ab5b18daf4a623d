# The rules behind findings.
$ tscope explain
| code                            severity           fires when
| TIMING.DATALOADER_BOUND         high, medium       the phase data takes at least min_share of the step time
| TIMING.BACKWARD_HEAVY           medium, low        the phase backward, without the forward passes that the run declares to be computed again in it, takes at least min_ratio times as long as the phase forward
| TIMING.OPTIMIZER_HEAVY          low                the phase optimizer takes at least min_share of the step time
| TIMING.JITTER                   low                the coefficient of variation of the step times is at least min_cv, or their 95th percentile is at least min_tail times the median
| TIMING.STALLS                   high, medium, low  steps longer than three times the median lose, beyond the median, at least min_share of the step time; slow steps that come back every N steps are compared with each other instead (TIMING.PERIODIC), and what a step waited for a CPU does not count (TIMING.CPU_WAIT)
| TIMING.CPU_WAIT                 high, medium       the training thread was ready to run and had no CPU for at least min_share of the step time, where that was recorded (regions.cpu_wait)
| TIMING.PERIODIC                 high, medium, low  steps that come back every N steps, more regularly than chance explains, take at least half again as long as the others and cost at least min_share of the step time; not if N is work.accumulation. The first steps of epochs, where a column says them, need not be equally far apart
| TIMING.SLOWDOWN                 high, medium, low  the level of the step time rises by at least min_slowdown, at once or little by little, and stays there, or does so for a while
| TIMING.TWO_LEVELS               low                step times go to and fro between two levels, and the steps in the upper one cost at least min_share of the step time
| TIMING.UNATTRIBUTED             medium, low        at least min_share of the wall time is outside the phases of all steps
| CONVERGENCE.DIVERGED            high               the loss is NaN or infinite at any step
| CONVERGENCE.LOSS_CEASED         medium             the gradient norm or the learning rate goes on for at least min_missing usual distances after the last value of the loss
| CONVERGENCE.SKIPPED_UPDATES     medium, low        the loss scale of mixed precision falls at one step at least, because a gradient overflowed there
| CONVERGENCE.BLOW_UP             high, medium       the loss leaves its previous range and does not come back, though it stays finite: at one step, or in a rise at the end of the run to at least double its lowest level, by at least 5 % of what it had gained
| CONVERGENCE.NO_PROGRESS         high, medium, low  the loss rises at the end of the run or over its second half, or ends no lower than it began
| CONVERGENCE.SPIKES              medium, low        the loss jumps above its neighbouring values and comes back, at least min_spikes times
| CONVERGENCE.LEVEL_SHIFT         medium             the level of the loss rises by at least min_rise and stays there
| CONVERGENCE.GRAD_SPIKES         medium, low        grad_norm jumps above its neighbouring values and comes back, at least min_spikes times
| CONVERGENCE.NONFINITE           high, medium, low  any other series of training is NaN or infinite at any step
| CONVERGENCE.SERIES_MOVED        medium, low        a series that the run logs jumps to another level and stays there, ends in a rise or in a fall that its own ups and downs do not explain, drifts although the learning rate is 0, or is NaN or infinite to its end
| CONVERGENCE.BATCHES_REPEAT      medium             by their digests, at least 20 batches in a row, up to the last, are those of one fixed number of records before; 40 where there are only 2 to 8 batches; or at least min_share of more than 8 different batches, and min_doubled of them, are the one before; or behind three or more watched steps, and all of them, the next batch is the same
| CONVERGENCE.EQUAL_BATCHES       high               the digests of batches of two ranks are equal at every step, 3 at least, and so are those of their parameters; not where the batch never changes, as where a model is tried on one, or the facts say that the model is split over ranks (tensor, pipeline, context or expert parallelism)
| CONVERGENCE.NOT_TRAINED         high               by their digests, the parameters are the same at five or more records up to the last, more than twice as many as ever in a row before, and the learning rate is above 0 there
| CONVERGENCE.EVAL_MODE           high, medium, low  an optimizer updated parameters of a model all of whose modules were in evaluation mode, at one or more of the steps that the recorder looked at
| CONVERGENCE.EVAL_PART           low                an optimizer updated parameters of a model of which some modules with batch normalization or dropout, but not all modules, were in evaluation mode, at one or more of the steps that the recorder looked at; not where EVAL_MODE fires
| CONVERGENCE.PART_NOT_TRAINED    high, medium, low  by the digests of their tensors at three or more watched steps in a row, up to the last, parameters of the model never change or have gradients of zeros alone, and there is one cause for it at all of these steps; where gradients above zero come, only if a parameter of two dimensions or more is among them
| CONVERGENCE.GRADIENTS_KEPT      high               when the first gradient behind the optimizer's step comes, that of a small parameter still has the bits that the optimizer used, and the new one is added to it: behind three watched steps at least, and behind all that were looked at
| CONVERGENCE.GRADIENTS_STALE     high               by their digests, the gradients are the same at three or more records up to the last, and the parameters differ from each of these to the next
| CONVERGENCE.LOSS_CONSTANT       high, medium       the last 20 or more values of the loss are the same to the last bit, and the digests of three or more batches among them differ
| CONVERGENCE.INPUT_CONSTANT      medium             by the digests of the parts of a batch, one of them that is a tensor or array of real numbers is the same at three or more watched steps in a row, up to the last, while another part changes; and it has a row for each sample, more than two different numbers, and rows that differ or, where no other real number of the batch changes, rows of several numbers
| CONVERGENCE.EVALUATION_CHANGES  medium, low        between the first forward pass of an evaluation and the next step of training, torch counts a write into parameters or buffers of the model (but not into all parameters: then weights were put in as a whole), at two evaluations at least and at all that were seen, which are at least min_every steps apart on average
| CROSS.CORRELATED_INSTABILITY    high, medium, low  loss, gradient norm, step time or memory jump at the same steps more often than independent signals would by chance, and at least one of them goes up
| DIST.STRAGGLER                  high, medium       a permutation test over the ranks finds one or more ranks slower than the others
| DIST.LOAD_IMBALANCE             medium             no rank is a straggler, the coefficient of variation of the ranks' own time is at least min_cv, and at least min_lost of that time is lost
| DIST.COMM_BOUND                 high, medium       transfer, the least time that any rank spends in communication, takes at least min_share of the wall time
| DIST.WAIT_BOUND                 high, medium       the wait for slower ranks takes at least min_share of the wall time, averaged over the ranks
| DIST.MISSING_RANKS              medium             at least min_ranks ranks of the world have no steps in the run
| DIST.REPLICAS                   high               digests of parameters or of the optimizer's state that were equal on some ranks, also behind an update, are not equal any more, and stay so to the end; where the recorder saw DistributedDataParallel around the model, also of parameters that were equal at the first step alone
| DIST.EXPOSED_COMM               high, medium       communication that does not overlap with computation takes at least min_share of the devices' time, by a trace
| DIST.PIPELINE_BUBBLE            high, medium       the pipeline bubble is at least min_excess larger than the schedule requires or, where the number of microbatches is not known, at least min_bubble in all
| EFFICIENCY.MFU_IMPOSSIBLE       high               the model FLOP/s utilization (MFU) is more than max_mfu
| EFFICIENCY.MFU_SUSPICIOUS       medium             the model FLOP/s utilization (MFU) is more than max_mfu and at most 100 %
| EFFICIENCY.LOW_MFU              high, medium       the model FLOP/s utilization (MFU) is less than max_mfu, and a single cause takes at least min_recoverable of the wall time
| EFFICIENCY.LOGGED_MFU           medium, low        an MFU or a rate of FLOPs that the run logs is more than the devices can do, or the logged MFU is at least max_times as large or as small as the MFU that is computed here
| EFFICIENCY.RECOVERABLE          medium             the MFU is not known, and a single known cause other than computing takes at least min_share of the wall time; not if it is data, communication or waiting, which have rules of their own
| MEMORY.PRESSURE                 high, medium       the peak of memory is at least min_pressure of the device's memory
| MEMORY.FORECAST                 high, medium       memory grows as for MEMORY.GROWTH, and the device will be full within max_lengths times as many steps as it has grown for
| MEMORY.GROWTH                   high, medium       memory grows by more than chance explains (max_p_value), or its floor grows from some step to the end, as under a sawtooth, or rises in three stairs or more; the interval of its growth does not hold 0; and in all it grows by at least min_share of its peak
| MEMORY.FRAGMENTATION            medium, low        at the memory peaks of the steps, at least min_ratio of the reserved memory is unused, and the peak is at least min_peak
| MEMORY.RANK_IMBALANCE           medium             the largest memory peak of any rank is at least min_skew above the median of the ranks, and, where the device's memory is known, at least min_pressure of it
| MEMORY.OUT_OF_MEMORY            high               a request was refused, and what was free in segments that could have served it is, together with what the device had left, less than it asked for; or the device alone had enough left; by a memory snapshot
| MEMORY.OOM_FRAGMENTED           high               a request was refused although at least as much was free in segments that could have served it, alone or with what was left on the device, by a memory snapshot
| MEMORY.HEADROOM                 high, medium       less than min_bytes, and no more than max_share, of the device's memory was never reserved, by a memory snapshot
| MEMORY.FRAGMENTS                medium, low        at the end of a memory snapshot at least min_share of the reserved memory is free where empty_cache does not return it, and at least min_reserved is reserved
| MEMORY.RETRIES                  high, medium       at least min_retries requests made the allocator give cached segments back and ask the device again, by a memory snapshot
| MEMORY.EMPTIED                  low                memory that was given back to the device although no request needed it adds up to at least min_peaks times the most that was reserved, by a memory snapshot
| MEMORY.CARRIED                  medium, low        what outlived two steps of the optimizer, and is neither parameter, gradient nor optimizer state, is at least min_share of the peak, by a memory snapshot
| MEMORY.GRADIENTS_KEPT           medium, low        the peak lies in a forward pass, and gradients that are older than the optimizer's last step, or than the recording, hold at least min_share of it, by a memory snapshot
| MEMORY.OPTIMIZER_STATE          low                the state of the optimizer is at least min_share of the peak, by a memory snapshot
| MEMORY.CHURN                    low                one function asked for at least min_peaks times the peak in all, and for at least min_share of all that was asked for, by a memory snapshot
| TRACE.HOST_BOUND                high, medium       the device is idle because the host has not asked for the next work yet, and does not set the device up, for at least min_share of its time, by a trace
| TRACE.SYNC                      high, medium       calls with which the host waits for the device run it dry, and it is then idle, for as long as the calls took at most, for at least min_share of its time, by a trace
| TRACE.LAUNCH_BOUND              high, medium       the device has nothing queued and waits from the call to the begin of the work, for at least min_share of its time, by a trace
| TRACE.FIRST_LAUNCH              low                the device waits for the first work of a name for a millisecond and more, most of which the call lasts that launches it, or for as long a call that sets the device up, for at least min_share of its time in all, by a trace
| TRACE.COPIES                    high, medium       copies that overlap with neither computation nor communication take at least min_share of the devices' time, by a trace
| TRACE.FILLS                     low                fills of memory, by kernels and by memset, take at least min_share of the sum of all work, by a trace
| TRACE.ELEMENTWISE               low                elementwise kernels that nothing fused, and kernels that cast, transpose or otherwise copy, take at least min_share of the sum of all work, by a trace
| TRACE.LOADER                    high, medium       the device is idle because the host has not asked for the next work yet, while a thread of the host is in a data loader, for at least min_share of its time, by a trace
| TRACE.MATH_ATTENTION            medium             what aten::_scaled_dot_product_attention_math launched, or a product, a softmax and a product that make up attention, takes at least min_share of the sum of all work, by a trace
| TRACE.RECOMPILED                high, medium       torch.compile compiles on the host for at least min_share of the time of a trace
| TRACE.WAITING                   high, medium       a rank that computes nothing waits in its kernels of communication for ranks that have not come, for at least min_share of its time, by the traces of a job
| MACHINE.GPU_THROTTLED           high, medium       the driver of a GPU says for at least min_share of the time that its clock is held by heat, or by what its board or other GPUs ask
| MACHINE.GPU_POWER_LIMIT         medium             the clock of a GPU is held by its limit of power for at least min_share of the time, and the limit is at most max_limit of the one that its maker set; a GPU that reaches the limit that it was made with is fully used, and nothing is wrong
| MACHINE.GPU_SLOWER              high, medium       of the GPUs that were busy, one has at work a clock that is at least min_behind below the median of the others
| MACHINE.GPU_HOTTER              low                of the GPUs that were busy, one is at work at least min_hotter degrees Celsius above the median of the others, and has at least min_heat
| MACHINE.GPU_ERROR               high, medium       an Xid of the driver, or at least min_errors uncorrected errors of memory, came while the run went on
| MACHINE.TINY_KERNELS            medium             the GPUs that are used are busy for at most max_busy of the time, and by a trace of the run kernels take at most max_mean on the average while at least min_rate of them are launched in a second; without a trace the rule does not apply
| MACHINE.WORKERS_BUSY            high, medium, low  a worker uses at least min_cores of a core on the average, and steps wait for data for at least min_data of their time, or nothing says whether they do
| MACHINE.WORKERS_BLOCKED         high, medium, low  workers are blocked by a disk or a network file system for at least min_blocked of their time, and steps wait for data for at least min_data of theirs, or nothing says whether they do
| MACHINE.THREADS                 medium, low        threads of the training that run or could run are at least min_ready times the cores that it may use, on the average of at least min_looks looks
| MACHINE.CPU_QUOTA               high, medium       the control group of the run was held by its quota of CPU time for at least min_share of the time
| MACHINE.MEMORY_GROWS            high, medium, low  of the last three quarters of the run, cut into six parts, each has a higher least use of memory than the one before; the rise over them is at least min_share and min_bytes, takes at least min_s, and is at the end at least min_late of what it was at the beginning
| MACHINE.SWAPPING                high, medium       at least 100 pages a second were swapped in or out during at least min_share of the time
| MACHINE.NEIGHBOURS              high, medium       the host of a virtual machine gives at least min_stolen of its time to others; or other processes use at least min_others of the machine's cores, min_full of them are in use, and a process waited for a core for at least min_waits of the time, while neither a quota held the run nor its own threads were too many
$ tscope explain TIMING.JITTER
| TIMING.JITTER
| Step times vary widely.
|
| Fires when
|   the coefficient of variation of the step times is at least min_cv, or their
|   95th percentile is at least min_tail times the median.
|
| Severity
|   low.
|
| What to try
|   Look at what slow steps do that other steps do not: sequence lengths, garbage
|   collection, logging, other jobs on the host.
|
| Source
|   the rule of pytscope 0.2.1, with thresholds that a policy can set.
|
| Thresholds
|   min_steps = 10
|       number of steps that the rule needs
|   min_cv = 0.5 (50 %)
|       coefficient of variation (standard deviation divided by mean) from which
|       the rule fires
|   min_tail = 1.5
|       95th percentile divided by median from which the rule fires
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
|   Lower the learning rate or lengthen its warm-up, clip gradients, check the
|   inputs of the step named, and with mixed precision check the loss scale.
|
| Source
|   the rule of pytscope 0.2.1, corrected: an infinite loss is reported as
|   infinite; a loss that grows without NaN is CONVERGENCE.BLOW_UP.
|
| Thresholds
|   This rule has no thresholds.
|
| In a policy file
|   CONVERGENCE.DIVERGED = off
$ COLUMNS=60 tscope explain MEMORY.FRAGMENTATION
| MEMORY.FRAGMENTATION
| The allocator holds memory that no tensor uses.
|
| Fires when
|   at the memory peaks of the steps, at least min_ratio of
|   the reserved memory is unused, and the peak is at least
|   min_peak.
|
| Severity
|   medium if the share is at least medium_ratio, otherwise
|   low.
|
| What to try
|   Let segments expand
|   (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True), and
|   keep tensor shapes the same from step to step.
|
| Source
|   the rule of pytscope 0.2.1, corrected: it uses the peaks
|   within steps, not the ends of steps, where a healthy run
|   holds little memory.
|
| Thresholds
|   min_peak = 67108864 (64 MiB)
|       smallest peak of memory at which the rule fires
|   min_ratio = 0.2 (20 %)
|       share of the reserved memory that is unused from which
|       the rule fires
|   medium_ratio = 0.4 (40 %)
|       share of the reserved memory that is unused from which
|       the severity is medium
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
|       "trigger": "at least min_ranks ranks of the world have no steps in the run",
|       "advice": "Push the missing ranks (tscope push --join), or find out whether they died. Everything said about ranks holds only for the ranks that are present.",
|       "source": "new in tscope; pytscope 0.2.1 drops the whole section in this case",
|       "thresholds": [
|         {
|           "name": "min_ranks",
|           "default": 1.0,
|           "unit": "count",
|           "meaning": "number of missing ranks from which the rule fires"
|         }
|       ]
|     }
|   ]
| }
$ tscope explain --markdown | head -5
| # Findings
|
| These are all findings that `tscope analyze` can report about a run. `tscope explain --markdown` prints
| this page from the table in `analysis/rules/rules.c`, and a test keeps the page equal to that output.
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
