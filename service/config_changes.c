/* config_changes.c - which settings differ between two loads, by the table. */
#include "service/config.h"

#include "service/config_table.h"

static bool same_listeners(const struct ts_config *a, const struct ts_config *b)
{
	bool same = a->n_listen == b->n_listen;

	for (unsigned i = 0; same && i < a->n_listen; i++)
		same = strcmp(a->listen[i], b->listen[i]) == 0;
	return same;
}

static bool same_lines(const struct ts_config_line *a, unsigned n_a, const struct ts_config_line *b, unsigned n_b)
{
	bool same = n_a == n_b;

	for (unsigned i = 0; same && i < n_a; i++)
		same = strcmp(a[i].text, b[i].text) == 0;
	return same;
}

static bool same_text(const void *a, const void *b)
{
	const char *one, *other;

	memcpy(&one, a, sizeof one);
	memcpy(&other, b, sizeof other);
	return strcmp(one, other) == 0;
}

static bool same(const struct ts_option *option, const struct ts_config *a, const struct ts_config *b)
{
	const void *one = (const char *)a + option->offset, *other = (const char *)b + option->offset;

	switch (option->type) {
	case TS_OPTION_BOOL:
		return memcmp(one, other, sizeof(bool)) == 0;
	case TS_OPTION_NUMBER:
	case TS_OPTION_OCTAL:
	case TS_OPTION_LEVEL:
		return memcmp(one, other, sizeof(unsigned)) == 0;
	case TS_OPTION_TEXT:
		return same_text(one, other);
	case TS_OPTION_LIST:
		return same_listeners(a, b);
	case TS_OPTION_GRANTS:
		return same_lines(a->grants, a->n_grants, b->grants, b->n_grants);
	case TS_OPTION_QUOTAS:
		return same_lines(a->quotas, a->n_quotas, b->quotas, b->n_quotas);
	}
	return true;
}

void ts_config_changes(const struct ts_config *before, const struct ts_config *after, bool at_reload, struct ts_buf *out)
{
	enum ts_option_when when = at_reload ? TS_AT_RELOAD : TS_AT_START;
	size_t began = out->len;

	for (size_t i = 0; i < ts_n_options; i++) {
		if (ts_options[i].when != when || same(&ts_options[i], before, after))
			continue;
		if (out->len > began)
			ts_buf_char(out, ',');
		ts_buf_str(out, ts_options[i].name);
	}
}
