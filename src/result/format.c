/* Functions for several formats: see format.h. */
#include "result/format.h"

#include <errno.h>
#include <string.h>

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

	/* Only a failed fflush() sets errno. */
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	code = errno ? errno : EIO;
	return error_set(err, ERROR_FAILURE, code, "writing failed: %s%s%s",
		strerror(code), *format_remedy(code) ? ": " : "",
		format_remedy(code));
}
