/* config_text.c - what the table of settings says for people: --help and the manual page. */
#include "service/config.h"

#include "base/span.h"
#include "service/config_table.h"
#include "service/rpc/address.h"

enum { HELP_COLUMN = 26, HELP_WIDTH = 100 };

/* Writes the words of text, indented, with line breaks before the right margin. */
static void wrap(struct ts_buf *out, const char *text, size_t indent)
{
	size_t column = indent;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (column + n >= HELP_WIDTH && column > indent) {
			ts_buf_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			ts_buf_char(out, ' ');
			column++;
		}
		ts_buf_bytes(out, text, n);
		column += n;
		text += n;
		text += *text == ' ';
	}
	ts_buf_char(out, '\n');
}

/* " (default 20; read again at SIGHUP)" */
static void remark(struct ts_buf *out, const struct ts_option *option)
{
	bool fallback = option->fallback && *option->fallback && option->type != TS_OPTION_BOOL;
	bool again = option->when == TS_AT_RELOAD;

	if (!fallback && !again)
		return;
	ts_buf_printf(out, " (%s%s%s%s)", fallback ? "default " : "", fallback ? option->fallback : "", fallback && again ? "; " : "",
		      again ? "read again at SIGHUP" : "");
}

static void help_row(struct ts_buf *out, const struct ts_option *option)
{
	struct ts_buf both = TS_BUF_INIT(4096);
	size_t began = out->len, used;

	ts_buf_printf(out, "  --%s%s%s", option->name, option->value ? " " : "", option->value ? option->value : "");
	used = out->len - began;
	if (used + 2 > HELP_COLUMN) {
		ts_buf_char(out, '\n');
		used = 0;
	}
	ts_buf_printf(out, "%*s", (int)(HELP_COLUMN - used), "");
	ts_buf_str(&both, option->help);
	remark(&both, option);
	ts_buf_char(&both, 0);
	if (!both.failed)
		wrap(out, (const char *)both.data, HELP_COLUMN);
	ts_buf_finish(&both);
}

void ts_config_help(struct ts_buf *out)
{
	ts_buf_str(out, "usage: tscoped [--config FILE] [--SETTING VALUE]...\n"
			"       tscoped migrate FROM TO\n"
			"       tscoped mirror FROM TO [--project P | --branch P/B] [--filter F] [--token-file FILE] [--ca FILE]\n"
			"       tscoped mirror --end TO\n\n"
			"Stores training runs and answers the requests of tscope about them. migrate copies a store, a folder or\n"
			"cluster:FILE, into another one while servers use the first; stopped, it goes on where it was. mirror keeps\n"
			"a read-only copy of a store, of a server's, or of a part of it; run it again to bring it up to date.\n\n"
			"A setting is a flag, a variable TSCOPED_NAME of the environment, or a line 'name = value' of the file. Flags\n"
			"override the environment, and the environment overrides the file:\n\n");
	for (size_t i = 0; i < ts_n_options; i++) {
		if (ts_options[i].when != TS_BY_FLAG)
			help_row(out, &ts_options[i]);
	}
	ts_buf_str(out, "\nThese are flags only:\n\n");
	for (size_t i = 0; i < ts_n_options; i++) {
		if (ts_options[i].when == TS_BY_FLAG)
			help_row(out, &ts_options[i]);
	}
	ts_buf_str(out, "\nSIGTERM and SIGINT stop the server when running calls have finished (see --drain); a second signal\n"
			"stops it at once.\n");
}

/* In roff, a leading dot or quote would be a request, a backslash is an escape, and a hyphen may be set as a dash. */
static void roff(struct ts_buf *out, const char *text)
{
	for (bool fresh = true; *text; text++, fresh = false) {
		if (fresh && (*text == '.' || *text == '\''))
			ts_buf_str(out, "\\&");
		if (*text == '\\')
			ts_buf_str(out, "\\e");
		else if (*text == '-')
			ts_buf_str(out, "\\-");
		else
			ts_buf_char(out, *text);
	}
}

static void manual_row(struct ts_buf *out, const struct ts_option *option)
{
	ts_buf_str(out, ".TP\n.B \\-\\-");
	roff(out, option->name);
	if (option->value)
		ts_buf_printf(out, " \\fI%s\\fR", option->value);
	ts_buf_char(out, '\n');
	roff(out, option->help);
	remark(out, option);
	ts_buf_str(out, ".\n");
}

void ts_config_manual(struct ts_buf *out)
{
	ts_buf_str(out,
		   ".TH TSCOPED 8 \"\" \"tscope\"\n.SH NAME\ntscoped \\- stores training runs\n"
		   ".SH SYNOPSIS\n.B tscoped\n[\\fB\\-\\-config\\fR \\fIFILE\\fR] [\\fB\\-\\-SETTING\\fR \\fIVALUE\\fR]...\n"
		   ".br\n.B tscoped migrate\n\\fIFROM\\fR \\fITO\\fR\n"
		   ".br\n.B tscoped mirror\n\\fIFROM\\fR \\fITO\\fR [\\fB\\-\\-project\\fR \\fIP\\fR | \\fB\\-\\-branch\\fR "
		   "\\fIP/B\\fR] [\\fB\\-\\-filter\\fR \\fIF\\fR] [\\fB\\-\\-token\\-file\\fR \\fIFILE\\fR] "
				"[\\fB\\-\\-ca\\fR \\fIFILE\\fR]\n"
		   ".br\n.B tscoped mirror \\-\\-end\n\\fITO\\fR\n"
		   ".SH DESCRIPTION\nServes a store of training runs to\n.BR tscope (1)\n"
		   "over gRPC, on a unix socket and, with \\-\\-listen, by TLS or plain TCP. Who calls is the user at the other end "
		   "of the socket, or the name in a certificate or token; what that one may do follows from \\-\\-grant. Without "
		   "TLS, a team shares a server through ssh: TSCOPE_SERVER=ssh://HOST.\n"
		   ".SH SETTINGS\nEach setting is a flag, a variable of the environment (TSCOPED_ and the name in capitals, with _ for "
		   "\\-), or a line 'name = value' of the file; flags override the environment, and the environment overrides the "
		   "file.\n");
	for (size_t i = 0; i < ts_n_options; i++) {
		if (ts_options[i].when != TS_BY_FLAG)
			manual_row(out, &ts_options[i]);
	}
	ts_buf_str(out, ".SH FLAGS\n");
	for (size_t i = 0; i < ts_n_options; i++) {
		if (ts_options[i].when == TS_BY_FLAG)
			manual_row(out, &ts_options[i]);
	}
	ts_buf_str(out, ".SH MIGRATE\n\\fBtscoped migrate\\fR \\fIFROM\\fR \\fITO\\fR copies a store into an empty one. Each is a "
			"folder or cluster:FILE. Servers may use FROM meanwhile, which is only read. A copy that was stopped goes on "
			"where it was. It ends when nothing new has come, and then reads every object of the copy and computes its "
			"digest again; where FROM is written to all the time, it says so: stop its servers, or make them read only, "
			"and run it again. Serve TO only after that: a store that a server has written to is no copy any more, and is "
			"refused.\n");
	ts_buf_str(out, ".SH MIRROR\n\\fBtscoped mirror\\fR \\fIFROM\\fR \\fITO\\fR brings TO, a folder or "
			"cluster:FILE, to what FROM is "
			"now. FROM is a folder, cluster:FILE, or the address of a server (unix:PATH, tls:HOST:PORT, HOST:PORT, "
			"ssh://HOST). TO is empty at first, and a mirror of FROM from then on: it can be read by everybody and at any "
			"time, list and show say what it is a copy of, and who pushes to it is told to push there. Run the command "
			"again, as from a timer, to bring it up to date; one that was stopped goes on where it was.\n.PP\n"
			"Without a choice all of FROM is copied, of a server by its role admin. "
			"\\fB\\-\\-project\\fR copies the runs, tags "
			"and branches of one project, \\fB\\-\\-branch\\fR a branch with its log and the names of what is in it, and "
			"\\fB\\-\\-filter\\fR runs that match what tscope list would (for example "
			"'state=finished'), of all projects or "
			"one; of a server, the role read of the project is enough. A mirror keeps to its part, "
			"and an answer without any name is refused. Names that FROM has no more go, "
			"and what was copied is "
			"freed 30 days later. \\fB\\-\\-token\\-file\\fR names a file with a token, and "
			"\\fB\\-\\-ca\\fR PEM of the CAs that may "
			"have signed the certificate of the server.\n.PP\n\\fBtscoped mirror \\-\\-end\\fR \\fITO\\fR makes a mirror a "
			"store of its own, which can be pushed to, also by servers that have it open.\n");
	ts_buf_str(out, ".SH SIGNALS\nSIGTERM and SIGINT stop the server when running calls have finished or \\-\\-drain is over; a "
			"second signal ends it at once, and no write that was acknowledged is lost. SIGHUP reads the settings again; "
			"those above that say so hold from the next call on, the log names others that changed and need a restart, and "
			"a file with an error changes nothing. It reads the files of TLS again, too.\n"
			".SH FILES\n.TP\n.I " TS_DEFAULT_SOCKET "\nthe default socket of a server that root runs\n"
			".TP\n.I tscoped.sock.lock\nthe lock file beside the socket; the process that holds it serves the socket\n"
			".SH EXIT STATUS\n0 after a signal to stop, 2 if the server could not start.\n.SH SEE ALSO\n.BR tscope (1)\n");
}
