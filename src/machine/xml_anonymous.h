/* Remove from hwloc's XML what shows whose machine it is. */
#ifndef C2C_XML_ANONYMOUS_H
#define C2C_XML_ANONYMOUS_H

/*
 * Remove from XML, in place: all infos except those of processors, caches and
 * c2c (thus names of the host and of the control group, serial numbers and
 * addresses), names of objects, user data, comments, and text that is no
 * number. Where CPUs, caches, memory and devices are remains.
 */
void xml_make_anonymous(char *xml);

#endif
