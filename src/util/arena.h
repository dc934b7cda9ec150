/*
 * Memory that is released together.
 *
 * arena_run() runs a calculation, and arena_alloc() ends it if memory runs out,
 * so that no function in between has to check. Memory that the calculation owns
 * outside the arena is then lost. A zeroed struct is an empty arena; one thread
 * uses it at a time.
 */
#ifndef C2C_ARENA_H
#define C2C_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "util/error.h"

struct arena_block;
struct arena_exit;

struct arena {
	/* the last block: a mark for arena_rewind() */
	struct arena_block *last;
	struct arena_exit *exit; /* of the current arena_run(), or NULL */
};

/*
 * Return the result of work(arena, context, err), or -ENOMEM with *err: no
 * memory for `what`. The arena keeps its memory in either case.
 */
int arena_run(struct arena *arena,
	int (*work)(struct arena *arena, void *context, struct error *err),
	void *context, const char *what, struct error *err);

/*
 * Return zeroed memory for n items with this many bytes each. Without memory,
 * end the current arena_run(), or return NULL if there is none.
 */
void *arena_alloc(struct arena *arena, size_t n, size_t bytes);

/* Copy n items, or a text, which may be NULL. */
void *arena_copy(
	struct arena *arena, const void *items, size_t n, size_t bytes);
char *arena_strdup(struct arena *arena, const char *text);

/*
 * Make room for one item after n others and return the array, which may move.
 * It grows at powers of two, like an array of array_grow().
 */
void *arena_grow(struct arena *arena, void *items, size_t n, size_t bytes);

/* Copy a text into the arena, and free it. NULL means that memory ran out. */
char *arena_adopt(struct arena *arena, char *text);

/* printf() into the arena. */
char *arena_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vformat(struct arena *arena, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* End the current arena_run(), because memory ran out elsewhere. */
_Noreturn void arena_fail(struct arena *arena);

/* Release everything allocated after mark, an earlier value of arena->last. */
void arena_rewind(struct arena *arena, const struct arena_block *mark);

void arena_release(struct arena *arena);

#endif
