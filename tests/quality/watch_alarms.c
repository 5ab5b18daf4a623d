/* watch_alarms.c - lets a recorded run be watched with a simulated clock: watch_alarms FOLDER EVERY. FOLDER/whole has the run,
 * FOLDER/live gets its lines as they would have come, and every EVERY seconds what tscope watch asks is asked. Prints a line for each
 * finding that is said: the second, the step, and the code; then one with how many looks there were. watch_alarms.py calls it. */
#include "base/file.h"
#include "base/number.h"
#include "cli/verbs/verbs.h"
#include "cli/watch/alarm.h"
#include "cli/watch/look.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { RANKS = 64, LINE = 1 << 16, FOUND = 64, FIRST_STEPS = 20 };

struct rank {
	FILE *from, *to;
	char line[LINE];
	double time; /* of the line; it is not written yet */
	bool any;
};

struct sim {
	struct rank ranks[RANKS];
	size_t n;
	struct ts_look look;
	struct ts_alarms alarms;
	uint64_t looked, looks;
	double began;
};

static double time_of(const char *line)
{
	const char *at = strstr(line, "\"timestamp\": ");
	double value = 0;
	bool integer;

	if (at)
		(void)ts_number_scan(ts_span_str(at + strlen("\"timestamp\": ")), &value, &integer);
	return value;
}

static void next_line(struct rank *r)
{
	r->any = fgets(r->line, sizeof r->line, r->from) != NULL;
	if (r->any)
		r->time = time_of(r->line);
}

static void open_ranks(struct sim *s, const char *folder)
{
	struct ts_error err;
	char path[4096];

	for (; s->n < RANKS; s->n++) {
		struct rank *r = &s->ranks[s->n];

		(void)snprintf(path, sizeof path, "%s/whole/rank%zu/steps.jsonl", folder, s->n);
		r->from = fopen(path, "r");
		if (!r->from)
			return;
		(void)snprintf(path, sizeof path, "%s/live/rank%zu", folder, s->n);
		(void)ts_make_dirs(path, 0755, &err);
		(void)snprintf(path, sizeof path, "%s/live/rank%zu/steps.jsonl", folder, s->n);
		r->to = fopen(path, "w");
		next_line(r);
		if (s->n == 0)
			s->began = r->time;
	}
}

/* Writes what came before this second. Returns whether more is to come. */
static bool write_until(struct sim *s, double second)
{
	bool more = false;

	for (size_t i = 0; i < s->n; i++) {
		struct rank *r = &s->ranks[i];

		for (; r->any && r->time - s->began <= second; next_line(r))
			(void)fputs(r->line, r->to);
		(void)fflush(r->to);
		more |= r->any;
	}
	return more;
}

static void look_at(struct sim *s, double second)
{
	uint64_t from = ts_alarms_fresh(&s->alarms, s->looked);
	struct ts_found found[FOUND];
	struct ts_look_analysis a;
	const struct ts_alarm *alarm;
	struct ts_arena arena;
	struct ts_error err;
	size_t n = 0;

	ts_arena_init(&arena, (size_t)1 << 30);
	if (ts_look_analyze(&s->look, from, &arena, &a, &err)) {
		(void)fprintf(stderr, "watch_alarms: %s\n", err.text);
		exit(1);
	}
	s->looks++;
	for (; n < a.n_findings && n < FOUND; n++)
		found[n] = (struct ts_found){a.findings[n].code, a.findings[n].severity == TS_SEVERITY_LOW};
	ts_alarms_look(&s->alarms, found, n, from, a.steps);
	while ((alarm = ts_alarms_next(&s->alarms)))
		(void)printf("%.0f %" PRIu64 " %s\n", second, a.steps, alarm->code);
	s->looked = a.steps;
	ts_arena_finish(&arena);
}

int main(int argc, char **argv)
{
	static struct sim s;
	char live[4096];
	const char *words[] = {live, NULL};
	struct ts_cli cli = {.verb = ts_verb_find("watch"), .args = {.words = words, .n_words = 1}, .quiet = true};
	double every = 0;
	bool more = true;

	if (argc != 3 || !ts_parse_double(ts_span_str(argv[2]), &every) || !(every > 0))
		return 2;
	(void)snprintf(live, sizeof live, "%s/live", argv[1]);
	open_ranks(&s, argv[1]);
	if (!s.n)
		return 2;
	ts_term_init(&cli.term, "never");
	ts_look_init(&s.look, &cli);
	for (double second = every; more; second += every) {
		more = write_until(&s, second);
		if (second > FIRST_STEPS)
			look_at(&s, second);
	}
	(void)printf("looks %" PRIu64 "\n", s.looks);
	ts_look_finish(&s.look);
	return 0;
}
