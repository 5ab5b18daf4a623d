/* command.h - runs one command of tscope: it finds the verb in the table, runs it, and writes its answer or the error.
 *
 * stdout gets a whole answer or nothing (with --json: an answer or {"error": ...}); everything else goes to stderr. The command
 * sets what the process does at SIGPIPE and SIGBUS. Threads: one at a time.
 */
#ifndef TSCOPE_CLI_COMMAND_H
#define TSCOPE_CLI_COMMAND_H

/* Takes the arguments as main gets them. Returns the exit status. */
int ts_command(int argc, char **argv);

#endif
