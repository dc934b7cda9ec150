/*
 * The screen of c2c watch: ncurses, if c2c was built with it.
 */
#ifndef C2C_WATCH_SCREEN_H
#define C2C_WATCH_SCREEN_H

#include "cmd/watch/cmd_watch.h"
#include "util/error.h"

struct screen;

/* Return the version of the library if c2c can draw a screen, or NULL. */
const char *screen_curses_version(void);

/*
 * Check whether the terminal of TERM can have a screen. Return 0, or -ENOTSUP
 * like screen_open().
 */
int screen_check(struct error *err);

/*
 * Begin to draw on the whole terminal. Return -ENOTSUP (ERROR_UNAVAILABLE)
 * without ncurses, or if ncurses does not support the terminal.
 */
int screen_open(struct screen **made, struct error *err);

/* Restore the terminal. NULL: there is no screen. */
void screen_close(struct screen *screen);

/* Wait for a key, at most wait_s, handle the key, and draw if it is time. */
void screen_turn(struct screen *screen, struct watch *watch, double wait_s);

/* The layout of the screen, from watch_layout.c. Pure. */
struct watch_layout {
	bool fits;	/* false: the window is too small */
	size_t fold;	/* CPUs in a row or column of a cell */
	size_t cells;	/* cells in a row, and rows */
	size_t label;	/* columns of the CPU numbers */
	size_t width;	/* columns of a cell */
	bool numbers;	/* cells have room for numbers */
	size_t heading; /* line with the CPU numbers */
	size_t matrix;	/* first line of the matrix */
	size_t scale;	/* line of the colour scale */
	size_t events;	/* first line of the events */
	size_t n_events;
};

/*
 * Return the layout for a window: with as few CPUs in a cell as possible, then
 * with as wide cells as possible. most is the largest CPU number.
 */
struct watch_layout watch_layout_fit(
	size_t lines, size_t columns, size_t n, unsigned most);

#endif
