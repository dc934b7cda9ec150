/* Changes all texts that the table of a struct lists. */
#ifndef C2C_EDIT_TEXTS_H
#define C2C_EDIT_TEXTS_H

#include "record/field.h"

struct text_editor {
	/* Return whether to keep the text or list under a key. */
	bool (*keep)(const struct record_type *type, const char *key);
	/* Change a kept text in place. The text cannot become longer. */
	void (*edit)(const char *key, char *text, const void *context);
	const void *context;
};

/*
 * Empty all values that keep() rejects, and edit the other texts. Drop unknown
 * keys, and texts where the table has a number or a word. Return 0 or -ENOMEM.
 */
int record_edit_texts(const struct record_type *type, void *in,
	const struct text_editor *editor);

#endif
