/*
 * Text that others wrote.
 */
#ifndef C2C_UTIL_TEXT_H
#define C2C_UTIL_TEXT_H

/*
 * Replace by '?' what a terminal would obey rather than show: the control
 * characters of ASCII, but for newline and tab, and those that UTF-8 has in two
 * bytes. Pure.
 */
void text_make_safe(char *text);

/*
 * Replace by '?' each byte that is of no character of UTF-8 (Unicode 15, table
 * 3-7): JSON takes no other text. Pure.
 */
void text_make_utf8(char *text);

#endif
