/*
 * Colours of a heatmap. Pure; any thread may call.
 *
 * The palette is viridis (Nathaniel J. Smith and Stefan van der Walt, 2015,
 * CC0, https://bids.github.io/colormap/). Its luminance rises steadily, so it
 * works in grey print and with every kind of colour blindness.
 */
#ifndef C2C_PALETTE_H
#define C2C_PALETTE_H

#include <stdint.h>

/* sRGB. */
struct palette_colour {
	uint8_t red, green, blue;
};

/* The colour at share in [0, 1] of the way from dark to bright. */
struct palette_colour palette_at(double share);

/*
 * The colour at share in [0, 1] of the way from better over no difference to
 * worse: purple, white, orange (PuOr of ColorBrewer 2.0, Cynthia Brewer and
 * Mark Harrower, https://colorbrewer2.org/, Apache License 2.0), which is safe
 * for colour blindness.
 */
struct palette_colour palette_difference_at(double share);

/*
 * Relative luminance in [0, 1], from 0 (black) to 1 (white): Web Content
 * Accessibility Guidelines 2.1, "relative luminance".
 */
double palette_luminance(struct palette_colour colour);

/*
 * The nearest colour of a terminal that has fewer: returns its number, and sets
 * *colour to what the terminal shows. Of 256 colours this is the nearest in the
 * cube. Of 16 it is what stands for the nearest anchor of a palette: the order
 * of the palette stays visible, which the nearest of 16 would not keep.
 */
unsigned palette_256(struct palette_colour *colour);
unsigned palette_16(struct palette_colour *colour);

/* Black or white: the one with more contrast on this background. */
struct palette_colour palette_ink(struct palette_colour background);

#endif
