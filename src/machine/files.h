/*
 * Small text files of the kernel (proc(5), sysfs) below a root folder. If a
 * file cannot be read, its fact is unknown: its text is NULL. Every function
 * here accepts NULL, and no function reports errors.
 */
#ifndef C2C_FILES_H
#define C2C_FILES_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"

struct files {
	struct arena arena; /* holds every text */
	/* "": this machine; a simulated tree in tests; NULL: no files. */
	const char *root;
};

/* Return the text of a file, whose name is a printf format, "/proc/loadavg". */
char *files_read(struct files *files, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Trim text to its first line without surrounding blanks; NULL if empty. */
char *files_line(char *text);

/* Return the first line as a whole number >= 0, or -1. */
long long files_number(char *text);

/*
 * Parse a list in the kernel's format ("0-3,8", "") into set. False, with set
 * unchanged, if text is no list.
 */
bool files_cpus(hwloc_bitmap_t set, char *text);

/* Return the value of the first line "key: value", without blanks around. */
char *files_field(struct files *files, const char *text, const char *key);

/*
 * Return the number of the first line "key number", as in memory.stat and
 * cpu.stat; 0: none.
 */
uint64_t files_stat(const char *text, const char *key);

/* Return whether text contains word between blanks or commas. */
bool files_has_word(const char *text, const char *word);

#endif
