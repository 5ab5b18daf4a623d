#include "toy_trainer.h"

#include <math.h>
#include <string.h>

/* The state of one step, which the next step does not need. */
struct pass {
	enum toy_precision precision;
	bool other_kernel;
	uint32_t parts;
	uint32_t order[TOY_BATCH]; /* the order of summation */
	const float *x[TOY_BATCH];
	uint8_t y[TOY_BATCH];
	float keep[TOY_BATCH][2][TOY_HIDDEN]; /* 0 for a dropped unit, or the factor of a kept one */
	float w[TOY_PARAMS];		      /* the weights as they are rounded for the products */
	float grad[TOY_PARAMS];
	float loss;
	struct toy_row *row;
};

/* The activations of one sample. a and s are before and after SiLU, h is after dropout, and d is the gradient that
 * flows back. */
struct sample {
	float x[TOY_IN];
	float a[2][TOY_HIDDEN], s[2][TOY_HIDDEN], h[2][TOY_HIDDEN];
	float logits[TOY_CLASSES], d_logits[TOY_CLASSES];
	float d[2][TOY_HIDDEN];
};

static uint64_t mix(uint64_t h)
{
	h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
	return h ^ (h >> 31);
}

static uint64_t digest(uint64_t h, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	uint64_t word;

	for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
		memcpy(&word, at, sizeof word);
		h = mix(h + UINT64_C(0x9e3779b97f4a7c15) + word);
	}
	for (; bytes > 0; at++, bytes--)
		h = mix(h + UINT64_C(0x9e3779b97f4a7c15) + *at);
	return h;
}

float toy_round(float x, enum toy_precision precision)
{
	unsigned drop = precision == TOY_BF16 ? 16 : 13;
	uint32_t bits;

	if (precision == TOY_FP32 || !isfinite(x))
		return x;
	memcpy(&bits, &x, sizeof bits);
	bits += (UINT32_C(1) << (drop - 1)) - 1 + (bits >> drop & 1);
	bits = bits >> drop << drop;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static void round_all(float *x, size_t n, enum toy_precision precision)
{
	if (precision == TOY_FP32)
		return;
	for (size_t i = 0; i < n; i++)
		x[i] = toy_round(x[i], precision);
}

/* Rounds the result of a product. Under TF32 it stays float32. */
static void round_out(float *x, size_t n, enum toy_precision precision)
{
	if (precision == TOY_BF16)
		round_all(x, n, precision);
}

/* --- data --- */

void toy_data_draw(struct toy_data *data, uint64_t seed)
{
	float centre[TOY_CLASSES][TOY_IN];
	struct ts_random r;

	ts_random_init(&r, mix(seed + 11));
	for (size_t c = 0; c < TOY_CLASSES; c++)
		for (size_t i = 0; i < TOY_IN; i++)
			centre[c][i] = (float)(0.7 * ts_random_normal(&r));
	for (size_t n = 0; n < TOY_SAMPLES; n++) {
		data->y[n] = (uint8_t)ts_random_below(&r, TOY_CLASSES);
		for (size_t i = 0; i < TOY_IN; i++)
			data->x[n][i] = centre[data->y[n]][i] + (float)ts_random_normal(&r);
	}
}

static void shuffle(uint32_t *items, uint32_t n, struct ts_random *r)
{
	for (uint32_t i = 0; i < n; i++)
		items[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t at = ts_random_below(r, i), held = items[i - 1];

		items[i - 1] = items[at];
		items[at] = held;
	}
}

/* Samples lie in fixed batches, and an epoch draws the order of the batches. So two orders of one data set have the
 * same batches. */
static void take_batch(const struct toy *toy, uint64_t seed, uint32_t position, struct pass *p)
{
	uint32_t order[TOY_BATCHES], first;
	struct ts_random r;

	ts_random_init(&r, mix(seed + 22) + position / TOY_BATCHES);
	shuffle(order, TOY_BATCHES, &r);
	first = order[position % TOY_BATCHES] * TOY_BATCH;
	for (uint32_t i = 0; i < TOY_BATCH; i++) {
		p->x[i] = toy->data->x[first + i];
		p->y[i] = toy->data->y[first + i];
	}
	p->row->batch = digest(digest(1, toy->data->x[first], sizeof toy->data->x[0] * TOY_BATCH), toy->data->y + first,
			       TOY_BATCH);
}

/* --- forward and backward of one sample --- */

/* Computes out = in * w + b, where w has n_in rows of n_out. */
static void product(const float *in, size_t n_in, const float *w, const float *b, float *out, size_t n_out,
		    bool backwards)
{
	memcpy(out, b, n_out * sizeof *out);
	for (size_t k = 0; k < n_in; k++) {
		size_t i = backwards ? n_in - 1 - k : k;
		const float *row = w + i * n_out;

		for (size_t o = 0; o < n_out; o++)
			out[o] += in[i] * row[o];
	}
}

static float sigmoid(float z)
{
	return 1.0F / (1.0F + expf(-z));
}

static void silu(const struct pass *p, const float *a, float *s)
{
	for (size_t i = 0; i < TOY_HIDDEN; i++) {
		float gate = sigmoid(a[i]);

		s[i] = a[i] * (p->other_kernel ? toy_round(gate, p->precision) : gate);
	}
	round_out(s, TOY_HIDDEN, p->precision);
}

static void hidden(const struct pass *p, struct sample *s, size_t layer, const float *keep)
{
	silu(p, s->a[layer], s->s[layer]);
	for (size_t i = 0; i < TOY_HIDDEN; i++)
		s->h[layer][i] = s->s[layer][i] * keep[i];
	round_all(s->h[layer], TOY_HIDDEN, p->precision);
}

/* Computes the cross entropy of the class y, and its gradient for the mean over a batch. */
static float cross_entropy(struct sample *s, uint8_t y)
{
	float most = s->logits[0], sum = 0;

	for (size_t c = 1; c < TOY_CLASSES; c++)
		most = s->logits[c] > most ? s->logits[c] : most;
	for (size_t c = 0; c < TOY_CLASSES; c++) {
		s->d_logits[c] = expf(s->logits[c] - most);
		sum += s->d_logits[c];
	}
	for (size_t c = 0; c < TOY_CLASSES; c++)
		s->d_logits[c] = (s->d_logits[c] / sum - (c == y ? 1.0F : 0.0F)) / TOY_BATCH;
	return logf(sum) + most - s->logits[y];
}

static float forward(const struct pass *p, uint32_t i, struct sample *s)
{
	memcpy(s->x, p->x[i], sizeof s->x);
	round_all(s->x, TOY_IN, p->precision);
	product(s->x, TOY_IN, p->w + TOY_W1, p->w + TOY_B1, s->a[0], TOY_HIDDEN, p->other_kernel);
	round_out(s->a[0], TOY_HIDDEN, p->precision);
	hidden(p, s, 0, p->keep[i][0]);
	product(s->h[0], TOY_HIDDEN, p->w + TOY_W2, p->w + TOY_B2, s->a[1], TOY_HIDDEN, p->other_kernel);
	round_out(s->a[1], TOY_HIDDEN, p->precision);
	hidden(p, s, 1, p->keep[i][1]);
	product(s->h[1], TOY_HIDDEN, p->w + TOY_W3, p->w + TOY_B3, s->logits, TOY_CLASSES, p->other_kernel);
	round_out(s->logits, TOY_CLASSES, p->precision);
	return cross_entropy(s, p->y[i]);
}

/* Computes d_in = d_out * transposed w, and adds in (x) d_out to the gradients of w and b. */
static void back(const struct pass *p, const float *in, size_t n_in, const float *d_out, size_t n_out, size_t w,
		 float *d_in, float *grad)
{
	for (size_t i = 0; i < n_in; i++) {
		const float *row = p->w + w + i * n_out;
		float *g = grad + w + i * n_out, sum = 0;

		for (size_t o = 0; o < n_out; o++) {
			g[o] += in[i] * d_out[o];
			sum += row[o] * d_out[o];
		}
		if (d_in)
			d_in[i] = sum;
	}
	for (size_t o = 0; o < n_out; o++) /* the bias lies behind its matrix */
		grad[w + n_in * n_out + o] += d_out[o];
}

static void back_hidden(const struct pass *p, struct sample *s, size_t layer, const float *keep)
{
	float *d = s->d[layer];

	for (size_t i = 0; i < TOY_HIDDEN; i++) {
		float gate = sigmoid(s->a[layer][i]);

		d[i] = toy_round(d[i] * keep[i], p->precision) * gate * (1.0F + s->a[layer][i] * (1.0F - gate));
	}
	round_all(d, TOY_HIDDEN, p->precision);
}

static void backward(const struct pass *p, uint32_t i, struct sample *s, float *grad)
{
	round_all(s->d_logits, TOY_CLASSES, p->precision);
	back(p, s->h[1], TOY_HIDDEN, s->d_logits, TOY_CLASSES, TOY_W3, s->d[1], grad);
	back_hidden(p, s, 1, p->keep[i][1]);
	back(p, s->h[0], TOY_HIDDEN, s->d[1], TOY_HIDDEN, TOY_W2, s->d[0], grad);
	back_hidden(p, s, 0, p->keep[i][0]);
	back(p, s->x, TOY_IN, s->d[0], TOY_HIDDEN, TOY_W1, NULL, grad);
}

/* --- a step --- */

static bool from(const struct toy *toy, const struct toy_fault *f, enum toy_fault_kind kind)
{
	return f && f->kind == kind && toy->step >= f->step;
}

static bool at(const struct toy *toy, const struct toy_fault *f, enum toy_fault_kind kind)
{
	return f && f->kind == kind && toy->step == f->step;
}

void toy_start(struct toy *toy, const struct toy_recipe *recipe, const struct toy_data *data)
{
	struct ts_random r;

	memset(toy, 0, sizeof *toy);
	toy->recipe = *recipe;
	toy->data = data;
	ts_random_init(&toy->dropout, mix(recipe->dropout_seed + 33));
	ts_random_init(&r, mix(recipe->init_seed + 44));
	for (size_t i = 0; i < TOY_PARAMS; i++) {
		bool bias = (i >= TOY_B1 && i < TOY_W2) || (i >= TOY_B2 && i < TOY_W3) || i >= TOY_B3;
		double fan_in = i < TOY_B1 ? TOY_IN : TOY_HIDDEN;

		toy->w[i] = bias ? 0 : (float)(ts_random_normal(&r) / sqrt(fan_in));
	}
}

static void nudge(float *x)
{
	*x = nextafterf(*x, INFINITY);
}

static void flip(float *x, unsigned bit)
{
	uint32_t bits;

	memcpy(&bits, x, sizeof bits);
	bits ^= UINT32_C(1) << bit;
	memcpy(x, &bits, sizeof bits);
}

static void damage(struct toy *toy, const struct toy_fault *f)
{
	if (at(toy, f, TOY_ULP))
		nudge(&toy->w[f->index % TOY_PARAMS]);
	if (at(toy, f, TOY_FLIP))
		flip(&toy->w[f->index % TOY_PARAMS], f->count);
	if (at(toy, f, TOY_FORGET)) {
		memset(toy->m, 0, sizeof toy->m);
		memset(toy->v, 0, sizeof toy->v);
		toy->updates = 0;
	}
	for (uint32_t i = 0; at(toy, f, TOY_STREAM) && i < f->count; i++)
		(void)ts_random_next(&toy->dropout);
}

/* The dropout is drawn for all samples before any is computed, so the order of summation does not shift the random stream. */
static void draw_dropout(struct toy *toy, struct pass *p)
{
	float scale = 1.0F / (1.0F - toy->recipe.dropout);
	double limit = 256.0 * (double)toy->recipe.dropout;

	for (uint32_t i = 0; i < TOY_BATCH; i++)
		for (size_t layer = 0; layer < 2; layer++)
			for (size_t u = 0; u < TOY_HIDDEN; u += 8) {
				uint64_t bytes = toy->recipe.dropout > 0 ? ts_random_next(&toy->dropout) : 0;

				for (size_t b = 0; b < 8; b++)
					p->keep[i][layer][u + b] = toy->recipe.dropout <= 0 ? 1.0F
								   : (double)(bytes >> (8 * b) & UINT64_C(255)) < limit
									   ? 0.0F
									   : scale;
			}
}

static void prepare(struct toy *toy, const struct toy_fault *f, struct pass *p)
{
	uint32_t position = toy->step;

	p->precision = from(toy, f, TOY_PRECISION) ? f->precision : toy->recipe.precision;
	p->other_kernel = from(toy, f, TOY_KERNEL);
	p->parts = from(toy, f, TOY_SPLIT) ? f->count : toy->recipe.ranks > 1 ? toy->recipe.ranks : 1;
	for (uint32_t i = 0; i < TOY_BATCH; i++)
		p->order[i] = i;
	if (from(toy, f, TOY_REDUCTION)) {
		struct ts_random r;

		ts_random_init(&r, mix(f->seed + 55) + toy->step);
		shuffle(p->order, TOY_BATCH, &r);
	}
	if (from(toy, f, TOY_SHIFT))
		position += f->count;
	if (from(toy, f, TOY_RESTART))
		position -= f->step;
	take_batch(toy, from(toy, f, TOY_ORDER) ? f->seed : toy->recipe.order_seed, position, p);
	p->row->rng = digest(2, &toy->dropout, sizeof toy->dropout);
	p->row->params = digest(3, toy->w, sizeof toy->w);
	draw_dropout(toy, p);
	memcpy(p->w, toy->w, sizeof p->w);
	round_all(p->w, TOY_PARAMS, p->precision);
}

/* Runs forward and backward for the samples at places first to last of the order. The results are added to loss and grad. */
static void run_part(const struct pass *p, uint32_t first, uint32_t last, float *loss, float *grad)
{
	struct sample s;

	for (uint32_t i = first; i < last; i++) {
		*loss += forward(p, p->order[i], &s);
		backward(p, p->order[i], &s, grad);
	}
}

static double norm(const float *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)x[i] * (double)x[i];
	return sqrt(sum);
}

static void corrupt(const struct toy_fault *f, float *grad)
{
	double scale = f->amount * norm(grad, TOY_PARAMS) / sqrt(TOY_PARAMS);
	struct ts_random r;

	ts_random_init(&r, mix(f->seed + 66));
	for (size_t i = 0; i < TOY_PARAMS; i++)
		grad[i] += (float)(scale * ts_random_normal(&r));
}

static void run_batch(const struct toy *toy, const struct toy_fault *f, struct pass *p)
{
	float part_loss, part[TOY_PARAMS];

	memset(p->grad, 0, sizeof p->grad);
	p->loss = 0;
	for (uint32_t k = 0; k < p->parts; k++) {
		memset(part, 0, sizeof part);
		part_loss = 0;
		run_part(p, k * TOY_BATCH / p->parts, (k + 1) * TOY_BATCH / p->parts, &part_loss, part);
		if (at(toy, f, TOY_GRADIENT) && f->index % p->parts == k)
			corrupt(f, part);
		if (k < TOY_RANKS_MAX)
			p->row->rank_grads[k] = digest(5, part, sizeof part);
		p->loss += part_loss;
		for (size_t i = 0; i < TOY_PARAMS; i++)
			p->grad[i] += part[i];
	}
}

static void update_sgd(struct toy *toy, const float *grad, float lr)
{
	for (size_t i = 0; i < TOY_PARAMS; i++) {
		toy->m[i] = 0.9F * toy->m[i] + grad[i];
		toy->w[i] -= lr * toy->m[i];
	}
}

static void update_adam(struct toy *toy, const float *grad, float lr)
{
	float fix1 = 1.0F - powf(0.9F, (float)(toy->updates + 1)),
	      fix2 = 1.0F - powf(0.999F, (float)(toy->updates + 1));

	for (size_t i = 0; i < TOY_PARAMS; i++) {
		toy->m[i] = 0.9F * toy->m[i] + 0.1F * grad[i];
		toy->v[i] = 0.999F * toy->v[i] + 0.001F * grad[i] * grad[i];
		toy->w[i] -= lr * (toy->m[i] / fix1) / (sqrtf(toy->v[i] / fix2) + 1e-8F);
	}
}

static float reported(const struct toy *toy, const struct toy_fault *f, float loss)
{
	if (from(toy, f, TOY_REPORT_BIAS))
		loss += (float)f->amount;
	if (from(toy, f, TOY_REPORT_DECIMALS))
		loss = (float)(round((double)loss * 1e4) / 1e4);
	return loss;
}

void toy_step(struct toy *toy, const struct toy_fault *fault, struct toy_row *ret_row)
{
	struct pass p = {.row = ret_row};
	float lr = toy->recipe.lr * (1.0F - (float)toy->step / 800.0F);

	if (from(toy, fault, TOY_RATE))
		lr *= (float)fault->amount;
	memset(ret_row, 0, sizeof *ret_row);
	damage(toy, fault);
	prepare(toy, fault, &p);
	run_batch(toy, fault, &p);
	ret_row->loss = (double)reported(toy, fault, p.loss / TOY_BATCH);
	ret_row->grad_norm = (double)(float)norm(p.grad, TOY_PARAMS);
	ret_row->lr = (double)lr;
	ret_row->grads = digest(4, p.grad, sizeof p.grad);
	if (toy->recipe.optimizer == TOY_ADAM)
		update_adam(toy, p.grad, lr);
	else
		update_sgd(toy, p.grad, lr);
	toy->updates++;
	toy->step++;
}
