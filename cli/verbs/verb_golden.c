/* verb_golden.c - tscope golden: writes what a run computed as a golden record, with who accepted it and why. */
#include "base/clock.h"
#include "base/file.h"
#include "base/user.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/verbs/golden_run.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { STEPS = 50, STEPS_MOST = 100000, OUTPUT_MAX = 64 << 20 };

/* What was accepted before stays in the file. */
static enum ts_status before(struct ts_cli *cli, const char *path, struct ts_golden *golden, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_GOLDEN_READ_MOST);
	struct ts_golden old = {.n = 0};
	enum ts_status status = ts_file_read(path, &text, err);

	if (!status && ts_golden_parse(ts_buf_view(&text), &cli->arena, &old, err))
		status = ts_error_prefix(err, "%s", path);
	ts_buf_finish(&text);
	if (status)
		return status;
	golden->accepted = ts_arena_array(&cli->arena, old.n_accepted + 1, sizeof *golden->accepted);
	if (!golden->accepted)
		return ts_arena_error(&cli->arena, err);
	if (old.n_accepted)
		memcpy(golden->accepted, old.accepted, old.n_accepted * sizeof *old.accepted);
	golden->n_accepted = old.n_accepted;
	return TS_OK;
}

static enum ts_status accept(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_golden *golden, struct ts_error *err)
{
	const char *by = ts_args_text(&cli->args, "by");
	time_t now = (time_t)(ts_now_real_ns() / 1000000000);
	char day[32] = "", self[TS_USER_TEXT], hex[TS_ID_HEX + 1];
	struct tm utc;

	if (!golden->accepted)
		golden->accepted = ts_arena_array(&cli->arena, 1, sizeof *golden->accepted);
	if (!golden->accepted)
		return ts_arena_error(&cli->arena, err);
	if (gmtime_r(&now, &utc) && strftime(day, sizeof day, "%Y-%m-%d", &utc) == 0)
		day[0] = '\0';
	golden->accepted[golden->n_accepted++] = (struct ts_golden_accepted){
		.by = ts_span_str(by ? by : ts_arena_phrase(&cli->arena, "%s", ts_user_self(self))),
		.at = ts_span_str(ts_arena_phrase(&cli->arena, "%s", day)),
		.why = ts_span_str(ts_args_text(&cli->args, "why")),
		.run = ts_span_str(ts_arena_phrase(&cli->arena, "%s", ts_id_hex(&run->run.id, hex))),
	};
	return ts_arena_check(&cli->arena, err);
}

static enum ts_status write_file(const char *path, const struct ts_golden *golden, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(OUTPUT_MAX);
	enum ts_status status = ts_golden_print(golden, &text, err);

	if (!status)
		status = ts_file_replace(path, ts_buf_view(&text), 0644, err);
	ts_buf_finish(&text);
	return status;
}

static enum ts_status make(struct ts_cli *cli, bool update, struct ts_golden *golden, struct ts_error *err)
{
	const char *path = ts_cli_word(cli, 1), *why = ts_args_text(&cli->args, "why");
	struct ts_get_reply run;
	struct ts_span spec;
	uint64_t steps = STEPS;
	bool given;

	if (!why || !*why)
		return ts_error_set(err, TS_INVALID, "--why is needed: whoever reads the file later asks for it");
	if (!update && ts_file_kind(path) != TS_FILE_NONE)
		return ts_error_set(err, TS_CONFLICT, "%s is there: 'tscope golden update' replaces it", path);
	if (ts_args_uint(&cli->args, "steps", STEPS_MOST, &given, &steps, err) || ts_cli_run(cli, ts_cli_word(cli, 2), &spec, err) ||
	    ts_golden_of_run(cli, spec, steps ? steps : STEPS, false, golden, &run, err))
		return err->status;
	if (!golden->n || !golden->series[0].n)
		return ts_error_set(err, TS_INVALID, "the run has no loss, gradient norm or digest that could be kept");
	if (update && before(cli, path, golden, err))
		return err->status;
	return accept(cli, &run, golden, err) || write_file(path, golden, err) ? err->status : TS_OK;
}

enum ts_status ts_verb_golden(struct ts_cli *cli, struct ts_error *err)
{
	const char *what = ts_cli_word(cli, 0);
	bool update = strcmp(what, "update") == 0;
	struct ts_golden golden;

	if (!update && strcmp(what, "make") != 0)
		return ts_error_set(err, TS_INVALID, "golden: '%s' is neither make nor update", what);
	if (make(cli, update, &golden, err))
		return ts_error_prefix(err, "golden");
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_golden, &golden, err);
	ts_buf_printf(&cli->out, "%s has %zu series:", ts_show_text(ts_span_str(ts_cli_word(cli, 1)), &cli->arena), golden.n);
	for (size_t i = 0; i < golden.n; i++)
		ts_buf_printf(&cli->out, "%s %s (%zu)", i ? "," : "", ts_show_text(golden.series[i].name, &cli->arena),
			      golden.series[i].n);
	ts_buf_str(&cli->out, ".\n");
	return ts_arena_check(&cli->arena, err);
}
