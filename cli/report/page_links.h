/* page_links.h - links between the pages that lie side by side in one folder.
 *
 * Every page has a place for links at the top of its body, between two comments. Who writes a page fills its place with links to the
 * pages beside it, and puts a link to it into theirs: of those files only the bytes of that place change, and nothing if they say the
 * same already. A page is a regular file of ours, named *.html, that begins as tscope's pages do; what else lies there is left alone.
 * Of a folder the first 512 such names are looked at and 64 pages linked. What a page is called is foreign text.
 */
#ifndef TSCOPE_CLI_REPORT_PAGE_LINKS_H
#define TSCOPE_CLI_REPORT_PAGE_LINKS_H

#include "base/arena.h"
#include "base/buf.h"

/* How every page begins, up to its title, and its empty place for links. */
extern const char ts_page_begin[], ts_page_place[];

/* Where `what` first stands in a page from a place on; SIZE_MAX: nowhere. */
size_t ts_page_find(struct ts_span in, const char *what, size_t from);

struct ts_page_neighbour {
	const char *file;  /* its name in the folder */
	const char *title; /* harmless to print, not escaped for a page */
};

struct ts_page_links {
	const char *folder, *file;	 /* of the page that is written */
	struct ts_page_neighbour *pages; /* beside it, by name */
	size_t n;
};

/* Finds the pages beside the one that is about to be written at path. A folder that cannot be read has none. */
enum ts_status ts_page_links_find(const char *path, struct ts_arena *arena, struct ts_page_links *ret_links, struct ts_error *err);
/* Replaces what stands in the place of a page by links to all pages but itself; html is left as it is if it has no place. */
enum ts_status ts_page_links_put(const struct ts_page_links *links, struct ts_buf *html, struct ts_error *err);
/* Puts links to the page, whose bytes are html, into those beside it; returns how many of them now have one. One that cannot be read or
 * written stays as it is. */
size_t ts_page_links_spread(const struct ts_page_links *links, struct ts_span html, struct ts_arena *arena);

#endif
