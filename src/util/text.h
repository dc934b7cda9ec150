/*
 * Making text, and making text of others safe.
 */
#ifndef C2C_TEXT_H
#define C2C_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* printf into a string for free(), or NULL without memory. */
char *text_format(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
char *text_vformat(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

/* A list that grows. A zeroed struct is an empty list. */
struct text_list {
	char *text;
	size_t bytes;
	FILE *out; /* NULL before the first item, or without memory */
	bool failed;
};

/*
 * Append an item in the way of printf(), with between before all but the first.
 */
void text_list_add(struct text_list *list, const char *between,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The list as text for free(), "" if it is empty; NULL without memory. */
char *text_list_end(struct text_list *list);

/* Whether both texts, which may be NULL, are the same. */
bool text_same(const char *a, const char *b);

/* Whether it is a control character of ASCII, whatever the locale. Pure. */
bool text_is_control(char c);

/*
 * Replace the control characters that a terminal would obey with '?': those of
 * ASCII, except newline and tab, and those of two bytes in UTF-8. Pure.
 */
void text_make_safe(char *text);

/*
 * Why c2c cannot show text as it is, in words for "found ...", or NULL: it has
 * control characters, bytes that are not UTF-8, or, unless lines, ends of
 * lines. Pure.
 */
const char *text_flaw(const char *text, bool lines);

/*
 * Whether a user who typed word more likely meant candidate than what came
 * before: *best, SIZE_MAX at first, is how far off that was. A word is meant if
 * it was cut short, or has few wrong letters: one, or more after a right first
 * letter. Pure.
 */
bool text_is_nearer(const char *word, const char *candidate, size_t *best);

/* How many characters so many bytes of UTF-8 are: columns of text. Pure. */
size_t text_columns(const char *text, size_t bytes);

/*
 * Bytes of the first line of text: as many words as fit the columns, but at
 * least one. A word ends at a blank, or at a blank that follows the letter end.
 */
size_t text_line(const char *text, size_t columns, char end);

/* The same, but a word that does not fit ends at its last comma, or anywhere.
 */
size_t text_fitting_bytes(const char *text, size_t width);

/* A size in the largest unit that it reaches: "64 B", "1.5 MiB". */
#define TEXT_SIZE_BYTES 32
const char *text_size(uint64_t bytes, char text[TEXT_SIZE_BYTES]);

/*
 * From one size to another: "24-32 MiB", "0.841-1.19 MiB"; or the one. NaN is
 * unknown: "?", ">=1 MiB", and of the least the other one.
 */
#define TEXT_SIZES_BYTES 700
const char *text_sizes(double least, double most, char text[TEXT_SIZES_BYTES]);

/* "under 0.01 %", "0.35 %", "3.1 %", "12 %": never 0 of what is not known. */
#define TEXT_SHARE_BYTES 328
const char *text_share(double share, char text[TEXT_SHARE_BYTES]);

/* The same for after "within": 0.01 % at least. */
const char *text_bound(double share, char text[TEXT_SHARE_BYTES]);

/* Three digits, or all before the point: "0.0123", "98.8", "30966". */
#define TEXT_NUMBER_BYTES 328
const char *text_number(double value, char text[TEXT_NUMBER_BYTES]);

/* A time in the unit that gives it one to three digits: "9.71 ms". */
const char *text_time(double s, char text[TEXT_SIZE_BYTES]);

/* Room for what text_excerpt() gives. */
struct quoted_text {
	char text[64];
};

/*
 * The n bytes of text in quotes for a message: about 40 bytes at most, all of
 * them printable; "nothing" if n is 0. Returns quote->text.
 */
const char *text_excerpt(struct quoted_text *quote, const char *text, size_t n);

/*
 * A copy for free() where a byte that is not UTF-8 reads "\xff"; NULL without
 * memory.
 */
char *text_show_bytes(const char *text);

/*
 * Replace each byte that is not UTF-8 (Unicode 15, table 3-7) with '?'. Pure.
 */
void text_make_utf8(char *text);

/* The same, and each of the two characters that XML does not have. Pure. */
void text_make_xml(char *text);

/* A copy for free(), made safe and UTF-8; NULL without memory. */
char *text_safe_copy(const char *text);

/* Print the name of a file, which may have any bytes, made safe and UTF-8. */
void text_print_safe(FILE *out, const char *text);

/* Whether a unit is something per time, also in short: "GiB/s", "bps". Pure. */
bool text_is_rate(const char *unit);

/* Make one line of text: any number of blanks, tabs, line ends is one blank. */
void text_one_line(char *text);

#endif
