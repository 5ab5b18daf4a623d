/* Any bytes as a .tscope file, and as one component of the path of a run without a name: refused, or a name that may be one. */
#include "cli/core/project.h"
#include "cli/core/run_name.h"
#include "service/handlers/core/resolve.h"
#include "tests/fuzz/fuzz_hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_span text = ts_span_of(data, size);
	const char *name = NULL;
	struct ts_arena arena;
	struct ts_error err;
	bool changed = false;

	ts_arena_init(&arena, 1 << 20);
	if (!ts_project_parse(text, ".tscope", &arena, &name, &err) && name)
		hold(ts_project_check(name, "project", &err) == TS_OK);
	if (!ts_name_component(text, &arena, &name, &changed, &err) && strlen(name) < 64) {
		name = ts_arena_printf(&arena, "p/%s", name);
		hold(name && ts_name_check(ts_span_str(name), &err) == TS_OK);
	}
	ts_arena_finish(&arena);
	return 0;
}
