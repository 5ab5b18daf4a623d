#include "service/auth/grant.h"

#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"

static const char *const words[TS_AUTH_ROLES] = {"none", "read", "push", "maintain", "admin"};

static const struct {
	const char *prefix;
	enum ts_subject subject;
} subjects[] = {{"user:", TS_SUBJECT_USER}, {"group:", TS_SUBJECT_GROUP}, {"cert:", TS_SUBJECT_CERTIFICATE}};

const char *ts_auth_role_word(enum ts_auth_role role)
{
	return words[role];
}

bool ts_auth_role_of_word(struct ts_span word, enum ts_auth_role *ret_role)
{
	for (int i = TS_AUTH_READ; i < TS_AUTH_ROLES; i++) {
		if (ts_span_is(word, words[i])) {
			*ret_role = (enum ts_auth_role)i;
			return true;
		}
	}
	return false;
}

enum ts_status ts_grant_project_check(struct ts_span project, struct ts_error *err)
{
	uint32_t point;
	bool ok =
		project.len > 0 && project.len <= TS_NAME_MAX && (ts_span_is(project, "*") || !memchr(project.data, '*', project.len));

	for (size_t i = 0; ok && i < project.len; i++)
		ok = project.data[i] > ' ' && project.data[i] != 0x7f && !memchr("/:,?", project.data[i], 4);
	for (size_t i = 0, n; ok && i < project.len; i += n ? n : 1) {
		n = ts_utf8_next(ts_span_from(project, i), &point);
		ok = n < 2 || !ts_invisible(point);
	}
	return ok ? TS_OK
		  : ts_error_set(err, TS_INVALID, "'%s' is not a project: give the name of one, or * for all", ts_show(project).text);
}

static enum ts_status parse_subject(struct ts_span word, struct ts_grant *out, struct ts_error *err)
{
	uint64_t number;

	if (ts_span_is(word, "anyone"))
		return TS_OK;
	for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
		out->name = word;
		if (!ts_span_skip(&out->name, subjects[i].prefix) || out->name.len == 0)
			continue;
		out->subject = subjects[i].subject;
		if (out->subject != TS_SUBJECT_CERTIFICATE && ts_parse_u64(out->name, &number) && number < UINT32_MAX)
			out->id = (uint32_t)number;
		return TS_OK;
	}
	return ts_error_set(err, TS_INVALID, "'%.*s' is not user:NAME, group:NAME, cert:NAME or anyone", TS_SPAN_ARG(word));
}

enum ts_status ts_grant_parse(struct ts_span text, struct ts_grant *ret_grant, struct ts_error *err)
{
	struct ts_span subject = ts_next_word(&text), role = ts_next_word(&text), project = ts_next_word(&text);
	struct ts_grant out = {.subject = TS_SUBJECT_ANYONE, .id = UINT32_MAX, .project = project};

	if (project.len == 0 || ts_next_word(&text).len)
		return ts_error_set(err, TS_INVALID, "a grant must have the form 'WHO ROLE PROJECT', such as 'group:ml push *'");
	if (parse_subject(subject, &out, err) || ts_grant_project_check(project, err))
		return err->status;
	if (!ts_auth_role_of_word(role, &out.role))
		return ts_error_set(err, TS_INVALID, "'%.*s' is not read, push, maintain or admin", TS_SPAN_ARG(role));
	if (out.role == TS_AUTH_ADMIN && !ts_span_is(project, "*"))
		return ts_error_set(err, TS_INVALID, "admin is about the whole server, so its project must be *");
	if (out.role == TS_AUTH_ADMIN && out.subject == TS_SUBJECT_ANYONE)
		return ts_error_set(err, TS_INVALID, "admin cannot be given to anyone");
	*ret_grant = out;
	return TS_OK;
}
