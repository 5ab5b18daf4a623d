/* summary_event.h - reads the events of TensorBoard's files, and the values of their summaries, by their field numbers. */
#ifndef TSCOPE_INGEST_TENSORBOARD_SUMMARY_EVENT_H
#define TSCOPE_INGEST_TENSORBOARD_SUMMARY_EVENT_H

#include "base/buf.h"
#include "ingest/tensorboard/tensor.h"

/* The fields of one event. */
struct ts_event {
	double wall_time;
	int64_t step;
	struct ts_span summary, session;
	bool has_summary, has_session;
};

/* A value of a summary. */
struct ts_event_value {
	struct ts_span tag, tensor, metadata;
	bool has_simple, has_tensor, has_metadata;
	double simple;
	const char *other; /* the kind of value, if it is not a number */
};

/* Returns whether the name is that of an event file. */
bool ts_event_file_name(const char *name);
/* Reads an event; false: it does not fit its length. */
bool ts_event_parts(struct ts_span record, struct ts_event *ret_event);
/* Returns whether the event's session begins: what was written before at its step and later is superseded. */
bool ts_event_starts(const struct ts_event *event);
/* Gives the next value of a summary that pb reads; false at its end (and where it is broken). */
bool ts_event_next(struct ts_pb *pb, struct ts_span *ret_value);
/* Reads a value; false: it does not fit its length. */
bool ts_event_value_parts(struct ts_span message, struct ts_event_value *ret_value);
enum ts_tensor_kind ts_event_number(const struct ts_event_value *value, struct ts_tensor *ret_number);
/* Returns whether the value is one of the plugin hparams. If it begins a session, its hyperparameters replace json, as a JSON
 * object. */
bool ts_event_hparams(const struct ts_event_value *value, struct ts_buf *json);

#endif
