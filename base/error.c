#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A cut inside a UTF-8 sequence would make the whole text invalid, so the cut moves back to before that sequence. */
static void cut_at_boundary(char *text)
{
	size_t len = strlen(text);
	size_t i = len;

	if (len + 1 < TS_ERROR_TEXT)
		return;
	while (i > 0 && ((unsigned char)text[i - 1] & 0xC0) == 0x80)
		i--;
	if (i > 0 && (unsigned char)text[i - 1] >= 0xC0)
		text[i - 1] = '\0';
}

__attribute__((format(printf, 2, 0)))
static void set_text(struct ts_error *err, const char *format, va_list args)
{
	(void)vsnprintf(err->text, sizeof err->text, format, args);
	cut_at_boundary(err->text);
}

enum ts_status ts_error_set(struct ts_error *err, enum ts_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_text(err, format, args);
	va_end(args);
	err->status = status;
	return status;
}

enum ts_status ts_error_prefix(struct ts_error *err, const char *format, ...)
{
	char cause[TS_ERROR_TEXT];
	size_t len;
	va_list args;

	memcpy(cause, err->text, sizeof cause);
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	len = strlen(err->text);
	(void)snprintf(err->text + len, sizeof err->text - len, ": %s", cause);
	cut_at_boundary(err->text);
	return err->status;
}

static enum ts_status status_of_errno(int errnum)
{
	switch (errnum) {
	case ENOSPC:
	case EDQUOT:
		return TS_FULL;
	case ENOENT:
		return TS_NOT_FOUND;
	case EACCES:
	case EPERM:
	case EROFS:
		return TS_DENIED;
	case ENOMEM:
		return TS_NO_MEMORY;
	default:
		return TS_IO;
	}
}

enum ts_status ts_error_errno(struct ts_error *err, int errnum, const char *format, ...)
{
	char reason[128];
	size_t len;
	va_list args;

	va_start(args, format);
	set_text(err, format, args);
	va_end(args);
	len = strlen(err->text);
	(void)snprintf(err->text + len, sizeof err->text - len, ": %s",
		       strerror_r(errnum, reason, sizeof reason));
	cut_at_boundary(err->text);
	err->status = status_of_errno(errnum);
	return err->status;
}

const char *ts_status_word(enum ts_status status)
{
	static const char *const words[] = {
		"ok",	    "invalid",	 "damaged",  "not_found", "ambiguous", "conflict",
		"too_large", "no_memory", "io",	     "full",	  "unavailable", "deadline",
		"cancelled", "denied",	 "unsupported", "internal",
	};

	if ((size_t)status >= sizeof words / sizeof words[0])
		return "internal";
	return words[status];
}
