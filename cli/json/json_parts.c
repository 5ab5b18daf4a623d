/* json_parts.c - the pieces that renderers share. */
#include "cli/json/json_parts.h"

#include "base/clock.h"
#include "base/text.h"
#include "cli/view/show_value.h"

void ts_json_id(struct ts_json *j, const char *key, const struct ts_id *id)
{
	char hex[TS_ID_HEX + 1];

	ts_json_key(j, key);
	ts_json_string(j, ts_id_hex(id, hex));
}

void ts_json_text(struct ts_json *j, const char *key, struct ts_span text)
{
	ts_json_key(j, key);
	if (text.len)
		ts_json_span(j, text);
	else
		ts_json_null(j);
}

void ts_json_spans(struct ts_json *j, const char *key, const struct ts_span *texts, size_t n)
{
	ts_json_key(j, key);
	ts_json_array(j);
	for (size_t i = 0; i < n; i++)
		ts_json_span(j, texts[i]);
	ts_json_end(j);
}

void ts_json_time(struct ts_json *j, const char *key, int64_t real_ns)
{
	char text[TS_TIME_TEXT];

	ts_json_key(j, key);
	ts_json_string(j, real_ns ? ts_time_text(real_ns, text) : NULL);
}

void ts_json_word(struct ts_json *j, const char *key, const char *word)
{
	ts_json_key(j, key);
	ts_json_string(j, word);
}

void ts_json_count(struct ts_json *j, const char *key, uint64_t n)
{
	ts_json_key(j, key);
	ts_json_u64(j, n);
}

void ts_json_known_count(struct ts_json *j, const char *key, bool known, uint64_t n)
{
	ts_json_key(j, key);
	if (known)
		ts_json_u64(j, n);
	else
		ts_json_null(j);
}

void ts_json_run(struct ts_json *j, const char *key, const struct ts_run_ref *run)
{
	ts_json_key(j, key);
	(void)ts_shape_json(&ts_shape_run, run, j, NULL, NULL); /* the shape has plain fields only, so this cannot fail */
}

void ts_json_ranks(struct ts_json *j, const char *key, const int32_t *ranks, size_t n)
{
	ts_json_key(j, key);
	ts_json_array(j);
	for (size_t i = 0; i < n; i++)
		ts_json_i64(j, ranks[i]);
	ts_json_end(j);
}

enum ts_status ts_json_answer(struct ts_cli *cli, const struct ts_shape *shape, const void *in, struct ts_error *err)
{
	struct ts_json json = ts_cli_json(cli);
	enum ts_status status = ts_shape_json(shape, in, &json, &cli->arena, err);

	if (!status)
		ts_cli_json_end(cli, &json);
	return status;
}
