# The plan of a search by experiments: nothing is run without a command, and the demo's runs are no clone of git.
$ tscope why ./demo/base ./demo/lr
| If the likeliest fact is the cause, 3 runs of 168 steps in all find and prove it.
|
| RUNS, 3 runs of 168 steps
|   #  run  to step  took  result
|   1  B          3     -  planned
|   2  A          3     -  planned
|   3  B        159     -  planned
! tscope: nothing is run without a command behind --; this is the plan (tscope help why)
[3]
$ tscope why ./demo/base ./demo/lr --dry-run --budget 3
| If the likeliest fact is the cause, 3 runs of 168 steps in all find and prove it.
|
| RUNS, 3 runs of 168 steps
|   #  run  to step  took  result
|   1  B          3     -  planned
|   2  A          3     -  planned
|   3  B        159     -  planned
[3]
$ COLUMNS=60 tscope why ./demo/base ./demo/order --dry-run
| Nothing that differs can be set by the command: runs can
| only show whether A and B come out again.
|
| RUNS, 4 runs of 488 steps
|   #  run                         to step  took  result
|   1  A, whose recipe B has, too       83     -  planned
|   2  A, whose recipe B has, too       83     -  planned
|   3  A, whose recipe B has, too      159     -  planned
|   4  A, whose recipe B has, too      159     -  planned
[3]
$ tscope why ./demo/base ./demo/base
! tscope: why: ./demo/base and ./demo/base do not differ in what the training computed, at any step that both have: there is nothing to find
[2]
$ tscope why ./demo/base
! tscope: why: usage: tscope why A B [-- COMMAND...]
[2]
$ tscope why ./demo/base ./demo/lr --budget some --dry-run
! tscope: why: --budget must be a duration such as 90s, 15m, 24h or 7d; it is 'some'
[2]
$ tscope why ./demo/base ./demo/lr -- true
! tscope: this folder is in no clone of git: experiments run in worktrees of one; --clone DIR names it
[2]
$ tscope bisect one two
! tscope: bisect: the command that trains is missing: tscope bisect GOOD BAD -- COMMAND
[2]
$ tscope bisect one two -- true
! tscope: bisect: this folder is in no clone of git: experiments run in worktrees of one; --clone DIR names it
[2]
$ tscope culprit
! tscope: there is no verb 'culprit'; 'tscope why A B -- COMMAND' finds by experiments what makes two runs differ
[2]
