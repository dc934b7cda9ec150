/*
 * What the formats of this folder share: see format.h.
 */
#include "result/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/fields.h"
#include "util/array.h"
#include "util/text.h"

const char *format_remedy(int code)
{
	switch (code) {
	case ENOSPC:
	case EDQUOT:
		return "free some space or choose another folder";
	case EFBIG:
		return "raise the limit on file sizes (ulimit -f)";
	case EACCES:
	case EPERM:
	case EROFS:
		return "choose another folder or change its permissions";
	default:
		return "";
	}
}

int format_flush(FILE *out, struct error *err)
{
	int code;

	/* A failed flush sets errno; an earlier failure may not have. */
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	code = errno ? errno : EIO;
	return error_set(err, ERROR_FAILURE, code, "writing failed: %s%s%s",
		strerror(code), *format_remedy(code) ? ": " : "",
		format_remedy(code));
}

json_t *format_pack_envelope(const struct result *result, struct error *err)
{
	json_t *envelope = json_pack("{s:s, s:i}", "format", RESULT_FORMAT,
		"version", RESULT_VERSION);
	const struct pack_context context = {.from = result};
	int rc = envelope ? 0 : -1;

	for (const struct record_field *field = fields_of_result; field->key;
		field++)
		rc |= json_object_set_new(envelope, field->key,
			field_pack(field, result, &context));
	/* No duration is more precise than a microsecond. */
	rc |= json_object_set_new(envelope, "elapsed_s",
		format_real(round(result->elapsed_s * 1e6) / 1e6));
	if (rc == 0)
		return envelope;
	json_decref(envelope);
	error_set(err, ERROR_FAILURE, ENOMEM,
		"the command or the time of the result is not UTF-8, or memory "
		"is out");
	return NULL;
}
