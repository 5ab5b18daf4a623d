#include "cli/snapshot/device_capacity.h"

#include "analysis/rank/setup.h"
#include "cli/core/device_memory.h"
#include "ingest/rundir/around.h"

enum ts_status ts_capacity_option(const struct ts_args *args, uint64_t *ret_bytes, struct ts_error *err)
{
	double bytes = 0;
	bool given = false;

	if (ts_device_memory_option(args, &given, &bytes, err))
		return err->status;
	if (given && bytes >= TS_WORK_CAPACITY_MAX)
		return ts_error_set(err, TS_INVALID, "--device-memory %g bytes cannot be the memory of a device", bytes);
	*ret_bytes = given ? (uint64_t)bytes : 0;
	return TS_OK;
}

enum ts_status ts_capacity_of_facts(const struct ts_facts *facts, struct ts_arena *arena, struct ts_device_capacity *ret,
				    struct ts_error *err)
{
	struct ts_measures setup = {.n = 0};
	struct ts_work work;
	uint64_t bytes;

	ts_work_of_facts(facts, &work);
	bytes = ts_work_capacity(&work);
	if (ts_setup(facts, &work, NULL, arena, &setup, err))
		return err->status;
	*ret = (struct ts_device_capacity){bytes, bytes ? work.device_bytes.source : NULL, setup};
	return TS_OK;
}

enum ts_status ts_capacity_around(struct ts_cli *cli, const char *file, struct ts_device_capacity *ret, struct ts_error *err)
{
	struct ts_error cannot = {.status = TS_OK};
	struct ts_facts facts = {.n = 0};
	const char *run = NULL;

	*ret = (struct ts_device_capacity){.bytes = 0};
	if (ts_facts_around(file, &cli->arena, &run, &facts, &cannot) == TS_NO_MEMORY) {
		*err = cannot;
		return err->status;
	}
	if (cannot.status)
		ts_cli_say(cli, "%s: the facts of the run around it are left out: %s", file, cannot.text);
	return run && !cannot.status ? ts_capacity_of_facts(&facts, &cli->arena, ret, err) : TS_OK;
}
