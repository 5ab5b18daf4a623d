/* wire_reduction.h - one run of a gate, its workload and its reduction, which stand in several messages. For proto/ wire files. */
#ifndef TSCOPE_PROTO_WIRE_REDUCTION_H
#define TSCOPE_PROTO_WIRE_REDUCTION_H

#include "proto/wire_message.h"

/* NULL: no memory. */
Tscope__V1__GateRun *ts_wire_build_gate_run(const struct ts_gate_run *in, struct ts_arena *arena);
void ts_wire_read_gate_run(struct ts_wire_reader *r, const Tscope__V1__GateRun *m, struct ts_gate_run *out);

#endif
