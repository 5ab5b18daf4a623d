/* wire_policy.c - settings of a policy, as several requests carry them. */
#include "proto/wire_message.h"

enum { POLICY_MAX = 1024 };

Tscope__V1__PolicyItem **ts_wire_build_policy(const struct ts_policy *in, struct ts_arena *arena)
{
	Tscope__V1__PolicyItem **rows = ts_wire_rows(arena, in->n, WIRE_DESCRIPTOR(policy_item));

	for (size_t i = 0; rows && i < in->n; i++) {
		rows[i]->code = ts_wire_span(in->items[i].code);
		rows[i]->threshold = ts_wire_span(in->items[i].threshold);
		rows[i]->off = in->items[i].off;
		rows[i]->value = in->items[i].value;
		rows[i]->text = ts_wire_span(in->items[i].text);
	}
	return rows;
}

void ts_wire_read_policy(struct ts_wire_reader *r, Tscope__V1__PolicyItem **rows, size_t n, struct ts_policy *out)
{
	out->items = ts_wire_array(r, n, sizeof *out->items, POLICY_MAX, "policy", &out->n);
	for (size_t i = 0; i < out->n; i++) {
		struct ts_policy_item *item = &out->items[i];

		item->code = ts_wire_text(r, rows[i]->code, TS_PATH_MAX, "policy.code");
		item->threshold = ts_wire_text(r, rows[i]->threshold, TS_PATH_MAX, "policy.threshold");
		item->off = rows[i]->off;
		item->value = rows[i]->value;
		item->text = ts_wire_text(r, rows[i]->text, TS_WIRE_TEXT_MAX, "policy.text");
	}
}
