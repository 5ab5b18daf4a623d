# bash completion for tscope; made by: tscope help --completion bash
# What names are there: a line each, from the store, server and project of this command line.
_tscope_list() { tscope list --names --quiet "${at[@]}" "$@" 2>/dev/null; }

# Offers the lines of stdin that go on with $cur, $1 before each. Lines are foreign text, which compgen -W would execute.
_tscope_offer()
{
	local line
	while IFS= read -r line; do
		[[ $1$line == "$cur"* ]] && COMPREPLY+=("$1$line")
	done
}

# compgen prints one path per line, because paths may contain spaces.
_tscope_paths()
{
	local IFS=$'\n'
	COMPREPLY=($(compgen "$1" -- "$cur"))
}

_tscope_branches() { _tscope_offer '' < <(_tscope_list --all --branches); }

_tscope_projects()
{
	local at=("${where[@]}")
	_tscope_offer '' < <(_tscope_list --all --all-projects | sed 's|/.*||' | sort -u)
}

# $1: what a tag and a branch need before them, if anything.
_tscope_names()
{
	case $cur in
	/*|./*|../*) _tscope_paths -d ;;
	tag:*) _tscope_offer tag: < <(_tscope_list --all --tags) ;;
	branch:*) _tscope_offer branch: < <(_tscope_list --all --branches) ;;
	run:*) _tscope_offer run: < <(_tscope_list --all) ;;
	*)
		_tscope_offer '' < <(_tscope_list --all)
		_tscope_offer "${1:+tag:}" < <(_tscope_list --all --tags)
		_tscope_offer "${1:+branch:}" < <(_tscope_list --all --branches)
		;;
	esac
}

_tscope_runs() { _tscope_names ''; }

_tscope_refs() { _tscope_names prefix; }

# The columns of every list, and the facts of the newest run.
_tscope_column_names()
{
	local newest=$(_tscope_list --limit 1)
	printf '%s\n' name project id started pushed state steps first_step last_step ranks world_size own_name who sweep group job parent
	[[ -z $newest ]] || tscope facts --quiet "${at[@]}" "$newest" 2>/dev/null | sed -n 's/^\([a-z]*\.[^ ]*\)  .*/\1/p'
}

_tscope_columns()
{
	local before=''
	[[ $cur != *,* ]] || before=${cur%,*},
	_tscope_offer "$before" < <(_tscope_column_names)
	compopt -o nospace 2>/dev/null
}

_tscope_sort_keys()
{
	local before=''
	[[ $cur != -* ]] || before=-
	_tscope_offer "$before" < <(_tscope_column_names)
}

# Bash takes : and = for ends of words. Sets words, cur and prev to what tscope gets, less the = behind an option.
_tscope_words()
{
	local i last=0 word glue=''
	words=("${COMP_WORDS[0]}")
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == = && ${words[last]} == --* ]]; then
			[[ $i -lt $COMP_CWORD ]] || words[++last]=''
		elif [[ $word == :* || -n $glue ]]; then
			words[last]+=$word
		else
			words[++last]=$word
		fi
		glue=''
		[[ $word != *: ]] || glue=1
	done
	cur=${words[last]} prev=''
	[[ $last -eq 0 ]] || prev=${words[last-1]}
}

# The options of this command line that say whose names to offer: the store or server, and the project.
_tscope_where()
{
	local i
	where=() at=()
	for ((i = 1; i < ${#words[@]} - 2; i++)); do
		case ${words[i]} in
		--server|--store) where+=("${words[i]}" "${words[i+1]}") ;;
		-p|--project) at+=("${words[i]}" "${words[i+1]}") ;;
		esac
	done
	at+=("${where[@]}")
}

_tscope_complete()
{
	local verb='' word
	local verbs="run watch push list show facts analyze plot timeline web serve explain diff reproduce check-resume check-determinism why bisect gate repro-op golden baseline trend scaling compare name tag note log rm restore export verify salvage gc projects token audit login logout whoami version help"
	local rules="TIMING.DATALOADER_BOUND TIMING.BACKWARD_HEAVY TIMING.OPTIMIZER_HEAVY TIMING.JITTER TIMING.STALLS TIMING.CPU_WAIT TIMING.PERIODIC TIMING.SLOWDOWN TIMING.TWO_LEVELS TIMING.UNATTRIBUTED CONVERGENCE.DIVERGED CONVERGENCE.LOSS_CEASED CONVERGENCE.SKIPPED_UPDATES CONVERGENCE.BLOW_UP CONVERGENCE.NO_PROGRESS CONVERGENCE.SPIKES CONVERGENCE.LEVEL_SHIFT CONVERGENCE.GRAD_SPIKES CONVERGENCE.NONFINITE CONVERGENCE.SERIES_MOVED CONVERGENCE.BATCHES_REPEAT CONVERGENCE.EQUAL_BATCHES CONVERGENCE.NOT_TRAINED CONVERGENCE.EVAL_MODE CONVERGENCE.EVAL_PART CONVERGENCE.PART_NOT_TRAINED CONVERGENCE.GRADIENTS_KEPT CONVERGENCE.GRADIENTS_STALE CONVERGENCE.LOSS_CONSTANT CONVERGENCE.INPUT_CONSTANT CONVERGENCE.EVALUATION_CHANGES CROSS.CORRELATED_INSTABILITY DIST.STRAGGLER DIST.LOAD_IMBALANCE DIST.COMM_BOUND DIST.WAIT_BOUND DIST.MISSING_RANKS DIST.REPLICAS DIST.EXPOSED_COMM DIST.PIPELINE_BUBBLE EFFICIENCY.MFU_IMPOSSIBLE EFFICIENCY.MFU_SUSPICIOUS EFFICIENCY.LOW_MFU EFFICIENCY.LOGGED_MFU EFFICIENCY.RECOVERABLE MEMORY.PRESSURE MEMORY.FORECAST MEMORY.GROWTH MEMORY.FRAGMENTATION MEMORY.RANK_IMBALANCE MEMORY.OUT_OF_MEMORY MEMORY.OOM_FRAGMENTED MEMORY.HEADROOM MEMORY.FRAGMENTS MEMORY.RETRIES MEMORY.EMPTIED MEMORY.CARRIED MEMORY.GRADIENTS_KEPT MEMORY.OPTIMIZER_STATE MEMORY.CHURN TRACE.HOST_BOUND TRACE.SYNC TRACE.LAUNCH_BOUND TRACE.FIRST_LAUNCH TRACE.COPIES TRACE.FILLS TRACE.ELEMENTWISE TRACE.LOADER TRACE.MATH_ATTENTION TRACE.RECOMPILED TRACE.WAITING MACHINE.GPU_THROTTLED MACHINE.GPU_POWER_LIMIT MACHINE.GPU_SLOWER MACHINE.GPU_HOTTER MACHINE.GPU_ERROR MACHINE.TINY_KERNELS MACHINE.WORKERS_BUSY MACHINE.WORKERS_BLOCKED MACHINE.THREADS MACHINE.CPU_QUOTA MACHINE.MEMORY_GROWS MACHINE.SWAPPING MACHINE.NEIGHBOURS"
	for word in "${words[@]:1:${#words[@]}-2}"; do
		case " $verbs " in *" $word "*) verb=$word; break ;; esac
	done
	case $verb:$prev in
	run:-d|run:--directory) _tscope_paths -d; return ;;
	run:-n|run:--name) :; return ;;
	run:--hang-after) :; return ;;
	run:--nproc-per-node) :; return ;;
	run:--launcher) COMPREPLY=($(compgen -W "auto torchrun own" -- "$cur")); return ;;
	run:--nnodes) :; return ;;
	run:--node-rank) :; return ;;
	run:--master-addr) :; return ;;
	run:--master-port) :; return ;;
	watch:-c|watch:--columns) :; return ;;
	watch:-r|watch:--rank) :; return ;;
	watch:--baseline) _tscope_runs; return ;;
	watch:--repeats) _tscope_runs; return ;;
	watch:--exec) :; return ;;
	watch:--webhook) :; return ;;
	watch:--until) :; return ;;
	watch:-i|watch:--interval) :; return ;;
	watch:--wait) :; return ;;
	watch:--pattern) :; return ;;
	watch:--map) :; return ;;
	push:-n|push:--name) :; return ;;
	push:-b|push:--branch) _tscope_branches; return ;;
	push:--also) _tscope_paths -d; return ;;
	push:--fact) :; return ;;
	push:--state) COMPREPLY=($(compgen -W "running finished crashed killed hung unknown" -- "$cur")); return ;;
	push:-m|push:--message) :; return ;;
	push:--pattern) :; return ;;
	push:--map) :; return ;;
	list:-c|list:--columns) _tscope_columns; return ;;
	list:-s|list:--sort) _tscope_sort_keys; return ;;
	list:--by) :; return ;;
	list:-l|list:--limit) :; return ;;
	list:--page) :; return ;;
	list:--html) _tscope_paths -f; return ;;
	show:--at) :; return ;;
	show:--device) :; return ;;
	show:--snapshot) :; return ;;
	show:-r|show:--rank) :; return ;;
	facts:-o|facts:--output) _tscope_paths -f; return ;;
	facts:--command) :; return ;;
	analyze:-w|analyze:--warmup) :; return ;;
	analyze:-r|analyze:--rank) :; return ;;
	analyze:--trace) :; return ;;
	analyze:--snapshot) :; return ;;
	analyze:--flops-per-step) :; return ;;
	analyze:--peak-tflops) :; return ;;
	analyze:--dtype) :; return ;;
	analyze:--microbatches) :; return ;;
	analyze:--device-memory) :; return ;;
	analyze:--policy) _tscope_paths -f; return ;;
	analyze:--fail-on) COMPREPLY=($(compgen -W "low medium high" -- "$cur")); return ;;
	analyze:--html) _tscope_paths -f; return ;;
	analyze:--step) :; return ;;
	analyze:--overlay) _tscope_paths -f; return ;;
	analyze:--kernels) _tscope_paths -f; return ;;
	analyze:--step-name) :; return ;;
	analyze:--capture) _tscope_paths -f; return ;;
	analyze:--at) :; return ;;
	analyze:--device) :; return ;;
	analyze:--with) _tscope_paths -f; return ;;
	analyze:--scale) :; return ;;
	analyze:--pattern) :; return ;;
	analyze:--map) :; return ;;
	plot:--x) COMPREPLY=($(compgen -W "step time samples tokens epoch" -- "$cur")); return ;;
	plot:-s|plot:--smooth) :; return ;;
	plot:--highlight) _tscope_runs; return ;;
	plot:--by) :; return ;;
	plot:--html) _tscope_paths -f; return ;;
	plot:-r|plot:--rank) :; return ;;
	plot:--cells) :; return ;;
	plot:--from) :; return ;;
	plot:--to) :; return ;;
	timeline:--trace) _tscope_paths -f; return ;;
	timeline:-r|timeline:--rank) :; return ;;
	timeline:--from) :; return ;;
	timeline:--to) :; return ;;
	timeline:--at) :; return ;;
	timeline:--cells) :; return ;;
	timeline:--html) _tscope_paths -f; return ;;
	web:--port) :; return ;;
	web:--address) :; return ;;
	web:--host) :; return ;;
	web:--spool) _tscope_paths -d; return ;;
	web:--spool-days) :; return ;;
	serve:--values) :; return ;;
	diff:-i|diff:--ignore) :; return ;;
	diff:--exit-on) COMPREPLY=($(compgen -W "times memory facts" -- "$cur")); return ;;
	diff:--by) :; return ;;
	diff:--html) _tscope_paths -f; return ;;
	diff:--repeats) _tscope_runs; return ;;
	diff:--rounding) _tscope_runs; return ;;
	diff:--policy) _tscope_paths -f; return ;;
	diff:--as) COMPREPLY=($(compgen -W "traceml" -- "$cur")); return ;;
	diff:-w|diff:--warmup) :; return ;;
	diff:--kernels) _tscope_paths -f; return ;;
	diff:--step-name) :; return ;;
	diff:--snapshot) :; return ;;
	diff:--pattern) :; return ;;
	diff:--map) :; return ;;
	reproduce:--steps) :; return ;;
	reproduce:--from) _tscope_paths -f; return ;;
	reproduce:-d|reproduce:--directory) _tscope_paths -d; return ;;
	reproduce:--clone) _tscope_paths -d; return ;;
	reproduce:--limit) :; return ;;
	reproduce:--runner) :; return ;;
	check-resume:-t|check-resume:--tolerance) :; return ;;
	check-determinism:--steps) :; return ;;
	check-determinism:--clone) _tscope_paths -d; return ;;
	check-determinism:--copy) _tscope_paths -f; return ;;
	check-determinism:-d|check-determinism:--directory) _tscope_paths -d; return ;;
	check-determinism:--limit) :; return ;;
	check-determinism:--runner) :; return ;;
	check-determinism:--pattern) :; return ;;
	check-determinism:--map) :; return ;;
	why:--budget) :; return ;;
	why:--checkpoint) :; return ;;
	why:--resume) :; return ;;
	why:--clone) _tscope_paths -d; return ;;
	why:-d|why:--directory) _tscope_paths -d; return ;;
	why:--limit) :; return ;;
	why:--copy) _tscope_paths -f; return ;;
	why:--runner) :; return ;;
	why:--jobs) :; return ;;
	why:--pattern) :; return ;;
	why:--map) :; return ;;
	bisect:--judge) COMPREPLY=($(compgen -W "diff gate" -- "$cur")); return ;;
	bisect:--noise) :; return ;;
	bisect:--metric) :; return ;;
	bisect:--wrong) :; return ;;
	bisect:--versions) :; return ;;
	bisect:--steps) :; return ;;
	bisect:--budget) :; return ;;
	bisect:--part) :; return ;;
	bisect:--clone) _tscope_paths -d; return ;;
	bisect:-d|bisect:--directory) _tscope_paths -d; return ;;
	bisect:--limit) :; return ;;
	bisect:--copy) _tscope_paths -f; return ;;
	bisect:--runner) :; return ;;
	bisect:--jobs) :; return ;;
	gate:-b|gate:--baseline) _tscope_runs; return ;;
	gate:--bundle) _tscope_paths -f; return ;;
	gate:--paired) _tscope_runs; return ;;
	gate:--metric) COMPREPLY=($(compgen -W "step_time step_time_mean step_time_p95 stall_share peak_memory tokens_per_s tokens_per_s_device samples_per_s samples_per_s_device mfu loss step_time_p10 step_time_end step_time_floor cpu_time" -- "$cur")); return ;;
	gate:--better) COMPREPLY=($(compgen -W "lower higher" -- "$cur")); return ;;
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
	gate:--golden) _tscope_paths -f; return ;;
	gate:--profile) COMPREPLY=($(compgen -W "bitwise float32 bf16 repeats megatron megatron-approximate" -- "$cur")); return ;;
	gate:--runs) :; return ;;
	gate:--steps) :; return ;;
	gate:--resume) :; return ;;
	gate:--certificate) _tscope_paths -f; return ;;
	gate:--clone) _tscope_paths -d; return ;;
	gate:--copy) _tscope_paths -f; return ;;
	gate:-d|gate:--directory) _tscope_paths -d; return ;;
	gate:--limit) :; return ;;
	gate:--runner) :; return ;;
	repro-op:--at) :; return ;;
	repro-op:--inputs) :; return ;;
	repro-op:--pattern) :; return ;;
	repro-op:--map) :; return ;;
	golden:--why) :; return ;;
	golden:--by) :; return ;;
	golden:--steps) :; return ;;
	baseline:-b|baseline:--baseline) _tscope_runs; return ;;
	baseline:--bundle) _tscope_paths -f; return ;;
	baseline:--metric) COMPREPLY=($(compgen -W "step_time step_time_mean step_time_p95 stall_share peak_memory tokens_per_s tokens_per_s_device samples_per_s samples_per_s_device mfu loss step_time_p10 step_time_end step_time_floor cpu_time" -- "$cur")); return ;;
	baseline:--policy) _tscope_paths -f; return ;;
	baseline:-w|baseline:--workload) :; return ;;
	baseline:--across) COMPREPLY=($(compgen -W "config hardware parallelism libraries" -- "$cur")); return ;;
	baseline:--exclude) :; return ;;
	baseline:-r|baseline:--reason) :; return ;;
	baseline:--branch) _tscope_branches; return ;;
	trend:-m|trend:--metric) COMPREPLY=($(compgen -W "step_time step_time_mean step_time_p95 stall_share peak_memory tokens_per_s tokens_per_s_device samples_per_s samples_per_s_device mfu loss step_time_p10 step_time_end step_time_floor cpu_time" -- "$cur")); return ;;
	trend:--better) COMPREPLY=($(compgen -W "lower higher" -- "$cur")); return ;;
	trend:-l|trend:--limit) :; return ;;
	trend:--like) _tscope_runs; return ;;
	trend:--policy) _tscope_paths -f; return ;;
	trend:-w|trend:--workload) :; return ;;
	trend:--across) COMPREPLY=($(compgen -W "config hardware parallelism libraries" -- "$cur")); return ;;
	trend:--exclude) :; return ;;
	trend:--html) _tscope_paths -f; return ;;
	scaling:--ignore) :; return ;;
	compare:--settings) :; return ;;
	compare:--by) :; return ;;
	name:-m|name:--message) :; return ;;
	tag:-m|tag:--message) :; return ;;
	log:-l|log:--limit) :; return ;;
	restore:--as) :; return ;;
	restore:--at) :; return ;;
	export:-F|export:--format) COMPREPLY=($(compgen -W "run csv jsonl npz" -- "$cur")); return ;;
	export:-o|export:--output) _tscope_paths -f; return ;;
	export:--file) :; return ;;
	export:--rank) :; return ;;
	export:--table) COMPREPLY=($(compgen -W "events operators kernels frames collectives syncs flows allocations counters" -- "$cur")); return ;;
	gc:--lease) :; return ;;
	gc:--removed) :; return ;;
	gc:--policy) _tscope_paths -f; return ;;
	token:--role) COMPREPLY=($(compgen -W "read push maintain admin" -- "$cur")); return ;;
	token:--for) _tscope_projects; return ;;
	token:--expires) :; return ;;
	audit:--who) :; return ;;
	audit:--kind) :; return ;;
	audit:--act) :; return ;;
	audit:--on) :; return ;;
	audit:--since) :; return ;;
	audit:-l|audit:--limit) :; return ;;
	audit:--least) :; return ;;
	login:--ca) _tscope_paths -f; return ;;
	login:--cert) _tscope_paths -f; return ;;
	login:--key) _tscope_paths -f; return ;;
	help:--completion) COMPREPLY=($(compgen -W "bash zsh" -- "$cur")); return ;;
	plot:plot) [[ $cur == -* ]] || { COMPREPLY=($(compgen -W "loss eval_loss grad_norm lr forward backward optimizer data comm alloc rss" -- "$cur")); return; } ;;
	golden:golden) [[ $cur == -* ]] || { COMPREPLY=($(compgen -W "make update" -- "$cur")); return; } ;;
	token:token) [[ $cur == -* ]] || { COMPREPLY=($(compgen -W "make list revoke" -- "$cur")); return; } ;;
	*:-p|*:--project) _tscope_projects; return ;;
	*:--server) :; return ;;
	*:--store) _tscope_paths -d; return ;;
	*:--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
	esac
	if [[ $cur == -* ]]; then
		local options=" -p --project --server --store --json --color --no-pager -q --quiet -h --help"
		case $verb in
		run) options+=" -d --directory -n --name --log --no-patch --push --no-output --hang-after --kill-hung --no-auto --nproc-per-node --launcher --nnodes --node-rank --master-addr --master-port" ;;
		watch) options+=" --once -c --columns -r --rank --baseline --repeats --exec --webhook --until -i --interval --wait --pattern --map" ;;
		push) options+=" -n --name -b --branch --also --fact --host-facts --state -m --message --join --expose --pattern --map --artifacts --no-output --summarize-traces --strict -f --force --dry-run" ;;
		list) options+=" -c --columns -s --sort --by -l --limit -a --all --page --all-projects --tags --branches --names --html --force --csv --no-formulas" ;;
		show) options+=" --at --device --snapshot -r --rank --output --machine --reproduce" ;;
		facts) options+=" -o --output --command --with-patch --raw" ;;
		analyze) options+=" -w --warmup -r --rank --trace --snapshot --flops-per-step --peak-tflops --dtype --microbatches --device-memory --policy --fail-on --html --force --rows --fresh --step --overlay --kernels --step-name --capture --at --device --with --scale --pattern --map" ;;
		plot) options+=" --x -s --smooth --log --logx --bands --highlight --by --html --force -r --rank --cells --from --to" ;;
		timeline) options+=" --trace -r --rank --from --to --at --cells --html --force" ;;
		web) options+=" --port --address --host --sign-in --spool --spool-days --open" ;;
		serve) options+=" --values" ;;
		explain) options+=" --markdown --playbook" ;;
		diff) options+=" -i --ignore --exit-on -1 --first -a --all --by --curves --html --force --repeats --rounding --policy --as -w --warmup --kernels --step-name --snapshot --reproduce --pattern --map" ;;
		reproduce) options+=" --steps --from --build -y --yes --dry-run -d --directory --clone --limit --runner" ;;
		check-resume) options+=" -t --tolerance" ;;
		check-determinism) options+=" --steps --clone --copy -d --directory --limit --runner --pattern --map" ;;
		why) options+=" --budget --dry-run --checkpoint --resume -y --yes --clone -d --directory --limit --copy --runner --jobs --no-push --pattern --map" ;;
		bisect) options+=" --judge --noise --metric --wrong --versions --steps --budget --part --clone -d --directory --limit --copy --runner --jobs --no-push" ;;
		gate) options+=" -b --baseline --bundle --paired --metric --better --policy -w --workload --across --exclude --inconclusive --junit --markdown --github --gitlab --request --verdict --explain --check --replay --init --repro --golden --profile --runs --steps --resume --certificate --clone --copy -d --directory --limit --runner" ;;
		repro-op) options+=" --at --inputs --pattern --map" ;;
		golden) options+=" --why --by --steps" ;;
		baseline) options+=" -b --baseline --bundle --metric --policy -w --workload --across --exclude -r --reason --branch" ;;
		trend) options+=" -m --metric --better -l --limit --like --policy -w --workload --across --exclude --html --force --exit-code" ;;
		scaling) options+=" --ignore" ;;
		compare) options+=" --settings --by --all-projects" ;;
		name) options+=" -f --force -m --message" ;;
		tag) options+=" -f --force -m --message" ;;
		log) options+=" --notes -l --limit" ;;
		restore) options+=" --as --at --dry-run" ;;
		export) options+=" -F --format -o --output --file --rank --table --no-formulas" ;;
		verify) options+=" --new" ;;
		gc) options+=" --dry-run --lease --removed --policy --apply" ;;
		token) options+=" --role --for --expires" ;;
		audit) options+=" --who --kind --act --on --since --denied -l --limit --check --least" ;;
		login) options+=" --ca --cert --key --no-token" ;;
		help) options+=" --man --completion" ;;
		esac
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		return
	fi
	case $verb in
	'') COMPREPLY=($(compgen -W "$verbs" -- "$cur")) ;;
	run) _tscope_paths -f ;;
	watch) _tscope_runs ;;
	push) _tscope_paths -d ;;
	show) _tscope_runs ;;
	facts) _tscope_runs ;;
	analyze) _tscope_runs ;;
	plot) _tscope_runs ;;
	timeline) _tscope_runs ;;
	web) _tscope_runs ;;
	explain) COMPREPLY=($(compgen -W "$rules" -- "$cur")) ;;
	diff) _tscope_runs ;;
	reproduce) _tscope_runs ;;
	check-resume) _tscope_runs ;;
	check-determinism) _tscope_runs ;;
	why) _tscope_runs ;;
	bisect) _tscope_runs ;;
	gate) _tscope_runs ;;
	repro-op) _tscope_runs ;;
	golden) _tscope_runs ;;
	baseline) _tscope_runs ;;
	trend) _tscope_branches ;;
	scaling) _tscope_runs ;;
	name) _tscope_runs ;;
	tag) _tscope_runs ;;
	note) _tscope_runs ;;
	log) _tscope_refs ;;
	rm) _tscope_refs ;;
	export) _tscope_runs ;;
	audit) _tscope_paths -f ;;
	help) COMPREPLY=($(compgen -W "$verbs" -- "$cur")) ;;
	esac
}

_tscope()
{
	local cur prev words where at i
	COMPREPLY=()
	_tscope_words
	_tscope_where
	_tscope_complete
	# Readline replaces only what stands behind the last colon.
	[[ $cur != *:* || $COMP_WORDBREAKS != *:* ]] || for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"${cur%:*}:"}; done
}
complete -o filenames -o bashdefault -F _tscope tscope
