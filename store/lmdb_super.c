/* lmdb_super.c - the superblock's file: made once, opened with the store, and written before and after each of LMDB's commits. */
#include "store/lmdb_internal.h"

#include "store/store_internal.h"

#include "base/file.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 + 32, VERDICT_AT = 2 * TS_SUPER_BLOCK };

static off_t slot_at(uint64_t txn)
{
	return (off_t)(txn % 2) * TS_SUPER_BLOCK;
}

static void name_file(const struct ts_lmdb_env *env, const char *file, char ret[PATH_ROOM])
{
	(void)snprintf(ret, PATH_ROOM, "%.4095s/%s", env->path, file);
}

static int write_at(int fd, const void *bytes, size_t n, off_t at)
{
	ssize_t done;

	do
		done = pwrite(fd, bytes, n, at);
	while (done < 0 && errno == EINTR);
	if (done == (ssize_t)n)
		return 0;
	return done < 0 ? errno : EIO;
}

static void take_verdict(struct ts_lmdb_env *env)
{
	uint8_t block[TS_SUPER_BLOCK];
	struct ts_span text;
	struct ts_error err;
	uint32_t harm;
	size_t n;

	if (ts_pread_full(env->super.fd, block, sizeof block, VERDICT_AT, &n, &err) ||
	    !ts_verdict_parse(ts_span_of(block, n), &text, &harm))
		return;
	(void)snprintf(env->damage, sizeof env->damage, "%.*s", (int)text.len, (const char *)text.data);
	env->harm = harm == TS_HARM_ABOVE ? TS_HARM_ABOVE : TS_HARM_LASTING;
	atomic_store(&env->is_damaged, true);
}

static void take_id(struct ts_lmdb_env *env)
{
	uint8_t meta[TS_META_BYTES];
	struct ts_super_slot slot;
	bool held;

	for (uint64_t i = 0; i < 2; i++)
		if (ts_super_last(env, i, &slot, meta, &held))
			memcpy(env->super.store, slot.store, TS_STORE_ID);
}

enum ts_status ts_super_open(struct ts_lmdb_env *env, struct ts_error *err)
{
	struct stat st;

	if (ts_env_open_file(env, "superblock", env->mdb_read_only ? O_RDONLY : O_RDWR, &env->super.fd, &st, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	env->super.dev = st.st_dev;
	env->super.ino = st.st_ino;
	take_verdict(env);
	take_id(env);
	return TS_OK;
}

void ts_super_close(struct ts_lmdb_env *env)
{
	if (env->super.fd >= 0)
		(void)close(env->super.fd);
	env->super.fd = -1;
}

/* A file that root makes would keep the owner of the store out of it. */
static void give_file(const struct ts_lmdb_env *env, int fd)
{
	struct stat st;

	if (geteuid() == 0 && stat(env->path, &st) == 0 && fchown(fd, st.st_uid, st.st_gid) != 0)
		return; /* it is made all the same, for root */
}

static int sync_folder(const struct ts_lmdb_env *env)
{
	int fd = open(env->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 || fsync(fd) < 0 ? errno : 0;

	if (fd >= 0)
		(void)close(fd);
	return rc;
}

/* Of a store that an older program wrote meanwhile. */
static enum ts_status make_again(struct ts_lmdb_env *env, const uint8_t *file, struct ts_error *err)
{
	int rc = write_at(env->super.fd, file, TS_SUPER_BYTES, 0);

	if (!rc && fsync(env->super.fd) < 0)
		rc = errno;
	if (rc)
		return ts_error_errno(err, rc, "%s/superblock", env->path);
	take_id(env);
	return TS_OK;
}

/* The file comes to its name whole, and never in place of another. */
enum ts_status ts_super_make(struct ts_lmdb_env *env, const struct ts_super_slot *slot, struct ts_error *err)
{
	uint8_t file[TS_SUPER_BYTES] = {0};
	char path[PATH_ROOM], temp[PATH_ROOM];
	int fd, rc;

	name_file(env, "superblock", path);
	name_file(env, "superblock.XXXXXX", temp);
	ts_super_pack(slot, file + slot_at(slot->txn));
	if (env->super.fd >= 0)
		return make_again(env, file, err);
	fd = ts_system_temp(temp);
	if (fd < 0)
		return ts_error_errno(err, errno, "%s", path);
	give_file(env, fd);
	rc = write_at(fd, file, sizeof file, 0);
	if (!rc && fsync(fd) < 0)
		rc = errno;
	if (!rc && link(temp, path) < 0 && errno != EEXIST && rename(temp, path) < 0) /* some filesystems have no links */
		rc = errno;
	(void)unlink(temp);
	(void)close(fd);
	if (!rc)
		rc = sync_folder(env);
	return rc ? ts_error_errno(err, rc, "%s", path) : ts_super_open(env, err);
}

bool ts_super_last(struct ts_lmdb_env *env, uint64_t which, struct ts_super_slot *ret, uint8_t ret_meta[TS_META_BYTES], bool *ret_held)
{
	uint8_t block[TS_SUPER_BLOCK];
	struct ts_super_slot slot;
	struct ts_error err;
	struct ts_span meta;
	size_t n;

	if (env->super.fd < 0 || ts_pread_full(env->super.fd, block, sizeof block, (uint64_t)slot_at(which), &n, &err) ||
	    !ts_super_parse(ts_span_of(block, n), &slot))
		return false;
	*ret_held = ts_held_parse(ts_span_of(block, n), slot.txn, &meta);
	if (*ret_held)
		memcpy(ret_meta, meta.data, TS_META_BYTES);
	*ret = slot;
	return true;
}

bool ts_super_slot_of(struct ts_lmdb_env *env, uint64_t txn, struct ts_super_slot *ret, uint8_t ret_meta[TS_META_BYTES], bool *ret_held)
{
	struct ts_super_slot slot;

	if (!ts_super_last(env, txn % 2, &slot, ret_meta, ret_held) || slot.txn != txn)
		return false;
	*ret = slot;
	return true;
}

/* The sums lie among the records, too, without those of the record itself. */
static int put_sums(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn, const uint8_t block[TS_SUPER_BLOCK])
{
	struct ts_span key = ts_span_str(TS_SUMS_KEY);
	MDB_val k = ts_val_of(key), v = {.mv_size = TS_SUMS_BYTES};
	int rc = ts_guard_key(env, txn, TS_DB_META, key);

	if (!rc)
		rc = mdb_put(txn->mdb, env->dbi[TS_DB_META], &k, &v, MDB_RESERVE);
	if (!rc)
		ts_sums_pack(block, v.mv_data);
	return rc;
}

int ts_super_before(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn)
{
	struct ts_super_slot slot = {.txn = txn->view.number + 1, .format = TS_STORE_FORMAT};
	uint8_t block[TS_SUPER_BLOCK];
	int rc;

	memcpy(slot.store, env->super.store, TS_STORE_ID);
	memcpy(slot.tables, txn->sums, sizeof slot.tables);
	ts_super_pack(&slot, block);
	rc = put_sums(env, txn, block);
	if (!rc)
		rc = write_at(env->super.fd, block, sizeof block, slot_at(slot.txn));
	return rc ? rc : ts_disk_sync(env->super.fd);
}

void ts_super_after(struct ts_lmdb_env *env, const struct ts_lmdb_txn *txn)
{
	uint64_t number = txn->view.number + 1;
	uint8_t held[TS_HELD_BYTES];
	uint32_t size = txn->view.pages.size;
	const uint8_t *file = ts_map_get(env, 2 * (uint64_t)size);

	env->super.known = true;
	env->super.txn = number;
	memcpy(env->super.sums, txn->sums, sizeof env->super.sums);
	if (!file)
		return;
	ts_held_pack(number, file + number % 2 * size + TS_META_AT, held);
	(void)write_at(env->super.fd, held, sizeof held, slot_at(number) + TS_SUPER_HELD);
}

void ts_super_verdict(struct ts_lmdb_env *env)
{
	uint8_t block[TS_SUPER_BLOCK];

	if (env->super.fd < 0 || env->mdb_read_only)
		return;
	ts_verdict_pack(ts_span_str(env->damage), env->harm, block);
	if (write_at(env->super.fd, block, sizeof block, VERDICT_AT) == 0)
		(void)ts_disk_sync(env->super.fd);
}
