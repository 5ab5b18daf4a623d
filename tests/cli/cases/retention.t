# A branch with four runs, two of which no name has, and two names beside it.
$ for r in base parts longer whole; do tscope push -q --branch main runs/$r >/dev/null || exit; done; tscope push -q runs/rerun runs/mood >/dev/null; tscope rm -q parts longer
| removed run default/parts, which pointed at 2fce76dd212c
| removed run default/longer, which pointed at 782180165393
$ tscope log branch:main
| entry  id            moved                 who  message
|     4  64042302f952  NOW_________________  ada
|     3  782180165393  NOW_________________  ada
|     2  2fce76dd212c  NOW_________________  ada
|     1  18fc3da2967f  NOW_________________  ada
$ printf '%s\n' '# of the team' 'RETENTION.branch = */main: last 2' 'RETENTION.runs = *: younger 1s' > keep.policy
# What is wrong with a policy is said with its line, before anything is asked.
$ printf 'RETENTION.branch = */main: lst 2\n' > wrong.policy; tscope gc --policy wrong.policy
! tscope: gc: wrong.policy:1: 'lst 2' does not say what stays: last N (1 to 1000000), younger TIME (such as 90d; s, m, h or d, at most ten years), each once, or all
[2]
$ printf 'GATE.delta = 1 %%\n' > gate.policy; tscope gc --policy gate.policy
! tscope: gc: gate.policy: the policy has no rule of retention, such as RETENTION.branch = */main: last 200, younger 90d
[2]
$ tscope gc --policy none.policy
! tscope: gc: none.policy: No such file or directory
[2]
$ tscope gc --apply
! tscope: gc: --apply is for what --policy FILE lets go
[2]
$ tscope gc --policy keep.policy --apply --dry-run
! tscope: gc: --apply and --dry-run contradict each other
[2]
# It shows what would go, and changes nothing.
$ tscope tag whole v1; sleep 1.1; tscope gc --policy keep.policy
| tag default/v1 points at 64042302f952
| kind     of            rule            goes  why others stay
| entries  default/main  */main: last 2     2  1 newest of its branch, 1 among the last
| names    default       *: younger 1s      3  1 tagged
|
| goes   name           entry  id
| entry  default/main       1  18fc3da2967f
| entry  default/main       2  2fce76dd212c
| name   default/base          18fc3da2967f
| name   default/mood          02543aa2aba4
| name   default/rerun         615c705062bf
|
| would let go 2 entries of branches and 3 run names; 30 days later this frees 7 objects, SIZE, which nothing else reaches
| would free 0 objects, 0 B; kept 34
! tscope: nothing was changed; --apply lets them go
$ tscope gc --policy keep.policy --json | python3 -c 'import json,sys; r=json.load(sys.stdin)["retention"]; print([(i["kind"], i["name"], i["entry"], i["why"]) for i in r["items"]], r["object_count"] > 0)'
| [('branch', 'default/main', 1, None), ('branch', 'default/main', 2, None), ('run', 'default/base', 0, None), ('run', 'default/mood', 0, None), ('run', 'default/rerun', 0, None)] True
$ tscope list --names; tscope log branch:main | wc -l
| mood
| rerun
| whole
| base
| 5
# A note or a tag keeps a run, its name and its entries.
$ tscope tag rerun v2; tscope note mood accepted=mine >/dev/null; tscope gc --policy keep.policy | head -4
| tag default/v2 points at 615c705062bf
| kind     of            rule            goes  why others stay
| entries  default/main  */main: last 2     2  1 newest of its branch, 1 among the last
| names    default       *: younger 1s      1  2 tagged, 1 kept by a note
|
! tscope: nothing was changed; --apply lets them go
$ tscope tag -q default/rerun v2 >/dev/null; tscope rm -q tag:v2 >/dev/null; tscope note mood accepted= >/dev/null; sleep 1.1
$ tscope gc --policy keep.policy --apply
| kind     of            rule            went  why others stay
| entries  default/main  */main: last 2     2  1 newest of its branch, 1 among the last
| names    default       *: younger 1s      3  1 tagged
|
| let go 2 entries of branches and 3 run names; for 30 days tscope restore brings them back
| freed 0 objects, 0 B; kept 34
| 17 objects, SIZE, are kept for what was removed (tscope restore); gc --removed 0s frees them
$ tscope list --names
| whole
$ tscope log branch:main
| entry  id            moved                 who  message
|     4  64042302f952  NOW_________________  ada
|     3  782180165393  NOW_________________  ada
| 2 older entries were pruned, the last on NOW_________________ by ada (policy)
$ tscope log branch:main --limit 1
| entry  id            moved                 who  message
|     4  64042302f952  NOW_________________  ada
| 2 older entries were pruned, the last on NOW_________________ by ada (policy)
! tscope: there are older entries; without --limit, log shows all of them
$ tscope log branch:main --json | tail -6
|   ],
|   "pruned_count": 2,
|   "pruned": "NOW",
|   "pruned_by": "ada (policy)",
|   "notes": []
| }
$ tscope trend main | head -2
| no run of main has a step time that counts
| 2 runs, workload b9400270cda3; 2 runs left out; 2 entries of the branch pruned, the last on
$ tscope gc --policy keep.policy --apply
| kind     of            rule            went  why others stay
| entries  default/main  */main: last 2     0  1 newest of its branch, 1 among the last
| names    default       *: younger 1s      0  1 tagged
|
| nothing went by this policy
| freed 0 objects, 0 B; kept 34
| 17 objects, SIZE, are kept for what was removed (tscope restore); gc --removed 0s frees them
# What went is there for 30 days, and comes back.
$ tscope restore
| kind       name            id            removed               by            until
| 2 entries  default/main    2fce76dd212c  NOW_________________  ada (policy)  NOW_________________
| run        default/base    18fc3da2967f  NOW_________________  ada (policy)  NOW_________________
| run        default/longer  782180165393  NOW_________________  ada           NOW_________________
| run        default/mood    02543aa2aba4  NOW_________________  ada (policy)  NOW_________________
| run        default/parts   2fce76dd212c  NOW_________________  ada           NOW_________________
| run        default/rerun   615c705062bf  NOW_________________  ada (policy)  NOW_________________
| tag        default/v2      615c705062bf  NOW_________________  ada           NOW_________________
$ tscope restore branch:main
| restored 2 entries of the history of branch default/main
$ tscope restore rerun
| restored run default/rerun, which points at 615c705062bf
$ tscope log branch:main
| entry  id            moved                 who  message
|     4  64042302f952  NOW_________________  ada
|     3  782180165393  NOW_________________  ada
|     2  2fce76dd212c  NOW_________________  ada
|     1  18fc3da2967f  NOW_________________  ada
$ tscope gc --policy keep.policy --apply --removed 0s --lease 0s | tail -2
| let go 2 entries of branches and 1 run name
| freed 17 objects, SIZE; kept 17
$ tscope restore branch:main
! tscope: no branch default/main was removed, or gc has freed it since; tscope restore lists what can come back
[2]
$ tscope verify
| 17 objects, SIZE: all sound
$ tscope log branch:main
| entry  id            moved                 who  message
|     4  64042302f952  NOW_________________  ada
|     3  782180165393  NOW_________________  ada
| 2 older entries were pruned, the last on NOW_________________ by ada (policy)
# A server does not give removed names up for its clients: what the policy let go before that is said all the same.
$ tscope push -q --branch main runs/base >/dev/null; tscoped --store store --socket $PWD/s --log-level error & for i in 1 2 3 4 5 6 7 8 9 10; do test -S s && break; sleep 0.3; done; export TSCOPE_SERVER=unix:$PWD/s; tscope gc --policy keep.policy --apply --removed 0s; tscope gc --policy keep.policy --apply | tail -3; kill %1; wait
| nothing went by this policy
| freed 0 objects, 0 B; kept 27
| 10 objects, SIZE, are kept for what was removed (tscope restore); gc --removed 0s frees them
! tscope: the policy let go 1 entry of branches; gc: this server keeps removed names for 30 days, and others may want theirs back; leave --removed out, or have the server's keep-removed changed
