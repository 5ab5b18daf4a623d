/* page_links.c - see page_links.h. */
#include "cli/report/page_links.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/view/html.h"
#include "cli/view/show_value.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACE_BEGIN "<!--pages-->"
#define PLACE_END "<!--/pages-->"
#define TITLE_END "</title>"

enum { LOOKED_AT = 512, LINKED = 64, HEAD_BYTES = 64 << 10, TITLE_BYTES = 160, REWRITTEN_BYTES = 64 << 20 };

const char ts_page_begin[] = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
			     "<meta name=\"generator\" content=\"tscope\"/>\n"
			     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>tscope: ";
const char ts_page_place[] = PLACE_BEGIN PLACE_END;

/* --- what lies in the folder --- */

static bool split_path(const char *path, struct ts_arena *arena, struct ts_page_links *links)
{
	const char *slash = strrchr(path, '/');

	links->file = slash ? slash + 1 : path;
	links->folder = slash ? ts_arena_printf(arena, "%.*s", slash == path ? 1 : (int)(slash - path), path) : ".";
	return links->folder;
}

static const char *path_of(const struct ts_page_links *links, const char *file, struct ts_arena *arena)
{
	return ts_arena_printf(arena, "%s/%s", links->folder, file);
}

size_t ts_page_find(struct ts_span in, const char *what, size_t from)
{
	size_t len = strlen(what);

	for (size_t at = from; at + len <= in.len; at++)
		if (in.data[at] == (uint8_t)what[0] && !memcmp(in.data + at, what, len))
			return at;
	return SIZE_MAX;
}

/* Opens a regular file of this user, and no link; -1: it is not one. */
static int open_own(const char *path, struct stat *ret_stat)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstat(fd, ret_stat) == 0 && S_ISREG(ret_stat->st_mode) && ret_stat->st_uid == geteuid())
		return fd;
	close(fd);
	return -1;
}

/* Undoes ts_html_text; an entity that it does not write stays as it is. */
static const char *plain_title(struct ts_span title, struct ts_arena *arena)
{
	static const struct {
		const char *entity;
		char c;
	} known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
	struct ts_span cut = ts_utf8_cut(title, TITLE_BYTES);
	struct ts_buf out = TS_BUF_INIT(TITLE_BYTES + 1);
	const char *text;

	for (size_t i = 0; i < cut.len;) {
		struct ts_span rest = ts_span_from(cut, i);
		size_t k = 0;

		while (k < sizeof known / sizeof known[0] && !ts_span_starts(rest, ts_span_str(known[k].entity)))
			k++;
		ts_buf_char(&out, k < sizeof known / sizeof known[0] ? known[k].c : (char)cut.data[i]);
		i += k < sizeof known / sizeof known[0] ? strlen(known[k].entity) : 1;
	}
	text = ts_show_text(ts_buf_view(&out), arena);
	ts_buf_finish(&out);
	return text;
}

/* The title of a page; NULL: the bytes do not begin one, or the arena is full. */
static const char *title_of(struct ts_span head, struct ts_arena *arena)
{
	size_t begin = sizeof ts_page_begin - 1, end = ts_page_find(head, TITLE_END, begin),
	       place = ts_page_find(head, PLACE_BEGIN, begin);

	if (!ts_span_starts(head, ts_span_str(ts_page_begin)) || end == SIZE_MAX || place == SIZE_MAX)
		return NULL;
	return plain_title(ts_span_part(head, begin, end - begin), arena);
}

static const char *title_at(const char *path, struct ts_arena *arena)
{
	struct ts_error err;
	struct stat stat;
	uint8_t *head = ts_arena_alloc(arena, HEAD_BYTES);
	int fd = head ? open_own(path, &stat) : -1;
	const char *title = NULL;
	size_t n;

	if (fd < 0)
		return NULL;
	if (ts_read_full(fd, head, HEAD_BYTES, &n, &err) == TS_OK)
		title = title_of(ts_span_of(head, n), arena);
	close(fd);
	return title;
}

enum ts_status ts_page_links_find(const char *path, struct ts_arena *arena, struct ts_page_links *ret_links, struct ts_error *err)
{
	struct ts_page_links links = {.n = 0};
	struct ts_arena scratch;
	size_t n = 0, looked_at = 0;
	char **names = NULL;

	links.pages = ts_arena_array(arena, LINKED, sizeof *links.pages);
	if (!links.pages || !split_path(path, arena, &links))
		return ts_arena_error(arena, err);
	if (ts_list_dir(links.folder, arena, &names, &n, err))
		n = 0; /* whoever writes there will say so */
	for (size_t i = 0; i < n && links.n < LINKED && looked_at < LOOKED_AT; i++) {
		const char *there, *title;

		if (!ts_span_ends(ts_span_str(names[i]), ".html") || strcmp(names[i], links.file) == 0)
			continue;
		looked_at++;
		ts_arena_init(&scratch, 4 * HEAD_BYTES);
		there = path_of(&links, names[i], &scratch);
		title = there ? title_at(there, &scratch) : NULL;
		if (title)
			links.pages[links.n++] = (struct ts_page_neighbour){names[i], ts_arena_printf(arena, "%s", title)};
		ts_arena_finish(&scratch);
	}
	*ret_links = links;
	return ts_arena_check(arena, err);
}

/* --- links --- */

/* A name of a file as an address of the same folder: whatever it holds, it names no other place and is no script. */
static void address(struct ts_buf *out, const char *file)
{
	for (; *file; file++) {
		if (ts_is_alnum((unsigned char)*file) || *file == '-' || *file == '_' || *file == '.')
			ts_buf_char(out, *file);
		else
			ts_buf_printf(out, "%%%02X", (unsigned)(unsigned char)*file);
	}
}

static void link_to(struct ts_buf *out, const struct ts_page_neighbour *page)
{
	ts_buf_str(out, "<a href=\"");
	address(out, page->file);
	ts_buf_str(out, "\">");
	ts_html_text(out, page->title);
	ts_buf_str(out, "</a>\n");
}

/* Replaces what stands in the place by links to these pages but for the one named self. False: it says the same already, or there is no
 * place. */
static bool put_links(struct ts_buf *html, const struct ts_page_neighbour *pages, size_t n, const char *self)
{
	struct ts_span page = ts_buf_view(html);
	size_t begin = ts_page_find(page, PLACE_BEGIN, 0), end = begin == SIZE_MAX ? SIZE_MAX : ts_page_find(page, PLACE_END, begin);
	struct ts_buf out = TS_BUF_INIT(html->ceiling);
	bool any = false, changed;

	if (end == SIZE_MAX)
		return false;
	ts_buf_span(&out, ts_span_of(page.data, begin));
	ts_buf_str(&out, PLACE_BEGIN);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(pages[i].file, self) == 0)
			continue;
		ts_buf_str(&out, any ? "" : "<nav aria-label=\"pages beside this one\">");
		link_to(&out, &pages[i]);
		any = true;
	}
	ts_buf_str(&out, any ? "</nav>" : "");
	ts_buf_span(&out, ts_span_from(page, end));
	changed = !out.failed && !ts_span_eq(ts_buf_view(&out), page);
	if (changed) {
		ts_buf_finish(html);
		*html = out;
	} else {
		ts_buf_lacks(html, &out);
		ts_buf_finish(&out);
	}
	return changed;
}

enum ts_status ts_page_links_put(const struct ts_page_links *links, struct ts_buf *html, struct ts_error *err)
{
	(void)put_links(html, links->pages, links->n, links->file);
	return ts_buf_check(html, err);
}

/* Whether the page at path now has the links. */
static bool update(const char *path, const struct ts_page_neighbour *pages, size_t n, const char *self)
{
	struct ts_buf html = TS_BUF_INIT(REWRITTEN_BYTES);
	struct ts_error err;
	struct stat stat;
	int fd = open_own(path, &stat);
	bool done = false;

	if (fd < 0)
		return false;
	if (!ts_read_rest(fd, (uint64_t)stat.st_size, &html, &err) && ts_span_starts(ts_buf_view(&html), ts_span_str(ts_page_begin)))
		done = !put_links(&html, pages, n, self) ? !html.failed
							 : !ts_file_replace(path, ts_buf_view(&html), stat.st_mode & 0777, &err);
	close(fd);
	ts_buf_finish(&html);
	return done;
}

size_t ts_page_links_spread(const struct ts_page_links *links, struct ts_span html, struct ts_arena *arena)
{
	const char *title = title_of(html, arena);
	struct ts_page_neighbour all[LINKED + 1];
	size_t at = 0, done = 0;

	if (!title)
		return 0;
	while (at < links->n && strcmp(links->pages[at].file, links->file) < 0)
		at++;
	memcpy(all, links->pages, at * sizeof *all);
	all[at] = (struct ts_page_neighbour){links->file, title};
	memcpy(all + at + 1, links->pages + at, (links->n - at) * sizeof *all);
	for (size_t i = 0; i < links->n; i++) {
		const char *path = path_of(links, links->pages[i].file, arena);

		done += path && update(path, all, links->n + 1, links->pages[i].file);
	}
	return done;
}
