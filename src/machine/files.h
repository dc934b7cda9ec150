/*
 * Small text files of the kernel (proc(5), sysfs) below a root folder. The text
 * of an unreadable file is NULL. All functions accept NULL, and report no
 * errors.
 */
#ifndef C2C_FILES_H
#define C2C_FILES_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"

struct files {
	struct arena arena; /* holds every text */
	/* "" for this machine, a folder in tests, or NULL for no files */
	const char *root;
};

/* Return the text of a file, named by a printf format and its arguments. */
char *files_read(struct files *files, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Trim text to its first line without surrounding blanks; NULL if empty. */
char *files_line(char *text);

/* Return the number >= 0 in the first line; -1 if there is none. */
long long files_number(char *text);

/*
 * Parse a CPU list of the kernel ("0-3,8", "") into set. Return false, with set
 * unchanged, if text is not a list.
 */
bool files_cpus(hwloc_bitmap_t set, char *text);

/* Return the value of the first line "key: value", without outer blanks. */
char *files_field(struct files *files, const char *text, const char *key);

/* Return the number in the first line "key number", or 0 (memory.stat). */
uint64_t files_stat(const char *text, const char *key);

/* Return whether text contains word between blanks or commas. */
bool files_has_word(const char *text, const char *word);

#endif
