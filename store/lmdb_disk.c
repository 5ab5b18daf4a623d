/* lmdb_disk.c - detects a full disk. */
#include "store/lmdb_internal.h"

#include <sys/statvfs.h>

/* LMDB turns a short write into EIO; this function tells a full disk from a broken one. */
bool ts_disk_is_full(const char *path)
{
	struct statvfs fs;

	return statvfs(path, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize < 1 << 20;
}
