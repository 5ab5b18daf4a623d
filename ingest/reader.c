#include "ingest/reader.h"

#include "ingest/run_dir.h"

static const struct ts_reader readers[] = {
	{"pytscope run directory", "", ts_run_dir_sniff, ts_run_dir_read},
};

const struct ts_reader *ts_readers(size_t *ret_n)
{
	*ret_n = sizeof readers / sizeof readers[0];
	return readers;
}
