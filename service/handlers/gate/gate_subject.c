#include "service/handlers/gate/gate_subject.h"

#include "base/door.h"
#include "base/object.h"
#include "run/head.h"

static struct ts_span text_of(const struct ts_facts *facts, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));

	return fact && fact->type == TS_FACT_TEXT ? fact->text : ts_span_of(NULL, 0);
}

/* Reads the text of a fact; a long text is in an object of its own. */
static enum ts_status long_text_of(struct ts_fetch *f, const struct ts_facts *facts, const char *path,
				   struct ts_arena *arena, struct ts_span *ret_text, struct ts_error *err)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));
	struct ts_object object;
	struct ts_span bytes;

	*ret_text = text_of(facts, path);
	if (!fact || fact->type != TS_FACT_LONG)
		return TS_OK;
	if (ts_fetch_object(f, &fact->text_id, arena, &bytes, err) || ts_object_parse(bytes, &object, err))
		return ts_error_prefix(err, "the fact %s", path);
	*ret_text = object.payload;
	return TS_OK;
}

static size_t lines_of(struct ts_span text)
{
	size_t n = text.len && text.data[text.len - 1] != '\n';

	for (size_t i = 0; i < text.len; i++)
		n += text.data[i] == '\n';
	return n;
}

enum ts_status ts_gate_subject_facts(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena,
				     struct ts_facts *ret_facts, struct ts_error *err)
{
	struct ts_span object;
	struct ts_head head;

	if (ts_fetch_object(f, id, arena, &object, err) || ts_head_decode(object, arena, &head, err))
		return err->status;
	*ret_facts = head.facts;
	return TS_OK;
}

enum ts_status ts_gate_subject_open(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy,
				    struct ts_arena *arena, struct ts_gate_subject *ret_subject, struct ts_error *err)
{
	struct ts_gate_subject s = {.run.id = *id};

	if (ts_gate_subject_facts(f, id, arena, &s.facts, err) ||
	    long_text_of(f, &s.facts, "code.ancestors", arena, &s.ancestors, err) ||
	    ts_logged_reduce(f, id, policy, arena, &s.run, err))
		return err->status;
	s.run.id = *id;
	s.patch = ts_gate_code_of(&s.facts).patch;
	s.cut = ts_facts_true(&s.facts, "code.shallow") || lines_of(s.ancestors) >= TS_GATE_ANCESTORS;
	*ret_subject = s;
	return TS_OK;
}

struct ts_gate_code ts_gate_code_of(const struct ts_facts *facts)
{
	TS_DOOR(ts_facts_hold(facts));
	return (struct ts_gate_code){.commit = text_of(facts, "code.commit"),
				     .patch = text_of(facts, "code.patch_sha256"),
				     .dirty = ts_facts_true(facts, "code.dirty")};
}

/* Two runs with uncommitted changes that were not recorded are not known to be the same code. */
bool ts_gate_same_code(const struct ts_gate_code *a, const struct ts_gate_code *b)
{
	if (a->commit.len == 0 || !ts_span_eq(a->commit, b->commit) || a->dirty != b->dirty)
		return false;
	return !a->dirty || (a->patch.len && ts_span_eq(a->patch, b->patch));
}

bool ts_gate_is_ancestor(struct ts_span ancestors, struct ts_span commit)
{
	while (ancestors.len && commit.len) {
		const uint8_t *end = memchr(ancestors.data, '\n', ancestors.len);
		size_t len = end ? (size_t)(end - ancestors.data) : ancestors.len;

		if (ts_span_eq(ts_span_of(ancestors.data, len), commit))
			return true;
		len += end != NULL;
		ancestors = ts_span_of(ancestors.data + len, ancestors.len - len);
	}
	return false;
}
