/* gate_labels.c - which recorded facts of the machine tell runs apart: one odd run from the others, or two kinds of runs. */
#include "analysis/gate/gate_internal.h"

#include "base/door.h"

enum { SHOWN = 3 /* facts */, AGAIN = 7 /* runs whose value another run of their kind has as well: fewer agree by chance */ };

static size_t with_value(const struct ts_gate_run *const *runs, size_t n, struct ts_span path, struct ts_span value)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += ts_span_eq(ts_workload_label_of(&runs[i]->workload, path), value);
	return found;
}

/* Returns how many runs have a value that an earlier run has as well, or 0 if a run does not record the fact. */
static size_t repeated(const struct ts_gate_run *const *runs, size_t n, struct ts_span path)
{
	size_t again = 0;

	for (size_t i = 0; i < n; i++) {
		struct ts_span value = ts_workload_label_of(&runs[i]->workload, path);

		if (!value.len)
			return 0;
		again += with_value(runs, i, path, value) > 0;
	}
	return again;
}

struct ts_span ts_gate_only_of(struct ts_gate_court *c, const struct ts_gate_run *run, const struct ts_gate_run *const *others,
			       size_t n)
{
	struct ts_span rest = run->workload.labels, path, value, list = ts_span_of(NULL, 0);
	size_t shown = 0;

	TS_DOOR(ts_gate_court_holds(c));
	while (shown < SHOWN && ts_workload_label(&rest, &path, &value)) {
		/* Where every run has a value of its own, that of the odd one says nothing. */
		if (with_value(others, n, path, value) || 2 * repeated(others, n, path) < n || !n)
			continue;
		list = ts_gate_text(c, "%.*s%s%.*s is %.*s", TS_SPAN_ARG(list), shown++ ? ", " : "", TS_SPAN_ARG(path),
				    TS_SPAN_ARG(value));
	}
	return list;
}

bool ts_gate_apart(const struct ts_gate_run *const *runs, size_t n_low, size_t n, struct ts_span *ret_path)
{
	struct ts_span rest = n ? runs[0]->workload.labels : ts_span_of(NULL, 0), path, ignored;

	while (ts_workload_label(&rest, &path, &ignored)) {
		bool apart = true;

		for (size_t i = 0; apart && i < n_low; i++)
			apart = !with_value(runs + n_low, n - n_low, path, ts_workload_label_of(&runs[i]->workload, path));
		if (!apart || repeated(runs, n_low, path) + repeated(runs + n_low, n - n_low, path) < AGAIN)
			continue;
		*ret_path = path;
		return true;
	}
	return false;
}

int ts_gate_kind_of(const struct ts_gate_run *const *runs, size_t n_low, size_t n, struct ts_span path, const struct ts_gate_run *run)
{
	struct ts_span value = ts_workload_label_of(&run->workload, path);

	if (!value.len)
		return -1;
	if (with_value(runs, n_low, path, value))
		return 0;
	return with_value(runs + n_low, n - n_low, path, value) ? 1 : -1;
}
