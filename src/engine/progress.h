/*
 * The line that shows how far a campaign is, redrawn in place.
 */
#ifndef C2C_ENGINE_PROGRESS_H
#define C2C_ENGINE_PROGRESS_H

#include <stdio.h>

#include "engine/campaign.h"

/* Draw over the current line of a terminal `columns` wide. */
void progress_draw(
	FILE *out, unsigned columns, const struct campaign_progress *progress);

/* Wipe the line. */
void progress_clear(FILE *out);

#endif
