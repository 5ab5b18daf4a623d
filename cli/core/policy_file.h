/* policy_file.h - reads the file that --policy names. */
#ifndef TSCOPE_CLI_CORE_POLICY_FILE_H
#define TSCOPE_CLI_CORE_POLICY_FILE_H

#include "analysis/answer/finding.h"
#include "analysis/policy.h"
#include "cli/core/context.h"

/* Reads the file into cli's arena; without the option the text is empty. */
enum ts_status ts_policy_text(struct ts_cli *cli, struct ts_span *ret_text, struct ts_error *err);
/* Reads and checks the file; without the option the policy has no items. Errors name file and line. */
enum ts_status ts_policy_file(struct ts_cli *cli, struct ts_policy *ret_policy, struct ts_error *err);

/* Whether --fail-on was given, and one of these is of its severity or above. */
bool ts_fails_on(const struct ts_cli *cli, const struct ts_findings *findings);

#endif
