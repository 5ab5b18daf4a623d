#include "tests/engines/subject.h"

#include "base/file.h"
#include "service/rpc/remote_depot.h"
#include "service/rpc/testing.h"
#include "store/cluster/cluster.h"
#include "store/test_store.h"
#include "tests/engines/postgres.h"
#include "tests/engines/s3_server.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

bool subject_disks_are_full;

/* Stands in place of libc's in this program. */
int statvfs(const char *restrict path, struct statvfs *restrict out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = fd < 0 ? -1 : fstatvfs(fd, out);

	if (fd >= 0)
		(void)close(fd);
	if (rc == 0 && subject_disks_are_full)
		out->f_bavail = out->f_bfree = 0;
	return rc;
}

static enum ts_status open_memory(struct subject *s, struct ts_error *err)
{
	return ts_memory_open(NULL, &s->e, err);
}

static enum ts_status open_store(const struct subject *s, struct ts_engine **ret, struct ts_error *err)
{
	struct ts_lmdb_options options = {.path = s->dir, .create = true};

	return ts_lmdb_open(&options, ret, err);
}

static enum ts_status open_lmdb(struct subject *s, struct ts_error *err)
{
	return open_store(s, &s->e, err);
}

static enum ts_status open_overlay(struct subject *s, struct ts_error *err)
{
	return open_store(s, &s->below, err) ? err->status : ts_memory_open(s->below, &s->e, err);
}

/* A server in this process, and what asks it. */
struct remote_parts {
	struct testing server;
	struct ts_channel *channel;
	struct ts_depot *depot;
};

static enum ts_status open_remote(struct subject *s, struct ts_error *err)
{
	struct remote_parts *remote = calloc(1, sizeof *remote);

	if (!remote)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a server");
	s->remote = remote;
	if (open_store(s, &s->below, err))
		return err->status;
	testing_init(&remote->server);
	remote->server.options.engine = s->below;
	remote->server.options.handlers = ts_handlers(&remote->server.options.n_handlers);
	testing_start(&remote->server);
	remote->channel = testing_client(remote->server.unix_address);
	if (ts_remote_depot_open(remote->channel, &remote->depot, err))
		return err->status;
	return ts_memory_over(remote->depot, &s->e, err);
}

static void close_remote(struct remote_parts *remote)
{
	ts_depot_destroy(remote->depot);
	remote->channel->ops->destroy(remote->channel);
	testing_finish(&remote->server);
	free(remote);
}

static enum ts_status open_cluster(struct subject *s, struct ts_error *err)
{
	struct ts_cluster_options options = {.file = postgres_file()};

	return ts_cluster_open(&options, &s->e, err);
}

static struct s3_server bucket;

bool subject_bucket_start(void)
{
	(void)setenv("AWS_ACCESS_KEY_ID", "tester", 1);
	(void)setenv("AWS_SECRET_ACCESS_KEY", "xyzzy/plugh+1", 1);
	return s3_start(&bucket, NULL, NULL);
}

void subject_bucket_stop(void)
{
	s3_stop(&bucket);
}

/* Each subject has a folder of its own in the bucket; a pack alone is a bundle, so that nearly all of a schedule lies there. */
static enum ts_status open_bundles(struct subject *s, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(64 << 10);
	char file[300], room[128];
	struct ts_cluster_options options = {.file = file, .bundle_bytes = 1};
	enum ts_status status = ts_file_read(postgres_file(), &text, err);

	(void)snprintf(file, sizeof file, "%s/bundles.conf", s->dir);
	ts_buf_printf(&text, "bucket = %s\ncache = %s/cache\ncache_mib = 16\n", s3_url(&bucket, "packs/", room), s->dir);
	if (!status)
		status = ts_buf_check(&text, err);
	if (!status)
		status = ts_file_replace(file, ts_buf_view(&text), 0600, err);
	ts_buf_finish(&text);
	return status ? status : ts_cluster_open(&options, &s->e, err);
}

const struct subject_kind subject_kinds[SUBJECTS] = {
	{.name = "memory", .open = open_memory},
	{.name = "LMDB", .outlives = true, .files = true, .open = open_lmdb},
	{.name = "memory over LMDB", .over = true, .names_below = true, .open = open_overlay},
	{.name = "memory over a server", .over = true, .open = open_remote},
	{.name = "PostgreSQL", .outlives = true, .database = true, .open = open_cluster},
	{.name = "PostgreSQL and S3", .outlives = true, .database = true, .bucket = true, .open = open_bundles},
};

void subject_make(struct subject *s, const struct subject_kind *kind)
{
	*s = (struct subject){.kind = kind};
	test_make_dir(s->dir, sizeof s->dir);
	if (kind->database)
		postgres_empty();
}

enum ts_status subject_open(struct subject *s, struct ts_error *err)
{
	if (s->kind->open(s, err))
		return err->status;
	if (s->opened)
		s->opened(s);
	return TS_OK;
}

void subject_close(struct subject *s)
{
	ts_engine_destroy(s->e);
	if (s->remote)
		close_remote(s->remote);
	ts_engine_destroy(s->below);
	s->e = s->below = NULL;
	s->remote = NULL;
}

void subject_remove(struct subject *s)
{
	subject_close(s);
	test_remove_dir(s->dir);
}
