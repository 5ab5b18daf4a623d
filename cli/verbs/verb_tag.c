/* verb_tag.c - tscope tag: a name that stays where it is; without words, those there are. */
#include "cli/core/context.h"
#include "cli/verbs/list_refs.h"
#include "cli/verbs/point_ref.h"
#include "cli/verbs/verbs.h"

static enum ts_status list_tags(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_list_request request = {.kind = TS_REF_TAG};
	const char *project;
	enum ts_status status = ts_cli_project(cli, &project, err);

	if (status)
		return status;
	request.project = ts_span_str(project);
	return ts_list_refs(cli, &request, "name,id,pushed", UINT64_MAX, err);
}

enum ts_status ts_verb_tag(struct ts_cli *cli, struct ts_error *err)
{
	if (cli->args.n_words == 0)
		return list_tags(cli, err);
	if (cli->args.n_words == 1)
		return ts_error_set(err, TS_INVALID, "tag: no tag is given; usage: tscope tag RUN TAG");
	return ts_point_ref(cli, TS_REF_TAG, ts_cli_word(cli, 0), ts_cli_word(cli, 1), err);
}
