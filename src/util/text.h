/*
 * Text that others wrote, and sizes.
 */
#ifndef C2C_UTIL_TEXT_H
#define C2C_UTIL_TEXT_H

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

/* A list that is written item by item. A zeroed struct is an empty one. */
struct text_list {
	char *text;
	size_t bytes;
	FILE *out; /* NULL before the first item, or without memory */
	bool failed;
};

/* Append an item, as printf() makes it, with between before all but the first.
 */
void text_list_add(struct text_list *list, const char *between,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The list, "" without an item, for free(); NULL without memory. */
char *text_list_end(struct text_list *list);

/* Whether both texts, which may be NULL, are the same. */
bool text_same(const char *a, const char *b);

/*
 * Replace by '?' what a terminal would obey rather than show: the control
 * characters of ASCII, but for newline and tab, and those that UTF-8 has in two
 * bytes. Pure.
 */
void text_make_safe(char *text);

/*
 * What keeps text from being shown to users as it is, in words for "found ...",
 * or NULL: the same, bytes that are not UTF-8, and ends of lines, unless text
 * may have lines. Pure.
 */
const char *text_flaw(const char *text, bool lines);

/* A size in the largest unit that it reaches: "64 B", "1.5 MiB". */
#define TEXT_SIZE_BYTES 32
const char *text_size(uint64_t bytes, char text[TEXT_SIZE_BYTES]);

/* A time in the unit in which it has one to three digits: "9.71 ms". */
const char *text_time(double s, char text[TEXT_SIZE_BYTES]);

/*
 * Replace by '?' each byte that is of no character of UTF-8 (Unicode 15, table
 * 3-7): JSON takes no other text. Pure.
 */
void text_make_utf8(char *text);

/* Make one line of text: blanks, tabs and ends of lines become one blank. */
void text_one_line(char *text);

/*
 * How much of text fits into width, all of it or up to where it is to be
 * broken: at its last blank, or in a list that has none after a comma, or in
 * mid-word.
 */
size_t text_fitting(const char *text, size_t width);

#endif
