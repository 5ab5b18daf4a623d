#include "service/rpc/core.h"

#include "base/clock.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/slice.h>
#include <grpc/support/time.h>

grpc_byte_buffer *ts_core_message(struct ts_span bytes)
{
	grpc_slice slice = grpc_slice_from_copied_buffer((const char *)bytes.data, bytes.len);
	grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);

	grpc_slice_unref(slice);
	return buffer;
}

bool ts_core_flatten(grpc_byte_buffer *buffer, grpc_slice *ret_slice)
{
	grpc_byte_buffer_reader reader;
	grpc_slice first;

	if (buffer->data.raw.compression != GRPC_COMPRESS_NONE || !grpc_byte_buffer_reader_init(&reader, buffer))
		return false;
	if (!grpc_byte_buffer_reader_next(&reader, &first)) {
		*ret_slice = grpc_empty_slice();
		return true;
	}
	if (GRPC_SLICE_LENGTH(first) == grpc_byte_buffer_length(buffer)) {
		*ret_slice = first;
		return true;
	}
	grpc_slice_unref(first);
	grpc_byte_buffer_reader_destroy(&reader);
	if (!grpc_byte_buffer_reader_init(&reader, buffer))
		return false;
	*ret_slice = grpc_byte_buffer_reader_readall(&reader);
	grpc_byte_buffer_reader_destroy(&reader);
	return true;
}

int64_t ts_core_deadline_ns(gpr_timespec when)
{
	if (gpr_time_cmp(when, gpr_inf_future(when.clock_type)) == 0)
		return INT64_MAX;
	when = gpr_convert_clock_type(when, GPR_CLOCK_MONOTONIC);
	if (when.tv_sec > INT64_MAX / 1000000000 - 1)
		return INT64_MAX;
	if (when.tv_sec < 0)
		return 0;
	return when.tv_sec * 1000000000 + when.tv_nsec;
}

gpr_timespec ts_core_deadline(int64_t mono_ns)
{
	if (mono_ns == INT64_MAX)
		return gpr_inf_future(GPR_CLOCK_MONOTONIC);
	return (gpr_timespec){.tv_sec = mono_ns / 1000000000, .tv_nsec = (int32_t)(mono_ns % 1000000000),
			      .clock_type = GPR_CLOCK_MONOTONIC};
}
