#!/usr/bin/env bash
# cluster.sh start|stop|status FOLDER - a store for many on one machine, to try it and to learn from: PostgreSQL, Ceph (a monitor, a store of 20 GiB
# on a file, a gateway that speaks S3), three servers of tscope, and HAProxy before them, all from Debian 12's packages and without systemd. All
# that they write lies in FOLDER; each has its process number in FOLDER/run/NAME.pid, and its log in FOLDER/log. A start after a stop goes on with
# what is there. Settings, from the environment: TSCOPE_PORT, where HAProxy listens with TLS (7443; the next four ports are for the servers
# and the gateway), and TSCOPE_PROGRAMS, the folder of tscoped (else it is looked for in PATH).
#
# One machine has one disk: what is lost with it is lost. Ceph's monitor and store ask nobody for a key, at 127.0.0.1: whoever may log in to this
# machine can read and delete all packs. docs/cluster.md says what stands on machines of its own, and why.
set -euo pipefail

die() { echo "cluster.sh: $*" >&2; exit 1; }

[ $# -eq 2 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
here=$(dirname "$(readlink -f "$0")")
mkdir -p "$2"
folder=$(readlink -f "$2")
run=$folder/run
database=$folder/socket # of PostgreSQL, for its user and root alone
port=${TSCOPE_PORT:-7443}
monitor=$((port + 5)) gateway=$((port + 4))
user=$(id -un)
[ "$user" != root ] || user=postgres # PostgreSQL does not run as root
names=(postgresql ceph-mon ceph-osd radosgw tscoped1 tscoped2 tscoped3 haproxy)

programs() { # the folders of what Debian does not put into PATH
	PATH="$PATH:/usr/sbin:$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)"
	[ -z "${TSCOPE_PROGRAMS:-}" ] || PATH="$(readlink -f "$TSCOPE_PROGRAMS"):$PATH"
	local missing="" row
	for row in initdb:postgresql psql:postgresql ceph-mon:ceph-mon monmaptool:ceph-mon ceph-osd:ceph-osd ceph:ceph-common radosgw-admin:ceph-common \
		radosgw:radosgw haproxy:haproxy openssl:openssl curl:curl; do
		command -v "${row%%:*}" >/dev/null || [[ "$missing " = *" ${row##*:} "* ]] || missing+=" ${row##*:}"
	done
	[ -z "$missing" ] || die "not on this machine: apt-get install --no-install-recommends$missing"
	for row in tscoped tscope; do
		command -v $row >/dev/null || die "$row is not in PATH; TSCOPE_PROGRAMS names its folder"
	done
}

alive() { # alive NAME: whether it runs; a number that another process has now does not count
	local pid
	pid=$(cat "$run/$1.pid" 2>/dev/null) || return 1
	[ -d "/proc/$pid" ] && grep -qzF "$folder" "/proc/$pid/cmdline" 2>/dev/null
}

begin() { # begin NAME COMMAND...: in a session of its own
	alive "$1" && return
	setsid "${@:2}" >>"$folder/log/$1" 2>&1 </dev/null &
	echo $! >"$run/$1.pid"
}

until_ready() { # until_ready NAME COMMAND...: what fails is begun again, such as a database beside what was left of one that was killed
	local tried
	for tried in $(seq 600); do
		"${@:2}" >/dev/null 2>&1 && return
		[ $((tried % 10)) -ne 0 ] || alive "$1" || "begin_$1"
		sleep 0.2
	done
	die "$1 is not ready; $folder/log/$1 says more"
}

# ---- PostgreSQL ----

as_user() { if [ "$(id -un)" = "$user" ]; then "$@"; else setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups --reset-env -- "$@"; fi; }

begin_postgresql() {
	local words=(postgres -D "$folder/postgresql" -k "$database" -c listen_addresses= -c max_connections=100)
	words[0]=$(command -v postgres)
	if [ "$(id -un)" = "$user" ]; then begin postgresql "${words[@]}"; else
		begin postgresql setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups -- "${words[@]}"
	fi
}

sql() { psql -X -q -A -t -h "$database" -U tscope -c "$1" "${2:-postgres}"; }

start_postgresql() {
	# Whoever may open the folder of the socket is let in as the owner of all (-A trust): it belongs to this user alone.
	mkdir -p "$database"
	chmod 700 "$database"
	[ "$(id -un)" = "$user" ] || chown "$user" "$database"
	if [ ! -e "$folder/postgresql/PG_VERSION" ]; then
		mkdir -p "$folder/postgresql"
		[ "$(id -un)" = "$user" ] || chown "$user" "$folder/postgresql"
		as_user "$(command -v initdb)" -D "$folder/postgresql" -U tscope -A trust --no-locale -E UTF8 >>"$folder/log/postgresql"
	fi
	begin_postgresql
	until_ready postgresql sql "SELECT 1"
	[ -n "$(sql "SELECT 1 FROM pg_database WHERE datname = 'tscope'")" ] || sql "CREATE DATABASE tscope"
}

# ---- Ceph ----

ceph_conf() {
	cat <<-END
	[global]
	fsid = $(cat "$folder/ceph/fsid")
	mon host = v1:127.0.0.1:$monitor
	auth cluster required = none
	auth service required = none
	auth client required = none
	run dir = $run
	admin socket = $run/\$name.asok
	log file = /dev/null
	mon cluster log file = /dev/null
	pid file =
	osd pool default size = 1
	osd pool default min size = 1
	osd pool default pg num = 8
	osd pool default pg autoscale mode = off
	mon allow pool size one = true
	[mon]
	mon data = $folder/ceph/mon
	mon initial members = a
	[osd]
	osd data = $folder/ceph/osd
	osd objectstore = bluestore
	bluestore block size = $((20 << 30))
	bluestore block create = true
	osd memory target = 1073741824
	ms bind msgr2 = false
	public addr = 127.0.0.1
	cluster addr = 127.0.0.1
	[client.rgw]
	rgw data = $folder/ceph/rgw
	rgw frontends = beast endpoint=127.0.0.1:$gateway tcp_nodelay=1
	END
}

begin_ceph-mon() { begin ceph-mon ceph-mon -c "$conf" -f -i a; }
begin_ceph-osd() { begin ceph-osd ceph-osd -c "$conf" -f -i 0; }
begin_radosgw() { begin radosgw radosgw -c "$conf" -f -n client.rgw; }

s3() { # s3 BODY CURL-OPTIONS... URL: a signed request; curl 7.88 does not sign the digest of the body by itself
	curl -sS --fail --aws-sigv4 aws:amz:us-east-1:s3 -K <(sed -n 'N; s/.* = \(.*\)\n.* = \(.*\)/user = "\1:\2"/p' "$keys") \
		-H "x-amz-content-sha256: $(printf %s "$1" | sha256sum | cut -d' ' -f1)" "${@:2}"
}

start_ceph() {
	local conf=$folder/ceph/ceph.conf own
	if [ ! -e "$folder/ceph/mon/kv_backend" ]; then
		mkdir -p "$folder/ceph/mon" "$folder/ceph/osd" "$folder/ceph/rgw"
		cat /proc/sys/kernel/random/uuid >"$folder/ceph/fsid"
		ceph_conf >"$conf"
		monmaptool --create --clobber --fsid "$(cat "$folder/ceph/fsid")" --addv a "[v1:127.0.0.1:$monitor]" "$folder/ceph/monmap" >>"$folder/log/ceph-mon"
		ceph-mon -c "$conf" --mkfs -i a --monmap "$folder/ceph/monmap" >>"$folder/log/ceph-mon" 2>&1
	fi
	begin_ceph-mon
	until_ready ceph-mon ceph -c "$conf" --connect-timeout 3 mon stat
	if [ ! -e "$folder/ceph/osd/ready" ]; then
		[ -e "$folder/ceph/osd.uuid" ] || cat /proc/sys/kernel/random/uuid >"$folder/ceph/osd.uuid"
		own=$(cat "$folder/ceph/osd.uuid")
		# Without keys, who asks before it was told the number of the cluster is refused: it asks again.
		until_ready ceph-mon ceph -c "$conf" osd new "$own"
		ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$own" --no-mon-config >>"$folder/log/ceph-osd" 2>&1
	fi
	begin_ceph-osd
	until_ready ceph-osd sh -c "ceph -c '$conf' osd stat | grep -q '1 up'"
	if [ ! -e "$keys" ]; then
		(
			umask 077
			radosgw-admin -c "$conf" user create --uid tscope --display-name tscope 2>>"$folder/log/radosgw" |
				sed -n 's/.*"access_key": "\(.*\)".*/aws_access_key_id = \1/p; s/.*"secret_key": "\(.*\)".*/aws_secret_access_key = \1/p' >"$keys.new"
		)
		mv "$keys.new" "$keys"
	fi
	begin_radosgw
	until_ready radosgw curl -sS -o "$run/answer" "http://127.0.0.1:$gateway/"
	if [ ! -e "$folder/ceph/bucket" ]; then
		local versions='<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
		s3 "" -X PUT "http://127.0.0.1:$gateway/tscope"
		s3 "$versions" -X PUT --data-binary "$versions" "http://127.0.0.1:$gateway/tscope?versioning="
		touch "$folder/ceph/bucket"
	fi
}

# ---- servers, and HAProxy before them ----

certificates() { # of this machine's names, by a CA of its own
	[ ! -e "$folder/tls/ca.pem" ] || return 0
	mkdir -p "$folder/tls"
	(
		cd "$folder/tls"
		umask 077
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj "/CN=tscope cluster" -keyout ca.key -out ca.new 2>/dev/null
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=localhost" -keyout server.key -out server.csr 2>/dev/null
		printf 'subjectAltName=DNS:localhost,DNS:%s,IP:127.0.0.1\n' "$(uname -n)" >server.ext
		openssl x509 -req -in server.csr -CA ca.new -CAkey ca.key -CAcreateserial -days 365 -extfile server.ext -out server.pem 2>/dev/null
		cat server.pem server.key >both.pem
		mv ca.new ca.pem
	)
}

begin_tscoped() { begin "tscoped$1" tscoped --config "$folder/tscoped$1.conf"; }
begin_tscoped1() { begin_tscoped 1; }
begin_tscoped2() { begin_tscoped 2; }
begin_tscoped3() { begin_tscoped 3; }

start_servers() {
	local i members
	members=$(printf "unix:$run/tscoped%s.sock," 1 2 3)
	cat >"$folder/cluster.conf" <<-END
	postgresql = host=$database dbname=tscope user=tscope
	connections = 8
	bucket = http://127.0.0.1:$gateway/tscope/store
	credentials = $keys
	END
	for i in 1 2 3; do
		{ cat "$folder/cluster.conf"; printf 'cache = %s\ncache_mib = 1024\n' "$folder/cache$i"; } >"$folder/cluster$i.conf"
		cat >"$folder/tscoped$i.conf" <<-END
		store = cluster:$folder/cluster$i.conf
		socket = $run/tscoped$i.sock
		listen = tls:127.0.0.1:$((port + i))
		tls-cert = $folder/tls/server.pem
		tls-key = $folder/tls/server.key
		members = ${members%,}
		END
		begin_tscoped $i
		# The first one makes the tables.
		until_ready tscoped$i tscope --server "unix:$run/tscoped$i.sock" list --names --limit 1
	done
}

begin_haproxy() { begin haproxy haproxy -db -f "$folder/haproxy.cfg"; }

start_haproxy() {
	sed -e "s|@PORT@|$port|; s|@FOLDER@|$folder|g; s|@PORT1@|$((port + 1))|; s|@PORT2@|$((port + 2))|; s|@PORT3@|$((port + 3))|" \
		"$here/haproxy.cfg" >"$folder/haproxy.cfg"
	begin_haproxy
	until_ready haproxy curl -sS -o "$run/answer" --cacert "$folder/tls/ca.pem" --http2 "https://localhost:$port/"
}

start() {
	# What start begins is found by this in its environment, also what has no file of its number: stop ends it.
	[ "${TSCOPE_CLUSTER:-}" = "$folder" ] || TSCOPE_CLUSTER=$folder exec "$0" start "$folder"
	programs
	mkdir -p "$run" "$folder/log"
	chmod 700 "$run"
	start_postgresql
	start_ceph
	certificates
	start_servers
	start_haproxy
	cat <<-END
	ready. A token, and a first run:
	  tscope --server unix:$run/tscoped1.sock token make me --role maintain --for '*' --expires 30d
	  tscope login --ca $folder/tls/ca.pem tls:localhost:$port
	  tscope push FOLDER
	END
}

status() {
	local name down=0
	for name in "${names[@]}"; do
		if alive "$name"; then echo "$name: runs as process $(cat "$run/$name.pid")"; else
			echo "$name: does not run"
			down=1
		fi
	done
	return $down
}

rest() { # the numbers of what start began beside names, and of a start that goes on
	local at name named=" "
	for name in "${names[@]}"; do ! alive "$name" || named+="$(cat "$run/$name.pid") "; done
	for at in $(grep -lsxzF "TSCOPE_CLUSTER=$folder" /proc/[0-9]*/environ || true); do
		at=${at#/proc/}
		[[ "$named" = *" ${at%/environ} "* ]] || echo "${at%/environ}"
	done
}

end_rest() {
	local tried pids
	for tried in $(seq 100); do
		pids=$(rest)
		[ -n "$pids" ] || return 0
		# shellcheck disable=SC2086
		kill -s "$([ "$tried" -lt 50 ] && echo TERM || echo KILL)" $pids 2>/dev/null || true # one may have ended by itself
		sleep 0.1
	done
	die "these processes do not end: ${pids//$'\n'/ }"
}

stop() { # the last one started ends first
	local i name pid
	end_rest
	for ((i = ${#names[@]} - 1; i >= 0; i--)); do
		name=${names[i]}
		if alive "$name"; then
			pid=$(cat "$run/$name.pid")
			kill -s "$([ "$name" = postgresql ] && echo INT || echo TERM)" "$pid" 2>/dev/null || true # it may have ended by itself
			for _ in $(seq 300); do
				alive "$name" || break
				sleep 0.1
			done
			! alive "$name" || kill -9 "$pid" || ! alive "$name" || die "$name, process $pid, cannot be ended by $(id -un)"
		fi
		rm -f "$run/$name.pid"
	done
	end_rest
}

keys=$folder/ceph/credentials
case "$1" in
start | stop | status) "$1" ;;
*) die "start, stop or status, not $1" ;;
esac
