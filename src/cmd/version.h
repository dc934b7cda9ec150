/*
 * c2c --version.
 */
#ifndef C2C_VERSION_H
#define C2C_VERSION_H

/* Print the version, the revision, the licence and the libraries. */
void version_print(void);

#endif
