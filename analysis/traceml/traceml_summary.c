#include "analysis/traceml/traceml_summary.h"

#include "base/door.h"
#include "base/number.h"
#include "base/text.h"
#include "base/words.h"

#include <math.h>

enum { NUMBER_TEXT = 512 };

TS_WORDS(ts_traceml_phase_name, enum ts_traceml_phase, "unknown", [TS_TRACEML_INPUT] = "input wait",
	 [TS_TRACEML_H2D] = "host-to-device copies", [TS_TRACEML_FORWARD] = "forward", [TS_TRACEML_BACKWARD] = "backward",
	 [TS_TRACEML_OPTIMIZER] = "optimizer", [TS_TRACEML_COMPUTE] = "compute", [TS_TRACEML_RESIDUAL] = "residual")

TS_WORDS(ts_traceml_section_name, enum ts_traceml_section, "unknown", [TS_TRACEML_STEP_TIME] = "step_time",
	 [TS_TRACEML_STEP_MEMORY] = "step_memory", [TS_TRACEML_SYSTEM] = "system", [TS_TRACEML_PROCESS] = "process",
	 [TS_TRACEML_PRIMARY] = "primary_diagnosis")

const char *ts_traceml_clock_name(enum ts_traceml_clock clock)
{
	return clock == TS_TRACEML_GPU ? "gpu" : clock == TS_TRACEML_CPU ? "cpu" : NULL;
}

/* --- numbers --- */

static bool is_word(struct ts_span text, const char *word)
{
	for (size_t i = 0; i < text.len; i++)
		if (!word[i] || (text.data[i] | 32) != word[i])
			return false;
	return !word[text.len];
}

/* Rewrites a number that Python accepts and JSON does not ("1_000", "007", ".5", "5.", "1.e3") as JSON. Returns
 * false where neither accepts it. */
static bool as_json(struct ts_span text, char out[NUMBER_TEXT], size_t *ret_len)
{
	size_t n = 0, digits = 0;

	if (text.len > NUMBER_TEXT / 2 - 4) /* a point may need two more zeros */
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = (char)text.data[i];
		bool after = i > 0 && ts_is_digit(text.data[i - 1]), before = i + 1 < text.len && ts_is_digit(text.data[i + 1]);
		bool fraction = n > 0 && memchr(out, '.', n), exponent = n > 0 && memchr(out, 'e', n);

		if (c == '_' && after && before)
			continue;
		if (c == '_' || ((c | 32) == 'e' && digits == 0))
			return false;
		if ((c == '.' || (c | 32) == 'e') && digits == 0 && !exponent)
			out[n++] = '0';
		if (c == '.' && !after && !before)
			return false;
		digits += ts_is_digit((unsigned char)c);
		if (ts_is_digit((unsigned char)c) && n == 1 && out[0] == '0' && !fraction && !exponent)
			n = 0;
		out[n++] = (char)((c | 32) == 'e' ? 'e' : c);
		if (c == '.' && !before)
			out[n++] = '0';
	}
	*ret_len = n;
	return digits > 0;
}

bool ts_traceml_float(struct ts_span text, double *ret)
{
	char json[NUMBER_TEXT];
	double sign = 1, value;
	size_t len;

	while (text.len && ts_is_space(text.data[0]))
		text = ts_span_of(text.data + 1, text.len - 1);
	while (text.len && ts_is_space(text.data[text.len - 1]))
		text.len--;
	if (text.len && (text.data[0] == '-' || text.data[0] == '+')) {
		sign = text.data[0] == '-' ? -1 : 1;
		text = ts_span_of(text.data + 1, text.len - 1);
	}
	if (is_word(text, "nan"))
		value = (double)NAN;
	else if (is_word(text, "inf") || is_word(text, "infinity"))
		value = (double)INFINITY;
	else if (!text.len || text.data[0] == '-' || text.data[0] == '+' || !as_json(text, json, &len) ||
		 !ts_parse_double(ts_span_of(json, len), &value))
		return false;
	*ret = sign * value;
	return true;
}

/* --- facts --- */

static const struct ts_fact *find(const struct ts_facts *facts, const char *path)
{
	return ts_facts_find(facts, ts_span_str(path));
}

static struct ts_traceml_number number_of(const struct ts_fact *fact)
{
	struct ts_traceml_number n = {.known = true};

	if (!fact)
		return (struct ts_traceml_number){.known = false};
	switch (fact->type) {
	case TS_FACT_BOOL:
		n.value = fact->boolean;
		return n;
	case TS_FACT_INT:
		n.value = (double)fact->integer;
		return n;
	case TS_FACT_FLOAT:
		n.value = fact->real;
		return n;
	case TS_FACT_TEXT:
		n.known = ts_traceml_float(fact->text, &n.value);
		return n;
	case TS_FACT_NUMBER: /* the number is too large for a double, and Python refuses it */
		n.known = ts_parse_double(fact->text, &n.value) && isfinite(n.value);
		return n;
	case TS_FACT_NULL:
	case TS_FACT_OBJECT:
	case TS_FACT_ARRAY:
	case TS_FACT_ABSENT:
	case TS_FACT_LONG:
		break;
	}
	return (struct ts_traceml_number){.known = false};
}

static struct ts_span text_of(const struct ts_facts *facts, const char *path)
{
	const struct ts_fact *fact = find(facts, path);

	return fact && fact->type == TS_FACT_TEXT ? fact->text : ts_span_str("");
}

static struct ts_traceml_number number(const struct ts_facts *facts, const char *path)
{
	return number_of(find(facts, path));
}

#define AVERAGE TS_TRACEML_FACTS "step_time.global.average."
#define WORST TS_TRACEML_FACTS "step_time.global.worst."

static void step_times(const struct ts_facts *facts, struct ts_traceml_summary *s)
{
	if (s->schema_number.known && s->schema_number.value >= TS_TRACEML_CLOCKED) {
		s->step_gpu = number(facts, AVERAGE "step_time_gpu_ms");
		s->step_cpu = number(facts, AVERAGE "step_time_cpu_ms");
		s->worst_step_gpu = number(facts, WORST "step_time_gpu_ms.value");
		s->worst_step_cpu = number(facts, WORST "step_time_cpu_ms.value");
		s->worst_rank_gpu = text_of(facts, WORST "step_time_gpu_ms.idx");
		s->worst_rank_cpu = text_of(facts, WORST "step_time_cpu_ms.idx");
	} else {
		s->step_cpu = number(facts, AVERAGE "total_step_ms");
		s->worst_step_cpu = number(facts, WORST "total_step_ms.value");
		s->worst_rank_cpu = text_of(facts, WORST "total_step_ms.idx");
	}
}

static void phases(const struct ts_facts *facts, struct ts_traceml_summary *s)
{
	static const char *const paths[TS_TRACEML_PHASES] = {
		[TS_TRACEML_INPUT] = AVERAGE "input_wait_ms",	 [TS_TRACEML_H2D] = AVERAGE "h2d_ms",
		[TS_TRACEML_FORWARD] = AVERAGE "forward_ms",	 [TS_TRACEML_BACKWARD] = AVERAGE "backward_ms",
		[TS_TRACEML_OPTIMIZER] = AVERAGE "optimizer_ms", [TS_TRACEML_COMPUTE] = AVERAGE "compute_ms",
		[TS_TRACEML_RESIDUAL] = AVERAGE "residual_ms",
	};
	const struct ts_fact *clock = find(facts, TS_TRACEML_FACTS "step_time.global.window.diagnosis_clock");

	if (clock && clock->type == TS_FACT_TEXT)
		s->phase_clock = ts_span_is(clock->text, "gpu")	  ? TS_TRACEML_GPU
				 : ts_span_is(clock->text, "cpu") ? TS_TRACEML_CPU
								  : TS_TRACEML_NO_CLOCK;
	for (size_t i = 0; i < TS_TRACEML_PHASES; i++)
		s->phases[i] = number(facts, paths[i]);
}

static void statuses(const struct ts_facts *facts, struct ts_traceml_summary *s)
{
	static const char *const paths[TS_TRACEML_SECTIONS] = {
		[TS_TRACEML_STEP_TIME] = TS_TRACEML_FACTS "step_time.diagnosis.status",
		[TS_TRACEML_STEP_MEMORY] = TS_TRACEML_FACTS "step_memory.diagnosis.status",
		[TS_TRACEML_SYSTEM] = TS_TRACEML_FACTS "system.diagnosis.status",
		[TS_TRACEML_PROCESS] = TS_TRACEML_FACTS "process.diagnosis.status",
		[TS_TRACEML_PRIMARY] = TS_TRACEML_FACTS "primary_diagnosis.status",
	};

	for (size_t i = 0; i < TS_TRACEML_SECTIONS; i++)
		s->status[i] = text_of(facts, paths[i]);
}

bool ts_traceml_summary_of(const struct ts_facts *facts, struct ts_traceml_summary *ret_summary)
{
	struct ts_traceml_summary s = {.schema = find(facts, TS_TRACEML_FACTS "schema_version")};

	TS_DOOR(ts_facts_hold(facts));
	if (!s.schema)
		return false;
	s.schema_number = number_of(s.schema);
	step_times(facts, &s);
	phases(facts, &s);
	statuses(facts, &s);
	s.memory = number(facts, TS_TRACEML_FACTS "step_memory.global.worst.peak_reserved_bytes.value");
	s.memory_median = number(facts, TS_TRACEML_FACTS "step_memory.global.median.peak_reserved_bytes.value");
	s.gpu_util = number(facts, TS_TRACEML_FACTS "system.global.average.gpu_util_percent");
	s.world_size = number(facts, TS_TRACEML_FACTS "meta.world_size");
	s.nodes = number(facts, TS_TRACEML_FACTS "meta.nodes_observed");
	s.gpus = number(facts, TS_TRACEML_FACTS "meta.gpus_observed");
	s.steps = number(facts, TS_TRACEML_FACTS "step_time.global.window.steps_analyzed");
	*ret_summary = s;
	return true;
}
