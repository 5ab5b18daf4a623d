/* report_machine.c - the section of a report on the machine of a run: its cores, its memory, the workers that load data, each GPU. */
#include "cli/report/report_parts.h"

enum { GPUS_SHOWN = 8 };

/* Text in front of a number and its unit behind it, where the row is known. */
static const char *joined(struct ts_report *r, const char *text, enum ts_measure_name what, struct ts_span of, const char *before,
			  const char *behind)
{
	const char *value = ts_report_value_of(r, what, of);

	return ts_report_join(r, text, ", ", value ? ts_report_say(r, "%s%s%s", before, value, behind) : NULL);
}

static const char *gpu(struct ts_report *r, struct ts_span of)
{
	const char *limit = ts_report_value_of(r, TS_M_GPU_POWER_LIMIT, of), *text = NULL;

	text = joined(r, text, TS_M_GPU_BUSY, of, "busy ", "");
	text = joined(r, text, TS_M_GPU_CLOCK, of, "", " MHz");
	text = joined(r, text, TS_M_GPU_POWER, of, "", limit ? ts_report_say(r, " W of %s", limit) : " W");
	text = joined(r, text, TS_M_GPU_TEMPERATURE, of, "", " C");
	return joined(r, text, TS_M_GPU_MEMORY, of, "memory ", "");
}

static const char *held(struct ts_report *r, const char *text, struct ts_span of)
{
	static const struct {
		enum ts_measure_name what;
		const char *by;
	} by[] = {{TS_M_GPU_HELD_BY_POWER, "held by power "},
		  {TS_M_GPU_HELD_BY_HEAT, "held by heat "},
		  {TS_M_GPU_HELD_BY_OTHERS, "held by others "}};

	for (size_t i = 0; i < sizeof by / sizeof by[0]; i++) {
		const struct ts_measure *row = ts_report_row(r, by[i].what, of);

		if (row && row->known && row->value >= 0.005)
			text = joined(r, text, by[i].what, of, by[i].by, "");
	}
	return text;
}

void ts_report_machine(struct ts_report *r)
{
	static const struct ts_figure head[] = {{TS_M_MACHINE_COUNT, "% observations"}, {TS_M_MACHINE_SPAN, "over"}, {0, NULL}};
	static const struct ts_figure cores[] = {{TS_M_MACHINE_CORES, "% used"},
						 {TS_M_MACHINE_CORES_ALLOWED, "of"},
						 {TS_M_MACHINE_JOB_CORES, "% by the run"},
						 {TS_M_MACHINE_HOST_CORES, "% on the whole machine"},
						 {TS_M_MACHINE_QUOTA_HELD, "held by quota"},
						 {TS_M_MACHINE_STOLEN, "steal"},
						 {0, NULL}};
	static const struct ts_figure waits[] = {{TS_M_MACHINE_CPU_PRESSURE, "for a core"},
						 {TS_M_MACHINE_MEMORY_PRESSURE, "for memory"},
						 {TS_M_MACHINE_IO_PRESSURE, "for a disk"},
						 {0, NULL}};
	static const struct ts_figure memory[] = {{TS_M_MACHINE_MEMORY, "most"}, {TS_M_MACHINE_MEMORY_LIMIT, "of"}, {0, NULL}};
	static const struct ts_figure workers[] = {{TS_M_MACHINE_WORKERS, "%"},
						   {TS_M_MACHINE_WORKER_CORES, "cores of each"},
						   {TS_M_MACHINE_WORKERS_BLOCKED, "blocked"},
						   {0, NULL}};
	const struct ts_measure *n = ts_report_row(r, TS_M_MACHINE_WORKERS, TS_NO_SUBJECT);
	struct ts_section *s;
	size_t gpus = 0;

	if (!ts_report_known(r, TS_ANSWER_MACHINE))
		return;
	s = ts_report_section(r, TS_SECTION_MACHINE);
	s->head = ts_report_figures(r, TS_NO_SUBJECT, head);
	ts_report_line(r, s, "cores", ts_report_figures(r, TS_NO_SUBJECT, cores));
	ts_report_line(r, s, "waiting", ts_report_figures(r, TS_NO_SUBJECT, waits));
	ts_report_line(r, s, "memory", ts_report_figures(r, TS_NO_SUBJECT, memory));
	if (n && n->known && n->value > 0)
		ts_report_line(r, s, "workers", ts_report_figures(r, TS_NO_SUBJECT, workers));
	for (size_t i = 0; i < r->a->measures.n; i++) {
		const struct ts_measure *m = &r->a->measures.items[i];

		if (m->known && ts_measure_is(m, TS_M_GPU_BUSY) && gpus++ < GPUS_SHOWN)
			ts_report_line(r, s, ts_report_text(r, m->subject), held(r, gpu(r, m->subject), m->subject));
	}
	if (gpus > GPUS_SHOWN)
		ts_report_line(r, s, "", ts_report_say(r, "%zu more GPUs; tscope show RUN --machine has all", gpus - GPUS_SHOWN));
}
