# All names of a project, and what is noted of its runs, back to a moment: by logs, which only grow.
$ tscope push -q runs/base runs/apart runs/mood >/dev/null; tscope tag base v1 -q; tscope push -q runs/base --name main-1 --branch main >/dev/null; tscope note base note=good -q >/dev/null
| tag default/v1 points at 18fc3da2967f
$ sleep 0.1; date -u +%FT%T.%3NZ >then; sleep 0.1
$ tscope name apart base --force -q; tscope tag apart v1 --force -q; tscope rm mood -q; tscope push -q runs/apart --name main-2 --branch main >/dev/null
| run default/base points at a119718b675c; it pointed at 18fc3da2967f before
| tag default/v1 points at a119718b675c; it pointed at 18fc3da2967f before
| removed run default/mood, which pointed at 02543aa2aba4
$ tscope note base note=bad -q >/dev/null; tscope note base bad=slow -q >/dev/null; tscope tag base v2 -q; tscope tag base v3 -q; tscope rm tag:v3 -q
| tag default/v2 points at a119718b675c
| tag default/v3 points at a119718b675c
| removed tag default/v3, which pointed at a119718b675c
$ tscope restore --at $(cat then) --dry-run
| change   name                 note  now           then
| restore  run default/mood           (not there)   02543aa2aba4
| move     run default/base           a119718b675c  18fc3da2967f
| note     run default/base     bad   slow          (no note)
| note     run default/base     note  bad           good
| remove   run default/main-2         a119718b675c  (not there)
| move     tag default/v1             a119718b675c  18fc3da2967f
| remove   tag default/v2             a119718b675c  (not there)
| move     branch default/main        a119718b675c  18fc3da2967f
! tscope: nothing was changed; without --dry-run, this is done
$ tscope list -c name
| name
| main-2
| base
| main-1
| apart
$ tscope restore --at $(cat then)
| change   name                 note  now           then
| restore  run default/mood           (not there)   02543aa2aba4
| move     run default/base           a119718b675c  18fc3da2967f
| note     run default/base     bad   slow          (no note)
| note     run default/base     note  bad           good
| remove   run default/main-2         a119718b675c  (not there)
| move     tag default/v1             a119718b675c  18fc3da2967f
| remove   tag default/v2             a119718b675c  (not there)
| move     branch default/main        a119718b675c  18fc3da2967f
$ tscope list -c name; tscope log base | cut -c1-20; tscope log branch:main | wc -l; tscope note base
| name
| base
| main-1
| mood
| apart
| entry  id           $
|     3  18fc3da2967f $
|     2  a119718b675c $
|     1  18fc3da2967f $
| 4
| note   value     when                  who
| note   good      NOW_________________  ada
| state  finished  NOW_________________  ada
# It is done, and nothing is left to do.
$ tscope restore --at $(cat then) | sed 's/at .*/at THEN/'
| nothing differs from what THEN
$ tscope restore --at 0s --json | sed 's/"20.*"/"THEN"/'
| {
|   "at": "THEN",
|   "dry_run": false,
|   "changes": [],
|   "failed_count": 0
| }
$ tscope restore --at 2020-01-01T00:00:00Z --dry-run | sort
| change  name                 note  now           then
| remove  branch default/main        18fc3da2967f  (not there)
| remove  run default/apart          a119718b675c  (not there)
| remove  run default/base           18fc3da2967f  (not there)
| remove  run default/main-1         18fc3da2967f  (not there)
| remove  run default/mood           02543aa2aba4  (not there)
| remove  tag default/v1             18fc3da2967f  (not there)
! tscope: nothing was changed; without --dry-run, this is done
# A run that was swept since is named.
$ tscope push -q runs/base --name grown >/dev/null; sleep 0.1; date -u +%FT%T.%3NZ >then; sleep 0.1
$ tscope push -q runs/apart --name grown --force >/dev/null; tscope rm base main-1 tag:v1 branch:main -q; tscope gc --lease 0s --removed 0s -q | cut -c1-5
| removed run default/base, which pointed at 18fc3da2967f
| removed run default/main-1, which pointed at 18fc3da2967f
| removed tag default/v1, which pointed at 18fc3da2967f
| removed branch default/main, which pointed at 18fc3da2967f
| freed
$ tscope restore --at $(cat then)
| change  name               note  now           then
| lost    run default/grown        a119718b675c  18fc3da2967f  the run that it pointed at was freed by a gc since
[1]
$ tscope restore --at $(cat then) --dry-run
| change  name               note  now           then
| lost    run default/grown        a119718b675c  18fc3da2967f  the run that it pointed at was freed by a gc since
! tscope: nothing was changed; without --dry-run, this is done
[1]
$ tscope restore --at 2200-01-01T00:00:00Z
! tscope: restore: the time of --at has not come yet
[2]
$ tscope restore --at soon
! tscope: restore: --at takes a time such as 2026-11-20T11:27:00Z, or how long ago, such as 2h; it is 'soon'
[2]
$ tscope restore base --at 1h
! tscope: restore: --at is about all names of the project, and takes neither a name nor --as
[2]
$ tscope restore --dry-run
! tscope: restore: --dry-run is for --at
[2]
