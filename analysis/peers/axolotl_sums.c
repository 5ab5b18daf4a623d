#include "analysis/peers/axolotl_sums.h"

#include "analysis/peers/peer_page.h"
#include "analysis/trace/device_events.h"
#include "analysis/trace/nest.h"

#include <stdlib.h>

struct summing {
	const struct ts_trace *trace;
	const struct ts_trace_spans *s;
	struct ts_arena *arena;
	struct ts_axolotl_sums *out;
	double cutoff;
	uint32_t *at; /* by name: where its kernel stands, less 1 */
};

/* The double that Python reads where the file has so many microseconds with three digits behind the point. */
static double to_us(int64_t ns)
{
	return (double)(ns / 1000) + (double)(ns % 1000) / 1000.0;
}

/* It sees `kernel` and `gpu_memcpy`, and not the `Kernel` and `Memcpy` of 2021, whose streams were texts. */
static bool sees(const struct summing *m, size_t row)
{
	uint32_t thread = m->s->thread[row];
	uint8_t kind = m->s->kind[row];

	return (kind == TS_TRACE_KERNEL || kind == TS_TRACE_COPY) &&
	       !(thread < m->trace->n_threads && m->trace->threads[thread].tid_text);
}

static bool on_host(const struct summing *m, size_t row)
{
	return m->s->kind[row] == TS_TRACE_OPERATOR || m->s->kind[row] == TS_TRACE_PYTHON;
}

static bool behind_cut(const struct summing *m, size_t row)
{
	return !m->out->cut || to_us(m->s->start_ns[row]) > m->cutoff;
}

static struct ts_span name_of(const struct summing *m, size_t row)
{
	return m->trace->names[m->s->name[row]];
}

static void add_ns(uint64_t *to, uint64_t ns)
{
	*to = *to + ns < ns ? UINT64_MAX : *to + ns;
}

static void add_theirs(struct ts_axolotl_sum *sum, double us)
{
	sum->us += us;
	sum->count++;
}

static void add_right(struct ts_axolotl_sum *sum, uint64_t ns)
{
	add_ns(&sum->right_ns, ns);
	sum->right_count++;
}

/* --- the cut and the steps --- */

static void find_cut(struct summing *m)
{
	double least = 0, most = 0;

	for (size_t i = 0; i < m->s->n; i++) {
		double us;

		if (!sees(m, i))
			continue;
		us = to_us(m->s->start_ns[i]);
		if (!m->out->seen_events++ || us < least)
			least = us;
		if (m->out->seen_events == 1 || us > most)
			most = us;
	}
	m->cutoff = least + (most - least) * 0.45;
	m->out->cut = m->out->seen_events > 1000;
	m->out->before_cut = m->out->seen_events;
}

static int ascending(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static enum ts_status count_steps(struct summing *m, struct ts_error *err)
{
	size_t n = 0, events = (size_t)m->out->events;
	double *begins, *gaps, limit;

	m->out->steps = 1;
	if (events < 100)
		return TS_OK;
	begins = ts_arena_array(m->arena, events, sizeof *begins);
	gaps = ts_arena_array(m->arena, events, sizeof *gaps);
	if (!begins || !gaps)
		return ts_arena_error(m->arena, err);
	for (size_t i = 0; i < m->s->n; i++)
		if (sees(m, i) && behind_cut(m, i))
			begins[n++] = to_us(m->s->start_ns[i]);
	qsort(begins, n, sizeof *begins, ascending);
	for (size_t i = 0; i + 1 < n; i++)
		gaps[i] = begins[i + 1] - begins[i];
	qsort(gaps, n - 1, sizeof *gaps, ascending);
	limit = gaps[(n - 1) / 2] * 50;
	limit = limit > 100000 ? limit : 100000;
	for (size_t i = 0; i + 1 < n; i++)
		m->out->steps += gaps[i] > limit;
	return TS_OK;
}

/* --- kernels and categories --- */

static struct ts_axolotl_sum *kernel_of(struct summing *m, size_t row)
{
	uint32_t *at = &m->at[m->s->name[row]];

	if (!*at) {
		m->out->kernels[m->out->n_kernels++] = (struct ts_axolotl_sum){.name = name_of(m, row), .row = (uint32_t)row};
		*at = (uint32_t)m->out->n_kernels;
	}
	return &m->out->kernels[*at - 1];
}

static enum ts_status sum_kernels(struct summing *m, struct ts_error *err)
{
	struct ts_axolotl_sums *out = m->out;

	m->at = ts_arena_array(m->arena, m->trace->n_names + 1, sizeof *m->at);
	out->kernels = ts_arena_array(m->arena, m->trace->n_names + 1, sizeof *out->kernels);
	if (!m->at || !out->kernels)
		return ts_arena_error(m->arena, err);
	for (size_t i = 0; i < m->s->n; i++) {
		if (!sees(m, i) || !behind_cut(m, i))
			continue;
		add_theirs(kernel_of(m, i), to_us(m->s->duration_ns[i]));
		out->events++;
	}
	out->n_seen = out->n_kernels;
	for (size_t i = 0; i < m->s->n; i++) {
		if (!ts_trace_on_device(m->s->kind[i]))
			continue;
		add_right(kernel_of(m, i), (uint64_t)m->s->duration_ns[i]);
		add_ns(&out->work_ns, (uint64_t)m->s->duration_ns[i]);
	}
	return TS_OK;
}

static void sum_categories(struct summing *m)
{
	struct ts_axolotl_sums *out = m->out;

	for (size_t i = 0; i < out->n_kernels; i++) {
		const struct ts_axolotl_sum *k = &out->kernels[i];
		struct ts_axolotl_sum *theirs = &out->categories[ts_axolotl_category(k->name)];
		struct ts_axolotl_sum *right = &out->categories[ts_axolotl_category_amended(k->name)];

		if (i < out->n_seen) {
			if (!theirs->seen)
				out->order[out->n_order++] = (int)(theirs - out->categories);
			theirs->seen = true;
			theirs->us += k->us;
			theirs->count += k->count;
			out->total_us += k->us;
		}
		add_ns(&right->right_ns, k->right_ns);
		right->right_count += k->right_count;
	}
}

/* --- fills --- */

static enum ts_status sum_fills(struct summing *m, struct ts_error *err)
{
	struct ts_axolotl_sums *out = m->out;

	memset(m->at, 0, (m->trace->n_names + 1) * sizeof *m->at);
	out->fills = ts_arena_array(m->arena, m->trace->n_names + 1, sizeof *out->fills);
	if (!out->fills)
		return ts_arena_error(m->arena, err);
	for (size_t i = 0; i < m->s->n; i++) {
		uint32_t shapes = m->s->shapes[i];

		if (!sees(m, i) || !behind_cut(m, i) || !ts_peer_has(name_of(m, i), "fill", true))
			continue;
		if (!m->at[shapes]) {
			out->fills[out->n_fills++] = (struct ts_axolotl_sum){.name = m->trace->names[shapes], .row = (uint32_t)i};
			m->at[shapes] = (uint32_t)out->n_fills;
		}
		add_theirs(&out->fills[m->at[shapes] - 1], to_us(m->s->duration_ns[i]));
	}
	return TS_OK;
}

static bool is_fill(const struct summing *m, size_t row)
{
	return m->s->kind[row] == TS_TRACE_FILL ||
	       (m->s->kind[row] == TS_TRACE_KERNEL && ts_kernel_category(name_of(m, row)) == TS_KERNEL_FILL);
}

static int longest(const void *x, const void *y)
{
	const struct ts_axolotl_sum *a = x, *b = y;

	if (a->right_ns != b->right_ns)
		return a->right_ns < b->right_ns ? 1 : -1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Which kernels fill is asked once a name, because the table of kernels is long. */
static enum ts_status right_fills(struct summing *m, struct ts_error *err)
{
	struct ts_axolotl_sums *out = m->out;
	uint8_t *fills = ts_arena_array(m->arena, m->trace->n_names + 1, 1);
	struct ts_nest nest = {0};

	memset(m->at, 0, (m->trace->n_names + 1) * sizeof *m->at);
	out->right_fills = ts_arena_array(m->arena, m->trace->n_names + 1, sizeof *out->right_fills);
	if (!fills || !out->right_fills)
		return ts_arena_error(m->arena, err);
	if (ts_nest(m->trace, m->arena, &nest, err))
		return err->status;
	for (size_t i = 0; i < m->s->n; i++) {
		uint8_t *known = &fills[m->s->name[i]];
		uint32_t by = nest.in_operator[i], shapes;

		if (!ts_trace_on_device(m->s->kind[i]))
			continue;
		if (!*known || m->s->kind[i] == TS_TRACE_FILL)
			*known = is_fill(m, i) ? 2 : 1;
		if (*known != 2 || m->s->kind[i] == TS_TRACE_COPY)
			continue;
		add_ns(&out->fill_ns, (uint64_t)m->s->duration_ns[i]);
		shapes = by == TS_NEST_NONE ? 0 : m->s->shapes[by];
		if (!m->at[shapes]) {
			out->right_fills[out->n_right_fills++] =
				(struct ts_axolotl_sum){.name = m->trace->names[shapes], .row = (uint32_t)i};
			m->at[shapes] = (uint32_t)out->n_right_fills;
		}
		add_right(&out->right_fills[m->at[shapes] - 1], (uint64_t)m->s->duration_ns[i]);
	}
	qsort(out->right_fills, out->n_right_fills, sizeof *out->right_fills, longest);
	return TS_OK;
}

/* --- the host --- */

static void sum_wall(struct summing *m)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	double least = 0, most = 0;
	bool any = false;

	for (size_t i = 0; i < m->s->n; i++) {
		double begin, end;

		if (!on_host(m, i))
			continue;
		first = m->s->start_ns[i] < first ? m->s->start_ns[i] : first;
		if (m->s->start_ns[i] + m->s->duration_ns[i] > last)
			last = m->s->start_ns[i] + m->s->duration_ns[i];
		if (!behind_cut(m, i))
			continue;
		begin = to_us(m->s->start_ns[i]);
		end = begin + to_us(m->s->duration_ns[i]);
		least = any && least <= begin ? least : begin;
		most = any && most >= end ? most : end;
		any = true;
	}
	m->out->wall_us = any ? most - least : 0;
	m->out->wall_ns = last > first ? (uint64_t)last - (uint64_t)first : 0;
}

/* Everything that it keeps: kernels, copies, operators and Python functions. */
static void sum_all(struct summing *m)
{
	double least = (double)INFINITY, most = 0;

	for (size_t i = 0; i < m->s->n; i++) {
		double begin, us;

		if (!sees(m, i) && !on_host(m, i))
			continue;
		us = to_us(m->s->duration_ns[i]);
		begin = to_us(m->s->start_ns[i]);
		least = begin < least ? begin : least;
		most = begin + us > most ? begin + us : most;
		if (m->s->kind[i] == TS_TRACE_KERNEL) {
			m->out->kernel_us += us;
			m->out->kernel_count++;
		} else if (on_host(m, i) &&
			   (ts_peer_has(name_of(m, i), "checkpoint", true) || ts_peer_has(name_of(m, i), "recompute", true))) {
			add_theirs(&m->out->checkpoint, us);
		}
	}
	m->out->all_wall_us = most > least ? most - least : 0;
}

static struct ts_axolotl_sum *direction(struct summing *m, size_t row)
{
	static const struct {
		const char *part, *word;
	} known[] = {{"DtoH", "GPU→CPU (offload)"}, {"HtoD", "CPU→GPU (reload)"}, {"DtoD", "GPU→GPU"}};
	struct ts_axolotl_sums *out = m->out;
	struct ts_span name = name_of(m, row);
	uint32_t *at = &m->at[m->s->name[row]];

	for (size_t i = 0; i < sizeof known / sizeof known[0] && !*at; i++) {
		if (!ts_peer_has(name, known[i].part, false))
			continue;
		name = ts_span_str(known[i].word);
		for (size_t k = 0; k < out->n_copies && !*at; k++)
			*at = ts_span_eq(out->copies[k].name, name) ? (uint32_t)k + 1 : 0;
		break;
	}
	if (!*at) {
		out->copies[out->n_copies++] = (struct ts_axolotl_sum){.name = name, .row = (uint32_t)row};
		*at = (uint32_t)out->n_copies;
	}
	return &out->copies[*at - 1];
}

static enum ts_status sum_copies(struct summing *m, struct ts_error *err)
{
	memset(m->at, 0, (m->trace->n_names + 1) * sizeof *m->at);
	m->out->copies = ts_arena_array(m->arena, m->trace->n_names + 4, sizeof *m->out->copies);
	if (!m->out->copies)
		return ts_arena_error(m->arena, err);
	for (size_t i = 0; i < m->s->n; i++) {
		struct ts_axolotl_sum *sum;

		if (!sees(m, i) || m->s->kind[i] != TS_TRACE_COPY)
			continue;
		sum = direction(m, i);
		add_theirs(sum, to_us(m->s->duration_ns[i]));
		add_right(sum, (uint64_t)m->s->duration_ns[i]);
		if (m->s->bytes[i] > 0)
			add_ns(&sum->right_bytes, (uint64_t)m->s->bytes[i]);
	}
	return TS_OK;
}

/* --- unions --- */

/* The length of the union of each group, added up. w is not in any order. */
static uint64_t union_of(struct ts_device_event *w, size_t n, struct ts_device_event *spare)
{
	uint64_t sum = 0;
	int64_t until = 0;

	ts_device_events_by_begin(w, n, spare);
	ts_device_events_by_group(w, n, spare);
	for (size_t i = 0; i < n; i++) {
		bool first = !i || w[i].group != w[i - 1].group;

		if (!first && w[i].end <= until)
			continue;
		add_ns(&sum, (uint64_t)w[i].end - (uint64_t)(!first && w[i].begin < until ? until : w[i].begin));
		until = w[i].end;
	}
	return sum;
}

typedef bool chosen_fn(const struct summing *m, size_t row);

static bool is_kernel(const struct summing *m, size_t row)
{
	return m->s->kind[row] == TS_TRACE_KERNEL;
}

static bool is_copy(const struct summing *m, size_t row)
{
	return m->s->kind[row] == TS_TRACE_COPY;
}

static bool is_checkpoint(const struct summing *m, size_t row)
{
	return on_host(m, row) && (ts_peer_has(name_of(m, row), "checkpoint", true) || ts_peer_has(name_of(m, row), "recompute", true));
}

static enum ts_status union_over(struct summing *m, chosen_fn *chosen, bool by_thread, uint64_t *ret, struct ts_error *err)
{
	struct ts_device_event *w, *spare;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < m->s->n; i++)
		n += chosen(m, i);
	w = ts_arena_array(m->arena, n, sizeof *w);
	spare = ts_arena_array(m->arena, n, sizeof *spare);
	if (!w || !spare)
		return ts_arena_error(m->arena, err);
	for (size_t i = 0; i < m->s->n; i++)
		if (chosen(m, i))
			w[at++] = (struct ts_device_event){.begin = m->s->start_ns[i],
							   .end = m->s->start_ns[i] + m->s->duration_ns[i],
							   .group = by_thread ? m->s->thread[i] : 0};
	*ret = union_of(w, n, spare);
	return TS_OK;
}

/* --- all --- */

enum ts_status ts_axolotl_sums(const struct ts_trace *trace, const struct ts_trace_answer *answer, struct ts_arena *arena,
			       struct ts_axolotl_sums *ret, struct ts_error *err)
{
	struct summing m = {.trace = trace, .s = &trace->rows.spans, .arena = arena, .out = ret};

	*ret = (struct ts_axolotl_sums){.has_steps = answer->lines.n_steps > 0, .right_steps = answer->lines.n_steps};
	find_cut(&m);
	if (sum_kernels(&m, err) || count_steps(&m, err) || sum_fills(&m, err) || right_fills(&m, err) || sum_copies(&m, err) ||
	    union_over(&m, is_kernel, false, &ret->kernel_union_ns, err) || union_over(&m, is_copy, false, &ret->copy_union_ns, err) ||
	    union_over(&m, is_checkpoint, true, &ret->checkpoint.right_ns, err))
		return err->status;
	sum_categories(&m);
	sum_wall(&m);
	sum_all(&m);
	return TS_OK;
}

static int theirs_first(const void *x, const void *y)
{
	const struct ts_axolotl_sum *a = *(const struct ts_axolotl_sum *const *)x, *b = *(const struct ts_axolotl_sum *const *)y;

	if (a->us > b->us || a->us < b->us)
		return a->us > b->us ? -1 : 1;
	return (a > b) - (a < b);
}

const struct ts_axolotl_sum **ts_axolotl_sorted(const struct ts_axolotl_sum *sums, size_t n, struct ts_arena *arena)
{
	const struct ts_axolotl_sum **rows = ts_arena_array(arena, n + 1, sizeof *rows);

	for (size_t i = 0; rows && i < n; i++)
		rows[i] = &sums[i];
	if (rows)
		qsort(rows, n, sizeof *rows, theirs_first);
	return rows;
}
