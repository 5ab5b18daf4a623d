/* nsys_none.c - stands in for nsys_read.c where there is no SQLite: no file is an export of Nsight Systems. */
#include "ingest/nsys/nsys_read.h"

bool ts_nsys_is(const char *path)
{
	(void)path;
	return false;
}

enum ts_status ts_nsys_load(const char *path, const struct ts_trace_reading *reading, struct ts_trace *ret_trace,
			    struct ts_trace_file *ret_file, struct ts_error *err)
{
	(void)reading;
	(void)ret_trace;
	(void)ret_file;
	return ts_error_set(err, TS_UNSUPPORTED, "%s: this tscope was built without SQLite, and cannot read it", path);
}
