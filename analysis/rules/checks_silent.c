/* checks_silent.c - rules on training that goes wrong in silence: parameters that are not trained, gradients that are not cleared
 * or not computed, and a loss or an input that never changes. Most rest on what the recorder found at watched steps. */
#include "analysis/rules/check.h"

/* Parameters that are not trained, by what is wrong with them. */
static const struct cause {
	const char *subject, *says;
	enum ts_severity part, all; /* where some of the parameters are concerned, and where all are */
} causes[] = {
	{"untrained by unheld", "have gradients, are not held by the optimizer and never change", TS_SEVERITY_MEDIUM, TS_SEVERITY_HIGH},
	{"untrained by zero_gradient", "have gradients of zeros alone", TS_SEVERITY_MEDIUM, TS_SEVERITY_HIGH},
	{"untrained by gradient", "have gradients and a learning rate above 0, and never change", TS_SEVERITY_MEDIUM, TS_SEVERITY_HIGH},
	{"untrained by set_aside",
	 "have gradients, are not held by the optimizer and never change, as a backbone does that is meant to stay", TS_SEVERITY_LOW,
	 TS_SEVERITY_LOW},
	{"untrained by no_gradient", "are held by the optimizer, and no backward pass reaches them", TS_SEVERITY_LOW, TS_SEVERITY_HIGH},
	{"untrained by frozen", "are held by the optimizer, and require no gradient", TS_SEVERITY_LOW, TS_SEVERITY_HIGH},
	{"untrained by no_rate", "have gradients and a learning rate of 0", TS_SEVERITY_LOW, TS_SEVERITY_MEDIUM},
};

enum { CAUSES = sizeof causes / sizeof causes[0] };

struct untrained {
	struct ts_buf said;
	enum ts_severity severity, all; /* of the worst cause, and what it would be if all parameters were concerned */
	double n, of;			/* parameters of all causes; a parameter has one */
	bool aside;			/* something else is trained, which they were set aside for */
};

/* What is said of one cause: "2 of 6 parameters have gradients of zeros alone (0.weight, 0.bias)". False: nothing. */
static bool say_cause(struct ts_check *c, const struct cause *cause, struct untrained *u)
{
	enum ts_severity severity;
	struct ts_span names;
	double n, of;

	if (!ts_check_want_of(c, TS_M_UNTRAINED, cause->subject, &n) || !ts_check_want_of(c, TS_M_UNTRAINED_OF, cause->subject, &of))
		return false;
	names = ts_check_text_of(c, TS_M_UNTRAINED_NAMES, cause->subject);
	ts_buf_printf(&u->said, "%s%s of %s %s (%.*s)", u->n > 0 ? "; " : "", ts_say_count(n).text,
		      ts_say_plural(of, "parameter").text, cause->says, TS_SPAN_ARG(names));
	severity = n >= of ? cause->all : cause->part;
	u->severity = severity > u->severity ? severity : u->severity;
	u->all = cause->all > u->all ? cause->all : u->all;
	u->aside |= cause->all == TS_SEVERITY_LOW;
	u->n += n;
	u->of = of;
	return true;
}

void ts_check_part_not_trained(struct ts_check *c)
{
	struct untrained u = {.said = TS_BUF_INIT(8192), .severity = TS_SEVERITY_LOW, .all = TS_SEVERITY_LOW};
	double from = INFINITY, to = 0, at;
	bool nothing; /* is trained */

	for (size_t i = 0; i < CAUSES; i++) {
		if (!say_cause(c, &causes[i], &u))
			continue;
		if (ts_check_want_of(c, TS_M_UNTRAINED_FROM, causes[i].subject, &at))
			from = fmin(from, at);
		if (ts_check_want_of(c, TS_M_UNTRAINED_TO, causes[i].subject, &at))
			to = fmax(to, at);
	}
	nothing = u.n >= u.of && !u.aside;
	if (u.n > 0 && isfinite(from)) {
		ts_check_steps(c, (int64_t)from, (int64_t)from);
		ts_check_fire(c, nothing ? u.all : u.severity, "At every watched step from step %.0f to step %.0f or later, %.*s%s",
			      from, to, TS_SPAN_ARG(ts_buf_view(&u.said)), nothing ? ": nothing is trained" : "");
	} else if (u.n <= 0 && !ts_measure_find(c->measures, TS_M_PARAMS_RECORDED, TS_NO_SUBJECT)) {
		ts_check_applies_not(c);
	}
	c->arena->failed |= u.said.failed == TS_NO_MEMORY;
	ts_buf_finish(&u.said);
}

/* A measure that is there only where something was found. Where nothing of its kind was recorded, the rule does not apply. */
static bool want_of_recorded(struct ts_check *c, enum ts_measure_name wanted, enum ts_measure_name recorded, double *ret_value)
{
	if (ts_check_want(c, wanted, ret_value))
		return true;
	if (!ts_measure_find(c->measures, recorded, TS_NO_SUBJECT))
		ts_check_applies_not(c);
	return false;
}

void ts_check_gradients_kept_on(struct ts_check *c)
{
	double times, of, from;
	struct ts_span name;

	if (!want_of_recorded(c, TS_M_KEPT, TS_M_GRADS_RECORDED, &times) || !ts_check_need(c, TS_M_KEPT_OF, &of) ||
	    !ts_check_need(c, TS_M_KEPT_AT, &from) || times < of)
		return;
	name = ts_check_text(c, TS_M_KEPT_NAME);
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	ts_check_fire(c, TS_SEVERITY_HIGH,
		      "The next backward pass adds to the gradients that the optimizer has used: that of %.*s still had the same "
		      "bits when the next one came, behind %s of %s, from step %.0f on",
		      TS_SPAN_ARG(name), ts_say_count(times).text, ts_say_plural(of, "watched step").text, from);
}

/* All gradients are zero: the rule on parts says so. */
static bool all_zero(struct ts_check *c)
{
	double n, of;

	return ts_check_want_of(c, TS_M_UNTRAINED, "untrained by zero_gradient", &n) &&
	       ts_check_want_of(c, TS_M_UNTRAINED_OF, "untrained by zero_gradient", &of) && n >= of;
}

void ts_check_stale_gradients(struct ts_check *c)
{
	double recorded, stale, from;

	if (!ts_check_want(c, TS_M_GRADS_RECORDED, &recorded)) {
		ts_check_applies_not(c);
		return;
	}
	if (!ts_check_need(c, TS_M_GRADS_STALE, &stale) || !(stale > 0) || !ts_check_need(c, TS_M_GRADS_STALE_AT, &from) || all_zero(c))
		return;
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	ts_check_worse(c, stale);
	ts_check_fire(c, TS_SEVERITY_HIGH,
		      "From step %.0f on the gradients have the same bits at %s of %s, although the parameters change from each of "
		      "these to the next: the optimizer steps on gradients that were not computed anew",
		      from, ts_say_count(stale).text, ts_say_plural(recorded, "record").text);
}

void ts_check_constant_loss(struct ts_check *c)
{
	double same, of, from, batches, value;
	bool all;

	if (!ts_measure_find(c->measures, TS_M_BATCHES_RECORDED, TS_NO_SUBJECT)) {
		ts_check_applies_not(c);
		return;
	}
	if (!ts_check_want(c, TS_M_LOSS_SAME, &same) || !ts_check_need(c, TS_M_LOSS_SAME_OF, &of) ||
	    !ts_check_need(c, TS_M_LOSS_SAME_AT, &from) || !ts_check_need(c, TS_M_LOSS_SAME_BATCHES, &batches) ||
	    !ts_check_need(c, TS_M_LOSS_SAME_VALUE, &value))
		return;
	all = same >= of && value != 0;
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	ts_check_worse(c, same);
	ts_check_fire(c, all ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "loss is %s at %s of %s, from step %.0f to the last, to the last bit, although %s batches among them differ%s",
		      ts_say_number(value).text, ts_say_count(same).text, ts_say_plural(of, "value").text, from,
		      ts_say_count(batches).text,
		      all ? ": it depends neither on the data nor on what is trained" : "");
}

void ts_check_constant_input(struct ts_check *c)
{
	double parts, from, times;
	struct ts_span names;

	if (!want_of_recorded(c, TS_M_INPUT_SAME, TS_M_BATCHES_RECORDED, &parts) || !ts_check_need(c, TS_M_INPUT_SAME_AT, &from) ||
	    !ts_check_need(c, TS_M_INPUT_SAME_TIMES, &times))
		return;
	names = ts_check_text(c, TS_M_INPUT_SAME_NAMES);
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	ts_check_fire(c, TS_SEVERITY_MEDIUM,
		      "The numbers at %.*s of the batch have the same bits at every watched step, %s or more from step %.0f on, "
		      "while other parts of it change, and they are not those of a mask, a grid or a few labels",
		      TS_SPAN_ARG(names), ts_say_count(times).text, from);
}

/* A pass without gradients in nearly every step is a part of training, as that of a generator before its critic is. */
void ts_check_evaluation_changes(struct ts_check *c)
{
	double writes, of, statistics, others, from, every;
	struct ts_span names;
	bool of_normalization;

	if (!want_of_recorded(c, TS_M_EVALUATION_WRITES, TS_M_PARAMS_RECORDED, &writes) ||
	    !ts_check_need(c, TS_M_EVALUATIONS, &of) || !ts_check_need(c, TS_M_EVALUATION_EVERY, &every) ||
	    !ts_check_need(c, TS_M_EVALUATION_STATISTICS, &statistics) || !ts_check_need(c, TS_M_EVALUATION_OTHERS, &others) ||
	    !ts_check_need(c, TS_M_EVALUATION_AT, &from) || writes < of || every < ts_check_threshold(c, "min_every"))
		return;
	of_normalization = statistics > 0 && others == 0;
	names = ts_check_text(c, TS_M_EVALUATION_NAMES);
	ts_check_steps(c, (int64_t)from, (int64_t)from);
	ts_check_fire(c, of_normalization ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW,
		      "At each of %s before step %.0f and later ones, between its first forward pass and the next training step, %s "
		      "written: %.*s%s",
		      ts_say_plural(of, "evaluation").text, from,
		      of_normalization ? "statistics of normalization are" : "parameters or buffers are", TS_SPAN_ARG(names),
		      of_normalization ? "; the model is not in evaluation mode there" : "");
}
