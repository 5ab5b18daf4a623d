#include "service/migrate.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "service/named_store.h"

enum { TURNS = 5, ASKED_MOST = 64 << 20 };

static enum ts_status take(void *ctx, struct ts_span chunk, struct ts_error *err)
{
	return ts_mirror_take(ctx, chunk, err);
}

/* Brings the copy to what `from` is now; *ret_records came. */
static enum ts_status turn(struct ts_engine *from, struct ts_engine *to, struct ts_migrate_report *report, uint64_t *ret_records,
			   struct ts_error *err)
{
	static const uint8_t none[TS_MOMENT];
	struct ts_buf asked = TS_BUF_INIT(ASKED_MOST);
	int64_t began_ns = ts_now_mono_ns();
	struct ts_mirror mirror;
	enum ts_status status;
	struct ts_log line;

	ts_mirror_begin(&mirror, to);
	status = ts_mirror_hold(&mirror, from, err) ? err->status : ts_mirror_ask(to, none, &asked, err);
	if (!status)
		status = from->ops->mirror(from, ts_buf_view(&asked), take, &mirror, err);
	report->turns++;
	report->records += mirror.records;
	report->bytes += mirror.bytes;
	*ret_records = mirror.records;
	ts_mirror_finish(&mirror);
	ts_buf_finish(&asked);
	if (status)
		return status;
	ts_log_begin(&line, TS_LOG_INFO, "copied");
	ts_log_i64(&line, "turn", report->turns);
	ts_log_i64(&line, "records", (int64_t)*ret_records);
	ts_log_ms(&line, "ms", ts_now_mono_ns() - began_ns);
	ts_log_end(&line);
	return TS_OK;
}

static enum ts_status verify(struct ts_engine *to, struct ts_migrate_report *report, struct ts_error *err)
{
	struct ts_verify_report found;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = to->ops->verify(to, NULL, &arena, &found, err);
	ts_arena_finish(&arena);
	if (status)
		return status;
	report->objects = found.objects;
	if (found.damaged + found.missing + found.records)
		return ts_error_set(err, TS_DAMAGED,
				    "the copy has all that the store has, of which %" PRIu64 " objects are damaged, %" PRIu64
				    " are missing and %" PRIu64 " records are damaged; tscope verify names them",
				    found.damaged, found.missing, found.records);
	return TS_OK;
}

static enum ts_status copy(struct ts_engine *from, struct ts_engine *to, struct ts_migrate_report *report, struct ts_error *err)
{
	uint64_t records = 1;

	if (from->ops->sound(from, err) || ts_mirror_claim(to, from, err))
		return err->status;
	for (unsigned i = 0; i < TURNS && records; i++)
		if (turn(from, to, report, &records, err))
			return err->status;
	if (verify(to, report, err))
		return err->status;
	if (!records)
		return TS_OK;
	return ts_error_set(
		err, TS_UNAVAILABLE,
		"the copy is sound, but the store is written to: %" PRIu64
		" records came in the last turn; stop its servers, or start them with --read-only, and run this again, which "
		"takes only what is new",
		records);
}

enum ts_status ts_migrate(const char *from, const char *to, struct ts_migrate_report *ret_report, struct ts_error *err)
{
	struct ts_engine *source, *target;
	enum ts_status status;

	*ret_report = (struct ts_migrate_report){.turns = 0};
	if (strcmp(from, to) == 0)
		return ts_error_set(err, TS_CONFLICT, "both are one store");
	if (ts_digest_init(err) || ts_named_store_open(from, true, &source, err))
		return err->status;
	status = ts_named_store_open(to, false, &target, err);
	if (!status) {
		status = copy(source, target, ret_report, err);
		ts_engine_destroy(target);
	}
	ts_engine_destroy(source);
	return status;
}
