// SPDX-License-Identifier: GPL-2.0
/* Management classes, methods and attributes, by name or number. */
#include "mad_names.h"

#include <ctype.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/umad_sa.h>
#include <infiniband/umad_str.h>

#include "cmdline.h"

uint8_t parse_class(const char *option, const char *text)
{
	uint8_t mgmt_class = (uint8_t)parse_integer(option, text, 1, 0x81);

	if (mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED ||
	    mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		fail_input("%s: 0x%02x is subnet management; only general-services classes can be used, such as 0x03 (SA)",
			   option, mgmt_class);
	if (mgmt_class > UMAD_CLASS_VENDOR_RANGE2_END)
		fail_input("%s: 0x%02x is not a management class", option,
			   mgmt_class);
	return mgmt_class;
}

uint8_t default_class_version(uint8_t mgmt_class)
{
	if (mgmt_class == UMAD_CLASS_SUBN_ADM || mgmt_class == UMAD_CLASS_CM)
		return 2;
	return 1;
}

/*
 * libibumad answers "<unknown>", and in some releases "<unknown" for methods,
 * where it has no name.
 */
static bool is_name(const char *text)
{
	return text[0] != '<';
}

/* libibumad writes "Class Port Info" but "PathRecord": compare the letters. */
static bool same_letters(const char *a, const char *b)
{
	for (;;) {
		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

uint8_t parse_method(const char *option, const char *text, uint8_t mgmt_class)
{
	unsigned int method;

	if (isdigit((unsigned char)text[0]))
		return (uint8_t)parse_integer(option, text, 1, 0x7f);

	for (method = 1; method <= 0x7f; method++) {
		const char *name = umad_method_str(mgmt_class, (uint8_t)method);

		if (is_name(name) && same_letters(name, text))
			return (uint8_t)method;
	}
	fail_input("%s: class 0x%02x has no method '%s'; try Get, Set, GetTable or a number",
		   option, mgmt_class, text);
}

uint16_t parse_attribute(const char *option, const char *text,
			 uint8_t mgmt_class)
{
	unsigned int attribute;

	if (isdigit((unsigned char)text[0]))
		return (uint16_t)parse_integer(option, text, 0, 0xffff);

	for (attribute = 0; attribute <= 0xffff; attribute++) {
		const char *name = umad_attribute_str(mgmt_class,
						      htobe16(attribute));

		if (is_name(name) && same_letters(name, text))
			return (uint16_t)attribute;
	}
	fail_input("%s: class 0x%02x has no attribute '%s'; try PathRecord, NodeRecord, ClassPortInfo or a number",
		   option, mgmt_class, text);
}

const char *method_name(uint8_t mgmt_class, uint8_t method, char *buffer,
			size_t size)
{
	const char *name = umad_method_str(mgmt_class, method);

	if (is_name(name))
		snprintf(buffer, size, "%s", name);
	else
		snprintf(buffer, size, "0x%02x", method);
	return buffer;
}

const char *attribute_name(uint8_t mgmt_class, uint16_t attribute,
			   char *buffer, size_t size)
{
	const char *name = umad_attribute_str(mgmt_class, htobe16(attribute));
	size_t used = 0;

	if (!is_name(name)) {
		snprintf(buffer, size, "0x%04x", attribute);
		return buffer;
	}

	/* Without the blanks: it becomes a column of the log. */
	for (; *name && used + 1 < size; name++) {
		if (*name != ' ')
			buffer[used++] = *name;
	}
	buffer[used] = '\0';
	return buffer;
}

uint8_t response_method(uint8_t method)
{
	switch (method) {
	case UMAD_METHOD_SET:
		return UMAD_METHOD_GET_RESP;
	case UMAD_SA_METHOD_GET_TRACE_TABLE:
		return UMAD_SA_METHOD_GET_TABLE_RESP;
	default:
		return method | UMAD_METHOD_RESP_MASK;
	}
}

bool is_table_method(uint8_t method)
{
	return method == UMAD_SA_METHOD_GET_TABLE ||
	       method == UMAD_SA_METHOD_GET_TRACE_TABLE ||
	       method == UMAD_SA_METHOD_GET_MULTI;
}
