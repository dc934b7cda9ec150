/* parse.c: parses numbers as users write them. */
#include "util/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/text.h"

static int refuse_outside_sizes(
	const char *text, uint64_t min, uint64_t max, struct error *err)
{
	char least[TEXT_SIZE_BYTES], most[TEXT_SIZE_BYTES];

	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' is not between %s and %s", text, text_size(min, least),
		text_size(max, most));
}

/* Parse digits; *end is after them. strtoull() also takes blanks and signs. */
static int parse_digits(
	const char *text, uint64_t *value, char **end, struct error *err)
{
	if (*text < '0' || *text > '9')
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a whole number", text);
	errno = 0;
	*value = strtoull(text, end, 10);
	if (errno)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is too large a number", text);
	return 0;
}

int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err)
{
	uint64_t number = 0;
	char *end;
	int rc = parse_digits(text, &number, &end, err);

	if (rc == 0 && *end)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a whole number", text);
	if (rc == 0 && (number < min || number > max))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not between %" PRIu64 " and %" PRIu64, text,
			min, max);
	if (rc == 0)
		*value = number;
	return rc;
}

int parse_double(const char *text, double min, double max, double *value,
	struct error *err)
{
	char *end;
	double number = strtod(text, &end);

	/* strtod() also accepts blanks, "inf", "nan" and hexadecimal. */
	if (text[strspn(text, "0123456789.eE+-")] || end == text || *end ||
		!isfinite(number))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a number (write for instance 2, 0.5, "
			"1e-3)",
			text);
	if (number < min || number > max)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not between %.10g and %.10g", text, min, max);
	*value = number;
	return 0;
}

/* Reject "4MB", where MB may mean 10^6 or 2^20 bytes. */
static int refuse_ambiguous_size(
	const char *text, const char *suffix, struct error *err)
{
	int shorter = (int)(suffix - text) + 1;

	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s': c2c has no units with powers of 10; write %.*s or "
		"%.*siB for a power of 2",
		text, shorter, text, shorter, text);
}

int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	uint64_t number = 0;
	char *end;
	int rc = parse_digits(text, &number, &end, err);

	if (rc < 0)
		return rc;
	suffix = *end ? strchr(suffixes, *end & ~0x20) : NULL;
	if (suffix && *suffix) {
		int bits = 10 * (int)(suffix - suffixes + 1);

		if (strcasecmp(end + 1, "B") == 0)
			return refuse_ambiguous_size(text, end, err);
		if (number > UINT64_MAX >> bits)
			return refuse_outside_sizes(text, min, max, err);
		number <<= bits;
		end += strcasecmp(end + 1, "iB") == 0 ? 3 : 1;
	} else if (strcasecmp(end, "B") == 0) {
		end++;
	}
	if (*end)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a size (write for instance 512, 64K, 4G)",
			text);
	if (number < min || number > max)
		return refuse_outside_sizes(text, min, max, err);
	*value = number;
	return 0;
}
