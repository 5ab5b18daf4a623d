#!/usr/bin/env bash
# job.sh - what gate.sh and same.sh share: how a commit is trained in a job, and how the job's log shows a file. They read it by `.`.
#
# TSCOPE_TRAIN     the command that trains: a line for bash, run at the root of a checkout of the commit; it writes the run directory "$RUN_DIR"
# TSCOPE_SETUP     a command that runs before TSCOPE_TRAIN in every checkout but the first (such as: make), optional
# TSCOPE_LINK      paths that git does not track and the training reads (such as: data models/tokenizer), each a link in every checkout but
#                  the first to the one of the first; separated by blanks; optional
# TSCOPE_OUT       the folder for all results: tscope-out
#
# Sets $out and $scratch, and stops the script with exit 2 where a training does not work.

out=${TSCOPE_OUT:-tscope-out}

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
die() {
	say "$*"
	exit 2
}

is_commit() { [[ $1 =~ ^[0-9a-f]{7,64}$ ]]; }

# A checkout of git lacks what git does not track, so the training of the base would miss its data.
check_links() {
	local path
	for path in ${TSCOPE_LINK:-}; do
		[[ $path != /* && /$path/ != */../* ]] || die "TSCOPE_LINK names $path, which is no path below this folder"
		[ -e "$path" ] || die "TSCOPE_LINK names $path, which is not there"
	done
}

links() {
	local path
	for path in ${TSCOPE_LINK:-}; do
		[ ! -e "$place/$path" ] || continue
		mkdir -p "$(dirname "$place/$path")" || die "$path cannot be linked"
		ln -s "$PWD/$path" "$place/$path" || die "$path cannot be linked"
	done
}

# checkout COMMIT: sets $place to the folder of a checkout. For HEAD, this is the existing one.
checkout() {
	if [ "$1" = "$(git rev-parse HEAD)" ]; then
		place=$PWD
		return
	fi
	place=$scratch/$1
	[ ! -d "$place" ] || return 0
	git cat-file -e "$1^{commit}" 2>/dev/null || git fetch --quiet --depth=1 origin "$1" || die "there is no commit $1 to train"
	git worktree add --quiet --detach "$place" "$1" || die "no checkout of $1"
	links
	[ -z "${TSCOPE_SETUP:-}" ] || (cd "$place" && bash -euo pipefail -c "$TSCOPE_SETUP") </dev/null >&2 || die "TSCOPE_SETUP failed for $1"
}

failed() { # failed COMMIT
	[ "$place" = "$PWD" ] ||
		say "it ran in a checkout of git, which lacks what git does not track here: $(untracked); TSCOPE_LINK can name data that it needs"
	die "the training of ${1:0:12} failed"
}

untracked() {
	local all
	all=$(git status --porcelain --ignored --untracked-files=normal | sed -n 's/^\(??\|!!\) //p' | grep -vxF "${out%%/*}/" | head -n 8 | paste -sd ' ')
	printf '%s' "${all:-nothing}"
}

# train COMMIT DIR: what the training does not say of code, machine and job stands in facts.json; a training that writes one calls
# `tscope facts` itself. Secrets of the server are none of its business.
train() {
	local dir
	[ -n "${TSCOPE_TRAIN:-}" ] || die "TSCOPE_TRAIN does not say what to run"
	checkout "$1"
	rm -rf "$2"
	mkdir -p "$2" || die "$2 cannot be made"
	dir=$(cd "$2" && pwd)
	say "training ${1:0:12} into $2"
	(cd "$place" && unset TSCOPE_SERVER TSCOPE_SSH TSCOPE_SSH_KEY TSCOPE_GITLAB_TOKEN && RUN_DIR=$dir bash -euo pipefail -c "$TSCOPE_TRAIN") </dev/null >&2 ||
		failed "$1"
	[ -e "$dir/facts.json" ] || (cd "$place" && tscope facts -o "$dir/facts.json") || die "no facts of the host"
}

# Names of runs reach the log of the job, and a GitHub runner could take a line of such a name for one of its commands.
show() {
	local token
	[ -n "${GITHUB_ACTIONS:-}" ] || { cat "$1"; return; }
	token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	printf '::stop-commands::%s\n' "$token"
	cat "$1"
	printf '::%s::\n' "$token"
}

scratch=$(mktemp -d)
trap 'git worktree prune 2>/dev/null || true; rm -rf "$scratch"' EXIT
[ "$out" = "${out#/}" ] || die "TSCOPE_OUT is a folder below this one"
mkdir -p "$out"
