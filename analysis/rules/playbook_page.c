/* playbook_page.c - docs/playbook.md, from the tables of fixes. */
#include "analysis/rules/playbook.h"

static const char page_head[] =
	"# The playbook\n\n"
	"What `tscope analyze` advises, against which cause, under which condition, what it costs, and where it is\n"
	"described. `tscope explain --playbook` prints this page from the tables in `analysis/rules/playbook.c`,\n"
	"`condition.c` and `memory_advice.c`, and a test keeps the page equal to that output.\n\n"
	"A fix is named only where the record allows it. Facts say whether its conditions are true: the device, what the\n"
	"configuration or the command switched on, the libraries. `--json` lists what they say as the group `setup`, beside\n"
	"the fact that says it.\n\n"
	"* A condition that is false rules the fix out.\n"
	"* A condition with a question mark may be unknown: then the fix stands under \"worth checking\", with the check;\n"
	"  one of PyTorch's only where the record says that the program is PyTorch's, or on which device it computes.\n"
	"* A condition in brackets rules the fix out where the record says otherwise; without a record it is taken to be true.\n"
	"* Any other condition has to be known.\n\n"
	"Fixes whose conditions are true and whose gain something measured bounds are listed first, with that bound: \"up to\n"
	"30 %\" is what the record shows of what the fix is about, and no promise. A fix that nothing measured bounds stands\n"
	"under \"worth checking\" as well. Within both lists come first those against what the run is bound by, then those\n"
	"that usually win most, in coarse steps, then the cheapest.\n\n"
	"Fixes for memory say what they could save, in bytes at the peak, by a memory snapshot. One that costs time or results\n"
	"is advised only where memory limits the run: a request was refused, the allocator gave back what it held and asked\n"
	"again, or at least 80 % of the device was reserved.\n\n"
	"A report shows three pieces of advice, or two and two more that are worth checking, and of what the run is not\n"
	"bound by only what could save 5 % or more; `--json` has all. `./dev bench quality advice` plants runs whose devices\n"
	"and settings are known, recorded under the names of several frameworks, and counts advice that is impossible there\n"
	"or that the record refutes, and how much of what the record shows to be missing is named.\n";

static void conditions(struct ts_buf *out, const struct ts_if *list, const char *when)
{
	static const char *const before[] = {[TS_NEED] = "", [TS_ASK] = "", [TS_UNLESS] = "("};
	static const char *const behind[] = {[TS_NEED] = "", [TS_ASK] = "?", [TS_UNLESS] = ")"};
	const char *comma = "";

	if (when && *when) {
		ts_buf_str(out, when);
		comma = "; ";
	}
	for (; list->condition != TS_IF_NONE; list++) {
		ts_buf_printf(out, "%s%s%s%s", comma, before[list->unknown], ts_condition_words(list->condition)->says,
			      behind[list->unknown]);
		comma = "; ";
	}
}

static void page_row(struct ts_buf *out, const struct ts_play *p)
{
	ts_buf_printf(out, "| %s | %s | ", p->name, p->how);
	conditions(out, p->conditions, NULL);
	if (p->torch)
		ts_buf_printf(out, "%s(PyTorch %u.%u or later)", p->conditions[0].condition == TS_IF_NONE ? "" : "; ", p->torch / 100,
			      p->torch % 100);
	ts_buf_printf(out, " | %s | %s | %s |\n", p->bounded_by ? p->bounded_by : "", p->costs ? p->costs : "", p->source);
}

static void page_checks(struct ts_buf *out)
{
	ts_buf_str(out, "\n## What tells whether a condition is true\n\n| condition | check |\n|---|---|\n");
	for (enum ts_condition i = TS_IF_NONE + 1; i < TS_CONDITIONS; i++)
		if (ts_condition_words(i)->check)
			ts_buf_printf(out, "| %s | `%s` |\n", ts_condition_words(i)->says, ts_condition_words(i)->check);
	ts_buf_str(out, "\n## What facts answer\n\n| row of the group `setup` | yes |\n|---|---|\n");
	for (int i = 0; i < TS_SETTINGS; i++)
		ts_buf_printf(out, "| %s | %s |\n", ts_settings[i].word, ts_settings[i].asks);
}

void ts_playbook_markdown(struct ts_buf *out)
{
	static const char heads[] = "| fix | how | only where | bounded by | costs | source |\n|---|---|---|---|---|---|\n";
	enum ts_bound_kind of = TS_BOUND_UNKNOWN;

	ts_buf_str(out, page_head);
	for (size_t i = 0; i < ts_playbook_n; i++) {
		const struct ts_play *p = &ts_playbook[i];

		if (p->of != of)
			ts_buf_printf(out, "\n## Against %s\n\n%s", ts_bound_word(p->of), heads);
		of = p->of;
		page_row(out, p);
	}
	ts_buf_str(out, "\n## For memory\n\n| fix | how | only where | costs | source |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < ts_memory_plays_n; i++) {
		const struct ts_memory_play *p = &ts_memory_plays[i];

		ts_buf_printf(out, "| %s | %s | ", p->name, p->how);
		conditions(out, p->conditions, p->when);
		ts_buf_printf(out, " | %s | %s |\n", p->costs ? p->costs : "", p->source);
	}
	page_checks(out);
}
