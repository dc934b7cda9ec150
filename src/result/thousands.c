#include "result/thousands.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "result/reader.h"
#include "result/table.h"

/* Meanings of a comma or a point in a number. */
enum {
	SIGN_OF_GROUPS = 1,
	SIGN_OF_DECIMALS = 2,
	SIGN_OF_EITHER = 4,
};

/* Meaning of the comma or the point in a table. */
struct digit_sign {
	char character;
	unsigned seen;	  /* SIGN_... */
	bool drop;	  /* the sign separates thousands */
	size_t line;	  /* line of the first ambiguous number */
	const char *text; /* text of the ambiguous number */
	size_t n;	  /* length of the ambiguous number */
};

/* Signs that can only separate thousands: apostrophes and no-break spaces. */
static const char *const plain_signs[] = {
	"'", "_", "\xe2\x80\x99", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"};

static bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

static size_t count_sign_bytes(const char *text, size_t n, char sign)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += text[i] == sign;
	return found;
}

/* Return whether text[n] consists of groups of three digits between signs. */
static bool is_grouped(const char *text, size_t n, char sign)
{
	size_t first = strspn(text, "0123456789");

	if (first == 0 || first > 3 || *text == '0' || first >= n)
		return false;
	for (size_t i = first; i < n; i += 4) {
		if (n - i < 4 || text[i] != sign || !is_digit(text[i + 1]) ||
			!is_digit(text[i + 2]) || !is_digit(text[i + 3]))
			return false;
	}
	return true;
}

/*
 * Return the length of a number with commas and points at c, or 0. If commas
 * separate cells, only quoted numbers may have commas.
 */
static size_t number_bytes_at(const char *line, const char *c, char separator)
{
	bool begins = c == line ||
		      (!isalnum((unsigned char)c[-1]) && !strchr(".,", c[-1]));
	bool quoted = c > line && c[-1] == '"';
	size_t n;

	/* A comma before the number may separate cells. */
	if (separator == ',' && c > line && c[-1] == ',')
		begins = true;
	if (!begins || !is_digit(*c))
		return 0;
	n = strspn(
		c, separator != ',' || quoted ? "0123456789.," : "0123456789.");
	while (!is_digit(c[n - 1]))
		n--;
	return n;
}

static void note_sign_use(struct digit_sign *sign, struct digit_sign *other,
	size_t line, const char *text, size_t n)
{
	size_t signs = count_sign_bytes(text, n, sign->character);
	const char *last = memchr(text, sign->character, n);
	size_t whole = last ? (size_t)(last - text) : 0;

	if (signs == 0)
		return;
	if (count_sign_bytes(text, n, other->character) > 0) {
		/* In 1.234,5 the last sign is the decimal sign. */
		if (signs == 1 && is_grouped(text, whole, other->character)) {
			sign->seen |= SIGN_OF_DECIMALS;
			other->seen |= SIGN_OF_GROUPS;
		}
		return;
	}
	if (!is_grouped(text, n, sign->character)) {
		sign->seen |= signs == 1 ? SIGN_OF_DECIMALS : 0;
		return;
	}
	sign->seen |= signs > 1 ? SIGN_OF_GROUPS : SIGN_OF_EITHER;
	if (signs == 1 && !sign->text) {
		sign->line = line;
		sign->text = text;
		sign->n = n;
	}
}

static void note_all_signs(const struct table_line *lines, size_t n,
	char separator, struct digit_sign *comma, struct digit_sign *point)
{
	for (size_t i = 0; i < n; i++) {
		const char *line = lines[i].text, *c = line;

		while (*line != '#' && *c) {
			size_t bytes = number_bytes_at(line, c, separator);

			if (bytes > 0) {
				note_sign_use(comma, point, lines[i].number, c,
					bytes);
				note_sign_use(point, comma, lines[i].number, c,
					bytes);
			}
			c += bytes ? bytes : 1;
		}
	}
}

static int decide_sign_role(struct digit_sign *sign,
	const struct digit_sign *other, struct error *err)
{
	struct quoted_text quote;

	if (sign->seen & SIGN_OF_DECIMALS)
		return 0;
	sign->drop = (sign->seen & SIGN_OF_GROUPS) ||
		     (sign->character == ',' && (sign->seen & SIGN_OF_EITHER) &&
			     (other->seen & SIGN_OF_DECIMALS));
	if (sign->drop || !(sign->seen & SIGN_OF_EITHER))
		return 0;
	if (sign->character == '.' && !(other->seen & SIGN_OF_DECIMALS))
		return 0;
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu: found %s, where '%c' may separate thousands or "
		"decimals: write thousands without a sign, and decimals with "
		"a point",
		sign->line, text_excerpt(&quote, sign->text, sign->n),
		sign->character);
}

static void drop_group_sign(char *line, char separator, char sign)
{
	char *to = line, *c = line;

	while (*c) {
		size_t n = number_bytes_at(line, c, separator);

		if (n == 0)
			*to++ = *c++;
		for (; n > 0; n--, c++) {
			if (*c != sign)
				*to++ = *c;
		}
	}
	*to = '\0';
}

/* Return the length of a plain sign at text, or 0. */
static size_t plain_sign_bytes(const char *text, char separator)
{
	if (*text == ' ')
		return separator != ' ' && separator != ',';
	for (size_t i = 0; i < sizeof(plain_signs) / sizeof(*plain_signs);
		i++) {
		size_t n = strlen(plain_signs[i]);

		if (strncmp(text, plain_signs[i], n) == 0)
			return n;
	}
	return 0;
}

/* Return the length of a number with plain signs at text, or 0. */
static size_t plain_group_bytes(const char *text, char separator)
{
	size_t n = strspn(text, "0123456789"), sign, groups = 0;

	if (n == 0 || n > 3 || *text == '0')
		return 0;
	while ((sign = plain_sign_bytes(text + n, separator)) > 0 &&
		strspn(text + n + sign, "0123456789") == 3) {
		n += sign + 3;
		groups++;
	}
	/*
	 * The signs do not separate thousands if a group has more than 3
	 * digits.
	 */
	if (plain_sign_bytes(text + n, separator) &&
		is_digit(text[n + plain_sign_bytes(text + n, separator)]))
		return 0;
	return groups ? n : 0;
}

/* Drop plain signs in numbers at the beginning of a cell. */
static void drop_plain_signs(char *line, char separator)
{
	bool begins = true;
	char *to = line;

	/* Most lines have no plain sign. */
	if (!strpbrk(line, " '_\xc2\xe2"))
		return;
	for (const char *c = line; *c;) {
		size_t n = begins ? plain_group_bytes(c, separator) : 0;

		for (const char *end = c + n; c < end; c++) {
			if (is_digit(*c))
				*to++ = *c;
		}
		if (n > 0) {
			begins = false;
			continue;
		}
		begins =
			*c == separator || (begins && (*c == ' ' || *c == '"'));
		*to++ = *c++;
	}
	*to = '\0';
}

int thousands_drop(
	struct table_line *lines, size_t n, char separator, struct error *err)
{
	struct digit_sign comma = {.character = ','},
			  point = {.character = '.'};
	int rc;

	for (size_t i = 0; i < n; i++) {
		if (*lines[i].text != '#')
			drop_plain_signs(lines[i].text, separator);
	}
	note_all_signs(lines, n, separator, &comma, &point);
	rc = decide_sign_role(&comma, &point, err);
	if (rc == 0)
		rc = decide_sign_role(&point, &comma, err);
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (*lines[i].text == '#')
			continue;
		if (comma.drop)
			drop_group_sign(lines[i].text, separator, ',');
		if (point.drop)
			drop_group_sign(lines[i].text, separator, '.');
	}
	return rc;
}
