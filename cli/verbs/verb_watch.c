/* verb_watch.c - tscope watch: shows a run while it goes on, and says what happens to it. */
#include "cli/verbs/verbs.h"
#include "cli/watch/watch.h"

enum ts_status ts_verb_watch(struct ts_cli *cli, struct ts_error *err)
{
	if (cli->json)
		return ts_error_set(err, TS_INVALID, "watch: there is no JSON of it; --exec gets what happens as JSON");
	return ts_watch(cli, err);
}
