#include "cli/trace/chosen_trace.h"

#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/json/json_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/stored_trace.h"

static enum ts_status of_file(struct ts_cli *cli, const char *path, struct ts_chosen_trace *ret, struct ts_error *err)
{
	struct ts_notices notices = {.arena = &cli->arena};

	if (ts_load_trace(cli, path, path, &notices, &ret->trace, &ret->file, err))
		return err->status;
	ret->is_file = true;
	ts_say_notices(cli, path, &notices, false);
	return TS_OK;
}

static enum ts_status find_of_run(struct ts_cli *cli, const struct ts_trace_choice *choice, const struct ts_run_trace **ret,
				  struct ts_error *err)
{
	struct ts_run_trace *traces = NULL;
	struct ts_get_reply run;
	struct ts_span spec;
	size_t n = 0;

	if (ts_cli_run(cli, choice->word, &spec, err) || ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) ||
	    ts_stored_traces(cli, &run, &traces, &n, err))
		return err->status;
	if (!choice->name && n == 0)
		return ts_error_set(err, TS_NOT_FOUND, "%s has no trace of a profiler", choice->word);
	if (!choice->name && !choice->has_rank && n > 1)
		return ts_error_set(err, TS_AMBIGUOUS, "%s has %zu traces; say which by its name, and by its rank if several have it",
				    choice->word, n);
	return ts_stored_choose(cli, traces, n, choice->name, choice->has_rank, choice->rank, ret, err);
}

enum ts_status ts_find_trace(struct ts_cli *cli, const struct ts_trace_choice *choice, struct ts_found_trace *ret_found,
			     struct ts_error *err)
{
	bool is_file = false;

	if (ts_is_trace(choice->word, &is_file, err))
		return err->status;
	if (is_file && choice->name)
		return ts_error_set(err, TS_INVALID, "%s is a trace itself, which has none with a name", choice->word);
	if (is_file && choice->has_rank)
		return ts_error_set(err, TS_INVALID, "%s is a trace itself; a rank is one of a run", choice->word);
	*ret_found = (struct ts_found_trace){.path = is_file ? choice->word : NULL};
	return is_file ? TS_OK : find_of_run(cli, choice, &ret_found->stored, err);
}

enum ts_status ts_load_found(struct ts_cli *cli, const struct ts_found_trace *found, struct ts_chosen_trace *ret_chosen,
			     struct ts_error *err)
{
	struct ts_trace_record record;

	*ret_chosen = (struct ts_chosen_trace){.is_file = false};
	if (!found->stored)
		return of_file(cli, found->path, ret_chosen, err);
	ts_trace_room(cli, found->stored->size);
	return ts_stored_load(cli, found->stored, &cli->arena, &ret_chosen->trace, &record, err);
}

enum ts_status ts_choose_trace(struct ts_cli *cli, const struct ts_trace_choice *choice, struct ts_chosen_trace *ret_chosen,
			       struct ts_error *err)
{
	struct ts_found_trace found;

	return ts_find_trace(cli, choice, &found, err) || ts_load_found(cli, &found, ret_chosen, err) ? err->status : TS_OK;
}

void ts_chosen_trace_finish(struct ts_chosen_trace *chosen)
{
	ts_trace_finish(&chosen->trace);
	if (chosen->is_file)
		ts_trace_file_finish(&chosen->file);
}
