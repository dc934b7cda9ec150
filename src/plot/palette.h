/*
 * Colours of a heatmap. Pure; any thread may call.
 *
 * viridis and magma are by Nathaniel J. Smith and Stefan van der Walt (2015,
 * CC0, https://bids.github.io/colormap/), cividis by Nunez, Anderton and
 * Renslow (2018, doi:10.1371/journal.pone.0199239). Their luminance rises
 * steadily, so they work in grey print and with colour blindness. Differences
 * go from better over no difference to worse: purple, white, orange (PuOr of
 * ColorBrewer 2.0, Cynthia Brewer and Mark Harrower, https://colorbrewer2.org/,
 * Apache License 2.0), safe for colour blindness too.
 */
#ifndef C2C_PALETTE_H
#define C2C_PALETTE_H

#include <stdint.h>

/* sRGB. */
struct palette_colour {
	uint8_t red, green, blue;
};

enum palette_kind {
	PALETTE_VIRIDIS,
	PALETTE_CIVIDIS,
	PALETTE_MAGMA,
	PALETTE_DIFFERENCE, /* this and what follows are no choices */
};

/* Missing values, beside all palettes. */
#define PALETTE_MISSING "#E8E8E8"

/*
 * The colour at share in [0, 1] of the way from dark to bright, or from better
 * to worse.
 */
struct palette_colour palette_at(enum palette_kind kind, double share);

/*
 * Relative luminance in [0, 1], from 0 (black) to 1 (white): Web Content
 * Accessibility Guidelines 2.1, "relative luminance".
 */
double palette_luminance(struct palette_colour colour);

/*
 * The colour of a terminal that has fewer, for one of a palette, black or
 * white: returns its number, and sets *colour to what the terminal shows. The
 * order of the palette stays visible, which the nearest colour would not always
 * keep.
 */
unsigned palette_256(enum palette_kind kind, struct palette_colour *colour);
unsigned palette_16(enum palette_kind kind, struct palette_colour *colour);

/* Black or white: the one with more contrast on this background. */
struct palette_colour palette_ink(struct palette_colour background);

#endif
