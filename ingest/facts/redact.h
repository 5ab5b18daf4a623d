/* redact.h - removes what must not leave the machine: values under keys that look secret, and passwords in URLs. */
#ifndef TSCOPE_INGEST_FACTS_REDACT_H
#define TSCOPE_INGEST_FACTS_REDACT_H

#include "run/fact.h"

#define TS_REDACTED "<redacted>"

/* Whether the key names a secret: one of its words (split at '_', '-', '.', space and where small letters turn to capitals) is
 * password, passwd, passphrase, secret, credential(s), auth, apikey; or it has "api key", "access key", "private key",
 * "secret key"; or it ends in "token" and is not one of a language model's (pad_token, n_token, tokens, tokenizer). */
bool ts_secret_key(struct ts_span key);
/* Redacts the value of a fact. Below a secret key, at any depth, texts and numbers become "<redacted>"; in other texts the
 * user:password of a URL does. In session.command (a shell command line) and session.argv (a list of words) the value of
 * KEY=VALUE is also replaced if the key is secret, and so is the word after --KEY in the command line, which stays valid for a
 * shell. Booleans and null cannot hold a secret and stay. */
enum ts_status ts_redact(struct ts_fact *fact, bool secret, struct ts_arena *arena, struct ts_error *err);
/* Whether the word is an option, such as "--api-key", whose value (the next word) is a secret. */
bool ts_secret_flag(struct ts_span word);
/* Whether a line of a program has a password in a URL, or sets a secret key to a literal (api_key = "...", or API_KEY=...);
 * *ret_line is the first such line, from 1. Other spellings are not found. */
bool ts_secret_code(struct ts_span text, size_t *ret_line);
/* Whether any key of the path is secret. */
bool ts_secret_path(struct ts_span path);
/* Whether the value of the fact was replaced, wholly or in part. */
bool ts_is_redacted(const struct ts_fact *fact);

#endif
