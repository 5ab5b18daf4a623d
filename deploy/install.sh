#!/usr/bin/env bash
# install.sh - installs built programs, with completions, man pages and a systemd unit.
#
#   install.sh BUILD [PREFIX]      installs the programs of the build folder below PREFIX (/usr/local)
#   install.sh --remove [PREFIX]   removes what the other form installed there, and nothing else
#
# With DESTDIR, everything goes below that folder, as packages want it. Nothing is written outside of PREFIX: the unit reads
# /etc/tscope/tscoped.conf, which is made by hand (share/doc/tscoped/tscoped.conf is the example), and systemd looks for units
# below /usr and /usr/local.
set -euo pipefail
source=$(dirname "$(dirname "$(readlink -f "$0")")")

die() {
	printf 'install.sh: %s\n' "$*" >&2
	exit 2
}

# Lines of: mode, file here, place below PREFIX.
files() {
	local mode from place file
	while read -r _ mode from place; do
		case $from in
		BUILD/*) printf '%s\t%s\t%s\n' "$mode" "$build/${from#BUILD/}" "$place" ;;
		*'*'*)
			for file in "$source/${from%/*}/"${from##*/}; do
				printf '%s\t%s\t%s\n' "$mode" "$file" "$place/${file##*/}"
			done
			;;
		*) printf '%s\t%s\t%s\n' "$mode" "$source/$from" "$place" ;;
		esac
	done < <(grep -v '^#' "$source/deploy/files")
}

install_file() { # install_file MODE FROM TO
	case $3 in
	*.service)
		# The unit names the program where it is.
		install -D -m "$1" "$2" "$to"
		sed -i "s|^ExecStart=/usr/bin/|ExecStart=$prefix/bin/|" "$to"
		;;
	bin/*) install -D -m "$1" -s "$2" "$to" ;;
	*) install -D -m "$1" "$2" "$to" ;;
	esac
}

[ $# -ge 1 ] && [ $# -le 2 ] || die "usage: install.sh BUILD [PREFIX] | --remove [PREFIX]"
build=$1
prefix=${2:-/usr/local}
[[ $prefix == /* ]] || die "PREFIX is a path from /: $prefix"
[ "$build" = --remove ] || [ -x "$build/tscope" ] || die "there is no program in $build"
while IFS=$'\t' read -r mode from name; do
	to=${DESTDIR:-}$prefix/$name
	if [ "$build" = --remove ]; then rm -f "$to"; else install_file "$mode" "$from" "$name"; fi
done < <(files)
if [ "$build" = --remove ]; then
	rmdir "${DESTDIR:-}$prefix"/share/doc/tscope{,d} 2>/dev/null || true
	printf 'Removed tscope from %s. Stores and /etc/tscope stay.\n' "${DESTDIR:-}$prefix"
else
	printf 'Installed tscope, tscoped, completions, man pages and tscoped.service below %s.\nRemove them by: %sdeploy/install.sh --remove %s\n' \
		"${DESTDIR:-}$prefix" "${DESTDIR:+DESTDIR=$DESTDIR }" "$prefix"
fi
