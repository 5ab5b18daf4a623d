/* completion.c - makes the completion scripts for bash and zsh from the table of verbs. */
#include "cli/verbs/manual.h"

#include "analysis/rules/rule.h"
#include "service/handlers/runs/list_columns.h"

static void option_words(struct ts_buf *out, const struct ts_option *options)
{
	for (; options && options->name; options++) {
		if (options->letter)
			ts_buf_printf(out, " -%c", options->letter);
		ts_buf_printf(out, " --%s", options->name);
	}
}

/* What completes a word, in each shell. The choices of an option stand in its row. */
static const struct {
	const char *bash, *zsh;
} words_of[] = {
	[TS_COMPLETE_NONE] = {":", ""},
	[TS_COMPLETE_CHOICE] = {":", ""},
	[TS_COMPLETE_OFFER] = {":", ""},
	[TS_COMPLETE_DIR] = {"_tscope_paths -d", "_files -/"},
	[TS_COMPLETE_FILE] = {"_tscope_paths -f", "_files"},
	[TS_COMPLETE_RUN] = {"_tscope_runs", "_tscope_runs"},
	[TS_COMPLETE_REF] = {"_tscope_refs", "_tscope_refs"},
	[TS_COMPLETE_BRANCH] = {"_tscope_branches", "_tscope_branches"},
	[TS_COMPLETE_PROJECT] = {"_tscope_projects", "_tscope_projects"},
	[TS_COMPLETE_COLUMNS] = {"_tscope_columns", "_tscope_columns"},
	[TS_COMPLETE_SORT] = {"_tscope_sort_keys", "_tscope_sort_keys"},
	[TS_COMPLETE_VERB] = {"COMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\"))", "_tscope_verbs"},
	[TS_COMPLETE_RULE] = {"COMPREPLY=($(compgen -W \"$rules\" -- \"$cur\"))", "_tscope_rules"},
};

/* Writes a case of "verb:option" for each option whose value the shell can complete. */
static void bash_values(struct ts_buf *out, const char *verb, const struct ts_option *options)
{
	for (; options && options->name; options++) {
		if (!options->argument || ts_option_is_optional(options))
			continue;
		ts_buf_str(out, "\t");
		if (options->letter)
			ts_buf_printf(out, "%s:-%c|", verb, options->letter);
		ts_buf_printf(out, "%s:--%s) ", verb, options->name);
		if (options->choices)
			ts_buf_printf(out, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))", options->choices);
		else
			ts_buf_str(out, words_of[options->complete].bash);
		ts_buf_str(out, "; return ;;\n");
	}
}

/* Writes the columns that every list has, separated by spaces; what stands behind them in the text is no word. */
static void column_words(struct ts_buf *out)
{
	struct ts_span rest = ts_span_str(ts_list_words()), word;

	for (bool first = true; rest.len; first = false) {
		word = ts_span_through(rest, ',');
		if (!word.len)
			break;
		rest = ts_span_from(rest, word.len);
		(void)ts_span_skip(&rest, " ");
		word.len--;
		if (!ts_span_contains(word, "."))
			ts_buf_printf(out, "%s%.*s", first ? "" : " ", TS_SPAN_ARG(word));
	}
}

static const char bash_before[] =
	"# What names are there: a line each, from the store, server and project of this command line.\n"
	"_tscope_list() { tscope list --names --quiet \"${at[@]}\" \"$@\" 2>/dev/null; }\n"
	"\n"
	"# Offers the lines of stdin that go on with $cur, $1 before each. Lines are foreign text, which compgen -W would execute.\n"
	"_tscope_offer()\n"
	"{\n"
	"\tlocal line\n"
	"\twhile IFS= read -r line; do\n"
	"\t\t[[ $1$line == \"$cur\"* ]] && COMPREPLY+=(\"$1$line\")\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# compgen prints one path per line, because paths may contain spaces.\n"
	"_tscope_paths()\n"
	"{\n"
	"\tlocal IFS=$'\\n'\n"
	"\tCOMPREPLY=($(compgen \"$1\" -- \"$cur\"))\n"
	"}\n"
	"\n"
	"_tscope_branches() { _tscope_offer '' < <(_tscope_list --all --branches); }\n"
	"\n"
	"_tscope_projects()\n"
	"{\n"
	"\tlocal at=(\"${where[@]}\")\n"
	"\t_tscope_offer '' < <(_tscope_list --all --all-projects | sed 's|/.*||' | sort -u)\n"
	"}\n"
	"\n"
	"# $1: what a tag and a branch need before them, if anything.\n"
	"_tscope_names()\n"
	"{\n"
	"\tcase $cur in\n"
	"\t/*|./*|../*) _tscope_paths -d ;;\n"
	"\ttag:*) _tscope_offer tag: < <(_tscope_list --all --tags) ;;\n"
	"\tbranch:*) _tscope_offer branch: < <(_tscope_list --all --branches) ;;\n"
	"\trun:*) _tscope_offer run: < <(_tscope_list --all) ;;\n"
	"\t*)\n"
	"\t\t_tscope_offer '' < <(_tscope_list --all)\n"
	"\t\t_tscope_offer \"${1:+tag:}\" < <(_tscope_list --all --tags)\n"
	"\t\t_tscope_offer \"${1:+branch:}\" < <(_tscope_list --all --branches)\n"
	"\t\t;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"_tscope_runs() { _tscope_names ''; }\n"
	"\n"
	"_tscope_refs() { _tscope_names prefix; }\n"
	"\n"
	"# The columns of every list, and the facts of the newest run.\n"
	"_tscope_column_names()\n"
	"{\n"
	"\tlocal newest=$(_tscope_list --limit 1)\n"
	"\tprintf '%s\\n' ";

static const char bash_after[] =
	"\n"
	"\t[[ -z $newest ]] || tscope facts --quiet \"${at[@]}\" \"$newest\" 2>/dev/null | sed -n 's/^\\([a-z]*\\.[^ ]*\\)  .*/\\1/p'\n"
	"}\n"
	"\n"
	"_tscope_columns()\n"
	"{\n"
	"\tlocal before=''\n"
	"\t[[ $cur != *,* ]] || before=${cur%,*},\n"
	"\t_tscope_offer \"$before\" < <(_tscope_column_names)\n"
	"\tcompopt -o nospace 2>/dev/null\n"
	"}\n"
	"\n"
	"_tscope_sort_keys()\n"
	"{\n"
	"\tlocal before=''\n"
	"\t[[ $cur != -* ]] || before=-\n"
	"\t_tscope_offer \"$before\" < <(_tscope_column_names)\n"
	"}\n"
	"\n"
	"# Bash takes : and = for ends of words. Sets words, cur and prev to what tscope gets, less the = behind an option.\n"
	"_tscope_words()\n"
	"{\n"
	"\tlocal i last=0 word glue=''\n"
	"\twords=(\"${COMP_WORDS[0]}\")\n"
	"\tfor ((i = 1; i <= COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tif [[ $word == = && ${words[last]} == --* ]]; then\n"
	"\t\t\t[[ $i -lt $COMP_CWORD ]] || words[++last]=''\n"
	"\t\telif [[ $word == :* || -n $glue ]]; then\n"
	"\t\t\twords[last]+=$word\n"
	"\t\telse\n"
	"\t\t\twords[++last]=$word\n"
	"\t\tfi\n"
	"\t\tglue=''\n"
	"\t\t[[ $word != *: ]] || glue=1\n"
	"\tdone\n"
	"\tcur=${words[last]} prev=''\n"
	"\t[[ $last -eq 0 ]] || prev=${words[last-1]}\n"
	"}\n"
	"\n"
	"# The options of this command line that say whose names to offer: the store or server, and the project.\n"
	"_tscope_where()\n"
	"{\n"
	"\tlocal i\n"
	"\twhere=() at=()\n"
	"\tfor ((i = 1; i < ${#words[@]} - 2; i++)); do\n"
	"\t\tcase ${words[i]} in\n"
	"\t\t--server|--store) where+=(\"${words[i]}\" \"${words[i+1]}\") ;;\n"
	"\t\t-p|--project) at+=(\"${words[i]}\" \"${words[i+1]}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tat+=(\"${where[@]}\")\n"
	"}\n"
	"\n"
	"_tscope_complete()\n"
	"{\n"
	"\tlocal verb='' word\n";

static const char bash_entry[] =
	"_tscope()\n"
	"{\n"
	"\tlocal cur prev words where at i\n"
	"\tCOMPREPLY=()\n"
	"\t_tscope_words\n"
	"\t_tscope_where\n"
	"\t_tscope_complete\n"
	"\t# Readline replaces only what stands behind the last colon.\n"
	"\t[[ $cur != *:* || $COMP_WORDBREAKS != *:* ]] || "
	"for i in \"${!COMPREPLY[@]}\"; do COMPREPLY[i]=${COMPREPLY[i]#\"${cur%:*}:\"}; done\n"
	"}\n"
	"complete -o filenames -o bashdefault -F _tscope tscope\n";

void ts_completion_bash(struct ts_buf *out)
{
	ts_buf_str(out, "# bash completion for tscope; made by: tscope help --completion bash\n");
	ts_buf_str(out, bash_before);
	column_words(out);
	ts_buf_str(out, bash_after);
	ts_buf_str(out, "\tlocal verbs=\"");
	for (size_t i = 0; i < ts_verbs_n; i++)
		ts_buf_printf(out, "%s%s", i ? " " : "", ts_verbs[i].name);
	ts_buf_str(out, "\"\n\tlocal rules=\"");
	for (size_t i = 0; i < ts_rules_n; i++)
		ts_buf_printf(out, "%s%s", i ? " " : "", ts_rules[i].code);
	ts_buf_str(out, "\"\n\tfor word in \"${words[@]:1:${#words[@]}-2}\"; do\n"
			"\t\tcase \" $verbs \" in *\" $word \"*) verb=$word; break ;; esac\n"
			"\tdone\n"
			"\tcase $verb:$prev in\n");
	for (size_t i = 0; i < ts_verbs_n; i++)
		bash_values(out, ts_verbs[i].name, ts_verbs[i].options);
	for (size_t i = 0; i < ts_verbs_n; i++)
		if (ts_verbs[i].first_word)
			ts_buf_printf(out,
				      "\t%s:%s) [[ $cur == -* ]] || { COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return; } ;;\n",
				      ts_verbs[i].name, ts_verbs[i].name, ts_verbs[i].first_word);
	bash_values(out, "*", ts_common_options);
	ts_buf_str(out, "\tesac\n\tif [[ $cur == -* ]]; then\n\t\tlocal options=\"");
	option_words(out, ts_common_options);
	ts_buf_str(out, "\"\n\t\tcase $verb in\n");
	for (size_t i = 0; i < ts_verbs_n; i++) {
		if (!ts_verbs[i].options)
			continue;
		ts_buf_printf(out, "\t\t%s) options+=\"", ts_verbs[i].name);
		option_words(out, ts_verbs[i].options);
		ts_buf_str(out, "\" ;;\n");
	}
	ts_buf_str(out, "\t\tesac\n\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n\t\treturn\n\tfi\n"
			"\tcase $verb in\n\t'') COMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\")) ;;\n");
	for (size_t i = 0; i < ts_verbs_n; i++)
		if (ts_verbs[i].words != TS_COMPLETE_NONE)
			ts_buf_printf(out, "\t%s) %s ;;\n", ts_verbs[i].name, words_of[ts_verbs[i].words].bash);
	ts_buf_str(out, "\tesac\n}\n\n");
	ts_buf_str(out, bash_entry);
}

/* Writes text inside '...' of zsh: a quote ends and begins the string again; brackets and colons are escaped for _arguments. */
static void zsh_text(struct ts_buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			ts_buf_str(out, "'\\''");
		else if (*text == '[' || *text == ']' || *text == ':')
			ts_buf_printf(out, "\\%c", *text);
		else
			ts_buf_char(out, *text);
	}
}

static void zsh_options(struct ts_buf *out, const struct ts_option *options)
{
	for (; options && options->name; options++) {
		const char *star = options->repeat ? "*" : "";

		for (int form = 0; form < 2; form++) {
			if (form == 0 && !options->letter)
				continue;
			if (form == 0)
				ts_buf_printf(out, " \\\n\t\t'%s-%c", star, options->letter);
			else
				ts_buf_printf(out, " \\\n\t\t'%s--%s%s", star, options->name,
					      ts_option_is_optional(options) ? "=-" : options->argument ? "=" : "");
			ts_buf_char(out, '[');
			zsh_text(out, options->help);
			ts_buf_char(out, ']');
			if (options->argument) {
				ts_buf_str(out, ts_option_is_optional(options) ? "::" : ":");
				zsh_text(out, options->argument + ts_option_is_optional(options));
				ts_buf_char(out, ':');
				if (options->choices)
					ts_buf_printf(out, "(%s)", options->choices);
				else
					ts_buf_str(out, words_of[options->complete].zsh);
			}
			ts_buf_char(out, '\'');
		}
	}
}

static const char zsh_before[] =
	"# What names are there: a line each, from the store, server and project of this command line.\n"
	"_tscope_list()\n"
	"{\n"
	"\tlocal -a at\n"
	"\tlocal i\n"
	"\tfor ((i = 1; i < $#words; i++)); do\n"
	"\t\tcase $words[i] in\n"
	"\t\t--server|--store) at+=(\"$words[i]\" \"$words[i+1]\") ;;\n"
	"\t\t--server=*|--store=*) at+=(\"$words[i]\") ;;\n"
	"\t\t-p|--project) [[ $1 == --all-projects ]] || at+=(\"$words[i]\" \"$words[i+1]\") ;;\n"
	"\t\t--project=*) [[ $1 == --all-projects ]] || at+=(\"$words[i]\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tif [[ $1 == facts ]]; then\n"
	"\t\tshift\n"
	"\t\ttscope facts --quiet $at \"$@\" 2>/dev/null\n"
	"\telse\n"
	"\t\ttscope list --names --quiet $at \"$@\" 2>/dev/null\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# _tscope_add BEFORE NAME...: offers the names, with BEFORE before each.\n"
	"_tscope_add()\n"
	"{\n"
	"\tlocal before=$1\n"
	"\tshift\n"
	"\t(( $# == 0 )) || compadd -- $before$^@\n"
	"}\n"
	"\n"
	"_tscope_branches() { compadd -- ${(f)\"$(_tscope_list --all --branches)\"}; }\n"
	"\n"
	"_tscope_projects() { compadd -- ${(fu)\"$(_tscope_list --all-projects --all | sed 's|/.*||')\"}; }\n"
	"\n"
	"_tscope_names()\n"
	"{\n"
	"\tif [[ $PREFIX == (/|./|../)* ]]; then\n"
	"\t\t_files -/\n"
	"\telif compset -P 'tag:'; then\n"
	"\t\tcompadd -- ${(f)\"$(_tscope_list --all --tags)\"}\n"
	"\telif compset -P 'branch:'; then\n"
	"\t\t_tscope_branches\n"
	"\telif compset -P 'run:'; then\n"
	"\t\tcompadd -- ${(f)\"$(_tscope_list --all)\"}\n"
	"\telse\n"
	"\t\tcompadd -- ${(f)\"$(_tscope_list --all)\"}\n"
	"\t\t_tscope_add \"$1\" ${(f)\"$(_tscope_list --all --tags)\"}\n"
	"\t\t_tscope_add \"$2\" ${(f)\"$(_tscope_list --all --branches)\"}\n"
	"\t\t(( compstate[nmatches] )) || _files\n"
	"\tfi\n"
	"}\n"
	"\n"
	"_tscope_runs() { _tscope_names '' ''; }\n"
	"\n"
	"_tscope_refs() { _tscope_names tag: branch:; }\n"
	"\n"
	"# The columns of every list, and the facts of the newest run.\n"
	"_tscope_column_names()\n"
	"{\n"
	"\tlocal newest=$(_tscope_list --limit 1)\n"
	"\tprintf '%s\\n' ";

static const char zsh_after[] =
	"\n"
	"\t[[ -z $newest ]] || _tscope_list facts \"$newest\" | sed -n 's/^\\([a-z]*\\.[^ ]*\\)  .*/\\1/p'\n"
	"}\n"
	"\n"
	"_tscope_columns()\n"
	"{\n"
	"\tcompset -P '*,'\n"
	"\tcompadd -S '' -- ${(f)\"$(_tscope_column_names)\"}\n"
	"}\n"
	"\n"
	"_tscope_sort_keys()\n"
	"{\n"
	"\tcompset -P '-'\n"
	"\tcompadd -- ${(f)\"$(_tscope_column_names)\"}\n"
	"}\n"
	"\n";

void ts_completion_zsh(struct ts_buf *out)
{
	ts_buf_str(out, "#compdef tscope\n# zsh completion for tscope; made by: tscope help --completion zsh\n");
	ts_buf_str(out, zsh_before);
	column_words(out);
	ts_buf_str(out, zsh_after);
	ts_buf_str(out, "_tscope_verbs()\n{\n\tlocal -a verbs\n\tverbs=(\n");
	for (size_t i = 0; i < ts_verbs_n; i++) {
		ts_buf_printf(out, "\t\t'%s:", ts_verbs[i].name);
		zsh_text(out, ts_verbs[i].summary);
		ts_buf_str(out, "'\n");
	}
	ts_buf_str(out, "\t)\n\t_describe verb verbs\n}\n\n"
			"_tscope_rules()\n{\n\tcompadd");
	for (size_t i = 0; i < ts_rules_n; i++)
		ts_buf_printf(out, " %s", ts_rules[i].code);
	ts_buf_str(out, "\n}\n\n"
			"_tscope()\n{\n\tlocal curcontext=$curcontext state line\n"
			"\t_arguments -C '1:verb:_tscope_verbs' '*::argument:->rest'\n"
			"\t[[ $state == rest ]] || return\n\tcase $line[1] in\n");
	for (size_t i = 0; i < ts_verbs_n; i++) {
		const char *action = words_of[ts_verbs[i].words].zsh;

		ts_buf_printf(out, "\t%s)\n\t\t_arguments", ts_verbs[i].name);
		zsh_options(out, ts_verbs[i].options);
		zsh_options(out, ts_common_options);
		if (ts_verbs[i].first_word)
			ts_buf_printf(out, " \\\n\t\t'1:first:(%s)'", ts_verbs[i].first_word);
		if (*action)
			ts_buf_printf(out, " \\\n\t\t'*:argument:%s'", action);
		ts_buf_str(out, "\n\t\t;;\n");
	}
	ts_buf_str(out, "\tesac\n}\n\n_tscope \"$@\"\n");
}
