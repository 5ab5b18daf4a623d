/* tscoped.c - the shared server: it reads its settings, opens the store, starts the network and waits for signals.
 *
 * Order of the start: settings; signals blocked, so that every thread inherits that; the store; the server; ready. The main
 * thread then waits for signals and does nothing else. Nothing is forked, ever. Exit 0: told to stop. 2: could not start.
 */
#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/sigbus.h"
#include "base/version.h"
#include "service/audit/audit.h"
#include "service/check_server.h"
#include "service/config.h"
#include "service/handlers/core/handler.h"
#include "service/housekeeping.h"
#include "service/metrics.h"
#include "service/members.h"
#include "service/migrate.h"
#include "service/keep_mirror.h"
#include "service/notify.h"
#include "service/rpc/server.h"
#include "service/store_denied.h"
#include "store/cluster/cluster.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

struct daemon {
	struct ts_config config; /* of the start */
	struct ts_config again;	 /* of the last reload, if there was one */
	bool reloaded;
	struct ts_engine *engine;
	struct ts_engine *followed; /* the same store, for what comes from a leader; NULL: it follows none */
	struct ts_follow *follow;
	struct ts_members *members; /* NULL: none is named */
	atomic_int_fast64_t held_ns; /* when the store last was the leader's */
	struct ts_server_facts facts;
	struct ts_audit *audit; /* NULL: none */
	struct ts_shared_policy *policy; /* who may do what now */
	struct ts_quotas quotas;
	struct ts_spending spending;
	struct ts_listener listeners[TS_CONFIG_LISTEN_MAX + 1];
	char socket_address[300];
	struct ts_server *server;
	struct ts_housekeeping *housekeeping;
	struct ts_metrics metrics;
};

static int fail(const struct ts_error *err)
{
	struct ts_log line;

	ts_log_begin(&line, TS_LOG_ERROR, "failed");
	ts_log_str(&line, "status", ts_status_word(err->status));
	ts_log_str(&line, "reason", err->text);
	ts_log_end(&line);
	return 2;
}

static int print(void (*fill)(struct ts_buf *out))
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_error err;
	enum ts_status status;

	fill(&out);
	status = ts_buf_check(&out, &err);
	if (!status)
		status = ts_write_full(STDOUT_FILENO, out.data, out.len, &err);
	ts_buf_finish(&out);
	return status ? fail(&err) : 0;
}

static void version_text(struct ts_buf *out)
{
	ts_buf_printf(out, "tscoped %s\n", ts_version());
}

static int print_line(const char *text)
{
	struct ts_error err;

	if (ts_write_full(STDOUT_FILENO, text, strlen(text), &err) || ts_write_full(STDOUT_FILENO, "\n", 1, &err))
		return fail(&err);
	return 0;
}

/* ---- the store ---- */

static enum ts_status open_cluster(struct daemon *d, const char *file, bool read_only, struct ts_error *err)
{
	struct ts_cluster_options options = {.file = file, .read_only = read_only};

	if (d->config.follow[0])
		return ts_error_set(err, TS_INVALID, "a store in a database follows no other one: leave follow out");
	if (d->config.backup[0])
		return ts_error_set(err, TS_UNSUPPORTED,
				    "what lies in a database is copied by its own means: pg_dump, or pg_basebackup and its archive");
	if (d->quotas.n)
		options.spending = &d->spending;
	return ts_digest_init(err) ? err->status : ts_cluster_open(&options, &d->engine, err);
}

static enum ts_status open_store(struct daemon *d, bool create, bool read_only, struct ts_error *err)
{
	const char *cluster = ts_cluster_file(d->config.store);
	struct ts_lmdb_options options = {.path = d->config.store, .create = create, .read_only = read_only};
	enum ts_status status;

	if (cluster)
		return open_cluster(d, cluster, read_only, err);
	if (d->quotas.n)
		options.spending = &d->spending;
	options.reserve_bytes = d->config.reserve_mib ? (int64_t)d->config.reserve_mib << 20 : -1;
	if (ts_digest_init(err))
		return err->status;
	status = ts_lmdb_open(&options, &d->engine, err);
	if (status == TS_DENIED)
		(void)ts_store_denied(options.path, read_only, err);
	return status;
}

/* What a leader sends is written by one engine, and calls are served by another one, which writes nothing. */
static enum ts_status open_stores(struct daemon *d, struct ts_error *err)
{
	bool follows = d->config.follow[0], read_only = d->config.read_only;

	if (!follows)
		return open_store(d, !read_only, read_only, err);
	if (read_only)
		return ts_error_set(err, TS_INVALID,
				    "a server that follows another one writes what comes from it: leave read-only out");
	if (open_store(d, true, false, err))
		return err->status;
	d->followed = d->engine;
	d->engine = NULL;
	return open_store(d, false, true, err);
}

static enum ts_status start_following(struct daemon *d, struct ts_error *err)
{
	const struct ts_config *config = &d->config;
	const struct ts_follow_options options = {.engine = d->followed, .leader = config->follow, .token_file = config->follow_token,
						  .ca = config->follow_ca, .held_ns = &d->held_ns,
						  .interval_ns = config->follow_s * INT64_C(1000000000)};

	return d->followed ? ts_follow_start(&options, &d->follow, err) : TS_OK;
}

static enum ts_status start_members(struct daemon *d, struct ts_error *err)
{
	const struct ts_config *config = &d->config;
	const struct ts_members_options options = {config->members, config->members_token, config->members_ca};

	if (config->members[0] && ts_members_start(&options, &d->members, err))
		return err->status;
	d->facts.members = d->members;
	return TS_OK;
}

/* A damaged store is served for what can be read of it; true if it is sound. */
static bool say_damage(struct daemon *d)
{
	struct ts_error damage;
	struct ts_log line;

	if (d->engine->ops->sound(d->engine, &damage) == TS_OK)
		return true;
	ts_log_begin(&line, TS_LOG_ERROR, "damaged");
	ts_log_str(&line, "reason", damage.text);
	ts_log_end(&line);
	return false;
}

/* Reads the copy again. What is damaged in it is damaged in the store as well, and the copy stays: it may be the best there is. */
static enum ts_status verify_copy(const char *path, struct ts_verify_report *ret_report, struct ts_error *err)
{
	struct ts_lmdb_options options = {.path = path, .read_only = true};
	struct ts_engine *copy;
	struct ts_arena arena;
	enum ts_status status;

	if (ts_lmdb_open(&options, &copy, err))
		return err->status;
	ts_arena_init(&arena, 0);
	status = copy->ops->verify(copy, NULL, &arena, ret_report, err);
	ts_arena_finish(&arena);
	ts_engine_destroy(copy);
	if (!status && ret_report->damaged + ret_report->missing)
		return ts_error_set(err, TS_DAMAGED,
				    "the copy is complete, but %" PRIu64 " objects of the store are damaged and %" PRIu64
				    " are missing; tscope verify names them",
				    ret_report->damaged, ret_report->missing);
	return status;
}

static enum ts_status copy_whole(struct daemon *d, struct ts_log *line, struct ts_error *err)
{
	struct ts_verify_report report;
	enum ts_status status = d->engine->ops->backup(d->engine, d->config.backup, err);

	if (!status)
		status = verify_copy(d->config.backup, &report, err);
	if (status)
		return status;
	ts_log_begin(line, TS_LOG_INFO, "backup");
	ts_log_str(line, "store", d->config.store);
	ts_log_str(line, "to", d->config.backup);
	ts_log_i64(line, "objects", (int64_t)report.objects);
	return TS_OK;
}

static enum ts_status copy_changes(struct daemon *d, struct ts_log *line, struct ts_error *err)
{
	struct ts_increment_report report;

	if (ts_lmdb_increment(d->engine, d->config.since, d->config.backup, &report, err))
		return err->status;
	if (report.damaged)
		return ts_error_set(err, TS_DAMAGED,
				    "the copy is complete, but %" PRIu64
				    " new objects of the store are damaged; tscope verify names them",
				    report.damaged);
	ts_log_begin(line, TS_LOG_INFO, "backup");
	ts_log_str(line, "store", d->config.store);
	ts_log_str(line, "to", d->config.backup);
	ts_log_str(line, "since", d->config.since);
	ts_log_i64(line, "objects", (int64_t)report.objects);
	ts_log_i64(line, "names", (int64_t)report.names);
	ts_log_i64(line, "bytes", (int64_t)report.bytes);
	return TS_OK;
}

static int backup(struct daemon *d)
{
	struct ts_error err;
	struct ts_log line;
	int64_t began = ts_now_mono_ns();
	enum ts_status status;

	(void)signal(SIGXFSZ, SIG_IGN); /* EFBIG says it */
	if (open_store(d, false, true, &err))
		return fail(&err);
	status = d->config.since[0] ? copy_changes(d, &line, &err) : copy_whole(d, &line, &err);
	ts_engine_destroy(d->engine);
	if (status) {
		ts_error_prefix(&err, "backup of %s", d->config.store);
		return fail(&err);
	}
	ts_log_ms(&line, "ms", ts_now_mono_ns() - began);
	ts_log_end(&line);
	return 0;
}

static int migrate(const char *from, const char *to)
{
	int64_t began_ns = ts_now_mono_ns();
	struct ts_migrate_report report;
	struct ts_error err;
	struct ts_log line;

	(void)signal(SIGXFSZ, SIG_IGN); /* EFBIG says it */
	if (ts_migrate(from, to, &report, &err)) {
		ts_error_prefix(&err, "migrate %s %s", from, to);
		return fail(&err);
	}
	ts_log_begin(&line, TS_LOG_INFO, "migrated");
	ts_log_str(&line, "from", from);
	ts_log_str(&line, "to", to);
	ts_log_i64(&line, "records", (int64_t)report.records);
	ts_log_i64(&line, "bytes", (int64_t)report.bytes);
	ts_log_i64(&line, "objects_verified", (int64_t)report.objects);
	ts_log_ms(&line, "ms", ts_now_mono_ns() - began_ns);
	ts_log_end(&line);
	return 0;
}

static int migrate_words(int argc, char **argv)
{
	struct ts_error err;

	if (argc == 3 && argv[1][0] != '-' && argv[2][0] != '-')
		return migrate(argv[1], argv[2]);
	(void)ts_error_set(&err, TS_INVALID, "say from where and to where: tscoped migrate FROM TO, each a folder or cluster:FILE");
	return fail(&err);
}

/* ---- mirrors ---- */

static int say_mirrored(const struct ts_mirror_options *options, const struct ts_mirror_report *report, int64_t began_ns)
{
	bool part = options->project || options->branch || options->filter;
	struct ts_log line;

	ts_log_begin(&line, TS_LOG_INFO, "mirrored");
	ts_log_str(&line, "from", options->from);
	ts_log_str(&line, "to", options->to);
	if (part) {
		ts_log_i64(&line, "names", (int64_t)report->names);
		ts_log_i64(&line, "removed", (int64_t)report->removed);
		ts_log_i64(&line, "objects", (int64_t)report->objects);
	} else {
		ts_log_i64(&line, "records", (int64_t)report->records);
	}
	ts_log_i64(&line, "bytes", (int64_t)report->bytes);
	ts_log_ms(&line, "ms", ts_now_mono_ns() - began_ns);
	ts_log_end(&line);
	return 0;
}

static int mirror(const struct ts_mirror_options *options)
{
	int64_t began_ns = ts_now_mono_ns();
	struct ts_mirror_report report;
	struct ts_error err;

	(void)signal(SIGXFSZ, SIG_IGN); /* EFBIG says it */
	(void)signal(SIGPIPE, SIG_IGN);
	if (ts_mirror_run(options, &report, &err)) {
		ts_error_prefix(&err, "mirror %s %s", options->from, options->to);
		return fail(&err);
	}
	return say_mirrored(options, &report, began_ns);
}

static int end_mirror(const char *store)
{
	struct ts_error err;
	struct ts_log line;

	if (ts_mirror_end(store, &err)) {
		ts_error_prefix(&err, "mirror --end");
		return fail(&err);
	}
	ts_log_begin(&line, TS_LOG_INFO, "mirror_ended");
	ts_log_str(&line, "store", store);
	ts_log_end(&line);
	return 0;
}

/* The setting that a word of the command names; NULL: it has none of this name. */
static const char **mirror_setting(struct ts_mirror_options *options, const char *word)
{
	const struct {
		const char *word;
		const char **setting;
	} settings[] = {{"--project", &options->project}, {"--branch", &options->branch},	 {"--filter", &options->filter},
			{"--ca", &options->ca},		  {"--token-file", &options->token_file}};

	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
		if (strcmp(word, settings[i].word) == 0)
			return settings[i].setting;
	return NULL;
}

static int mirror_words(int argc, char **argv)
{
	struct ts_mirror_options options = {.from = NULL};
	struct ts_error err;
	bool bad = false;

	if (argc == 3 && strcmp(argv[1], "--end") == 0 && argv[2][0] != '-')
		return end_mirror(argv[2]);
	for (int i = 1; i < argc && !bad; i++) {
		const char **setting = mirror_setting(&options, argv[i]);

		if (setting && i + 1 < argc && argv[i + 1][0])
			*setting = argv[++i];
		else if (setting || argv[i][0] == '-' || options.to)
			bad = true;
		else
			*(options.from ? &options.to : &options.from) = argv[i];
	}
	if (!bad && options.to)
		return mirror(&options);
	(void)ts_error_set(&err, TS_INVALID,
			   "say from where and to where: tscoped mirror FROM TO [--project P | --branch P/B] [--filter F] "
			   "[--token-file F] [--ca F], FROM a folder, cluster:FILE or the address of a server; or tscoped "
			   "mirror --end TO");
	return fail(&err);
}

/* ---- serving ---- */

/* Every connection needs a descriptor. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max > 65536 ? 65536 : limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static size_t fill_listeners(struct daemon *d)
{
	const struct ts_config *config = &d->config;
	size_t n = 0;

	if (config->socket[0]) {
		(void)snprintf(d->socket_address, sizeof d->socket_address, "unix:%s", config->socket);
		d->listeners[n++] = (struct ts_listener){.address = d->socket_address, .socket_mode = (mode_t)config->socket_mode};
	}
	for (unsigned i = 0; i < config->n_listen; i++)
		d->listeners[n++] = (struct ts_listener){.address = config->listen[i], .allow_remote = config->allow_remote};
	return n;
}

static enum ts_status keep_house(struct daemon *d, struct ts_error *err)
{
	const struct ts_housekeeping_options options = {
		.engine = d->engine,
		.interval_ns = d->config.gc_hours * INT64_C(3600000000000),
		.keep_ns = d->config.keep_removed_days * INT64_C(86400000000000),
		.retention = d->config.retention,
	};

	return ts_housekeeping_start(&options, &d->housekeeping, err);
}

/* The number and the chain of the last line, in a log that is elsewhere: so that lines which are taken from the end are missed. */
static void say_head(const struct daemon *d)
{
	char chain[TS_AUDIT_CHAIN + 1];
	struct ts_log line;
	uint64_t n;

	ts_audit_head(d->audit, &n, chain);
	ts_log_begin(&line, TS_LOG_INFO, "audit");
	ts_log_i64(&line, "line", (int64_t)n);
	ts_log_str(&line, "chain", chain);
	ts_log_end(&line);
}

/* A line of the server itself. */
static enum ts_status audit(struct daemon *d, const char *act, const char *on, struct ts_span before, struct ts_span after,
			    struct ts_error *err)
{
	struct ts_audit_entry entry = {.at_ns = ts_now_real_ns(), .kind = ts_span_str("server"), .who = ts_span_str("tscoped"),
				       .act = ts_span_str(act), .on = ts_span_str(on), .before = before, .after = after};

	if (!d->audit || ts_audit_add(d->audit, &entry, err))
		return d->audit ? err->status : TS_OK;
	say_head(d);
	return TS_OK;
}

static void list_lines(const struct ts_config_line *lines, unsigned n, struct ts_buf *out)
{
	for (unsigned i = 0; i < n; i++)
		ts_buf_printf(out, "%s%s", i ? "; " : "", lines[i].text);
}

/* Who may do what, and how much: as it was and as it is. */
static enum ts_status audit_rules(struct daemon *d, const struct ts_config *was, const struct ts_config *is, struct ts_error *err)
{
	struct ts_buf before = TS_BUF_INIT(TS_MESSAGE_MAX), after = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;

	if (was)
		list_lines(was->grants, was->n_grants, &before);
	list_lines(is->grants, is->n_grants, &after);
	status = audit(d, "settings", "grant", ts_buf_view(&before), ts_buf_view(&after), err);
	if (!status)
		status = audit(d, "settings", "protect", ts_span_str(was ? was->protect : ""), ts_span_str(is->protect), err);
	if (!status && (strcmp(is->closed, "none") != 0 || (was && strcmp(was->closed, "none") != 0)))
		status = audit(d, "settings", "closed", ts_span_str(was ? was->closed : "none"), ts_span_str(is->closed), err);
	ts_buf_finish(&before);
	ts_buf_finish(&after);
	return status;
}

static enum ts_status open_audit(struct daemon *d, struct ts_error *err)
{
	const struct ts_config *config = &d->config;

	if (!config->audit_log[0])
		return TS_OK;
	if (ts_audit_open(config->audit_log, (uint64_t)config->audit_log_mib << 20, &d->audit, err))
		return err->status;
	d->facts.audit = d->audit;
	if (audit(d, "start", "", ts_span_of(NULL, 0), ts_span_str(ts_version()), err))
		return err->status;
	return audit_rules(d, NULL, config, err);
}

/* The store is from now on no copy, unless it is a mirror, of which each write asks. */
static enum ts_status settle_copies(struct daemon *d, struct ts_error *err)
{
	struct ts_mirrored mirrored = {.held_ns = 0};
	struct ts_arena arena;
	enum ts_status status;

	if (d->followed || d->config.read_only)
		return TS_OK;
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_mirrored_get(d->engine, &arena, &mirrored, err);
	ts_arena_finish(&arena);
	if (status || mirrored.of.len)
		return status;
	return ts_mirror_release(d->engine, ts_cluster_file(d->config.store) != NULL, err);
}

static enum ts_status start(struct daemon *d, struct ts_error *err)
{
	const struct ts_config *config = &d->config;
	struct ts_server_options options = {.facts = &d->facts, .listeners = d->listeners, .queue_threads = config->threads,
					    .pool_threads = config->pool, .max_connections = config->max_connections,
					    .peer_connections = config->peer_connections,
					    .max_calls = config->max_calls, .memory = (size_t)config->memory << 20};

	options.n_listeners = fill_listeners(d);
	options.tls = ts_config_tls(config);
	/* The listeners are checked before the store is opened, so that no store is made for a server that cannot start. */
	if (ts_listen_check(d->listeners, options.n_listeners, err))
		return err->status;
	if (ts_config_policy(config, &d->policy, err) || ts_config_quotas(&d->config, &d->quotas, err))
		return err->status;
	d->spending = ts_quota_spending(&d->quotas);
	if (open_stores(d, err)) /* what is about a cluster names its file */
		return ts_cluster_file(config->store) ? err->status : ts_error_prefix(err, "store %s", config->store);
	if (say_damage(d) && settle_copies(d, err))
		return err->status;
	d->facts = (struct ts_server_facts){.version = ts_version(), .store = config->store, .started_ns = ts_now_real_ns(),
					    .read_only = config->read_only || d->followed, .mirror = d->engine,
					    .leader = d->followed ? config->follow : NULL, .held_ns = &d->held_ns,
					    .gc_lease_min_s = config->gc_lease_min_s,
					    .keep_removed_s = (uint64_t)config->keep_removed_days * 86400,
					    .quotas = &d->quotas};
	if (start_members(d, err) || open_audit(d, err))
		return err->status;
	options.engine = d->engine;
	options.policy = d->policy;
	options.handlers = ts_handlers(&options.n_handlers);
	if (ts_server_create(&options, &d->server, err) || start_following(d, err))
		return err->status;
	d->metrics = (struct ts_metrics){.server = d->server, .follow = d->follow, .members = d->members,
					 .engine = d->engine, .quotas = &d->quotas, .store = config->store,
					 .started_ns = d->facts.started_ns};
	if (config->metrics_port && ts_metrics_start(&d->metrics, config->metrics_port, err))
		return err->status;
	if (config->gc_hours > 0 && !d->facts.read_only)
		return keep_house(d, err);
	return TS_OK;
}

static int check(struct daemon *d)
{
	struct ts_buf out = TS_BUF_INIT(64 << 10);
	unsigned failed = ts_check_server(&d->config, d->listeners, fill_listeners(d), &out);
	struct ts_error err;
	enum ts_status status;

	status = ts_buf_check(&out, &err);
	if (!status)
		status = ts_write_full(STDOUT_FILENO, out.data, out.len, &err);
	ts_buf_finish(&out);
	return status ? fail(&err) : failed ? 2 : 0;
}

static void say_ready(const struct daemon *d)
{
	const char *address;
	struct ts_log line;

	ts_log_begin(&line, TS_LOG_INFO, "ready");
	for (size_t i = 0; (address = ts_server_address(d->server, i)); i++)
		ts_log_str(&line, "address", address);
	ts_log_str(&line, "store", d->config.store);
	ts_log_str(&line, "version", ts_version());
	ts_log_i64(&line, "pid", getpid());
	if (d->metrics.http)
		ts_log_i64(&line, "metrics_port", ts_loopback_port(d->metrics.http));
	ts_log_end(&line);
	ts_notify("READY=1");
}

static void reload_tls(struct daemon *d)
{
	struct ts_error err;
	struct ts_log line;
	bool tls;
	enum ts_status status = ts_server_reload(d->server, &tls, &err);

	if (!tls)
		return;
	ts_log_begin(&line, status ? TS_LOG_ERROR : TS_LOG_INFO, "tls_reload");
	if (status)
		ts_log_str(&line, "reason", err.text);
	ts_log_str(&line, "note", status ? "the certificate of before stays in use"
					 : "new connections are shown the certificate that the files have now");
	ts_log_end(&line);
}

/* What holds now: what the last reload found, else the start. */
static const struct ts_config *latest(const struct daemon *d)
{
	return d->reloaded ? &d->again : &d->config;
}

static void apply(struct daemon *d, const struct ts_config *again, struct ts_shared_policy *policy)
{
	ts_log_set_level((enum ts_log_level)again->log_level);
	ts_server_set_policy(d->server, policy);
	ts_shared_policy_release(d->policy);
	d->policy = policy;
	if (d->reloaded)
		ts_config_finish(&d->again);
	d->again = *again;
	d->reloaded = true;
}

/* The line is written while the level of before holds, so that a reload to log-level = error is seen, too. */
static void say_reloaded(const struct daemon *d, const struct ts_config *again)
{
	struct ts_buf changed = TS_BUF_INIT(4096), restart = TS_BUF_INIT(4096);
	struct ts_log line;

	ts_config_changes(latest(d), again, true, &changed);
	ts_config_changes(&d->config, again, false, &restart);
	ts_log_begin(&line, TS_LOG_INFO, "reload");
	ts_log_span(&line, "changed", changed.len ? ts_buf_view(&changed) : ts_span_str("none"));
	if (restart.len)
		ts_log_span(&line, "needs_restart", ts_buf_view(&restart));
	ts_log_end(&line);
	ts_buf_finish(&changed);
	ts_buf_finish(&restart);
}

/* All or nothing: an error anywhere in the settings leaves those of before. */
static void reload(struct daemon *d, int argc, char **argv)
{
	struct ts_shared_policy *policy;
	struct ts_config again;
	struct ts_error err;
	struct ts_log line;

	ts_config_init(&again);
	if (ts_config_load(&again, argc, argv, &err) || ts_config_policy(&again, &policy, &err)) {
		ts_config_finish(&again);
		ts_log_begin(&line, TS_LOG_ERROR, "reload");
		ts_log_str(&line, "reason", err.text);
		ts_log_str(&line, "note", "nothing is changed: the settings of before hold");
		ts_log_end(&line);
	} else {
		say_reloaded(d, &again);
		if (audit_rules(d, latest(d), &again, &err)) {
			ts_log_begin(&line, TS_LOG_ERROR, "audit");
			ts_log_str(&line, "reason", err.text);
			ts_log_end(&line);
		}
		apply(d, &again, policy);
	}
	reload_tls(d);
}

/* A second signal ends the process at once: the store survives that. */
static void let_signals_kill(const sigset_t *set)
{
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	(void)pthread_sigmask(SIG_UNBLOCK, set, NULL);
}

static void wait_and_stop(struct daemon *d, const sigset_t *set, int argc, char **argv)
{
	struct ts_error err;
	struct ts_log line;
	int signal_number = 0;

	do {
		if (sigwait(set, &signal_number) == 0 && signal_number == SIGHUP)
			reload(d, argc, argv);
	} while (signal_number != SIGTERM && signal_number != SIGINT);
	ts_notify("STOPPING=1");
	ts_log_begin(&line, TS_LOG_INFO, "stopping");
	ts_log_str(&line, "signal", signal_number == SIGTERM ? "TERM" : "INT");
	ts_log_i64(&line, "calls", ts_server_calls(d->server));
	ts_log_end(&line);
	let_signals_kill(set);
	ts_server_stop(d->server, latest(d)->drain_s * INT64_C(1000000000));
	(void)audit(d, "stop", "", ts_span_of(NULL, 0), ts_span_of(NULL, 0), &err);
}

/* Calls use members to their end. False: as ts_members_stop. */
static bool stop_serving(struct daemon *d)
{
	ts_server_destroy(d->server);
	return ts_members_stop(d->members);
}

static int serve(struct daemon *d, int argc, char **argv)
{
	struct ts_error err;
	struct ts_log line;
	sigset_t set;
	int exit_code = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	(void)pthread_sigmask(SIG_BLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	raise_descriptors();
	if (start(d, &err)) {
		exit_code = fail(&err);
	} else {
		say_ready(d);
		wait_and_stop(d, &set, argc, argv);
	}
	ts_metrics_stop(&d->metrics);
	ts_housekeeping_stop(d->housekeeping);
	/* One that waits for another server that does not answer: the store survives that. */
	if (!ts_follow_stop(d->follow) || !stop_serving(d)) {
		ts_audit_close(d->audit);
		_exit(exit_code);
	}
	ts_audit_close(d->audit);
	ts_engine_destroy(d->engine);
	ts_engine_destroy(d->followed);
	ts_shared_policy_release(d->policy);
	if (d->reloaded)
		ts_config_finish(&d->again);
	if (!exit_code) {
		ts_log_begin(&line, TS_LOG_INFO, "stopped");
		ts_log_end(&line);
	}
	return exit_code;
}

static int run(struct daemon *d, int argc, char **argv)
{
	struct ts_error err;

	if (argc > 1 && strcmp(argv[1], "migrate") == 0)
		return migrate_words(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "mirror") == 0)
		return mirror_words(argc - 1, argv + 1);
	if (ts_config_load(&d->config, argc, argv, &err))
		return fail(&err);
	ts_log_set_level((enum ts_log_level)d->config.log_level);
	if (d->config.help)
		return print(ts_config_help);
	if (d->config.version)
		return print(version_text);
	if (d->config.manual)
		return print(ts_config_manual);
	if (d->config.print_socket)
		return print_line(d->config.socket);
	if (d->config.check)
		return check(d);
	if (d->config.backup[0])
		return backup(d);
	return serve(d, argc, argv);
}

static void say_fault(void)
{
	struct ts_error err = {.status = TS_DAMAGED};

	(void)snprintf(err.text, sizeof err.text,
		       "the store's data.mdb was cut short, or its disk cannot be read; restore the store from a backup");
	(void)fail(&err);
}

int main(int argc, char **argv)
{
	struct daemon d = {.engine = NULL};
	int exit_code;

	ts_sigbus_catch(say_fault, 2);
	ts_config_init(&d.config);
	exit_code = run(&d, argc, argv);
	ts_config_finish(&d.config);
	return exit_code;
}
