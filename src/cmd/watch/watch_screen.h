/*
 * The screen of c2c watch: ncurses, if c2c was built with it.
 */
#ifndef C2C_WATCH_SCREEN_H
#define C2C_WATCH_SCREEN_H

#include "cmd/watch/cmd_watch.h"
#include "util/error.h"

struct screen;

/* Whether c2c can draw one, and the version of the library; or NULL. */
const char *screen_curses_version(void);

/*
 * Whether a screen may be had here, as far as TERM tells: 0, or -ENOTSUP as
 * screen_open() returns it.
 */
int screen_check(struct error *err);

/*
 * Take the terminal. -ENOTSUP (ERROR_UNAVAILABLE) without ncurses, and if it
 * does not know the terminal.
 */
int screen_open(struct screen **made, struct error *err);

/* Give it back as it was. NULL: there is none. */
void screen_close(struct screen *screen);

/* Wait so long for a key, obey it, and draw what is due. */
void screen_turn(struct screen *screen, struct watch *watch, double wait_s);

/* Where everything stands on the screen; watch_layout.c. Pure. */
struct watch_layout {
	bool fits;	/* else the window is too small for anything */
	size_t fold;	/* CPUs of a cell, in either direction */
	size_t cells;	/* of a row, and rows */
	size_t label;	/* columns of the numbers on the left */
	size_t width;	/* columns of a cell */
	bool numbers;	/* cells have room for numbers */
	size_t heading; /* the line of the columns' numbers, */
	size_t matrix;	/* the first of the matrix, */
	size_t scale;	/* that of the colours, */
	size_t events;	/* and the first of the events */
	size_t n_events;
};

/*
 * As few CPUs in a cell as the window allows, and cells as wide as it allows.
 * most is the largest CPU number.
 */
struct watch_layout watch_layout_fit(
	size_t lines, size_t columns, size_t n, unsigned most);

#endif
