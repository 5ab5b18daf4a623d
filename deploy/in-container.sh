#!/bin/sh
# Makes a run of an experiment in a container: tscope why --runner 'deploy/in-container.sh IMAGE' A B -- python train.py ...
# The worktree, the clone's .git and the folder of the runs lie in the container where they lie here, and it gets the variables of the recipe.
# ENGINE names another program than podman, MORE further words for it, such as '--device nvidia.com/gpu=all'.
set -eu
image=${1:?the image}
shift
flags="--rm --init --workdir $PWD"
for folder in "$(dirname "$TSCOPE_RECIPE")" "$(dirname "$TSCOPE_DIRECTORY")"; do
	flags="$flags --volume $folder:$folder"
done
git=$(git rev-parse --path-format=absolute --git-common-dir)
flags="$flags --volume $git:$git:ro"
for name in $TSCOPE_VARIABLES; do
	flags="$flags --env $name"
done
# Paths with a blank in them would be two words here, and are refused.
case "$PWD$TSCOPE_RECIPE$TSCOPE_DIRECTORY$git" in *[[:space:]]*)
	echo "in-container.sh: a path has a blank in it" >&2
	exit 125
	;;
esac
# shellcheck disable=SC2086
exec "${ENGINE:-podman}" run $flags ${MORE:-} "$image" "$@"
