#include "cli/snapshot/device_capacity.h"

#include "analysis/rank/work.h"
#include "ingest/rundir/around.h"

struct ts_device_capacity ts_capacity_of_facts(const struct ts_facts *facts)
{
	struct ts_work work;

	ts_work_of_facts(facts, &work);
	if (!work.device_bytes.known || work.device_bytes.value < 1 || work.device_bytes.value >= 0x1p62)
		return (struct ts_device_capacity){0, NULL};
	return (struct ts_device_capacity){(uint64_t)work.device_bytes.value, work.device_bytes.source};
}

enum ts_status ts_capacity_around(struct ts_cli *cli, const char *file, struct ts_device_capacity *ret, struct ts_error *err)
{
	struct ts_error cannot = {.status = TS_OK};
	struct ts_facts facts = {.n = 0};
	const char *run = NULL;

	*ret = (struct ts_device_capacity){0, NULL};
	if (ts_facts_around(file, &cli->arena, &run, &facts, &cannot) == TS_NO_MEMORY) {
		*err = cannot;
		return err->status;
	}
	if (cannot.status)
		ts_cli_say(cli, "%s: the facts of the run around it are left out: %s", file, cannot.text);
	else if (run)
		*ret = ts_capacity_of_facts(&facts);
	return TS_OK;
}
