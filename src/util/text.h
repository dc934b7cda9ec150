/* Formats text, and makes foreign text safe. No function has state. */
#ifndef C2C_TEXT_H
#define C2C_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Format like printf() into a string for free(), or NULL without memory. */
char *text_format(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
char *text_vformat(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

/* A list whose text grows. A zeroed struct is an empty list. */
struct text_list {
	char *text;
	size_t bytes;
	FILE *out; /* NULL before the first item, or without memory */
	bool failed;
};

/* Append an item like printf(), after `between` unless it is the first. */
void text_list_add(struct text_list *list, const char *between,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Append a word for a shell, in quotes if it needs them. */
void text_list_add_shell_word(
	struct text_list *list, const char *between, const char *word);

/* Return the list's text for free(), "" if it is empty; NULL without memory. */
char *text_list_end(struct text_list *list);

/* Return whether both texts, which may be NULL, are equal. */
bool text_same(const char *a, const char *b);

/* Return whether c is an ASCII control character, in any locale. */
bool text_is_control(char c);

/*
 * Replace control characters that a terminal would obey with '?': those of
 * ASCII, except newline and tab, and those of two bytes in UTF-8.
 */
void text_make_safe(char *text);

/* Replace "+-" by its sign: records and terminals have plain ASCII. */
void text_put_signs(char *text);

/*
 * Return why c2c cannot print a text: control characters, bytes that are not
 * UTF-8, or line ends (unless `lines`). The words follow "found ...". NULL: the
 * text is valid.
 */
const char *text_flaw(const char *text, bool lines);

/*
 * Return whether a user who typed `word` more likely meant candidate than
 * earlier candidates. *best, SIZE_MAX at first, is the least distance so far. A
 * candidate is likely if the word is its beginning or has few wrong letters:
 * one letter, or more after a correct first letter.
 */
bool text_is_nearer(const char *word, const char *candidate, size_t *best);

/* Return the number of characters (columns) in this many bytes of UTF-8. */
size_t text_columns(const char *text, size_t bytes);

/*
 * Return the bytes of text's first line: as many words as fit, at least one. A
 * word ends at a blank, after the letter `end` unless `end` is a blank.
 */
size_t text_line(const char *text, size_t columns, char end);

/*
 * Return the bytes of the first line; long words break at commas or anywhere.
 */
size_t text_fitting_bytes(const char *text, size_t width);

/* Format a size in the largest unit that it reaches: "64 B", "1.5 MiB". */
#define TEXT_SIZE_BYTES 32
const char *text_size(uint64_t bytes, char text[TEXT_SIZE_BYTES]);

/*
 * Format a range: "24-32 MiB", "0.841-1.19 MiB", or one size if both are equal.
 * If `most` is NaN, the text is ">=1 MiB". If `least` is NaN, the text is the
 * size `most`. If both are NaN, the text is "?".
 */
#define TEXT_SIZES_BYTES 700
const char *text_sizes(double least, double most, char text[TEXT_SIZES_BYTES]);

/* Format a share: "under 0.01 %", "0.35 %", "3.1 %", "12 %"; never "0 %". */
#define TEXT_SHARE_BYTES 328
const char *text_share(double share, char text[TEXT_SHARE_BYTES]);

/* Format a share, at least 0.01 %, for text such as "within 0.5 %". */
const char *text_bound(double share, char text[TEXT_SHARE_BYTES]);

/* Format at least three digits of a number: "0.0123", "98.8", "30966". */
#define TEXT_NUMBER_BYTES 328
const char *text_number(double value, char text[TEXT_NUMBER_BYTES]);

/* Format a time with one to three digits before the point: "9.71 ms". */
const char *text_time(double s, char text[TEXT_SIZE_BYTES]);

/* Buffer of text_excerpt(). */
struct quoted_text {
	char text[64];
};

/*
 * Quote up to about 40 of the n bytes of text for a message, all printable. The
 * result is "nothing" if n is 0. Return quote->text.
 */
const char *text_excerpt(struct quoted_text *quote, const char *text, size_t n);

/*
 * Copy text for free(), with "\xff" for a byte that is not UTF-8; NULL without
 * memory.
 */
char *text_show_bytes(const char *text);

/* Replace each byte that is not UTF-8 (Unicode 15, table 3-7) with '?'. */
void text_make_utf8(char *text);

/*
 * Replace bytes that are not UTF-8, and two characters invalid in XML, by '?'.
 */
void text_make_xml(char *text);

/* Copy text for free() as safe UTF-8; NULL without memory. */
char *text_safe_copy(const char *text);

/* Print text, with escaped[i] for each character special[i]. */
void text_print_escaped(FILE *out, const char *text, const char *special,
	const char *const *escaped);

/* Print a file name, which may have any bytes, as safe UTF-8. */
void text_print_safe(FILE *out, const char *text);

/* Return whether a unit is a rate, even if abbreviated: "GiB/s", "bps". */
bool text_is_rate(const char *unit);

/* Replace each run of blanks, tabs and line ends with one blank. */
void text_one_line(char *text);

#endif
