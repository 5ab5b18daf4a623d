#include "ingest/pipeline_read.h"

#include "base/limits.h"

enum { WINDOW = 1 << 20 };

/* The three columns that every event has come first, so that none of them is left out where columns run short. */
static enum ts_status make_columns(struct ts_record *record, struct ts_builder *b, struct ts_emit *emit,
				   struct ts_error *err)
{
	const uint32_t keys[] = {record->key_stage, record->key_start, record->key_end};

	for (size_t i = 0; i < 3; i++) {
		struct ts_key *key = ts_key_at(&record->keys, keys[i]);
		uint32_t column;

		if (ts_builder_column(b, key->text, TS_COLUMN_F64, &column, err))
			return err->status;
		key->column[TS_COLUMN_F64] = column + 1;
		emit->n_columns++;
	}
	return TS_OK;
}

static enum ts_status read_events(const struct ts_pipeline_input *input, struct ts_record *record, struct ts_range *range,
				  struct ts_emit *emit, struct ts_error *err)
{
	bool more = true;

	for (int64_t key = 0; more; key++) {
		if (ts_range_next(range, record, input->notices, &more, err))
			return err->status;
		if (more && ts_emit_row(emit, record, TS_TABLE_PIPELINE, key, -1, ts_range_line(range), err))
			return ts_error_prefix(err, "%.*s line %llu", TS_SPAN_ARG(input->source.path),
					       (unsigned long long)ts_range_line(range));
	}
	return TS_OK;
}

enum ts_status ts_pipeline_read(const struct ts_pipeline_input *input, struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_stats stats;
	struct ts_record record;
	struct ts_range range;
	struct ts_emit emit;
	enum ts_status status;

	ts_builder_stats(b, &stats);
	if (stats.columns + 3 > TS_EMIT_COLUMNS_MAX) {
		ts_notice_add(input->notices, "too_many_columns", TS_NOTICE_SKIPPED, input->source.name, 0,
			      "the steps have so many columns that none are left for events");
		return TS_OK;
	}
	if (ts_record_init_events(&record, err))
		return err->status;
	ts_range_init(&range, &input->source, 0, input->source.size, 1, input->window ? input->window : WINDOW);
	ts_emit_init(&emit, b, input->facts, &record);
	emit.n_columns = (uint32_t)stats.columns;
	status = make_columns(&record, b, &emit, err);
	if (!status)
		status = read_events(input, &record, &range, &emit, err);
	if (!status)
		ts_emit_tell_dropped(&emit, input->notices, input->source.name);
	ts_range_finish(&range);
	ts_record_finish(&record);
	return status;
}
