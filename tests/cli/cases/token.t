# A store of one's own needs no token, but the tokens of a server can be made on its store.
$ tscope token
! tscope: there are no tokens
$ tscoped --store server-store --socket $PWD/s >log 2>&1 & echo $! >pid; for i in $(seq 200); do test -S s || sleep 0.05; done
$ tscope --server unix:$PWD/s push -q runs/base | head -1
| name      default/base
$ tscope --server unix:$PWD/s token make ci --role read --for default > tok; sed 's/_[a-z2-7]\{58\}$/_SECRET/' tok
| tscope_SECRET
! tscope: this token is not shown again; it may read in default, and expires NOW_________________
$ tscope --server unix:$PWD/s token make ci --role push
! tscope: there is a token ci already; revoke it first, or take another name
[2]
$ tscope --server unix:$PWD/s token make x --role boss
! tscope: token: --role must be one of: read push maintain admin; it is 'boss'
[2]
$ tscope --server unix:$PWD/s token make x --role admin --for default
! tscope: admin is about the whole server, so the project of its token must be *
[2]
$ tscope --server unix:$PWD/s token make x --expires 0s
! tscope: token: --expires must be more than 0s, or never
[2]
$ tscope token grow
! tscope: token: 'grow' is not make, list or revoke
[2]
$ tscope token make
! tscope: token: make takes one name
[2]
$ tscope --server unix:$PWD/s token | cut -c1-22
| name  role  projects  $
| ci    read  default   $
# A token stands for itself, also where the user behind the socket could do more.
$ TSCOPE_TOKEN=$(cat tok) tscope --server unix:$PWD/s whoami | sed 's/expires .*/expires THEN/'
| server    unix:TMP/s
| who       token:ci
| may       read default
| token     of TSCOPE_TOKEN, expires THEN
$ TSCOPE_TOKEN=$(cat tok) tscope --server unix:$PWD/s rm base
! tscope: token:ci does not have the role push in any project of this server; an admin can give it (asked with the token of TSCOPE_TOKEN)
[2]
$ TSCOPE_TOKEN=$(cat tok) tscope --server unix:$PWD/s list -c name
| name
| base
$ TSCOPE_TOKEN=tscope_abc tscope --server unix:$PWD/s list
! tscope: this is no token: one begins with tscope_ and has 65 characters (asked with the token of TSCOPE_TOKEN)
[2]
# login reads it from stdin, tries it, and keeps it.
$ echo tscope_abc | tscope login unix:$PWD/s
! tscope: login: this is no token: one begins with tscope_ and has 65 characters
[2]
$ test -e .config/tscope/credentials || echo none
| none
$ tscope login unix:$PWD/s < tok | sed 's/expires .*/expires THEN/'
| server    unix:TMP/s
| who       token:ci
| may       read default
| token     of TMP/.config/tscope/credentials, expires THEN
! tscope: commands go to this server now, unless --server, --store or the environment name another; tscope logout ends that
$ stat -c '%a %n' .config/tscope .config/tscope/credentials
| 700 .config/tscope
| 600 .config/tscope/credentials
$ env -u TSCOPE_STORE tscope list -c name; env -u TSCOPE_STORE tscope rm base
| name
| base
! tscope: token:ci does not have the role push in any project of this server; an admin can give it (asked with the token of TMP/.config/tscope/credentials)
[2]
$ tscope list
! tscope: there are no runs: there is no store at TMP/store, which TSCOPE_STORE names; 'tscope push DIRECTORY' stores a run
# A file that others can read, or that another could have put there, is not used.
$ chmod 640 .config/tscope/credentials; env -u TSCOPE_STORE tscope list
! tscope: TMP/.config/tscope/credentials can be used by others (its mode is 0640), so its tokens are not used; revoke them, then chmod 600 TMP/.config/tscope/credentials, and tscope login again
[2]
$ chmod 600 .config/tscope/credentials; mv .config/tscope/credentials kept; ln -s $PWD/kept .config/tscope/credentials; env -u TSCOPE_STORE tscope list
! tscope: TMP/.config/tscope/credentials is a symbolic link, so its tokens are not used
[2]
$ rm .config/tscope/credentials; mkfifo -m 600 .config/tscope/credentials; env -u TSCOPE_STORE tscope list
! tscope: TMP/.config/tscope/credentials is no plain file, so its tokens are not used
[2]
$ rm .config/tscope/credentials; mv kept .config/tscope/credentials; echo colour = red >> .config/tscope/credentials; env -u TSCOPE_STORE tscope list
! tscope: TMP/.config/tscope/credentials:6: the line is none that tscope login writes
[2]
$ sed -i '$d' .config/tscope/credentials; tscope --server unix:$PWD/s --json whoami | grep who
|   "who": "token:ci",
$ tscope logout; tscope logout
| logged out of unix:TMP/s; the token itself lives until it expires or is revoked
! tscope: logout: you are logged in nowhere
[2]
# What the command computes itself, of objects that it asks for by id, a token shows as well as the socket of an admin does.
$ cp -r demo/base one; cp traced/trace.json one; cp memory/oom.pickle one/snapshot.pickle; cp -r demo/order two; cp traced/slower.json two/trace.json; cp memory/batch8.pickle two/snapshot.pickle; tscope --server unix:$PWD/s push -q one two | tail -1
| 2 runs: 2 created
$ { echo 'tscope --server unix:$PWD/s "$@" >open.txt 2>&1; open=$?; TSCOPE_TOKEN=$(cat tok) tscope --server unix:$PWD/s "$@" >token.txt 2>&1'; echo 'echo $open $? $(grep -c . token.txt); cmp open.txt token.txt'; } >both
$ for words in 'diff one two' 'diff ./one two' 'diff ./one ./two' 'analyze one --trace trace.json' 'analyze one --snapshot snapshot.pickle' 'show two --at peak' 'gate two --baseline one'; do sh ./both $words; done
| 1 1 105
| 1 1 105
| 1 1 105
| 0 0 116
| 0 0 91
| 0 0 44
| 0 0 21
# Columns are asked for at once, however many they are: the kinds of the run's files, one trace's index, and all of its columns.
$ before=$(grep -c method=GetObjects log); tscope --server unix:$PWD/s analyze one --trace trace.json >open.txt; echo $(($(grep -c method=GetObjects log) - before))
| 3
# So are those of a run that a path is compared with, which differs from it.
$ cp -r two three; sed s/aten::/mine::/g traced/slower.json >three/trace.json; before=$(grep -c method=GetObjects log); tscope --server unix:$PWD/s diff ./three one >open.txt; echo $(($(grep -c method=GetObjects log) - before))
| 41
! tscope: both runs have memory snapshots: tscope diff ./three one --snapshot NAME says which stacks hold more
$ tscope --server unix:$PWD/s token revoke ci; TSCOPE_TOKEN=$(cat tok) tscope --server unix:$PWD/s list
| revoked ci
! tscope: the server knows no such token: it was revoked, or is of another server (asked with the token of TSCOPE_TOKEN)
[2]
$ tscope --server unix:$PWD/s token revoke ci
! tscope: there is no token ci
[2]
# No token is in the log of the server.
$ grep -c "$(cut -c8-40 tok)" log; kill $(cat pid)
| 0
