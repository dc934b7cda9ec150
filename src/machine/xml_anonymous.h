/* Remove from hwloc's XML what shows whose machine it is. */
#ifndef C2C_XML_ANONYMOUS_H
#define C2C_XML_ANONYMOUS_H

/*
 * Cut from XML, in place: all infos but those of processors, caches and c2c
 * (so names of the host and of the control group, serial numbers and addresses
 * go), attributes that hwloc does not know, names of objects, user data,
 * comments, and text that is no number. What stays says where CPUs, caches,
 * memory and devices are.
 */
void xml_make_anonymous(char *xml);

#endif
