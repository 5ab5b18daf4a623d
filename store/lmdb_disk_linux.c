/* lmdb_disk_linux.c - refuses filesystems on which LMDB would lose data.
 *
 * LMDB needs one coherent page cache between mmap and pwrite, and fcntl locks and robust mutexes that every process sees; a
 * filesystem that several machines mount gives neither.
 */
#include "store/lmdb_internal.h"

#include "base/cursor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static const struct {
	uint32_t magic; /* statfs(2), linux/magic.h */
	const char *name;
} network[] = {
	{0x00006969, "NFS"},	 {0xff534d42, "CIFS"},	   {0x0000517b, "SMB"},	   {0xfe534d42, "SMB2"},
	{0x0bd00bd0, "Lustre"},	 {0x47504653, "GPFS"},	   {0x00c36400, "Ceph"},   {0x19830326, "BeeGFS"},
	{0x5346414f, "AFS"},	 {0x6b414653, "kAFS"},	   {0x01021997, "9p"},	   {0x73757245, "Coda"},
	{0x0000564c, "NCP"},	 {0x786f4256, "vboxsf"},   {0x01161970, "GFS2"},   {0x7461636f, "OCFS2"},
	{0xaad7aaea, "PanFS"},	 {0x20030528, "OrangeFS"}, {0x65735546, "FUSE"},
};

enum { FUSE_MAGIC = 0x65735546, LINE_ROOM = 4096 + 128 };

/* A FUSE filesystem is a disk of this machine under an overlay (rootless containers) or a block device (ntfs-3g). */
static bool fuse_is_local(const char *path)
{
	char device[32];
	char line[4096];
	struct stat st;
	bool local = false;
	FILE *mounts;

	if (stat(path, &st) != 0)
		return false;
	(void)snprintf(device, sizeof device, " %u:%u ", major(st.st_dev), minor(st.st_dev));
	mounts = fopen("/proc/self/mountinfo", "re");
	while (mounts && fgets(line, sizeof line, mounts))
		if (strstr(line, device))
			local = strstr(line, " - fuseblk ") || strstr(line, " - fuse.fuse-overlayfs ") ||
				strstr(line, " - fuse.overlay");
	if (mounts)
		(void)fclose(mounts);
	return local;
}

enum ts_status ts_disk_type_check(uint32_t magic, const char *path, struct ts_error *err)
{
	for (size_t i = 0; i < sizeof network / sizeof *network; i++) {
		if (network[i].magic != magic || (magic == FUSE_MAGIC && fuse_is_local(path)))
			continue;
		return ts_error_set(err, TS_DENIED,
				    "%s is on a network filesystem (%s), which can damage a store; put TSCOPE_STORE on a "
				    "local disk, or run tscoped on the machine that has the disk and push to it",
				    path, network[i].name);
	}
	return TS_OK;
}

enum ts_status ts_disk_check(const char *path, struct ts_error *err)
{
	struct statfs fs;

	if (statfs(path, &fs) != 0)
		return TS_OK; /* A path that cannot be examined is not refused: opening it will report the error */
	return ts_disk_type_check((uint32_t)fs.f_type, path, err);
}

/* Each process that has the store open says which lock.mdb it keeps to, by a lock on one byte far behind the end of data.mdb, whose
 * place is the number of that file; so one that keeps to another is seen. Readers count, too: a writer does not know of one there. */
bool ts_disk_claim(int fd, uint64_t lock_ino)
{
	const off_t first = (off_t)1 << 62, room = (off_t)1 << 40, at = first + (off_t)(lock_ino % (uint64_t)room);
	struct flock own = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
	struct flock below = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = first, .l_len = at - first};
	struct flock above = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at + 1, .l_len = first + room - at - 1};

	if (fcntl(fd, F_OFD_SETLK, &own) < 0) /* a filesystem without such locks */
		return true;
	if (below.l_len > 0 && fcntl(fd, F_OFD_GETLK, &below) == 0 && below.l_type != F_UNLCK)
		return false;
	return above.l_len <= 0 || fcntl(fd, F_OFD_GETLK, &above) < 0 || above.l_type == F_UNLCK;
}

/* A line of /proc/self/maps is "BEGIN-END rw-s OFFSET DEVICE INODE   PATH". */
bool ts_disk_mapped(const char *path, const uint8_t **ret_at, size_t *ret_bytes)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[LINE_ROOM];
	bool found = false;

	while (maps && !found && fgets(line, sizeof line, maps)) {
		char *name = strchr(line, '/'), *end;
		size_t len = strlen(path);
		uintptr_t from, to;

		if (!name || strncmp(name, path, len) != 0 || strcmp(name + len, "\n") != 0)
			continue;
		from = (uintptr_t)strtoull(line, &end, 16);
		to = *end ? (uintptr_t)strtoull(end + 1, &end, 16) : 0;
		if (strncmp(end, " rw-s ", 6) != 0 || to <= from)
			continue;
		*ret_at = (const uint8_t *)from; // NOLINT(performance-no-int-to-ptr)
		*ret_bytes = (size_t)(to - from);
		found = true;
	}
	if (maps)
		(void)fclose(maps);
	return found;
}

int ts_disk_sync(int fd)
{
	return fdatasync(fd) < 0 ? errno : 0;
}
