/* gate_pairs_request.c - the request for pairs of runs that a suspect verdict makes, as lines that a shell script
 * reads.
 *
 * See gate_render.h.
 */
#include "cli/gate/gate_render.h"

#include "base/text.h"
#include "cli/text/show_gate.h"
#include "cli/view/show_value.h"

#include <stdio.h>

/* Returns N if the name is "project/pair-ID-N-base", and 0 if the run has another name. */
static uint64_t number_of(struct ts_span name, const char *stem)
{
	size_t len = strlen(stem);
	uint64_t number = 0;

	for (size_t i = name.len; i > 0; i--)
		if (name.data[i - 1] == '/') {
			name = ts_span_of(name.data + i, name.len - i);
			break;
		}
	if (!ts_span_starts(name, ts_span_str(stem)))
		return 0;
	for (size_t i = len; i < name.len && ts_is_digit(name.data[i]) && number < UINT32_MAX; i++)
		number = number * 10 + (uint64_t)(name.data[i] - '0');
	return number;
}

/* Pairs that do not count also have names, so their numbers cannot be used again. */
uint64_t ts_gate_first_pair(const struct ts_verdict *v)
{
	char hex[TS_ID_HEX + 1], stem[32];
	uint64_t last = 0, number;

	(void)snprintf(stem, sizeof stem, "pair-%.*s-", TS_ID_SHORT, ts_id_hex(&v->ask.candidate, hex));
	for (size_t i = 0; i < v->input.n_runs; i++) {
		const struct ts_gate_run *run = &v->input.runs[i];
		bool paired = run->role == TS_GATE_PAIR_BASE || run->role == TS_GATE_PAIR_CANDIDATE;

		number = number_of(run->name, stem);
		number = paired && run->group > number ? run->group : number;
		last = number > last ? number : last;
	}
	for (size_t i = 0; i < v->input.n_passed_over; i++) {
		number = number_of(v->input.passed_over[i].name, stem);
		last = number > last ? number : last;
	}
	return last + 1;
}

const char *ts_gate_pair_name(const struct ts_gate_ask *ask, uint64_t pair, bool base, struct ts_arena *arena)
{
	const char *id = ts_show_id(&ask->candidate, arena);

	return id ? ts_arena_printf(arena, "pair-%s-%" PRIu64 "-%s", id, pair, base ? "base" : "candidate") : NULL;
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
		else if ((unsigned char)*word < 0x20 || *word == 0x7F) /* a control character could end the line */
			ts_buf_printf(out, "'$'\\x%02x''", (unsigned char)*word);
		else
			ts_buf_char(out, *word);
	}
	ts_buf_char(out, '\'');
}

/* Returns whether word i names pairs of this candidate from an earlier look. The glob of the next command finds those again. */
static bool is_found(const struct ts_gate_again *again, size_t i, const char *stem)
{
	return strcmp(again->words[i], "--paired") == 0 && i + 1 < again->n && strncmp(again->words[i + 1], stem, strlen(stem)) == 0;
}

const char *ts_gate_again_line(const struct ts_verdict *v, const struct ts_gate_again *again, struct ts_arena *arena)
{
	const char *id = ts_show_id(&v->ask.candidate, arena), *stem = id ? ts_arena_printf(arena, "pair-%s-", id) : NULL, *text = NULL;
	struct ts_buf line = TS_BUF_INIT(1 << 20);

	if (!stem)
		return NULL;
	for (size_t i = 0; i < again->n; i++) {
		if (is_found(again, i, stem)) {
			i++;
			continue;
		}
		quote(&line, again->words[i]);
		ts_buf_char(&line, ' ');
	}
	ts_buf_printf(&line, "--paired '%s*'", stem);
	if (!line.failed)
		text = (const char *)ts_arena_span(arena, ts_buf_view(&line)).data;
	ts_buf_finish(&line);
	return text;
}

/* A run may record any text as its commit. The script gets it only if it looks like a commit. */
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
	const char *line = again && again->n ? ts_gate_again_line(v, again, arena) : "",
		   *sentence = ts_show_brief(v->sentence, 2000, arena);
	struct ts_gate_orders orders = ts_gate_orders_of(&v->input);
	uint64_t first = ts_gate_first_pair(v);
	bool base_first = true;

	if (!line || !sentence)
		return ts_arena_error(arena, err);
	ts_buf_printf(out, "# %s\n", sentence);
	if (v->ask.pairs == 0)
		return ts_buf_check(out, err);
	ts_buf_str(
		out,
		"# The columns are SIDE PAIR COMMIT NAME. Run these on one machine in this order, push each under its NAME, and gate "
		"again:\n");
	if (*line)
		ts_buf_printf(out, "# %s\n", line);
	for (uint64_t k = 0; k < 2 * v->ask.pairs; k++) {
		bool base = k % 2 == 1 ? !base_first : (base_first = ts_gate_base_first(&orders, first + k / 2));
		const char *name = ts_gate_pair_name(&v->ask, first + k / 2, base, arena);

		if (!name)
			return ts_arena_error(arena, err);
		ts_buf_printf(out, "%s %" PRIu64 " ", base ? "base" : "candidate", first + k / 2);
		commit(out, base ? v->ask.base_commit : v->ask.candidate_commit);
		ts_buf_printf(out, " %s\n", name);
	}
	return ts_buf_check(out, err);
}
