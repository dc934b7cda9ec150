/* Changes the texts of a struct by its table, wherever they are in it. */
#ifndef C2C_EDIT_TEXTS_H
#define C2C_EDIT_TEXTS_H

#include "record/field.h"

struct text_editor {
	/* Whether a text, or a list of texts or of objects, may stay. */
	bool (*keep)(const struct record_type *type, const char *key);
	/* Change a text that stays; it may only become shorter. */
	void (*edit)(const char *key, char *text, const void *context);
	const void *context;
};

/*
 * Empty what may not stay, change the other texts, and drop the keys that the
 * table does not know. 0, or -ENOMEM.
 */
int record_edit_texts(const struct record_type *type, void *in,
	const struct text_editor *editor);

#endif
