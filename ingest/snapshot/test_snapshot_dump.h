/* test_snapshot_dump.h - the rows of a snapshot as lines of text, as tests/golden/snapshot/make.py writes them. */
#ifndef TSCOPE_INGEST_SNAPSHOT_TEST_SNAPSHOT_DUMP_H
#define TSCOPE_INGEST_SNAPSHOT_TEST_SNAPSHOT_DUMP_H

#include "base/buf.h"
#include "run/snapshot.h"

void test_snapshot_dump(const struct ts_snapshot *s, struct ts_buf *out);

#endif
