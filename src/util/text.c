#include "util/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *text_vformat(const char *format, va_list args)
{
	char *text;

	return vasprintf(&text, format, args) < 0 ? NULL : text;
}

char *text_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_vformat(format, args);
	va_end(args);
	return text;
}

void text_list_add(
	struct text_list *list, const char *between, const char *format, ...)
{
	va_list args;

	if (list->out)
		fputs(between, list->out);
	else
		list->out = open_memstream(&list->text, &list->bytes);
	list->failed |= !list->out;
	if (list->failed)
		return;
	va_start(args, format);
	vfprintf(list->out, format, args);
	va_end(args);
}

void text_list_add_shell_word(
	struct text_list *list, const char *between, const char *word)
{
	static const char plain[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"%+,-./:=@_";

	if (*word && word[strspn(word, plain)] == '\0') {
		text_list_add(list, between, "%s", word);
		return;
	}
	text_list_add(list, between, "'");
	for (; *word; word++) {
		if (*word == '\'')
			text_list_add(list, "", "'\\''");
		else
			text_list_add(list, "", "%c", *word);
	}
	text_list_add(list, "", "'");
}

char *text_list_end(struct text_list *list)
{
	if (!list->out)
		return list->failed ? NULL : strdup("");
	if (fclose(list->out) == 0)
		return list->text;
	free(list->text);
	return NULL;
}

bool text_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Return the bytes of the control character at c, or 0. */
static size_t control_bytes(const unsigned char *c)
{
	if ((*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
		return 1;
	return *c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

bool text_is_control(char c)
{
	return (unsigned char)c < 32 || c == 127;
}

void text_make_safe(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++) {
		for (size_t n = control_bytes(c); n > 0; n--)
			c[n - 1] = '?';
	}
}

/* Longest word that is compared with a mistyped one. */
#define WORD_LETTERS 31

/*
 * Return the edit distance from a to b: the number of letters to insert,
 * delete, change, or swap with the next letter (Damerau, 1964). SIZE_MAX: too
 * long.
 */
static size_t edit_distance(const char *a, const char *b)
{
	size_t d[WORD_LETTERS + 1][WORD_LETTERS + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > WORD_LETTERS || m > WORD_LETTERS)
		return SIZE_MAX;
	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			if (i == 0 || j == 0) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (d[i - 1][j] + 1 < d[i][j])
				d[i][j] = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < d[i][j])
				d[i][j] = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
				a[i - 2] == b[j - 1] &&
				d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[n][m];
}

bool text_is_nearer(const char *word, const char *candidate, size_t *best)
{
	size_t length = strlen(word);
	size_t distance = edit_distance(word, candidate);

	if (length > 1 && strncmp(word, candidate, length) == 0)
		distance = 1;
	if (distance > 1 + length / 4 || distance >= *best || length < 2)
		return false;
	/* Users who mistype the first letter rarely make another error. */
	if (distance > 1 && *word != *candidate)
		return false;
	*best = distance;
	return true;
}

const char *text_size(uint64_t bytes, char text[TEXT_SIZE_BYTES])
{
	static const char *const units[] = {
		"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double size = (double)bytes;
	size_t unit = 0;

	/* "%.4g" would round slightly smaller sizes to "1024 KiB". */
	while (size >= 1023.5) {
		size /= 1024;
		unit++;
	}
	snprintf(text, TEXT_SIZE_BYTES, "%.4g %s", size, units[unit]);
	return text;
}

const char *text_share(double share, char text[TEXT_SHARE_BYTES])
{
	if (share < 0.0001)
		snprintf(text, TEXT_SHARE_BYTES, "under 0.01 %%");
	else
		snprintf(text, TEXT_SHARE_BYTES, "%.*f %%",
			share < 0.00995	 ? 2
			: share < 0.0995 ? 1
					 : 0,
			100 * share);
	return text;
}

const char *text_bound(double share, char text[TEXT_SHARE_BYTES])
{
	return text_share(share < 0.0001 ? 0.0001 : share, text);
}

/* Return the bytes of the UTF-8 character at c, or 0. */
static size_t character_bytes(const unsigned char *c)
{
	/* Smallest code of a character with 1 to 4 bytes. */
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = *c < 0x80   ? 1
		   : *c < 0xc0 ? 0
		   : *c < 0xe0 ? 2
		   : *c < 0xf0 ? 3
		   : *c < 0xf8 ? 4
			       : 0;
	uint32_t code = n > 1 ? *c & 0x7fu >> n : *c;

	for (size_t i = 1; i < n; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (c[i] & 0x3f);
	}
	/* Surrogates of UTF-16 are not characters. */
	return code < least[n] || code > 0x10ffff || code >> 11 == 0x1b ? 0 : n;
}

size_t text_columns(const char *text, size_t bytes)
{
	size_t columns = 0;

	for (size_t i = 0; i < bytes; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

size_t text_line(const char *text, size_t columns, char end)
{
	size_t bytes = 0;

	for (size_t i = 0; bytes == 0 || text_columns(text, i) <= columns;) {
		bytes = i;
		if (!text[i])
			break;
		for (i++;
			text[i] &&
			(text[i] != ' ' || (end != ' ' && text[i - 1] != end));)
			i++;
	}
	return bytes;
}

char *text_show_bytes(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	char *shown = malloc(4 * strlen(text) + 1), *to = shown;

	for (size_t n; shown && *c; c += n ? n : 1) {
		n = character_bytes(c);
		if (n == 0)
			to += snprintf(to, 5, "\\x%02x", *c);
		memcpy(to, c, n);
		to += n;
	}
	if (shown)
		*to = '\0';
	return shown;
}

void text_make_utf8(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c;) {
		size_t n = character_bytes(c);

		if (n == 0)
			*c = '?';
		c += n ? n : 1;
	}
}

void text_make_xml(char *text)
{
	text_make_utf8(text);
	/* Replace U+FFFE and U+FFFF. */
	for (char *c = text; (c = strstr(c, "\xef\xbf")); c++) {
		if (c[2] != '\xbe' && c[2] != '\xbf')
			continue;
		*c = '?';
		memmove(c + 1, c + 3, strlen(c + 3) + 1);
	}
}

char *text_safe_copy(const char *text)
{
	char *safe = strdup(text);

	if (safe) {
		text_make_utf8(safe);
		text_make_safe(safe);
	}
	return safe;
}

void text_print_escaped(FILE *out, const char *text, const char *special,
	const char *const *escaped)
{
	for (; *text; text++) {
		const char *found = strchr(special, *text);

		if (found)
			fputs(escaped[found - special], out);
		else
			putc(*text, out);
	}
}

void text_print_safe(FILE *out, const char *text)
{
	char *safe = text_safe_copy(text);

	if (safe)
		fputs(safe, out);
	free(safe);
}

void text_put_signs(char *text)
{
	for (char *at = text; (at = strstr(at, "+-"));) {
		*at++ = "±"[0];
		*at++ = "±"[1];
	}
}

const char *text_flaw(const char *text, bool lines)
{
	const unsigned char *c = (const unsigned char *)text;

	for (size_t n; *c; c += n) {
		n = character_bytes(c);
		if (n == 0)
			return "bytes that are not UTF-8";
		if (lines ? control_bytes(c) > 0 && *c != '\r'
			  : control_bytes(c) > 0 || *c == '\n')
			return "control characters";
	}
	return NULL;
}

const char *text_sizes(double least, double most, char text[TEXT_SIZES_BYTES])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	char low[TEXT_NUMBER_BYTES], high[TEXT_NUMBER_BYTES];
	double top = isnan(most) ? least : most, scale = 1;
	size_t unit = 0;

	for (; top >= 1024 * scale && unit + 1 < sizeof(units) / sizeof(*units);
		unit++)
		scale *= 1024;
	text_number(least / scale, low);
	text_number(top / scale, high);
	if (isnan(most) || isnan(least) || strcmp(low, high) == 0)
		low[0] = '\0';
	snprintf(text, TEXT_SIZES_BYTES, "%s%s%s%s %s", isnan(most) ? ">=" : "",
		low, *low ? "-" : "", high, units[unit]);
	if (isnan(top))
		snprintf(text, TEXT_SIZES_BYTES, "?");
	return text;
}

const char *text_number(double value, char text[TEXT_NUMBER_BYTES])
{
	/* "%.3g" would round larger values to 1e+03. */
	snprintf(text, TEXT_NUMBER_BYTES, fabs(value) < 999.5 ? "%.3g" : "%.0f",
		value);
	return text;
}

const char *text_time(double s, char text[TEXT_SIZE_BYTES])
{
	static const char *const units[] = {"ns", "us", "ms"};
	double value = s * 1e9;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		/* "%.3g" would round larger values to 1e+03. */
		if (value < 999.5) {
			snprintf(text, TEXT_SIZE_BYTES, "%.3g %s", value,
				units[i]);
			return text;
		}
		value /= 1000;
	}
	snprintf(text, TEXT_SIZE_BYTES, value < 999.5 ? "%.3g s" : "%.0f s",
		value);
	return text;
}

void text_one_line(char *text)
{
	size_t used = 0;

	for (const char *c = text; *c; c++) {
		if (!strchr(" \t\r\n", *c))
			text[used++] = *c;
		else if (used > 0 && text[used - 1] != ' ')
			text[used++] = ' ';
	}
	if (used > 0 && text[used - 1] == ' ')
		used--;
	text[used] = '\0';
}

size_t text_fitting_bytes(const char *text, size_t width)
{
	size_t length = text_line(text, width, ' ');

	if (text_columns(text, length) <= width)
		return length;
	/* Break a long list at a comma: a number like 1,024 fits. */
	for (size_t n = width; n > 0; n--) {
		if (text[n - 1] == ',')
			return n;
	}
	return width;
}

bool text_is_rate(const char *unit)
{
	static const char *const ends[] = {"/s", "/ms", "/us", "/ns", "/sec",
		"/cycle", "/clk", "/unit", "bps", "Bps"};
	size_t n = strlen(unit);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t end = strlen(ends[i]);

		if (n > end && strcmp(unit + n - end, ends[i]) == 0)
			return true;
	}
	return false;
}

const char *text_excerpt(struct quoted_text *quote, const char *text, size_t n)
{
	size_t shown = n < 40 ? n : 40;

	if (n == 0)
		return "nothing";
	snprintf(quote->text, sizeof(quote->text), "'%.*s%s'", (int)shown, text,
		shown < n ? "..." : "");
	for (char *c = quote->text; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	return quote->text;
}
