/* web_parts.h - what the page of a run has beside its analysis: above it its state; below it its content, its machine, what it
 * printed, the commands that run it again, its facts, and the runs that its name has pointed at, as the verbs say each of them. And
 * what that of a branch has below its trend. */
#ifndef TSCOPE_CLI_VERBS_WEB_PARTS_H
#define TSCOPE_CLI_VERBS_WEB_PARTS_H

#include "cli/core/context.h"

/* Puts the sections before the end of the main part of a page that a verb drew; of verbs other than analyze and trend it leaves the
 * page as it is. What a run does not have is left out, and so is what fails: the verb of its own says why. words: those of the
 * question, the verb first, then "--project=NAME" if it has one, and the run's or the branch's name last. */
void ts_web_parts_put(struct ts_target *target, const char *const *words, size_t n, struct ts_buf *io_page);

#endif
