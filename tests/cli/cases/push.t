# The first push names the run after its directory; the second finds everything there.
$ tscope push runs/base
| name      default/base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent SIZE (10 objects)
| new SIZE
| outcome   created
$ tscope push runs/base
| name      default/base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
# Several at once; two runs that share blocks store them once.
$ tscope push runs/rerun runs/parts demo/base
| name           id            steps   sent    new  outcome
| default/rerun  615c705062bf      8 SIZE SIZE  created
| default/parts  2fce76dd212c      8 SIZE SIZE  created
| 3 runs: 2 created, 1 failed
! tscope: demo/base: default/base points at 18fc3da2967f, and this run does not continue that one: rank 0 fact code.commit is missing; use --force to move the name, or --name to give this run another name
[2]
# A run that still trains is pushed again: the name moves by itself.
$ tscope push --name growing runs/base
| name      default/growing
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
$ tscope push --name growing runs/longer
| name      default/growing
| id        7821801653931151f7b71506b6dec4356e61efa21b20112aeb0ec6221e5dbd6b
| format    pytscope run directory
| steps     12 steps (0 to 11), 1 rank
| sent SIZE (10 objects)
| new SIZE
| outcome   extended
$ tscope log growing --json | grep -c '"entry"'
| 2
# It does not move to anything else, unless told to.
$ tscope push --name growing runs/parts
! tscope: default/growing points at 782180165393, and this run does not continue that one: rank 0 fact code.commit has changed; use --force to move the name, or --name to give this run another name
[2]
$ tscope push --name growing --force --message 'the other one' runs/parts
| name      default/growing
| id        2fce76dd212c476c9dec5d12e1f355272afb6e4648a85fcbf48714228c06affb
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   forced
# Facts from the pusher; the state.
$ tscope push --name tuned --fact config.lr=0.5 --fact lineage.parent=base --state running runs/base
| name      default/tuned
| id        1b86639869e31535cc817e9606394d457882c717cf7f08eaa2ce4c995c1b9274
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent SIZE (1 object)
| new SIZE
| outcome   created
$ tscope facts tuned config.lr
| config.lr  0.001  float  run.json, overruled
| config.lr  0.5    float  pusher
$ tscope push --fact nogroup.key=1 runs/base
! tscope: --fact nogroup.key=1: 'nogroup.key=1': there is no such group; the groups are code, config, seeds, determinism, libraries, hardware, parallelism, data, lineage, work, session, columns, other
[2]
# What cannot be read is reported with its line, and refused with --strict.
$ tscope push --strict runs/cut
! tscope: runs/cut/steps.jsonl line 5: bad_json: byte 0: expected a value
[2]
$ tscope push runs/cut
| name      default/cut
| id        a6e6bceb9c692f15f21fcae5e9bdf1e1b127bb65a27f7df8240daa466fa31bda
| format    pytscope run directory
| steps     4 steps (0 to 3), 1 rank
| sent SIZE (10 objects)
| new SIZE
| outcome   created
! tscope: runs/cut/steps.jsonl:5: skipped: bad_json: byte 0: expected a value
! tscope: runs/cut/steps.jsonl:6: skipped: cut_line: byte 15: the text ends inside an object, expected '"'
$ tscope push runs/empty
! tscope: runs/empty: no run in it: no run directory, no profiler's trace, no memory snapshot, and no log of another tool that is known
[2]
$ mkdir -p odd/steps.jsonl fifo && mkfifo fifo/steps.jsonl; tscope push odd fifo
| 2 runs: 2 failed
! tscope: odd/steps.jsonl: a directory, which is not read
! tscope: fifo/steps.jsonl: a named pipe, which is not read
[2]
$ tscope push runs/base ''
! tscope: push: the path of a directory is empty
[2]
$ tscope push runs/nothing-there
! tscope: runs/nothing-there: no such file or directory
[2]
$ tscope push runs/base runs/empty
| name          id            steps  sent  new  outcome
| default/base  18fc3da2967f      8   0 B  0 B  unchanged
| 2 runs: 1 unchanged, 1 failed
! tscope: runs/empty: no run in it: no run directory, no profiler's trace, no memory snapshot, and no log of another tool that is known
[2]
# More ranks than a run can have are refused before their steps are read, by the number that fits.
$ mkdir -p many/rank{0..1999}; for d in many/*; do echo '{"step":0,"scalars":{"loss":1}}' >$d/steps.jsonl; done; tscope push many
! tscope: many: a run has at most 1819 ranks, and these are 2000
[2]
# A configuration with thousands of labels is kept whole.
$ mkdir -p labels; { printf '{"config":{"id2label":{'; seq -s, 1 3000 | sed 's/[0-9]*/"&":"a label, the &th of many"/g'; printf '}}}'; } | tr -d '\n' >labels/run.json; echo '{"step":0,"scalars":{"loss":1}}' >labels/steps.jsonl; tscope push -q --name labels labels | grep outcome
| outcome   created
$ tscope facts labels config.id2label.2999
| config.id2label.2999  a label, the 2999th of many  text  run.json
# A name is made of letters that a name may have.
$ tscope push 'runs/not name!'
| name      default/not-name-
| id        6eb5e58b026bf9c9d1a6e646fa4fcba4f4e751710b0e56ea1437c6be5f83ad97
| format    pytscope run directory
| steps     2 steps (0 to 1), 1 rank
| sent SIZE (10 objects)
| new SIZE
| outcome   created
! tscope: runs/not name! is named not-name-, because a name cannot have its other characters
$ cd runs/base && tscope push .
| name      default/base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
# Nothing is sent or made by a dry run.
$ tscope push --dry-run --store other runs/base; test -e other || echo no store
| name      default/base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| to send   10 objects
| outcome   not sent
| no store
# Ranks from several hosts wait for each other.
$ tscope push --join --name both runs/joined/rank0
| name      default/both
| id        b1d9c7a996f612aa58ab21481d7e0565971b6972fca77ecf728509680db7c50d
| format    pytscope run directory
| steps     4 steps (0 to 3), 1 rank
| sent SIZE (1 object)
| new SIZE
| outcome   staged; the run still lacks rank 1
$ tscope show both
! tscope: nothing is named default/both
[2]
$ mkdir host1 && cp -r runs/joined/rank1 host1/ && tscope push --join --name both host1
| name      default/both
| id        80645a2e3943281b38874cc05dbf8ef881f799678fe60fd3541821a26641340a
| format    pytscope run directory
| steps     4 steps (0 to 3), 2 ranks
| part      4 steps (0 to 3), 1 rank
| sent SIZE (3 objects)
| new SIZE
| outcome   created
# What is told of the run counts the ranks of the pushes before, what is told of the part those of this one.
$ tscope push --join --name counted runs/joined/rank1 --json | grep rank_count
|         "rank_count": 1
|         "rank_count": 1
|       "missing_rank_count": 1,
$ tscope push --join --name counted runs/joined/rank0 --json | grep rank_count
|         "rank_count": 2
|         "rank_count": 1
|       "missing_rank_count": 0,
$ tscope push runs/joined
| name      default/joined
| id        80645a2e3943281b38874cc05dbf8ef881f799678fe60fd3541821a26641340a
| format    pytscope run directory
| steps     4 steps (0 to 3), 2 ranks
| sent      0 B (0 objects)
| new       0 B
| outcome   created
$ tscope diff both joined
| Both sides are the same run: their ids are equal
| cause: no difference found; confidence: high
|   a  both    80645a2e3943  4 steps (0 to 3)  2 ranks
|   b  joined  80645a2e3943  4 steps (0 to 3)  2 ranks
|
| EQUIVALENT?
|   bit-exact    yes: both sides are the same run
|   numerical    yes: both sides are the same run
|   statistical  yes: both sides are the same run
|
| SERIES  14 series are the same (counted on each rank)
|
| FACTS THAT DIFFER  no recorded fact differs
# Ranks that lie beside their run are stored with it, once; a directory whose run.json names another rank, or whose run is not pushed, is a run.
$ mkdir beside && cp -r runs/joined/rank0 beside/a && for i in a_rank1 a_rank2 b_rank1; do cp -r runs/joined/rank1 beside/$i; done
$ tscope push beside
| name             id            steps  sent  new  outcome
| default/a        80645a2e3943      4   0 B  0 B  created
| default/a_rank1  80645a2e3943      -     -    -  rank 1 of default/a
| default/a_rank2  2f9aaf5bd37c      4   0 B  0 B  created
| default/b_rank1  2f9aaf5bd37c      4   0 B  0 B  created
| 3 runs: 3 created; 1 directory is a rank of these
! tscope: beside/a: legacy_ranks: 1 directory beside it is a rank of this run
$ tscope push beside/*/
| name             id            steps  sent  new  outcome
| default/a        80645a2e3943      4   0 B  0 B  unchanged
| default/a_rank1  80645a2e3943      -     -    -  rank 1 of default/a
| default/a_rank2  2f9aaf5bd37c      4   0 B  0 B  unchanged
| default/b_rank1  2f9aaf5bd37c      4   0 B  0 B  unchanged
| 3 runs: 3 unchanged; 1 directory is a rank of these
! tscope: beside/a/: legacy_ranks: 1 directory beside it is a rank of this run
$ tscope push -q --json beside | grep -B2 -A2 rank_of
|     {
|       "path": "beside/a_rank1",
|       "rank_of": "default/a",
|       "rank": 1
|     },
$ tscope push beside/a_rank1
| name      default/a_rank1
| id        2f9aaf5bd37c306d98f720d049ec1cbced8767676680c065ff6e2adc9bcb872b
| format    pytscope run directory
| steps     4 steps (0 to 3), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
# Nothing outside the path that was named is read: a link below it is left out, and one in the place of the steps is refused.
$ mkdir -p linked/rank0 other && echo secret >other/key && cp runs/base/steps.jsonl linked/rank0 && ln -s ../other/key linked/trace.json && ln -s ../other linked/rank1; tscope push linked
| name      default/linked
| id        4fcb097becaaecdd040471d0d36450eb4afacf987a7f657fa1380a35c4fe5282
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent SIZE (1 object)
| new SIZE
| outcome   created
! tscope: linked/rank1: skipped: not_file: a symbolic link, which is not read
! tscope: linked/trace.json: skipped: not_file: a symbolic link, which is not read
$ tscope push linked --strict
! tscope: linked/rank1: not_file: a symbolic link, which is not read
[2]
$ ln -s linked latest; tscope push latest --quiet
| name      default/linked
| id        4fcb097becaaecdd040471d0d36450eb4afacf987a7f657fa1380a35c4fe5282
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
$ mkdir refused && ln -s ../runs/base/steps.jsonl refused; tscope push refused
! tscope: refused/steps.jsonl: a symbolic link, which is not read
[2]
$ mkdir -p several/one && cp runs/base/steps.jsonl several/one && ln -s one several/best && ln -s ../other several/away; tscope push several
| name      default/one
| id        4fcb097becaaecdd040471d0d36450eb4afacf987a7f657fa1380a35c4fe5282
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
! tscope: several/away is a symbolic link, and links below several are not followed; push what it leads to by its own path
