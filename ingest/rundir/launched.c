#include "ingest/rundir/launched.h"

#include "base/below.h"
#include "base/file.h"
#include "base/path.h"
#include "ingest/kept/kept.h"
#include "ingest/text/text_tail.h"
#include "record/disk.h"

#include <unistd.h>

enum { READ_MAX = 64 << 10 }; /* bytes of each output's end */

bool ts_launched_says(const struct ts_facts *facts)
{
	return ts_facts_find(facts, ts_span_str("session.launch.by")) != NULL;
}

/* Whether the process that waits for the command is still there (launch/launch.h). */
static bool is_minded(const char *top, const char *directory, struct ts_arena *arena)
{
	char *path = ts_path_join(arena, directory, ".launch.lock");
	struct ts_error ignored;
	uint64_t size;
	bool held;
	int fd;

	if (!path || ts_below_kind(top, path) != TS_FILE_REGULAR || ts_below_open(top, path, &fd, &size, &ignored))
		return false;
	held = ts_disk_is_held(fd);
	(void)close(fd);
	return held;
}

/* Reads the end of one output; what cannot be read says nothing. */
static void read_output(const char *top, const char *path, int32_t rank, struct ts_text_tail *tail, struct ts_arena *arena)
{
	uint8_t *bytes = ts_arena_alloc(arena, READ_MAX);
	struct ts_error ignored;
	size_t got = READ_MAX;
	uint64_t size;
	int fd;

	if (!bytes || ts_below_kind(top, path) != TS_FILE_REGULAR || ts_below_open(top, path, &fd, &size, &ignored))
		return;
	if (ts_pread_full(fd, bytes, READ_MAX, size > READ_MAX ? size - READ_MAX : 0, &got, &ignored) == TS_OK)
		ts_text_tail_read(tail, rank, ts_span_of(bytes, got));
	(void)close(fd);
}

static enum ts_status add_printed(const char *top, const char *directory, struct ts_arena *arena, struct ts_facts *facts,
				  struct ts_error *err)
{
	struct ts_text_tail tail = TS_TEXT_TAIL;
	struct ts_arena work;
	enum ts_status status;
	char **names;
	int32_t rank;
	size_t n = 0;

	ts_arena_init(&work, arena->ceiling);
	status = ts_below_list(top, directory, &work, &names, &n, err);
	for (size_t i = 0; !status && i < n; i++)
		if (ts_kept_output(names[i], &rank))
			read_output(top, ts_path_join(&work, directory, names[i]), rank, &tail, &work);
	if (!status)
		status = ts_text_tail_facts(&tail, "output.txt", arena, facts, err);
	ts_arena_finish(&work);
	return status;
}

enum ts_status ts_launched_settle(const char *top, const char *directory, struct ts_arena *arena, struct ts_facts *facts,
				  struct ts_error *err)
{
	bool lost = false;

	for (size_t i = 0; i < facts->n; i++) {
		struct ts_fact *fact = &facts->items[i];

		if (ts_span_is(fact->path, "session.launch.end.state") && fact->type == TS_FACT_TEXT && ts_end_goes_on(fact->text) &&
		    !is_minded(top, directory, arena)) {
			fact->text = ts_span_str("unknown");
			lost = true;
		}
	}
	if (!lost)
		return TS_OK;
	if (add_printed(top, directory, arena, facts, err))
		return err->status;
	(void)ts_facts_sort(facts);
	return TS_OK;
}
