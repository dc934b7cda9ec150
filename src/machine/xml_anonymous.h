/* Remove from hwloc's XML everything that identifies the machine's owner. */
#ifndef C2C_XML_ANONYMOUS_H
#define C2C_XML_ANONYMOUS_H

/*
 * Cut from XML, in place: all infos except those of processors, caches and c2c,
 * attributes that hwloc does not know, names of objects, user data, comments,
 * and text that is not a number.
 */
void xml_make_anonymous(char *xml);

#endif
