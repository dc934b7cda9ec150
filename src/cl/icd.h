/*
 * Implementations of OpenCL that are installed and do not work. Private to
 * src/cl.
 */
#ifndef C2C_CL_ICD_H
#define C2C_CL_ICD_H

#include "cl/cl.h"

/*
 * Append to the list "warnings" a sentence on each that does not load. Only
 * after the loader has tried the same, since loading one may end the process.
 */
void icd_list_broken(struct record *broken);

#endif
