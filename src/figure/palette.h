/*
 * Colours of a heatmap. Pure functions; any thread may call them.
 *
 * viridis and magma are by Nathaniel J. Smith and Stefan van der Walt (2015,
 * CC0, https://bids.github.io/colormap/), cividis by Nunez, Anderton and
 * Renslow (2018, doi:10.1371/journal.pone.0199239). Their luminance rises
 * steadily, so they work in grey print and with colour blindness. The palette
 * of differences is purple (better), white (no difference) and orange (worse):
 * PuOr of ColorBrewer 2.0 (Cynthia Brewer and Mark Harrower,
 * https://colorbrewer2.org/, Apache License 2.0), also for colour blindness.
 */
#ifndef C2C_PALETTE_H
#define C2C_PALETTE_H

#include <stdint.h>

/* An sRGB colour. */
struct palette_colour {
	uint8_t red, green, blue;
};

enum palette_kind {
	PALETTE_VIRIDIS,
	PALETTE_CIVIDIS,
	PALETTE_MAGMA,
	PALETTE_DIFFERENCE, /* palettes from here on are not a user's choice */
};

/* Colour of missing values, distinct from all palettes. */
#define PALETTE_MISSING "#E8E8E8"

/* Return the colour at share 0 (dark, or better) to 1 (bright, or worse). */
struct palette_colour palette_at(enum palette_kind kind, double share);

/* Write "#RRGGBB". */
#define PALETTE_BYTES 8
void palette_write(struct palette_colour colour, char text[PALETTE_BYTES]);

/*
 * Return the relative luminance, from 0 (black) to 1 (white): Web Content
 * Accessibility Guidelines 2.1, "relative luminance".
 */
double palette_luminance(struct palette_colour colour);

/*
 * For terminals with fewer colours: return the number of the colour that
 * replaces a palette colour, black or white, and set *colour to the displayed
 * colour. These colours keep the order of the palette.
 */
unsigned palette_256(enum palette_kind kind, struct palette_colour *colour);
unsigned palette_16(enum palette_kind kind, struct palette_colour *colour);

/* Return black or white, whichever has more contrast on this background. */
struct palette_colour palette_ink(struct palette_colour background);

#endif
