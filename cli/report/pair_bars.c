#include "cli/report/pair_bars.h"

#include "base/order.h"
#include "cli/report/page.h"
#include "cli/report/svg.h"

#include <math.h>

enum { COLOURS = 12, OTHERS = 6 /* grey */, DRAWN = 9 };

static double above_zero(double x)
{
	return isfinite(x) && x > 0 ? x : 0;
}

static double larger(const struct ts_pair_part *p)
{
	return fmax(above_zero(p->a), above_zero(p->b));
}

TS_ORDER(largest_first, struct ts_pair_part, TS_DOWN_OF(larger))

/* The parts that are drawn: the largest, and one of all others. Returns how many. */
static size_t choose(const struct ts_pair_part *parts, size_t n, struct ts_pair_part *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (larger(&parts[i]) > 0)
			out[kept++] = parts[i];
	TS_SORT(out, kept, largest_first);
	for (size_t i = DRAWN + 1; i < kept; i++) {
		out[DRAWN].a = above_zero(out[DRAWN].a) + above_zero(out[i].a);
		out[DRAWN].b = above_zero(out[DRAWN].b) + above_zero(out[i].b);
	}
	if (kept <= DRAWN + 1)
		return kept;
	out[DRAWN].label = "all others";
	out[DRAWN].colour = OTHERS;
	return DRAWN + 1;
}

static void colour(struct ts_pair_part *parts, size_t n)
{
	bool taken[COLOURS] = {[OTHERS] = true};
	int next = 0;

	for (size_t i = 0; i < n; i++)
		if (parts[i].colour >= 0 && parts[i].colour < COLOURS)
			taken[parts[i].colour] = true;
	for (size_t i = 0; i < n; i++) {
		if (parts[i].colour >= 0)
			continue;
		while (next < COLOURS && taken[next])
			next++;
		parts[i].colour = next < COLOURS ? next++ : OTHERS;
	}
}

static double sum_of(const struct ts_pair_part *parts, size_t n, bool b)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += above_zero(b ? parts[i].b : parts[i].a);
	return sum;
}

static void bar(struct ts_buf *out, const struct ts_pair_part *parts, size_t n, bool b, double whole, ts_pair_say *say,
		struct ts_arena *arena)
{
	struct ts_svg_part *drawn = ts_arena_array(arena, n, sizeof *drawn);
	const char *sum = say(sum_of(parts, n, b), arena), *name = b ? "B" : "A";
	const char *title = ts_arena_printf(arena, "%s, %s", name, sum ? sum : "");

	for (size_t i = 0; drawn && i < n; i++) {
		double value = above_zero(b ? parts[i].b : parts[i].a);
		const char *text = say(value, arena);

		drawn[i] = (struct ts_svg_part){.label = parts[i].label,
						.share = value / whole,
						.colour = parts[i].colour,
						.text = ts_arena_printf(arena, "%s: %s", parts[i].label, text ? text : "")};
	}
	if (!drawn)
		return;
	ts_page_element(out, "<p class=\"dim\">", title, "</p>\n");
	ts_svg_parts(out, drawn, n, title ? title : name);
}

void ts_pair_bars(struct ts_buf *out, const char *title, const struct ts_pair_part *parts, size_t n, ts_pair_say *say,
		  struct ts_arena *arena)
{
	struct ts_pair_part *drawn = ts_arena_array(arena, n, sizeof *drawn);
	size_t kept = drawn ? choose(parts, n, drawn) : 0;
	double whole = kept ? fmax(sum_of(drawn, kept, false), sum_of(drawn, kept, true)) : 0;

	if (!kept || !(whole > 0))
		return;
	colour(drawn, kept);
	ts_page_element(out, "<div class=\"figures whole\"><figure><figcaption>", title, "</figcaption>\n");
	bar(out, drawn, kept, false, whole, say, arena);
	bar(out, drawn, kept, true, whole, say, arena);
	ts_buf_str(out, "<div class=\"key\">");
	for (size_t i = 0; i < kept; i++) {
		const char *a = say(above_zero(drawn[i].a), arena), *b = say(above_zero(drawn[i].b), arena);

		ts_buf_printf(out, "<span><i class=\"p%d\"></i>", drawn[i].colour);
		ts_page_element(out, "", drawn[i].label, ": ");
		ts_page_element(out, "", a, ", ");
		ts_page_element(out, "", b, "</span>\n");
	}
	ts_buf_str(out, "</div></figure></div>\n");
}
