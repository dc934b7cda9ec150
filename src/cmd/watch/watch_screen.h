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
 * Check whether a screen is possible here, as far as TERM shows. Return 0, or
 * -ENOTSUP like screen_open().
 */
int screen_check(struct error *err);

/*
 * Take the terminal. -ENOTSUP (ERROR_UNAVAILABLE) without ncurses, or if
 * ncurses does not know the terminal.
 */
int screen_open(struct screen **made, struct error *err);

/* Restore the terminal. NULL: there is no screen. */
void screen_close(struct screen *screen);

/* Wait this long for a key, handle it, and draw what is due. */
void screen_turn(struct screen *screen, struct watch *watch, double wait_s);

/* The layout of the screen, from watch_layout.c. Pure. */
struct watch_layout {
	bool fits;	/* false: the window is too small for anything */
	size_t fold;	/* CPUs of a cell, in each direction */
	size_t cells;	/* cells of a row, and number of rows */
	size_t label;	/* columns of the numbers on the left */
	size_t width;	/* columns of a cell */
	bool numbers;	/* cells have room for numbers */
	size_t heading; /* line of the columns' numbers */
	size_t matrix;	/* first line of the matrix */
	size_t scale;	/* line of the colours */
	size_t events;	/* first line of the events */
	size_t n_events;
};

/*
 * Return the layout with as few CPUs in a cell, and cells as wide, as the
 * window allows. most is the largest CPU number.
 */
struct watch_layout watch_layout_fit(
	size_t lines, size_t columns, size_t n, unsigned most);

#endif
