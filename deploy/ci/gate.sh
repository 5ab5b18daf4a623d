#!/usr/bin/env bash
# gate.sh - trains a run and judges it with tscope's gate, in a job of continuous integration.
#
#   gate.sh baseline     train HEAD, push it onto the base branch, leave a bundle of baselines for jobs without the server
#   gate.sh candidate    train HEAD, push it, gate it; run pairs when the gate asks for them; exit with the exit code of the gate
#   gate.sh judge DIR    push and gate what `candidate` of another job left in DIR; nothing of DIR is executed
#
# TSCOPE_TRAIN, TSCOPE_SETUP, TSCOPE_LINK and TSCOPE_OUT say what is trained: job.sh
# TSCOPE_SERVER    the server that keeps the runs. If it is empty, as for forks, which have no secrets, the gate uses TSCOPE_BUNDLE
# TSCOPE_SSH_KEY   private key for a server ssh://HOST, and TSCOPE_KNOWN_HOSTS its line of known_hosts; optional
# TSCOPE_BRANCH    the branch of baselines: main
# TSCOPE_POLICY    a policy file: tscope.policy, if there is one
# TSCOPE_BUNDLE    the file of baselines: tscope-baselines
# TSCOPE_JOB       what tells the jobs of a matrix apart (letters, digits, _ and -), part of the names of their runs; optional
# TSCOPE_COMMIT    judge: the commit that the runs are of, whatever they say of themselves
#
# Left in TSCOPE_OUT: verdict.json (for --replay), report.txt, junit.xml, comment.md, metrics.txt, request.txt, run/, pairs/.
# Exit: 0 pass, or collecting (too few baselines to judge: a warning, and "verdict": "collecting" in verdict.json), 1 regression, 2 something did not work, 3 inconclusive or blind, 4 pairs are asked for and could not be run.
set -euo pipefail

branch=${TSCOPE_BRANCH:-main}
bundle=${TSCOPE_BUNDLE:-tscope-baselines}
policy=${TSCOPE_POLICY:-tscope.policy}
looks_most=4 # the gate asks for pairs at most twice; this bound is for safety

# shellcheck source=deploy/ci/job.sh
. "$(dirname "$0")/job.sh"

# The key lies in a file of its own while this script runs. Only the hosts that the job names are trusted.
ssh_key() {
	[ -n "${TSCOPE_SSH_KEY:-}" ] || return 0
	(umask 077 && printf '%s\n' "$TSCOPE_SSH_KEY" >"$scratch/key" && printf '%s\n' "${TSCOPE_KNOWN_HOSTS:-}" >"$scratch/hosts")
	export TSCOPE_SSH="ssh -i $scratch/key -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile=$scratch/hosts"
	unset TSCOPE_SSH_KEY
}

# Every run has a name of its own, so that no run takes another's place, in a matrix of jobs neither: all runs of a commit count.
name_of() {
	local job=${GITHUB_RUN_ID:-${CI_JOB_ID:-$(date -u +%Y%m%d%H%M%S)}} of=${TSCOPE_JOB:-}
	printf 'ci-%s-%s-%s-%s%s' "${1:0:12}" "$job" "${GITHUB_RUN_ATTEMPT:-1}" "${of:+${of//[^A-Za-z0-9_-]/}-}" "$(od -An -N3 -tx1 /dev/urandom | tr -d ' \n')"
}

policy_options=()
[ ! -e "$policy" ] || policy_options=(--policy "$policy")

# look [--paired RUN]...: runs the gate once and keeps its outputs. Its exit status is in $status.
look() {
	status=0
	tscope gate "$subject" "${against[@]}" "${policy_options[@]}" "$@" --verdict "$out/verdict.json" --junit "$out/junit.xml" \
		--markdown "$out/comment.md" --gitlab "$out/metrics.txt" --request "$out/request.txt" \
		>"$out/report.txt" || status=$?
	show "$out/report.txt"
	[ "$status" -le 4 ] || die "tscope gate ended with $status"
	[ "$status" -ne 2 ] || exit 2
}

# A run of a pair stays in pairs/NUMBER-SIDE, so that another job can push it under the name that its own gate asks for.
pair() { # pair SIDE NUMBER COMMIT NAME
	local dir=$out/pairs/$2-$1 facts=()
	[[ $1 =~ ^(base|candidate)$ && $2 =~ ^[0-9]+$ && $4 =~ ^[A-Za-z0-9._-]+$ ]] || die "a request that makes no sense: $*"
	if [ "$mode" = judge ]; then
		[ -d "$dir" ] || return 1
	else
		is_commit "$3" || { say "the $1 does not record its commit, so it cannot be run again"; return 1; }
		train "$3" "$dir"
	fi
	if [ -n "${TSCOPE_SERVER:-}" ]; then
		[ "$mode:$1" != judge:candidate ] || facts=(--fact "code.commit=\"$TSCOPE_COMMIT\"")
		tscope push --name "$4" "${facts[@]}" "$dir" || die "$dir cannot be pushed"
		paired+=(--paired "$4")
	else
		paired+=(--paired "./$dir")
	fi
}

# A suspect verdict asks for pairs, and so does a blind one that more pairs could cure.
asks() { grep -qE '^(base|candidate) ' "$out/request.txt"; }

# Run pairs until the gate asks for no more. The request is a file of lines, which the training must not read as its input.
pairs() {
	local side number commit name looks=1
	while asks && [ $looks -lt $looks_most ]; do
		cp "$out/request.txt" "$scratch/request"
		while read -r -u 3 side number commit name; do
			[ "$side" != '#' ] || continue
			pair "$side" "$number" "$commit" "$name" || return 0
		done 3<"$scratch/request"
		look "${paired[@]}"
		looks=$((looks + 1))
	done
}

# GitHub shows this beside the change and on the page of the run. It is written once, for the last verdict.
annotate() {
	[ -n "${GITHUB_ACTIONS:-}" ] || return 0
	tscope gate --replay "$out/verdict.json" --github >"$scratch/commands" || [ $? -eq "$status" ] || die "the verdict cannot be shown"
	grep -E '^::(error|warning|notice) ' "$scratch/commands"
}

# Check the policy, the server and the baselines first, so that a problem does not appear only after an hour of training.
check() {
	check_links
	tscope gate --check "${against[@]}" "${policy_options[@]}" >&2 || die "the gate cannot work like this; nothing was trained"
}

baseline() {
	local head
	head=$(git rev-parse HEAD)
	[ -n "${TSCOPE_SERVER:-}" ] || die "TSCOPE_SERVER is empty, so the baseline would stay on this machine; is the secret's name right?"
	against=(--baseline "branch:$branch")
	check
	train "$head" "$out/run"
	subject=$(name_of "$head")
	tscope push --name "$subject" --branch "$branch" "$out/run"
	# What is merged is said and fails nothing; GitLab compares the metrics of a merge request with those that are left here.
	look
	annotate
	status=0
	tscope baseline --baseline "branch:$branch" "${policy_options[@]}" --bundle "$bundle" >/dev/null
}

candidate() {
	local head
	head=$(git rev-parse HEAD)
	against=(--baseline "branch:$branch")
	if [ -z "${TSCOPE_SERVER:-}" ]; then
		if [ -e "$bundle" ]; then
			against=(--bundle "$bundle")
		else
			say "neither TSCOPE_SERVER nor the bundle $bundle is there: there is nothing to compare with yet"
			against+=(--store "$scratch/store")
		fi
	fi
	check
	train "$head" "$out/run"
	subject=./$out/run
	if [ -n "${TSCOPE_SERVER:-}" ]; then
		subject=$(name_of "$head")
		tscope push --name "$subject" "$out/run"
	fi
	look
	pairs
	annotate
}

judge() {
	local given=$1 commit=${TSCOPE_COMMIT:-}
	[ -n "${TSCOPE_SERVER:-}" ] || die "judge wants TSCOPE_SERVER"
	is_commit "$commit" || die "judge wants TSCOPE_COMMIT"
	[ -d "$given/run" ] || die "there is no run in $given"
	rm -rf "$out/run" "$out/pairs"
	cp -R "$given/run" "$out/run"
	[ ! -d "$given/pairs" ] || cp -R "$given/pairs" "$out/pairs"
	subject=fork-$(name_of "$commit")
	against=(--baseline "branch:$branch")
	tscope push --name "$subject" --fact "code.commit=\"$commit\"" "$out/run"
	look
	pairs
	annotate
}

mode=${1:-}
paired=()
ssh_key
case $mode:$# in
baseline:1) baseline ;;
candidate:1) candidate ;;
judge:2) judge "$2" ;;
*) die "usage: gate.sh baseline | candidate | judge DIR" ;;
esac
exit "${status:-0}"
