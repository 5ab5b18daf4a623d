# bash completion for tscope; made by: tscope help --completion bash
# compgen prints one path per line, because paths may contain spaces.
_tscope_paths()
{
	local IFS=$'\n'
	COMPREPLY=($(compgen "$1" -- "$cur"))
}

_tscope_runs()
{
	case $cur in
	/*|./*|../*) _tscope_paths -d ;;
	*) COMPREPLY=($(compgen -W "$(tscope list --names --all --quiet 2>/dev/null)" -- "$cur")) ;;
	esac
}

_tscope()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb='' word
	local verbs="push list show facts analyze explain diff check-resume gate baseline trend name tag note log rm export verify gc version help"
	local rules="TIMING.DATALOADER_BOUND TIMING.BACKWARD_HEAVY TIMING.OPTIMIZER_HEAVY TIMING.JITTER TIMING.STALLS TIMING.PERIODIC TIMING.SLOWDOWN TIMING.TWO_LEVELS TIMING.UNATTRIBUTED CONVERGENCE.DIVERGED CONVERGENCE.BLOW_UP CONVERGENCE.NO_PROGRESS CONVERGENCE.SPIKES CONVERGENCE.LEVEL_SHIFT CONVERGENCE.GRAD_SPIKES CONVERGENCE.NONFINITE CROSS.CORRELATED_INSTABILITY DIST.STRAGGLER DIST.LOAD_IMBALANCE DIST.COMM_BOUND DIST.WAIT_BOUND DIST.MISSING_RANKS DIST.EXPOSED_COMM DIST.PIPELINE_BUBBLE EFFICIENCY.MFU_IMPOSSIBLE EFFICIENCY.MFU_SUSPICIOUS EFFICIENCY.LOW_MFU EFFICIENCY.RECOVERABLE MEMORY.PRESSURE MEMORY.FORECAST MEMORY.GROWTH MEMORY.FRAGMENTATION MEMORY.RANK_IMBALANCE"
	COMPREPLY=()
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case " $verbs " in *" $word "*) verb=$word; break ;; esac
	done
	case $verb:$prev in
	push:-n|push:--name) :; return ;;
	push:-b|push:--branch) :; return ;;
	push:--fact) :; return ;;
	push:--state) COMPREPLY=($(compgen -W "running finished crashed unknown" -- "$cur")); return ;;
	push:-m|push:--message) :; return ;;
	list:-c|list:--columns) :; return ;;
	list:-s|list:--sort) :; return ;;
	list:-l|list:--limit) :; return ;;
	list:--page) :; return ;;
	facts:-o|facts:--output) _tscope_paths -f; return ;;
	facts:--command) :; return ;;
	analyze:-w|analyze:--warmup) :; return ;;
	analyze:-r|analyze:--rank) :; return ;;
	analyze:--flops-per-step) :; return ;;
	analyze:--peak-tflops) :; return ;;
	analyze:--dtype) :; return ;;
	analyze:--microbatches) :; return ;;
	analyze:--device-memory) :; return ;;
	analyze:--policy) _tscope_paths -f; return ;;
	analyze:--fail-on) COMPREPLY=($(compgen -W "low medium high" -- "$cur")); return ;;
	analyze:--html) _tscope_paths -f; return ;;
	diff:-i|diff:--ignore) :; return ;;
	diff:--exit-on) COMPREPLY=($(compgen -W "times memory facts" -- "$cur")); return ;;
	diff:--by) :; return ;;
	diff:--html) _tscope_paths -f; return ;;
	diff:--repeats) _tscope_runs; return ;;
	diff:--policy) _tscope_paths -f; return ;;
	diff:--as) COMPREPLY=($(compgen -W "traceml" -- "$cur")); return ;;
	check-resume:-t|check-resume:--tolerance) :; return ;;
	gate:-b|gate:--baseline) _tscope_runs; return ;;
	gate:--bundle) _tscope_paths -f; return ;;
	gate:--paired) _tscope_runs; return ;;
	gate:--metric) :; return ;;
	gate:--policy) _tscope_paths -f; return ;;
	gate:-w|gate:--workload) :; return ;;
	gate:--across) COMPREPLY=($(compgen -W "config hardware parallelism libraries" -- "$cur")); return ;;
	gate:--exclude) :; return ;;
	gate:--inconclusive) COMPREPLY=($(compgen -W "fail pass" -- "$cur")); return ;;
	gate:--junit) _tscope_paths -f; return ;;
	gate:--markdown) _tscope_paths -f; return ;;
	gate:--gitlab) _tscope_paths -f; return ;;
	gate:--request) _tscope_paths -f; return ;;
	gate:--verdict) _tscope_paths -f; return ;;
	gate:--replay) _tscope_paths -f; return ;;
	gate:--init) COMPREPLY=($(compgen -W "github gitlab github-same gitlab-same" -- "$cur")); return ;;
	baseline:-b|baseline:--baseline) _tscope_runs; return ;;
	baseline:--bundle) _tscope_paths -f; return ;;
	baseline:--policy) _tscope_paths -f; return ;;
	baseline:-w|baseline:--workload) :; return ;;
	baseline:--across) COMPREPLY=($(compgen -W "config hardware parallelism libraries" -- "$cur")); return ;;
	baseline:--exclude) :; return ;;
	baseline:-r|baseline:--reason) :; return ;;
	baseline:--branch) :; return ;;
	trend:-m|trend:--metric) COMPREPLY=($(compgen -W "step_time step_time_mean step_time_p95 stall_share peak_memory tokens_per_s tokens_per_s_device samples_per_s samples_per_s_device mfu loss step_time_p10 step_time_end step_time_floor cpu_time" -- "$cur")); return ;;
	trend:-l|trend:--limit) :; return ;;
	trend:--like) _tscope_runs; return ;;
	trend:--policy) _tscope_paths -f; return ;;
	trend:-w|trend:--workload) :; return ;;
	trend:--across) COMPREPLY=($(compgen -W "config hardware parallelism libraries" -- "$cur")); return ;;
	trend:--exclude) :; return ;;
	trend:--html) _tscope_paths -f; return ;;
	name:-m|name:--message) :; return ;;
	tag:-m|tag:--message) :; return ;;
	log:-l|log:--limit) :; return ;;
	export:-F|export:--format) COMPREPLY=($(compgen -W "run csv jsonl npz" -- "$cur")); return ;;
	export:-o|export:--output) _tscope_paths -f; return ;;
	gc:--lease) :; return ;;
	help:--completion) COMPREPLY=($(compgen -W "bash zsh" -- "$cur")); return ;;
	*:-p|*:--project) :; return ;;
	*:--server) :; return ;;
	*:--store) _tscope_paths -d; return ;;
	*:--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
	esac
	if [[ $cur == -* ]]; then
		local options=" -p --project --server --store --json --color --no-pager -q --quiet -h --help"
		case $verb in
		push) options+=" -n --name -b --branch --fact --host-facts --state -m --message --join --expose --strict -f --force --dry-run" ;;
		list) options+=" -c --columns -s --sort -l --limit -a --all --page --all-projects --tags --branches --names" ;;
		facts) options+=" -o --output --command --with-patch --raw" ;;
		analyze) options+=" -w --warmup -r --rank --flops-per-step --peak-tflops --dtype --microbatches --device-memory --policy --fail-on --html --rows --fresh" ;;
		explain) options+=" --markdown" ;;
		diff) options+=" -i --ignore --exit-on -1 --first -a --all --by --curves --html --repeats --policy --as --reproduce" ;;
		check-resume) options+=" -t --tolerance" ;;
		gate) options+=" -b --baseline --bundle --paired --metric --policy -w --workload --across --exclude --inconclusive --junit --markdown --github --gitlab --request --verdict --explain --check --replay --init" ;;
		baseline) options+=" -b --baseline --bundle --policy -w --workload --across --exclude -r --reason --branch" ;;
		trend) options+=" -m --metric -l --limit --like --policy -w --workload --across --exclude --html --exit-code" ;;
		name) options+=" -f --force -m --message" ;;
		tag) options+=" -f --force -m --message" ;;
		log) options+=" -l --limit" ;;
		export) options+=" -F --format -o --output" ;;
		gc) options+=" --dry-run --lease" ;;
		help) options+=" --man --completion" ;;
		esac
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		return
	fi
	case $verb in
	'') COMPREPLY=($(compgen -W "$verbs" -- "$cur")) ;;
	push) _tscope_paths -d ;;
	show) _tscope_runs ;;
	facts) _tscope_runs ;;
	analyze) _tscope_runs ;;
	explain) COMPREPLY=($(compgen -W "$rules" -- "$cur")) ;;
	diff) _tscope_runs ;;
	check-resume) _tscope_runs ;;
	gate) _tscope_runs ;;
	baseline) _tscope_runs ;;
	trend) _tscope_runs ;;
	name) _tscope_runs ;;
	tag) _tscope_runs ;;
	note) _tscope_runs ;;
	log) _tscope_runs ;;
	rm) _tscope_runs ;;
	export) _tscope_runs ;;
	help) COMPREPLY=($(compgen -W "$verbs" -- "$cur")) ;;
	esac
}
complete -o filenames -o bashdefault -F _tscope tscope
