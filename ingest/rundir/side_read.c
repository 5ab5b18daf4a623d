#include "ingest/rundir/side_read.h"

#include "base/limits.h"
#include "ingest/core/sink_count.h"
#include "ingest/rundir/sketch_frames.h"

#include <stdio.h>

enum { WINDOW = 1 << 20 };

const struct ts_side_file ts_side_files[TS_SIDE_FILES] = {
	{"pipeline.jsonl", TS_TABLE_PIPELINE, TS_RECORD_EVENT, false, true},
	{"digests.jsonl", TS_TABLE_DIGESTS, TS_RECORD_DIGEST, false, true},
	{"events.jsonl", TS_TABLE_EVENTS, TS_RECORD_TIMED, false, false},
	{"sketches.tscope", TS_TABLE_SKETCHES, TS_RECORD_SKETCH, true, true},
	{"sketches.jsonl", TS_TABLE_SKETCHES, TS_RECORD_SKETCH, false, true},
};

/* The columns that the form knows are made first, so that none of them is left out if there are too many columns. */
static enum ts_status make_columns(struct ts_record *record, struct ts_builder *b, struct ts_emit *emit,
				   struct ts_error *err)
{
	for (size_t i = 0; i < record->n_known; i++) {
		struct ts_key *key = ts_key_at(&record->keys, record->known[i].key);
		enum ts_column_type type = record->known[i].type;
		uint32_t column;

		if (ts_builder_column(b, key->text, type, &column, err))
			return err->status;
		key->column[type] = column + 1;
		emit->n_columns++;
	}
	return TS_OK;
}

static enum ts_status read_records(const struct ts_side_input *input, struct ts_record *record, struct ts_range *range,
				   struct ts_emit *emit, uint64_t first, struct ts_error *err)
{
	bool more = true;

	for (int64_t key = (int64_t)first; more; key++) {
		if (ts_range_next(range, record, input->notices, &more, err))
			return err->status;
		if (more && ts_emit_row(emit, record, input->file->kind, key, ts_range_line(range), err))
			return ts_error_prefix(err, "%.*s line %" PRIu64, TS_SPAN_ARG(input->source.path),
					       ts_range_line(range));
	}
	return TS_OK;
}

/* The rows of this kind that the recording of the rank had, or the frames beside it. */
static uint64_t rows_before(const struct ts_builder_stats *stats, enum ts_table_kind kind)
{
	if (kind == TS_TABLE_SKETCHES)
		return stats->sketches;
	return kind == TS_TABLE_DIGESTS ? stats->digests : kind == TS_TABLE_EVENTS ? stats->timed : 0;
}

static void tell_no_room(const struct ts_side_input *input)
{
	char detail[120];

	(void)snprintf(detail, sizeof detail, "the rank has so many columns that none are left for %s", input->file->name);
	ts_notice_add(input->notices, "too_many_columns", TS_NOTICE_SKIPPED, input->source.name, 0, detail);
}

enum ts_status ts_side_read(const struct ts_side_input *input, struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_stats stats;
	struct ts_record record;
	struct ts_range range;
	struct ts_emit emit;
	enum ts_status status;

	if (ts_record_init(&record, input->file->form, err))
		return err->status;
	ts_builder_stats(b, &stats);
	if (stats.columns + record.n_known > TS_INGEST_COLUMNS_MAX) {
		tell_no_room(input);
		ts_record_finish(&record);
		return TS_OK;
	}
	ts_range_init(&range, &input->source, 0, input->source.size, 1, input->window ? input->window : WINDOW);
	ts_emit_init(&emit, b, input->facts, &record);
	emit.n_columns = (uint32_t)stats.columns;
	status = make_columns(&record, b, &emit, err);
	if (!status && input->file->frames)
		status = ts_sketch_frames_read(&input->source, &record, &emit, rows_before(&stats, input->file->kind), input->notices,
					       err);
	else if (!status)
		status = read_records(input, &record, &range, &emit, rows_before(&stats, input->file->kind), err);
	if (!status)
		ts_emit_tell_dropped(&emit, input->notices, input->source.name);
	ts_range_finish(&range);
	ts_record_finish(&record);
	return status;
}
