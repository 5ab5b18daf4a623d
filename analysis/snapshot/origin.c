#include "analysis/snapshot/origin.h"

#include "base/door.h"

enum { SELF = 0, INSTALLED, TORCH, FOREIGN }; /* whose a frame is, the best source first; FOREIGN: not Python */

enum says { NOTHING, SETUP, FORWARD, ENGINE, RECOMPUTE, OPTIMIZER };

struct frame_view {
	uint8_t whose, says;
	bool node, plumbing; /* of C++: a node of autograd; the allocator and what collects stacks */
	bool accumulates, zeroes, releases, gathers, buckets, uncasts, workspace, constructs;
};

/* A file and a function of it, NULL: any. Backslashes of a path count as slashes. */
static const struct rule {
	const char *file, *function;
	uint8_t says;
} rules[] = {
	{"torch/optim/lr_scheduler.py", NULL, NOTHING},
	{"torch/optim/", NULL, OPTIMIZER},
	{"bitsandbytes/optim/", NULL, OPTIMIZER},
	{"apex/optimizers/", NULL, OPTIMIZER},
	{"torch/utils/checkpoint.py", "backward", RECOMPUTE},
	{"torch/utils/checkpoint.py", "unpack_hook", RECOMPUTE},
	{"torch/utils/checkpoint.py", "recompute_fn", RECOMPUTE},
	{"torch/autograd/graph.py", "_engine_run_backward", ENGINE},
	{"torch/autograd/__init__.py", "backward", ENGINE},
	{"torch/autograd/__init__.py", "grad", ENGINE},
	{"torch/nn/parameter.py", NULL, SETUP},
	{"/_fsdp_param.py", "_init_sharded_param", SETUP},
	{"torch/distributed/fsdp/", "shard", SETUP},
	{"torch/distributed/fsdp/", "flatten_tensors", SETUP},
	{"torch/nn/modules/module.py", "_apply", SETUP},
	{"torch/nn/modules/module.py", "convert", SETUP},
	{"torch/nn/modules/module.py", "load_state_dict", SETUP},
	{"torch/nn/modules/module.py", "_load_from_state_dict", SETUP},
	{"torch/nn/modules/module.py", "_call_impl", FORWARD},
	{"torch/nn/modules/module.py", "_wrapped_call_impl", FORWARD},
	{"torch/nn/modules/", "__init__", SETUP},
	{"torch/nn/modules/", "reset_parameters", SETUP},
};

static bool among(struct ts_span text, const char *const *words)
{
	for (; *words; words++)
		if (ts_span_contains(text, *words))
			return true;
	return false;
}

bool ts_is_python(struct ts_span file)
{
	return ts_span_ends(file, ".py") || ts_span_starts(file, ts_span_str("<")) || ts_span_contains(file, "ipykernel");
}

static uint8_t whose(struct ts_span file)
{
	static const char *const torch[] = {"/torch/", "<frozen", "<unknown>", "<string>", "<eval_with_key>", "/torchinductor", NULL};
	static const char *const installed[] = {"site-packages/", "dist-packages/", "/lib/python3.", "runpy.py", NULL};

	if (!ts_is_python(file))
		return FOREIGN;
	if (among(file, torch))
		return TORCH;
	return among(file, installed) ? INSTALLED : SELF;
}

static enum says said_by(struct ts_span file, struct ts_span function)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (ts_span_contains(file, rules[i].file) && (!rules[i].function || ts_span_is(function, rules[i].function)))
			return rules[i].says;
	if (ts_span_is(function, "backward"))
		return ENGINE;
	return ts_span_is(function, "forward") ? FORWARD : NOTHING;
}

static struct frame_view view_of(const struct ts_snapshot *s, const struct ts_snapshot_frame *f, struct ts_arena *arena)
{
	static const char *const plumbing[] = {"torch::unwind",	    "torch::CapturedTraceback",
					       "torch::cuda::",	    "c10::",
					       "at::detail::empty", "at::empty",
					       "gather_with_cpp",   NULL};
	struct ts_span path = s->texts[f->file], function = s->texts[f->function];
	uint8_t *slashed = ts_arena_dup(arena, path.data, path.len);
	struct ts_span file = ts_span_of(slashed, slashed ? path.len : 0);
	struct frame_view v = {.whose = FOREIGN};

	for (size_t i = 0; i < file.len; i++)
		slashed[i] = path.data[i] == '\\' ? '/' : path.data[i];
	v.whose = whose(file);
	if (v.whose != FOREIGN) {
		v.says = (uint8_t)said_by(file, function);
		v.zeroes = ts_span_is(function, "zero_grad") && ts_span_contains(file, "torch/");
		v.constructs = v.whose != TORCH && ts_span_is(function, "__init__");
		v.gathers = (ts_span_is(function, "unshard") || ts_span_is(function, "wait_for_unshard")) &&
			    ts_span_contains(file, "torch/distributed/") && ts_span_contains(file, "/fsdp/");
		return v;
	}
	v.says = ts_span_contains(function, "torch::autograd::Engine::") ? ENGINE : NOTHING;
	v.accumulates = ts_span_contains(function, "torch::autograd::AccumulateGrad");
	v.releases = ts_span_contains(function, "torch::autograd::SavedVariable::reset") ||
		     ts_span_contains(function, "::release_variables(");
	v.buckets = ts_span_contains(function, "c10d::Reducer::initialize_buckets");
	v.uncasts = ts_span_contains(function, "at::autocast::clear_cache");
	v.workspace = ts_span_contains(function, "at::cuda::getNewWorkspace") ||
		      ts_span_contains(function, "at::cuda::getCUDABlasLtWorkspace");
	v.node =
		v.accumulates || (ts_span_contains(function, "torch::autograd::generated::") && ts_span_contains(function, "::apply("));
	v.plumbing = among(function, plumbing) || function.len == 0;
	return v;
}

/* The innermost frame that is best as a source. */
static uint32_t source_of(const struct frame_view *views, const uint32_t *frames, uint32_t n)
{
	uint32_t best = TS_SNAPSHOT_NONE, other = TS_SNAPSHOT_NONE;
	bool node = false;

	for (uint32_t i = 0; i < n; i++) {
		const struct frame_view *v = &views[frames[i]];

		if (v->whose != FOREIGN) {
			if (best == TS_SNAPSHOT_NONE || v->whose < views[best].whose)
				best = frames[i];
		} else if (v->node ? !node : other == TS_SNAPSHOT_NONE && !v->plumbing) {
			other = frames[i];
			node |= v->node;
		}
	}
	return best != TS_SNAPSHOT_NONE ? best : other;
}

static enum ts_memory_phase phase_of(const struct frame_view *views, const uint32_t *frames, uint32_t n)
{
	bool forward = false;

	for (uint32_t i = 0; i < n; i++) {
		switch ((enum says)views[frames[i]].says) {
		case NOTHING:
			break;
		case FORWARD:
			forward = true;
			break;
		case RECOMPUTE:
			return TS_PHASE_RECOMPUTE;
		case ENGINE:
			return TS_PHASE_BACKWARD;
		case SETUP:
			if (!forward)
				return TS_PHASE_SETUP;
			break;
		case OPTIMIZER: /* a closure of step calls the model */
			return forward ? TS_PHASE_FORWARD : TS_PHASE_OPTIMIZER;
		default:
			break;
		}
	}
	return forward ? TS_PHASE_FORWARD : TS_PHASE_UNSAID;
}

bool ts_origins_python(const struct ts_snapshot *s)
{
	for (size_t i = 0; i < s->n_frames; i++)
		if (!ts_is_python(s->texts[s->frames[i].file]))
			return false;
	return s->n_frames > 0;
}

/* A constructor that calls a pass of the training makes no objects there, but runs the program: a trainer that trains when it is made,
 * or Popen.__init__ of multiprocessing, in which a forked process runs. */
static void find_programs(const struct ts_snapshot *s, struct frame_view *views)
{
	for (size_t i = 0; i < s->n_stacks; i++) {
		const uint32_t *frames = s->stack_frames + s->stacks[i].first;
		bool pass = false;

		for (uint32_t k = 0; k < s->stacks[i].n; k++) {
			pass |= views[frames[k]].says != NOTHING && views[frames[k]].says != SETUP;
			views[frames[k]].constructs &= !pass;
		}
	}
}

const struct ts_origin *ts_origins(const struct ts_snapshot *s, struct ts_arena *arena)
{
	struct ts_origin *origins = ts_arena_array(arena, s->n_stacks, sizeof *origins);
	struct frame_view *views = ts_arena_array(arena, s->n_frames, sizeof *views);

	TS_DOOR(ts_snapshot_holds(s));
	if (!origins || !views)
		return NULL;
	for (size_t i = 0; i < s->n_frames; i++)
		views[i] = view_of(s, &s->frames[i], arena);
	find_programs(s, views);
	for (size_t i = 0; i < s->n_stacks; i++) {
		const uint32_t *frames = s->stack_frames + s->stacks[i].first;
		uint32_t n = s->stacks[i].n;

		origins[i].frame = source_of(views, frames, n);
		origins[i].phase = (uint8_t)phase_of(views, frames, n);
		for (uint32_t k = 0; k < n; k++) {
			origins[i].accumulates |= views[frames[k]].accumulates;
			origins[i].zeroes |= views[frames[k]].zeroes;
			origins[i].releases |= views[frames[k]].releases;
			origins[i].gathers |= views[frames[k]].gathers;
			origins[i].buckets |= views[frames[k]].buckets;
			origins[i].uncasts |= views[frames[k]].uncasts;
			origins[i].workspace |= views[frames[k]].workspace;
			origins[i].made |= views[frames[k]].constructs;
			origins[i].outside |= views[frames[k]].whose != FOREIGN;
		}
		origins[i].made &= origins[i].phase == TS_PHASE_UNSAID;
		origins[i].outside &= origins[i].phase == TS_PHASE_UNSAID;
		if (origins[i].made)
			origins[i].phase = TS_PHASE_SETUP;
	}
	return arena->failed ? NULL : origins;
}

/* Where the part of the path begins that is the module's name. */
static size_t module_at(struct ts_span file)
{
	size_t last = 0, before = 0;

	for (size_t i = 0; i < file.len; i++) {
		struct ts_span rest = ts_span_from(file, i);

		if (file.data[i] != '/' && file.data[i] != '\\')
			continue;
		if (ts_span_ends(ts_span_part(file, 0, i), "-packages") && !ts_span_contains(rest, "-packages"))
			return i + 1;
		before = last;
		last = i + 1;
	}
	return before;
}

struct ts_span ts_module_of(struct ts_span file, struct ts_arena *arena)
{
	size_t at = module_at(file);
	uint8_t *out;

	if (!ts_span_ends(file, ".py"))
		return ts_span_of(NULL, 0);
	file = ts_span_part(file, at, file.len - at - 3);
	out = ts_arena_dup(arena, file.data, file.len);
	for (size_t i = 0; out && i < file.len; i++)
		out[i] = file.data[i] == '/' || file.data[i] == '\\' ? '.' : file.data[i];
	return ts_span_of(out, out ? file.len : 0);
}
