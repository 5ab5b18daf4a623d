/* render_gate_request.c - what a suspect asks for, in a form that a script of a shell reads line by line. See render_gate.h. */
#include "cli/render_gate.h"

#include "base/text.h"
#include "cli/show_gate.h"
#include "cli/show_value.h"

uint64_t ts_gate_first_pair(const struct ts_verdict *v)
{
	uint64_t last = 0;

	for (size_t i = 0; i < v->input.n_runs; i++) {
		const struct ts_gate_run *run = &v->input.runs[i];

		if ((run->role == TS_GATE_PAIR_BASE || run->role == TS_GATE_PAIR_CANDIDATE) && run->group > last)
			last = run->group;
	}
	return last + 1;
}

const char *ts_gate_pair_name(const struct ts_gate_ask *ask, uint64_t pair, bool base, struct ts_arena *arena)
{
	const char *id = ts_show_id(&ask->candidate, arena);

	return id ? ts_arena_printf(arena, "pair-%s-%llu-%s", id, (unsigned long long)pair, base ? "base" : "candidate") : NULL;
}

static bool is_bare(const char *word)
{
	for (const char *c = word; *c; c++)
		if (!ts_is_alpha((unsigned char)*c) && !ts_is_digit((unsigned char)*c) && !strchr("-_./:=,+@%", *c))
			return false;
	return *word && *word != '=';
}

static void quote(struct ts_buf *out, const char *word)
{
	if (is_bare(word)) {
		ts_buf_str(out, word);
		return;
	}
	ts_buf_char(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			ts_buf_str(out, "'\\''");
		else if ((unsigned char)*word < 0x20 || *word == 0x7F) /* it stays one line */
			ts_buf_printf(out, "'$'\\x%02x''", (unsigned char)*word);
		else
			ts_buf_char(out, *word);
	}
	ts_buf_char(out, '\'');
}

static const char *pair_option(const struct ts_gate_ask *ask, uint64_t pair, bool base, struct ts_arena *arena)
{
	const char *name = ts_gate_pair_name(ask, pair, base, arena);

	return name ? ts_arena_printf(arena, " --paired %s", name) : NULL;
}

const char *ts_gate_again_line(const struct ts_verdict *v, const struct ts_gate_again *again, struct ts_arena *arena)
{
	struct ts_buf line = TS_BUF_INIT(1 << 20);
	uint64_t first = ts_gate_first_pair(v);
	const char *text = NULL;

	for (size_t i = 0; i < again->n; i++) {
		if (i)
			ts_buf_char(&line, ' ');
		quote(&line, again->words[i]);
	}
	for (uint64_t k = 0; k < 2 * v->ask.pairs; k++) {
		const char *option = pair_option(&v->ask, first + k / 2, k % 2 == 0, arena);

		if (!option)
			goto out;
		ts_buf_str(&line, option);
	}
	if (!line.failed)
		text = (const char *)ts_arena_span(arena, ts_buf_view(&line)).data;
out:
	ts_buf_finish(&line);
	return text;
}

/* What is no commit is not given to a script, whatever a run says of itself. */
static void commit(struct ts_buf *out, struct ts_span text)
{
	bool hex = text.len >= 7 && text.len <= 64;

	for (size_t i = 0; i < text.len; i++)
		hex = hex && (ts_is_digit(text.data[i]) || (text.data[i] >= 'a' && text.data[i] <= 'f'));
	if (hex)
		ts_buf_span(out, text);
	else
		ts_buf_char(out, '-');
}

enum ts_status ts_render_gate_request(const struct ts_verdict *v, const struct ts_gate_again *again, struct ts_arena *arena,
				      struct ts_buf *out, struct ts_error *err)
{
	const char *line = again ? ts_gate_again_line(v, again, arena) : "", *sentence = ts_show_brief(v->sentence, 2000, arena);
	uint64_t first = ts_gate_first_pair(v);

	if (!line || !sentence)
		return ts_arena_error(arena, err);
	ts_buf_printf(out, "# %s\n", sentence);
	if (v->ask.pairs == 0)
		return ts_buf_check(out, err);
	ts_buf_str(out, "# SIDE PAIR COMMIT NAME: run on one machine in this order, push under NAME, gate again:\n");
	ts_buf_printf(out, "# %s\n", line);
	for (uint64_t k = 0; k < 2 * v->ask.pairs; k++) {
		bool base = k % 2 == 0;
		const char *name = ts_gate_pair_name(&v->ask, first + k / 2, base, arena);

		if (!name)
			return ts_arena_error(arena, err);
		ts_buf_printf(out, "%s %llu ", base ? "base" : "candidate", (unsigned long long)(first + k / 2));
		commit(out, base ? v->ask.base_commit : v->ask.candidate_commit);
		ts_buf_printf(out, " %s\n", name);
	}
	return ts_buf_check(out, err);
}
