#include "ingest/tensorboard/summary_event.h"

#include "base/json_writer.h"
#include "base/number.h"

#include <math.h>

#define WHOLE_MAX 9007199254740992.0 /* 2^53 */

/* The field numbers in event.proto, summary.proto and plugin_data.proto of hparams, by message. */
enum {
	EVENT_WALL_TIME = 1,
	EVENT_STEP = 2,
	EVENT_SUMMARY = 5,
	EVENT_SESSION_LOG = 7,
	SESSION_STATUS = 1,
	SUMMARY_VALUE = 1,
	/* The fields of Summary.Value. */
	VALUE_TAG = 1,
	VALUE_SIMPLE_VALUE = 2,
	VALUE_OBSOLETE_HISTOGRAM = 3,
	VALUE_IMAGE = 4,
	VALUE_HISTO = 5,
	VALUE_AUDIO = 6,
	VALUE_TENSOR = 8,
	VALUE_METADATA = 9,
	/* The fields of SummaryMetadata and its PluginData. */
	METADATA_PLUGIN_DATA = 1,
	PLUGIN_NAME = 1,
	PLUGIN_CONTENT = 2,
	/* The fields of HParamsPluginData and SessionStartInfo. */
	HPARAMS_SESSION_START_INFO = 3,
	START_HPARAMS = 1,
};

enum { SESSION_START = 1 }; /* SessionLog.SessionStatus */

bool ts_event_file_name(const char *name)
{
	return strstr(name, ".tfevents.") != NULL;
}

/* --- hparams --- */

/* The message has doubles only. Seeds, sizes and counts were integers, as which other trackers of the same training have them. */
static void write_number(struct ts_json *j, double value)
{
	if (fabs(value) < WHOLE_MAX && value == floor(value) && !(value == 0 && signbit(value)))
		ts_json_i64(j, (int64_t)value);
	else
		ts_json_double(j, value);
}

/* Writes a google.protobuf.Value. */
static void write_hparam(struct ts_json *j, struct ts_span message)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f = {0};

	if (!ts_pb_next(&pb, &f) || f.number == TS_PB_NULL_VALUE)
		ts_json_null(j);
	else if (f.number == TS_PB_NUMBER_VALUE && f.wire == TS_PB_FIXED64)
		write_number(j, ts_bits_double(f.value));
	else if (f.number == TS_PB_STRING_VALUE && f.wire == TS_PB_BYTES)
		ts_json_span(j, f.bytes);
	else if (f.number == TS_PB_BOOL_VALUE && f.wire == TS_PB_VARINT)
		ts_json_bool(j, f.value != 0);
	else
		ts_json_string(j, "(a list)");
}

/* Takes map<string, Value> of SessionStartInfo. */
static void take_hparams(struct ts_buf *json, struct ts_span start)
{
	struct ts_json j = ts_json_of(json);
	struct ts_pb pb = ts_pb_of(start);
	struct ts_pb_field f;

	ts_buf_reset(json);
	ts_json_object(&j);
	while (ts_pb_next(&pb, &f)) {
		struct ts_pb entry = ts_pb_of(f.bytes);
		struct ts_pb_field part;
		struct ts_span key = {NULL, 0}, value = {NULL, 0};

		if (f.number != START_HPARAMS || f.wire != TS_PB_BYTES)
			continue;
		while (ts_pb_next(&entry, &part)) {
			if (part.number == TS_PB_MAP_KEY)
				key = part.bytes;
			else if (part.number == TS_PB_MAP_VALUE)
				value = part.bytes;
		}
		if (!key.len)
			continue;
		ts_json_key_span(&j, key);
		write_hparam(&j, value);
	}
	ts_json_end(&j);
}

/* Reads SummaryMetadata: plugin_data {plugin_name, content}. The content of hparams is HParamsPluginData. */
bool ts_event_hparams(const struct ts_event_value *value, struct ts_buf *json)
{
	struct ts_pb pb = ts_pb_of(value->metadata);
	struct ts_pb_field f;
	struct ts_span name = {NULL, 0}, content = {NULL, 0};

	if (!value->has_metadata)
		return false;
	while (ts_pb_next(&pb, &f)) {
		struct ts_pb plugin = ts_pb_of(f.bytes);
		struct ts_pb_field part;

		while (f.number == METADATA_PLUGIN_DATA && f.wire == TS_PB_BYTES && ts_pb_next(&plugin, &part)) {
			if (part.number == PLUGIN_NAME)
				name = part.bytes;
			else if (part.number == PLUGIN_CONTENT)
				content = part.bytes;
		}
	}
	if (!ts_span_is(name, "hparams"))
		return false;
	for (pb = ts_pb_of(content); ts_pb_next(&pb, &f);)
		if (f.number == HPARAMS_SESSION_START_INFO && f.wire == TS_PB_BYTES)
			take_hparams(json, f.bytes);
	return true;
}

/* --- events --- */

bool ts_event_value_parts(struct ts_span message, struct ts_event_value *v)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;

	*v = (struct ts_event_value){.other = NULL};
	while (ts_pb_next(&pb, &f)) {
		switch (f.number) {
		case VALUE_TAG:
			v->tag = f.bytes;
			break;
		case VALUE_SIMPLE_VALUE:
			v->has_simple = f.wire == TS_PB_FIXED32;
			v->simple = ts_pb_float(f.value);
			break;
		case VALUE_OBSOLETE_HISTOGRAM:
		case VALUE_HISTO:
			v->other = "a histogram";
			break;
		case VALUE_IMAGE:
			v->other = "an image";
			break;
		case VALUE_AUDIO:
			v->other = "audio";
			break;
		case VALUE_TENSOR:
			v->has_tensor = f.wire == TS_PB_BYTES;
			v->tensor = f.bytes;
			break;
		case VALUE_METADATA:
			v->has_metadata = f.wire == TS_PB_BYTES;
			v->metadata = f.bytes;
			break;
		default:
			break;
		}
	}
	return !pb.broken;
}

enum ts_tensor_kind ts_event_number(const struct ts_event_value *value, struct ts_tensor *ret_number)
{
	if (value->has_simple) {
		*ret_number = (struct ts_tensor){value->simple, TS_PRECISION_F32};
		return TS_TENSOR_NUMBER;
	}
	return value->has_tensor ? ts_tensor_scalar(value->tensor, ret_number) : TS_TENSOR_OTHER;
}

bool ts_event_next(struct ts_pb *pb, struct ts_span *ret_value)
{
	struct ts_pb_field f;

	while (ts_pb_next(pb, &f))
		if (f.number == SUMMARY_VALUE && f.wire == TS_PB_BYTES) {
			*ret_value = f.bytes;
			return true;
		}
	return false;
}

bool ts_event_starts(const struct ts_event *event)
{
	struct ts_pb pb = ts_pb_of(event->session);
	struct ts_pb_field f;
	uint64_t status = 0;

	if (!event->has_session)
		return false;
	while (ts_pb_next(&pb, &f))
		if (f.number == SESSION_STATUS)
			status = f.value;
	return status == SESSION_START;
}

bool ts_event_parts(struct ts_span record, struct ts_event *e)
{
	struct ts_pb pb = ts_pb_of(record);
	struct ts_pb_field f;

	*e = (struct ts_event){.wall_time = 0};
	while (ts_pb_next(&pb, &f)) {
		switch (f.number) {
		case EVENT_WALL_TIME:
			e->wall_time = f.wire == TS_PB_FIXED64 ? ts_bits_double(f.value) : 0;
			break;
		case EVENT_STEP:
			e->step = (int64_t)f.value;
			break;
		case EVENT_SUMMARY:
			e->has_summary = f.wire == TS_PB_BYTES;
			e->summary = f.bytes;
			break;
		case EVENT_SESSION_LOG:
			e->has_session = f.wire == TS_PB_BYTES;
			e->session = f.bytes;
			break;
		default:
			break;
		}
	}
	return !pb.broken;
}
