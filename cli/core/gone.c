#include "cli/core/gone.h"

#include <string.h>

enum ts_status ts_gone_option(const char *name, const char *value, struct ts_error *err)
{
	static const struct {
		const char *name, *value, *instead;
	} gone[] = {
		{"as", "axolotl",
		 "tscope analyze of a trace or a memory snapshot, and tscope diff of two, show these tables without it"},
		{"as", "kempner", "tscope analyze of a trace shows these tables without it"},
	};

	for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
		if (strcmp(name, gone[i].name) == 0 && strcmp(value, gone[i].value) == 0)
			return ts_error_set(err, TS_INVALID, "--%s %s is gone: %s, with the right numbers (docs/peers.md)", name, value,
					    gone[i].instead);
	return TS_OK;
}
