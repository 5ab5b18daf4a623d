#!/usr/bin/env bash
# github.sh - comments and artifacts of a job of GitHub Actions. It uses gh, which takes the token of the runner from GH_TOKEN.
#
#   github.sh comment FILE NUMBER     write FILE as the comment of pull request NUMBER, in place of an earlier one of the same workload
#   github.sh number COMMIT           the number of the open pull request whose head is COMMIT
#   github.sh bundle ARTIFACT FILE    the baselines that the last run of this workflow on the base branch left (TSCOPE_BRANCH, main)
#   github.sh runs ID DIR             what the run ID of the workflow left in its artifacts tscope-runs-*, a folder of DIR each
set -euo pipefail

die() {
	printf 'github.sh: %s\n' "$*" >&2
	exit 2
}
repository=${GITHUB_REPOSITORY:?}

# Only a comment of this account is overwritten, because anybody may write one that begins with the marker. The token of a
# workflow cannot ask for its own account. Its comments are github-actions[bot]'s, and TSCOPE_COMMENTER names another account.
comment() {
	local file=$1 number=$2 marker who=${TSCOPE_COMMENTER:-github-actions[bot]} id
	[[ $number =~ ^[0-9]+$ ]] || die "no number of a pull request: $number"
	marker=$(head -n 1 "$file")
	[[ $marker =~ ^'<!-- tscope-gate:'[^\ ]+' -->'$ ]] || die "$file does not begin with a marker"
	id=$(gh api --paginate "repos/$repository/issues/$number/comments?per_page=100" \
		--jq '.[] | [.id, .user.login, (.body | split("\n")[0] | rtrimstr("\r"))] | @tsv' |
		awk -F '\t' -v who="$who" -v marker="$marker" '$2 == who && $3 == marker { print $1; exit }')
	if [ -n "$id" ]; then
		gh api --silent --method PATCH "repos/$repository/issues/comments/$id" -F body=@"$file"
	else
		gh api --silent --method POST "repos/$repository/issues/$number/comments" -F body=@"$file"
	fi
}

number() {
	[[ $1 =~ ^[0-9a-f]{40}$ ]] || die "no commit: $1"
	gh api --paginate "repos/$repository/pulls?state=open&per_page=100" --jq ".[] | select(.head.sha == \"$1\") | .number" | head -n 1
}

bundle() {
	local run dir
	[[ $1 =~ ^tscope-baselines-[0-9]+$ ]] || die "no artifact of baselines: $1"
	run=$(gh run list --repo "$repository" --workflow "${GITHUB_WORKFLOW:?}" --branch "${TSCOPE_BRANCH:-main}" --event push \
		--status success --limit 1 --json databaseId --jq '.[].databaseId')
	[[ $run =~ ^[0-9]+$ ]] || die "no run of this workflow on ${TSCOPE_BRANCH:-main} has left baselines yet"
	dir=$(mktemp -d)
	gh run download "$run" --repo "$repository" --name "$1" --dir "$dir"
	mv "$dir"/* "$2"
	rmdir "$dir"
}

runs() {
	[[ $1 =~ ^[0-9]+$ ]] || die "no number of a run: $1"
	gh run download "$1" --repo "$repository" --pattern 'tscope-runs-*' --dir "$2"
	[ -z "$(find "$2" ! -type f ! -type d -print -quit)" ] || die "there is something other than files in what run $1 left"
}

case "${1:-}:$#" in
comment:3 | runs:3 | bundle:3) "$@" ;;
number:2) "$@" ;;
*) die "usage: github.sh comment FILE NUMBER | number COMMIT | bundle ARTIFACT FILE | runs ID DIR" ;;
esac
