#include "service/config.h"

#include "base/file.h"
#include "base/key_value.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/number.h"
#include "base/system.h"
#include "base/text.h"
#include "base/version.h"
#include "service/config_table.h"
#include "service/rpc/listen.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A later source overrides an earlier one. */
enum source { FROM_DEFAULTS, FROM_FILE, FROM_ENVIRONMENT, FROM_FLAGS };

enum { FILE_MAX = 64 << 10, CONFIG_ARENA = 1 << 20 };

#define AT(field) offsetof(struct ts_config, field)

const struct ts_option ts_options[] = {
	{"socket", "PATH", TS_OPTION_TEXT, TS_AT_START, AT(socket), 0, 0, NULL,
	 "the unix socket to serve; 'none' turns it off. Default: " TS_DEFAULT_SOCKET " for root, else tscope/tscoped.sock in "
	 "XDG_RUNTIME_DIR"},
	{"socket-mode", "MODE", TS_OPTION_OCTAL, TS_AT_START, AT(socket_mode), 0, 0777, "0660",
	 "permissions of the socket, in octal; who can write to it may do what --grant says"},
	{"listen", "tls:HOST:PORT", TS_OPTION_LIST, TS_AT_START, AT(listen), 0, 0, "",
	 "also serve TLS at this address, or plain TCP at tcp:HOST:PORT, which everybody between can read; port 0 takes a free port, "
	 "which the line 'ready' of the log names. May be given several times"},
	{"allow-remote", NULL, TS_OPTION_BOOL, TS_AT_START, AT(allow_remote), 0, 0, "no",
	 "allow plain TCP at an address that other machines can reach; TLS may be anywhere"},
	{"tls-cert", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(tls_cert), 0, 0, "",
	 "the server's certificate and those between it and the CA, PEM. The files of TLS are read again when they change and at "
	 "SIGHUP"},
	{"tls-key", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(tls_key), 0, 0, "", "the private key of tls-cert, PEM, without a password"},
	{"tls-client-ca", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(tls_client_ca), 0, 0, "",
	 "the CAs that sign the certificates of clients, PEM"},
	{"tls-crl", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(tls_crl), 0, 0, "",
	 "lists of the certificates that the CAs of clients revoked, PEM; one of each CA. When a list has expired, nobody is let in "
	 "whom its CA signed"},
	{"tls-client-auth", "WORD", TS_OPTION_TEXT, TS_AT_START, AT(tls_client_auth), 0, 0, "none",
	 "whether a client must show a certificate that tls-client-ca signed: none, optional or required. The name in it is who calls: "
	 "its first URI, email or DNS name, else its subject"},
	{"store", "DIR", TS_OPTION_TEXT, TS_AT_START, AT(store), 0, 0, NULL,
	 "the store of the runs. Default: TSCOPE_STORE, else tscope/store in the XDG data folder. cluster:FILE is a store in the "
	 "PostgreSQL database that the line 'postgresql = host=... dbname=...' of FILE names, which any number of servers may share"},
	{"grant", "'WHO ROLE PROJECT'", TS_OPTION_GRANTS, TS_AT_RELOAD, AT(grants), 0, 0, "none",
	 "give user:NAME, group:NAME, cert:NAME or anyone the role read, push, maintain or admin in a project, or in all (*); may be "
	 "given several times. Without any, whoever may open the socket may do everything but what is for admins: the user of the "
	 "server, root, and who is granted it"},
	{"quota", "'WHOSE WHAT LIMIT'", TS_OPTION_QUOTAS, TS_AT_START, AT(quotas), 0, 0, "none",
	 "how much a project, or each (*), may use: sealed (bytes as stored), raw (before compression), names, notes, or rows (of one "
	 "run); or unnamed, how much a user, cert:NAME, token:NAME, an address, or each (*) may have sent that no name reaches yet. A "
	 "size such as 200GiB, a number, or none; may be given several times"},
	{"protect", "BRANCHES", TS_OPTION_TEXT, TS_AT_RELOAD, AT(protect), 0, 0, "main",
	 "branches that only the role maintain moves otherwise than by a push; 'none' protects none"},
	{"closed", "BRANCHES", TS_OPTION_TEXT, TS_AT_RELOAD, AT(closed), 0, 0, "none",
	 "protected branches that only the role maintain puts runs on, so that nobody else decides what a gate takes for usual"},
	{"read-only", NULL, TS_OPTION_BOOL, TS_AT_START, AT(read_only), 0, 0, "no", "refuse every call that writes"},
	{"threads", "N", TS_OPTION_NUMBER, TS_AT_START, AT(threads), 1, 64, "1",
	 "number of threads that move bytes; one was fastest on two cores"},
	{"pool", "N", TS_OPTION_NUMBER, TS_AT_START, AT(pool), 1, 256, "4",
	 "number of threads for each kind of call: questions, writes, and long work; downloads, which wait for their clients, have "
	 "eight times as many"},
	{"max-connections", "N", TS_OPTION_NUMBER, TS_AT_START, AT(max_connections), 1, 65536, "1024",
	 "number of connections at the same time; further ones are accepted and closed"},
	{"peer-connections", "N", TS_OPTION_NUMBER, TS_AT_START, AT(peer_connections), 0, 65536, "0",
	 "number of connections of one user, certificate or address at the same time, so that nobody takes all; 0 means a quarter of "
	 "max-connections"},
	{"max-calls", "N", TS_OPTION_NUMBER, TS_AT_START, AT(max_calls), 1, 65536, "256",
	 "number of calls at the same time. One user may have half of what others leave; further calls are refused"},
	{"memory", "MIB", TS_OPTION_NUMBER, TS_AT_START, AT(memory), 0, 1 << 24, NULL,
	 "MiB of memory that all calls together may hold; 0 means no limit. One user may have three quarters of what others leave; a "
	 "call that needs more is refused. Default: three quarters of what the machine or the control group has"},
	{"drain", "SECONDS", TS_OPTION_NUMBER, TS_AT_RELOAD, AT(drain_s), 0, 3600, "20",
	 "the server ends within so many seconds of a signal to stop; running calls may finish until the last two of them (or the last "
	 "quarter), then they are cancelled"},
	{"metrics-port", "PORT", TS_OPTION_NUMBER, TS_AT_START, AT(metrics_port), 0, 65535, "0",
	 "serve metrics for Prometheus at http://127.0.0.1:PORT/metrics, and /ready; 0 means not. Every user of the machine can read "
	 "them, and "
	 "they tell the names of those who call"},
	{"gc-interval", "HOURS", TS_OPTION_NUMBER, TS_AT_START, AT(gc_hours), 0, 8760, "24",
	 "how often to free objects that no name reaches; 0 means never"},
	{"gc-lease-min", "SECONDS", TS_OPTION_NUMBER, TS_AT_START, AT(gc_lease_min_s), 0, 1000000000, "86400",
	 "the shortest lease that a client may ask gc for (tscope gc --lease): a shorter one frees objects of pushes that are under "
	 "way"},
	{"keep-removed", "DAYS", TS_OPTION_NUMBER, TS_AT_START, AT(keep_removed_days), 0, 36500, "30",
	 "how long a name that was removed can be restored; until then its objects stay"},
	{"retention", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(retention), 0, 0, "",
	 "a policy file whose rules of RETENTION say which runs stay; what they let go is removed before each gc, as tscope gc "
	 "--policy FILE shows it. The file is read each time"},
	{"reserve", "MIB", TS_OPTION_NUMBER, TS_AT_START, AT(reserve_mib), 0, 1048576, "64",
	 "how much of the disk stays free: below that, or below a tenth of a small disk, nothing new is stored, and rm and gc still "
	 "work; 0 means none"},
	{"follow", "ADDRESS", TS_OPTION_TEXT, TS_AT_START, AT(follow), 0, 0, "",
	 "keep the store what that of this server is, and refuse every call that writes; tls:HOST:PORT, unix:PATH or tcp:HOST:PORT"},
	{"follow-interval", "SECONDS", TS_OPTION_NUMBER, TS_AT_START, AT(follow_s), 1, 3600, "10",
	 "how often to ask the server that is followed"},
	{"follow-token", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(follow_token), 0, 0, "",
	 "a file with a token of that server, of the role admin; it is read for each connection"},
	{"follow-ca", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(follow_ca), 0, 0, "",
	 "PEM of the CAs that may have signed the certificate of that server (default: those of the system)"},
	{"members", "ADDRESSES", TS_OPTION_TEXT, TS_AT_START, AT(members), 0, 0, "",
	 "the servers of the same store, with commas between, which do a share of long calls that one of them is asked: each "
	 "tls:HOST:PORT or unix:PATH. The list may be the same on all, and have this server in it"},
	{"members-token", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(members_token), 0, 0, "",
	 "a file with a token of that store, of the role read in all projects; it is read for each connection"},
	{"members-ca", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(members_ca), 0, 0, "",
	 "PEM of the CAs that may have signed the certificates of these servers (default: those of the system)"},
	{"audit-log", "FILE", TS_OPTION_TEXT, TS_AT_START, AT(audit_log), 0, 0, "",
	 "write a line for each change of a name, note, token or grant, and for each one that was refused, to this file, which only "
	 "grows; tscope audit reads and checks it"},
	{"audit-log-size", "MIB", TS_OPTION_NUMBER, TS_AT_START, AT(audit_log_mib), 0, 1024, "64",
	 "the audit log goes on in another file when it has so many MiB; the old one gets the number of its last line; 0 means never"},
	{"log-level", "LEVEL", TS_OPTION_LEVEL, TS_AT_RELOAD, AT(log_level), 0, 0, "info",
	 "error, warning, info (one line per call) or debug"},
	{"config", "FILE", TS_OPTION_TEXT, TS_BY_FLAG, AT(file), 0, 0, NULL,
	 "read settings from this file (default: the file that TSCOPED_CONFIG names, else none)"},
	{"check", NULL, TS_OPTION_BOOL, TS_BY_FLAG, AT(check), 0, 0, "no",
	 "say whether a server with these settings would start, run by this user: addresses, certificates, grants, store, disk, "
	 "descriptors; exit with 0 or 2"},
	{"backup", "DIR", TS_OPTION_TEXT, TS_BY_FLAG, AT(backup), 0, 0, "",
	 "write a consistent copy of the store to a new directory, verify it, and exit; a server may run on the store meanwhile"},
	{"since", "DIR", TS_OPTION_TEXT, TS_BY_FLAG, AT(since), 0, 0, "",
	 "with --backup: write only what changed since this earlier backup, which must stay where it is, or beside the new one"},
	{"print-socket", NULL, TS_OPTION_BOOL, TS_BY_FLAG, AT(print_socket), 0, 0, "no", "print the path of the socket, and exit"},
	{"manual", NULL, TS_OPTION_BOOL, TS_BY_FLAG, AT(manual), 0, 0, "no", "print the source of the manual page, and exit"},
	{"version", NULL, TS_OPTION_BOOL, TS_BY_FLAG, AT(version), 0, 0, "no", "print the version, and exit"},
	{"help", NULL, TS_OPTION_BOOL, TS_BY_FLAG, AT(help), 0, 0, "no", "print this, and exit"},
};
const size_t ts_n_options = sizeof ts_options / sizeof ts_options[0];

void ts_config_init(struct ts_config *config)
{
	*config = (struct ts_config){.socket = ""};
	ts_arena_init(&config->arena, CONFIG_ARENA);
}

void ts_config_finish(struct ts_config *config)
{
	ts_arena_finish(&config->arena);
}

struct ts_tls_files ts_config_tls(const struct ts_config *config)
{
	struct ts_tls_files files = {.cert = config->tls_cert, .key = config->tls_key, .client_ca = config->tls_client_ca,
				     .crl = config->tls_crl};

	(void)ts_tls_client_word(config->tls_client_auth, &files.client);
	return files;
}

/* ---- one value ---- */

static const struct ts_option *find_option(struct ts_span name)
{
	for (size_t i = 0; i < ts_n_options; i++) {
		if (ts_span_is(name, ts_options[i].name))
			return &ts_options[i];
	}
	return NULL;
}

static bool parse_bool(struct ts_span text, bool *ret)
{
	bool yes = ts_span_is(text, "yes") || ts_span_is(text, "true") || ts_span_is(text, "on") || ts_span_is(text, "1");
	bool no = ts_span_is(text, "no") || ts_span_is(text, "false") || ts_span_is(text, "off") || ts_span_is(text, "0");

	*ret = yes;
	return yes || no;
}

static bool parse_octal(struct ts_span text, uint64_t *ret)
{
	uint64_t v = 0;

	if (text.len == 0 || text.len > 5)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '7')
			return false;
		v = v * 8 + (text.data[i] - '0');
	}
	*ret = v;
	return true;
}

static bool parse_level(struct ts_span text, unsigned *ret)
{
	static const struct {
		const char *word;
		enum ts_log_level level;
	} levels[] = {{"error", TS_LOG_ERROR}, {"warning", TS_LOG_WARNING}, {"info", TS_LOG_INFO}, {"debug", TS_LOG_DEBUG}};

	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
		if (ts_span_is(text, levels[i].word)) {
			*ret = levels[i].level;
			return true;
		}
	}
	return false;
}

/* Commas and spaces separate values: an environment variable and a line of a file can name several. */
static enum ts_status add_to_list(struct ts_config *config, struct ts_span text, enum source from, struct ts_error *err)
{
	if (config->listen_from != (int)from)
		config->n_listen = 0;
	config->listen_from = (int)from;
	for (size_t at = 0; at < text.len;) {
		size_t end = at;
		struct ts_span one;

		while (end < text.len && text.data[end] != ',' && text.data[end] != ' ')
			end++;
		one = ts_span_of(text.data + at, end - at);
		at = end + 1;
		if (one.len == 0)
			continue;
		if (config->n_listen == TS_CONFIG_LISTEN_MAX)
			return ts_error_set(err, TS_TOO_LARGE, "there are more than %d addresses", TS_CONFIG_LISTEN_MAX);
		one = ts_arena_span(&config->arena, one);
		if (!one.data)
			return ts_arena_error(&config->arena, err);
		config->listen[config->n_listen++] = (const char *)one.data;
	}
	return TS_OK;
}

/* A list of lines that have spaces, so commas separate them. */
struct lines {
	struct ts_config_line **items;
	unsigned *n, most;
	int *from;
	const char *what;
	enum ts_status (*check)(struct ts_span line, struct ts_error *err);
};

static enum ts_status check_grant(struct ts_span line, struct ts_error *err)
{
	struct ts_grant grant;

	return ts_grant_parse(line, &grant, err);
}

static enum ts_status check_quota(struct ts_span line, struct ts_error *err)
{
	struct ts_quota quota;

	return ts_quota_parse(line, &quota, err);
}

static enum ts_status add_line(struct ts_config *config, const struct lines *lines, struct ts_span text, struct ts_error *err)
{
	if (*lines->n == lines->most)
		return ts_error_set(err, TS_TOO_LARGE, "there are more than %u %s", lines->most, lines->what);
	text = ts_arena_span(&config->arena, text);
	if (!text.data)
		return ts_arena_error(&config->arena, err);
	if (lines->check(text, err))
		return err->status;
	(*lines->items)[(*lines->n)++] = (struct ts_config_line){(const char *)text.data, config->line};
	return TS_OK;
}

static enum ts_status add_lines(struct ts_config *config, const struct lines *lines, struct ts_span text, enum source from,
				struct ts_error *err)
{
	if (!*lines->items)
		*lines->items = ts_arena_array(&config->arena, lines->most, sizeof **lines->items);
	if (!*lines->items)
		return ts_arena_error(&config->arena, err);
	if (*lines->from != (int)from)
		*lines->n = 0;
	*lines->from = (int)from;
	while (text.len && !ts_span_is(text, "none")) {
		size_t through = ts_span_through(text, ',').len;
		struct ts_span one = ts_trim(ts_span_part(text, 0, through ? through - 1 : text.len));

		text = ts_span_from(text, through ? through : text.len);
		if (one.len && add_line(config, lines, one, err))
			return err->status;
	}
	return TS_OK;
}

static struct lines grant_lines(struct ts_config *config)
{
	return (struct lines){&config->grants, &config->n_grants, TS_GRANTS_MAX, &config->grants_from, "grants", check_grant};
}

static struct lines quota_lines(struct ts_config *config)
{
	return (struct lines){&config->quotas, &config->n_quotas, TS_QUOTA_LINES_MAX, &config->quotas_from, "quotas", check_quota};
}

static enum ts_status set_number(const struct ts_option *option, struct ts_span text, void *field, struct ts_error *err)
{
	bool octal = option->type == TS_OPTION_OCTAL;
	unsigned small;
	uint64_t v;

	if (!(octal ? parse_octal(text, &v) : ts_parse_u64(text, &v)) || v < option->min || v > option->max)
		return ts_error_set(err, TS_INVALID,
				    octal ? "'%.*s' is not an octal number from %" PRIo64 " to %" PRIo64
					  : "'%.*s' is not a number from %" PRIu64 " to %" PRIu64,
				    TS_SPAN_ARG(text), option->min, option->max);
	small = (unsigned)v;
	memcpy(field, &small, sizeof small);
	return TS_OK;
}

static enum ts_status set(struct ts_config *config, const struct ts_option *option, struct ts_span text, enum source from,
			  struct ts_error *err)
{
	void *field = (char *)config + option->offset;
	struct lines grants = grant_lines(config), quotas = quota_lines(config);
	struct ts_span copy;

	if (text.len && memchr(text.data, 0, text.len))
		return ts_error_set(err, TS_INVALID, "a NUL byte");
	switch (option->type) {
	case TS_OPTION_BOOL:
		return parse_bool(text, field) ? TS_OK
					       : ts_error_set(err, TS_INVALID, "'%.*s' is neither yes nor no", TS_SPAN_ARG(text));
	case TS_OPTION_NUMBER:
	case TS_OPTION_OCTAL:
		return set_number(option, text, field, err);
	case TS_OPTION_LEVEL:
		return parse_level(text, field) ? TS_OK
						: ts_error_set(err, TS_INVALID, "'%.*s' is not error, warning, info or debug",
							       TS_SPAN_ARG(text));
	case TS_OPTION_LIST:
		return add_to_list(config, text, from, err);
	case TS_OPTION_GRANTS:
		return add_lines(config, &grants, text, from, err);
	case TS_OPTION_QUOTAS:
		return add_lines(config, &quotas, text, from, err);
	case TS_OPTION_TEXT:
		copy = ts_arena_span(&config->arena, text);
		if (!copy.data)
			return ts_arena_error(&config->arena, err);
		memcpy(field, &copy.data, sizeof copy.data);
		return TS_OK;
	}
	return ts_error_set(err, TS_INTERNAL, "an option of no type");
}

/* ---- the sources of values ---- */

static enum ts_status set_defaults(struct ts_config *config, struct ts_error *err)
{
	const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME"), *store = getenv("TSCOPE_STORE");
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct ts_arena *arena = &config->arena;

	for (size_t i = 0; i < ts_n_options; i++) {
		if (ts_options[i].fallback &&
		    set(config, &ts_options[i], ts_span_str(ts_options[i].fallback), FROM_DEFAULTS, err))
			return ts_error_prefix(err, "default of %s", ts_options[i].name);
	}
	config->memory = (unsigned)(ts_system_memory() / 4 * 3 >> 20);
	if (store && *store)
		config->store = store;
	else if (xdg && xdg[0] == '/')
		config->store = ts_arena_printf(arena, "%s/tscope/store", xdg);
	else if (home && *home)
		config->store = ts_arena_printf(arena, "%s/.local/share/tscope/store", home);
	else
		config->store = "";
	if (geteuid() == 0)
		config->socket = TS_DEFAULT_SOCKET;
	else if (runtime && runtime[0] == '/')
		config->socket = ts_arena_printf(arena, "%s/tscope/tscoped.sock", runtime);
	return config->store && config->socket ? TS_OK : ts_arena_error(arena, err);
}

static enum ts_status set_line(struct ts_config *config, struct ts_span line, struct ts_error *err)
{
	const struct ts_option *option;
	struct ts_span key, value;

	line = ts_trim(line);
	if (line.len == 0 || line.data[0] == '#')
		return TS_OK;
	if (!ts_key_value(line, &key, &value))
		return ts_error_set(err, TS_INVALID, "the line must have the form 'key = value'");
	option = find_option(key);
	if (!option || option->when == TS_BY_FLAG)
		return ts_error_set(err, TS_INVALID, "there is no setting '%.*s' in tscoped %s; a newer one may have it",
				    TS_SPAN_ARG(key), ts_version());
	if (set(config, option, value, FROM_FILE, err))
		return ts_error_prefix(err, "%s", option->name);
	return TS_OK;
}

static enum ts_status read_file(struct ts_config *config, const char *path, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(FILE_MAX);
	enum ts_status status = ts_file_read(path, &text, err);
	struct ts_span rest = ts_buf_view(&text);

	while (!status && rest.len) {
		config->line++;
		status = set_line(config, ts_span_next_line(&rest), err);
		if (status)
			ts_error_prefix(err, "%s:%u", path, config->line);
	}
	config->line = 0;
	ts_buf_finish(&text);
	return status;
}

static void variable_name(const struct ts_option *option, char out[64])
{
	size_t n = (size_t)snprintf(out, 64, "TSCOPED_%s", option->name);

	for (size_t i = 0; i < n && i < 63; i++) {
		if (out[i] == '-')
			out[i] = '_';
		else if (out[i] >= 'a' && out[i] <= 'z')
			out[i] = (char)(out[i] - 32);
	}
}

static enum ts_status read_environment(struct ts_config *config, struct ts_error *err)
{
	for (size_t i = 0; i < ts_n_options; i++) {
		const char *value;
		char name[64];

		variable_name(&ts_options[i], name);
		value = ts_options[i].when == TS_BY_FLAG ? NULL : getenv(name);
		if (value && set(config, &ts_options[i], ts_span_str(value), FROM_ENVIRONMENT, err))
			return ts_error_prefix(err, "%s", name);
	}
	return TS_OK;
}

/* Reads argv[*at], which is --name, --name=value or --name value, and moves *at past it. */
static enum ts_status read_flag(struct ts_config *config, int argc, char **argv, int *at, struct ts_error *err)
{
	const char *arg = argv[*at], *equals = strchr(arg, '=');
	const struct ts_option *option = NULL;
	struct ts_span value;

	if (strcmp(arg, "-h") == 0)
		arg = "--help";
	if (strncmp(arg, "--", 2) == 0)
		option = find_option(ts_span_of(arg + 2, equals ? (size_t)(equals - arg) - 2 : strlen(arg) - 2));
	if (!option)
		return ts_error_set(err, TS_INVALID, "there is no flag '%s'; see tscoped --help", arg);
	(*at)++;
	if (equals)
		value = ts_span_str(equals + 1);
	else if (option->type == TS_OPTION_BOOL)
		value = ts_span_str("yes");
	else if (*at < argc)
		value = ts_span_str(argv[(*at)++]);
	else
		return ts_error_set(err, TS_INVALID, "--%s needs a value: --%s %s", option->name, option->name, option->value);
	if (set(config, option, value, FROM_FLAGS, err))
		return ts_error_prefix(err, "--%s", option->name);
	return TS_OK;
}

static enum ts_status read_flags(struct ts_config *config, int argc, char **argv, struct ts_error *err)
{
	for (int i = 1; i < argc;) {
		if (read_flag(config, argc, argv, &i, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status check_socket(struct ts_config *config, struct ts_error *err)
{
	bool none = strcmp(config->socket, "none") == 0;

	if (none)
		config->socket = "";
	if (config->socket[0] && config->socket[0] != '/' && config->socket[0] != '.')
		return ts_error_set(err, TS_INVALID, "socket: '%s' is not a path: a path begins with / or ./", config->socket);
	if (!config->socket[0] && config->n_listen == 0 && !config->backup[0])
		return ts_error_set(err, TS_INVALID, "the server has no address to serve: %s; give --socket or --listen",
				    none ? "socket is none, and there is no --listen" : "XDG_RUNTIME_DIR is not set");
	return TS_OK;
}

static enum ts_status check_listen(const struct ts_config *config, bool *ret_tls, struct ts_error *err)
{
	struct ts_address address;
	bool tls;

	*ret_tls = false;
	for (unsigned i = 0; i < config->n_listen; i++) {
		if (ts_listen_parse(config->listen[i], &address, &tls, err))
			return ts_error_prefix(err, "listen");
		if (address.kind != TS_ADDRESS_TCP)
			return ts_error_set(err, TS_INVALID, "listen: '%s' must have the form tls:HOST:PORT or tcp:HOST:PORT",
					    config->listen[i]);
		*ret_tls |= tls;
	}
	return TS_OK;
}

static enum ts_status check_tls(const struct ts_config *config, bool tls, struct ts_error *err)
{
	enum ts_tls_client client;

	if (!ts_tls_client_word(config->tls_client_auth, &client))
		return ts_error_set(err, TS_INVALID, "tls-client-auth: '%s' is not none, optional or required",
				    config->tls_client_auth);
	if ((tls || config->tls_cert[0]) && (!config->tls_cert[0] || !config->tls_key[0]))
		return ts_error_set(err, TS_INVALID, "TLS needs both tls-cert and tls-key");
	if (client && !config->tls_client_ca[0])
		return ts_error_set(err, TS_INVALID, "tls-client-auth = %s needs tls-client-ca", config->tls_client_auth);
	return TS_OK;
}

static enum ts_status check(struct ts_config *config, struct ts_error *err)
{
	bool tls;

	if (check_socket(config, err) || check_listen(config, &tls, err) || check_tls(config, tls, err))
		return err->status;
	if (config->retention[0] && config->gc_hours == 0)
		return ts_error_set(err, TS_INVALID, "retention: a policy is applied before each gc, and gc-interval = 0 means none");
	if (!config->store[0])
		return ts_error_set(err, TS_INVALID, "there is no home folder for the store; give a folder with --store");
	if (strlen(config->store) + strlen("/data.mdb") >= PATH_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "store: the path has %zu bytes, and the system allows %d", strlen(config->store),
				    PATH_MAX);
	return TS_OK;
}

enum ts_status ts_config_load(struct ts_config *config, int argc, char **argv, struct ts_error *err)
{
	/* The flags are read first, to learn which file to read; they are read again last, because they override the file. */
	if (set_defaults(config, err) || read_flags(config, argc, argv, err))
		return err->status;
	if (config->help || config->version || config->manual)
		return TS_OK;
	if (!config->file)
		config->file = getenv("TSCOPED_CONFIG");
	if (config->file && *config->file && read_file(config, config->file, err))
		return err->status;
	if (read_environment(config, err))
		return err->status;
	/* The values so far, also of the first reading, are replaced. */
	config->listen_from = config->grants_from = config->quotas_from = -1;
	if (read_flags(config, argc, argv, err))
		return err->status;
	return check(config, err);
}
