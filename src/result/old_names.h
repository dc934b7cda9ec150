/* Old names in records, which c2c reads, but no longer writes. */
#ifndef C2C_OLD_NAMES_H
#define C2C_OLD_NAMES_H

#include <stdbool.h>

struct json_t;

/*
 * Replace old keys and texts in a record with current names, and drop keys
 * without a current name. An old key stays if the record has the new key, too.
 * Return false if out of memory.
 */
bool old_names_replace(struct json_t *record);

/*
 * Return the current text for an old text under a key of matrices, such as
 * "reported" for the statistic "told"; else text. The result is borrowed.
 */
const char *old_names_today(const char *key, const char *text);

#endif
