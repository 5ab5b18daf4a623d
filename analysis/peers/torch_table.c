#include "analysis/peers/torch_table.h"

#include "base/buf.h"

#include <math.h>
#include <stdlib.h>

enum { NAME_MOST = 55, CELL = 12 };

struct printing {
	struct ts_peer_page *page;
	const struct ts_torch_rows *r;
	size_t name_width;
	bool with_device, with_flops;
	double flops_scale;
	const char *flops_head;
	struct ts_buf line;
};

static size_t characters(struct ts_span text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += (text.data[i] & 0xc0) != 0x80;
	return n;
}

/* Each cell is right-aligned, with two spaces behind it. */
static void cell(struct printing *p, size_t width, struct ts_span text)
{
	size_t n = characters(text);

	ts_buf_spaces(&p->line, (int)(n < width ? width - n : 0));
	ts_buf_span(&p->line, text);
	ts_buf_spaces(&p->line, 2);
}

static void word(struct printing *p, const char *text)
{
	cell(p, CELL, ts_span_str(text));
}

static void end_line(struct printing *p)
{
	while (p->line.len && p->line.data[p->line.len - 1] == ' ')
		p->line.len--;
	p->page->failed |= p->line.failed;
	ts_peer_line(p->page, "%.*s", TS_SPAN_ARG(ts_buf_view(&p->line)));
	p->line.len = 0;
}

static size_t cells(const struct printing *p)
{
	return 6 + (p->with_device ? 4 : 0) + (p->r->with_memory ? 2 : 0) + (p->r->with_device_memory ? 2 : 0) + p->with_flops;
}

static void rule(struct printing *p)
{
	static const char dashes[] = "-------------------------------------------------------";

	cell(p, 0, ts_span_of((const uint8_t *)dashes, p->name_width));
	for (size_t i = 0; i < cells(p); i++)
		cell(p, 0, ts_span_of((const uint8_t *)dashes, CELL));
	end_line(p);
}

static void head(struct printing *p)
{
	static const char *const host[] = {"Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"};
	static const char *const device[] = {"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"};
	static const char *const memory[] = {"CPU Mem", "Self CPU Mem", "CUDA Mem", "Self CUDA Mem"};

	rule(p);
	cell(p, p->name_width, ts_span_str("Name"));
	for (size_t i = 0; i < 5; i++)
		word(p, host[i]);
	for (size_t i = 0; p->with_device && i < 4; i++)
		word(p, device[i]);
	for (size_t i = 0; p->r->with_memory && i < (p->r->with_device_memory ? 4 : 2); i++)
		word(p, memory[i]);
	word(p, "# of Calls");
	if (p->with_flops)
		word(p, p->flops_head);
	end_line(p);
	rule(p);
}

static void number(struct printing *p, const char *what, enum ts_peer_form form, double theirs, double right, const char *why)
{
	ts_peer_number(p->page, what, form, theirs, right, why);
	word(p, ts_peer_formed(p->page, form, theirs));
}

static void took(struct printing *p, const char *what, double theirs_ns, double right_ns, const char *why)
{
	number(p, what, TS_FORM_TIME, theirs_ns / 1e3, right_ns / 1e3, why);
}

static void share(struct printing *p, const char *what, double part, double right, double whole, const char *why)
{
	if (whole > 0 || whole < 0)
		number(p, what, TS_FORM_SHARE, 100 * part / whole, 100 * right / whole, why);
	else
		word(p, "NaN");
}

static void memory(struct printing *p, const struct ts_torch_row *row, int place, const char *what, const char *self)
{
	bool threads = row->self_memory[place] < row->own_self_memory[place] || row->self_memory[place] > row->own_self_memory[place];

	number(p, what, TS_FORM_MEMORY, row->memory[place], row->own_memory[place], threads ? "thread" : "nested");
	number(p, self, TS_FORM_MEMORY, row->self_memory[place], row->own_self_memory[place], "thread");
}

static void flops(struct printing *p, const struct ts_torch_row *row)
{
	const char *text = ts_arena_printf(p->page->arena, "%8.3f", (double)row->flops * p->flops_scale);

	if (row->shapeless)
		ts_peer_unknown(p->page, "flops", TS_FORM_COUNT, (double)row->flops, "shapes");
	else
		ts_peer_number(p->page, "flops", TS_FORM_COUNT, (double)row->flops, (double)row->flops, NULL);
	p->page->failed |= !text;
	word(p, row->flops && text ? text : "--");
}

static void name(struct printing *p, struct ts_span text)
{
	const char *cut = text.len && characters(text) >= NAME_MOST - 3
				  ? ts_arena_printf(p->page->arena, "%s...", ts_peer_cell(p->page, text, NAME_MOST - 3, 0))
				  : ts_peer_cell(p->page, text, SIZE_MAX, 0);

	p->page->failed |= !cut;
	cell(p, p->name_width, ts_span_str(cut ? cut : ""));
}

static void print_row(struct printing *p, const struct ts_torch_row *row)
{
	double calls = (double)row->count;

	name(p, row->name);
	share(p, "self_cpu_percent", row->self_cpu, row->self_cpu, p->r->self_cpu, NULL);
	took(p, "self_cpu_us", row->self_cpu, row->self_cpu, NULL);
	share(p, "cpu_total_percent", row->cpu, row->cpu_once, p->r->self_cpu, "nested");
	took(p, "cpu_total_us", row->cpu, row->cpu_once, "nested");
	took(p, "cpu_mean_us", row->cpu / calls, row->cpu / calls, NULL);
	if (p->with_device) {
		took(p, "self_device_us", row->self_cuda, row->self_cuda, NULL);
		share(p, "self_device_percent", row->self_cuda, row->self_cuda, p->r->cuda, NULL);
		took(p, "device_total_us", row->cuda, row->cuda_once, "nested");
		took(p, "device_mean_us", row->cuda / calls, row->cuda / calls, NULL);
	}
	if (p->r->with_memory)
		memory(p, row, TS_TORCH_CPU, "cpu_memory_bytes", "self_cpu_memory_bytes");
	if (p->r->with_memory && p->r->with_device_memory)
		memory(p, row, TS_TORCH_CUDA, "device_memory_bytes", "self_device_memory_bytes");
	number(p, "calls", TS_FORM_COUNT, calls, calls, NULL);
	if (p->with_flops)
		flops(p, row);
	end_line(p);
}

static int longest_on_devices(const void *x, const void *y)
{
	const struct ts_torch_row *const *a = x, *const *b = y;

	if ((*a)->cuda < (*b)->cuda || (*a)->cuda > (*b)->cuda)
		return (*a)->cuda < (*b)->cuda ? 1 : -1;
	return (*a > *b) - (*a < *b);
}

static int most_flops(const void *x, const void *y)
{
	const struct ts_torch_row *const *a = x, *const *b = y;

	if ((*a)->flops != (*b)->flops)
		return (*a)->flops < (*b)->flops ? 1 : -1;
	return (*a > *b) - (*a < *b);
}

/* The unit is that of the least number. */
static void find_columns(struct printing *p)
{
	static const char *const heads[] = {"Total FLOPs",  "Total KFLOPs", "Total MFLOPs",
					    "Total GFLOPs", "Total TFLOPs", "Total PFLOPs"};
	uint64_t least = UINT64_MAX;
	size_t unit = 0;

	for (size_t i = 0; i < p->r->n; i++) {
		const struct ts_torch_row *row = &p->r->rows[i];
		size_t width = characters(row->name) + 4;

		p->name_width = width > p->name_width ? width : p->name_width;
		p->with_device |= row->self_cuda > 0;
		least = row->flops && row->flops < least ? row->flops : least;
	}
	p->name_width = p->name_width > NAME_MOST ? NAME_MOST : p->name_width;
	p->with_flops = least != UINT64_MAX;
	p->flops_scale = 1;
	for (double rest = (double)least; p->with_flops && rest >= 1000 && unit < 5; rest /= 1000) {
		p->flops_scale /= 1000;
		unit++;
	}
	p->flops_head = heads[unit];
}

void ts_torch_table(struct ts_peer_page *page, const struct ts_torch_rows *rows, enum ts_torch_by by, size_t limit)
{
	struct printing p = {.page = page, .r = rows, .line = TS_BUF_INIT((size_t)1 << 20)};
	const struct ts_torch_row **order = ts_arena_array(page->arena, rows->n, sizeof *order);

	if (!order) {
		page->failed = true;
		return;
	}
	if (!rows->n)
		return;
	for (size_t i = 0; i < rows->n; i++)
		order[i] = &rows->rows[i];
	qsort(order, rows->n, sizeof *order, by == TS_TORCH_BY_FLOPS ? most_flops : longest_on_devices);
	find_columns(&p);
	head(&p);
	for (size_t i = 0; i < rows->n && i < limit; i++)
		print_row(&p, order[i]);
	rule(&p);
	ts_peer_line(page, "Self CPU time total: %s", ts_peer_formed(page, TS_FORM_TIME, rows->self_cpu / 1e3));
	if (p.with_device) {
		ts_peer_number(page, "device_total_us", TS_FORM_TIME, rows->cuda / 1e3, rows->busy / 1e3, "twice");
		ts_peer_line(page, "Self CUDA time total: %s", ts_peer_formed(page, TS_FORM_TIME, rows->cuda / 1e3));
	}
	ts_buf_finish(&p.line);
}
