/* text_allocations.c - what operators allocated by a trace's own instants of the allocator, as text. */
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "proto/shape/shapes.h"

enum { OPERATORS_SHOWN = 8, DEVICES_SHOWN = 8 };

static enum ts_status place(struct ts_cli *cli, const struct ts_allocation_place *p, struct ts_error *err)
{
	const char *of = p->host ? "the host" : ts_arena_printf(&cli->arena, "device %s", ts_trace_place(cli, p->device, "not said"));
	const char *peak = p->has_peak ? ts_arena_printf(&cli->arena, "; at most %s was allocated at once",
							 ts_show_bytes((double)p->peak, &cli->arena))
				       : "";
	size_t shown = p->n < OPERATORS_SHOWN ? p->n : OPERATORS_SHOWN;
	struct ts_view view;

	ts_trace_heading(cli, ts_arena_printf(&cli->arena, "Memory of %s by operator, of the profiler's own record%s", of ? of : "",
					      peak ? peak : ""));
	ts_view_of(&view, &ts_shape_trace_allocations, "allocated_bytes allocation_count freed_bytes operator", &cli->arena);
	ts_view_row(&view, &p->all);
	ts_view_set(&view, "operator", TS_STYLE_PLAIN, "all");
	ts_view_rows(&view, p->items, shown);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, p->n, shown, "operator");
	return TS_OK;
}

enum ts_status ts_trace_allocations_text(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	for (size_t i = 0; i < a->n_memory && i < DEVICES_SHOWN; i++)
		if (place(cli, &a->memory[i], err))
			return err->status;
	ts_trace_more(cli, a->n_memory, DEVICES_SHOWN, "device");
	return TS_OK;
}
