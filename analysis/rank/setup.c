#include "analysis/rank/setup.h"

#include "analysis/answer/row_words.h"
#include "analysis/rank/peaks.h"
#include "base/door.h"
#include "base/number.h"
#include "base/text.h"
#include "run/fact_match.h"

#include <math.h>
#include <stdio.h>

/* How a value is read. */
enum reads {
	FLAG,	 /* on or off */
	WORDS,	 /* one of the words of the row */
	PRESENT, /* yes if there is one that is not off */
	ABOVE_0, /* numbers: yes if it is above 0 */
	ABOVE_1,
	AT_LEAST_4,
	EXACTLY_1,
	RARELY, /* every so many steps: no from 10 on, yes at each step */
};

enum { PATHS = 28, YES = 56, NO = 28, WORD_MAX = 64 };

#define LIST(...)                                                                                                                      \
	{                                                                                                                              \
		__VA_ARGS__                                                                                                            \
	}
#define NONE                                                                                                                           \
	{                                                                                                                              \
		NULL                                                                                                                   \
	}
#define SETUP(setting, reads, paths, yes, no) {TS_SETTING_##setting, reads, paths, yes, no},
static const struct row {
	enum ts_setting of;
	enum reads reads;
	const char *paths[PATHS + 1], *yes[YES + 1], *no[NO + 1];
} rows[] = {
#include "analysis/rank/setup.inc"
};
#undef SETUP

struct setup {
	struct ts_arena *arena;
	enum ts_answered truth[TS_SETTINGS];
	const char *by[TS_SETTINGS];
	bool differ; /* the workers of loaders */
	bool failed;
};

/* --- one fact --- */

struct word {
	char text[WORD_MAX];
	size_t len;
};

/* The value in lower case; empty for one that is none, is too long, or is no single value. */
static struct word word_of(const struct ts_fact *fact)
{
	struct ts_buf out = TS_BUF_INIT(1 << 12);
	struct word w = {.len = 0};
	struct ts_span text;

	if (fact->type == TS_FACT_NULL || fact->type == TS_FACT_ABSENT || fact->type == TS_FACT_OBJECT || fact->type == TS_FACT_ARRAY ||
	    fact->type == TS_FACT_LONG)
		return w;
	ts_fact_print(fact, &out);
	text = ts_buf_view(&out);
	for (size_t i = 0; text.len < WORD_MAX && i < text.len; i++)
		w.text[w.len++] = (char)(text.data[i] >= 'A' && text.data[i] <= 'Z' ? text.data[i] | 32 : text.data[i]);
	ts_buf_finish(&out);
	return w;
}

static bool among(const struct word *w, const char *const *globs)
{
	for (; *globs; globs++)
		if (ts_glob(ts_span_str(*globs), ts_span_of(w->text, w->len)))
			return true;
	return false;
}

static enum ts_answered truth_of(bool yes)
{
	return yes ? TS_ANSWERED_YES : TS_ANSWERED_NO;
}

static enum ts_answered of_number(const struct ts_fact *fact, const struct word *w, enum reads reads)
{
	double value;

	if (fact->type == TS_FACT_BOOL || !ts_parse_double(ts_span_of(w->text, w->len), &value) || !isfinite(value))
		return TS_ANSWERED_UNKNOWN;
	if (reads == ABOVE_0 || reads == ABOVE_1)
		return truth_of(value > (reads == ABOVE_1));
	if (reads == AT_LEAST_4)
		return truth_of(value >= 4);
	if (reads == EXACTLY_1)
		return truth_of(value == 1);
	return value <= 1 ? TS_ANSWERED_YES : value >= 10 ? TS_ANSWERED_NO : TS_ANSWERED_UNKNOWN;
}

static enum ts_answered answer_of(const struct row *row, const struct ts_fact *fact)
{
	static const char *const on[] = {"true", "1", "yes", "on", "enable", "enabled", NULL};
	static const char *const off[] = {"false", "0", "no", "off", "disable", "disabled", NULL};
	static const char *const nothing[] = {"none", "null", "nil", "n/a", NULL};
	const struct word w = word_of(fact);

	if (!w.len)
		return TS_ANSWERED_UNKNOWN;
	if (row->reads == FLAG)
		return among(&w, on) ? TS_ANSWERED_YES : among(&w, off) ? TS_ANSWERED_NO : TS_ANSWERED_UNKNOWN;
	if (row->reads == WORDS)
		return among(&w, row->yes) ? TS_ANSWERED_YES : among(&w, row->no) ? TS_ANSWERED_NO : TS_ANSWERED_UNKNOWN;
	if (row->reads == PRESENT)
		return among(&w, off) || among(&w, nothing) ? TS_ANSWERED_UNKNOWN : TS_ANSWERED_YES;
	return of_number(fact, &w, row->reads);
}

static bool names(const struct row *row, const struct ts_folded *path)
{
	bool any = false;

	for (const char *const *p = row->paths; *p; p++) {
		if (**p != '!')
			any = any || ts_path_matches(*p, path);
		else if (ts_path_matches(*p + 1, path))
			return false;
	}
	return any;
}

static void say(struct setup *s, enum ts_setting of, enum ts_answered truth, const char *by)
{
	enum ts_answered *now = &s->truth[of];

	s->failed |= !by;
	if (of == TS_SETTING_WORKERS && *now && *now != truth)
		s->differ = true;
	if (!truth || truth <= *now)
		return;
	*now = truth;
	s->by[of] = by;
}

static const char *by_fact(struct setup *s, const struct ts_fact *fact)
{
	struct ts_buf out = TS_BUF_INIT(1 << 12);
	const char *text;

	ts_fact_print(fact, &out);
	text = out.failed == TS_NO_MEMORY
		       ? NULL
		       : ts_arena_printf(s->arena, "%.*s is %.*s", TS_SPAN_ARG(fact->path), TS_SPAN_ARG(ts_buf_view(&out)));
	ts_buf_finish(&out);
	return text;
}

static void take(struct setup *s, const struct ts_fact *fact)
{
	struct ts_folded path;

	if (!ts_path_fold(fact->path, &path))
		return;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		enum ts_answered truth = names(&rows[i], &path) ? answer_of(&rows[i], fact) : TS_ANSWERED_UNKNOWN;

		if (truth)
			say(s, rows[i].of, truth, by_fact(s, fact));
	}
}

/* --- the command --- */

/* An option as the setting that it most likely sets: --bf16, --no-compile, --precision=bf16, training.compile=true. `next` is the word
 * behind it, which is its value unless it is an option, too. */
static void take_option(struct setup *s, struct ts_span word, struct ts_span next)
{
	static const struct ts_span dashes = {(const uint8_t *)"--", 2}, negative = {(const uint8_t *)"no-", 3};
	const uint8_t *equals = memchr(word.data, '=', word.len);
	bool option = ts_span_starts(word, dashes), no;
	struct ts_fact fact = {.type = TS_FACT_TEXT};
	char *path;

	if ((!option && !equals) || word.len > TS_PATH_MAX / 2)
		return;
	word = option ? ts_span_from(word, 2) : word;
	if (equals) {
		fact.text = ts_span_from(word, (size_t)(equals + 1 - word.data));
		word = ts_span_part(word, 0, (size_t)(equals - word.data));
	} else if (next.len && next.data[0] != '-') {
		fact.text = next;
	}
	no = !equals && (ts_span_starts(word, negative) || ts_span_starts(word, ts_span_str("no_")));
	if (no || !fact.text.len) {
		fact.type = TS_FACT_BOOL;
		fact.boolean = !no;
	}
	path = ts_arena_printf(s->arena, "config.%.*s", TS_SPAN_ARG(no ? ts_span_from(word, 3) : word));
	s->failed |= !path;
	if (!path || !ts_path_valid(ts_span_str(path)))
		return;
	fact.path = ts_span_str(path);
	take(s, &fact);
}

static void take_command(struct setup *s, const struct ts_facts *facts)
{
	const struct ts_fact *command = ts_facts_find(facts, ts_span_str("session.command"));
	struct ts_span rest = command && command->type == TS_FACT_TEXT ? command->text : ts_span_str(""), word, next;

	for (word = ts_next_word(&rest); word.len; word = next) {
		next = ts_next_word(&rest);
		take_option(s, word, next);
	}
	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *f = &facts->items[i], *after;
		char path[64];

		(void)snprintf(path, sizeof path, "session.argv[%zu]", i);
		f = ts_facts_find(facts, ts_span_str(path));
		if (!f)
			break;
		(void)snprintf(path, sizeof path, "session.argv[%zu]", i + 1);
		after = ts_facts_find(facts, ts_span_str(path));
		if (f->type == TS_FACT_TEXT)
			take_option(s, f->text, after && after->type == TS_FACT_TEXT ? after->text : ts_span_str(""));
	}
}

/* --- the device --- */

/* Parts without units for matrices, although their capability is that of parts with them: GTX 16, T400 to T2000 and MX. */
static bool lacks_matrix_units(struct ts_span device)
{
	static const char *const parts[] = {"*gtx*",   "*t400*",  "*t500*",  "*t550*", "*t600*",
					    "*t1000*", "*t1200*", "*t2000*", "*mx?50*"};
	const struct ts_fact name = {.type = TS_FACT_TEXT, .text = device};
	const struct word w = word_of(&name);

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (ts_glob(ts_span_str(parts[i]), ts_span_of(w.text, w.len)))
			return true;
	return false;
}

static bool name_has(struct ts_span device, const char *const *globs)
{
	const struct ts_fact name = {.type = TS_FACT_TEXT, .text = device};
	const struct word w = word_of(&name);

	return among(&w, globs);
}

/* The version of the compute capability that the run recorded: "8.0", 8.0, "sm_80"; 0: none. That of
 * another device of the host does not count. */
static double recorded_capability(const struct ts_facts *facts, struct ts_span device, const char **ret_by, struct ts_arena *arena)
{
	static const char *const paths[] = {"hardware.gpus[0].capability", "hardware.gpu_capability",
					    "hardware.compute_capability", "hardware.cuda_capability",
					    "hardware.capability",	   "hardware.gpus[0].compute_capability",
					    "hardware.device_capability"};
	const struct ts_fact *name = ts_facts_find(facts, ts_span_str("hardware.gpus[0].name"));

	if (name && name->type == TS_FACT_TEXT && device.len && !ts_span_eq(name->text, device))
		return 0;
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(paths[i]));
		const struct word w = fact ? word_of(fact) : (struct word){.len = 0};
		struct ts_span text = ts_span_of(w.text, w.len);
		double version;

		if (ts_span_starts(text, ts_span_str("sm_")))
			text = ts_span_from(text, 3);
		if (!text.len || !ts_parse_double(text, &version) || !(version > 0))
			continue;
		version = version >= 20 ? version / 10 : version;
		*ret_by = ts_arena_printf(arena, "%s is %.*s", paths[i], TS_SPAN_ARG(text));
		return version;
	}
	return 0;
}

/* W&B records the name of the architecture beside that of the device. */
static double capability_of_architecture(const struct ts_facts *facts, const char **ret_by, struct ts_arena *arena)
{
	static const struct {
		const char *word;
		double version;
	} known[] = {{"kepler", 3.5}, {"maxwell", 5.2}, {"pascal", 6.0}, {"volta", 7.0},     {"turing", 7.5},
		     {"ampere", 8.0}, {"ada*", 8.9},	{"hopper", 9.0}, {"blackwell", 10.0}};
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str("hardware.gpus[0].architecture"));
	const struct word w = fact ? word_of(fact) : (struct word){.len = 0};

	for (size_t i = 0; w.len && i < sizeof known / sizeof known[0]; i++)
		if (ts_glob(ts_span_str(known[i].word), ts_span_of(w.text, w.len))) {
			*ret_by = ts_arena_printf(arena, "hardware.gpus[0].architecture is %.*s", TS_SPAN_ARG(fact->text));
			return known[i].version;
		}
	return 0;
}

static double capability_of(const struct ts_facts *facts, const struct ts_work *work, const char **ret_by, struct ts_arena *arena)
{
	double version = recorded_capability(facts, work->device.text, ret_by, arena);

	if (version > 0)
		return version;
	if (work->device.text.len && ts_device_capability(work->device.text, &version)) {
		*ret_by = ts_arena_printf(arena, "compute capability %.1f of %.*s", version, TS_SPAN_ARG(work->device.text));
		return version;
	}
	return capability_of_architecture(facts, ret_by, arena);
}

/* Matrix units: TF32 and bf16 from 8.0 on, fp16 alone in 7.0 to 7.5; Triton needs 7.0. */
static void take_nvidia(struct setup *s, double version, struct ts_span device, const char *by)
{
	say(s, TS_SETTING_NVIDIA, TS_ANSWERED_YES, by);
	say(s, TS_SETTING_CUDA, TS_ANSWERED_YES, by);
	if (!(version > 0))
		return;
	say(s, TS_SETTING_TF32_UNITS, truth_of(version >= 8), by);
	say(s, TS_SETTING_BF16_UNITS, truth_of(version >= 8), by);
	say(s, TS_SETTING_FP16_UNITS, truth_of(version >= 7 && version < 8 && !lacks_matrix_units(device)), by);
	say(s, TS_SETTING_TRITON, truth_of(version >= 7), by);
}

/* Not of torch.cuda, or not known to have units of NVIDIA's. */
static void take_other(struct setup *s, bool cuda, enum ts_answered bf16, const char *by)
{
	say(s, TS_SETTING_NVIDIA, TS_ANSWERED_NO, by);
	say(s, TS_SETTING_CUDA, truth_of(cuda), by);
	say(s, TS_SETTING_TF32_UNITS, TS_ANSWERED_NO, by);
	say(s, TS_SETTING_FP16_UNITS, TS_ANSWERED_NO, by);
	say(s, TS_SETTING_BF16_UNITS, bf16, by);
	if (!cuda)
		say(s, TS_SETTING_TRITON, TS_ANSWERED_NO, by);
}

static void take_device(struct setup *s, const struct ts_facts *facts, const struct ts_work *work)
{
	static const char *const nvidia[] = {"*nvidia*", "*tesla*", "*geforce*", "*quadro*", "*titan*", "rtx*", "gtx*", NULL};
	static const char *const amd[] = {"*amd*",  "*radeon*", "*instinct*", "mi50*", "mi60*",
					  "mi1??*", "mi2??*",	"mi3??*",     "gfx*",  NULL};
	static const char *const amd_bf16[] = {"*mi1??*", "*mi2??*", "*mi3??*", "*gfx90*", "*gfx94*",
					       "*gfx95*", "*gfx11*", "*gfx12*", NULL};
	static const char *const others[] = {"*tpu*",	 "*apple*",    "*mps*",	   "*intel*", "*gaudi*", "*hpu*",
					     "*ascend*", "*trainium*", "*neuron*", "*xpu*",   "*npu*",	 NULL};
	static const char *const places[] = {"mps*", "xla*", "tpu*", "xpu*", "hpu*", "npu*", NULL};
	struct ts_span device = work->device.text;
	const char *by = device.len ? ts_arena_printf(s->arena, "the device is %.*s", TS_SPAN_ARG(device)) : "";
	enum ts_device_kind kind = ts_device_kind_of(work->device_kind.text);
	bool rocm = ts_facts_find(facts, ts_span_str("libraries.rocm")) != NULL, is_cpu = kind == TS_DEVICE_CPU;
	double version;

	s->failed |= !by;
	if (is_cpu) {
		take_other(s, false, TS_ANSWERED_UNKNOWN, "the run computes on the CPU");
		s->truth[TS_SETTING_TRITON] = TS_ANSWERED_UNKNOWN; /* compiled code for the CPU is C++ */
		return;
	}
	if (rocm || name_has(device, amd)) {
		take_other(s, true, name_has(device, amd_bf16) ? TS_ANSWERED_YES : TS_ANSWERED_UNKNOWN,
			   device.len ? by : "libraries.rocm is recorded");
		return;
	}
	if (name_has(device, others) || name_has(work->placed.text, places)) {
		take_other(s, false, TS_ANSWERED_UNKNOWN, device.len ? by : "the run does not compute on a device of CUDA");
		return;
	}
	version = capability_of(facts, work, &by, s->arena);
	if (version > 0 || name_has(device, nvidia))
		take_nvidia(s, version, device, by);
	else if (kind == TS_DEVICE_GPU && ts_facts_find(facts, ts_span_str("libraries.cuda")))
		take_nvidia(s, 0, device, "libraries.cuda is recorded");
}

/* --- the host --- */

static double number_at(const struct ts_facts *facts, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));
	const struct word w = fact ? word_of(fact) : (struct word){.len = 0};
	double value;

	return w.len && fact->type != TS_FACT_BOOL && ts_parse_double(ts_span_of(w.text, w.len), &value) && value > 0 ? value : 0;
}

/* Ranks of the analyzed rank's host; 0: not known. */
static double local_ranks(const struct ts_facts *facts, const struct ts_work *work)
{
	double n = number_at(facts, "session.topology.LOCAL_WORLD_SIZE");

	if (n > 0)
		return n;
	return work->world_size.known && work->world_size.value > 1 ? 0 : 1;
}

static void take_cores(struct setup *s, const struct ts_facts *facts, const struct ts_work *work)
{
	double cores = number_at(facts, "hardware.cpu_count"), ranks = local_ranks(facts, work);
	double threads = number_at(facts, "determinism.num_threads");

	threads = threads > 0 ? threads : number_at(facts, "determinism.torch_threads");
	threads = threads > 0 ? threads : number_at(facts, "determinism.env.OMP_NUM_THREADS");
	if (!(cores > 0) || !(ranks > 0))
		return;
	if (work->loader_workers.known)
		say(s, TS_SETTING_CORES_LOAD, truth_of(work->loader_workers.value * ranks >= cores),
		    ts_arena_printf(s->arena, "%g workers for each of %g ranks, %g cores", work->loader_workers.value, ranks, cores));
	if (threads > 0)
		say(s, TS_SETTING_FEW_THREADS, truth_of(2 * threads * ranks < cores),
		    ts_arena_printf(s->arena, "%g threads for each of %g ranks, %g cores", threads, ranks, cores));
}

static void take_hosts(struct setup *s, const struct ts_facts *facts, const struct ts_work *work)
{
	static const char *const paths[] = {
		"parallelism.nodes", "parallelism.num_nodes", "parallelism.nnodes",	 "session.slurm.SLURM_JOB_NUM_NODES",
		"config.num_nodes",  "config.nnodes",	      "config.trainer.num_nodes"};
	double local = number_at(facts, "session.topology.LOCAL_WORLD_SIZE");

	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		double n = number_at(facts, paths[i]);

		if (n > 0)
			say(s, TS_SETTING_SEVERAL_HOSTS, truth_of(n > 1), ts_arena_printf(s->arena, "%s is %g", paths[i], n));
	}
	if (local > 0 && work->world_size.known)
		say(s, TS_SETTING_SEVERAL_HOSTS, truth_of(work->world_size.value > local),
		    ts_arena_printf(s->arena, "%g of %g ranks are on the host", local, work->world_size.value));
}

/* --- the program --- */

static void take_libraries(struct setup *s, const struct ts_facts *facts)
{
	static const char *const others[] = {"libraries.jax",	 "libraries.jaxlib",	"libraries.tensorflow",
					     "libraries.flax",	 "libraries.mlx",	"libraries.paddlepaddle",
					     "libraries.paddle", "libraries.mindspore", "libraries.mxnet"};
	const struct ts_fact *torch = ts_facts_find(facts, ts_span_str("libraries.torch"));
	const struct ts_fact *transformers = ts_facts_find(facts, ts_span_str("libraries.transformers"));
	const struct ts_fact *platform = ts_facts_find(facts, ts_span_str("hardware.platform"));
	const struct word w = platform ? word_of(platform) : (struct word){.len = 0};
	unsigned version = torch && torch->type == TS_FACT_TEXT ? ts_version_number(torch->text) : 0;

	if (torch && torch->type == TS_FACT_TEXT)
		say(s, TS_SETTING_TORCH, TS_ANSWERED_YES, by_fact(s, torch));
	for (size_t i = 0; !torch && i < sizeof others / sizeof others[0]; i++) {
		const struct ts_fact *other = ts_facts_find(facts, ts_span_str(others[i]));

		if (other)
			say(s, TS_SETTING_TORCH, TS_ANSWERED_NO, by_fact(s, other));
	}
	/* From 1.7 to 1.11 TF32 was on unless a program switched it off. */
	if (version >= 107 && version <= 111 && s->truth[TS_SETTING_TF32] == TS_ANSWERED_UNKNOWN)
		say(s, TS_SETTING_TF32, TS_ANSWERED_YES, by_fact(s, torch));
	/* From 4.36 on its models take scaled_dot_product_attention where nothing else is asked for. */
	if (transformers && transformers->type == TS_FACT_TEXT && ts_version_number(transformers->text) >= 436)
		say(s, TS_SETTING_FUSED_ATTENTION,
		    s->truth[TS_SETTING_FUSED_ATTENTION] == TS_ANSWERED_NO ? TS_ANSWERED_UNKNOWN : TS_ANSWERED_YES,
		    by_fact(s, transformers));
	if (w.len)
		say(s, TS_SETTING_WINDOWS,
		    truth_of(ts_glob(ts_span_str("win*"), ts_span_of(w.text, w.len)) ||
			     ts_glob(ts_span_str("*cygwin*"), ts_span_of(w.text, w.len))),
		    by_fact(s, platform));
}

/* What layers and series are called. */
static void take_columns(struct setup *s, const struct ts_index *index)
{
	static const struct {
		const char *glob;
		enum ts_setting of;
	} names[] = {
		{"*attn*", TS_SETTING_ATTENTION},
		{"*attention*", TS_SETTING_ATTENTION},
		{"*conv1*", TS_SETTING_CONVOLUTIONS},
		{"*conv2*", TS_SETTING_CONVOLUTIONS},
		{"scalars.*loss_scale", TS_SETTING_REDUCED},
		{"scalars.*grad_scale*", TS_SETTING_REDUCED},
		{"scalars.amp?scale", TS_SETTING_REDUCED},
	};

	for (size_t t = 0; index && t < index->n_tables; t++)
		for (size_t c = 0; c < index->tables[t].n_columns; c++) {
			struct ts_span column = index->tables[t].columns[c].name;

			for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
				if (s->truth[names[i].of] != TS_ANSWERED_YES && ts_glob(ts_span_str(names[i].glob), column))
					say(s, names[i].of, TS_ANSWERED_YES,
					    ts_arena_printf(s->arena, "the run has the series %.*s", TS_SPAN_ARG(column)));
		}
}

/* What one answer says of another. Megatron and DeepSpeed bring fused optimizers; replicas and FSDP reduce gradients while the backward
 * pass runs. */
static void conclude(struct setup *s)
{
	static const struct {
		enum ts_setting if_yes, of;
		enum ts_answered is;
	} rules[] = {
		{TS_SETTING_FIND_UNUSED, TS_SETTING_DDP, TS_ANSWERED_YES},
		{TS_SETTING_FSDP, TS_SETTING_DDP, TS_ANSWERED_NO},
		{TS_SETTING_OWN_SHARDING, TS_SETTING_DDP, TS_ANSWERED_NO},
		{TS_SETTING_DDP, TS_SETTING_FSDP, TS_ANSWERED_NO},
		{TS_SETTING_DDP, TS_SETTING_OVERLAPS, TS_ANSWERED_YES},
		{TS_SETTING_FSDP, TS_SETTING_OVERLAPS, TS_ANSWERED_YES},
		{TS_SETTING_OWN_SHARDING, TS_SETTING_FUSED_OPTIMIZER, TS_ANSWERED_YES},
		{TS_SETTING_STATE_8BIT, TS_SETTING_FUSED_OPTIMIZER, TS_ANSWERED_YES},
	};

	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		if (s->truth[rules[i].if_yes] != TS_ANSWERED_YES)
			continue;
		s->truth[rules[i].of] = rules[i].is;
		s->by[rules[i].of] = s->by[rules[i].if_yes];
	}
	if (s->truth[TS_SETTING_OWN_SHARDING] == TS_ANSWERED_YES && !s->truth[TS_SETTING_FSDP])
		say(s, TS_SETTING_FSDP, TS_ANSWERED_NO, s->by[TS_SETTING_OWN_SHARDING]);
	if (s->differ)
		s->truth[TS_SETTING_WORKERS] = TS_ANSWERED_UNKNOWN;
}

enum ts_status ts_setup(const struct ts_facts *facts, const struct ts_work *work, const struct ts_index *index, struct ts_arena *arena,
			struct ts_measures *io_rows, struct ts_error *err)
{
	const struct ts_fact *torch = ts_facts_find(facts, ts_span_str("libraries.torch"));
	const struct ts_fact dtype = {.type = TS_FACT_TEXT, .path = ts_span_str("work.dtype"), .text = work->dtype.text};
	struct setup s = {.arena = arena};
	bool ok = true;

	TS_DOOR(!index || ts_index_holds(index));
	TS_DOOR(ts_measures_hold(io_rows));
	TS_DOOR(ts_facts_hold(facts));
	for (size_t i = 0; i < facts->n; i++)
		if (ts_fact_counts(facts, i))
			take(&s, &facts->items[i]);
	take(&s, &dtype); /* of the command line, too */
	take_command(&s, facts);
	take_device(&s, facts, work);
	take_cores(&s, facts, work);
	take_hosts(&s, facts, work);
	take_libraries(&s, facts);
	take_columns(&s, index);
	conclude(&s);
	for (int i = 0; !s.failed && i < TS_SETTINGS; i++)
		if (s.truth[i])
			ok = ok &&
			     ts_measure_text(io_rows, arena, TS_M_SETTING, ts_span_str(ts_settings[i].word),
					     ts_span_str(ts_answered_word(s.truth[i]))) &&
			     ts_measure_text(io_rows, arena, TS_M_SETTING_BY, ts_span_str(ts_settings[i].word), ts_span_str(s.by[i]));
	if (torch && torch->type == TS_FACT_TEXT && torch->text.len)
		ok = ok && ts_measure_text(io_rows, arena, TS_M_SETUP_TORCH, TS_NO_SUBJECT, torch->text);
	return ok && !s.failed ? TS_OK : ts_arena_error(arena, err);
}
