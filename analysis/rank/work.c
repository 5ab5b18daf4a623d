#include "analysis/rank/work.h"

#include "analysis/answer/row_words.h"
#include "analysis/rank/peaks.h"
#include "base/door.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>

enum { GPUS = 1024 };

struct reasons {
	const char *missing, *not_number, *text, *not_finite, *not_positive;
};

#define REASONS(path)                                                                                                  \
	{                                                                                                              \
		"the run does not record " path, path " is not a number", path " is text, not a number",               \
			path " is not finite", path " is not above 0"                                                  \
	}

static struct ts_work_number number_of(const struct ts_fact *fact, const struct reasons *why)
{
	struct ts_work_number n = {.known = false, .reason = why->not_number};

	if (!fact || fact->type == TS_FACT_NULL || fact->type == TS_FACT_ABSENT) {
		n.reason = why->missing;
		return n;
	}
	n.said = true;
	if (fact->type == TS_FACT_INT)
		n.value = (double)fact->integer;
	else if (fact->type == TS_FACT_FLOAT)
		n.value = fact->real;
	else if (fact->type != TS_FACT_NUMBER || !ts_parse_double(fact->text, &n.value)) {
		n.reason = fact->type == TS_FACT_TEXT || fact->type == TS_FACT_LONG ? why->text : why->not_number;
		return n;
	}
	n.known = isfinite(n.value) && n.value > 0.0;
	n.reason = n.known ? NULL : isfinite(n.value) ? why->not_positive : why->not_finite;
	n.source = n.known ? ts_source_name(fact->source) : NULL;
	return n;
}

static struct ts_work_text text_of(const struct ts_facts *facts, const char *path, const char *missing,
				   const char *not_text)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));
	struct ts_work_text t = {.reason = missing};

	if (!fact || fact->type == TS_FACT_NULL || fact->type == TS_FACT_ABSENT)
		return t;
	t.reason = not_text;
	if (fact->type == TS_FACT_TEXT && fact->text.len)
		t = (struct ts_work_text){.text = fact->text, .source = ts_source_name(fact->source)};
	return t;
}

static const struct ts_fact *gpu_fact(const struct ts_facts *facts, size_t i, const char *key)
{
	char path[64];

	(void)snprintf(path, sizeof path, "hardware.gpus[%zu].%s", i, key);
	return ts_facts_find(facts, ts_span_str(path));
}

/* Returns the device that the process recorded, otherwise the name that all devices of the host share. */
static struct ts_work_text device_of(const struct ts_facts *facts)
{
	struct ts_work_text said = text_of(facts, "hardware.gpu", "the run does not record the name of the device",
					   "hardware.gpu is not text");
	struct ts_work_text device = said;

	if (said.text.len)
		return said;
	for (size_t i = 0; i < GPUS; i++) {
		const struct ts_fact *name = gpu_fact(facts, i, "name");

		if (!name)
			break;
		if (name->type != TS_FACT_TEXT || (device.text.len && !ts_span_eq(device.text, name->text)))
			return (struct ts_work_text){.reason = "the host has devices of several kinds, and the run "
							       "does not record which one it used"};
		device = (struct ts_work_text){.text = name->text, .source = ts_source_name(name->source)};
	}
	return device;
}

static struct ts_work_text placed_of(const struct ts_facts *facts)
{
	static const char *const paths[] = {
		"config.device",       "config.accelerator", "config.trainer.accelerator", "config.training.device",
		"config.train.device", "config.args.device", "config.fabric.accelerator",  "config.trainer.device"};

	if (ts_facts_true(facts, "config.use_cpu") || ts_facts_true(facts, "config.no_cuda"))
		return (struct ts_work_text){.text = ts_span_str("cpu"), .source = ts_source_name(TS_SOURCE_RUN_JSON)};
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		struct ts_work_text text =
			text_of(facts, paths[i], "the configuration does not say where it computes", "it is not text");

		if (text.text.len)
			return text;
	}
	return (struct ts_work_text){.reason = "the configuration does not say where it computes"};
}

/* A process without CUDA computes on the CPU: its configuration or torch says so, or torch is built without it. */
static struct ts_work_text device_kind_of(const struct ts_facts *facts, const struct ts_work_text *device,
					  const struct ts_work_text *placed)
{
	const struct ts_fact *cuda = ts_facts_find(facts, ts_span_str("hardware.cuda_available"));
	const struct ts_fact *torch = ts_facts_find(facts, ts_span_str("libraries.torch"));
	struct ts_span cpu = ts_span_str("+cpu");

	if (ts_span_is(placed->text, "cpu") || ts_span_is(placed->text, "CPU"))
		return (struct ts_work_text){.text = ts_span_str(ts_device_kind_word(TS_DEVICE_CPU)), .source = placed->source};
	if (device->text.len)
		return (struct ts_work_text){.text = ts_span_str(ts_device_kind_word(TS_DEVICE_GPU)), .source = device->source};
	if (cuda && cuda->type == TS_FACT_BOOL)
		return (struct ts_work_text){.text = ts_span_str(ts_device_kind_word(cuda->boolean ? TS_DEVICE_GPU : TS_DEVICE_CPU)),
					     .source = ts_source_name(cuda->source)};
	if (torch && torch->type == TS_FACT_TEXT && torch->text.len > cpu.len &&
	    memcmp(torch->text.data + torch->text.len - cpu.len, cpu.data, cpu.len) == 0)
		return (struct ts_work_text){.text = ts_span_str(ts_device_kind_word(TS_DEVICE_CPU)),
					     .source = ts_source_name(torch->source)};
	return (struct ts_work_text){.reason = device->reason};
}

/* All devices of the host must have the same memory. */
static struct ts_work_number measured_bytes_of(const struct ts_facts *facts)
{
	static const struct reasons why = REASONS("the memory of the device");
	struct ts_work_number bytes = number_of(gpu_fact(facts, 0, "memory"), &why);

	for (size_t i = 1; i < GPUS && bytes.known && (gpu_fact(facts, i, "memory") || gpu_fact(facts, i, "name")); i++) {
		struct ts_work_number other = number_of(gpu_fact(facts, i, "memory"), &why);

		if (!other.known || other.value != bytes.value)
			bytes = (struct ts_work_number){
				.said = true,
				.reason = "the devices of the host do not all have the same memory"};
	}
	return bytes;
}

/* Returns what the run declares, otherwise what the host measured, otherwise what the name of the device says. */
static struct ts_work_number device_bytes_of(const struct ts_facts *facts, const struct ts_work_text *device)
{
	static const struct reasons declared_why = REASONS("work.device_memory");
	struct ts_work_number declared = number_of(ts_facts_find(facts, ts_span_str("work.device_memory")), &declared_why);
	struct ts_work_number bytes = declared.said ? declared : measured_bytes_of(facts), named = {.reason = device->reason};

	if (declared.said || bytes.known)
		return bytes;
	named.known = device->text.len && ts_device_memory(device->text, &named.value, &named.source, &named.reason);
	return named.known || !bytes.said ? named : bytes;
}

/* What may stand at the end of many paths; all that do must agree. */
struct hint {
	const char *keys[2];
	struct reasons why;
	const char *differ;
};

static bool is_hint(const struct hint *hint, struct ts_span path)
{
	for (size_t i = 0; i < sizeof hint->keys / sizeof hint->keys[0] && hint->keys[i]; i++) {
		size_t n = strlen(hint->keys[i]);

		if (path.len > n && ts_span_is(ts_span_of(path.data + path.len - n, n), hint->keys[i]))
			return true;
	}
	return false;
}

static struct ts_work_number hint_of(const struct ts_facts *facts, const struct hint *hint)
{
	struct ts_work_number all = number_of(NULL, &hint->why);

	for (size_t i = 0; i < facts->n; i++) {
		struct ts_work_number n;

		if (!is_hint(hint, facts->items[i].path))
			continue;
		n = number_of(&facts->items[i], &hint->why);
		if (all.known && n.known && n.value != all.value)
			return (struct ts_work_number){.said = true, .reason = hint->differ};
		all = n.known ? n : all;
	}
	return all;
}

void ts_work_of_facts(const struct ts_facts *facts, struct ts_work *ret_work)
{
	static const struct hint workers = {{".num_workers", ".dataloader_num_workers"}, REASONS("the number of loader workers"),
					    "the loaders do not all have as many workers"};
	static const struct hint epoch = {{".steps_per_epoch"}, REASONS("the number of steps of an epoch"),
					  "the run says several lengths of an epoch"};
	struct ts_work w = {.rank = 0};
	const struct {
		const char *path;
		struct ts_work_number *number;
		struct reasons why;
	} rows[] = {
#define ROW(path, member) {path, &w.member, REASONS(path)}
		ROW("work.flops_per_step", flops_per_step),
		ROW("work.hardware_flops_per_step", hardware_flops_per_step),
		ROW("work.recompute_flops_per_step", recompute_flops_per_step),
		ROW("work.flops_ranks", flops_ranks),
		ROW("work.peak_flops", peak_flops),
		ROW("work.tokens_per_step", tokens_per_step),
		ROW("work.samples_per_step", samples_per_step),
		ROW("work.accumulation", accumulation),
		ROW("work.warmup_steps", warmup_steps),
		ROW("parallelism.world_size", world_size),
		ROW("parallelism.pipeline_stages", pipeline_stages),
		ROW("parallelism.microbatches", microbatches),
		ROW("parallelism.virtual_stages", virtual_stages),
		ROW("session.wall_time", wall_time_s),
		ROW("session.n_steps", n_steps),
#undef ROW
	};

	TS_DOOR(ts_facts_hold(facts));
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		*rows[i].number = number_of(ts_facts_find(facts, ts_span_str(rows[i].path)), &rows[i].why);
	w.dtype = text_of(facts, "work.dtype", "the run does not record work.dtype", "work.dtype is not text");
	w.convention = text_of(facts, "work.flops_convention", "the run does not record work.flops_convention",
			       "work.flops_convention is not text");
	w.recompute = text_of(facts, "work.recompute", "the run does not record work.recompute",
			      "work.recompute is not text");
	w.device = device_of(facts);
	w.placed = placed_of(facts);
	w.device_kind = device_kind_of(facts, &w.device, &w.placed);
	w.device_bytes = device_bytes_of(facts, &w.device);
	w.loader_workers = hint_of(facts, &workers);
	w.steps_per_epoch = hint_of(facts, &epoch);
	w.tokens.reason = "the run has no column of tokens";
	w.samples.reason = "the run has no column of samples";
	*ret_work = w;
}

void ts_work_override(struct ts_work_number *number, double value)
{
	*number = (struct ts_work_number){.known = true, .said = true, .told = true, .value = value, .source = "command line"};
}

uint64_t ts_work_capacity(const struct ts_work *work)
{
	const struct ts_work_number *bytes = &work->device_bytes;

	return bytes->known && bytes->value >= 1 && bytes->value < TS_WORK_CAPACITY_MAX ? (uint64_t)bytes->value : 0;
}
