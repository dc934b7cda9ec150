/*
 * Memory that is released together.
 *
 * arena_run() runs a calculation, and arena_alloc() leaves it when memory runs
 * out, so that no function in between has to ask. What the calculation owns
 * outside of the arena is lost then. A zeroed struct is an empty arena; one
 * belongs to one thread at a time.
 */
#ifndef C2C_ARENA_H
#define C2C_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "util/error.h"

struct arena_block;
struct arena_exit;

struct arena {
	/* what was taken last: a mark to go back to */
	struct arena_block *last;
	struct arena_exit *exit; /* of the arena_run() under way, or NULL */
};

/*
 * Return what work(arena, context, err) returns, or -ENOMEM with *err filled:
 * no memory for what. The arena keeps what was taken either way.
 */
int arena_run(struct arena *arena,
	int (*work)(struct arena *arena, void *context, struct error *err),
	void *context, const char *what, struct error *err);

/*
 * Zeroed memory for n items of so many bytes each. Without memory the
 * arena_run() under way ends; if none is, this returns NULL.
 */
void *arena_alloc(struct arena *arena, size_t n, size_t bytes);

/* A copy of n items, and one of text, which may be NULL. */
void *arena_copy(
	struct arena *arena, const void *items, size_t n, size_t bytes);
char *arena_strdup(struct arena *arena, const char *text);

/*
 * Room for one item behind n others, which may move. The array grows at powers
 * of two, as that of array_grow().
 */
void *arena_grow(struct arena *arena, void *items, size_t n, size_t bytes);

/*
 * A copy of a text for free(), which is freed; NULL stands for memory that was
 * out.
 */
char *arena_adopt(struct arena *arena, char *text);

/* printf() into the arena. */
char *arena_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vformat(struct arena *arena, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* End the arena_run() under way: memory was out elsewhere. */
_Noreturn void arena_fail(struct arena *arena);

/* Release what was taken since arena->last was mark. */
void arena_rewind(struct arena *arena, const struct arena_block *mark);

void arena_release(struct arena *arena);

#endif
