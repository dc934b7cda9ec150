/*
 * What gnuplot writes into a picture about the picture. Private to src/plot.
 */
#ifndef C2C_STAMP_H
#define C2C_STAMP_H

#include <stdio.h>

/*
 * Copy a picture of gnuplot, whose kind is png or pdf. A PDF gets the date in
 * SOURCE_DATE_EPOCH, if it is set: the same record then makes the same bytes at
 * any time, as it does in any case as a PNG. Source:
 * https://reproducible-builds.org/specs/source-date-epoch/
 *
 * Returns 0, or -EIO with errno set if out cannot be written.
 */
int plot_stamp(FILE *picture, const char *kind, FILE *out);

#endif
