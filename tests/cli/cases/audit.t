# Who changed what on a server: a token that may push, one that may only read, and the user behind the socket.
$ tscoped --store server-store --socket $PWD/s --audit-log audit.log >log 2>&1 & echo $! >pid; for i in $(seq 200); do test -S s || sleep 0.05; done
$ tscope --server unix:$PWD/s push -q runs/base --name first | head -1
| name      default/first
$ tscope --server unix:$PWD/s token make ci --role push --for default 2>/dev/null >push
$ tscope --server unix:$PWD/s token make eyes --role read --for default 2>/dev/null >read
$ TSCOPE_TOKEN=$(cat push) tscope --server unix:$PWD/s push -q runs/base --name mine --branch work | head -1
| name      default/mine
$ TSCOPE_TOKEN=$(cat push) tscope --server unix:$PWD/s note mine note='looks right'
| note   value        when                  who
| note   looks right  NOW_________________  token:ci
| state  finished     NOW_________________  token:ci
$ TSCOPE_TOKEN=$(cat push) tscope --server unix:$PWD/s note mine note='no, it does not'
| note   value            when                  who
| note   no, it does not  NOW_________________  token:ci
| state  finished         NOW_________________  token:ci
$ TSCOPE_TOKEN=$(cat push) tscope --server unix:$PWD/s note first bad=slow 2>&1 | sed "s/by $(id -un);/by USER;/"
| tscope: run default/first was made by USER; writing its note bad needs the role maintain in the project default, and token:ci has only push (asked with the token of TSCOPE_TOKEN)
$ TSCOPE_TOKEN=$(cat read) tscope --server unix:$PWD/s rm mine
! tscope: token:eyes does not have the role push in any project of this server; an admin can give it (asked with the token of TSCOPE_TOKEN)
[2]
$ TSCOPE_TOKEN=$(cat push) tscope --server unix:$PWD/s rm mine
| removed run default/mine, which pointed at 18fc3da2967f
! tscope: this brings it back: tscope restore default/mine
$ kill $(cat pid); for i in $(seq 200); do kill -0 $(cat pid) 2>/dev/null && sleep 0.05; done; true
# What one token did, and what it was refused.
$ tscope audit audit.log --who ci | sed "s/by $(id -un);/by USER;/"
| line  when                  kind   who  act     on                   what
|    8  NOW_________________  token  ci   move    run default/mine     nothing -> 18fc3da2967f
|    9  NOW_________________  token  ci   note    run default/mine     state: nothing -> finished
|   10  NOW_________________  token  ci   move    branch default/work  nothing -> 18fc3da2967f
|   11  NOW_________________  token  ci   note    run default/mine     note: nothing -> looks right
|   12  NOW_________________  token  ci   note    run default/mine     note: looks right -> no, it does not
|   13  NOW_________________  token  ci   call                         refused: run default/first was made by USER; writing its note bad needs the role maintain in the project default, and token:ci has only push
|   15  NOW_________________  token  ci   remove  run default/mine     18fc3da2967f -> nothing
$ tscope audit audit.log --denied | sed "s/by $(id -un);/by USER;/"
| line  when                  kind   who   act   on  what
|   13  NOW_________________  token  ci    call      refused: run default/first was made by USER; writing its note bad needs the role maintain in the project default, and token:ci has only push
|   14  NOW_________________  token  eyes  call      refused: token:eyes does not have the role push in any project of this server; an admin can give it
$ tscope audit audit.log --on 'run default/mine' --act note --limit 1 --json | sed "s/\"$(id -un)\"/\"USER\"/; s/[0-9a-f]\{64\}/CHAIN/"
| {
|   "entries": [
|     {
|       "line": 12,
|       "at": "NOW",
|       "kind": "token",
|       "who": "ci",
|       "from": "USER",
|       "act": "note",
|       "on": "run default/mine",
|       "key": "note",
|       "before": "looks right",
|       "after": "no, it does not",
|       "text": "",
|       "denied": false
|     }
|   ],
|   "line_count": 16,
|   "first_line": 1,
|   "last_line": 16,
|   "torn_count": 0,
|   "chain": "CHAIN"
| }
! tscope: these are the newest 1 of 3 lines; --limit shows more
$ tscope audit audit.log --kind server --act start | cut -c1-40
| line  when                  kind    who $
|    1  NOW_________________  server  tsco
# The chain: as it was written, with a word changed, with a line taken out, and cut at its end.
$ tscope audit audit.log --check | sed 's/[0-9a-f]\{64\}/CHAIN/'
| 16 lines in 1 file, all sound; the last is line 16, chain CHAIN
$ sed 's/looks right/looks wrong/' audit.log >changed.log; tscope audit changed.log --check
! tscope: line 11 of the audit log does not follow the one before: that one, or itself, was changed, or lines between them were taken out
[2]
$ sed 6d audit.log >shorter.log; tscope audit shorter.log --check
! tscope: line 7 of the audit log does not follow the one before: that one, or itself, was changed, or lines between them were taken out
[2]
$ head -n 5 audit.log >cut.log; tscope audit cut.log --check | sed 's/[0-9a-f]\{64\}/CHAIN/'
| 5 lines in 1 file, all sound; the last is line 5, chain CHAIN
$ tscope audit cut.log --check --least 12
! tscope: the audit log ends with line 5, and line 12 was written: lines are missing at its end
[2]
$ tscope audit nothing.log
! tscope: there is no audit log nothing.log
[2]
$ tscope audit audit.log --kind boss
| line  when  kind  who  act  on  what
