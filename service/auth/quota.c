#include "service/auth/quota.h"

#include "base/number.h"
#include "base/text.h"
#include "service/auth/grant.h"

#include <stdio.h>

enum { AMOUNT = 64 };

#define REMOVE_RUNS \
	"remove runs with tscope rm: their bytes are free once gc has given up the removed names, 30 days later or when an admin " \
	"says tscope gc --removed 0s"

static const struct {
	const char *word;
	bool bytes;
	const char *remedy; /* what its owner can do */
} kinds[TS_QUOTA_KINDS] = {
	[TS_USE_SEALED] = {"sealed", true, REMOVE_RUNS},
	[TS_USE_RAW] = {"raw", true, REMOVE_RUNS},
	[TS_USE_NAMES] = {"names", false, "remove names that are not needed with tscope rm"},
	[TS_USE_NOTES] = {"notes", false, "remove notes, or the names of runs that have them"},
	[TS_USE_UNNAMED] = {"unnamed", true,
			    "finish the pushes that were begun, or wait until gc frees what they sent, 24 hours later"},
	[TS_QUOTA_ROWS] = {"rows", false, "push fewer ranks or fewer steps in one run"},
};

const char *ts_quota_word(int kind)
{
	return kinds[kind].word;
}

/* ---- lines ---- */

static bool parse_limit(struct ts_span text, bool bytes, uint64_t *ret)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	unsigned shift = 0;

	if (ts_span_is(text, "none")) {
		*ret = UINT64_MAX;
		return true;
	}
	for (unsigned i = 0; bytes && i < sizeof units / sizeof units[0]; i++)
		if (text.len > 3 && ts_span_is(ts_span_from(text, text.len - 3), units[i])) {
			shift = 10 * (i + 1);
			text = ts_span_part(text, 0, text.len - 3);
			break;
		}
	if (!ts_parse_u64(text, ret) || *ret > (UINT64_MAX - 1) >> shift)
		return false;
	*ret <<= shift;
	return true;
}

static enum ts_status parse_whose(struct ts_quota *quota, struct ts_error *err)
{
	if (quota->kind != TS_USE_UNNAMED)
		return ts_grant_project_check(quota->whose, err);
	(void)ts_span_skip(&quota->whose, "user:");
	return quota->whose.len ? TS_OK : ts_error_set(err, TS_INVALID, "user: must be followed by a name");
}

enum ts_status ts_quota_parse(struct ts_span text, struct ts_quota *ret_quota, struct ts_error *err)
{
	struct ts_span whose = ts_next_word(&text), word = ts_next_word(&text), limit = ts_next_word(&text);
	struct ts_quota out = {.kind = -1, .whose = whose};

	if (limit.len == 0 || ts_next_word(&text).len)
		return ts_error_set(err, TS_INVALID, "a quota must have the form 'WHOSE WHAT LIMIT', such as 'speed sealed 200GiB'");
	for (int i = 0; i < TS_QUOTA_KINDS; i++)
		if (ts_span_is(word, kinds[i].word))
			out.kind = i;
	if (out.kind < 0)
		return ts_error_set(err, TS_INVALID, "'%.*s' is not sealed, raw, names, notes, rows or unnamed", TS_SPAN_ARG(word));
	if (parse_whose(&out, err))
		return err->status;
	if (!parse_limit(limit, kinds[out.kind].bytes, &out.limit))
		return ts_error_set(err, TS_INVALID, "'%.*s' is not a limit: give %s, or none", TS_SPAN_ARG(limit),
				    kinds[out.kind].bytes ? "a size such as 200GiB" : "a number");
	*ret_quota = out;
	return TS_OK;
}

/* ---- decisions ---- */

/* A user without a name is "uid 1000", and 1000 in a line. */
static bool means(const struct ts_quota *quota, struct ts_span whose)
{
	if (quota->kind == TS_USE_UNNAMED && !ts_span_eq(quota->whose, whose))
		(void)ts_span_skip(&whose, "uid ");
	return ts_span_eq(quota->whose, whose);
}

uint64_t ts_quota_limit(const struct ts_quotas *quotas, int kind, struct ts_span whose)
{
	uint64_t each = UINT64_MAX;

	for (size_t i = quotas ? quotas->n : 0; i-- > 0;) {
		const struct ts_quota *quota = &quotas->lines[i];

		if (quota->kind == kind && means(quota, whose))
			return quota->limit;
	}
	for (size_t i = 0; quotas && i < quotas->n; i++)
		if (quotas->lines[i].kind == kind && ts_span_is(quotas->lines[i].whose, "*"))
			each = quotas->lines[i].limit;
	return each;
}

static void print_amount(char out[AMOUNT], int kind, uint64_t n)
{
	struct ts_buf buf = TS_BUF_INIT(AMOUNT);
	struct ts_error err;

	if (kinds[kind].bytes)
		ts_print_bytes(&buf, (double)n);
	else
		ts_print_grouped(&buf, n);
	(void)snprintf(out, AMOUNT, "%.*s", TS_SPAN_ARG(ts_buf_check(&buf, &err) ? ts_span_str("?") : ts_buf_view(&buf)));
	if (kinds[kind].bytes && n >= 1024)
		(void)snprintf(out + strlen(out), AMOUNT - strlen(out), " (%" PRIu64 " bytes)", n);
	ts_buf_finish(&buf);
}

static enum ts_status refuse(struct ts_quotas *quotas, int kind, const char *whose, struct ts_span name, uint64_t used, uint64_t more,
			     struct ts_error *err)
{
	char has[AMOUNT], asks[AMOUNT], may[AMOUNT];

	atomic_fetch_add_explicit(&quotas->refused[kind], 1, memory_order_relaxed);
	print_amount(has, kind, used);
	print_amount(asks, kind, more);
	print_amount(may, kind, ts_quota_limit(quotas, kind, name));
	if (kind == TS_QUOTA_ROWS)
		return ts_error_set(err, TS_TOO_LARGE,
				    "the quota of rows a run in %s%.*s does not allow this: the run has %s, and %s are allowed; %s, or "
				    "ask an admin of the server for more",
				    whose, TS_SPAN_ARG(name), asks, may, kinds[kind].remedy);
	return ts_error_set(err, TS_TOO_LARGE,
			    "the quota '%s' of %s%.*s does not allow this: it uses %s, this needs %s more, and %s are allowed; %s, or "
			    "ask an admin of the server for more",
			    kinds[kind].word, whose, TS_SPAN_ARG(name), has, asks, may, kinds[kind].remedy);
}

enum ts_status ts_quota_check_rows(struct ts_quotas *quotas, struct ts_span name, uint64_t rows, struct ts_error *err)
{
	size_t through = ts_span_through(name, '/').len;
	struct ts_span project = ts_span_part(name, 0, through ? through - 1 : name.len);

	if (rows <= ts_quota_limit(quotas, TS_QUOTA_ROWS, project))
		return TS_OK;
	return refuse(quotas, TS_QUOTA_ROWS, "project ", project, 0, rows, err);
}

static uint64_t limit_of(void *ctx, const struct ts_account *account, enum ts_use use)
{
	return ts_quota_limit(ctx, (int)use, account->name);
}

static enum ts_status refuse_account(void *ctx, const struct ts_account *account, enum ts_use use, uint64_t more, struct ts_error *err)
{
	return refuse(ctx, (int)use, account->sender ? "" : "project ", account->name, account->used[use], more, err);
}

struct ts_spending ts_quota_spending(struct ts_quotas *quotas)
{
	return (struct ts_spending){.limit = limit_of, .refuse = refuse_account, .ctx = quotas};
}
