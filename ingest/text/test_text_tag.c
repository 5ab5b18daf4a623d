/* Lines between steps, as programs print them. */
#include "ingest/text/text_tag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void what_lines_say(void **state)
{
	static const struct {
		const char *line, *tag;
	} cases[] = {
		{"INFO:tensorflow:Saving checkpoint to path training/model.ckpt", "checkpoint"},
		{"saving checkpoint to out", "checkpoint"},
		{"Iter 200: Saved adapter weights to checkpoints/200_adapters.npz.", "checkpoint"},
		{"Saving model checkpoint to output/checkpoint-500", "checkpoint"},
		{"  successfully saved checkpoint at iteration  100 to ckpts", "checkpoint"},
		{"wrote ckpt step_100.pt", "checkpoint"},
		{"ppocr INFO: save model in ./output/latest", "checkpoint"},
		{"Snapshotting to binary proto file lenet_iter_5000.caffemodel", "checkpoint"},
		{"save_model: True", NULL},
		{"All models will be saved to ./out", NULL},
		{"Saving checkpoints at: ./out", NULL},
		{"Configuration saved in output/checkpoint-500/config.json", NULL},
		{"Deleting older checkpoint that was saved", NULL},
		{"Starting training, validation every 500 steps", NULL},
		{"***** Running Evaluation *****", "evaluation"},
		{"Evaluating: 100%", "evaluation"},
		{"starting validation", "evaluation"},
		{"Loading checkpoint from out, saved on Monday", NULL},
		{"checkpoint_interval ..... 1000", NULL},
		{"not saving checkpoint", NULL},
		{"validation loss at iteration 100: 2.5", NULL},
		{"model saves memory", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *tag = ts_text_tag(ts_span_str(cases[i].line));

		if (!tag != !cases[i].tag || (tag && strcmp(tag, cases[i].tag) != 0))
			fail_msg("%s: %s", cases[i].line, tag ? tag : "none");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_lines_say)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
