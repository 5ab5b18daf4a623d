/* gate_record.h - what a verdict rests on, as text that JSON can hold: the wire message GateInput in base64. A verdict's JSON and
 * a bundle of baselines carry it under the key "record"; everything else in those files is for people, and tscope does not read it. */
#ifndef TSCOPE_CLI_GATE_GATE_RECORD_H
#define TSCOPE_CLI_GATE_GATE_RECORD_H

#include "proto/wire.h"

/* The text lies in the arena. */
enum ts_status ts_gate_record_text(const struct ts_gate_input *input, struct ts_arena *arena, struct ts_span *ret_text,
				   struct ts_error *err);
/* Reads the record of a file that gate or baseline wrote. TS_INVALID names the file and the byte at which it is not such a file. */
enum ts_status ts_gate_record_read(const char *path, struct ts_arena *arena, struct ts_gate_input *ret_input,
				   struct ts_error *err);

#endif
