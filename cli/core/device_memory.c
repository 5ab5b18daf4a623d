#include "cli/core/device_memory.h"

#include "analysis/rank/peaks.h"
#include "base/text.h"

enum ts_status ts_device_memory_option(const struct ts_args *args, bool *ret_given, double *ret_bytes, struct ts_error *err)
{
	const char *word = ts_args_text(args, "device-memory"), *source, *reason;

	if (!word || ts_is_digit((unsigned char)*word))
		return ts_args_bytes(args, "device-memory", ret_given, ret_bytes, err);
	if (!ts_device_memory(ts_span_str(word), ret_bytes, &source, &reason))
		return ts_error_set(err, TS_INVALID,
				    "--device-memory '%s': %s; it takes a size with its unit, such as 80GiB, or a name, such as "
				    "'NVIDIA A100-SXM4-80GB'",
				    word, reason);
	*ret_given = true;
	return TS_OK;
}
