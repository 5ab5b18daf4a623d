/* lmdb_disk_posix.c - refuses no filesystem, because POSIX does not say which one a path is on. A store on a network filesystem may
 * be damaged there. */
#include "store/lmdb_internal.h"

#include <errno.h>
#include <unistd.h>

enum ts_status ts_disk_type_check(uint32_t magic, const char *path, struct ts_error *err)
{
	(void)magic, (void)path, (void)err;
	return TS_OK;
}

enum ts_status ts_disk_check(const char *path, struct ts_error *err)
{
	(void)path, (void)err;
	return TS_OK;
}

bool ts_disk_claim(int fd, uint64_t lock_ino)
{
	(void)fd, (void)lock_ino;
	return true;
}

bool ts_disk_mapped(const char *path, const uint8_t **ret_at, size_t *ret_bytes)
{
	(void)path, (void)ret_at, (void)ret_bytes;
	return false;
}

int ts_disk_sync(int fd)
{
	return fsync(fd) < 0 ? errno : 0;
}
