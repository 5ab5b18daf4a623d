/* verbs.h - the one table of the verbs of tscope. Parsing, --help, man pages and shell completion all use it.
 *
 * How to add one: a file verb_x.c with ts_verb_x, its options and row in verbs.c, a schema in docs/schemas, cases in
 * tests/cli/cases; then `tests/cli/run.py --update` writes the man page and completion anew.
 */
#ifndef TSCOPE_CLI_VERBS_VERBS_H
#define TSCOPE_CLI_VERBS_VERBS_H

#include "cli/core/context.h"
#include "cli/core/verb.h"

/* The verbs, in the order in which the help lists them. */
extern const struct ts_verb ts_verbs[];
extern const size_t ts_verbs_n;
/* Options that every verb takes; they may also stand before the verb. Ends with a NULL name. */
extern const struct ts_option ts_common_options[];

const struct ts_verb *ts_verb_find(const char *name);
/* Sets TS_INVALID with a text that suggests the nearest verb. */
enum ts_status ts_verb_unknown(const char *name, struct ts_error *err);

enum ts_status ts_verb_run(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_watch(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_push(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_list(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_show(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_facts(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_analyze(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_explain(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_diff(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_bisect(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_why(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_reproduce(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_check_determinism(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_check_resume(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_gate(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_repro_op(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_golden(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_baseline(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_trend(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_compare(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_scaling(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_timeline(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_plot(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_serve(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_web(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_name(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_tag(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_note(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_log(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_rm(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_restore(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_export(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_verify(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_salvage(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_gc(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_token(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_audit(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_login(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_logout(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_projects(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_whoami(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_version(struct ts_cli *cli, struct ts_error *err);
enum ts_status ts_verb_help(struct ts_cli *cli, struct ts_error *err);

#endif
