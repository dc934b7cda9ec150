/* Old names in records: c2c reads them, but no longer writes them. */
#ifndef C2C_OLD_NAMES_H
#define C2C_OLD_NAMES_H

#include <stdbool.h>

struct json_t;

/*
 * Replace old names of keys and texts in a record by current names, and drop
 * keys that have no current name. If the record has both the old and the new
 * key, the old key is kept. False without memory.
 */
bool old_names_replace(struct json_t *record);

/*
 * Return the current text of a key in the objects of a list: "reported" for the
 * "statistic" "told" of "matrices"; else the same text. Borrowed.
 */
const char *old_names_today(const char *key, const char *text);

#endif
