/* config_policy.c - from the settings grant, protect and quota to who may do what, and how much: users and groups are looked up. */
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

static enum ts_status add_protected(struct ts_config *config, struct ts_auth_policy *out, struct ts_error *err)
{
	struct ts_span text = ts_span_str(config->protect);
	struct ts_span *names = ts_arena_array(&config->arena, text.len + 1, sizeof *names);

	if (!names)
		return ts_arena_error(&config->arena, err);
	for (size_t at = 0; at < text.len && !ts_span_is(text, "none"); at++) {
		size_t begin = at;

		while (at < text.len && text.data[at] != ',' && text.data[at] != ' ')
			at++;
		if (at > begin)
			names[out->n_protected++] = ts_span_part(text, begin, at - begin);
	}
	out->protected = names;
	return TS_OK;
}

enum ts_status ts_config_policy(struct ts_config *config, struct ts_auth_policy *ret_policy, struct ts_error *err)
{
	struct ts_auth_policy out = {.uid = (uint32_t)geteuid(), .n_grants = config->n_grants};
	struct ts_grant *grants = ts_arena_array(&config->arena, config->n_grants, sizeof *grants);

	if (!grants)
		return ts_arena_error(&config->arena, err);
	for (unsigned i = 0; i < config->n_grants; i++)
		if (ts_grant_parse(ts_span_str(config->grants[i]), &grants[i], err) || look_up(&grants[i], err))
			return ts_error_prefix(err, "grant '%s'", config->grants[i]);
	out.grants = grants;
	if (add_protected(config, &out, err))
		return err->status;
	*ret_policy = out;
	return TS_OK;
}

enum ts_status ts_config_quotas(struct ts_config *config, struct ts_quotas *ret_quotas, struct ts_error *err)
{
	struct ts_quota *lines = ts_arena_array(&config->arena, config->n_quotas, sizeof *lines);

	if (!lines)
		return ts_arena_error(&config->arena, err);
	for (unsigned i = 0; i < config->n_quotas; i++)
		if (ts_quota_parse(ts_span_str(config->quotas[i]), &lines[i], err))
			return ts_error_prefix(err, "quota '%s'", config->quotas[i]);
	ret_quotas->lines = lines;
	ret_quotas->n = config->n_quotas;
	return TS_OK;
}
