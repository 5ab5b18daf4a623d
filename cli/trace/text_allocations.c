/* text_allocations.c - what operators allocated by a trace's own instants of the allocator, as text. */
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"

enum { OPERATORS_SHOWN = 8, DEVICES_SHOWN = 8 };

static void row(struct ts_cli *cli, struct ts_grid *grid, const struct ts_allocation_sum *s, const char *no_name)
{
	ts_trace_cell(grid, ts_show_bytes((double)s->allocated, &cli->arena));
	ts_trace_cell(grid, ts_trace_count(cli, s->count));
	ts_trace_cell(grid, ts_show_bytes((double)s->freed, &cli->arena));
	ts_trace_name(cli, grid, s->name.len ? s->name : ts_span_str(no_name));
}

static enum ts_status place(struct ts_cli *cli, const struct ts_allocation_place *p, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"allocated", TS_ALIGN_RIGHT, 0},
							{"times", TS_ALIGN_RIGHT, 0},
							{"freed", TS_ALIGN_RIGHT, 0},
							{"operator", TS_ALIGN_LEFT, 20}};
	const char *of = p->host ? "the host" : ts_arena_printf(&cli->arena, "device %s", ts_trace_place(cli, p->device, "not said"));
	const char *peak = p->has_peak ? ts_arena_printf(&cli->arena, "; at most %s was allocated at once",
							 ts_show_bytes((double)p->peak, &cli->arena))
				       : "";
	struct ts_grid grid;

	ts_trace_heading(cli, ts_arena_printf(&cli->arena, "Memory of %s by operator, of the profiler's own record%s", of ? of : "",
					      peak ? peak : ""));
	ts_grid_init(&grid, columns, 4, &cli->arena);
	row(cli, &grid, &p->all, "all");
	for (size_t i = 0; i < p->n && i < OPERATORS_SHOWN; i++)
		row(cli, &grid, &p->items[i], "none");
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, p->n, OPERATORS_SHOWN, "operator");
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
