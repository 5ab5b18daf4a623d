/* A program built without SQLite knows an MLflow database when it sees one, and says that it cannot read it. */
#include "ingest/core/test_support.h"

#include "ingest/discover.h"
#include "ingest/mlflow/mlflow_db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_database_is_refused_by_name(void **state)
{
	char command[512], path[256];
	struct ts_found_run *runs;
	struct test_run t;
	size_t n;

	(void)state;
	assert_false(ts_mlflow_db_built);
	test_run_init(&t);
	(void)snprintf(path, sizeof path, "%s/x.db", t.base);
	(void)snprintf(command, sizeof command,
		       "python3 -c \"import sqlite3; "
		       "sqlite3.connect('%s').executescript(open('tests/golden/mlflow/mlflow.db.sql').read())\"",
		       path);
	assert_int_equal(system(command), 0);
	assert_int_equal(ts_discover(path, &t.arena, &runs, &n, &t.err), TS_UNSUPPORTED);
	assert_non_null(strstr(t.err.text, "built without SQLite"));
	assert_int_equal(test_ingest_path(&t, path), TS_UNSUPPORTED);
	test_write(&t, "x.db", "SQLite format 3, and nothing of MLflow's");
	assert_int_equal(ts_discover(path, &t.arena, &runs, &n, &t.err), TS_INVALID);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_database_is_refused_by_name)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
