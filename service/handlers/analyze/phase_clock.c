#include "service/handlers/analyze/phase_clock.h"

#include "base/door.h"
#include "base/limits.h"

bool ts_phase_of_device(const struct ts_facts *facts, struct ts_span column)
{
	struct ts_buf path = TS_BUF_INIT(4 * TS_PATH_MAX);
	const struct ts_fact *clock = NULL;

	TS_DOOR(ts_facts_hold(facts));
	ts_buf_str(&path, "columns");
	ts_path_key(&path, column);
	ts_path_key(&path, ts_span_str("clock"));
	if (!path.failed)
		clock = ts_facts_find(facts, ts_buf_view(&path));
	ts_buf_finish(&path);
	return clock && clock->type == TS_FACT_TEXT && ts_span_is(clock->text, "device");
}
