/*
 * Palettes from their anchors, and what is readable upon it.
 */
#include "plot/palette.h"

#include <math.h>
#include <stddef.h>

/* Dark to bright, equally spaced. */
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

/* Better to worse, equally spaced. */
static const struct palette_colour differences[] = {
	{0x2D, 0x00, 0x4B},
	{0x54, 0x27, 0x88},
	{0x80, 0x73, 0xAC},
	{0xB2, 0xAB, 0xD2},
	{0xD8, 0xDA, 0xEB},
	{0xF7, 0xF7, 0xF7},
	{0xFE, 0xE0, 0xB6},
	{0xFD, 0xB8, 0x63},
	{0xE0, 0x82, 0x14},
	{0xB3, 0x58, 0x06},
	{0x7F, 0x3B, 0x08},
};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static uint8_t mix(uint8_t a, uint8_t b, double share)
{
	return (uint8_t)lround(a + share * (b - a));
}

static struct palette_colour between(
	const struct palette_colour *colours, size_t n, double share)
{
	size_t last = n - 1;
	double place = fmin(fmax(share, 0), 1) * (double)last;
	size_t i = place < (double)last ? (size_t)place : last - 1;
	const struct palette_colour *a = &colours[i], *b = &colours[i + 1];

	place -= (double)i;
	return (struct palette_colour){mix(a->red, b->red, place),
		mix(a->green, b->green, place), mix(a->blue, b->blue, place)};
}

struct palette_colour palette_at(double share)
{
	return between(anchors, N_OF(anchors), share);
}

struct palette_colour palette_difference_at(double share)
{
	return between(differences, N_OF(differences), share);
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
