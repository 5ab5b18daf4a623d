/* train_bigram.c - a small language model, trained by SGD and recorded: which letter follows the two before it.
 *
 *	cc -I. record/example/train_bigram.c record/[a-z]*.c -pthread -lm	(see README.md for which files of the room)
 *	train_bigram RUN [STEPS [SEED [RATE]]]
 *
 * Two letters are embedded, a hidden layer with tanh looks at both, and a softmax over 27 letters comes out; all in float32, the
 * gradient by hand. The text is made of words by a generator of random numbers, so nothing is downloaded. What has to do with
 * recording are the lines with tscope_ in them.
 */
#include "record/tscope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 27, WIDTH = 16, HIDDEN = 64, BATCH = 32, TEXT = 20000, INPUT = 2 * WIDTH };
enum {
	EMBED = 0,
	W1 = EMBED + LETTERS * WIDTH,
	B1 = W1 + HIDDEN * INPUT,
	W2 = B1 + HIDDEN,
	B2 = W2 + LETTERS * HIDDEN,
	PARAMETERS = B2 + LETTERS
};

static float parameters[PARAMETERS], gradient[PARAMETERS];
static unsigned char text[TEXT];
static struct {
	int letters[BATCH][3]; /* two that are seen, and the one to say */
	float hidden[BATCH][HIDDEN];
	float p[BATCH][LETTERS];
} batch;

/* xorshift64*; the same on every machine. */
static uint64_t chance(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static void make_text(uint64_t seed)
{
	static const char *const words[] = {"the", "loss", "of",     "a",     "small",	"model", "falls",
					    "as",  "it",   "learns", "which", "letter", "comes", "next"};
	size_t at = 0;

	while (at < TEXT) {
		const char *word = words[chance(&seed) % (sizeof words / sizeof *words)];

		for (; *word && at < TEXT; word++)
			text[at++] = (unsigned char)(*word - 'a' + 1);
		if (at < TEXT)
			text[at++] = 0;
	}
}

static void make_parameters(uint64_t seed)
{
	for (int i = 0; i < PARAMETERS; i++)
		parameters[i] = ((float)(chance(&seed) >> 40) / 16777216.0F - 0.5F) * (i < W1 ? 1.0F : 0.3F);
}

static void next_batch(uint64_t *state)
{
	for (int b = 0; b < BATCH; b++) {
		size_t at = chance(state) % (TEXT - 2);

		for (int k = 0; k < 3; k++)
			batch.letters[b][k] = text[at + (size_t)k];
	}
}

static const float *input(int b, int i)
{
	return &parameters[EMBED + batch.letters[b][i / WIDTH] * WIDTH + i % WIDTH];
}

static void softmax(float *p, const float *hidden)
{
	float sum = 0, most = -1e30F;

	for (int o = 0; o < LETTERS; o++) {
		p[o] = parameters[B2 + o];
		for (int h = 0; h < HIDDEN; h++)
			p[o] += parameters[W2 + o * HIDDEN + h] * hidden[h];
		most = p[o] > most ? p[o] : most;
	}
	for (int o = 0; o < LETTERS; o++)
		sum += p[o] = expf(p[o] - most);
	for (int o = 0; o < LETTERS; o++)
		p[o] /= sum;
}

/* Returns the mean cross entropy of the batch. */
static float forward(void)
{
	float loss = 0;

	for (int b = 0; b < BATCH; b++) {
		for (int h = 0; h < HIDDEN; h++) {
			float sum = parameters[B1 + h];

			for (int i = 0; i < INPUT; i++)
				sum += parameters[W1 + h * INPUT + i] * *input(b, i);
			batch.hidden[b][h] = tanhf(sum);
		}
		softmax(batch.p[b], batch.hidden[b]);
		loss -= logf(batch.p[b][batch.letters[b][2]]) / BATCH;
	}
	return loss;
}

static void backward_of(int b)
{
	float dhidden[HIDDEN] = {0};

	for (int o = 0; o < LETTERS; o++) {
		float d = (batch.p[b][o] - (o == batch.letters[b][2] ? 1.0F : 0.0F)) / BATCH;

		gradient[B2 + o] += d;
		for (int h = 0; h < HIDDEN; h++) {
			gradient[W2 + o * HIDDEN + h] += d * batch.hidden[b][h];
			dhidden[h] += d * parameters[W2 + o * HIDDEN + h];
		}
	}
	for (int h = 0; h < HIDDEN; h++) {
		float d = dhidden[h] * (1 - batch.hidden[b][h] * batch.hidden[b][h]);

		gradient[B1 + h] += d;
		for (int i = 0; i < INPUT; i++) {
			gradient[W1 + h * INPUT + i] += d * *input(b, i);
			gradient[input(b, i) - parameters] += d * parameters[W1 + h * INPUT + i];
		}
	}
}

static void backward(void)
{
	memset(gradient, 0, sizeof gradient);
	for (int b = 0; b < BATCH; b++)
		backward_of(b);
}

/* Returns the norm of the gradient. */
static float update(float rate)
{
	float squares = 0;

	for (int i = 0; i < PARAMETERS; i++) {
		squares += gradient[i] * gradient[i];
		parameters[i] -= rate * gradient[i];
	}
	return sqrtf(squares);
}

/* A sum over the bits of all parameters: equal runs have equal ones. */
static uint64_t digest(const float *values, int n)
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++) {
		uint32_t bits;

		memcpy(&bits, &values[i], sizeof bits);
		sum += (bits + UINT64_C(1)) * (2 * (uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
	}
	return sum;
}

static void train(struct tscope_run *run, int steps, uint64_t seed, float rate)
{
	tscope_column data = tscope_declare(run, TSCOPE_PHASE, "data"), fwd = tscope_declare(run, TSCOPE_PHASE, "forward");
	tscope_column bwd = tscope_declare(run, TSCOPE_PHASE, "backward"), opt = tscope_declare(run, TSCOPE_PHASE, "optimizer");
	tscope_column loss = tscope_declare(run, TSCOPE_NUMBER, "loss"), lr = tscope_declare(run, TSCOPE_NUMBER, "lr");
	tscope_column norm = tscope_declare(run, TSCOPE_NUMBER, "grad_norm"), tokens = tscope_declare(run, TSCOPE_AMOUNT, "tokens");
	tscope_column params = tscope_declare(run, TSCOPE_DIGEST, "params");

	for (int i = 0; i < steps; i++) {
		float now = rate * (1 - (float)i / (float)steps), l;

		tscope_step_begin(run, TSCOPE_NEXT);
		next_batch(&seed);
		tscope_mark(run, data);
		l = forward();
		tscope_mark(run, fwd);
		backward();
		tscope_mark(run, bwd);
		tscope_log(run, norm, (double)update(now));
		tscope_mark(run, opt);
		tscope_log(run, loss, (double)l);
		tscope_log(run, lr, (double)now);
		tscope_log(run, tokens, BATCH);
		if (i % 100 == 99 || i == steps - 1)
			tscope_log_digest(run, params, digest(parameters, PARAMETERS));
		tscope_step_end(run);
		if (i % 100 == 0 || i == steps - 1)
			printf("step %d: loss %.4f\n", i, (double)l);
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 500;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	float rate = argc > 4 ? strtof(argv[4], NULL) : 0.5F;
	char config[128], facts[128];
	struct tscope_options o = {.directory = argc > 1 ? argv[1] : "runs/bigram", .config = config, .facts = facts};
	struct tscope_error err;
	struct tscope_run *run;

	(void)snprintf(config, sizeof config, "{\"rate\": %g, \"batch\": %d, \"hidden\": %d}", (double)rate, BATCH, HIDDEN);
	(void)snprintf(facts, sizeof facts, "{\"seeds\": {\"bigram\": %lu}, \"columns\": {\"digests.params\": {\"when\": \"after\"}}}",
		       (unsigned long)seed);
	if (tscope_open(&o, &run, &err)) /* run is NULL then, and training goes on without a record */
		(void)fprintf(stderr, "not recorded: %s\n", err.text);
	make_text(42);
	make_parameters(seed);
	train(run, steps, seed + 1, rate);
	tscope_close(run);
	return 0;
}
