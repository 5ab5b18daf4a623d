// MLflow's clients print the address of a run as /#/experiments/E/runs/R. What stands behind # is known to the browser alone.
const found = /^#\/experiments\/[^/]+\/runs\/([0-9a-zA-Z]+)/.exec(location.hash);
if (found) location.replace("/mlflow/" + found[1]);
