# A folder of memory snapshots alone is a run, as one of traces is. Several ranks: by their folders, else by their names.
$ mkdir -p ranks/rank0 ranks/rank1 mx/iteration_40_exit; cp memory/batch2.pickle ranks/rank0/snapshot.pickle; cp memory/batch4.pickle ranks/rank1/mine.pickle
$ cp memory/batch2.pickle mx/iteration_40_exit/rank0_memory_snapshot.pickle; cp memory/batch4.pickle mx/iteration_40_exit/rank1_memory_snapshot.pickle; echo > mx/iteration_40_exit/notes.txt
$ tscope push ./mx
| name      default/iteration_40_exit
| id        40251ef3d74bc01734796359487124661fe16fb58465180da38b4e71a4d4f985
| format    PyTorch memory snapshot
| steps     0 steps, 2 ranks
| sent SIZE (74 objects)
| new SIZE
| outcome   created
! tscope: ./mx/iteration_40_exit: unread: notes.txt
! tscope: ./mx/iteration_40_exit: rank_from_name (2 times): rank0_memory_snapshot.pickle does not say its rank; by its name it is of rank 0
$ tscope show iteration_40_exit
| id        40251ef3d74bc01734796359487124661fe16fb58465180da38b4e71a4d4f985
| own name  not recorded
| names     run default/iteration_40_exit
| state     unknown: nothing that was recorded says how the run ended
| steps     none
| ranks     2
| facts     none
|
| The run has no series.
|
| file                          rank      size
| rank0_memory_snapshot.pickle  0     3.63 KiB
| rank1_memory_snapshot.pickle  1     3.81 KiB
$ tscope export iteration_40_exit -o again > /dev/null && tscope push again --name again 2> /dev/null | grep -E "^(id|outcome)"
| id        40251ef3d74bc01734796359487124661fe16fb58465180da38b4e71a4d4f985
| outcome   created
! tscope: wrote 40251ef3d74b as a run directory to again
$ tscope push --dry-run ./ranks
| name      default/ranks
| id        b5dc141c6ce2374a3ae47e62fa6aeeb7c0e9843bc8f7b6a4a333294a9c14af03
| format    pytscope run directory
| steps     0 steps, 2 ranks
| to send   3 objects
| outcome   not sent
! tscope: ./ranks/rank0/steps.jsonl: no_steps: there is no such file
! tscope: ./ranks/rank1/steps.jsonl: no_steps: there is no such file
$ tscope push ./memory/list.pickle --dry-run
| name      default/list.pickle
| id        389928c68e9c6c3f7e2dec3a49a0e66122267755d6df1c79586c77e854b72e17
| format    PyTorch memory snapshot
| steps     0 steps, 1 rank
| to send   22 objects
| outcome   not sent
$ mkdir small large; cp memory/batch2.pickle small/snapshot.pickle; cp memory/batch4.pickle large/snapshot.pickle; tscope analyze ./small | head -5
| snapshot.pickle: device 0 held 36 MiB at its peak, with 36 MiB reserved
| 40 events, 2 segments, 7 stacks
|
| FINDINGS
|   LOW     The optimizer's state is large (MEMORY.OPTIMIZER_STATE)
$ tscope push small > /dev/null; tscope analyze small | cmp - <(tscope analyze ./small/snapshot.pickle) && tscope show small --at peak | head -2
| snapshot.pickle: device 0 holds 36 MiB after event 17
| 40 events; --at takes any of them, start, peak, end or oom
$ tscope diff ./small ./large | head -12
| A         snapshot.pickle of rank 0 of ./small
| B         snapshot.pickle of rank 0 of ./large
|
| Device 0
| The peak grew by 8 MiB, from 36 MiB to 44 MiB: 16 MiB new from forward (/home/ada/lab/net.py:31), activations, 4 MiB new from MmBackward0::apply, temporary, and 12 MiB less from all others.
|                                        A       B  difference
|   peak, requested                 36 MiB  44 MiB      +8 MiB
|   there before recording             0 B     0 B         0 B
|   most that was reserved          36 MiB  60 MiB     +24 MiB
|   reserved at the end             36 MiB  60 MiB     +24 MiB
|   allocated at the end            24 MiB  24 MiB         0 B
|   requested at the end            24 MiB  24 MiB         0 B
$ tscope diff small ./small | head -1
| Both sides are the same run: their ids are equal
$ tscope diff ./small ./large --json | grep -c '"device": '
| 1
$ tscope analyze ./ranks
| snapshot         rank      size
| snapshot.pickle  0     3.63 KiB
| mine.pickle      1     3.81 KiB
|
| The run has memory snapshots and no steps: tscope analyze ./ranks --snapshot NAME shows what one says; --rank says whose, where several ranks have one of this name.
$ tscope analyze ./ranks --json | python3 -c "import json,sys; d = json.load(sys.stdin); print(d['run']['rank_count'], d['measures']['snapshot']['refused'])"
| 2 {'requests_count': 0}
$ tscope analyze ./ranks --snapshot mine.pickle | head -1
| mine.pickle: device 0 held 44 MiB at its peak, with 60 MiB reserved
$ mkdir turned; cp -r ranks/rank0 turned/rank1; cp -r ranks/rank1 turned/rank0; cp ranks/rank1/mine.pickle turned/rank1; tscope diff ./ranks ./turned | head -5; echo ${PIPESTATUS[0]}
| A         mine.pickle of rank 1 of ./ranks
| B         mine.pickle of rank 1 of ./turned
|
| Device 0
| The peak is the same to the byte, 44 MiB.
| 1
! tscope: left out: 1 of ./ranks, 2 of ./turned; the other side has no memory snapshot of that rank and name
# The logs of other tools keep what lies beside them: W&B in files/, MLflow among the artifacts, Lightning, Hugging Face, dvclive.
# Several pairs are one answer in JSON, too. Where another option asks for the diff of runs, or no name agrees, it says so.
$ cp -r ranks other; cp memory/batch8.pickle other/rank1/mine.pickle; tscope diff ./ranks ./other --json | python3 -c "import json,sys; d = json.load(sys.stdin); print([(m['snapshot_b'], m['same']) for m in d['memory_diffs']], d['only_a_count'])"
| [('snapshot.pickle of rank 0 of ./other', True), ('mine.pickle of rank 1 of ./other', False)] 0
$ tscope diff ./ranks ./other --snapshot mine.pickle | head -2; tscope diff ./ranks ./other --snapshot other.pickle
| A         mine.pickle of rank 1 of ./ranks
| B         mine.pickle of rank 1 of ./other
! tscope: diff: ./ranks and ./other have no memory snapshot other.pickle of the same rank; tscope show lists what they have
[2]
$ tscope diff ./ranks ./other --snapshot mine.pickle --curves
! tscope: diff: --curves works with two runs, and --snapshot compares memory snapshots
[2]
$ tscope diff ./ranks ./other --html page.html | head -1
| A         snapshot.pickle of rank 0 of ./ranks
! tscope: wrote page.html
$ mv other/rank0/snapshot.pickle other/rank0/theirs.pickle; mv other/rank1/mine.pickle other/rank1/theirs.pickle; tscope diff ./ranks ./other | tail -1
| FACTS THAT DIFFER  no recorded fact differs
! tscope: both runs have memory snapshots, but none of the same rank and name; tscope export writes them to files, of which tscope diff compares two
$ run=$(echo wandb/offline-run-*plain001); cp traced/trace.json $run/files/host_1.5.pt.trace.json; cp memory/batch2.pickle $run/files/rank3_snapshot.pickle; tscope push $run --name wb > /dev/null; tscope show wb | grep -A9 ^file
| file                    rank      size
| host_1.5.pt.trace.json  job SIZE
| rank3_snapshot.pickle   job SIZE
! tscope: wandb/offline-run-20261121_000000-plain001: rank_from_name: files/rank3_snapshot.pickle does not say its rank; by its name it is of rank 3
! tscope: wandb/offline-run-20261121_000000-plain001: redacted: the value looks like a secret and is not kept
$ run=mlruns/101/000000000000000000000000000000a1; cp traced/trace.json $run/artifacts/; mkdir $run/artifacts/memory; cp memory/batch2.pickle $run/artifacts/memory/; tscope push $run --name ml > /dev/null; tscope show ml | grep -A9 ^file
| file           rank      size
| trace.json     job SIZE
| batch2.pickle  0 SIZE
! tscope: mlruns/101/000000000000000000000000000000a1/artifacts: skipped: not_kept (2 times): model/config.json
! tscope: mlruns/101/000000000000000000000000000000a1: redacted: the value looks like a secret and is not kept
$ cp traced/trace.json logs/lightning_logs/version_0/; tscope push logs/lightning_logs/version_0 --name ll > /dev/null; tscope show ll | grep -A9 ^file
| file        rank      size
| trace.json  job SIZE
$ cp traced/cpu.json output/full/trace.json; cp memory/batch2.pickle output/full/checkpoint-60/snapshot.pickle; tscope push output/full --name hf > /dev/null; tscope show hf | grep -A9 ^file
| file             rank      size
| snapshot.pickle  0 SIZE
| trace.json       0 SIZE
! tscope: output/full: other_states: trainer_state.json has the most steps and was read; 2 other states below this folder were not
$ mkdir logs/dvclive/profile; cp traced/trace.json logs/dvclive/profile/a.json; cp traced/trace.json logs/dvclive/; cp traced/trace.json logs/dvclive/profile/; tscope push logs/dvclive --name dv > /dev/null; tscope show dv | grep -A9 ^file
| file                rank      size
| a.json              job SIZE
| profile.trace.json  job SIZE
| trace.json          job SIZE
# A table: the folder's traces are its own, unless it is named alone, or has others beside it.
$ mkdir table; cp logs/losses.txt table/; cp traced/trace.json table/; tscope push table > /dev/null; tscope show losses.txt | grep -A9 ^file
| file        rank      size
| trace.json  job SIZE
$ tscope push table/losses.txt --name alone > /dev/null; tscope show alone | grep -c ^file
| 0
[1]
$ cp logs/losses.txt table/second.txt; tscope push --dry-run table
| name                id            steps  sent  new  outcome
| default/table       94b50961d8f6      0   0 B  0 B  not sent
| default/losses.txt  3d9983e1a98f     10   0 B  0 B  not sent
| default/second.txt  3d9983e1a98f     10   0 B  0 B  not sent
| 3 runs: 3 not sent
# What is not taken is said: links, what cannot be read, names that are taken.
$ mkdir -p odd/one odd/two; cp logs/losses.txt odd/; : > odd/trace.json; head -c 3000 traced/trace.json > odd/kineto.json; head -c 900 memory/batch2.pickle > odd/snapshot.pickle; ln -s ../traced/trace.json odd/profiler_trace.json; mkfifo odd/pipe.pt.trace.json
$ cp traced/trace.json odd/one.two.json; mkdir -p odd/one/two; cp traced/trace.json odd/one/two.json; cp traced/trace.json odd/two.json
$ tscope push odd
| name      default/losses.txt
| id        46448e8c69fdd44059625c47c07b04b05fb79c04b46c4266fccbb793c009c54c
| format    torchtitan losses
| columns   loss is scalars.loss
| steps     10 steps (1 to 10), 1 rank
| sent SIZE (32 objects)
| new SIZE
| outcome   extended
! tscope: odd/profiler_trace.json is a symbolic link, and links below odd are not followed; push what it leads to by its own path
! tscope: odd/pipe.pt.trace.json: skipped: not_file: a named pipe, which is not read
! tscope: odd/profiler_trace.json: skipped: not_file: a symbolic link, which is not read
! tscope: odd/one/two.json: skipped: same_name: another kept file of this rank has its name
! tscope: odd/kineto.json: skipped: trace_cut: byte 2770: the file ends too early; what stands before is read
! tscope: odd/snapshot.pickle: skipped: snapshot_not_read: byte 891 of the pickle: the file ends here, before the pickle does
! tscope: odd/trace.json: skipped: trace_not_read: the file is empty
$ tscope show losses.txt | grep -A9 ^file
| file             rank      size
| kineto.json      job   2.93 KiB
| one.two.json     job   9.21 KiB
| two.json         job   9.21 KiB
| snapshot.pickle  0        900 B
| trace.json       0          0 B
$ tscope show losses.txt --at peak
! tscope: show: the run has no memory snapshot that could be read when it was pushed; tscope analyze names the files that were not
[2]
$ tscope push --strict odd --name strict
! tscope: odd/profiler_trace.json is a symbolic link, and links below odd are not followed; push what it leads to by its own path
! tscope: odd/pipe.pt.trace.json: not_file: a named pipe, which is not read
[2]
# The traces of a profiler with several cycles are all kept, and listed.
$ mkdir cycles; for i in 1 2 3; do cp traced/trace.json cycles/host_77.$i.pt.trace.json; done; tscope push ./cycles > /dev/null; tscope analyze cycles
| trace                    rank  says rank  of  events  left out      size
| host_77.1.pt.trace.json  1             1   2      38         0 SIZE
| host_77.2.pt.trace.json  1             1   2      38         0 SIZE
| host_77.3.pt.trace.json  1             1   2      38         0 SIZE
|
| The run has traces and no steps: tscope analyze cycles --trace NAME shows what one says.
# torchtitan's folders: an iteration is a run of all its ranks.
$ mkdir -p titan/profile_trace/iteration_10 titan/profile_trace/iteration_20; for i in 10 20; do for r in 0 1; do sed "s/\"rank\": *1/\"rank\": $r/" traced/trace.json > titan/profile_trace/iteration_$i/rank${r}_trace.json; done; done
$ tscope push titan
| name                                      id            steps     sent      new  outcome
| default/titan/profile_trace/iteration_10  01abce698524      0 SIZE SIZE  created
| default/titan/profile_trace/iteration_20  01abce698524      0      0 B      0 B  created
| 2 runs: 2 created
$ tscope analyze ./titan
! tscope: ./titan holds 2 runs; name one of them, such as ./titan/profile_trace/iteration_10
[2]
$ tscope analyze ./titan/profile_trace/iteration_10 | head -2
| folder    ./titan/profile_trace/iteration_10
| of        2 ranks of 2, nccl, on Tesla V100-SXM2-32GB
