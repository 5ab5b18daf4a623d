# The first pull request on an empty store: no branch is there yet. That is green, with every output, and says so.
$ python3 runs/gate.py first time=0.1 commit=51000000000000000000000000000000000000aa session=x2 started=1700030000; tscope push -q first | head -1
| name      default/first
$ tscope gate first --baseline main --junit j.xml --markdown c.md --verdict v.json | head -1; echo ${PIPESTATUS[0]}; grep -c skipped j.xml; head -3 c.md; tscope gate --replay v.json | head -1
| step time of default/first is not judged yet, which is no pass: the gate has 0 baselines so far; a verdict needs at least 3, and 10 are recommended
| 0
| 16
| <!-- tscope-gate:dc514aa9ab1e -->
| ### tscope gate: collecting
|
| step time of default/first is not judged yet, which is no pass: the gate has 0 baselines so far; a verdict needs at least 3, and 10 are recommended
! tscope: warning: step time of default/first is not judged yet, which is no pass: the gate has 0 baselines so far; a verdict needs at least 3, and 10 are recommended
! tscope: warning: step time of default/first is not judged yet, which is no pass: the gate has 0 baselines so far; a verdict needs at least 3, and 10 are recommended
# A name that is no usual one of a first branch may be a typing error; branch: says that it is none.
$ tscope gate first --baseline frist; tscope gate first --baseline branch:release >/dev/null 2>&1; echo $?
| 0
! tscope: baseline: nothing is named default/frist; similar names: default/first; the project has no branch yet: branch:frist is one that is to come
# As soon as the project has a branch, a name that no branch has is a typing error.
$ tscope push -q --branch main first >/dev/null; tscope gate first --baseline mian
! tscope: baseline: nothing is named default/mian; similar names: default/main
[2]
# A name that is no branch's, and no project: still errors.
$ tscope gate first --baseline id:abcd
! tscope: baseline: nothing is named id:abcd
[2]
# Before the training: --check.
$ tscope gate --check --baseline main
| The policy is valid, local store TMP/store answers, and 1 run of the newest workload would be baselines (1 run of main).
$ printf 'GATE.mtrics = loss\n' >p; tscope gate --check --baseline main --policy p
! tscope: gate: p:1: GATE has no setting mtrics; did you mean metrics?
[2]
$ tscope gate --check --baseline main first; tscope gate --check --baseline main --json
| {
|   "error": {
|     "status": "invalid",
|     "message": "gate: --check and --json cannot be combined"
|   }
| }
! tscope: gate: --check takes no candidate: it is for the time before the training
! tscope: gate: --check and --json cannot be combined
[2]
$ TSCOPE_SERVER=unix:$PWD/none tscope gate --check --baseline main 2>&1 | sed "s#$PWD#DIR#g"; tscope gate --check; tscope gate --check --baseline v.json
| tscope: TSCOPE_SERVER: no tscoped answers at unix:DIR/none: No such file or directory; is it running?
| The policy is valid, local store TMP/store answers, and 0 runs of the newest workload would be baselines (0 runs of main, because the project has no branch yet).
! tscope: gate: no baselines are given; --baseline takes a branch, runs or a bundle
