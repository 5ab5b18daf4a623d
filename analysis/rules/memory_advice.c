#include "analysis/rules/memory_advice.h"

#include "analysis/answer/row_words.h"
#include "analysis/answer/say.h"
#include "analysis/rules/rule.h"
#include "base/door.h"

#define NO_PLACE TS_MEASURE_NAMES

static bool value(const struct ts_measures *m, enum ts_measure_name what, double *ret)
{
	return ts_measure_value(m, what, TS_NO_SUBJECT, ret) && isfinite(*ret);
}

static bool at_least(const struct ts_measures *m, enum ts_measure_name what, const char *code, const char *threshold)
{
	double got;

	return value(m, what, &got) && got >= ts_rule_threshold(NULL, code, threshold);
}

static double kind(const struct ts_measures *m, enum ts_measure_name what, const char *of)
{
	double got;

	return ts_measure_value(m, what, ts_span_str(of), &got) && isfinite(got) ? got : 0;
}

static double bytes_of(const struct ts_measures *m, enum ts_memory_kind of)
{
	return kind(m, TS_M_SNAPSHOT_KIND, ts_memory_kind_word(of));
}

static double share_of(const struct ts_measures *m, enum ts_memory_kind of)
{
	return kind(m, TS_M_SNAPSHOT_KIND_SHARE, ts_memory_kind_word(of));
}

/* --- whether memory limits --- */

static const char *refused_text(const struct ts_measures *m, double n, struct ts_arena *arena)
{
	double bytes;

	if (n == 1 && value(m, TS_M_SNAPSHOT_REFUSED_BYTES, &bytes))
		return ts_arena_printf(arena, "memory limits the run: a request of %s was refused", ts_say_bytes(bytes).text);
	return ts_arena_printf(arena, "memory limits the run: %s were refused", ts_say_plural(n, "request").text);
}

static const char *sentence(const struct ts_measures *m, enum ts_memory_limit limit, struct ts_arena *arena)
{
	double n, share = 0, capacity = 0;

	if (value(m, TS_M_SNAPSHOT_REFUSED, &n) && n > 0)
		return refused_text(m, n, arena);
	if (value(m, TS_M_SNAPSHOT_RETRIES, &n) && n > 0)
		return ts_arena_printf(arena,
				       "memory limits the run: for %s the allocator gave back what it held and asked the device again",
				       ts_say_plural(n, "request").text);
	(void)ts_memory_reserved(m, &share);
	(void)value(m, TS_M_SNAPSHOT_CAPACITY, &capacity);
	return ts_arena_printf(arena, "memory %s: at most %s of the device's %s were reserved",
			       limit == TS_LIMIT_REACHED ? "limits the batch" : "does not limit the batch",
			       ts_say_percent(share).text, ts_say_bytes(capacity).text);
}

/* --- what each could save --- */

static bool has_fixed_segments(const struct ts_measures *m)
{
	double expandable;

	return value(m, TS_M_SNAPSHOT_EXPANDABLE, &expandable) && expandable <= 0;
}

/* What a fragmented refusal asked for, what a retry had to give back, or what is stuck at the end. */
static bool saves_by_expanding(const struct ts_measures *m, double *ret)
{
	double n, asked, free, left, most = 0, bytes, pools;

	if (!has_fixed_segments(m))
		return false;
	if (value(m, TS_M_SNAPSHOT_REFUSED, &n) && n > 0 && value(m, TS_M_SNAPSHOT_REFUSED_BYTES, &asked) &&
	    value(m, TS_M_SNAPSHOT_REFUSED_FREE, &free) && value(m, TS_M_SNAPSHOT_REFUSED_LEFT, &left) &&
	    ts_memory_in_pieces(asked, free, left))
		most = free;
	if (at_least(m, TS_M_SNAPSHOT_STUCK_SHARE, "MEMORY.FRAGMENTS", "min_share") &&
	    at_least(m, TS_M_SNAPSHOT_RESERVED, "MEMORY.FRAGMENTS", "min_reserved") && value(m, TS_M_SNAPSHOT_STUCK, &bytes)) {
		bytes -= value(m, TS_M_SNAPSHOT_IN_POOLS, &pools) ? pools : 0;
		most = bytes > most ? bytes : most;
	}
	if (value(m, TS_M_SNAPSHOT_RETRIED, &bytes) && bytes > most)
		most = bytes;
	*ret = most;
	return most > 0;
}

static bool saves_gradients(const struct ts_measures *m, double *ret)
{
	const struct ts_measure *phase = ts_measure_find(m, TS_M_SNAPSHOT_PEAK_PHASE, TS_NO_SUBJECT);

	return phase && phase->known && ts_memory_phase_of(phase->text) == TS_PHASE_FORWARD && value(m, TS_M_SNAPSHOT_KEPT, ret) &&
	       at_least(m, TS_M_SNAPSHOT_KEPT_SHARE, "MEMORY.GRADIENTS_KEPT", "min_share");
}

static bool saves_carried(const struct ts_measures *m, double *ret)
{
	return at_least(m, TS_M_SNAPSHOT_CARRIED_SHARE, "MEMORY.CARRIED", "min_share") && value(m, TS_M_SNAPSHOT_CARRIED, ret) &&
	       *ret > 0;
}

static bool saves_activations(const struct ts_measures *m, double *ret)
{
	*ret = bytes_of(m, TS_MEMORY_ACTIVATIONS);
	return share_of(m, TS_MEMORY_ACTIVATIONS) >= 0.3;
}

static bool saves_half_activations(const struct ts_measures *m, double *ret)
{
	*ret = bytes_of(m, TS_MEMORY_ACTIVATIONS) / 2;
	return share_of(m, TS_MEMORY_ACTIVATIONS) >= 0.1;
}

static double ranks(const struct ts_measures *m)
{
	double n;

	if (value(m, TS_M_RANKS_WORLD_SIZE, &n) || value(m, TS_M_RANKS_PRESENT, &n) || value(m, TS_M_TRACE_WORLD_SIZE, &n))
		return n;
	return 1;
}

static bool saves_by_sharding(const struct ts_measures *m, double *ret)
{
	double n = ranks(m),
	       state = bytes_of(m, TS_MEMORY_PARAMETERS) + bytes_of(m, TS_MEMORY_GRADIENTS) + bytes_of(m, TS_MEMORY_OPTIMIZER);

	if (n < 2 || share_of(m, TS_MEMORY_PARAMETERS) + share_of(m, TS_MEMORY_GRADIENTS) + share_of(m, TS_MEMORY_OPTIMIZER) < 0.4)
		return false;
	*ret = state * (1 - 1 / n);
	return true;
}

static bool saves_state(const struct ts_measures *m, double *ret)
{
	*ret = bytes_of(m, TS_MEMORY_OPTIMIZER);
	return share_of(m, TS_MEMORY_OPTIMIZER) >= 0.2;
}

/* Of 32 bits 8 are left. */
static bool saves_most_of_state(const struct ts_measures *m, double *ret)
{
	bool is = saves_state(m, ret);

	*ret *= 0.75;
	return is;
}

#define NEED(name)                                                                                                                     \
	{                                                                                                                              \
		TS_IF_##name, TS_NEED                                                                                                  \
	}
#define UNLESS(name)                                                                                                                   \
	{                                                                                                                              \
		TS_IF_##name, TS_UNLESS                                                                                                \
	}
#define ALLOCATOR_NOTES "PyTorch, CUDA semantics, \"Optimizing memory usage with PYTORCH_CUDA_ALLOC_CONF\""

const struct ts_memory_play ts_memory_plays[] = {
	{1,
	 false,
	 "let segments expand",
	 "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, set before the program starts",
	 "segments do not expand yet, and a request was refused although as much was free, alone or with what the device had left, "
	 "requests made the allocator give back what it held, or as much is stuck between blocks, outside of private pools, as "
	 "MEMORY.FRAGMENTS reports",
	 "torch calls the setting experimental",
	 ALLOCATOR_NOTES,
	 saves_by_expanding,
	 NO_PLACE,
	 {UNLESS(NOT_WINDOWS), UNLESS(NOT_ROCM)}},
	{1,
	 false,
	 "free gradients before the forward pass",
	 "optimizer.zero_grad(set_to_none=True) right after optimizer.step()",
	 "the peak lies in a forward pass, and gradients hold as much of it as MEMORY.GRADIENTS_KEPT reports",
	 "gradients that are accumulated on purpose are lost",
	 "PyTorch, torch.optim.Optimizer.zero_grad; PyTorch, Performance Tuning Guide",
	 saves_gradients,
	 NO_PLACE,
	 {UNLESS(TORCH)}},
	{2,
	 false,
	 "keep nothing on the device from step to step",
	 "losses and metrics as numbers (.item(), once in many steps), what is plotted as tensor.detach().cpu()",
	 "what outlived two steps without being parameter, gradient or optimizer state is as much as MEMORY.CARRIED reports",
	 ".item() and .cpu() wait for the device",
	 "PyTorch, Frequently Asked Questions, \"Don't accumulate history across your "
	 "training loop\"",
	 saves_carried,
	 TS_M_SNAPSHOT_CARRIED_SOURCE,
	 {UNLESS(TORCH)}},
	{2,
	 true,
	 "use activation checkpointing",
	 "torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False) on the layers that hold most, or on more of them",
	 "memory limits, and activations hold at least 30 % of the peak",
	 "one more forward pass of what is checkpointed: about a third more computing if that is the whole model",
	 "Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost (arXiv:1604.06174)",
	 saves_activations,
	 NO_PLACE,
	 {UNLESS(NO_RECOMPUTING)}},
	{2,
	 true,
	 "use mixed precision in bf16",
	 "torch.autocast(device_type='cuda', dtype=torch.bfloat16)",
	 "memory limits, and activations hold at least 10 % of the peak",
	 "results are rounded to 8 bits within the operations that autocast lists",
	 "Micikevicius et al. 2018, Mixed Precision Training (arXiv:1710.03740)",
	 saves_half_activations,
	 NO_PLACE,
	 {NEED(BF16_UNITS), NEED(FULL_PRECISION)}},
	{2,
	 true,
	 "use mixed precision in fp16",
	 "torch.autocast(device_type='cuda', dtype=torch.float16), and a loss scale: torch.amp.GradScaler",
	 "memory limits, and activations hold at least 10 % of the peak",
	 "results are rounded to 11 bits within the operations that autocast lists",
	 "Micikevicius et al. 2018, Mixed Precision Training (arXiv:1710.03740)",
	 saves_half_activations,
	 NO_PLACE,
	 {NEED(FP16_UNITS), NEED(FULL_PRECISION)}},
	{2,
	 true,
	 "shard parameters, gradients and optimizer state over the ranks",
	 "torch.distributed.fsdp.fully_shard, or DeepSpeed's zero_optimization; where they are sharded already, over more ranks",
	 "memory limits, the run has several ranks, and parameters, gradients and optimizer state hold at least 40 % of the peak",
	 "communication: of gradients and state as much as before, of parameters (stage 3, FSDP) half as much again",
	 "Rajbhandari et al. 2020, ZeRO: Memory Optimizations Toward Training Trillion Parameter Models (arXiv:1910.02054)",
	 saves_by_sharding,
	 NO_PLACE,
	 {UNLESS(TORCH)}},
	{1,
	 true,
	 "keep the optimizer's state in 8 bits",
	 "bitsandbytes.optim.AdamW8bit in the place of torch.optim.AdamW",
	 "memory limits, and the optimizer's state holds at least 20 % of the peak",
	 "the state is rounded: compare the loss with that of a run in 32 bits",
	 "Dettmers et al. 2022, 8-bit Optimizers via Block-wise Quantization (arXiv:2110.02861)",
	 saves_most_of_state,
	 NO_PLACE,
	 {UNLESS(ADAM), UNLESS(STATE_32BIT), UNLESS(STATE_ON_DEVICE)}},
	{2,
	 true,
	 "offload the optimizer's state to the host",
	 "fully_shard(..., offload_policy=CPUOffloadPolicy()), or DeepSpeed's offload_optimizer",
	 "memory limits, and the optimizer's state holds at least 20 % of the peak",
	 "copies between device and host in each step, and an optimizer that runs on the host",
	 "Ren et al. 2021, ZeRO-Offload: Democratizing Billion-Scale Model Training (arXiv:2101.06840)",
	 saves_state,
	 NO_PLACE,
	 {UNLESS(STATE_ON_DEVICE)}},
	{2,
	 true,
	 "halve the batch and accumulate gradients",
	 "twice the steps, optimizer.step() after each second one",
	 "memory limits, and activations hold at least 10 % of the peak",
	 "smaller kernels, which may use the device less",
	 "Hugging Face, GPU training guide, \"Gradient accumulation\"",
	 saves_half_activations,
	 NO_PLACE,
	 {UNLESS(SEVERAL_SAMPLES)}},
};
const size_t ts_memory_plays_n = sizeof ts_memory_plays / sizeof ts_memory_plays[0];

/* A fix as it is ordered. */
struct ordered {
	struct ts_memory_fix fix;
	bool enough; /* it costs nothing, and would have been enough for the request that was refused, if one was */
};

static bool is_before(const struct ordered *a, const struct ordered *b)
{
	if (a->enough != b->enough)
		return a->enough;
	if (a->fix.saves_most < b->fix.saves_most || a->fix.saves_most > b->fix.saves_most)
		return a->fix.saves_most > b->fix.saves_most;
	return a->fix.effort < b->fix.effort;
}

static void put(struct ordered *all, size_t n, struct ordered one)
{
	for (; n && is_before(&one, &all[n - 1]); n--)
		all[n] = all[n - 1];
	all[n] = one;
}

static const char *how(const struct ts_memory_play *p, const struct ts_measures *m, struct ts_arena *arena)
{
	const struct ts_measure *place = p->place == NO_PLACE ? NULL : ts_measure_find(m, p->place, TS_NO_SUBJECT);

	if (!place || !place->known || !place->text.len)
		return p->how;
	return ts_arena_printf(arena, "%s; most was asked for by %.*s", p->how, TS_SPAN_ARG(place->text));
}

static bool add_fixes(const struct ts_measures *m, struct ts_arena *arena, struct ts_memory_advice *a)
{
	struct ordered *all = ts_arena_array(arena, ts_memory_plays_n, sizeof *all);
	double asked;

	if (!value(m, TS_M_SNAPSHOT_REFUSED_BYTES, &asked))
		asked = 0;
	a->fixes = ts_arena_array(arena, ts_memory_plays_n, sizeof *a->fixes);
	for (size_t i = 0; all && a->fixes && i < ts_memory_plays_n; i++) {
		const struct ts_memory_play *p = &ts_memory_plays[i];
		const char *text;
		enum ts_condition ask;
		double saves = 0;

		if (ts_conditions_fit(m, p->conditions, &ask) != TS_FIT_YES || (p->if_limited && a->limit != TS_LIMIT_REACHED) ||
		    !p->saves(m, &saves) || !(saves > 0))
			continue;
		text = how(p, m, arena);
		if (!text)
			return false;
		put(all, a->n_fixes++,
		    (struct ordered){
			    {ts_span_str(p->name), ts_span_str(text), ts_span_str(p->costs), ts_span_str(p->source), saves, p->effort},
			    !p->if_limited && saves >= asked});
	}
	for (size_t i = 0; i < a->n_fixes; i++)
		a->fixes[i] = all[i].fix;
	return all && a->fixes;
}

/* "; by the fit a batch of 24 fits, and none above 31". */
static const char *by_fit(const struct ts_measures *m, struct ts_arena *arena)
{
	const struct ts_measure *of = ts_measure_find(m, TS_M_SNAPSHOT_FIT_OF, TS_NO_SUBJECT);
	double least, most;

	if (!of || !of->known || !value(m, TS_M_SNAPSHOT_FIT_LEAST, &least) || !value(m, TS_M_SNAPSHOT_FIT_MOST, &most))
		return "";
	if (most < 1)
		return ts_arena_printf(arena, "; by the fit no %.*s fits", TS_SPAN_ARG(of->text));
	if (least < 1)
		return ts_arena_printf(arena, "; by the fit no %.*s above %s fits", TS_SPAN_ARG(of->text), ts_say_count(most).text);
	return ts_arena_printf(arena, "; by the fit a %.*s of %s fits, and none above %s", TS_SPAN_ARG(of->text),
			       ts_say_count(least).text, ts_say_count(most).text);
}

/* Why it is not known whether memory limits. */
static struct ts_span unknown(const struct ts_measures *m)
{
	const struct ts_measure *left = ts_measure_find(m, TS_M_SNAPSHOT_HEADROOM, TS_NO_SUBJECT);

	return left && !left->known ? left->reason : ts_span_str("the rows of the memory snapshot do not say it");
}

enum ts_status ts_memory_advise(const struct ts_measures *m, struct ts_arena *arena, struct ts_memory_advice *ret, struct ts_error *err)
{
	struct ts_memory_advice a = {.limit = ts_memory_limit_of(m)};
	const char *text = "", *fit = "";

	TS_DOOR(ts_measures_hold(m));
	if (!ts_measure_find(m, TS_M_SNAPSHOT_RESERVED, TS_NO_SUBJECT)) {
		*ret = (struct ts_memory_advice){.limit = TS_LIMIT_UNKNOWN};
		return TS_OK;
	}
	if (a.limit == TS_LIMIT_UNKNOWN)
		a.reason = unknown(m);
	else
		text = sentence(m, a.limit, arena);
	fit = by_fit(m, arena);
	if (text && fit && *text && *fit)
		text = ts_arena_printf(arena, "%s%s", text, fit);
	if (!text || !fit || !add_fixes(m, arena, &a))
		return ts_arena_error(arena, err);
	a.sentence = ts_span_str(text);
	*ret = a;
	return TS_OK;
}
