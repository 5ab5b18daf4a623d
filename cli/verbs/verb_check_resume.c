/* verb_check_resume.c - tscope check-resume: did a run go on correctly from a checkpoint? */
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_resume.h"
#include "cli/verbs/verbs.h"

enum ts_status ts_verb_check_resume(struct ts_cli *cli, struct ts_error *err)
{
	size_t n = cli->args.n_words;
	struct ts_resume_request request = {.has_tolerance = false};
	struct ts_span specs[2];
	struct ts_resume resume;
	enum ts_status status =
		ts_args_above_zero(&cli->args, "tolerance", &request.has_tolerance, &request.tolerance, err);

	if (status)
		return ts_error_prefix(err, "check-resume");
	status = ts_cli_runs(cli, cli->args.words, n, specs, err);
	if (status)
		return status;
	if (n == 2)
		request.parent = specs[0];
	request.child = specs[n - 1];
	status = ts_ask_resume(cli->target.channel, &request, &cli->arena, &resume, err);
	if (status)
		return status;
	if (n == 2)
		ts_cli_call_run(cli, ts_cli_word(cli, 0), &resume.parent);
	ts_cli_call_run(cli, ts_cli_word(cli, n - 1), &resume.child);
	status = cli->json ? ts_json_answer(cli, &ts_shape_resume, &resume, err) : ts_render_resume_text(cli, &resume, err);
	if (!status)
		cli->exit_code = (int)resume.verdict;
	return status;
}
