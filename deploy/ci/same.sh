#!/usr/bin/env bash
# same.sh - tells whether a change keeps the numbers of a training: it trains the first steps of HEAD and of the commit of the base
# branch that HEAD grew from, one after the other on this machine, and compares them. It needs no server and no secrets.
#
# TSCOPE_TRAIN, TSCOPE_SETUP, TSCOPE_LINK and TSCOPE_OUT say what is trained: job.sh. The training stops after $STEPS steps.
# TSCOPE_BASE       a commit of the base branch; the comparison is with the newest commit that it and HEAD have in common
# TSCOPE_STEPS      how many steps to train: 50
# TSCOPE_TOLERANCE  the greatest relative difference that a loss, a norm or another recorded value may have, such as 1e-5. Batches still have to
#                   be equal, where the runs record digests of them. Without it, every bit has to be equal
# TSCOPE_JOB        what tells the jobs of a matrix apart, part of the hidden first line of the comment; optional
#
# A change of the numbers on purpose is accepted by a line in the message of one of the change's commits:
#
#   Numbers-change: why the numbers change
#
# Left in TSCOPE_OUT: comment.md, report.txt, diff.json, head/, base/ and, where they differ, again/ (a repeat of the base).
# Exit: 0 the same or accepted, 1 the numbers change, 2 something did not work, 3 this cannot be told: the base does not repeat its own
# numbers, or too little is recorded to compare.
set -euo pipefail

# shellcheck source=deploy/ci/job.sh
. "$(dirname "$0")/job.sh"

export STEPS=${TSCOPE_STEPS:-50}
tolerance=${TSCOPE_TOLERANCE:-}
job=${TSCOPE_JOB:-}
body_most=50000 # bytes of the diff in the comment; GitHub takes 65,536 characters

set_base() {
	local tip=${TSCOPE_BASE:-}
	is_commit "$tip" || die "TSCOPE_BASE does not name a commit of the base branch"
	git cat-file -e "$tip^{commit}" 2>/dev/null || git fetch --quiet --depth=201 origin "$tip" || die "there is no commit $tip to compare with"
	base=$(git merge-base HEAD "$tip") || die "HEAD and $tip have no commit in common, as far as they were fetched"
}

# compare A B: sets $status to 0 (the same), 1 (they differ) or 3 (too little to tell). The report and the JSON are of this comparison.
compare() {
	status=0
	COLUMNS=100 tscope diff --store "$scratch/store" "./$out/$1" "./$out/$2" >"$out/report.txt" || status=$?
	tscope diff --store "$scratch/store" --all --json "./$out/$1" "./$out/$2" >"$out/diff.json" || [ $? -eq "$status" ] || die "the runs cannot be compared"
	case $status in
	0 | 3) ;;
	1) [ -z "$tolerance" ] || ! within || status=0 ;;
	*) die "tscope diff ended with $status" ;;
	esac
}

# Digests of parameters and gradients change with any bit, so a tolerance cannot hold for them; the values that are recorded tell.
within() {
	python3 - "$out/diff.json" "$tolerance" <<-'EOF'
		import json, sys
		with open(sys.argv[1], encoding="utf-8") as f:
		    diff = json.load(f)
		tolerance, worst = float(sys.argv[2]), 0.0
		for series in diff["series"]:
		    if series["role"] != "trajectory" or series["state"] == "same":
		        continue
		    if series["name"].startswith("digests.") and series["name"] != "digests.batch":
		        continue
		    if series["state"] != "parts" or series["gap"] is None or series["gap"]["greatest_ratio"] is None:
		        sys.exit(1)
		    worst = max(worst, series["gap"]["greatest_ratio"])
		sys.exit(0 if worst <= tolerance else 1)
	EOF
}

accepted() { git log --format=%B "$base..HEAD" | sed -n 's/^Numbers-change:[[:space:]]*\([^[:space:]].*\)$/\1/p'; }

# What a run records is foreign text; in <pre> with its entities it is neither a mention nor Markdown.
quote() {
	printf '<pre>\n'
	head -c "$body_most" "$1" | iconv -c -f UTF-8 -t UTF-8 | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
	[ "$(wc -c <"$1")" -le "$body_most" ] || printf '\n... the rest is in report.txt of this job'
	printf '\n</pre>\n'
}

# tell HEADING SENTENCE [FILE]...: the comment, with each file as it is.
tell() {
	local heading=$1 sentence=$2 file
	shift 2
	{
		printf '<!-- tscope-gate:same:%s -->\n### tscope same: %s\n\n%s\n\n' "${job//[^A-Za-z0-9_-]/}" "$heading" "$sentence"
		for file in "$@"; do quote "$file"; done
	} >"$out/comment.md"
	for file in "$@"; do show "$file"; done
	say "$sentence"
	[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$out/comment.md" >>"$GITHUB_STEP_SUMMARY"
}

[[ $STEPS =~ ^[0-9]+$ ]] || die "TSCOPE_STEPS is no number: $STEPS"
[[ -z $tolerance || $tolerance =~ ^[0-9]*\.?[0-9]+([eE]-?[0-9]+)?$ ]] || die "TSCOPE_TOLERANCE is no number such as 1e-5: $tolerance"
[ $# -eq 0 ] || die "usage: same.sh"
check_links
set_base
head=$(git rev-parse HEAD)
train "$head" "$out/head"
train "$base" "$out/base"
compare base head
rule="bit for bit"
[ -z "$tolerance" ] || rule="within a relative difference of $tolerance"
what="The first $STEPS steps of ${head:0:12} and of ${base:0:12} on the base branch"
if [ "$status" -eq 0 ]; then
	tell "the numbers stay" "$what agree $rule." "$out/report.txt"
	exit 0
fi
accepted >"$scratch/why"
if [ -s "$scratch/why" ]; then
	tell "the numbers change, on purpose" "$what do not agree $rule, and a commit of this change says why:" "$scratch/why" "$out/report.txt"
	exit 0
fi
if [ "$status" -eq 1 ]; then
	# A training that does not repeat itself says nothing of a change.
	cp "$out/report.txt" "$scratch/report"
	cp "$out/diff.json" "$scratch/diff"
	train "$base" "$out/again"
	compare base again
	if [ "$status" -eq 0 ]; then
		cp "$scratch/report" "$out/report.txt"
		cp "$scratch/diff" "$out/diff.json"
		tell "the numbers change" "$what do not agree $rule; two trainings of the base do. If this is on purpose, say so by a line in the message of a \
commit of this change: Numbers-change: and the reason." "$out/report.txt"
		exit 1
	fi
	tell "not known" "Two trainings of ${base:0:12} on the base branch do not agree $rule with each other, so nothing can be said of this change. \
Make the training deterministic, or set TSCOPE_TOLERANCE. This is how the two differ:" "$out/report.txt"
	exit 3
fi
tell "not known" "$what cannot be compared in full." "$out/report.txt"
exit 3
