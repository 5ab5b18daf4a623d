#include "analysis/peers/axolotl_trace.h"

#include "analysis/peers/axolotl_sums.h"

enum { TOP_KERNELS = 15, TOP_FILLS = 10, RECOMMENDED = 3 };

struct printing {
	struct ts_peer_page *page;
	const struct ts_axolotl_sums *sums;
	const struct ts_trace_answer *answer;
};

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static double percent(double part, double whole)
{
	return part / whole * 100;
}

static double right_percent(uint64_t part, uint64_t whole)
{
	return whole ? percent((double)part, (double)whole) : 0;
}

/* Why a number over the events behind the cut is wrong. */
static const char *cut_or(const struct printing *p, const char *why)
{
	return p->sums->cut ? "cut" : why;
}

/* A number of each step: theirs is of the steps that it guessed. */
static void per_step(const struct printing *p, const char *what, enum ts_peer_form form, double theirs, double right)
{
	const struct ts_axolotl_sums *s = p->sums;

	if (!s->has_steps)
		ts_peer_unknown(p->page, what, form, theirs, "steps");
	else
		ts_peer_number(p->page, what, form, theirs, right / (double)s->right_steps,
			       s->steps == s->right_steps ? cut_or(p, "twice") : "steps");
}

static void steps(const struct printing *p)
{
	if (p->sums->has_steps)
		ts_peer_number(p->page, "steps", TS_FORM_COUNT, (double)p->sums->steps, (double)p->sums->right_steps, "steps");
	else
		ts_peer_unknown(p->page, "steps", TS_FORM_COUNT, (double)p->sums->steps, "steps");
}

/* --- the tables --- */

static void totals(const struct printing *p)
{
	const struct ts_axolotl_sums *s = p->sums;
	double n = (double)s->steps, busy = (double)p->answer->lines.all.busy_ns / 1e9;

	ts_peer_gap(p->page);
	ts_peer_number(p->page, "device_s", TS_FORM_SECONDS, s->total_us / 1e6, busy, cut_or(p, "twice"));
	steps(p);
	per_step(p, "device_per_step_s", TS_FORM_SECONDS, s->total_us / n / 1e6, busy);
	ts_peer_line(p->page, "  CUDA kernel time: %.2fs over %" PRIu64 " steps (~%.2fs/step)", s->total_us / 1e6, s->steps,
		     s->total_us / n / 1e6);
	if (!(s->wall_us > 0 || s->wall_us < 0))
		return;
	ts_peer_number(p->page, "wall_s", TS_FORM_SECONDS, s->wall_us / 1e6, (double)s->wall_ns / 1e9, cut_or(p, "rounding"));
	per_step(p, "wall_per_step_s", TS_FORM_SECONDS, s->wall_us / n / 1e6, (double)s->wall_ns / 1e9);
	ts_peer_line(p->page, "  Wall clock span:  %.2fs over %" PRIu64 " steps (~%.2fs/step)", s->wall_us / 1e6, s->steps,
		     s->wall_us / n / 1e6);
}

/* A category is wrong by its name if its kernels are others, else by the cut, or because no memset is seen. */
static const char *why_category(const struct printing *p, const struct ts_axolotl_sum *c)
{
	bool memory = c == &p->sums->categories[TS_AXOLOTL_MEMORY];

	if (c->right_count < c->count)
		return "name";
	return p->sums->cut ? "cut" : memory ? "unseen" : "name";
}

static void category(const struct printing *p, int i)
{
	const struct ts_axolotl_sum *c = &p->sums->categories[i];
	const char *why = why_category(p, c), *word = ts_axolotl_category_word(i);
	double per = c->us / (double)p->sums->steps / 1000;

	ts_peer_number(p->page, "total_ms", TS_FORM_MS, c->us / 1000, ms(c->right_ns), why);
	ts_peer_number(p->page, "percent", TS_FORM_PERCENT, percent(c->us, p->sums->total_us),
		       right_percent(c->right_ns, p->sums->work_ns), why);
	ts_peer_number(p->page, "count", TS_FORM_COUNT, (double)c->count, (double)c->right_count, why);
	per_step(p, "per_step_ms", TS_FORM_MS, per, ms(c->right_ns));
	ts_peer_line(p->page, "  %s %8.1fms %5.1f%% %7" PRIu64 " %7.1fms", ts_peer_cell(p->page, ts_span_str(word), SIZE_MAX, 40),
		     c->us / 1000, percent(c->us, p->sums->total_us), c->count, per);
}

/* What it does not print at all. */
static void missed_category(const struct printing *p, int i)
{
	const struct ts_axolotl_sum *c = &p->sums->categories[i];

	ts_peer_number(p->page, "total_ms", TS_FORM_MS, 0, ms(c->right_ns), "name");
	ts_peer_number(p->page, "percent", TS_FORM_PERCENT, 0, right_percent(c->right_ns, p->sums->work_ns), "name");
	ts_peer_number(p->page, "count", TS_FORM_COUNT, 0, (double)c->right_count, "name");
	ts_peer_line(p->page, "  %s   (no row)", ts_peer_cell(p->page, ts_span_str(ts_axolotl_category_word(i)), SIZE_MAX, 40));
}

/* Its categories, the longest first; of equal ones the one that it met first. */
static void sorted_categories(const struct ts_axolotl_sums *s, int *order)
{
	for (size_t i = 0; i < s->n_order; i++) {
		size_t at = i;

		for (; at && s->categories[order[at - 1]].us < s->categories[s->order[i]].us; at--)
			order[at] = order[at - 1];
		order[at] = s->order[i];
	}
}

static void categories(const struct printing *p)
{
	int order[TS_AXOLOTL_CATEGORIES];

	sorted_categories(p->sums, order);
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "  %-40s %9s %6s %7s %9s", "Category", "Total", "%", "Count", "Per step");
	ts_peer_line(p->page, "  ---------------------------------------------------------------------------");
	for (size_t i = 0; i < p->sums->n_order; i++)
		category(p, order[i]);
	for (int i = 0; i < TS_AXOLOTL_CATEGORIES; i++)
		if (!p->sums->categories[i].seen && p->sums->categories[i].right_count)
			missed_category(p, i);
}

static bool kernels(const struct printing *p)
{
	const struct ts_axolotl_sum **rows = ts_axolotl_sorted(p->sums->kernels, p->sums->n_seen, p->page->arena);

	if (!rows)
		return false;
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "  Top 15 individual kernels:");
	for (size_t i = 0; i < p->sums->n_seen && i < TOP_KERNELS; i++) {
		const struct ts_axolotl_sum *k = rows[i];
		double share = percent(k->us, p->sums->total_us), mean = k->us / (double)k->count / 1000;

		ts_peer_number(p->page, "total_ms", TS_FORM_MS, k->us / 1000, ms(k->right_ns), "cut");
		ts_peer_number(p->page, "percent", TS_FORM_PERCENT, share, right_percent(k->right_ns, p->sums->work_ns),
			       cut_or(p, "unseen"));
		ts_peer_number(p->page, "count", TS_FORM_COUNT, (double)k->count, (double)k->right_count, "cut");
		ts_peer_number(p->page, "mean_ms", TS_FORM_MS_3, mean, ms(k->right_ns) / (double)k->right_count, "cut");
		ts_peer_line(p->page, "    %s %7.1fms (%4.1f%%) x%-5" PRIu64 " avg=%.3fms", ts_peer_cell(p->page, k->name, 62, 62),
			     k->us / 1000, share, k->count, mean);
	}
	return true;
}

/* --- fills --- */

/* A list of Python has a space behind each comma. */
static struct ts_span as_list(struct ts_peer_page *page, struct ts_span json)
{
	struct ts_span out = {.len = 0};
	uint8_t *text = ts_arena_alloc(page->arena, 2 * json.len + 1);

	if (!text) {
		page->failed = true;
		return json;
	}
	out.data = text;
	for (size_t i = 0; i < json.len; i++) {
		text[out.len++] = json.data[i];
		if (json.data[i] == ',')
			text[out.len++] = ' ';
	}
	return out;
}

static struct ts_span dims(struct ts_peer_page *page, struct ts_span shapes)
{
	return shapes.len ? as_list(page, shapes) : ts_span_str("unknown");
}

/* Those of the operators that launched them, which it does not look for. */
static void right_fills(const struct printing *p)
{
	for (size_t i = 0; i < p->sums->n_right_fills && i < TOP_FILLS; i++) {
		const struct ts_axolotl_sum *f = &p->sums->right_fills[i];

		ts_peer_number(p->page, "total_ms", TS_FORM_MS, 0, ms(f->right_ns), "shapes");
		ts_peer_number(p->page, "count", TS_FORM_COUNT, 0, (double)f->right_count, "shapes");
		ts_peer_line(p->page, "    %s   (no row)", ts_peer_cell(p->page, dims(p->page, f->name), 50, 50));
	}
}

static double fill_us(const struct ts_axolotl_sums *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n_fills; i++)
		sum += s->fills[i].us;
	return sum;
}

/* It counts as fills what has "fill" anywhere in its name, and no memset. */
static const char *why_fills(const struct printing *p)
{
	return fill_us(p->sums) / 1000 > ms(p->sums->fill_ns) ? "name" : cut_or(p, "unseen");
}

static bool fills(const struct printing *p)
{
	const struct ts_axolotl_sums *s = p->sums;
	const struct ts_axolotl_sum **rows = ts_axolotl_sorted(s->fills, s->n_fills, p->page->arena);
	double sum = fill_us(s), share = percent(sum, s->total_us);

	if (!rows)
		return false;
	if (!(sum > 0))
		return true;
	ts_peer_gap(p->page);
	ts_peer_number(p->page, "fills_ms", TS_FORM_MS, sum / 1000, ms(s->fill_ns), why_fills(p));
	ts_peer_number(p->page, "fills_percent", TS_FORM_PERCENT, share, right_percent(s->fill_ns, s->work_ns), why_fills(p));
	ts_peer_line(p->page, "  Fill/zero_ kernel breakdown by tensor size (total: %.1fms, %.1f%% of CUDA time):", sum / 1000, share);
	ts_peer_line(p->page, "    %-50s %9s %7s", "Input Dims", "Time", "Count");
	ts_peer_line(p->page, "    ----------------------------------------------------------------------");
	for (size_t i = 0; i < s->n_fills && i < TOP_FILLS; i++)
		ts_peer_line(p->page, "    %s %7.1fms %7" PRIu64, ts_peer_cell(p->page, dims(p->page, rows[i]->name), 50, 50),
			     rows[i]->us / 1000, rows[i]->count);
	right_fills(p);
	return true;
}

/* --- the host --- */

static bool copies(const struct printing *p)
{
	const struct ts_axolotl_sums *s = p->sums;
	const struct ts_axolotl_sum **rows = ts_axolotl_sorted(s->copies, s->n_copies, p->page->arena);
	uint64_t bytes = 0;
	double sum = 0;

	if (!rows)
		return false;
	for (size_t i = 0; i < s->n_copies; i++) {
		sum += s->copies[i].us;
		bytes += s->copies[i].right_bytes;
	}
	if (!s->n_copies)
		return true;
	ts_peer_gap(p->page);
	ts_peer_number(p->page, "copies_s", TS_FORM_SECONDS_3, sum / 1e6, (double)s->copy_union_ns / 1e9, "twice");
	ts_peer_number(p->page, "copied_gb", TS_FORM_GB, 0, (double)bytes / 1e9, "bytes");
	ts_peer_number(p->page, "percent", TS_FORM_PERCENT, percent(sum, s->all_wall_us),
		       percent((double)s->copy_union_ns / 1000, s->all_wall_us), "twice");
	ts_peer_line(p->page, "  Memory transfers: %.3fs (%.2fGB, %.1f%% of wall)", sum / 1e6, 0.0, percent(sum, s->all_wall_us));
	for (size_t i = 0; i < s->n_copies; i++) {
		ts_peer_number(p->page, "copied_gb", TS_FORM_GB, 0, (double)rows[i]->right_bytes / 1e9, "bytes");
		ts_peer_line(p->page, "    %s %.3fs  x%5" PRIu64 "  %.2fGB", ts_peer_cell(p->page, rows[i]->name, SIZE_MAX, 30),
			     rows[i]->us / 1e6, rows[i]->count, 0.0);
	}
	return true;
}

/* All of it is of the whole trace, but for the steps, which are counted behind the cut. */
static bool host(const struct printing *p, const char *label)
{
	const struct ts_axolotl_sums *s = p->sums;
	double wall = s->all_wall_us, n = (double)s->steps, busy_us = (double)p->answer->lines.all.busy_ns / 1000;
	double used = wall > 0 ? percent(s->kernel_us, wall) : 0, right = wall > 0 ? percent(busy_us, wall) : 0;

	ts_peer_heading(p->page, "CPU Overhead: ", label);
	ts_peer_gap(p->page);
	if (s->has_steps)
		ts_peer_number(p->page, "wall_per_step_s", TS_FORM_SECONDS, wall / n / 1e6, wall / (double)s->right_steps / 1e6,
			       "steps");
	else
		ts_peer_unknown(p->page, "wall_per_step_s", TS_FORM_SECONDS, wall / n / 1e6, "steps");
	ts_peer_line(p->page, "  Wall clock:       %.2fs (~%.2fs/step)", wall / 1e6, wall / n / 1e6);
	ts_peer_number(p->page, "kernels_s", TS_FORM_SECONDS, s->kernel_us / 1e6, (double)s->kernel_union_ns / 1e9, "twice");
	ts_peer_line(p->page, "  CUDA kernel time: %.2fs (%s kernels)", s->kernel_us / 1e6, ts_peer_grouped(p->page, s->kernel_count));
	ts_peer_number(p->page, "percent", TS_FORM_PERCENT, used, right, used > right ? "twice" : "unseen");
	ts_peer_line(p->page, "  GPU utilization:  %.1f%%", used);
	ts_peer_number(p->page, "idle_s", TS_FORM_SECONDS, (wall - s->kernel_us) / 1e6, (wall - busy_us) / 1e6,
		       used > right ? "twice" : "unseen");
	ts_peer_number(p->page, "percent", TS_FORM_PERCENT, 100 - used, 100 - right, used > right ? "twice" : "unseen");
	ts_peer_line(p->page, "  CPU overhead:     %.2fs (%.1f%%)", (wall - s->kernel_us) / 1e6, 100 - used);
	if (!copies(p))
		return false;
	if (!s->checkpoint.count)
		return true;
	ts_peer_gap(p->page);
	ts_peer_number(p->page, "checkpoint_s", TS_FORM_SECONDS_3, s->checkpoint.us / 1e6, (double)s->checkpoint.right_ns / 1e9,
		       "nested");
	ts_peer_line(p->page, "  Gradient checkpoint CPU ops: %.3fs (x%" PRIu64 ")", s->checkpoint.us / 1e6, s->checkpoint.count);
	return true;
}

/* --- the summary --- */

struct recommending {
	const struct printing *p;
	int n;
};

/* The page takes the sentence if it is one of the first three; its number is that of the line. */
static void recommend(struct recommending *r, enum ts_peer_form form, double theirs, double right, const char *why, const char *text)
{
	if (++r->n > RECOMMENDED)
		return;
	ts_peer_number(r->p->page, "percent", form, theirs, right, why);
	ts_peer_line(r->p->page, "    %d. %s", r->n, text ? text : "");
	r->p->page->failed |= !text;
}

static const char *about_top(struct ts_arena *arena, const char *word, double share)
{
	if (ts_peer_has(ts_span_str(word), "GEMM", false))
		return ts_arena_printf(
			arena,
			"GEMM/matmul dominates (%.0f%%). Consider FP8 training, LoRA (fewer params), or smaller batch size to "
			"reduce compute.",
			share);
	if (ts_peer_has(ts_span_str(word), "Attention", false))
		return ts_arena_printf(
			arena,
			"Attention dominates (%.0f%%). Ensure FlashAttention v2/v3 is active. Consider reducing sequence length "
			"or using sliding window.",
			share);
	if (ts_peer_has(ts_span_str(word), "Fill", false))
		return ts_arena_printf(arena,
				       "Elementwise/Fill ops dominate (%.0f%%). Enable kernel fusion (Liger, torch.compile) to reduce "
				       "memory-bound elementwise operations.",
				       share);
	if (ts_peer_has(ts_span_str(word), "ScatterMoE", false))
		return ts_arena_printf(
			arena,
			"MoE routing/scatter dominates (%.0f%%). Check expert count and capacity factor. Verify ScatterMoE "
			"kernels are using optimal block sizes.",
			share);
	return ts_arena_printf(arena, "'%s' dominates (%.0f%%). Focus optimization efforts here first.", word, share);
}

static void recommendations(const struct printing *p)
{
	const struct ts_axolotl_sums *s = p->sums;
	struct ts_arena *arena = p->page->arena;
	struct recommending r = {p, 0};
	int order[TS_AXOLOTL_CATEGORIES];
	double share, busy = (double)p->answer->lines.all.busy_ns / 1000;

	sorted_categories(s, order);
	for (size_t i = 0; i < s->n_order; i++) {
		const struct ts_axolotl_sum *c = &s->categories[order[i]];
		const char *word = ts_axolotl_category_word(order[i]);

		share = percent(c->us, s->total_us);
		if (i == 0 && share > 30)
			recommend(&r, TS_FORM_PERCENT_0, share, right_percent(c->right_ns, s->work_ns), why_category(p, c),
				  about_top(arena, word, share));
	}
	for (size_t i = 0; i < s->n_order; i++) {
		const struct ts_axolotl_sum *c = &s->categories[order[i]];

		share = percent(c->us, s->total_us);
		if (ts_peer_has(ts_span_str(ts_axolotl_category_word(order[i])), "Memory", false) && share > 10)
			recommend(&r, TS_FORM_PERCENT_0, share, right_percent(c->right_ns, s->work_ns), why_category(p, c),
				  ts_arena_printf(
					  arena,
					  "Memory ops are %.0f%% of CUDA time. Consider gradient checkpointing, reducing activation "
					  "recomputation, or pinned memory for data loading.",
					  share));
	}
	share = percent(fill_us(s), s->total_us);
	if (share > 5)
		recommend(&r, TS_FORM_PERCENT, share, right_percent(s->fill_ns, s->work_ns), why_fills(p),
			  ts_arena_printf(arena,
					  "Fill/zero_ kernels consume %.1f%% of CUDA time. Large zero-fills suggest excessive tensor "
					  "allocation. Consider reusing buffers or lazy initialization.",
					  share));
	share = s->wall_us > 0 ? percent(s->total_us, s->wall_us) : 100;
	if (share < 50)
		recommend(&r, TS_FORM_PERCENT_0, share, s->wall_ns ? percent(busy, (double)s->wall_ns / 1000) : 0, cut_or(p, "twice"),
			  ts_arena_printf(
				  arena,
				  "GPU utilization is ~%.0f%% (CUDA time vs wall clock). CPU-side bottleneck likely. Profile data "
				  "loading, reward computation, or weight sync overhead.",
				  share));
	if (!r.n)
		ts_peer_line(p->page, "    No major issues detected.");
}

static void summary(const struct printing *p)
{
	const struct ts_axolotl_sums *s = p->sums;
	double n = (double)s->steps;

	ts_peer_heading(p->page, "SUMMARY & RECOMMENDATIONS", "");
	ts_peer_gap(p->page);
	if (s->wall_us > 0) {
		per_step(p, "wall_per_step_s", TS_FORM_SECONDS, s->wall_us / n / 1e6, (double)s->wall_ns / 1e9);
		ts_peer_line(p->page, "  Estimated per-step wall clock: %.2fs", s->wall_us / n / 1e6);
	} else {
		per_step(p, "device_per_step_s", TS_FORM_SECONDS, s->total_us / n / 1e6, (double)p->answer->lines.all.busy_ns / 1e9);
		ts_peer_line(p->page, "  Estimated per-step CUDA time:  %.2fs", s->total_us / n / 1e6);
	}
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "  Top optimization recommendations:");
	recommendations(p);
	ts_peer_gap(p->page);
}

/* --- one trace --- */

/* False: there is nothing more to print, or no memory. */
static bool tables(const struct printing *p, const char *label)
{
	const struct ts_axolotl_sums *s = p->sums;

	if (!s->seen_events) {
		ts_peer_number(p->page, "events", TS_FORM_COUNT, 0, (double)p->answer->lines.all.events, "unseen");
		ts_peer_line(p->page, "  No CUDA kernel events found!");
		return false;
	}
	if (s->cut) {
		ts_peer_number(p->page, "events", TS_FORM_COUNT, (double)s->events, (double)p->answer->lines.all.events, "cut");
		ts_peer_line(p->page, "  Excluding step 0 (warmup): %s -> %s events", ts_peer_grouped(p->page, s->before_cut),
			     ts_peer_grouped(p->page, s->events));
	}
	ts_peer_heading(p->page, "Trace: ", label);
	totals(p);
	if (s->total_us > 0) {
		categories(p);
		return kernels(p) && fills(p);
	}
	ts_peer_gap(p->page);
	ts_peer_line(p->page, "  %-40s %9s %6s %7s %9s", "Category", "Total", "%", "Count", "Per step");
	ts_peer_line(p->page, "  ---------------------------------------------------------------------------");
	ts_peer_line(p->page, "  (it stops here with a division by zero: the events take no time)");
	return false;
}

enum ts_status ts_axolotl_trace(const struct ts_trace *trace, const struct ts_trace_answer *answer, const char *label,
				struct ts_arena *arena, struct ts_peer_answer *ret, struct ts_error *err)
{
	struct ts_axolotl_sums *sums = ts_arena_array(arena, 1, sizeof *sums);
	struct ts_peer_page page = {.arena = arena};
	const struct printing p = {&page, sums, answer};

	if (!sums)
		return ts_arena_error(arena, err);
	if (ts_axolotl_sums(trace, answer, arena, sums, err))
		return err->status;
	if (tables(&p, label) && host(&p, label))
		summary(&p);
	return ts_peer_page_end(&page, "axolotl", ret, err);
}

/* --- two --- */

/* Right is the time that is busy in a step of the whole trace. */
static void compared_steps(const struct printing *a, const struct printing *b)
{
	double before = a->sums->total_us / (double)a->sums->steps, after = b->sums->total_us / (double)b->sums->steps;
	double right_before = (double)a->answer->lines.all.busy_ns / 1000 / (double)a->sums->right_steps;
	double right_after = (double)b->answer->lines.all.busy_ns / 1000 / (double)b->sums->right_steps;
	bool known = a->sums->has_steps && b->sums->has_steps;
	double change = (after - before) / before * 100;

	per_step(a, "before_s", TS_FORM_SECONDS, before / 1e6, (double)a->answer->lines.all.busy_ns / 1e9);
	per_step(b, "after_s", TS_FORM_SECONDS, after / 1e6, (double)b->answer->lines.all.busy_ns / 1e9);
	if (known && right_before > 0)
		ts_peer_number(a->page, "change_percent", TS_FORM_PERCENT, change, (right_after - right_before) / right_before * 100,
			       "steps");
	else
		ts_peer_unknown(a->page, "change_percent", TS_FORM_PERCENT, change, "steps");
	ts_peer_line(a->page, "  Per-step CUDA time: %.2fs -> %.2fs (%+.1f%%)", before / 1e6, after / 1e6, change);
}

static void compared(const struct printing *a, const struct printing *b, int i)
{
	const struct ts_axolotl_sum *x = &a->sums->categories[i], *y = &b->sums->categories[i];
	double nb = (double)a->sums->steps, na = (double)b->sums->steps, before = x->us / nb, after = y->us / na;
	double times = after > 0 ? before / after : (double)INFINITY;

	if (!(before > a->sums->total_us / nb * 0.003 || after > b->sums->total_us / na * 0.003))
		return;
	per_step(a, "before_ms", TS_FORM_MS, before / 1000, ms(x->right_ns));
	per_step(b, "after_ms", TS_FORM_MS, after / 1000, ms(y->right_ns));
	if (a->sums->has_steps && b->sums->has_steps)
		ts_peer_number(a->page, "delta_ms", TS_FORM_MS, (after - before) / 1000,
			       ms(y->right_ns) / (double)b->sums->right_steps - ms(x->right_ns) / (double)a->sums->right_steps,
			       "steps");
	else
		ts_peer_unknown(a->page, "delta_ms", TS_FORM_MS, (after - before) / 1000, "steps");
	ts_peer_line(a->page, "  %s %9.1fms %9.1fms %+8.1fms %7.2fx",
		     ts_peer_cell(a->page, ts_span_str(ts_axolotl_category_word(i)), SIZE_MAX, 35), before / 1000, after / 1000,
		     (after - before) / 1000, times);
}

static void comparison(const struct printing *a, const struct printing *b)
{
	int order[TS_AXOLOTL_CATEGORIES];

	ts_peer_heading(a->page, "COMPARISON", "");
	ts_peer_gap(a->page);
	compared_steps(a, b);
	ts_peer_gap(a->page);
	ts_peer_line(a->page, "  %-35s %11s %11s %9s %8s", "Category", "Before/step", "After/step", "Delta", "Speedup");
	ts_peer_line(a->page, "  ------------------------------------------------------------------------------");
	sorted_categories(a->sums, order);
	for (size_t i = 0; i < a->sums->n_order; i++)
		compared(a, b, order[i]);
	for (size_t i = 0; i < b->sums->n_order; i++)
		if (!a->sums->categories[b->sums->order[i]].seen)
			compared(a, b, b->sums->order[i]);
}

enum ts_status ts_axolotl_compare(const struct ts_trace *const traces[2], const struct ts_trace_answer *const answers[2],
				  const char *const labels[2], struct ts_arena *arena, struct ts_peer_answer *ret, struct ts_error *err)
{
	struct ts_axolotl_sums *sums = ts_arena_array(arena, 2, sizeof *sums);
	struct ts_peer_page page = {.arena = arena};
	struct printing a = {&page, sums, answers[0]}, b = {&page, NULL, answers[1]};

	if (!sums)
		return ts_arena_error(arena, err);
	b.sums = sums + 1;
	for (int i = 0; i < 2; i++)
		if (ts_axolotl_sums(traces[i], answers[i], arena, &sums[i], err))
			return err->status;
	if (tables(&a, labels[0])) {
		if (tables(&b, labels[1]))
			comparison(&a, &b);
		if (host(&a, labels[0]))
			summary(&a);
	}
	return ts_peer_page_end(&page, "axolotl", ret, err);
}
