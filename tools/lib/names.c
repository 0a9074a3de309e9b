// SPDX-License-Identifier: GPL-2.0
/*
 * Management classes and attributes by name. Attributes come from libibumad,
 * which follows the specification but knows no attribute of performance
 * management. Its names of classes are not the ones that administrators use.
 */
#include "names.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <infiniband/umad_str.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define CLASS_PERFORMANCE 0x04

static const struct {
	uint8_t number;
	const char *name;
	const char *in_specification;
	const char *in_events;
} classes[] = {
	{ 0x01, "SM",	  "Subn",    "SUBN_LID_ROUTED" },
	{ 0x81, "SM-DR",  "",	     "SUBN_DIRECTED_ROUTE" },
	{ 0x03, "SA",	  "SubnAdm", "SUBN_ADM" },
	{ 0x04, "PM",	  "Perf",    "PERF_MGMT" },
	{ 0x05, "BM",	  "BM",	     "BM" },
	{ 0x06, "DM",	  "DevMgt",  "DEVICE_MGMT" },
	{ 0x07, "CM",	  "ComMgt",  "CM" },
	{ 0x08, "SNMP",	  "SNMP",    "SNMP" },
	{ 0x10, "DA",	  "DevAdm",  "" },
	{ 0x21, "CC",	  "CC",	     "" },
};

/* InfiniBand specification, volume 1, 16.1.3 */
static const struct {
	uint16_t number;
	const char *name;
} performance_attributes[] = {
	{ 0x10, "PortSamplesControl" },
	{ 0x11, "PortSamplesResult" },
	{ 0x12, "PortCounters" },
	{ 0x15, "PortRcvErrorDetails" },
	{ 0x16, "PortXmitDiscardDetails" },
	{ 0x17, "PortOpRcvCounters" },
	{ 0x18, "PortFlowCtlCounters" },
	{ 0x19, "PortVLOpPackets" },
	{ 0x1a, "PortVLOpData" },
	{ 0x1b, "PortVLXmitFlowCtlUpdateErrors" },
	{ 0x1c, "PortVLXmitWaitCounters" },
	{ 0x1d, "PortCountersExtended" },
	{ 0x1f, "PortExtendedSpeedsCounters" },
};

void class_name(uint8_t mgmt_class, char *buffer, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		if (classes[i].number == mgmt_class) {
			snprintf(buffer, size, "%s", classes[i].name);
			return;
		}
	}
	snprintf(buffer, size, "0x%02x", mgmt_class);
}

static const char *performance_attribute(uint16_t attr_id)
{
	for (size_t i = 0; i < ARRAY_SIZE(performance_attributes); i++) {
		if (performance_attributes[i].number == attr_id)
			return performance_attributes[i].name;
	}
	return NULL;
}

/* libibumad writes "Class Port Info" where the specification has no blanks */
static void copy_without_blanks(const char *name, char *buffer, size_t size)
{
	size_t used = 0;

	for (; *name && used + 1 < size; name++) {
		if (*name != ' ')
			buffer[used++] = *name;
	}
	buffer[used] = '\0';
}

void attribute_name(uint8_t mgmt_class, uint16_t attr_id, char *buffer,
		    size_t size)
{
	const char *name = NULL;

	if (mgmt_class == CLASS_PERFORMANCE)
		name = performance_attribute(attr_id);
	if (!name)
		name = umad_attribute_str(mgmt_class, htobe16(attr_id));

	/* "<unknown>" is how libibumad says that it has no name */
	if (name[0] == '<')
		snprintf(buffer, size, "0x%04x", attr_id);
	else
		copy_without_blanks(name, buffer, size);
}

void method_name(uint8_t mgmt_class, uint8_t method, char *buffer,
		 size_t size)
{
	const char *name = umad_method_str(mgmt_class, method);

	if (name[0] == '<')
		snprintf(buffer, size, "0x%02x", method);
	else
		snprintf(buffer, size, "%s", name);
}

int class_from_text(const char *text)
{
	char *end;
	long number;

	for (size_t i = 0; *text && i < ARRAY_SIZE(classes); i++) {
		if (!strcasecmp(text, classes[i].name) ||
		    !strcasecmp(text, classes[i].in_specification) ||
		    !strcasecmp(text, classes[i].in_events))
			return classes[i].number;
	}
	number = strtol(text, &end, 0);
	if (end == text || *end || number < 1 || number > 0xff)
		return -1;
	return (int)number;
}

/* Those of the specification that have names end here, but for a few */
#define NAMED_ATTRIBUTES_END 0x100

static int attribute_of_class(uint8_t mgmt_class, const char *text)
{
	char name[ATTRIBUTE_NAME_MAX];

	for (int number = 0; number < NAMED_ATTRIBUTES_END; number++) {
		attribute_name(mgmt_class, (uint16_t)number, name,
			       sizeof(name));
		if (!strcasecmp(name, text))
			return number;
	}
	return ATTRIBUTE_UNKNOWN;
}

static int attribute_of_any_class(const char *text)
{
	int found = ATTRIBUTE_UNKNOWN;

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		int number = attribute_of_class(classes[i].number, text);

		if (number == ATTRIBUTE_UNKNOWN || number == found)
			continue;
		if (found != ATTRIBUTE_UNKNOWN)
			return ATTRIBUTE_AMBIGUOUS;
		found = number;
	}
	return found;
}

int attribute_from_text(int mgmt_class, const char *text)
{
	char *end;
	long number = strtol(text, &end, 0);

	if (text[0] >= '0' && text[0] <= '9' && !*end)
		return number > 0xffff ? ATTRIBUTE_UNKNOWN : (int)number;
	return mgmt_class < 0 ? attribute_of_any_class(text) :
				attribute_of_class((uint8_t)mgmt_class, text);
}

const char *class_names(void)
{
	static char all[ARRAY_SIZE(classes) * CLASS_NAME_MAX];
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used,
					 "%s%s", used ? ", " : "",
					 classes[i].name);
	return all;
}
