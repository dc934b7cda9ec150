/*
 * viridis from its anchors, and what is readable upon it.
 */
#include "plot/palette.h"

#include <math.h>
#include <stddef.h>

/* Dark to bright, equally spaced; as in plots/heatmap.gp. */
static const struct palette_colour anchors[] = {
	{0x44, 0x01, 0x54},
	{0x48, 0x28, 0x78},
	{0x3E, 0x4A, 0x89},
	{0x31, 0x68, 0x8E},
	{0x26, 0x82, 0x8E},
	{0x1F, 0x9E, 0x89},
	{0x35, 0xB7, 0x79},
	{0x6D, 0xCD, 0x59},
	{0xB4, 0xDE, 0x2C},
	{0xFD, 0xE7, 0x25},
};

#define N_ANCHORS (sizeof(anchors) / sizeof(anchors[0]))

static uint8_t mix(uint8_t a, uint8_t b, double share)
{
	return (uint8_t)lround(a + share * (b - a));
}

struct palette_colour palette_at(double share)
{
	size_t last = N_ANCHORS - 1;
	double place = fmin(fmax(share, 0), 1) * (double)last;
	size_t i = place < (double)last ? (size_t)place : last - 1;
	const struct palette_colour *a = &anchors[i], *b = &anchors[i + 1];

	place -= (double)i;
	return (struct palette_colour){mix(a->red, b->red, place),
		mix(a->green, b->green, place), mix(a->blue, b->blue, place)};
}

/* One channel of sRGB as light. */
static double linear(uint8_t channel)
{
	double c = channel / 255.0;

	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double palette_luminance(struct palette_colour colour)
{
	return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) +
	       0.0722 * linear(colour.blue);
}

struct palette_colour palette_ink(struct palette_colour background)
{
	double luminance = palette_luminance(background);

	/* Contrast is (brighter + 0.05) / (darker + 0.05) there too. */
	if (1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05)
		return (struct palette_colour){255, 255, 255};
	return (struct palette_colour){0, 0, 0};
}
