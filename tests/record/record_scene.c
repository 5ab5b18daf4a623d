/* Records a short run under a clock that stands still, so that every byte is known: record_scene DIRECTORY. vectors.py builds the same
 * file from the specification. */
#include "record/cpu.h"
#include "record/tick.h"
#include "record/tscope.h"

#include <string.h>

static _Atomic int64_t now = 1000000;

int64_t ts_tick_ns(void)
{
	return now;
}

void ts_tick_follow(void)
{
}

void ts_tick_wall(int64_t *ret_unix_ns, int64_t *ret_tick_ns)
{
	*ret_unix_ns = INT64_C(1795417033083715001);
	*ret_tick_ns = now;
}

void ts_tick_token(uint8_t token[16])
{
	memcpy(token, "0123456789abcdef", 16);
}

uint32_t ts_tick_process(void)
{
	return 4711;
}

/* How busy the host is while this runs is no part of what is expected. */
int ts_cpu_open(void)
{
	return -1;
}

bool ts_cpu_waited(int fd, int64_t *ret_ns)
{
	(void)fd;
	(void)ret_ns;
	return false;
}

static tscope_column phase[2], device, region, loss, memory, tokens, batch, note;

static void declare(struct tscope_run *run)
{
	phase[0] = tscope_declare(run, TSCOPE_PHASE, "forward");
	phase[1] = tscope_declare(run, TSCOPE_PHASE, "backward");
	device = tscope_declare(run, TSCOPE_DEVICE_PHASE, "forward");
	region = tscope_declare(run, TSCOPE_REGION, "all-reduce");
	loss = tscope_declare(run, TSCOPE_NUMBER, "loss");
	memory = tscope_declare(run, TSCOPE_MEMORY, "allocated");
	tokens = tscope_declare(run, TSCOPE_AMOUNT, "tokens");
	batch = tscope_declare(run, TSCOPE_DIGEST, "batch");
	note = tscope_declare(run, TSCOPE_EVENT, "größe");
}

static void first_step(struct tscope_run *run)
{
	now += 500;
	tscope_step_begin(run, TSCOPE_NEXT);
	now += 30;
	tscope_mark(run, phase[0]);
	now += 50;
	tscope_mark(run, phase[1]);
	now += 7;
	tscope_mark(run, phase[0]);
	tscope_log(run, loss, 2.0);
	tscope_log(run, loss, 2.5);
	tscope_log(run, memory, 1e9);
	tscope_log(run, tokens, 8192);
	tscope_log_digest(run, batch, UINT64_C(0xfedcba9876543210));
	tscope_digest(run, "layers.0", "param", 0, 9, 17);
	tscope_digest(run, "layers.0", "activation", 1, 18, 19);
	now += 13;
	tscope_step_end(run);
}

static void second_step(struct tscope_run *run)
{
	now += 11;
	tscope_add_ns(run, phase[1], 4); /* outside: from `between` */
	tscope_log(run, loss, 2.25);	 /* late */
	tscope_step_begin(run, 7);
	tscope_region(run, region, now - 3);
	now += 10;
	tscope_add_ns(run, phase[0], 6); /* inside: from what is marked next */
	tscope_add_ns(run, device, 100);
	tscope_mark(run, phase[1]);
	tscope_digest(run, "layers.0", NULL, 0, 0, 20);
	tscope_step_end(run);
	tscope_late_ns(run, 7, device, 123);
	tscope_late(run, 0, tokens, 4096);
	tscope_late_digest(run, 7, batch, 1);
}

int main(int argc, char **argv)
{
	struct tscope_options o = {.directory = argc > 1 ? argv[1] : NULL, .rank = 2, .world_size = 3, .flush_ms = 250};
	struct tscope_run *run;

	o.name = "a \"scene\"";
	o.config = "{\"lr\": 1e-3}";
	o.facts = "{\"seeds\": {\"torch\": 1}}";
	if (tscope_open(&o, &run, NULL))
		return 1;
	declare(run);
	first_step(run);
	second_step(run);
	tscope_event(run, note, -0.5);
	now += 1;
	tscope_event_text(run, note, "an evaluation");
	tscope_step_begin(run, TSCOPE_NEXT);
	tscope_step_cancel(run);
	(void)tscope_facts(run, "{\"seeds\": {\"numpy\": 2}, \"work\": {\"tokens_per_step\": 8192}}", NULL);
	now += 1000;
	tscope_close(run);
	return 0;
}
