#include "cli/verbs/again_here.h"

#include "base/digest.h"
#include "base/file.h"
#include "ingest/host/environment.h"
#include "launch/git.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 << 10, BLOCKS = 16, DIGEST = 16, UNSET_MOST = 2048 };

struct looking {
	const struct ts_again *again;
	struct ts_arena *arena;
	struct ts_here here;
};

static void differs(struct looking *l, const char *text)
{
	if (text && l->here.n_differs < TS_HERE_ROWS)
		l->here.differs[l->here.n_differs++] = text;
}

static void gone(struct looking *l, const char *text)
{
	if (text && l->here.n_gone < TS_HERE_ROWS)
		l->here.gone[l->here.n_gone++] = text;
}

/* --- files --- */

static uint64_t block_at(uint64_t size, int i)
{
	uint64_t whole = (size - BLOCK) / (BLOCKS - 1), rest = (size - BLOCK) % (BLOCKS - 1);

	return whole * (uint64_t)i + rest * (uint64_t)i / (BLOCKS - 1);
}

bool ts_here_file(const char *path, uint64_t *ret_size, char ret_digest[17])
{
	static uint8_t bytes[BLOCK];
	char head[32], hex[TS_ID_HEX + 1];
	struct ts_hasher hasher;
	struct ts_error ignored;
	uint64_t size;
	struct ts_id id;
	bool well = true;
	size_t n;
	int fd, blocks;

	if (ts_file_open(path, &fd, &size, &ignored))
		return false;
	if (ts_hasher_init(&hasher, &ignored)) {
		(void)close(fd);
		return false;
	}
	ts_hasher_start(&hasher);
	ts_hasher_add(&hasher, ts_span_of(head, (size_t)snprintf(head, sizeof head, "%" PRIu64 "\n", size)));
	blocks = size > BLOCK * BLOCKS ? BLOCKS : (int)((size + BLOCK - 1) / BLOCK);
	for (int i = 0; i < blocks && well; i++) {
		well = !ts_pread_full(fd, bytes, BLOCK, size > BLOCK * BLOCKS ? block_at(size, i) : (uint64_t)i * BLOCK, &n, &ignored);
		if (well)
			ts_hasher_add(&hasher, ts_span_of(bytes, n));
	}
	ts_hasher_end(&hasher, &id);
	ts_hasher_finish(&hasher);
	(void)close(fd);
	memcpy(ret_digest, ts_id_hex(&id, hex), DIGEST);
	ret_digest[DIGEST] = '\0';
	*ret_size = size;
	return well;
}

const char *ts_here_within(const struct ts_again *again, const char *path)
{
	size_t n = again->top ? strlen(again->top) : 0;

	return n && strncmp(path, again->top, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static bool is_tracked(const struct looking *l, const char *path)
{
	const char *object = ts_arena_printf(l->arena, "%s:%s", l->again->commit, path);
	const char *words[] = {"cat-file", "-e", object, NULL};

	return object && ts_git(l->here.clone, words, NULL);
}

static void look_at_file(struct looking *l, const struct ts_again_file *file, const char **copies, size_t *io_n)
{
	const char *inside = ts_here_within(l->again, file->path);
	const char *path = inside ? ts_arena_printf(l->arena, "%s/%s", l->here.clone, inside) : file->path;
	char digest[DIGEST + 1];
	uint64_t size;

	if (inside && l->again->commit && is_tracked(l, inside))
		return; /* the worktree has it */
	if (!path || !ts_here_file(path, &size, digest)) {
		gone(l, ts_arena_printf(l->arena, "the file %s, which it read, is not here", path ? path : file->path));
		return;
	}
	if (!ts_span_is(file->digest, digest))
		differs(l, ts_arena_printf(l->arena,
					   "the file %s is not the one that it read: %" PRIu64 " bytes, and not %" PRIu64
					   " of that digest",
					   path, size, file->size));
	if (inside)
		copies[(*io_n)++] = inside;
}

static void look_at_files(struct looking *l)
{
	const char **copies = ts_arena_array(l->arena, l->again->n_files + 1, sizeof *copies);
	size_t n = 0;

	for (size_t i = 0; copies && i < l->again->n_files; i++)
		look_at_file(l, &l->again->files[i], copies, &n);
	if (copies)
		copies[n] = NULL;
	l->here.files = copies;
}

/* --- environment --- */

struct lines {
	struct ts_span rest, name, digest;
};

/* The next "NAME DIGEST"; false: there is none. */
static bool next(struct lines *lines)
{
	struct ts_span line = ts_span_through(lines->rest, '\n'), name = ts_span_through(line, ' ');

	if (line.len < DIGEST + 2 || !name.len)
		return false;
	lines->rest = ts_span_from(lines->rest, line.len);
	lines->name = ts_span_part(line, 0, name.len - 1);
	lines->digest = ts_span_part(line, name.len, line.len - name.len - 1);
	return true;
}

static bool is_set_by_record(const struct ts_again *again, struct ts_span name)
{
	for (size_t i = 0; i < again->n_variables; i++)
		if (ts_span_is(name, again->variables[i].name))
			return true;
	return false;
}

/* Names the variables that have another value here, or are not here, and the record does not have their values; those that were not
 * there are unset. Both lists are sorted. */
static void compare_variables(struct looking *l, struct ts_span now, struct ts_recipe_pair *unset, size_t *io_n)
{
	struct ts_buf other = TS_BUF_INIT(1 << 16), missing = TS_BUF_INIT(1 << 16);
	struct lines a = {.rest = l->again->environment}, b = {.rest = now};
	bool has_a = next(&a), has_b = next(&b);

	while (has_a || has_b) {
		int order = !has_a ? 1 : !has_b ? -1 : ts_span_cmp(a.name, b.name);

		if (order > 0 && *io_n < UNSET_MOST && strncmp((const char *)b.name.data, "TSCOPE", 6) != 0)
			unset[(*io_n)++].name = ts_arena_printf(l->arena, "%.*s", (int)b.name.len, (const char *)b.name.data);
		if (order < 0 && !is_set_by_record(l->again, a.name))
			ts_buf_printf(&missing, " %.*s", (int)a.name.len, (const char *)a.name.data);
		if (order == 0 && !ts_span_eq(a.digest, b.digest) && !is_set_by_record(l->again, a.name))
			ts_buf_printf(&other, " %.*s", (int)a.name.len, (const char *)a.name.data);
		if (order <= 0)
			has_a = next(&a);
		if (order >= 0)
			has_b = next(&b);
	}
	if (other.len)
		differs(l,
			ts_arena_printf(l->arena, "variables that have another value here:%.*s", (int)other.len, (char *)other.data));
	if (missing.len)
		differs(l, ts_arena_printf(l->arena, "variables that are not set here, of which the record has no value:%.*s",
					   (int)missing.len, (char *)missing.data));
	ts_buf_finish(&other);
	ts_buf_finish(&missing);
}

static enum ts_status look_at_variables(struct looking *l, struct ts_error *err)
{
	struct ts_recipe_pair *all = ts_arena_array(l->arena, l->again->n_variables + UNSET_MOST, sizeof *all);
	struct ts_environment_key key;
	struct ts_buf now = TS_BUF_INIT(8 << 20);
	size_t n = l->again->n_variables;
	enum ts_status status = TS_OK;

	if (!all)
		return ts_arena_error(l->arena, err);
	memset(all, 0, (l->again->n_variables + UNSET_MOST) * sizeof *all);
	for (size_t i = 0; i < n; i++)
		all[i] = l->again->variables[i];
	if (l->again->environment.len && ts_environment_key(&key)) {
		size_t more = 0;

		status = ts_environment_write(&key, l->arena, &now, err);
		if (!status && ts_span_is(l->again->environment_key, key.id))
			compare_variables(l, ts_buf_view(&now), all + n, &more);
		else if (!status)
			differs(l, "the variables cannot be compared, because the record was made under another user's key");
		n += more;
	}
	ts_buf_finish(&now);
	l->here.variables = all;
	l->here.n_variables = n;
	return status;
}

enum ts_status ts_here_look(const struct ts_again *again, const char *where, struct ts_arena *arena, struct ts_here *ret_here,
			    struct ts_error *err)
{
	static const char *const top[] = {"rev-parse", "--show-toplevel", NULL};
	struct looking l = {.again = again, .arena = arena};
	char said[TS_GIT_SAID];

	if (!ts_git(where, top, said) || said[0] != '/')
		return ts_error_set(err, TS_NOT_FOUND, "%s lies in no git repository; --clone PATH names the clone of the code", where);
	l.here.clone = ts_arena_printf(arena, "%s", said);
	if (again->commit) {
		const char *object = ts_arena_printf(arena, "%s^{commit}", again->commit);
		const char *there[] = {"cat-file", "-e", object, NULL};

		if (object && !ts_git(l.here.clone, there, NULL))
			gone(&l, ts_arena_printf(arena, "the commit %.12s is not in %s: git fetch may bring it", again->commit, said));
	}
	if (again->interpreter && access(again->interpreter, X_OK) != 0)
		differs(&l, ts_arena_printf(arena, "the interpreter %s is not here; the one in PATH is taken", again->interpreter));
	if (look_at_variables(&l, err))
		return err->status;
	if (!l.here.n_gone)
		look_at_files(&l);
	if (ts_arena_check(arena, err))
		return err->status;
	*ret_here = l.here;
	return TS_OK;
}
