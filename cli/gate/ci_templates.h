/* ci_templates.h - the bytes of the files of deploy/ci, which the build puts into the program (cmake/Embed.cmake). */
#ifndef TSCOPE_CLI_GATE_CI_TEMPLATES_H
#define TSCOPE_CLI_GATE_CI_TEMPLATES_H

#include "base/span.h"

struct ts_ci_template {
	const char *name; /* the file's name in deploy/ci */
	struct ts_span text;
};

extern const struct ts_ci_template ts_ci_templates[];
extern const size_t ts_ci_templates_n;

#endif
