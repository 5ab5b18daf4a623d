# A store that does not exist is empty, and reading does not make it.
$ tscope show base
! tscope: nothing is named default/base; there is no store at TMP/store, which TSCOPE_STORE names
[2]
$ tscope verify
! tscope: verify: there is nothing to verify; there is no store at TMP/store, which TSCOPE_STORE names
[2]
$ tscope gc
| freed 0 objects, 0 B; kept 0
! tscope: there is no store at TMP/store, which TSCOPE_STORE names
$ tscope tag base v1
! tscope: nothing is named default/base; there is no store at TMP/store, which TSCOPE_STORE names
[2]
$ test -e store || echo no store
| no store
$ env -u TSCOPE_STORE tscope push -q runs/base && find .local -name data.mdb
| name      default/base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent SIZE (10 objects)
| new SIZE
| outcome   created
| .local/share/tscope/store/data.mdb
$ env -u TSCOPE_STORE XDG_DATA_HOME=$PWD/xdg tscope push -q runs/base && find xdg -name data.mdb
| name      default/base
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
| format    pytscope run directory
| steps     8 steps (0 to 7), 1 rank
| sent SIZE (10 objects)
| new SIZE
| outcome   created
| xdg/tscope/store/data.mdb
$ env -u TSCOPE_STORE -u HOME tscope list
! tscope: there are no runs: there is no local store, because HOME names no folder and --store none; 'tscope push DIRECTORY' stores a run
$ tscope push -q runs/base runs/parts
| name           id            steps      sent       new  outcome
| default/base   18fc3da2967f      8 SIZE SIZE  created
| default/parts  2fce76dd212c      8 SIZE SIZE  created
| 2 runs: 2 created
$ tscope verify
| 13 objects, SIZE: all sound
$ tscope rm -q parts
| removed run default/parts, which pointed at 2fce76dd212c
$ tscope gc
| freed 0 objects, 0 B; kept 13
| 3 objects, SIZE, are kept for what was removed (tscope restore); gc --removed 0s frees them
$ tscope gc --lease 0s --removed 0s --dry-run
| would free 3 objects, SIZE; kept 10
$ tscope gc --lease 0s --removed 0s
| freed 3 objects, SIZE; kept 10
$ tscope gc --lease 0s --removed 0s
| freed 0 objects, 0 B; kept 10
$ tscope verify
| 10 objects, SIZE: all sound
$ tscope show base | head -1
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
# A server that is not there.
$ TSCOPE_SERVER=unix:/nonexistent tscope list
! tscope: TSCOPE_SERVER: no tscoped answers at unix:/nonexistent: No such file or directory; is it running?
[2]
$ TSCOPE_SERVER=unix:/nonexistent tscope version
| tscope VERSION, format 1
| server    not reachable: TSCOPE_SERVER: no tscoped answers at unix:/nonexistent: No such file or
|           directory; is it running?
$ tscope list --server unix:/nonexistent --json
| {
|   "error": {
|     "status": "unavailable",
|     "message": "--server: no tscoped answers at unix:/nonexistent: No such file or directory; is it running?"
|   }
| }
! tscope: --server: no tscoped answers at unix:/nonexistent: No such file or directory; is it running?
[2]
# What is asked of paths alone is answered all the same; a name is not.
$ TSCOPE_SERVER=unix:/nonexistent tscope diff ./runs/base ./runs/base | head -1
| Both sides are the same run: their ids are equal
! tscope: TSCOPE_SERVER: no tscoped answers at unix:/nonexistent: No such file or directory; is it running?
! tscope: this answer is about the paths alone, without the server
$ TSCOPE_SERVER=unix:/nonexistent tscope show ./runs/base | head -1
| id        18fc3da2967fa6afea7255d4eb081a5e8b7965bc8b6bb16faed1a7ec27e5d912
! tscope: TSCOPE_SERVER: no tscoped answers at unix:/nonexistent: No such file or directory; is it running?
! tscope: this answer is about the paths alone, without the server
$ TSCOPE_SERVER=unix:/nonexistent tscope diff ./runs/base base
! tscope: TSCOPE_SERVER: no tscoped answers at unix:/nonexistent: No such file or directory; is it running?
[2]
$ tscope show ./runs/base --server unix:/nonexistent
! tscope: --server: no tscoped answers at unix:/nonexistent: No such file or directory; is it running?
[2]
$ TSCOPE_SERVER=unix:/nonexistent tscope list --store store --names
| base
