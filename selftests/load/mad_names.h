/* SPDX-License-Identifier: GPL-2.0 */
/* Management classes, methods and attributes, by name or number. */
#ifndef SASTORM_MAD_NAMES_H
#define SASTORM_MAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A general-services class, by number. The subnet management classes are
 * refused: they live on queue pair 0.
 */
uint8_t parse_class(const char *option, const char *text);

/* The class version that goes with a class where none is asked for. */
uint8_t default_class_version(uint8_t mgmt_class);

/* A method by libibumad's name ("Get", "GetTable"), any case, or by number. */
uint8_t parse_method(const char *option, const char *text, uint8_t mgmt_class);

/*
 * An attribute by libibumad's name ("PathRecord", "ClassPortInfo"), any case,
 * or by number.
 */
uint16_t parse_attribute(const char *option, const char *text,
			 uint8_t mgmt_class);

/* The name, or the number where the class has no such name. */
const char *method_name(uint8_t mgmt_class, uint8_t method, char *buffer,
			size_t size);
const char *attribute_name(uint8_t mgmt_class, uint16_t attribute,
			   char *buffer, size_t size);

/* The method that answers @method. */
uint8_t response_method(uint8_t method);

/* Does @method ask for a table, whose answer may take several segments? */
bool is_table_method(uint8_t method);

#endif
