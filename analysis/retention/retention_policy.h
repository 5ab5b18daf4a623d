/* retention_policy.h - the section RETENTION of a policy file: which runs a store keeps.
 *
 *	RETENTION.branch = main*: last 200, younger 90d
 *	RETENTION.branch = team?release: all
 *	RETENTION.runs = *: younger 30d
 *	RETENTION.notes = accepted, keep
 *
 * A rule is for the branches, or the names of runs, that match its pattern (* and ?, over "project/name"; the first rule that matches
 * counts) and says what stays: the newest N (`last N`), what is younger than a time (`younger 90d`; s, m, h, d), either of them, or
 * `all`. What no rule matches stays. `notes` are the keys of notes that keep the run of their name; if it stands twice, the later one
 * counts.
 */
#ifndef TSCOPE_ANALYSIS_RETENTION_RETENTION_POLICY_H
#define TSCOPE_ANALYSIS_RETENTION_RETENTION_POLICY_H

#include "analysis/answer/policy_item.h"
#include "base/buf.h"

#define TS_RETENTION_CODE "RETENTION" /* of the items of a policy */

enum { TS_RETENTION_NOTES_MAX = 16 };

struct ts_retention_rule {
	bool branch;		/* for branches; else for names of runs */
	struct ts_span pattern;
	struct ts_span text;	/* what stays, as it stands in the file */
	bool all;
	uint64_t last;		/* 0: not by number */
	int64_t younger_ns;	/* 0: not by age */
};

struct ts_retention_policy {
	struct ts_retention_rule *rules;
	size_t n_rules;
	struct ts_span notes[TS_RETENTION_NOTES_MAX];
	size_t n_notes;
};

/* Takes the items of section RETENTION, which the caller has checked; those of other sections are skipped. TS_INVALID if there is no
 * rule. Spans point into the items. */
enum ts_status ts_retention_policy_of(const struct ts_policy *items, struct ts_arena *arena, struct ts_retention_policy *ret_policy,
				      struct ts_error *err);

/* --- for policy.c: one item. False: why tells what is wrong, without file and line --- */

bool ts_retention_setting_name(struct ts_span name, struct ts_buf *why);
/* Reads the text after '=' into the text of an item whose threshold is already set. */
bool ts_retention_setting_read(struct ts_span text, struct ts_policy_item *item, struct ts_buf *why);
bool ts_retention_setting_check(const struct ts_policy_item *item, struct ts_buf *why);

#endif
