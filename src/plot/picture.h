/*
 * Private to src/plot.
 */
#ifndef C2C_PLOT_PICTURE_H
#define C2C_PLOT_PICTURE_H

/* "png", "svg" or "pdf" by a path's extension, or NULL. Static. */
const char *plot_picture_kind(const char *path);

#endif
