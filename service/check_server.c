#include "service/check_server.h"

#include "base/clock.h"
#include "base/denied.h"
#include "base/digest.h"
#include "base/text.h"
#include "service/housekeeping.h"
#include "service/store_denied.h"
#include "store/cluster/cluster.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { OWN_DESCRIPTORS = 64, PATH_TEXT = 512 };

struct check {
	const struct ts_config *config;
	struct ts_buf *out;
	unsigned failed;
};

static void say_line(struct check *c, const char *what, const char *state, const char *text)
{
	ts_buf_printf(c->out, "%-12s %-7s ", what, state);
	ts_escape(c->out, ts_span_str(text));
	ts_buf_char(c->out, '\n');
}

/* What was found, or the error. */
static void say(struct check *c, const char *what, const struct ts_error *err, const char *found)
{
	say_line(c, what, err ? "failed" : "ok", err ? err->text : found);
	c->failed += err != NULL;
}

/* Cuts the last part of a path off: "/a/b" becomes "/a", "/a" becomes "/", "a" becomes ".". */
static void go_up(char path[PATH_TEXT])
{
	char *slash = strrchr(path, '/');

	if (!slash)
		(void)snprintf(path, PATH_TEXT, ".");
	else
		slash[slash == path] = '\0';
}

/* TS_OK if files can be made in a folder. */
static enum ts_status may_write(const char *folder, struct ts_error *err)
{
	if (access(folder, W_OK | X_OK) == 0)
		return TS_OK;
	ts_error_errno(err, errno, "%s", folder);
	if (err->status == TS_DENIED)
		(void)ts_explain_denied(folder, W_OK | X_OK, err);
	return err->status;
}

static void check_address(struct check *c, const char *address)
{
	bool is_file = strncmp(address, "unix:", 5) == 0;
	char folder[PATH_TEXT], text[2 * PATH_TEXT + 96];
	struct ts_error err;

	(void)snprintf(folder, sizeof folder, "%s", address + (is_file ? 5 : 0));
	go_up(folder);
	if (!is_file || !may_write(folder, &err)) {
		say(c, "address", NULL, address);
	} else if (err.status == TS_NOT_FOUND) {
		(void)snprintf(text, sizeof text, "%s: %s is not there; the systemd unit makes it, and otherwise you have to", address,
			       folder);
		say_line(c, "address", "unsure", text);
	} else {
		say(c, "address", &err, NULL);
	}
}

static void check_listeners(struct check *c, const struct ts_listener *listeners, size_t n)
{
	struct ts_error err;

	if (ts_listen_check(listeners, n, &err)) {
		say(c, "addresses", &err, NULL);
		return;
	}
	for (size_t i = 0; i < n; i++)
		check_address(c, listeners[i].address);
}

static void check_tls(struct check *c)
{
	struct ts_tls_files files = ts_config_tls(c->config);
	struct ts_tls_found found;
	struct ts_error err;

	if (!files.cert[0])
		return;
	if (ts_tls_check(&files, ts_now_real_ns(), &found, &err)) {
		say(c, "tls", &err, NULL);
		return;
	}
	say(c, "tls-cert", NULL, found.cert);
	say(c, "tls-clients", NULL, found.clients);
	if (found.crl[0])
		say(c, "tls-crl", NULL, found.crl);
}

static enum ts_status open_store(struct check *c, struct ts_store_stats *ret_stats, struct ts_error *err)
{
	const char *cluster = ts_cluster_file(c->config->store);
	struct ts_cluster_options there = {.file = cluster, .read_only = true, .looks = true};
	struct ts_lmdb_options options = {.path = c->config->store, .read_only = true};
	struct ts_engine *engine;
	enum ts_status status;

	if (ts_digest_init(err) || (cluster ? ts_cluster_open(&there, &engine, err) : ts_lmdb_open(&options, &engine, err)))
		return err->status;
	status = engine->ops->sound(engine, err);
	if (!status)
		status = engine->ops->stats(engine, ret_stats, err);
	ts_engine_destroy(engine);
	return status;
}

static void say_store(struct check *c, const struct ts_store_stats *stats)
{
	char found[PATH_TEXT + 128];

	(void)snprintf(found, sizeof found, "%s: %" PRIu64 " names, %" PRIu64 " objects", c->config->store, stats->refs,
		       stats->objects);
	say(c, "store", NULL, found);
}

/* A store that is not there yet is made by the start, in the nearest folder that is there. */
static void check_new_store(struct check *c)
{
	char folder[PATH_TEXT], found[PATH_TEXT + 64];
	struct ts_error err;
	struct stat st;

	(void)snprintf(found, sizeof found, "%s is not there yet; the start makes it", c->config->store);
	(void)snprintf(folder, sizeof folder, "%s", c->config->store);
	do
		go_up(folder);
	while (stat(folder, &st) != 0 && errno == ENOENT && strcmp(folder, ".") != 0);
	if (c->config->read_only)
		(void)ts_error_set(&err, TS_NOT_FOUND, "%s is not there, and a read-only server does not make it", c->config->store);
	say(c, "store", c->config->read_only || may_write(folder, &err) ? &err : NULL, found);
}

/* An empty database gets its tables from the start. */
static void check_cluster(struct check *c)
{
	struct ts_store_stats stats;
	char found[PATH_TEXT + 128];
	struct ts_error err;

	if (open_store(c, &stats, &err) == TS_OK) {
		say_store(c, &stats);
		return;
	}
	(void)snprintf(found, sizeof found, "%s has an empty database; the start makes its tables", c->config->store);
	say(c, "store", err.status == TS_NOT_FOUND && !c->config->read_only ? NULL : &err, found);
}

static void check_store(struct check *c)
{
	struct ts_store_stats stats;
	struct ts_error err;
	struct stat st;

	if (ts_cluster_file(c->config->store)) {
		check_cluster(c);
		return;
	}
	if (stat(c->config->store, &st) != 0 && errno == ENOENT) {
		check_new_store(c);
		return;
	}
	(void)ts_error_set(&err, TS_DENIED, "this user may not use all of it");
	if (ts_store_denied(c->config->store, c->config->read_only, &err) || open_store(c, &stats, &err)) {
		say(c, "store", &err, NULL);
		return;
	}
	say_store(c, &stats);
}

/* What is free of a file system, and whether a push would find it full. */
static void say_disk(struct check *c, const char *folder, const struct statvfs *disk)
{
	uint64_t room = (uint64_t)disk->f_bavail * disk->f_frsize, reserve = (uint64_t)c->config->reserve_mib << 20;
	uint64_t tenth = (uint64_t)disk->f_blocks * disk->f_frsize / 10;
	struct ts_buf found = TS_BUF_INIT(2048);
	struct ts_error err;

	reserve = reserve < tenth ? reserve : tenth;
	ts_print_bytes(&found, (double)room);
	ts_buf_str(&found, " free of ");
	ts_print_bytes(&found, (double)disk->f_blocks * (double)disk->f_frsize);
	ts_buf_printf(&found, " at %s", folder);
	if (room < reserve)
		ts_buf_str(&found, "; this is less than the reserve, so a push is refused unless gc has freed pages in the store");
	ts_buf_char(&found, '\0');
	if (ts_buf_check(&found, &err) || room == 0) {
		if (room == 0)
			(void)ts_error_set(&err, TS_FULL, "nothing is free at %s", folder);
		say(c, "disk", &err, NULL);
	} else {
		say_line(c, "disk", room < reserve ? "unsure" : "ok", (const char *)found.data);
	}
	ts_buf_finish(&found);
}

static void check_disk(struct check *c)
{
	char folder[PATH_TEXT];
	struct statvfs disk;
	struct ts_error err;

	if (ts_cluster_file(c->config->store))
		return; /* it is the database's */
	(void)snprintf(folder, sizeof folder, "%s", c->config->store);
	while (statvfs(folder, &disk) != 0) {
		if (errno != ENOENT || strcmp(folder, ".") == 0 || strcmp(folder, "/") == 0) {
			ts_error_errno(&err, errno, "%s", folder);
			say(c, "disk", &err, NULL);
			return;
		}
		go_up(folder);
	}
	say_disk(c, folder, &disk);
}

/* The server raises its own limit as far as it may. */
static void check_descriptors(struct check *c)
{
	uint64_t need = (uint64_t)c->config->max_connections + OWN_DESCRIPTORS;
	struct rlimit limit;
	struct ts_error err;
	char found[96];

	if (getrlimit(RLIMIT_NOFILE, &limit)) {
		ts_error_errno(&err, errno, "limit of descriptors");
		say(c, "descriptors", &err, NULL);
		return;
	}
	(void)snprintf(found, sizeof found, "%" PRIu64 " allowed, %" PRIu64 " needed by max-connections", (uint64_t)limit.rlim_max,
		       need);
	if (limit.rlim_max < need)
		(void)ts_error_set(&err, TS_INVALID, "%s: raise LimitNOFILE or ulimit -n, or lower max-connections", found);
	say(c, "descriptors", limit.rlim_max < need ? &err : NULL, found);
}

static void check_retention(struct check *c)
{
	const char *path = c->config->retention;
	struct ts_error err;

	if (path[0])
		say(c, "retention", ts_housekeeping_check(path, &err) ? &err : NULL, path);
}

static void check_grants(struct check *c)
{
	struct ts_shared_policy *policy;
	struct ts_error err;
	char found[64];

	if (ts_config_policy(c->config, &policy, &err)) {
		say(c, "grants", &err, NULL);
		return;
	}
	(void)snprintf(found, sizeof found, policy->auth.n_grants ? "%zu" : "none: the permissions of the socket decide",
		       policy->auth.n_grants);
	ts_shared_policy_release(policy);
	say(c, "grants", NULL, found);
}

static void check_quotas(struct check *c, struct ts_config *config)
{
	struct ts_quotas quotas = {.n = 0};
	struct ts_error err;
	char found[64];

	if (ts_config_quotas(config, &quotas, &err)) {
		say(c, "quotas", &err, NULL);
		return;
	}
	(void)snprintf(found, sizeof found, quotas.n ? "%zu" : "none: what the disk holds", quotas.n);
	say(c, "quotas", NULL, found);
}

unsigned ts_check_server(struct ts_config *config, const struct ts_listener *listeners, size_t n, struct ts_buf *out)
{
	struct check c = {.config = config, .out = out};

	say(&c, "settings", NULL, config->file ? config->file : "no file; defaults, environment and options");
	check_listeners(&c, listeners, n);
	check_tls(&c);
	check_grants(&c);
	check_quotas(&c, config);
	check_retention(&c);
	check_store(&c);
	check_disk(&c);
	check_descriptors(&c);
	return c.failed;
}
