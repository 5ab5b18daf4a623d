/* completion.c - makes the completion scripts for bash and zsh from the table of verbs. */
#include "cli/verbs/manual.h"

#include "analysis/rules/rule.h"

static void option_words(struct ts_buf *out, const struct ts_option *options)
{
	for (; options && options->name; options++) {
		if (options->letter)
			ts_buf_printf(out, " -%c", options->letter);
		ts_buf_printf(out, " --%s", options->name);
	}
}

static const char *bash_words(enum ts_complete complete)
{
	switch (complete) {
	case TS_COMPLETE_DIR:
		return "_tscope_paths -d";
	case TS_COMPLETE_FILE:
		return "_tscope_paths -f";
	case TS_COMPLETE_RUN:
		return "_tscope_runs";
	case TS_COMPLETE_VERB:
		return "COMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\"))";
	case TS_COMPLETE_RULE:
		return "COMPREPLY=($(compgen -W \"$rules\" -- \"$cur\"))";
	case TS_COMPLETE_NONE:
	case TS_COMPLETE_CHOICE:
		break;
	}
	return ":";
}

/* Writes a case of "verb:option" for each option whose value the shell can complete. */
static void bash_values(struct ts_buf *out, const char *verb, const struct ts_option *options)
{
	for (; options && options->name; options++) {
		if (!options->argument)
			continue;
		ts_buf_str(out, "\t");
		if (options->letter)
			ts_buf_printf(out, "%s:-%c|", verb, options->letter);
		ts_buf_printf(out, "%s:--%s) ", verb, options->name);
		if (options->complete == TS_COMPLETE_CHOICE)
			ts_buf_printf(out, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))", options->choices);
		else
			ts_buf_str(out, bash_words(options->complete));
		ts_buf_str(out, "; return ;;\n");
	}
}

void ts_completion_bash(struct ts_buf *out)
{
	ts_buf_str(out, "# bash completion for tscope; made by: tscope help --completion bash\n"
			"# compgen prints one path per line, because paths may contain spaces.\n"
			"_tscope_paths()\n{\n\tlocal IFS=$'\\n'\n\tCOMPREPLY=($(compgen \"$1\" -- \"$cur\"))\n}\n\n"
			"_tscope_runs()\n{\n"
			"\tcase $cur in\n"
			"\t/*|./*|../*) _tscope_paths -d ;;\n"
			"\t*) COMPREPLY=($(compgen -W \"$(tscope list --names --all --quiet 2>/dev/null)\" -- \"$cur\")) ;;\n"
			"\tesac\n}\n\n"
			"_tscope()\n{\n"
			"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb='' word\n"
			"\tlocal verbs=\"");
	for (size_t i = 0; i < ts_verbs_n; i++)
		ts_buf_printf(out, "%s%s", i ? " " : "", ts_verbs[i].name);
	ts_buf_str(out, "\"\n\tlocal rules=\"");
	for (size_t i = 0; i < ts_rules_n; i++)
		ts_buf_printf(out, "%s%s", i ? " " : "", ts_rules[i].code);
	ts_buf_str(out, "\"\n\tCOMPREPLY=()\n"
			"\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
			"\t\tcase \" $verbs \" in *\" $word \"*) verb=$word; break ;; esac\n"
			"\tdone\n"
			"\tcase $verb:$prev in\n");
	for (size_t i = 0; i < ts_verbs_n; i++)
		bash_values(out, ts_verbs[i].name, ts_verbs[i].options);
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
			ts_buf_printf(out, "\t%s) %s ;;\n", ts_verbs[i].name, bash_words(ts_verbs[i].words));
	ts_buf_str(out, "\tesac\n}\ncomplete -o filenames -o bashdefault -F _tscope tscope\n");
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

static const char *zsh_action(enum ts_complete complete)
{
	switch (complete) {
	case TS_COMPLETE_DIR:
		return "_files -/";
	case TS_COMPLETE_FILE:
		return "_files";
	case TS_COMPLETE_RUN:
		return "_tscope_runs";
	case TS_COMPLETE_VERB:
		return "_tscope_verbs";
	case TS_COMPLETE_RULE:
		return "_tscope_rules";
	case TS_COMPLETE_NONE:
	case TS_COMPLETE_CHOICE:
		break;
	}
	return "";
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
					      options->argument ? "=" : "");
			ts_buf_char(out, '[');
			zsh_text(out, options->help);
			ts_buf_char(out, ']');
			if (options->argument) {
				ts_buf_char(out, ':');
				zsh_text(out, options->argument);
				ts_buf_char(out, ':');
				if (options->complete == TS_COMPLETE_CHOICE)
					ts_buf_printf(out, "(%s)", options->choices);
				else
					ts_buf_str(out, zsh_action(options->complete));
			}
			ts_buf_char(out, '\'');
		}
	}
}

void ts_completion_zsh(struct ts_buf *out)
{
	ts_buf_str(out, "#compdef tscope\n# zsh completion for tscope; made by: tscope help --completion zsh\n"
			"_tscope_runs()\n{\n"
			"\tif [[ $PREFIX == (/|./|../)* ]]; then\n\t\t_files -/\n\t\treturn\n\tfi\n"
			"\tlocal -a runs\n\truns=(${(f)\"$(tscope list --names --all --quiet 2>/dev/null)\"})\n"
			"\tcompadd -a runs\n}\n\n"
			"_tscope_verbs()\n{\n\tlocal -a verbs\n\tverbs=(\n");
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
		const char *action = zsh_action(ts_verbs[i].words);

		ts_buf_printf(out, "\t%s)\n\t\t_arguments", ts_verbs[i].name);
		zsh_options(out, ts_verbs[i].options);
		zsh_options(out, ts_common_options);
		if (*action)
			ts_buf_printf(out, " \\\n\t\t'*:argument:%s'", action);
		ts_buf_str(out, "\n\t\t;;\n");
	}
	ts_buf_str(out, "\tesac\n}\n\n_tscope \"$@\"\n");
}
