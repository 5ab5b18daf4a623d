/* config_policy.c - from the settings grant, protect, closed and quota to who may do what, and how much: users and groups are looked
 * up. */
#include "service/config.h"

#include "base/user.h"

#include <stdio.h>
#include <unistd.h>

static enum ts_status look_up(struct ts_grant *grant, struct ts_error *err)
{
	bool group = grant->subject == TS_SUBJECT_GROUP;
	char name[TS_USER_TEXT];
	uid_t uid = 0;
	gid_t gid = 0;

	if (grant->id != UINT32_MAX || (grant->subject != TS_SUBJECT_USER && !group))
		return TS_OK;
	if (grant->name.len < sizeof name) {
		(void)snprintf(name, sizeof name, "%.*s", TS_SPAN_ARG(grant->name));
		if (group ? ts_user_group_find(name, &gid) : ts_user_find(name, &uid)) {
			grant->id = group ? (uint32_t)gid : (uint32_t)uid;
			return TS_OK;
		}
	}
	return ts_error_set(err, TS_INVALID, "this machine has no %s %.*s", group ? "group" : "user", TS_SPAN_ARG(grant->name));
}

static enum ts_status branches_of(const char *of, struct ts_arena *arena, struct ts_auth_branches *ret, struct ts_error *err)
{
	struct ts_span text = ts_arena_span(arena, ts_span_str(of));
	struct ts_span *names = ts_arena_array(arena, text.len + 1, sizeof *names);

	if (!text.data || !names)
		return ts_arena_error(arena, err);
	*ret = (struct ts_auth_branches){.names = names};
	for (size_t at = 0; at < text.len && !ts_span_is(text, "none"); at++) {
		size_t begin = at;

		while (at < text.len && text.data[at] != ',' && text.data[at] != ' ')
			at++;
		if (at > begin)
			names[ret->n++] = ts_span_part(text, begin, at - begin);
	}
	return TS_OK;
}

static enum ts_status add_grant(const struct ts_config_line *from, struct ts_arena *arena, struct ts_grant *grant,
				struct ts_error *err)
{
	struct ts_span text = ts_arena_span(arena, ts_span_str(from->text));

	if (!text.data)
		return ts_arena_error(arena, err);
	if (ts_grant_parse(text, grant, err) || look_up(grant, err))
		return ts_error_prefix(err, "grant '%s'", from->text);
	return TS_OK;
}

static enum ts_status fill(const struct ts_config *config, struct ts_shared_policy *policy, struct ts_error *err)
{
	struct ts_grant *grants = ts_arena_array(&policy->arena, config->n_grants, sizeof *grants);

	if (!grants)
		return ts_arena_error(&policy->arena, err);
	policy->auth = (struct ts_auth_policy){.uid = (uint32_t)geteuid(), .grants = grants, .n_grants = config->n_grants};
	for (unsigned i = 0; i < config->n_grants; i++) {
		const struct ts_config_line *from = &config->grants[i];

		if (add_grant(from, &policy->arena, &grants[i], err))
			return from->line ? ts_error_prefix(err, "%s:%u", config->file, from->line) : err->status;
	}
	if (branches_of(config->protect, &policy->arena, &policy->auth.protected, err))
		return err->status;
	return branches_of(config->closed, &policy->arena, &policy->auth.closed, err);
}

enum ts_status ts_config_policy(const struct ts_config *config, struct ts_shared_policy **ret_policy, struct ts_error *err)
{
	struct ts_shared_policy *policy;

	if (ts_shared_policy_create(&policy, err))
		return err->status;
	if (fill(config, policy, err)) {
		ts_shared_policy_release(policy);
		return err->status;
	}
	*ret_policy = policy;
	return TS_OK;
}

enum ts_status ts_config_quotas(struct ts_config *config, struct ts_quotas *ret_quotas, struct ts_error *err)
{
	struct ts_quota *lines = ts_arena_array(&config->arena, config->n_quotas, sizeof *lines);

	if (!lines)
		return ts_arena_error(&config->arena, err);
	for (unsigned i = 0; i < config->n_quotas; i++)
		if (ts_quota_parse(ts_span_str(config->quotas[i].text), &lines[i], err))
			return ts_error_prefix(err, "quota '%s'", config->quotas[i].text);
	ret_quotas->lines = lines;
	ret_quotas->n = config->n_quotas;
	return TS_OK;
}
