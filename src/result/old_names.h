/* Old names in records, which c2c reads, but no longer writes. */
#ifndef C2C_OLD_NAMES_H
#define C2C_OLD_NAMES_H

#include <stdbool.h>

struct json_t;

/*
 * Replace old names of keys and texts in a record by today's. A key that the
 * record has under both names stays as it is. False without memory.
 */
bool old_names_replace(struct json_t *record);

/*
 * Return today's text of a key in the objects of a list: "reported" for the
 * "statistic" "told" of "matrices"; else the same text. Borrowed.
 */
const char *old_names_today(const char *key, const char *text);

#endif
