#include "analysis/peers/kempner.h"

#include "analysis/peers/torch_table.h"

#include <stdlib.h>

enum { TOP = 20, TABLE_TOP = 30, BUCKETS = 4 };
enum bucket { MATMUL, COMM, MEMORY, OTHER };

/* A row of key_averages. */
struct row {
	struct ts_span name;
	uint64_t ns, count, flops;
	size_t at; /* which of key_averages() */
	enum bucket bucket;
	bool of_device; /* kernels, copies and fills; else another count of the same time */
};

struct table {
	const struct ts_trace *trace;
	struct ts_arena *arena;
	struct row *rows;
	size_t n;
	uint64_t ns, flops, buckets[BUCKETS], right_ns, right[BUCKETS];
	bool shapeless; /* FLOPs of some operators are not known */
	struct ts_torch_rows torch;
};

static void add_ns(uint64_t *to, uint64_t ns)
{
	*to = *to + ns < ns ? UINT64_MAX : *to + ns;
}

/* The first pattern that is anywhere in the name decides, and "mm" is tried before "nccl". */
static enum bucket bucket_of(struct ts_span name)
{
	static const struct {
		const char *part;
		enum bucket bucket;
	} parts[] = {
		{"gemm", MATMUL},	  {"mm", MATMUL},      {"matmul", MATMUL}, {"dot", MATMUL},	{"cublas", MATMUL},
		{"nvjet", MATMUL},	  {"cutlass", MATMUL}, {"nccl", COMM},	   {"allreduce", COMM}, {"allgather", COMM},
		{"reduce_scatter", COMM}, {"memcpy", MEMORY},  {"memset", MEMORY},
	};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (ts_peer_has(name, parts[i].part, true))
			return parts[i].bucket;
	return OTHER;
}

static enum bucket right_bucket(const struct ts_trace *trace, size_t row)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	enum ts_kernel_category category;

	if (s->kind[row] != TS_TRACE_KERNEL)
		return MEMORY;
	category = ts_kernel_category(trace->names[s->name[row]]);
	return category == TS_KERNEL_COMMUNICATION ? COMM : category == TS_KERNEL_GEMM ? MATMUL : OTHER;
}

/* The rows of the profiler's own table, and what is right: the work of devices, each once. */
static enum ts_status gather(struct table *t, uint64_t busy_ns, struct ts_error *err)
{
	const struct ts_trace_spans *s = &t->trace->rows.spans;

	if (ts_torch_rows(t->trace, busy_ns, t->arena, &t->torch, err))
		return err->status;
	t->rows = ts_arena_array(t->arena, t->torch.n, sizeof *t->rows);
	if (!t->rows)
		return ts_arena_error(t->arena, err);
	for (size_t i = 0; i < t->torch.n; i++) {
		const struct ts_torch_row *row = &t->torch.rows[i];

		t->rows[t->n++] = (struct row){.name = row->name,
					       .ns = row->self_cuda < 1.8e19 ? (uint64_t)row->self_cuda : UINT64_MAX,
					       .count = row->count,
					       .flops = row->flops,
					       .at = i,
					       .of_device = row->is == TS_TORCH_DEVICE};
		t->shapeless |= row->shapeless;
	}
	for (size_t i = 0; i < s->n; i++) {
		if (!ts_trace_on_device(s->kind[i]))
			continue;
		add_ns(&t->right_ns, (uint64_t)s->duration_ns[i]);
		add_ns(&t->right[right_bucket(t->trace, i)], (uint64_t)s->duration_ns[i]);
	}
	return TS_OK;
}

static int longest(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return (a->at > b->at) - (a->at < b->at);
}

static bool is_step(const struct row *row)
{
	return ts_peer_has(row->name, "profilerstep", true);
}

static void add_up(struct table *t)
{
	qsort(t->rows, t->n, sizeof *t->rows, longest);
	for (size_t i = 0; i < t->n; i++) {
		struct row *row = &t->rows[i];

		if (is_step(row))
			continue;
		row->bucket = bucket_of(row->name);
		add_ns(&t->ns, row->ns);
		add_ns(&t->flops, row->flops);
		add_ns(&t->buckets[row->bucket], row->ns);
	}
}

/* --- what it prints --- */

struct printing {
	struct ts_peer_page *page;
	const struct table *t;
	double peak, right_peak; /* TFLOP/s, of its table and dense; 0: not known */
};

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* It divides by at least a microsecond. */
static double percent(uint64_t part, uint64_t whole)
{
	return 100 * (double)part / (double)(whole < 1000 ? 1000 : whole);
}

static double tflops(uint64_t flops, uint64_t ns)
{
	return ns ? (double)flops / seconds(ns) / 1e12 : 0;
}

/* A bucket is wrong by names if it has too little, or more than its rows count again. */
static const char *why(const struct table *t, enum bucket b)
{
	uint64_t kernels = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].of_device && t->rows[i].bucket == b && !is_step(&t->rows[i]))
			add_ns(&kernels, t->rows[i].ns);
	return kernels == t->right[b] ? "twice" : "name";
}

static void bucket_numbers(const struct printing *p, enum bucket b)
{
	const struct table *t = p->t;

	ts_peer_number(p->page, "time_s", TS_FORM_SECONDS_3, seconds(t->buckets[b]), seconds(t->right[b]), why(t, b));
	ts_peer_number(p->page, "percent", TS_FORM_PERCENT, percent(t->buckets[b], t->ns), percent(t->right[b], t->right_ns),
		       why(t, b));
}

static void flops_numbers(const struct printing *p)
{
	const struct table *t = p->t;

	if (t->shapeless)
		ts_peer_unknown(p->page, "flops_tflop", TS_FORM_NUMBER, (double)t->flops / 1e12, "shapes");
}

static void achieved_numbers(const struct printing *p)
{
	const struct table *t = p->t;

	ts_peer_number(p->page, "achieved_tflops", TS_FORM_NUMBER, tflops(t->flops, t->ns), tflops(t->flops, t->right_ns), "twice");
}

static double efficiency(const struct printing *p, uint64_t ns, double peak)
{
	return 100 * tflops(p->t->flops, ns) / peak;
}

static void peak_number(const struct printing *p)
{
	ts_peer_number(p->page, "peak_tflops", TS_FORM_COUNT, p->peak, p->right_peak, "peak");
}

static void efficiency_numbers(const struct printing *p)
{
	ts_peer_number(p->page, "efficiency_percent", TS_FORM_PERCENT, efficiency(p, p->t->ns, p->peak),
		       efficiency(p, p->t->right_ns, p->right_peak), "twice");
}

static void total_numbers(const struct printing *p)
{
	ts_peer_number(p->page, "time_s", TS_FORM_SECONDS_3, seconds(p->t->ns), seconds(p->t->right_ns), "twice");
}

static void title(const struct printing *p, const char *text)
{
	static const char half[] = "==================================================";

	ts_peer_gap(p->page);
	ts_peer_line(p->page, "%s%s", half, half);
	ts_peer_line(p->page, "%s", text);
	ts_peer_line(p->page, "%s%s", half, half);
}

/* The profiler's own tables, behind each of which stands an empty line. */
static void tables(const struct printing *p)
{
	title(p, "TOP CUDA KERNELS (by total CUDA time)");
	ts_torch_table(p->page, &p->t->torch, TS_TORCH_BY_DEVICE, TABLE_TOP);
	ts_peer_gap(p->page);
	title(p, "TOP CUDA KERNELS (by FLOPS)");
	ts_torch_table(p->page, &p->t->torch, TS_TORCH_BY_FLOPS, TOP);
	ts_peer_gap(p->page);
}

static void breakdown(const struct printing *p)
{
	static const char *const words[BUCKETS] = {"MatMul/GEMM:  ", "Communication:", "Memory ops:   ", "Other kernels:"};
	const struct table *t = p->t;

	title(p, "AGGREGATE GPU TIME BREAKDOWN");
	total_numbers(p);
	ts_peer_line(p->page, "  Total CUDA time:    %.3f s", seconds(t->ns));
	for (int b = 0; b < BUCKETS; b++) {
		bucket_numbers(p, (enum bucket)b);
		ts_peer_line(p->page, "  %s      %.3f s (%.1f%%)", words[b], seconds(t->buckets[b]), percent(t->buckets[b], t->ns));
	}
	flops_numbers(p);
	ts_peer_line(p->page, "  Total FLOPS:        %.2f TFLOP", (double)t->flops / 1e12);
	if (!t->ns)
		return;
	achieved_numbers(p);
	ts_peer_line(p->page, "  Achieved TFLOPS:    %.1f", tflops(t->flops, t->ns));
	if (!(p->peak > 0))
		return;
	peak_number(p);
	ts_peer_line(p->page, "  GPU peak (bf16):    %.0f TFLOPS", p->peak);
	efficiency_numbers(p);
	ts_peer_line(p->page, "  Kernel efficiency:  %.1f%%", efficiency(p, t->ns, p->peak));
}

/* --- summary.md --- */

/* "2026-04-07 04:28", in UTC, of the end of the recording (Howard Hinnant's days from the civil calendar, backwards). */
static const char *date(const struct printing *p, const struct ts_trace_answer *a)
{
	int64_t ns = 0, minutes, days, era, year;
	uint64_t of_era, year_of_era, of_year, month;
	const char *text;

	if (!a->lines.all.events || __builtin_add_overflow(a->base_ns, a->lines.all.end_ns, &ns) || ns < INT64_C(100000000000000000))
		return "(the trace has no date)";
	minutes = ns / INT64_C(60000000000);
	days = minutes / 1440 + 719468;
	era = days / 146097;
	of_era = (uint64_t)(days - era * 146097);
	year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	month = (5 * of_year + 2) / 153;
	year = (int64_t)year_of_era + era * 400 + (month >= 10);
	text = ts_arena_printf(p->page->arena, "%04" PRId64 "-%02" PRIu64 "-%02" PRIu64 " %02" PRId64 ":%02" PRId64, year,
			       month < 10 ? month + 3 : month - 9, of_year - (153 * month + 2) / 5 + 1, minutes % 1440 / 60,
			       minutes % 60);
	p->page->failed |= !text;
	return text ? text : "";
}

static void head(const struct printing *p, const struct ts_trace_answer *a, const char *folder)
{
	struct ts_span device = a->device_name;

	ts_peer_gap(p->page);
	ts_peer_line(p->page, "# Profiling Summary");
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "**Date**: %s", date(p, a));
	ts_peer_line(p->page, "**GPU**: %.*s", TS_SPAN_ARG(device.len ? device : ts_span_str("unknown")));
	ts_peer_line(p->page, "**Traces**: `%s/`", folder);
	ts_peer_gap(p->page);
}

static void markdown_breakdown(const struct printing *p)
{
	static const char *const words[BUCKETS] = {"MatMul/GEMM", "Communication (NCCL)", "Memory ops", "Other kernels"};
	const struct table *t = p->t;

	ts_peer_line(p->page, "## GPU Time Breakdown");
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "| Category | Time (s) | %% |");
	ts_peer_line(p->page, "|----------|--------:|---:|");
	for (int b = 0; b < BUCKETS; b++) {
		bucket_numbers(p, (enum bucket)b);
		ts_peer_line(p->page, "| %s | %.3f | %.1f |", words[b], seconds(t->buckets[b]), percent(t->buckets[b], t->ns));
	}
	total_numbers(p);
	ts_peer_line(p->page, "| **Total** | **%.3f** | **100.0** |", seconds(t->ns));
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "## Efficiency");
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "| Metric | Value |");
	ts_peer_line(p->page, "|--------|------:|");
	flops_numbers(p);
	ts_peer_line(p->page, "| Total FLOPS | %.2f TFLOP |", (double)t->flops / 1e12);
	achieved_numbers(p);
	ts_peer_line(p->page, "| Achieved TFLOPS | %.1f |", tflops(t->flops, t->ns));
	if (p->peak > 0) {
		peak_number(p);
		ts_peer_line(p->page, "| GPU peak (bf16) | %.0f TFLOPS |", p->peak);
		efficiency_numbers(p);
		ts_peer_line(p->page, "| Kernel efficiency | %.1f%% |", efficiency(p, t->ns, p->peak));
	} else {
		ts_peer_line(p->page, "| GPU peak (bf16) | by its compute capability TFLOPS |");
	}
	ts_peer_gap(p->page);
}

/* Names of more than 60 characters are cut to 57 and three points. */
static const char *cut_name(struct ts_peer_page *page, struct ts_span name)
{
	size_t characters = 0;
	const char *text;

	for (size_t i = 0; i < name.len; i++)
		characters += (name.data[i] & 0xc0) != 0x80;
	text = ts_arena_printf(page->arena, "%s%s", ts_peer_cell(page, name, characters > 60 ? 57 : SIZE_MAX, 0),
			       characters > 60 ? "..." : "");
	page->failed |= !text;
	return text ? text : "";
}

static void kernel_line(const struct printing *p, const struct row *row)
{
	const char *flops = row->flops ? ts_arena_printf(p->page->arena, "%.1f", (double)row->flops / 1e9) : "—";
	double share = percent(row->ns, p->t->ns);

	p->page->failed |= !flops;
	ts_peer_number(p->page, "time_ms", TS_FORM_MS, (double)row->ns / 1e6, row->of_device ? (double)row->ns / 1e6 : 0, "twice");
	ts_peer_number(p->page, "percent", TS_FORM_PERCENT, share, row->of_device ? percent(row->ns, p->t->right_ns) : 0, "twice");
	ts_peer_line(p->page, "| %s | %.1f | %.1f | %" PRIu64 " | %s |", cut_name(p->page, row->name), (double)row->ns / 1e6, share,
		     row->count, flops ? flops : "");
}

/* It takes the first 20 rows and leaves steps out of those. */
static void kernels(const struct printing *p, const char *folder)
{
	ts_peer_line(p->page, "## Top CUDA Kernels");
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "| Kernel | CUDA (ms) | %% | Calls | GFLOPS |");
	ts_peer_line(p->page, "|--------|----------:|---:|------:|-------:|");
	for (size_t i = 0; i < p->t->n && i < TOP; i++)
		if (!is_step(&p->t->rows[i]))
			kernel_line(p, &p->t->rows[i]);
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "## Viewing Traces");
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "Load the `.json` trace files in [Perfetto UI](https://ui.perfetto.dev/) or TensorBoard:");
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "```bash");
	ts_peer_line(p->page, "tensorboard --logdir %s", folder);
	ts_peer_line(p->page, "```");
}

/* Its table of peaks, in its order: the first name that is in the device's. Two of them are twice the dense figure, and H100 comes
 * before H100 PCIe. */
static void find_peak(struct ts_span device, struct printing *p)
{
	static const struct {
		const char *name;
		double theirs, right;
	} peaks[] = {
		{"H200", 989, 989}, {"H100", 989, 989}, {"H800", 989, 989},	{"A100", 312, 312},
		{"A10G", 125, 125}, {"L40S", 362, 362}, {"RTX 4090", 330, 165}, {"RTX 3090", 142, 71},
	};

	for (size_t i = 0; i < sizeof peaks / sizeof peaks[0] && !(p->peak > 0); i++) {
		if (!ts_peer_has(device, peaks[i].name, false))
			continue;
		p->peak = peaks[i].theirs;
		p->right_peak = ts_peer_has(device, "H100 PCIe", false) ? 756 : peaks[i].right;
	}
}

enum ts_status ts_kempner(const struct ts_trace *trace, const struct ts_trace_answer *answer, const char *folder,
			  struct ts_arena *arena, struct ts_peer_answer *ret, struct ts_error *err)
{
	struct table t = {.trace = trace, .arena = arena};
	struct ts_peer_page page = {.arena = arena};
	struct printing p = {&page, &t, 0, 0};

	if (gather(&t, answer->lines.all.busy_ns, err))
		return err->status;
	find_peak(answer->device_name, &p);
	add_up(&t);
	tables(&p);
	breakdown(&p);
	head(&p, answer, folder);
	markdown_breakdown(&p);
	kernels(&p, folder);
	return ts_peer_page_end(&page, "kempner", ret, err);
}
