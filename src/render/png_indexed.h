/*
 * Writes an image of at most 256 colours as an uncompressed PNG, without a
 * library. Source: ISO/IEC 15948:2004; RFC 1950; RFC 1951, 3.2.4.
 */
#ifndef C2C_PNG_INDEXED_H
#define C2C_PNG_INDEXED_H

#include <stdio.h>

#include "figure/canvas.h"

/* Write the PNG in base64 (RFC 4648). */
void png_write_base64(const struct canvas_image *image, FILE *out);

#endif
