#include "ingest/core/notice.h"

#include "base/grow.h"

static struct ts_notice *find(const struct ts_notices *notices, const char *code, struct ts_span file)
{
	for (size_t i = 0; i < notices->n; i++)
		if (strcmp(notices->items[i].code, code) == 0 && ts_span_eq(notices->items[i].file, file))
			return &notices->items[i];
	return NULL;
}

static void add(struct ts_notices *notices, const struct ts_notice *more)
{
	struct ts_notice *notice = find(notices, more->code, more->file);
	struct ts_span copy;

	if (notice) {
		notice->count += more->count;
		if (more->level > notice->level)
			notice->level = more->level;
		return;
	}
	if (!TS_GROW_IN(notices->arena, notices->items, notices->cap, notices->n + 1, 8))
		return;
	copy = ts_arena_span(notices->arena, more->file);
	if (!copy.data)
		return;
	notice = &notices->items[notices->n++];
	*notice = *more;
	notice->file = copy;
	if (more->detail.data)
		notice->detail = ts_arena_span(notices->arena, more->detail);
}

void ts_notice_add(struct ts_notices *notices, const char *code, enum ts_notice_level level, struct ts_span file, uint64_t line,
		   const char *detail)
{
	struct ts_notice one = {.code = code, .level = level, .file = file, .line = line, .count = 1};

	if (detail)
		one.detail = ts_span_str(detail);
	add(notices, &one);
}

void ts_notices_merge(struct ts_notices *notices, const struct ts_notices *others)
{
	for (size_t i = 0; i < others->n; i++)
		add(notices, &others->items[i]);
}

uint64_t ts_notices_skipped(const struct ts_notices *notices)
{
	uint64_t n = 0;

	for (size_t i = 0; i < notices->n; i++)
		if (notices->items[i].level == TS_NOTICE_SKIPPED)
			n += notices->items[i].count;
	return n;
}
