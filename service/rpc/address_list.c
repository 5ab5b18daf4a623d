#include "service/rpc/address_list.h"

#include <string.h>

enum ts_status ts_address_list_parse(const char *text, struct ts_address_list *ret_list, struct ts_error *err)
{
	struct ts_span rest = ts_span_str(text);
	struct ts_address parsed;
	bool more = true;

	for (ret_list->n = 0; more; ret_list->n++) {
		const uint8_t *comma = rest.len ? memchr(rest.data, ',', rest.len) : NULL;
		size_t len = comma ? (size_t)(comma - rest.data) : rest.len;
		char *out;

		if (ret_list->n == TS_ROUTE_SERVERS)
			return ts_error_set(err, TS_INVALID, "there are more than %d addresses", TS_ROUTE_SERVERS);
		if (len == 0 || len >= TS_ADDRESS_TEXT)
			return ts_error_set(err, TS_INVALID, "an address is empty or too long");
		out = ret_list->text[ret_list->n];
		memcpy(out, rest.data, len);
		out[len] = 0;
		if (ts_address_parse(out, &parsed, err))
			return err->status;
		ret_list->at[ret_list->n] = out;
		more = comma;
		rest = ts_span_from(rest, len + more);
	}
	return TS_OK;
}
