/*
 * Names that records had before: read, and no longer written.
 */
#ifndef C2C_OLD_NAMES_H
#define C2C_OLD_NAMES_H

#include <stdbool.h>

struct json_t;

/*
 * Give the keys and the texts of a record the names that they have today. A
 * key that the record has under both names stays as it is. False without
 * memory.
 */
bool old_names_replace(struct json_t *record);

/*
 * What the text of a key is today in the objects of a list, as "reported" for
 * the "statistic" "told" of "matrices"; else the same text. Borrowed.
 */
const char *old_names_today(
	const char *list, const char *key, const char *text);

#endif
