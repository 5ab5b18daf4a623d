/* Any bytes as meta.yaml and as a metric of MLflow's file store: no crash, no leak. Up to the first byte 0 the one, behind it
 * the other. */
#include "base/digest.h"
#include "base/file.h"
#include "ingest/core/fuzz_reader.h"
#include "ingest/formats/flat_yaml.h"
#include "ingest/mlflow/reader_mlflow.h"

#include <stdio.h>
#include <stdlib.h>

static char base[64];

static void write_file(const char *name, struct ts_span bytes)
{
	char path[128];
	struct ts_error err;
	FILE *f;

	(void)snprintf(path, sizeof path, "%s/%s", base, name);
	f = fopen(path, "w");
	if (!f || (bytes.len && fwrite(bytes.data, 1, bytes.len, f) != bytes.len) || fclose(f) || ts_digest_init(&err))
		abort();
}

/* What a pair says lies in the text it was read from: a value is never longer than what it was written as. */
static void read_pairs(struct ts_span text)
{
	struct ts_flat_yaml y = ts_flat_yaml_of(text);
	struct ts_buf value = TS_BUF_INIT(1 << 20);
	struct ts_yaml_pair pair;

	while (ts_flat_yaml_next(&y, &value, &pair))
		if (pair.value.len > text.len || pair.key.len > text.len)
			abort();
	ts_buf_finish(&value);
}

static void clean(void)
{
	static const char *const names[] = {"metrics/loss", "metrics", "meta.yaml", "."};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char path[128];

		(void)snprintf(path, sizeof path, i == 3 ? "%s" : "%s/%s", base, names[i]);
		(void)remove(path);
	}
}

static void begin(void)
{
	char path[128];
	struct ts_error err;

	(void)snprintf(base, sizeof base, "/tmp/fuzz_mlflow.XXXXXX");
	if (!mkdtemp(base))
		abort();
	(void)snprintf(path, sizeof path, "%s/metrics", base);
	if (ts_make_dirs(path, 0777, &err) || atexit(clean))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t n = zero ? (size_t)(zero - data) : size;
	struct ts_ingest_options options = {.path = base};
	struct ts_ingest_result result;
	struct ts_arena arena;
	struct ts_error err;

	if (!base[0])
		begin();
	write_file("meta.yaml", ts_span_of(data, n));
	write_file("metrics/loss", zero ? ts_span_of(zero + 1, size - n - 1) : ts_span_of(NULL, 0));
	read_pairs(ts_span_of(data, n));
	(void)ts_mlflow_sniff(base);
	ts_arena_init(&arena, 0);
	(void)ts_mlflow_read(&options, fuzz_drop, NULL, &arena, &result, &err);
	ts_arena_finish(&arena);
	return 0;
}
