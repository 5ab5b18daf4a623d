/* nsys_none.c - stands in for nsys_read.c where there is no SQLite: an export of Nsight Systems is known by its words, and refused. */
#include "ingest/nsys/nsys_read.h"

#include "ingest/nsys/nsys_seems.h"

bool ts_nsys_is(const char *path)
{
	return ts_nsys_seems(path);
}

enum ts_status ts_nsys_load(const char *path, const struct ts_trace_reading *reading, struct ts_trace *ret_trace,
			    struct ts_trace_file *ret_file, struct ts_error *err)
{
	(void)reading;
	(void)ret_trace;
	(void)ret_file;
	return ts_error_set(err, TS_UNSUPPORTED,
			    "%s is an export of Nsight Systems, which this tscope cannot read because it was built without SQLite",
			    path);
}
