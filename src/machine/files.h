/*
 * Small text files of the kernel (proc(5), sysfs) below a root folder, which
 * is "" for the machine at hand and a made-up tree in tests. A file that
 * cannot be read is a fact that cannot be known: no function reports errors.
 * The path is a printf format and its arguments, "/proc/loadavg".
 */
#ifndef C2C_MACHINE_FILES_H
#define C2C_MACHINE_FILES_H

#include <hwloc.h>
#include <stdbool.h>

/* The whole text; a string for free(), or NULL. */
char *files_text(const char *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The first line without blanks around it; a string for free(), or NULL when
 * that is empty too.
 */
char *files_line(const char *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A whole number that is not negative, or -1. */
long long files_number(const char *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A list in the kernel's format ("0-3,8", "") into set. False, set untouched,
 * when the file cannot be read or holds something else.
 */
bool files_cpus(hwloc_bitmap_t set, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same from a text, which may be NULL. */
bool files_parse_cpus(hwloc_bitmap_t set, const char *text);

/*
 * The value of the first line "key: value" of a text, blanks around both
 * left out; a string for free(), or NULL.
 */
char *files_field(const char *text, const char *key);

/* Whether word stands between blanks in text, which may be NULL. */
bool files_has_word(const char *text, const char *word);

#endif
