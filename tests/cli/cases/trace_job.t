# Four ranks of five, whose figures were chosen first (tests/golden/trace/make_job.py): rank 2 computes 3 ms longer than the others before each of two
# collectives of a step, and ranks 2 and 3 are on a host whose clock is 5 ms behind.
$ tscope analyze ./traced/job
| folder    ./traced/job
| of        4 ranks of 5, nccl, on NVIDIA H100
| over      all of each trace (--warmup N leaves out the first N steps that each marks)
| note      no trace of rank 4
| note      trace.json was not read: byte 35: expected a value
| note      kineto.json does not say its rank, and is left out
| note      copy.pt.trace.json is left out: rank 0, at the time of b_70.1.pt.trace.json.gz
| note      notes.txt is no trace
|
| What to try first
|   1. Ranks wait for each other. Look at the ranks that others wait for: whether they compute more than the others, load data, or wait for their host. Balance the work of ranks. A faster network saves none of this time.
|
| Findings (tscope explain CODE has the rule)
|   high: DIST.EXPOSED_COMM: Communication that overlaps with no computation takes 62 % of the devices' time, 19.8 ms of 31.8 ms; 0 % of the communication is overlapped. These are the numbers of rank 0; all 4 ranks show this.
|   high: TRACE.WAITING: The device waits in communication for ranks that have not come, and computes nothing, for 57 % of its time, 18.0 ms; of all ranks, rank 2 is the one that others waited for longest: 100 % of all their waiting. These are the numbers of rank 0; of 4 ranks, ranks 0, 1 and 3 show this; the other rank does not.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 12 events of devices, and the rule needs 50
|   not checked: TRACE.MATH_ATTENTION: the trace does not have the operators of most of its work
|
| Times of ranks (waiting: for ranks that had not come, a sum; the others are unions)
|   rank          events          span          busy         idle   computation  communication       exposed       waiting  exposed waiting
|   0                 12  31.812900 ms  31.812900 ms  0.000000 ms  12.000600 ms   19.812300 ms  19.812300 ms  18.012300 ms     18.012300 ms
|   1                 12  31.812900 ms  31.812900 ms  0.000000 ms  12.006600 ms   19.806300 ms  19.806300 ms  18.006300 ms     18.006300 ms
|   2                 12  31.812900 ms  31.812900 ms  0.000000 ms  30.012900 ms    1.800000 ms   1.800000 ms   0.000000 ms      0.000000 ms
|   3                 12  31.812900 ms  31.812900 ms  0.000000 ms  12.018900 ms   19.794000 ms  19.794000 ms  17.994000 ms     17.994000 ms
|   mean                  31.812900 ms  31.812900 ms  0.000000 ms  16.509750 ms   15.303150 ms  15.303150 ms  13.503150 ms     13.503150 ms
|   least                 31.812900 ms  31.812900 ms  0.000000 ms  12.000600 ms    1.800000 ms   1.800000 ms   0.000000 ms      0.000000 ms
|   most                  31.812900 ms  31.812900 ms  0.000000 ms  30.012900 ms   19.812300 ms  19.812300 ms  18.012300 ms     18.012300 ms
|   most on rank                     0             0            0             2              0             0             0                0
|
| Steps of ranks: means (own time: what a step took less exposed waiting, over steps that all ranks have)
|   rank  steps   on the host          busy   computation  communication      exposed      own time
|   0         3  10.604300 ms  10.604300 ms   4.000200 ms    6.604100 ms  6.604100 ms   4.616866 ms
|   1         3  10.604300 ms  10.604300 ms   4.002200 ms    6.602100 ms  6.602100 ms   4.618866 ms
|   2         3  10.604300 ms  10.604300 ms  10.004300 ms    0.600000 ms  0.600000 ms  10.620966 ms
|   3         3  10.604300 ms  10.604300 ms   4.006300 ms    6.598000 ms  6.598000 ms   4.622966 ms
|
| Clocks
|   rank          add  drift   error from           to  residual
|   0           +0 ns   none        +0 ns        +0 ns      0 ns
|   1           +0 ns   none   -301000 ns   +300000 ns      0 ns
|   2     +5000000 ns   none  -6303100 ns   +300000 ns      0 ns
|   3     +5000000 ns   none  -6303100 ns  +3299000 ns      0 ns
|   Ends of a collective lie 0.000000 ms apart in half of the cases, 0.000000 ms in 95 %, 0.000000 ms at most.
|
| Who arrives last at collectives (step if in time: what a step, now 10.620966 ms, would take at least if the rank came with the next to last)
|   rank  last  of  others waited  behind the next  behind the first  waited itself  step if in time
|   0        0   6    0.000000 ms      0.000000 ms       0.000000 ms   18.012300 ms     10.620966 ms
|   1        3   6    0.003000 ms      0.003000 ms       0.006000 ms   18.006300 ms     10.619966 ms
|   2        6   6   54.009600 ms     17.994000 ms      27.006300 ms    0.000000 ms      4.622966 ms
|   3        0   6    0.000000 ms      0.000000 ms       9.012300 ms   17.994000 ms     10.620966 ms
|
| The latest arrivals (times are those of the first rank's trace)
|   rank      late by  others waited     transfer  kind        group  which     first began at
|   2     6.003100 ms   15.004200 ms  0.300000 ms  all_reduce  2      number 1      5301200 ns
|   2     6.003100 ms   15.004200 ms  0.300000 ms  all_reduce  2      number 2     15905500 ns
|   2     6.003100 ms   15.004200 ms  0.300000 ms  all_reduce  2      number 3     26509800 ns
|   2     2.999000 ms    2.999000 ms  0.300000 ms  all_reduce  1      number 1      3003100 ns
|   2     2.999000 ms    2.999000 ms  0.300000 ms  all_reduce  1      number 2     13607400 ns
|   and 4 collectives; --json has all
|
| Skew by process group (last begin - first begin of a collective)
|   group  ranks  matched by  collectives         mean         95 %         most     transfer  most often last
|   0      0-1    number                3  0.001000 ms  0.001000 ms  0.001000 ms  0.900000 ms  rank 1, 3
|   1      2-3    number                3  2.999000 ms  2.999000 ms  2.999000 ms  0.900000 ms  rank 2, 3
|   2      0-3    number                3  6.003100 ms  6.003100 ms  6.003100 ms  0.900000 ms  rank 2, 3
|
| Communication of all ranks (sums over kernels)
|   kind        kernels          time  matched       waiting     transfer      unknown
|   all_reduce       24  61.212600 ms       24  54.012600 ms  7.200000 ms  0.000000 ms
|
| Stragglers, by own time of steps
|   It cannot be decided whether a rank is slow: 3 steps of all ranks do not show for how long differences between them last. It would take at least 8 steps.
# Sends, a broadcast, and a reduce of which no trace says who its root is.
$ tscope analyze ./traced/pipeline
| folder    ./traced/pipeline
| of        3 ranks of 3, nccl, on NVIDIA H100
| over      all of each trace (--warmup N leaves out the first N steps that each marks)
|
| What to try first
|   1. Ranks wait for each other. Look at the ranks that others wait for: whether they compute more than the others, load data, or wait for their host. Balance the work of ranks. A faster network saves none of this time.
|
| Findings (tscope explain CODE has the rule)
|   high: DIST.EXPOSED_COMM: Communication that overlaps with no computation takes 53 % of the devices' time, 13.5 ms of 25.5 ms; 0 % of the communication is overlapped. These are the numbers of rank 0; all 3 ranks show this.
|   high: TRACE.WAITING: The device waits in communication for ranks that have not come, and computes nothing, for 38 % of its time, 9.61 ms; of all ranks, rank 1 is the one that others waited for longest: 100 % of all their waiting. These are the numbers of rank 0; of 3 ranks, ranks 0 and 2 show this; the other rank does not.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 24 events of devices, and the rule needs 50
|   not checked: TRACE.MATH_ATTENTION: the trace does not have the operators of most of its work
|
| Times of ranks (waiting: for ranks that had not come, a sum; the others are unions)
|   rank          events          span          busy         idle   computation  communication       exposed      waiting  exposed waiting
|   0                 24  25.518000 ms  25.518000 ms  0.000000 ms  12.002700 ms   13.515300 ms  13.515300 ms  9.612300 ms      9.612300 ms
|   1                 30  25.518000 ms  25.518000 ms  0.000000 ms  22.518000 ms    3.000000 ms   3.000000 ms  0.000000 ms      0.000000 ms
|   2                 24  25.518000 ms  25.518000 ms  0.000000 ms  12.027000 ms   13.491000 ms  13.491000 ms  9.594000 ms      9.594000 ms
|   mean                  25.518000 ms  25.518000 ms  0.000000 ms  15.515900 ms   10.002100 ms  10.002100 ms  6.402100 ms      6.402100 ms
|   least                 25.518000 ms  25.518000 ms  0.000000 ms  12.002700 ms    3.000000 ms   3.000000 ms  0.000000 ms      0.000000 ms
|   most                  25.518000 ms  25.518000 ms  0.000000 ms  22.518000 ms   13.515300 ms  13.515300 ms  9.612300 ms      9.612300 ms
|   most on rank                     0             0            0             1              0             0            0                0
|
| Steps of ranks: means (own time: what a step took less exposed waiting, over steps that all ranks have)
|   rank  steps  on the host         busy  computation  communication      exposed     own time
|   0         3  8.506000 ms  8.506000 ms  4.000900 ms    4.505100 ms  4.505100 ms  5.318566 ms
|   1         3  8.506000 ms  8.506000 ms  7.506000 ms    1.000000 ms  1.000000 ms  8.522666 ms
|   2         3  8.506000 ms  8.506000 ms  4.009000 ms    4.497000 ms  4.497000 ms  5.324666 ms
|
| Clocks
|   One clock for all ranks: no collective ends on a rank before it begins on another, and ends show no difference that lasts.
|   Ends of a collective lie 0.000000 ms apart in half of the cases, 0.000000 ms in 95 %, 0.000000 ms at most.
|
| Who arrives last at collectives (step if in time: what a step, now 8.522666 ms, would take at least if the rank came with the next to last)
|   rank  last  of  others waited  behind the next  behind the first  waited itself  step if in time
|   0        0   6    0.000000 ms      0.000000 ms       0.000000 ms    9.612300 ms      8.522666 ms
|   1        9   9   19.206300 ms      9.600000 ms      16.212300 ms    0.000000 ms      5.823666 ms
|   2        0   6    0.000000 ms      0.000000 ms       6.612300 ms    9.594000 ms      8.522666 ms
|
| The latest arrivals (times are those of the first rank's trace)
|   rank      late by  others waited     transfer  kind        group  which     first began at
|   1     2.703100 ms    3.202100 ms  0.200000 ms  all_reduce  2      number 1      3200200 ns
|   1     2.703100 ms    3.202100 ms  0.200000 ms  all_reduce  2      number 2     11706200 ns
|   1     2.703100 ms    3.202100 ms  0.200000 ms  all_reduce  2      number 3     20212200 ns
|   1     2.200000 ms    2.200000 ms  0.200000 ms  send_recv   all    step 1        2002100 ns
|   1     2.200000 ms    2.200000 ms  0.200000 ms  send_recv   all    step 2       10508100 ns
|   and 7 collectives; --json has all
|
| Skew by process group (last begin - first begin of a collective)
|   group  ranks  matched by  collectives         mean         95 %         most     transfer  most often last
|   2      0-2    number                3  2.703100 ms  2.703100 ms  2.703100 ms  0.600000 ms  rank 1, 3
|   3      0-2    number                0            -            -            -            -  -
|   4      0-2    number                0            -            -            -            -  -
|   all    0-2    -                     0            -            -            -            -  -
|
| Communication of all ranks (sums over kernels)
|   kind        kernels          time  matched      waiting     transfer      unknown
|   all_reduce        9  11.406300 ms        9  9.606300 ms  1.800000 ms  0.000000 ms
|   broadcast         9   4.800000 ms        9  3.000000 ms  1.800000 ms  0.000000 ms
|   reduce            9   4.800000 ms        9      unknown  1.800000 ms  3.000000 ms
|   send_recv        12   9.000000 ms       12  6.600000 ms  1.800000 ms  0.600000 ms
|   Unknown of reduce: the traces do not name the root of 9 of the matched kernels.
|   Unknown of send_recv: a rank that nobody waits for may wait or fill buffers until the last comes.
|
| Stragglers, by own time of steps
|   It cannot be decided whether a rank is slow: 3 steps of all ranks do not show for how long differences between them last. It would take at least 8 steps.
# What only runs have is refused; one trace of a folder is looked at by its own path.
$ for option in '--rank 2' '--step 2' '--flops-per-step 1e9' '--at peak'; do tscope analyze ./traced/job $option; done
! tscope: analyze: --rank is for what was pushed, and ./traced/job is a folder of profiler's traces: tscope analyze ./traced/job/FILE shows one of its traces
! tscope: analyze: --step is for one trace, and ./traced/job is a folder of profiler's traces: tscope analyze ./traced/job/FILE --step 2
! tscope: analyze: --flops-per-step is for runs, and ./traced/job is a folder of profiler's traces
! tscope: analyze: --at is for memory snapshots, and ./traced/job is a folder of profiler's traces
[2]
# The rules on traces are asked of each rank. Communication takes 62 % of the time of three ranks, all of it exposed, and 6 % of that of rank 2.
$ tscope analyze ./traced/job --fail-on high > /dev/null; printf 'DIST.EXPOSED_COMM.min_share = 0.1\nDIST.EXPOSED_COMM.high_share = 0.7\n' > job.policy; tscope analyze ./traced/job --policy job.policy --fail-on high | grep -A6 ^Findings; tscope analyze ./traced/job --policy job.policy --fail-on medium > /dev/null; echo $?; echo 'DIST.NO = 1' > no.policy; tscope analyze --policy no.policy ./traced/job
| Findings (tscope explain CODE has the rule)
|   high: TRACE.WAITING: The device waits in communication for ranks that have not come, and computes nothing, for 57 % of its time, 18.0 ms; of all ranks, rank 2 is the one that others waited for longest: 100 % of all their waiting. These are the numbers of rank 0; of 4 ranks, ranks 0, 1 and 3 show this; the other rank does not.
|   medium: DIST.EXPOSED_COMM: Communication that overlaps with no computation takes 62 % of the devices' time, 19.8 ms of 31.8 ms; 0 % of the communication is overlapped. These are the numbers of rank 0; of 4 ranks, ranks 0, 1 and 3 show this; the other rank does not.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 12 events of devices, and the rule needs 50
|   not checked: TRACE.MATH_ATTENTION: the trace does not have the operators of most of its work
|
| Times of ranks (waiting: for ranks that had not come, a sum; the others are unions)
| 1
! tscope: analyze: no.policy:1: there is no rule DIST.NO; 'tscope explain' lists them
[2]
$ tscope analyze ./traced/job --html ./job.html > told.txt && grep -o '<h1>[^<]*\|<h2>[^<]*' job.html | head -4; tscope analyze --html - ./traced/job | tail -1; tscope analyze ./traced/job | diff told.txt - && echo the same
| <h1>./traced/job
| <h2>What to try first
| <h2>Findings (tscope explain CODE has the rule)
| <h2>Times of ranks (waiting: for ranks that had not come, a sum; the others are unions)
| <footer>tscope VERSION, a profiler&#39;s traces of the ranks of a job</footer></body></html>
| the same
! tscope: wrote ./job.html
# The same traces in a run: the same is said, from the columns; of files that are no traces push told.
$ mkdir pushed && cp -r traced/job/. pushed && tscope push pushed
| name      default/pushed
| id        a6b13910d4f10a6e1a4ed1f05767373d11832c0a22fe10fe649538926b7e01dc
| format    PyTorch profiler trace
| steps     0 steps, 4 ranks
| sent SIZE (87 objects)
| new SIZE
| outcome   created
! tscope: pushed/trace.json: skipped: trace_not_read: byte 35: expected a value
! tscope: pushed: unread: notes.txt
$ tscope analyze pushed > stored.txt; tscope analyze ./traced/job > folder.txt; diff folder.txt stored.txt
| 1c1
| < folder    ./traced/job
| ---
| > run       pushed
| 5c5,7
| < note      trace.json was not read: byte 35: expected a value
| ---
| > note      trace.json was not read: push could not read it
| > note      1 file of the run was not read: its folder, pushed again, says why, and tscope export
| >           pushed writes it back
| 7,8c9
| < note      copy.pt.trace.json is left out: rank 0, at the time of b_70.1.pt.trace.json.gz
| < note      notes.txt is no trace
| ---
| > note      rank0/copy.pt.trace.json is left out: rank 0, at the time of rank0/b_70.1.pt.trace.json.gz
| 72a74,75
| > $
| > The run has traces and no steps: tscope analyze pushed --trace NAME shows what one says.
[1]
$ tscope analyze --json pushed | python3 -c "import json,sys; j=json.load(sys.stdin); print(j['folder'], [r['rank'] for r in j['ranks']], [(f['file'], f['state']) for f in j['files']][:3])"
| pushed [0, 1, 2, 3] [('kineto.json', 'no_rank'), ('rank0/b_70.1.pt.trace.json.gz', 'read'), ('rank0/copy.pt.trace.json', 'same_time')]
# What a job does not have is asked of one trace.
$ for option in '--rank 2' '--step 2' '--flops-per-step 1e9' '--device-memory 80GiB' '--at peak' '--overlay x.json'; do tscope analyze pushed $option; done
! tscope: analyze: --rank is for one trace or one memory snapshot, and pushed is a run with the traces of several ranks, and without steps: tscope analyze pushed --trace NAME --rank 2
! tscope: analyze: --step is for one trace, and pushed is a run: tscope analyze pushed --trace NAME --step 2
! tscope: analyze: --flops-per-step is for runs, and pushed is a run with the traces of several ranks, and without steps
! tscope: analyze: --device-memory is for one memory snapshot, and pushed is a run with the traces of several ranks, and without steps: tscope analyze pushed --snapshot NAME --device-memory 80GiB
! tscope: analyze: --at is for one memory snapshot, and pushed is a run: tscope analyze pushed --snapshot NAME --at peak
! tscope: analyze: --overlay is for the file of a trace, and pushed is a run: tscope export pushed DIRECTORY writes its files
[2]
$ tscope analyze pushed --rows | head -3; tscope analyze pushed --fresh | head -2
| run       pushed a6b13910d4f1 0 steps, 4 ranks
| rank      0
| warm-up   no steps left out
| run       pushed
| of        4 ranks of 5, nccl, on NVIDIA H100
$ tscope analyze pushed --policy job.policy --fail-on high | grep -A2 ^Findings; tscope analyze pushed --policy job.policy --fail-on medium > /dev/null; echo $?; tscope analyze pushed --html - | tail -1; tscope analyze --json pushed | python3 -c "import json,sys; j=json.load(sys.stdin); print([(f['code'], f['severity'], f['ranks']) for f in j['findings']], [f['file'] for f in j['files'] if f['state'] == 'failed'])"
| Findings (tscope explain CODE has the rule)
|   high: TRACE.WAITING: The device waits in communication for ranks that have not come, and computes nothing, for 57 % of its time, 18.0 ms; of all ranks, rank 2 is the one that others waited for longest: 100 % of all their waiting. These are the numbers of rank 0; of 4 ranks, ranks 0, 1 and 3 show this; the other rank does not.
|   medium: DIST.EXPOSED_COMM: Communication that overlaps with no computation takes 62 % of the devices' time, 19.8 ms of 31.8 ms; 0 % of the communication is overlapped. These are the numbers of rank 0; of 4 ranks, ranks 0, 1 and 3 show this; the other rank does not.
| 1
| <footer>tscope VERSION, a profiler&#39;s traces of the ranks of a job</footer></body></html>
| [('DIST.EXPOSED_COMM', 'high', [0, 1, 2, 3]), ('TRACE.WAITING', 'high', [0, 1, 3])] ['trace.json']
# Files that push could not read are in the run: of more than eight the first are named, and none is passed over beside one trace, or none that could be read. Memory snapshots are named, too.
$ cp -r pushed many; cp memory/batch2.pickle many/rank0_snapshot.pickle; head -c 900 memory/batch2.pickle > many/rank1_snapshot.pickle; for i in 1 2 3 4 5 6 7 8 9; do cp traced/bad.json many/w_$i.pt.trace.json; done; tscope push -q many 2> /dev/null | tail -1; tscope analyze many | grep -A1 -E 'push could not|more such|pushed again|also has'
| outcome   created
| note      trace.json was not read: push could not read it
| note      w_1.pt.trace.json was not read: push could not read it
| note      w_2.pt.trace.json was not read: push could not read it
| note      w_3.pt.trace.json was not read: push could not read it
| note      w_4.pt.trace.json was not read: push could not read it
| note      w_5.pt.trace.json was not read: push could not read it
| note      w_6.pt.trace.json was not read: push could not read it
| note      w_7.pt.trace.json was not read: push could not read it
| note      and 3 more such files; --json has all
| note      11 files of the run were not read: its folder, pushed again, says why, and tscope export
|           many writes them back
| --
| The run also has a memory snapshot: rank0_snapshot.pickle (rank 0); tscope analyze many --snapshot NAME shows what it says.
$ mkdir single none; cp traced/trace.json traced/bad.json single; mv single/bad.json single/kineto.json; cp traced/bad.json none/trace.json; echo '{"step": 0, "phases": {"forward": 1.0}}' > none/steps.jsonl; tscope push -q single none 2> /dev/null | grep outcome; tscope analyze single | tail -3; tscope analyze none | tail -3
| name            id            steps      sent       new  outcome
|   0.270000 ms        0.4 %  0.300000 ms      6  0.050000 ms  main    aten::mm
|
| 1 file of the run was not read when it was pushed: kineto.json (the job); its folder, pushed again, says why, and tscope export single writes it back.
|   the run has no series of scalars beside times, rates and settings: CONVERGENCE.SERIES_MOVED
|
| 1 file of the run was not read when it was pushed: trace.json (rank 0); its folder, pushed again, says why, and tscope export none writes it back.
# The only trace is not that of another rank.
$ tscope export single --table kernels | wc -l; tscope export single --table kernels --rank 5
| 14
! tscope: export: the run has no trace of rank 5 that could be read; it has trace.json (rank 1)
[2]
$ tscope analyze --json single | tail -1; tscope analyze single --html - | tail -1
| }
| <footer>tscope VERSION, a profiler&#39;s trace</footer></body></html>
# Two folders of such traces, rank by rank: rank 1 alone became slower, and each folder has a rank that the other lacks.
$ mkdir before after; for r in 0 1 2; do sed '1s/^{/{"distributedInfo": {"rank": '$r', "world_size": 4},/;/^ "distributedInfo"/,/^ }/d' traced/trace.json > before/r$r.json; done; cp before/r0.json after/other.json; sed '1s/^{/{"distributedInfo": {"rank": 1, "world_size": 4},/;/^ "distributedInfo"/,/^ }/d' traced/slower.json > after/r1.json; sed '1s/"rank": 2/"rank": 3/' before/r2.json > after/r3.json; echo x > after/notes.txt
$ tscope diff ./before ./after
| Of 2 pairs of traces that of rank 1 differs most: A step takes 608.0 us longer in B (6.1 %): 608.0 us more of gemm (volta_sgemm_128x64_nt replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm).
| A         ./before
| B         ./after
| note      notes.txt of B is no trace
|
| The ranks
|   traces of  step in A     in B  difference
|   rank 0       10.0 ms  10.0 ms      +0.0 %  not different
|   rank 1       10.0 ms  10.6 ms      +6.1 %  differs most
|   only in A: rank 2 (r2.json)
|   only in B: rank 3 (r3.json)
|
| Traces of rank 1
| A         r1.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| B         r1.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| times     means over steps, which end when the last event of a device that they launched does
|
| Step
|              A             B    difference    of A                 95 %          name
|   10.000000 ms  10.608000 ms  +0.608000 ms  +6.1 %  +0.538 to +0.678 ms  longer  step
|   10.000000 ms  10.600000 ms  +0.600000 ms  +6.0 %  +0.599 to +0.601 ms  longer  step on the host
|   The 95 % interval is from how steps vary within each recording. Two recordings of the same program can differ by more.
|
| Where a step's time on the devices goes (the parts add up to it): 1 of 3 differs
|             A            B    difference    of A                 95 %          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.541 to +0.675 ms  longer  gemm
|   the longest gemm: 8.000000 ms in A, at 1010000000 ns of its clock; 8.640000 ms in B, at 1053000000 ns of its clock
|
| Device time by category (sums: what ran at once counts twice): 1 of 2 differs
|             A            B    difference    of A                 95 %  count A  count B          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.562 to +0.654 ms        1        1  longer  gemm
|   the longest gemm: 8.000000 ms in A, at 1010000000 ns of its clock; 8.640000 ms in B, at 1053000000 ns of its clock
|
| Kernels, copies and fills by name without arguments (sums): 2 of 3 differ
|             A            B    difference      of A                 95 %  count A  count B                                                                         name
|   0.000000 ms  8.608000 ms  +8.608000 ms       new  +8.562 to +8.654 ms        0        1  only in B                                                              cutlass_80_simt_sgemm_128x64_8x5_nt_align1
|   8.000000 ms  0.000000 ms  -8.000000 ms  -100.0 %  -8.001 to -7.999 ms        1        0  replaced by cutlass_80_simt_sgemm_128x64_8x5_nt_align1 under aten::mm  volta_sgemm_128x64_nt
|   the longest cutlass_80_simt_sgemm_128x64_8x5_nt_align1: 8.640000 ms in B, at 1053000000 ns of its clock
|   the longest volta_sgemm_128x64_nt: 8.000000 ms in A, at 1010000000 ns of its clock
|
| Device time by the operator that launched it (sums): 1 of 2 differs
|             A            B    difference    of A                 95 %  count A  count B          name
|   8.000000 ms  8.608000 ms  +0.608000 ms  +7.6 %  +0.562 to +0.654 ms        1        1  longer  aten::mm
|   the longest aten::mm: 8.000000 ms in A, at 1010000000 ns of its clock; 8.640000 ms in B, at 1053000000 ns of its clock
[1]
$ tscope diff ./before ./before | head -12
| Of 3 pairs of traces none has steps that stand out. Of rank 0: A step takes 10.0 ms in A and 10.0 ms in B, which do not differ by more than their noise over steps (95 % interval of the difference: -0.0 % to 0.0 %).
| A         ./before
| B         ./before
|
| The ranks
|   traces of  step in A     in B  difference
|   rank 0       10.0 ms  10.0 ms      +0.0 %  not different
|   rank 1       10.0 ms  10.0 ms      +0.0 %  not different
|   rank 2       10.0 ms  10.0 ms      +0.0 %  not different
|
| Traces of rank 0
| A         r0.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
$ tscope diff --json ./before ./after | python3 -c 'import json, sys; d = json.load(sys.stdin); print([(r["rank"], r["trace_b"], r["verdict"], r["step"]["difference_ns"]) for r in d["ranks"]], d["worst_index"], [(o["rank"], o["in_b"]) for o in d["one_sided"]], d["trace"]["step"]["time_differs"])'
| [(0, 'other.json', 'same', 0), (1, 'r1.json', 'differs', 608000)] 1 [(2, False), (3, True)] True
$ mkdir far; sed '1s/"rank": 2/"rank": 5/' before/r2.json > far/r5.json; sed '1s/"rank": 2/"rank": 6/' before/r2.json > far/r6.json; tscope diff ./before ./far
| The two have no trace of the same rank.
| A         ./before
| B         ./far
|
| The ranks
|   only in A: rank 0 (r0.json), rank 1 (r1.json), rank 2 (r2.json)
|   only in B: rank 5 (r5.json), rank 6 (r6.json)
[3]
$ tscope diff --first ./before ./after
! tscope: diff: --first works with two runs, and these are folders of profiler's traces
[2]
$ tscope diff ./before ./traced/trace.json
! tscope: diff: ./before is a folder of profiler's traces, and ./traced/trace.json is none; give two of a kind
[2]
# Warm-up, of each trace the first step: what is left are four collectives of rank 2 and two of each pair, and no straggler can be told.
$ tscope analyze ./traced/job --warmup 1 | sed -n '1,/^Clocks/p'
| folder    ./traced/job
| of        4 ranks of 5, nccl, on NVIDIA H100
| over      each trace without the first step that it marks. Left out of every figure as warm-up:
|           these, 16 events of devices that were launched before the next step began, and what the
|           host began before
| note      no trace of rank 4
| note      trace.json was not read: byte 35: expected a value
| note      kineto.json does not say its rank, and is left out
| note      copy.pt.trace.json is left out: rank 0, at the time of b_70.1.pt.trace.json.gz
| note      notes.txt is no trace
|
| What to try first
|   1. Ranks wait for each other. Look at the ranks that others wait for: whether they compute more than the others, load data, or wait for their host. Balance the work of ranks. A faster network saves none of this time.
|
| Findings (tscope explain CODE has the rule)
|   high: DIST.EXPOSED_COMM: Communication that overlaps with no computation takes 62 % of the devices' time, 13.2 ms of 21.2 ms; 0 % of the communication is overlapped. These are the numbers of rank 0; all 4 ranks show this.
|   high: TRACE.WAITING: The device waits in communication for ranks that have not come, and computes nothing, for 57 % of its time, 12.0 ms; of all ranks, rank 2 is the one that others waited for longest: 100 % of all their waiting. These are the numbers of rank 0; of 4 ranks, ranks 0, 1 and 3 show this; the other rank does not.
|   not checked: TRACE.HOST_BOUND, TRACE.SYNC, TRACE.LAUNCH_BOUND, TRACE.LOADER: the trace has only 8 events of devices, and the rule needs 50
|   not checked: TRACE.MATH_ATTENTION: the trace does not have the operators of most of its work
|
| Times of ranks (waiting: for ranks that had not come, a sum; the others are unions)
|   rank          events          span          busy         idle   computation  communication       exposed       waiting  exposed waiting
|   0                  8  21.208600 ms  21.208600 ms  0.000000 ms   8.000400 ms   13.208200 ms  13.208200 ms  12.008200 ms     12.008200 ms
|   1                  8  21.208600 ms  21.208600 ms  0.000000 ms   8.004400 ms   13.204200 ms  13.204200 ms  12.004200 ms     12.004200 ms
|   2                  8  21.208600 ms  21.208600 ms  0.000000 ms  20.008600 ms    1.200000 ms   1.200000 ms   0.000000 ms      0.000000 ms
|   3                  8  21.208600 ms  21.208600 ms  0.000000 ms   8.012600 ms   13.196000 ms  13.196000 ms  11.996000 ms     11.996000 ms
|   mean                  21.208600 ms  21.208600 ms  0.000000 ms  11.006500 ms   10.202100 ms  10.202100 ms   9.002100 ms      9.002100 ms
|   least                 21.208600 ms  21.208600 ms  0.000000 ms   8.000400 ms    1.200000 ms   1.200000 ms   0.000000 ms      0.000000 ms
|   most                  21.208600 ms  21.208600 ms  0.000000 ms  20.008600 ms   13.208200 ms  13.208200 ms  12.008200 ms     12.008200 ms
|   most on rank                     0             0            0             2              0             0             0                0
|
| Steps of ranks: means (own time: what a step took less exposed waiting, over steps that all ranks have)
|   rank  steps   on the host          busy   computation  communication      exposed      own time
|   0         2  10.604300 ms  10.604300 ms   4.000200 ms    6.604100 ms  6.604100 ms   4.600200 ms
|   1         2  10.604300 ms  10.604300 ms   4.002200 ms    6.602100 ms  6.602100 ms   4.602200 ms
|   2         2  10.604300 ms  10.604300 ms  10.004300 ms    0.600000 ms  0.600000 ms  10.604300 ms
|   3         2  10.604300 ms  10.604300 ms   4.006300 ms    6.598000 ms  6.598000 ms   4.606300 ms
|
| Clocks
$ tscope analyze --json --warmup 1 ./traced/job | python3 -c "import json,sys; j=json.load(sys.stdin); print(j['warm_up_step_count'], j['warm_up_event_count'], j['common_steps'], len(j['collectives']), [r['step_count'] for r in j['ranks']])"
| 1 16 [2, 3] 6 [2, 2, 2, 2]
$ tscope analyze --warmup 1 pushed > stored.txt; tscope analyze --warmup 1 ./traced/job > folder.txt; diff folder.txt stored.txt | grep -v note
| 1c1
| < folder    ./traced/job
| ---
| > run       pushed
| 7c7,9
| ---
| >           pushed writes it back
| 9,10c11
| ---
| 74a76,77
| > $
| > The run has traces and no steps: tscope analyze pushed --trace NAME shows what one says.
$ tscope analyze ./traced/job --warmup 3; tscope analyze pushed --warmup 3; tscope diff --warmup 3 ./traced/job ./traced/job
! tscope: analyze: --warmup 3 leaves no step of a_33.2.pt.trace.json, which marks 3 (ProfilerStep); at most 2 can be left out
! tscope: analyze: --warmup 3 leaves no step of rank0/b_70.1.pt.trace.json.gz, which marks 3 (ProfilerStep); at most 2 can be left out
! tscope: diff: --warmup 3 leaves no step of a_33.2.pt.trace.json, which marks 3 (ProfilerStep); at most 2 can be left out
[2]
$ tscope diff --warmup 1 ./before ./before | grep -E '^[AB]  '
| A         ./before
| B         ./before
| A         r0.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
| B         r0.json, 5 steps, 2 to 6; the first that was recorded is left out as warm-up
