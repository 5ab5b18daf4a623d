# What projects use is counted in a store of one's own, too; only a server has limits.
$ tscope push -q runs/base | head -1; tscope tag default/base best; tscope projects
| name      default/base
| tag default/best points at 18fc3da2967f
| project  names  notes    stored  uncompressed  rows a run
| default      2      1 SIZE SIZE         any
$ tscope --json projects
| {
|   "projects": [
|     {
|       "project": "default",
|       "sealed_bytes": 1183,
|       "raw_bytes": 1717,
|       "name_count": 2,
|       "note_count": 1,
|       "sealed_limit_bytes": null,
|       "raw_limit_bytes": null,
|       "name_limit": null,
|       "note_limit": null,
|       "row_limit": null
|     }
|   ],
|   "senders": [],
|   "uncounted": false
| }
# A server: one line for each project, one for a project, one for whoever sends.
$ tscoped --store server-store --socket $PWD/s --quota '* names 2' --quota 'small raw 1KiB' --quota 'small notes 1' --quota 'short rows 10' --quota '* unnamed 1MiB' >log 2>&1 & echo $! >pid; for i in $(seq 200); do test -S s || sleep 0.05; done
$ tscope --server unix:$PWD/s push -q runs/base | head -1
| name      default/base
$ tscope --server unix:$PWD/s tag default/base best
| tag default/best points at 18fc3da2967f
$ tscope --server unix:$PWD/s tag default/base worst
! tscope: the quota 'names' of project default does not allow this: it uses 2, this needs 1 more, and 2 are allowed; remove names that are not needed with tscope rm, or ask an admin of the server for more
[2]
$ tscope --server unix:$PWD/s push -q runs/apart
! tscope: the quota 'names' of project default does not allow this: it uses 2, this needs 1 more, and 2 are allowed; remove names that are not needed with tscope rm, or ask an admin of the server for more
[2]
# What was refused stays with who sent it, until a name reaches it or gc frees it.
$ tscope --server unix:$PWD/s projects | head -2
| project   names  notes    stored  uncompressed  rows a run
| default  2 of 2      1  1.16 KiB      1.68 KiB         any
$ tscope --server unix:$PWD/s whoami | grep unnamed
| unnamed   966 B of 1 MiB, sent and reached by no name yet
$ tscope --server unix:$PWD/s rm tag:default/best | sed 's/until [0-9-]*/until THEN/'; tscope --server unix:$PWD/s push -q runs/apart | tail -3
| removed tag default/best, which pointed at 18fc3da2967f
| sent      0 B (0 objects)
| new       0 B
| outcome   created
! tscope: this brings it back: tscope restore tag:default/best
$ tscope --server unix:$PWD/s whoami | grep unnamed
| unnamed   0 B of 1 MiB, sent and reached by no name yet
# A project that may not have these bytes, though the store has them; a gc counts what it shares with another.
$ tscope --server unix:$PWD/s push -q runs/base --name small/base | tail -1
| outcome   created
$ tscope --server unix:$PWD/s projects | cut -c1-29
| project   names   notes   sto
| default  2 of 2       2  2.1 $
| small    1 of 2  1 of 1      $
$ tscope --server unix:$PWD/s gc | tail -1; tscope --server unix:$PWD/s projects
| freed 0 objects, 0 B; kept 16
| project   names   notes    stored       uncompressed  rows a run
| default  2 of 2       2   2.1 KiB            2.9 KiB         any
| small    1 of 2  1 of 1  1.16 KiB  1.68 KiB of 1 KiB         any
$ tscope --server unix:$PWD/s push -q runs/longer --name small/longer
! tscope: the quota 'raw' of project small does not allow this: it uses 1.68 KiB (1717 bytes), this needs 1.93 KiB (1975 bytes) more, and 1 KiB (1024 bytes) are allowed; remove runs with tscope rm: their bytes are free once gc has given up the removed names, 30 days later or when an admin says tscope gc --removed 0s, or ask an admin of the server for more
[2]
$ tscope --server unix:$PWD/s note small/base why=because
! tscope: the quota 'notes' of project small does not allow this: it uses 1, this needs 1 more, and 1 are allowed; remove notes, or the names of runs that have them, or ask an admin of the server for more
[2]
# The notes of a run: its state is one.
$ tscope --server unix:$PWD/s note small/base state=running | cut -c1-14
| note   value  $
| state  running
# Rows of all tables count.
$ tscope --server unix:$PWD/s push -q runs/longer --name short/longer
! tscope: the quota of rows a run in project short does not allow this: the run has 12, and 10 are allowed; push fewer ranks or fewer steps in one run, or ask an admin of the server for more
[2]
$ tscope --server unix:$PWD/s --json verify | grep drift
|   "drift_count": 0,
|   "drifts": [],
$ tscope --server unix:$PWD/s projects --json | grep -c limit_bytes; kill $(cat pid)
| 5
# Lines that are none.
$ tscoped --store server-store --quota 'p bytes 3' --check
! time=NOW_____________________ level=error event=failed status=invalid reason="--quota: 'bytes' is not sealed, raw, names, notes, rows or unnamed"
[2]
$ tscoped --store server-store --socket none --listen tcp:127.0.0.1:0 --quota '* names 5, p sealed 2GiB' --check | grep quotas
| quotas       ok      2
