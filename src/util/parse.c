/*
 * Numbers as users write them: options and environment.
 */
#include "util/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int out_of_range(
	const char *text, uint64_t min, uint64_t max, struct error *err)
{
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' is not between %" PRIu64 " and %" PRIu64, text, min, max);
}

/*
 * strtoull takes blanks and signs; a count has neither. Returns where the
 * digits end, NULL with *err when there are none or too many.
 */
static const char *parse_digits(
	const char *text, uint64_t *value, struct error *err)
{
	char *end;

	if (*text < '0' || *text > '9') {
		error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a whole number", text);
		return NULL;
	}
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno) {
		error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is too large a number", text);
		return NULL;
	}
	return end;
}

int parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err)
{
	uint64_t number;
	const char *end = parse_digits(text, &number, err);

	if (!end)
		return -EINVAL;
	if (*end)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a whole number", text);
	if (number < min || number > max)
		return out_of_range(text, min, max, err);
	*value = number;
	return 0;
}

static int not_a_number(const char *text, struct error *err)
{
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' is not a number (write for instance 2, 0.5, 1e-3)", text);
}

int parse_double(const char *text, double min, double max, double *value,
	struct error *err)
{
	double number;
	char *end;

	/* strtod() also takes blanks, "inf", "nan" and hexadecimal. */
	if (strspn(text, "0123456789.eE+-") != strlen(text))
		return not_a_number(text, err);
	number = strtod(text, &end);
	if (end == text || *end || !isfinite(number))
		return not_a_number(text, err);
	if (number < min || number > max)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not between %.10g and %.10g", text, min, max);
	*value = number;
	return 0;
}

int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *value,
	struct error *err)
{
	static const char suffixes[] = "KMGT";
	uint64_t number;
	const char *end = parse_digits(text, &number, err);

	if (!end)
		return -EINVAL;
	for (unsigned i = 0; i < sizeof(suffixes) - 1; i++) {
		if ((*end & ~0x20) != suffixes[i])
			continue;
		if (number > UINT64_MAX >> (10 * (i + 1)))
			return out_of_range(text, min, max, err);
		number <<= 10 * (i + 1);
		end++;
		if (strcasecmp(end, "iB") == 0)
			end += 2;
		break;
	}
	if (strcasecmp(end, "B") == 0)
		end++;
	if (*end)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is not a size (write for instance 512, 64K, 4G)",
			text);
	if (number < min || number > max)
		return out_of_range(text, min, max, err);
	*value = number;
	return 0;
}
