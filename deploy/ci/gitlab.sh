#!/usr/bin/env bash
# gitlab.sh - comments and artifacts of a job of GitLab. It uses curl, and python3 for JSON.
#
#   gitlab.sh comment FILE     write FILE as a note of the job's merge request, in place of an earlier one of the same workload
#   gitlab.sh bundle FILE      the baselines that the last job `tscope-baseline` on the base branch left (TSCOPE_BRANCH, main)
#
# comment needs TSCOPE_GITLAB_TOKEN, an access token of the project with scope api and role Reporter or above, because the token of a
# job may not write notes. For bundle the token of the job is enough.
set -euo pipefail

die() {
	printf 'gitlab.sh: %s\n' "$*" >&2
	exit 2
}
# The project that the merge request goes to: the pipeline of a fork runs in the fork.
project=${CI_API_V4_URL:?}/projects/${CI_MERGE_REQUEST_PROJECT_ID:-${CI_PROJECT_ID:?}}

# The token is passed in a file, because arguments are visible in the list of processes.
api() {
	curl --silent --show-error --fail --config <(printf 'header = "PRIVATE-TOKEN: %s"\n' "$TSCOPE_GITLAB_TOKEN") "$@"
}

# The first note of this account whose first line is the marker; nothing if there is none. Reads one page of notes.
find_note() { # find_note WHO MARKER
	python3 -c '
import json, sys
who, marker = sys.argv[1:]
notes = json.load(sys.stdin)
mine = [n["id"] for n in notes if str(n["author"]["id"]) == who and n["body"].replace("\r", "").split("\n")[0] == marker]
print(mine[0] if mine else "last" if len(notes) < 100 else "")' "$@"
}

comment() {
	local file=$1 marker notes=$project/merge_requests/${CI_MERGE_REQUEST_IID:?} who id page=1
	notes+=/notes
	[ -n "${TSCOPE_GITLAB_TOKEN:-}" ] || die "TSCOPE_GITLAB_TOKEN is not set, so there is no comment"
	marker=$(head -n 1 "$file")
	[[ $marker =~ ^'<!-- tscope-gate:'[^\ ]+' -->'$ ]] || die "$file does not begin with a marker"
	who=$(api "$CI_API_V4_URL/user" | python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])')
	id=
	while [ -z "$id" ] && [ $page -le 50 ]; do
		id=$(api "$notes?per_page=100&page=$page&sort=asc&order_by=created_at" | find_note "$who" "$marker")
		page=$((page + 1))
	done
	if [[ $id =~ ^[0-9]+$ ]]; then
		api --output /dev/null --request PUT "$notes/$id" --form "body=<$file"
	else
		api --output /dev/null --request POST "$notes" --form "body=<$file"
	fi
}

bundle() {
	curl --silent --show-error --fail --location --output "$1" --config <(printf 'header = "JOB-TOKEN: %s"\n' "${CI_JOB_TOKEN:?}") \
		"$project/jobs/artifacts/${TSCOPE_BRANCH:-main}/raw/tscope-baselines?job=tscope-baseline" ||
		die "no job on ${TSCOPE_BRANCH:-main} has left baselines yet"
}

case "${1:-}:$#" in
comment:2 | bundle:2) "$@" ;;
*) die "usage: gitlab.sh comment FILE | bundle FILE" ;;
esac
