/* c2c --schema: the types of all JSON that commands write. */
#ifndef C2C_WRITTEN_TYPES_H
#define C2C_WRITTEN_TYPES_H

/* Print the schema of all types. Return the exit status. */
int written_types_print(void);

#endif
