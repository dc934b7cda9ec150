/*
 * Small text files of the kernel (proc(5), sysfs) below a root folder. A file
 * that cannot be read is a fact that cannot be known: its text is NULL, which
 * every function here takes, and no function reports errors.
 */
#ifndef C2C_FILES_H
#define C2C_FILES_H

#include <hwloc.h>
#include <stdbool.h>

#include "util/arena.h"

struct files {
	struct arena arena; /* of every text */
	/* "": the machine at hand; a made-up tree in tests; NULL: no files. */
	const char *root;
};

/* The whole text of the file that a printf format names, "/proc/loadavg". */
char *files_read(struct files *files, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Cut text to its first line without blanks around it; NULL if it is empty. */
char *files_line(char *text);

/* The first line as a whole number that is not negative, or -1. */
long long files_number(char *text);

/*
 * A list in the kernel's format ("0-3,8", "") into set. False, set untouched,
 * when text is something else.
 */
bool files_cpus(hwloc_bitmap_t set, char *text);

/* The value of the first line "key: value", blanks around both left out. */
char *files_field(struct files *files, const char *text, const char *key);

/* Whether word stands between blanks or commas. */
bool files_has_word(const char *text, const char *word);

#endif
