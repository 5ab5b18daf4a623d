/* redact.h - what must not leave the machine: values under secret-looking keys, and passwords in URLs. */
#ifndef TSCOPE_INGEST_FACTS_REDACT_H
#define TSCOPE_INGEST_FACTS_REDACT_H

#include "run/fact.h"

#define TS_REDACTED "<redacted>"

/* The key names a secret: one of its words (split at '_', '-', '.', space and where small letters turn to capitals) is
 * password, passwd, passphrase, secret, credential(s), auth, apikey; or it has "api key", "access key", "private key",
 * "secret key"; or it ends in "token" and is not one of a language model's (pad_token, n_token, tokens, tokenizer). */
bool ts_secret_key(struct ts_span key);
/* Replaces the value of a fact: under a secret key (of any depth) text and numbers become "<redacted>"; in other texts the
 * user:password of a URL does. In session.command, a line of a shell, and session.argv, a list of words, so does what stands
 * behind KEY= where the key is secret, and the line stays one that a shell can read; in the line also the word behind --KEY.
 * Booleans and null cannot hide anything and stay. */
enum ts_status ts_redact(struct ts_fact *fact, bool secret, struct ts_arena *arena, struct ts_error *err);
/* "--api-key": a word of a command whose next one is a secret. */
bool ts_secret_flag(struct ts_span word);
/* Some line of a program has a password in a URL, or sets a secret key to a literal (api_key = "...", or API_KEY=...); *ret_line
 * is the first, counted from 1. Other spellings are not found. */
bool ts_secret_code(struct ts_span text, size_t *ret_line);
/* Some key of the path is secret. */
bool ts_secret_path(struct ts_span path);
/* The fact's value was replaced, wholly or in part. */
bool ts_is_redacted(const struct ts_fact *fact);

#endif
