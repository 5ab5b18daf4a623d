$ tscope push -q runs/base runs/parts
| name           id            steps      sent       new  outcome
| default/base   18fc3da2967f      8 SIZE SIZE  created
| default/parts  2fce76dd212c      8 SIZE SIZE  created
| 2 runs: 2 created
$ tscope name base best
| run default/best points at 18fc3da2967f
$ tscope name base best
| run default/best points at 18fc3da2967f as before
$ tscope name parts best
! tscope: run default/best exists already and points at 18fc3da2967f; use --force to move it
[2]
$ tscope name --force parts best
| run default/best points at 2fce76dd212c; it pointed at 18fc3da2967f before
$ tscope name base /a
! tscope: 'default//a': byte 9 of a name is not allowed there: a name has components of letters, digits and ._+- that begin with a letter or digit, joined by /
[2]
$ tscope name base 'not a name'
! tscope: 'default/not a name': byte 12 of a name is not allowed there: a name has components of letters, digits and ._+- that begin with a letter or digit, joined by /
[2]
$ tscope tag base v1
| tag default/v1 points at 18fc3da2967f
$ tscope tag parts v1
! tscope: tag default/v1 exists already and points at 18fc3da2967f; use --force to move it
[2]
$ tscope tag
| name  id            pushed
| v1    18fc3da2967f  NOW______________
$ tscope note base
| note   value     when                  who
| state  finished  NOW_________________  ada
$ tscope note base bad='loss spikes' note=x
| note   value        when                  who
| bad    loss spikes  NOW_________________  ada
| note   x            NOW_________________  ada
| state  finished     NOW_________________  ada
$ tscope note base note= state=crashed
| note   value        when                  who
| bad    loss spikes  NOW_________________  ada
| state  crashed      NOW_________________  ada
$ tscope note tag:v1
! tscope: note: default/v1 is a tag, and only runs have notes
[2]
$ tscope note base novalue
! tscope: note: 'novalue' must have the form KEY=VALUE
[2]
$ tscope log best
| entry  id            moved                 who  message
|     2  2fce76dd212c  NOW_________________  ada
|     1  18fc3da2967f  NOW_________________  ada
$ tscope log best --limit 1 | wc -l
| 2
! tscope: there are older entries; without --limit, log shows all of them
$ tscope log best --limit 2 | wc -l
| 3
$ tscope log nothing
! tscope: nothing is named default/nothing
[2]
$ tscope push -q --branch nightly --name base runs/base; tscope list --branches --columns name,id
| name      default/base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent      0 B (0 objects)
| new       0 B
| outcome   unchanged
| name     id
| nightly  18fc3da2967f
$ tscope log branch:nightly
| entry  id            moved                 who  message
|     1  18fc3da2967f  NOW_________________  ada
# A word that is wrong removes nothing.
$ tscope rm best nothing
! tscope: nothing is named default/nothing
[2]
$ tscope rm best tag:v1 branch:nightly
| removed run default/best, which pointed at 2fce76dd212c
| removed tag default/v1, which pointed at 18fc3da2967f
| removed branch default/nightly, which pointed at 18fc3da2967f
! tscope: this brings it back: tscope restore default/best
! tscope: this brings it back: tscope restore tag:default/v1
! tscope: this brings it back: tscope restore branch:default/nightly
# What was removed comes back as it was, with its log and its notes.
$ tscope restore
| kind    name             id            removed               by   until
| branch  default/nightly  18fc3da2967f  NOW_________________  ada  NOW_________________
| run     default/best     2fce76dd212c  NOW_________________  ada  NOW_________________
| tag     default/v1       18fc3da2967f  NOW_________________  ada  NOW_________________
$ tscope restore best
| restored run default/best, which points at 2fce76dd212c
$ tscope restore branch:nightly --as weekly; tscope log branch:weekly
| restored branch default/weekly, which points at 18fc3da2967f
| entry  id            moved                 who  message
|     1  18fc3da2967f  NOW_________________  ada
$ tscope restore nightly
! tscope: no default/nightly was removed, or gc has freed it since; tscope restore lists what can come back
[2]
$ tscope restore --as x
! tscope: restore: --as needs the name that was removed
[2]
$ tscope tag base v1 >/dev/null; tscope restore tag:v1
! tscope: tag default/v1 exists again; 'tscope restore tag:default/v1 --as OTHER' gives it another name
[2]
$ tscope restore tag:v1 --as v0; tscope tag
| restored tag default/v0, which points at 18fc3da2967f
| name  id            pushed
| v1    18fc3da2967f  NOW______________
| v0    18fc3da2967f  NOW______________
$ tscope rm best tag:v1 tag:v0 branch:weekly >/dev/null
! tscope: this brings it back: tscope restore default/best
! tscope: this brings it back: tscope restore tag:default/v1
! tscope: this brings it back: tscope restore tag:default/v0
! tscope: this brings it back: tscope restore branch:default/weekly
# A name that is given to the same run again has its notes again.
$ tscope note base bad="loss spikes" >/dev/null; tscope rm base
| removed run default/base, which pointed at 18fc3da2967f
! tscope: this brings it back: tscope restore default/base
$ tscope name 18fc3da2967f default/base
| run default/base points at 18fc3da2967f
$ tscope note base
| note   value        when                  who
| bad    loss spikes  NOW_________________  ada
| state  finished     NOW_________________  ada
$ tscope note base bad= >/dev/null
$ tscope rm 18fc3da2
! tscope: rm: '18fc3da2' is the id of a run, and this command needs a name
[2]
$ tscope list --names --sort name
| base
| parts
