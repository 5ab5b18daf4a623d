/* bench_json.c - what reading JSON Lines costs with each library: bench_json FILE. CPU time of one pass over the file in memory,
 * every number converted. docs/decisions/0002-json.md quotes it. */
#include "bench_clock.h"

#include "base/file.h"
#include "base/json_reader.h"

#include <cjson/cJSON.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

typedef double parse_line_fn(struct ts_span line, void *state);

static double with_reader(struct ts_span line, void *state)
{
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;
	double sum = 0;

	ts_json_reader_init(&r, line, state);
	while (ts_json_next(&r, &t, &err) == TS_OK && t.type != TS_JSON_EOF)
		if (t.type == TS_JSON_NUMBER)
			sum += t.number;
	return sum;
}

static int yajl_number(void *ctx, const char *text, size_t len)
{
	char copy[64];

	memcpy(copy, text, len < 63 ? len : 63);
	copy[len < 63 ? len : 63] = '\0';
	*(double *)ctx += strtod(copy, NULL);
	return 1;
}

static double with_yajl(struct ts_span line, void *state)
{
	static const yajl_callbacks callbacks = {.yajl_number = yajl_number};
	double sum = 0;
	yajl_handle h = yajl_alloc(&callbacks, NULL, &sum);

	(void)state;
	(void)yajl_parse(h, line.data, line.len);
	(void)yajl_complete_parse(h);
	yajl_free(h);
	return sum;
}

static double with_cjson(struct ts_span line, void *state)
{
	cJSON *root = cJSON_ParseWithLength((const char *)line.data, line.len);
	double at = cJSON_GetObjectItem(root, "timestamp")->valuedouble;

	(void)state;
	cJSON_Delete(root);
	return at;
}

static double with_jansson(struct ts_span line, void *state)
{
	json_t *root = json_loadb((const char *)line.data, line.len, 0, NULL);
	double at = json_number_value(json_object_get(root, "timestamp"));

	(void)state;
	json_decref(root);
	return at;
}

static void measure(const char *name, parse_line_fn *parse, struct ts_span all, void *state)
{
	int64_t began = bench_cpu_ns();
	double sum = 0;
	size_t at = 0;
	double seconds;

	while (at < all.len) {
		const uint8_t *end = memchr(all.data + at, '\n', all.len - at);
		size_t len = end ? (size_t)(end - all.data) - at : all.len - at;

		sum += parse(ts_span_of(all.data + at, len), state);
		at += len + 1;
	}
	seconds = (double)(bench_cpu_ns() - began) / 1e9;
	printf("%-22s %7.0f MB/s   (checksum %.17g)\n", name, (double)all.len / 1e6 / seconds, sum);
}

int main(int argc, char **argv)
{
	struct ts_buf file = TS_BUF_INIT((size_t)1 << 30);
	struct ts_buf scratch = TS_BUF_INIT(1 << 20);
	struct ts_error err;

	if (argc != 2 || ts_file_read(argv[1], &file, &err)) {
		fprintf(stderr, "usage: bench_json FILE\n");
		return 2;
	}
	measure("tscope json_reader", with_reader, ts_buf_view(&file), &scratch);
	measure("yajl (events, strtod)", with_yajl, ts_buf_view(&file), NULL);
	measure("cJSON (tree)", with_cjson, ts_buf_view(&file), NULL);
	measure("jansson (tree)", with_jansson, ts_buf_view(&file), NULL);
	ts_buf_finish(&scratch);
	ts_buf_finish(&file);
	return 0;
}
