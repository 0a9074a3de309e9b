/* SPDX-License-Identifier: GPL-2.0 */
/* Management classes and attributes by name. */
#ifndef MR_NAMES_H
#define MR_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define CLASS_NAME_MAX		16
#define ATTRIBUTE_NAME_MAX	40
#define METHOD_NAME_MAX		16
#define DESTINATION_NAME_MAX	48
#define CLIENT_NAME_MAX		64

/* Short name, such as "SA"; the number where a class has none */
void class_name(uint8_t mgmt_class, char *buffer, size_t size);

/* Name of the specification, such as "PathRecord"; else the number */
void attribute_name(uint8_t mgmt_class, uint16_t attr_id, char *buffer,
		    size_t size);

/* Name of the specification, such as "Get"; else the number */
void method_name(uint8_t mgmt_class, uint8_t method, char *buffer,
		 size_t size);

/*
 * The class with this number or name: the short one, the specification's
 * ("SubnAdm") or the one in trace events ("SUBN_ADM"); -1 if there is none.
 */
int class_from_text(const char *text);

/*
 * The number of the attribute with this number or name, of @mgmt_class or, if
 * that is negative, of any class; ATTRIBUTE_UNKNOWN if there is none, or
 * ATTRIBUTE_AMBIGUOUS if it has different numbers in different classes.
 */
int attribute_from_text(int mgmt_class, const char *text);

#define ATTRIBUTE_UNKNOWN	(-1)
#define ATTRIBUTE_AMBIGUOUS	(-2)

/* All short names, for a message */
const char *class_names(void);

#endif
