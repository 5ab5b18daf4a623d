/* test_page_links.c - links between pages that lie side by side: both ways, once, and never into what is no page of ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/test_arena.h"
#include "cli/report/page_links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ts_error err;
static char folder[64];

static int enter(void **state)
{
	(void)snprintf(folder, sizeof folder, "/tmp/tscope-links-XXXXXX");
	assert_non_null(mkdtemp(folder));
	return setup(state);
}

static int leave(void **state)
{
	char command[128];

	(void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
	assert_int_equal(system(command), 0);
	return teardown(state);
}

static const char *at(const char *file)
{
	return ts_arena_printf(&arena, "%s/%s", folder, file);
}

static void put_file(const char *file, const char *text)
{
	assert_int_equal(ts_file_replace(at(file), ts_span_str(text), 0640, &err), TS_OK);
}

static const char *text_of(const char *file)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	const char *text;

	assert_int_equal(ts_file_read(at(file), &buf, &err), TS_OK);
	text = ts_arena_printf(&arena, "%.*s", TS_SPAN_ARG(ts_buf_view(&buf)));
	ts_buf_finish(&buf);
	return text;
}

/* A page as page.c writes it; the title is escaped already. */
static const char *page_called(const char *title)
{
	return ts_arena_printf(&arena, "%s%s</title></head>\n<body>%s<main>body of it</main></body></html>\n", ts_page_begin, title,
			       ts_page_place);
}

/* Writes a page as the verbs do, and returns into how many others a link was put. */
static size_t write_page(const char *file, const char *title)
{
	struct ts_buf html = TS_BUF_INIT(1 << 20);
	struct ts_page_links links;
	size_t linked;

	ts_buf_str(&html, page_called(title));
	assert_int_equal(ts_page_links_find(at(file), &arena, &links, &err), TS_OK);
	assert_int_equal(ts_page_links_put(&links, &html, &err), TS_OK);
	assert_int_equal(ts_file_replace(at(file), ts_buf_view(&html), 0644, &err), TS_OK);
	linked = ts_page_links_spread(&links, ts_buf_view(&html), &arena);
	ts_buf_finish(&html);
	return linked;
}

static bool says(const char *file, const char *what)
{
	return strstr(text_of(file), what);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void both_ways(void **state)
{
	(void)state;
	assert_int_equal(write_page("list.html", "2 runs"), 0);
	assert_false(says("list.html", "<nav"));
	assert_int_equal(write_page("exp1.html", "exp1"), 1);
	assert_int_equal(write_page("plot.html", "loss"), 2);
	assert_true(says("list.html", "<a href=\"exp1.html\">exp1</a>\n<a href=\"plot.html\">loss</a>"));
	assert_true(says("exp1.html", "<a href=\"list.html\">2 runs</a>\n<a href=\"plot.html\">loss</a>"));
	assert_true(says("plot.html", "<a href=\"exp1.html\">exp1</a>\n<a href=\"list.html\">2 runs</a>"));
	assert_true(says("list.html", "<main>body of it</main></body></html>\n"));
	/* Written again under another title, it is linked once, by that one. */
	assert_int_equal(write_page("exp1.html", "exp1, again"), 2);
	assert_int_equal(count(text_of("list.html"), "exp1.html"), 1);
	assert_true(says("list.html", ">exp1, again</a>"));
	/* What was removed is linked no more as soon as a page is written. */
	assert_int_equal(unlink(at("exp1.html")), 0);
	assert_int_equal(write_page("plot.html", "loss"), 1);
	assert_false(says("list.html", "exp1"));
}

static void keeps_what_says_it_already(void **state)
{
	struct stat before, after;

	(void)state;
	write_page("a.html", "a");
	write_page("b.html", "b");
	assert_int_equal(chmod(at("a.html"), 0600), 0);
	assert_int_equal(stat(at("a.html"), &before), 0);
	assert_int_equal(write_page("b.html", "b"), 1);
	assert_int_equal(stat(at("a.html"), &after), 0);
	assert_true(before.st_ino == after.st_ino);
	/* Rewritten, it keeps its mode. */
	write_page("c.html", "c");
	assert_int_equal(stat(at("a.html"), &after), 0);
	assert_true(before.st_ino != after.st_ino && (after.st_mode & 0777) == 0600);
}

/* Pages of others, links, folders and files that only look like pages stay as they are, and are not linked. */
static void leaves_others_alone(void **state)
{
	static const char foreign[] =
		"<!DOCTYPE html>\n<html><head><title>tscope: mine</title></head><body><!--pages--><!--/pages--></body></html>";
	const char *cut;

	(void)state;
	put_file("foreign.html", foreign);
	put_file("page.txt", page_called("text"));
	put_file("empty.html", "");
	cut = ts_arena_printf(&arena, "%sno end", ts_page_begin);
	put_file("cut.html", cut);
	put_file("target", page_called("target"));
	assert_int_equal(symlink("target", at("link.html")), 0);
	assert_int_equal(mkdir(at("folder.html"), 0755), 0);
	assert_int_equal(mkfifo(at("fifo.html"), 0600), 0);
	assert_int_equal(write_page("a.html", "a"), 0);
	assert_false(says("a.html", "<a "));
	assert_string_equal(text_of("foreign.html"), foreign);
	assert_string_equal(text_of("cut.html"), cut);
	assert_string_equal(text_of("target"), page_called("target"));
	assert_string_equal(text_of("page.txt"), page_called("text"));
}

/* Titles and names of files are foreign: they stay text, and an address of this folder. */
static void hostile_names(void **state)
{
	(void)state;
	put_file("a.html", page_called("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;&#39;&bad; \x1b[31m<b onclick=x>"));
	put_file("javascript:alert(1).html", page_called("b"));
	put_file("\"><script>.html", page_called("c"));
	put_file("d.html",
		 ts_arena_printf(&arena, "%sd</title><!--pages--><p>kept?</p><!--/pages--><!--/pages-->%s", ts_page_begin, "tail"));
	assert_int_equal(write_page("z.html", "z"), 4);
	assert_true(says("z.html", "<a href=\"a.html\">&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;&#39;&amp;bad; \\x1B[31m&lt;b "
				   "onclick=x&gt;</a>"));
	assert_true(says("z.html", "<a href=\"javascript%3Aalert%281%29.html\">b</a>"));
	assert_true(says("z.html", "<a href=\"%22%3E%3Cscript%3E.html\">c</a>"));
	assert_int_equal(count(text_of("z.html"), "<script"), 0);
	assert_true(says("d.html", "</nav><!--/pages--><!--/pages-->tail"));
}

/* Of a folder with many pages 64 are linked. */
static void many(void **state)
{
	(void)state;
	for (int i = 0; i < 80; i++)
		put_file(ts_arena_printf(&arena, "p%03d.html", i), page_called("p"));
	assert_int_equal(write_page("z.html", "z"), 64);
	assert_int_equal(count(text_of("z.html"), "<a "), 64);
}

/* A folder that is not there has no pages; that it cannot be written is for others to say. */
static void no_folder(void **state)
{
	struct ts_page_links links;

	(void)state;
	assert_int_equal(ts_page_links_find("/no/such/folder/page.html", &arena, &links, &err), TS_OK);
	assert_int_equal(links.n, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, enter, leave)
	const struct CMUnitTest tests[] = {
		T(both_ways), T(keeps_what_says_it_already), T(leaves_others_alone), T(hostile_names), T(many), T(no_folder),
	};

	return cmocka_run_group_tests_name("page_links", tests, NULL, NULL);
}
