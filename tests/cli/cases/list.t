$ tscope list
! tscope: there are no runs: there is no store at TMP/store, which TSCOPE_STORE names; 'tscope push DIRECTORY' stores a run
$ tscope push -q runs/base runs/parts runs/longer runs/mood demo/lr
| name            id            steps      sent       new  outcome
| default/base    18fc3da2967f      8 SIZE SIZE  created
| default/parts   2fce76dd212c      8 SIZE SIZE  created
| default/longer  782180165393     12 SIZE SIZE  created
| default/mood    02543aa2aba4      8 SIZE SIZE  created
| default/lr      0654541655d6    160 SIZE SIZE  created
| 5 runs: 5 created
$ tscope list --columns name,id,state,steps,ranks,started --sort name
| name    id            state     steps  ranks  started
| base    18fc3da2967f  finished      8      1  2023-11-14 22:13Z
| longer  782180165393  finished     12      1  2023-11-14 22:13Z
| lr      0654541655d6  finished    160      3  2026-11-20 12:01Z
| mood    02543aa2aba4  finished      8      1  2023-11-14 22:13Z
| parts   2fce76dd212c  finished      8      1  2023-11-14 22:13Z
$ tscope list --columns name,config.lr,config.optimizer.lr,seeds.torch,nothing.here --sort -config.lr
| name    config.lr  config.optimizer.lr  seeds.torch  nothing.here
| parts      0.0012                    -            8             -
| base        0.001                    -            7             -
| longer      0.001                    -            7             -
| mood        0.001                    -            -             -
| lr              -               0.0031            7             -
! tscope: none of these runs records nothing.here
$ tscope list 'config.lr>1e-3 and steps>=8' --columns name,config.lr
| name   config.lr
| parts     0.0012
$ tscope list 'not (name=base) and seeds.torch=7' --columns name,steps
| name    steps
| lr        160
| longer     12
$ tscope list 'steps>100000'
! tscope: none of the runs matches
# A word with * or ? is a pattern; in quotes it is not.
$ tscope list 'name=l*' --columns name
| name
| lr
| longer
$ tscope list 'name!=l* and name!=?a?e*' --columns name
| name
| mood
| parts
$ tscope list 'name="l*"'
! tscope: none of the runs matches
# A fact that none of the runs records, in a filter or a column, is said.
$ tscope list 'name=nothing' --sort config.lr
! tscope: none of the runs matches
$ tscope list 'config.learning_rate>1'
! tscope: none of these runs records config.learning_rate
! tscope: none of the runs matches
$ tscope list 'name=base' --columns name,config.lr,config.nope
| name  config.lr  config.nope
| base      0.001            -
! tscope: none of these runs records config.nope
$ tscope list 'config.lr>>1'
! tscope: filter, at byte 11 (config.lr>^>1): a value is expected here
[2]
$ tscope list 'steps>='
! tscope: filter, at its end: a value is expected here
[2]
# Metrics: what the values of a series came to. By hand from the steps: the losses of base are 2, 1, 2/3, ...
$ tscope list 'name=base or name=parts or name=longer' -c name,loss.last,loss.best,loss.best_step,loss.mean,lr.max,alloc.max,memory.alloc.max --sort -loss.last
| name    loss.last  loss.best  loss.best_step  loss.mean  lr.max  alloc.max  memory.alloc.max
| parts     0.25001    0.25001               7    0.67947   0.001          -           8388608
| base         0.25       0.25               7   0.679464   0.001          -           8388608
| longer   0.166667   0.166667              11   0.517202   0.001          -          12582912
! tscope: none of these runs records alloc.max
$ tscope list 'loss.last<0.2' -c name,loss.last,loss.count --sort loss.last
| name    loss.last  loss.count
| longer   0.166667          12
$ tscope list 'lr.best>0'
! tscope: filter, at byte 1 (^lr.best>0): whether a low or a high lr is better is not known from its name, so it has no best value; lr.min and lr.max are the least and the largest
[2]
$ tscope list -c name,grad_norm.best
! tscope: columns: whether a low or a high grad_norm is better is not known from its name, so it has no best value; grad_norm.min and grad_norm.max are the least and the largest
[2]
$ tscope list 'loss.last>low'
! tscope: filter, at byte 11 (loss.last>^low): a number is expected here
[2]
# Times are local and say how far from UTC; this run began at 22:13 UTC. Other programs get UTC.
$ TZ=CET-1CEST tscope list name=base -c name,started
| name  started
| base  2023-11-14 23:13+01:00
$ TZ=NST3:30 tscope list name=base -c name,started
| name  started
| base  2023-11-14 18:43-03:30
$ TZ=CET-1CEST tscope list name=base -c name,started --csv
| name,started
| default/base,2023-11-14T22:13:20Z
# Groups: mean and standard deviation over the runs of a group; 0.001 has base, longer and mood.
$ tscope list --by config.lr -c loss.last,loss.best,steps
| config.lr  runs  loss.last         sd  loss.best         sd    steps      sd
|     0.001     3   0.222222  0.0481123   0.222222  0.0481123  9.33333  2.3094
|    0.0012     1    0.25001          -    0.25001          -        8       -
|         -     1    1.73953          -   0.735433          -      160       -
$ tscope list --by config.lr,seeds.torch -c loss.last --sort -loss.last --limit 2
| config.lr  seeds.torch  runs  loss.last  sd
|         -            7     1    1.73953   -
|    0.0012            8     1    0.25001   -
! tscope: there are 2 more groups; --all shows all of them
$ tscope list 'loss.last<0.2' --by config.lr
| config.lr  runs
|     0.001     1
$ tscope list 'name=none' --by config.lr -c loss.last
! tscope: none of the runs matches
$ tscope list --by config.lr -c loss.last --csv
| config.lr,runs,loss.last.mean,loss.last.sd,loss.last.runs
| 0.001,3,0.22222233333333333,0.048112329982379076,3
| 0.0012,1,0.25001,,1
| ,1,1.739529013633728,,1
$ tscope list 'name=base' -c name,id,loss.mean,config.none --csv
| name,id,loss.mean,config.none
| default/base,18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912,0.67946425,
! tscope: none of these runs records config.none
$ tscope list --by config.lr -c name
! tscope: list: --by shows means, and name of default/mood is no number
[2]
$ tscope list --by config.lr -c loss.last --sort steps
! tscope: list: with --by, --sort needs one of the columns that are shown, and steps is none of them
[2]
$ tscope list --by config.lr --names
! tscope: list: --by shows groups and no names, pages or curves of runs
[2]
$ tscope list --by '' -c loss.last
! tscope: list: --by is empty
[2]
$ tscope list --by config.lr -c loss.last --limit 1 --json
| {
|   "kind": "run",
|   "project": "default",
|   "by": [
|     "config.lr"
|   ],
|   "columns": [
|     "loss.last"
|   ],
|   "groups": [
|     {
|       "by": {
|         "config.lr": 0.001
|       },
|       "run_count": 3,
|       "values": {
|         "loss.last": {
|           "run_count": 3,
|           "mean": 0.22222233333333333,
|           "sd": 0.048112329982379076
|         }
|       }
|     }
|   ],
|   "group_count": 3,
|   "unrecorded": [],
|   "unscored_count": 0
| }
$ tscope list --columns name,stepps
! tscope: columns: "stepps" is not one of name, project, id, started, pushed, state, steps, first_step, last_step, ranks, world_size, own_name, who, sweep, group, job, parent, note.KEY, a metric such as loss.best, or a fact such as config.lr; of a series stepps it is stepps.last, stepps.best ...
[2]
# In pages.
$ tscope list --names --sort name --limit 2 2>/dev/null
| base
| longer
$ tscope list --names --sort name --limit 2 --page "$(tscope list --names --sort name --limit 2 --json | sed -n 's/.*"next_page": "\(.*\)".*/\1/p')" 2>/dev/null
| lr
| mood
$ test "$(tscope list --names --all)" = "$(tscope list --names --limit 2 2>/dev/null; tscope list --names --all --page "$(tscope list --names --limit 2 --json | sed -n 's/.*"next_page": "\(.*\)".*/\1/p')" 2>/dev/null)"
$ tscope list --page 'no token'
! tscope: list: --page takes the 16 letters and digits that the page before printed, which this is not; tokens of older versions were longer and are no longer read: list again without --page
[2]
$ tscope list --names --sort name --all
| base
| longer
| lr
| mood
| parts
# Projects.
$ tscope push -q -p other runs/base
| name      other/base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   created
$ tscope list --names --all-projects --sort name
| default/base
| default/longer
| default/lr
| default/mood
| default/parts
| other/base
$ tscope list -p other --names
| base
$ echo 'project = other' > .tscope; tscope list --names
| base
$ printf '# here\nproject = a b\n' > .tscope; tscope list --names
! tscope: TMP/.tscope:2: project: 'a b' is not a project name: it may have letters and digits, and . _ + - after the first character
[2]
$ printf 'projekt = other\n' > .tscope; tscope list --names
! tscope: TMP/.tscope:1: the line must be 'project = NAME'
[2]
$ rm .tscope; TSCOPE_PROJECT=other tscope list --names
| base
$ TSCOPE_PROJECT=no/ne tscope list --names
! tscope: TSCOPE_PROJECT: 'no/ne' is not a project name: it may have letters and digits, and . _ + - after the first character
[2]
# A page with a curve of the loss of each run.
$ tscope list --html - | grep -o '<h1>[^<]*</h1>\|spark" viewBox\|data-head="steps">[0-9]*'
| <h1>5 runs of project default</h1>
| data-head="steps">160
| spark" viewBox
| data-head="steps">8
| spark" viewBox
| data-head="steps">12
| spark" viewBox
| data-head="steps">8
| spark" viewBox
| data-head="steps">8
| spark" viewBox
# A terminal gets a line a run: what does not fit of the usual columns is left out, the loss never.
$ COLUMNS=40 tscope list --limit 2 -q
| name  state     steps     loss
| lr    finished    160  1.73953
| mood  finished      8     0.25
$ COLUMNS=60 tscope list --limit 2 -q
| name  state     steps     loss  pushed
| lr    finished    160  1.73953  NOW______________
| mood  finished      8     0.25  NOW______________
$ COLUMNS=80 tscope list --limit 2 -q
| name  id            state     steps  ranks     loss  pushed
| lr    0654541655d6  finished    160      3  1.73953  NOW______________
| mood  02543aa2aba4  finished      8      1     0.25  NOW______________
$ COLUMNS=120 tscope list --limit 2 -q
| name  id            state     steps  ranks     loss  started            pushed
| lr    0654541655d6  finished    160      3  1.73953  2026-11-20 12:01Z  NOW______________
| mood  02543aa2aba4  finished      8      1     0.25  2023-11-14 22:13Z  NOW______________
# A loss that was lost to NaN says so beside its last finite value.
$ mkdir lost gone; for i in 0 1 2 3; do echo '{"step":'$i',"scalars":{"loss":'$([ $i -lt 2 ] && echo 1.5 || echo NaN)'}}'; done >lost/steps.jsonl; sed 's/1.5/NaN/' lost/steps.jsonl >gone/steps.jsonl; tscope push -q lost gone >/dev/null; tscope list -q --limit 3 | sed 's/  *[0-9-]* [^ ]*$//'
| name  id            state     steps  ranks             loss
| gone  10763ad3d41f  unknown       4      1        4 NaN/inf
| lost  65193c1b6668  unknown       4      1  1.5 (2 NaN/inf)
| lr    0654541655d6  finished    160      3          1.73953
$ tscope list 'loss.nonfinite>2' -c name,loss.nonfinite,loss.count
| name  loss.nonfinite  loss.count
| gone               4           0
# What belongs together is a column, whichever program left it: a sweep of W&B's, an array of Slurm's jobs, a study of Optuna's, a run that went on.
$ mkdir -p belongs/a belongs/b belongs/c belongs/d; for r in a b c d; do echo '{"step":0,"scalars":{"loss":0.5}}' >belongs/$r/steps.jsonl; done; echo '{"format":1,"other":{"wandb":{"sweep":"x7","group":"wide"}},"config":{"lr":1}}' >belongs/a/facts.json; echo '{"format":1,"session":{"slurm":{"SLURM_JOB_ID":"12","SLURM_ARRAY_JOB_ID":"11"}},"config":{"lr":2}}' >belongs/b/facts.json; echo '{"format":1,"session":{"sweep":{"optuna":{"id":"x7"}}},"config":{"lr":3}}' >belongs/c/facts.json; echo '{"format":1,"lineage":{"parent":"a"},"config":{"lr":4}}' >belongs/d/facts.json; tscope push -q -p sweeps belongs >/dev/null; tscope list -q -p sweeps -c name,sweep,group,job,parent --sort name
| name  sweep  group  job   parent
| a     x7     wide   -     -
| b     "11"   -      "12"  -
| c     x7     -      -     -
| d     -      -      -     a
$ tscope list -p sweeps --by sweep -c loss.last
| sweep  runs  loss.last  sd
|  "11"     1        0.5   -
|    x7     2        0.5   0
|     -     1        0.5   -
$ tscope list -p sweeps 'sweep=x7 or job=12' -c name --sort name
| name
| a
| b
| c
$ tscope list -p sweeps sweep -c name
! tscope: none of the runs matches
