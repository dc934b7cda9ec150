/* Change all texts of a struct by its table. */
#ifndef C2C_EDIT_TEXTS_H
#define C2C_EDIT_TEXTS_H

#include "record/field.h"

struct text_editor {
	/* Return whether to keep a text, or a list of objects among facts. */
	bool (*keep)(const struct record_type *type, const char *key);
	/* Change a kept text, which may only become shorter. */
	void (*edit)(const char *key, char *text, const void *context);
	const void *context;
};

/*
 * Empty all lists of texts, and the values that keep() rejects. Change the
 * other texts. Drop unknown keys, and texts where a number or a word should
 * be. Return 0, or -ENOMEM.
 */
int record_edit_texts(const struct record_type *type, void *in,
	const struct text_editor *editor);

#endif
