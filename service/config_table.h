/* config_table.h - the table of tscoped's settings: config.c parses by it, config_text.c prints it. */
#ifndef TSCOPE_SERVICE_CONFIG_TABLE_H
#define TSCOPE_SERVICE_CONFIG_TABLE_H

#include "base/span.h"

enum ts_option_type {
	TS_OPTION_BOOL,
	TS_OPTION_NUMBER,
	TS_OPTION_OCTAL,
	TS_OPTION_LEVEL,
	TS_OPTION_TEXT,
	TS_OPTION_LIST,
	TS_OPTION_GRANTS,
	TS_OPTION_QUOTAS,
};

/* When a server reads it. */
enum ts_option_when {
	TS_AT_START,
	TS_AT_RELOAD, /* and again at SIGHUP */
	TS_BY_FLAG,   /* an action, which neither files nor the environment can set */
};

struct ts_option {
	const char *name;	/* "max-calls" */
	const char *value;	/* its value as help shows it, "N"; NULL for a bool */
	enum ts_option_type type;
	enum ts_option_when when;
	size_t offset;		/* in struct ts_config */
	uint64_t min, max;	/* range of a number */
	const char *fallback;	/* the default as text; NULL = computed, see `help` */
	const char *help;
};

extern const struct ts_option ts_options[];
extern const size_t ts_n_options;

#endif
