/* config.h - the settings of tscoped. One table serves flags, TSCOPED_* variables, the file, --help and the manual page.
 *
 *	ts_config_init(&config)
 *	ts_config_load(&config, argc, argv, &err)	takes defaults, then the file, then the environment, then flags
 *	... config.socket ...				strings live as long as the config
 *	ts_config_finish(&config)
 *
 * A file has one `key = value` per line; the keys are those of the flags without --, and # begins a comment line. Errors name
 * the file and line, the variable or the flag. A list (listen, grant, quota) that is given in one of these places replaces that of the
 * earlier places. A server loads again at SIGHUP; the table says which settings then hold at once.
 */
#ifndef TSCOPE_SERVICE_CONFIG_H
#define TSCOPE_SERVICE_CONFIG_H

#include "base/arena.h"
#include "base/buf.h"
#include "service/auth/quota.h"
#include "service/auth/shared_policy.h"
#include "service/rpc/guard/tls.h"

enum { TS_CONFIG_LISTEN_MAX = 7 };

/* As it was written, and in which line of the file; 0: elsewhere. */
struct ts_config_line {
	const char *text;
	unsigned line;
};

struct ts_config {
	/* The settings. */
	const char *socket;  /* path; empty = none */
	const char *listen[TS_CONFIG_LISTEN_MAX];
	unsigned n_listen;
	const char *store;
	bool allow_remote;
	const char *tls_cert, *tls_key, *tls_client_ca, *tls_crl; /* paths; empty = none */
	const char *tls_client_auth;			/* a word that ts_tls_client_word knows */
	bool read_only;
	struct ts_config_line *grants; /* TS_GRANTS_MAX of them, in the arena */
	unsigned n_grants;
	struct ts_config_line *quotas; /* TS_QUOTA_LINES_MAX of them, in the arena */
	unsigned n_quotas;
	const char *protect; /* branches, with commas or spaces between */
	const char *closed;  /* the same */
	unsigned socket_mode;
	unsigned threads;
	unsigned pool;
	unsigned max_connections;
	unsigned peer_connections; /* 0 = a quarter of max_connections */
	unsigned max_calls;
	unsigned memory;     /* MiB; 0 = no limit */
	unsigned drain_s;
	unsigned metrics_port; /* 0 = none */
	unsigned gc_hours;   /* 0 = never */
	unsigned gc_lease_min_s;
	unsigned keep_removed_days;
	const char *retention; /* path of a policy file; empty = none */
	unsigned reserve_mib; /* 0 = none */
	const char *audit_log; /* path; empty = none */
	unsigned audit_log_mib; /* of one file; 0 = no limit */
	unsigned log_level;  /* enum ts_log_level */
	/* What to do; only the command line sets these. */
	const char *file;
	const char *backup;
	const char *since;
	const char *follow, *follow_token, *follow_ca;
	const char *members, *members_token, *members_ca; /* empty = none */
	int64_t follow_s;
	bool check;
	bool help;
	bool manual;
	bool print_socket;
	bool version;

	struct ts_arena arena;
	int listen_from, grants_from, quotas_from; /* the source of the list, see config.c */
	unsigned line;				   /* of the file that is being read; else 0 */
};

void ts_config_init(struct ts_config *config);
enum ts_status ts_config_load(struct ts_config *config, int argc, char **argv, struct ts_error *err);
void ts_config_finish(struct ts_config *config);
/* The files of TLS, of a config that was loaded. */
struct ts_tls_files ts_config_tls(const struct ts_config *config);

/* Who may do what, with users and groups looked up. The caller is the owner of the result, which keeps nothing of the config. */
enum ts_status ts_config_policy(const struct ts_config *config, struct ts_shared_policy **ret_policy, struct ts_error *err);

/* Writes which settings differ, "drain,grant": of those that a reload reads, or of those that need a restart. */
void ts_config_changes(const struct ts_config *before, const struct ts_config *after, bool at_reload, struct ts_buf *out);

/* How much projects and senders may use. The lines live as long as the config. */
enum ts_status ts_config_quotas(struct ts_config *config, struct ts_quotas *ret_quotas, struct ts_error *err);

/* Write the text of --help, and the source of tscoped(8). */
void ts_config_help(struct ts_buf *out);
void ts_config_manual(struct ts_buf *out);

#endif
