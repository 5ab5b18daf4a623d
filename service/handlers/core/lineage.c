#include "service/handlers/core/lineage.h"

#include "run/role.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/resolve.h"

struct sharing {
	struct ts_lineage *out;
	bool any, broken; /* any: there is a column; broken: some column begins with a block of its own */
};

static bool same_block(const struct ts_table *x, const struct ts_column *cx, size_t i, const struct ts_table *y,
		       const struct ts_column *cy, size_t k)
{
	return ts_id_eq(&x->blocks[i].keys, &y->blocks[k].keys) && ts_id_eq(&cx->blocks[i], &cy->blocks[k]);
}

/* Returns how many of the column's first blocks are shared, and counts all shared blocks. */
static size_t share_column(const struct ts_table *child, const struct ts_column *column, const struct ts_table *parent,
			   const struct ts_column *other, struct ts_lineage *out)
{
	size_t k = 0, leading = 0;

	for (size_t i = 0; i < child->n_blocks; i++) {
		while (k < parent->n_blocks && parent->blocks[k].first_key < child->blocks[i].first_key)
			k++;
		if (k == parent->n_blocks || !same_block(child, column, i, parent, other, k))
			continue;
		out->shared_blocks++;
		leading += leading == i;
	}
	return leading;
}

static void narrow(struct sharing *s, int64_t first, int64_t last)
{
	if (!s->any || first > s->out->prefix_first)
		s->out->prefix_first = first;
	if (!s->any || last < s->out->prefix_last)
		s->out->prefix_last = last;
	s->any = true;
}

static void share_table(struct sharing *s, const struct ts_table *table, const struct ts_index *parent,
			const struct ts_facts *facts)
{
	for (size_t c = 0; c < table->n_columns; c++) {
		const struct ts_column *column = &table->columns[c], *other = NULL;
		const struct ts_table *beside = NULL;
		size_t leading = 0;

		if (ts_role_of(column->name, facts) != TS_ROLE_TRAJECTORY)
			continue;
		s->out->blocks += table->n_blocks;
		if (parent)
			other = ts_index_column(parent, TS_TABLE_STEPS, column->name, column->type, &beside);
		if (other)
			leading = share_column(table, column, beside, other, s->out);
		if (leading)
			narrow(s, table->blocks[0].first_key, table->blocks[leading - 1].last_key);
		else
			s->broken |= table->n_blocks > 0;
	}
}

void ts_lineage_share(const struct ts_run *child, const struct ts_run *parent, struct ts_lineage *io)
{
	struct sharing s = {.out = io};

	io->blocks = io->shared_blocks = 0;
	for (size_t i = 0; i < child->head.n_ranks; i++) {
		const struct ts_index *index = &child->indexes[i];

		for (size_t t = 0; t < index->n_tables; t++)
			if (index->tables[t].kind == TS_TABLE_STEPS)
				share_table(&s, &index->tables[t], ts_run_rank(parent, index->rank), &child->head.facts);
	}
	io->prefix = s.any && !s.broken && io->prefix_first <= io->prefix_last;
}

/* Builds the spec that resolve.h expects for a parent's name; empty when the text cannot be a name. */
static enum ts_status spec_of(struct ts_span parent, struct ts_span project, struct ts_arena *arena, struct ts_span *ret,
			      struct ts_error *err)
{
	struct ts_id id;
	char *text;

	*ret = parent;
	if (ts_id_parse(parent, &id))
		text = ts_arena_printf(arena, "id:%.*s", TS_SPAN_ARG(parent));
	else if (memchr(parent.data, '/', parent.len) || memchr(parent.data, ':', parent.len))
		return TS_OK;
	else if (project.len)
		text = ts_arena_printf(arena, "?%.*s/%.*s", TS_SPAN_ARG(project), TS_SPAN_ARG(parent));
	else {
		*ret = ts_span_of(NULL, 0);
		return TS_OK;
	}
	if (!text)
		return ts_arena_error(arena, err);
	*ret = ts_span_str(text);
	return TS_OK;
}

static bool is_no_run(enum ts_status status)
{
	return status == TS_NOT_FOUND || status == TS_AMBIGUOUS || status == TS_INVALID;
}

enum ts_status ts_lineage_find(struct ts_fetch *f, const struct ts_run *child, struct ts_span project, struct ts_arena *arena,
			       struct ts_lineage *ret, struct ts_error *err)
{
	struct ts_lineage out = {.parent = ts_fact_text(&child->head.facts, "lineage.parent")};
	struct ts_resolved what;
	struct ts_run parent;
	struct ts_span spec;
	enum ts_status status;

	out.has_step = ts_fact_int(&child->head.facts, "lineage.resumed_step", &out.step);
	out.named = out.parent.len > 0;
	*ret = out;
	/* A spec is at most TS_PATH_MAX bytes long; a longer text names nothing. */
	if (!out.named || out.parent.len > 512)
		return TS_OK;
	if (spec_of(out.parent, project, arena, &spec, err))
		return err->status;
	if (spec.len == 0)
		return TS_OK;
	status = ts_resolve(f->call->engine, spec, arena, &what, err);
	if (status)
		return is_no_run(status) ? TS_OK : status;
	if (ts_run_open(f, &what.id, arena, &parent, err))
		return ts_error_prefix(err, "the parent");
	out.found = true;
	out.id = what.id;
	ts_lineage_share(child, &parent, &out);
	*ret = out;
	return TS_OK;
}
