/* command.h - one command of tscope: finds the verb in the table, runs it, writes its answer or the error.
 *
 * stdout holds a whole answer or nothing (with --json: an answer or {"error": ...}); everything else goes to stderr. Sets what the
 * process does at SIGPIPE and SIGBUS. Threads: one at a time.
 */
#ifndef TSCOPE_CLI_COMMAND_H
#define TSCOPE_CLI_COMMAND_H

/* As main gets them. Returns the exit status. */
int ts_command(int argc, char **argv);

#endif
