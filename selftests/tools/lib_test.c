// SPDX-License-Identifier: GPL-2.0
/* What tools/lib computes and prints, compared with values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/btf.h>

#include "apm_conn.h"
#include "backoff_table.h"
#include "bars.h"
#include "column_list.h"
#include "filter.h"
#include "follow.h"
#include "format.h"
#include "grouping.h"
#include "histogram.h"
#include "history.h"
#include "kallsyms.h"
#include "names.h"
#include "outcome.h"
#include "parties.h"
#include "mode.h"
#include "probe.h"
#include "requests_table.h"
#include "response_table.h"
#include "table.h"
#include "view.h"

#define assert_near(actual, expected) \
	assert_true((actual) > (expected) - 1e-6 && \
		    (actual) < (expected) + 1e-6)

static void buckets_have_bounds(void **state)
{
	(void)state;
	assert_int_equal(bucket_from(0), 0);
	assert_int_equal(bucket_to(0), 1);
	assert_int_equal(bucket_from(9), 512);
	assert_int_equal(bucket_to(9), 1023);
	assert_true(bucket_to(31) == 4294967295U);
}

static void percentiles_are_interpolated(void **state)
{
	__u64 buckets[MR_BUCKETS] = { 0 };

	(void)state;
	assert_true(histogram_percentile(buckets, MR_BUCKETS, 50) < 0);

	buckets[9] = 4;				/* 512 to 1023 */
	assert_near(histogram_percentile(buckets, MR_BUCKETS, 50), 768);
	assert_near(histogram_percentile(buckets, MR_BUCKETS, 25), 640);
	assert_near(histogram_percentile(buckets, MR_BUCKETS, 100), 1024);

	buckets[3] = 96;			/* 8 to 15 */
	assert_near(histogram_percentile(buckets, MR_BUCKETS, 48), 12);
	assert_near(histogram_percentile(buckets, MR_BUCKETS, 96), 16);
	assert_near(histogram_percentile(buckets, MR_BUCKETS, 98), 768);

	memset(buckets, 0, sizeof(buckets));
	buckets[0] = 1;				/* 0 or 1 */
	assert_near(histogram_percentile(buckets, MR_BUCKETS, 50), 1);
}

static void check_format(void (*format)(double, char *, size_t), double value,
			 const char *expected)
{
	char text[32];

	format(value, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void check_count(__u64 value, const char *expected)
{
	char text[32];

	format_count(value, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void numbers_are_short(void **state)
{
	(void)state;
	check_format(format_rate, 0, "0");
	check_format(format_rate, 0.2, "0.2");
	check_format(format_rate, 99.94, "99.9");
	check_format(format_rate, 99.96, "100");
	check_format(format_rate, 99999.4, "99999");
	check_format(format_rate, 123456, "123k");
	check_format(format_rate, 2.5e6, "2.5M");

	check_count(0, "0");
	check_count(99999, "99999");
	check_count(100000, "100k");
	check_count(999499, "999k");
	check_count(999500, "1.0M");
	check_count(~0ULL, "18.4E");

	check_format(format_us, -1, "-");
	check_format(format_us, 0, "0us");
	check_format(format_us, 999, "999us");
	check_format(format_us, 1234, "1.2ms");
	check_format(format_us, 999400, "999ms");
	check_format(format_us, 12.34e6, "12.3s");
	check_format(format_us, 2147e6, "2147s");
}

static void check_attribute(__u8 mgmt_class, __u16 attr_id,
			    const char *expected)
{
	char name[ATTRIBUTE_NAME_MAX];

	attribute_name(mgmt_class, attr_id, name, sizeof(name));
	assert_string_equal(name, expected);
}

static void names_are_those_of_the_specification(void **state)
{
	char name[CLASS_NAME_MAX];

	(void)state;
	check_attribute(0x03, 0x0035, "PathRecord");
	check_attribute(0x03, 0x0038, "MCMemberRecord");
	check_attribute(0x03, 0x0001, "ClassPortInfo");
	check_attribute(0x03, 0xff00, "0xff00");
	check_attribute(0x01, 0x0015, "PortInfo");
	check_attribute(0x81, 0x0011, "NodeInfo");
	check_attribute(0x04, 0x0012, "PortCounters");
	check_attribute(0x04, 0x0001, "ClassPortInfo");
	check_attribute(0x07, 0x0010, "ConnectRequest");
	check_attribute(0x07, 0x0019, "LoadAlternatePath");

	method_name(0x03, 0x12, name, sizeof(name));
	assert_string_equal(name, "GetTable");
	method_name(0x03, 0x70, name, sizeof(name));
	assert_string_equal(name, "0x70");

	class_name(0x03, name, sizeof(name));
	assert_string_equal(name, "SA");
	class_name(0x30, name, sizeof(name));
	assert_string_equal(name, "0x30");
}

static void classes_have_many_names(void **state)
{
	(void)state;
	assert_int_equal(class_from_text("SA"), 3);
	assert_int_equal(class_from_text("subnadm"), 3);
	assert_int_equal(class_from_text("SUBN_ADM"), 3);
	assert_int_equal(class_from_text("0x03"), 3);
	assert_int_equal(class_from_text("3"), 3);
	assert_int_equal(class_from_text("SM-DR"), 0x81);
	assert_int_equal(class_from_text("255"), 255);
	assert_int_equal(class_from_text(""), -1);
	assert_int_equal(class_from_text("0"), -1);
	assert_int_equal(class_from_text("256"), -1);
	assert_int_equal(class_from_text("3x"), -1);
	assert_int_equal(class_from_text("nosuch"), -1);
}

static void attributes_have_names_in_classes(void **state)
{
	(void)state;
	assert_int_equal(attribute_from_text(3, "PathRecord"), 0x35);
	assert_int_equal(attribute_from_text(3, "pathrecord"), 0x35);
	assert_int_equal(attribute_from_text(-1, "PathRecord"), 0x35);
	assert_int_equal(attribute_from_text(-1, "PortCounters"), 0x12);
	assert_int_equal(attribute_from_text(4, "PathRecord"),
			 ATTRIBUTE_UNKNOWN);
	assert_int_equal(attribute_from_text(-1, "0x35"), 0x35);
	assert_int_equal(attribute_from_text(-1, "0"), 0);
	assert_int_equal(attribute_from_text(-1, "65535"), 0xffff);
	assert_int_equal(attribute_from_text(-1, "65536"), ATTRIBUTE_UNKNOWN);
	assert_int_equal(attribute_from_text(-1, "-1"), ATTRIBUTE_UNKNOWN);
	assert_int_equal(attribute_from_text(-1, "3x"), ATTRIBUTE_UNKNOWN);
	assert_int_equal(attribute_from_text(-1, ""), ATTRIBUTE_UNKNOWN);
}

/* 0x11 is a NodeInfo of SM and a NodeRecord of SA */
static void a_number_is_another_attribute_elsewhere(void **state)
{
	struct filter filter = FILTER_NONE;

	(void)state;
	assert_true(filter_wants_attribute(&filter, 1, 0x11));
	filter.attr_id = 0x11;
	assert_true(filter_wants_attribute(&filter, 1, 0x11));
	assert_true(filter_wants_attribute(&filter, 3, 0x11));
	assert_false(filter_wants_attribute(&filter, 3, 0x35));
	filter.attribute = "nodeinfo";
	assert_true(filter_wants_attribute(&filter, 1, 0x11));
	assert_false(filter_wants_attribute(&filter, 3, 0x11));
}

static void modes_have_names(void **state)
{
	struct mode_choice choice = { .wanted = MODE_AUTO };

	(void)state;
	for (enum trace_mode mode = MODE_AUTO; mode < MODES; mode++) {
		assert_int_equal(mode_from_text(mode_name(mode)), mode);
		assert_non_null(strstr(mode_names(), mode_name(mode)));
	}
	assert_int_equal(mode_from_text("nosuch"), MODES);

	/* Why not the next better one; no reason if it was asked for */
	choice.chosen = MODE_FENTRY;
	strcpy(choice.why_not[MODE_EVENTS], "no events");
	assert_string_equal(mode_reason(&choice), "no events");
	choice.wanted = MODE_FENTRY;
	assert_null(mode_reason(&choice));
	choice.wanted = MODE_AUTO;
	choice.chosen = MODE_EVENTS;
	assert_null(mode_reason(&choice));
}

/* Two rows of rxe0, and what found no row */
static struct snapshot_row rows[3];
static struct snapshot snapshot = {
	.by = MR_BY_ATTRIBUTE, .rows = rows, .interval_s = 2,
};

static int make_rows(void **state)
{
	(void)state;
	memset(rows, 0, sizeof(rows));
	snapshot.row_count = 3;
	for (int i = 0; i < 2; i++) {
		rows[i].key = (struct mr_key){ .port = 1, .mgmt_class = 3 };
		strcpy(rows[i].device, "rxe0");
		strcpy(rows[i].class_name, "SA");
	}
	rows[0].key.attr_id = 0x11;
	strcpy(rows[0].attribute, "NodeRecord");
	rows[0].total.requests = 100000;
	rows[0].interval.requests = 10;
	rows[1].key.attr_id = 0x35;
	strcpy(rows[1].attribute, "PathRecord");
	rows[1].total.requests = 7;
	rows[1].interval.requests = 7;
	rows[1].interval.retries[MR_RETRY_BUSY] = 2;
	rows[1].total.outstanding = 4;
	rows[2].key = MR_KEY_OTHER;
	rows[2].is_other = true;
	strcpy(rows[2].device, "(other)");
	return 0;
}

static void table_of(struct table *table, struct view *view,
		     const char *column, enum span span, size_t width,
		     bool exact)
{
	struct order order = { .column = column_by_key(column) };
	struct filter filter = FILTER_NONE;
	struct column_list list;

	column_list_default(&list, false);
	strcpy(filter.text, "record");
	view_make(view, &snapshot, &filter, &order, span);
	table_make(table, view, &list, width, exact);
}

/* All rows, with the columns of @text; the first is the one sorted by */
static void table_with(struct table *table, struct view *view,
		       const char *text, size_t width)
{
	struct order order = { .column = column_by_key("requests") };
	const struct filter filter = FILTER_NONE;
	struct column_list list;

	column_list_parse(&list, text, snapshot.by, false);
	view_make(view, &snapshot, &filter, &order, SPAN_INTERVAL);
	table_make(table, view, &list, width, false);
}

static void done_with(struct table *table, struct view *view)
{
	table_free(table);
	view_free(view);
}

static void rows_are_sorted_and_added_up(void **state)
{
	struct table table;
	struct view view;

	(void)state;
	table_of(&table, &view, "requests", SPAN_INTERVAL, 0, true);
	assert_int_equal(table.line_count, 3);
	assert_string_equal(table.head, "DEVICE  CLASS ATTRIBUTE  REQ/s RETR/s BDRP/s BDLV/s TMO/s OUTST    P50    P99");
	assert_string_equal(table.lines[0], "rxe0/1  SA    NodeRecord   5.0      0      0      0     0     0      -      -");
	assert_string_equal(table.lines[1], "rxe0/1  SA    PathRecord   3.5    1.0      0      0     0     4      -      -");
	assert_string_equal(table.lines[2], "(other)                      0      0      0      0     0     0      -      -");
	assert_string_equal(table.total, "TOTAL                      8.5    1.0      0      0     0     4      -      -");
	done_with(&table, &view);

	table_of(&table, &view, "retries", SPAN_INTERVAL, 0, true);
	assert_memory_equal(table.lines[0], "rxe0/1  SA    PathRecord", 24);
	done_with(&table, &view);
}

static void totals_are_exact_or_short(void **state)
{
	struct table table;
	struct view view;

	(void)state;
	table_of(&table, &view, "requests", SPAN_TOTAL, 0, true);
	assert_non_null(strstr(table.total, " 100007 "));
	done_with(&table, &view);
	table_of(&table, &view, "requests", SPAN_TOTAL, 0, false);
	assert_non_null(strstr(table.total, " 100k "));
	done_with(&table, &view);
}

static void narrow_tables_lose_columns(void **state)
{
	struct table table;
	struct view view;
	size_t before = 0;

	(void)state;
	for (size_t width = 1; width <= 100; width++) {
		table_of(&table, &view, "requests", SPAN_INTERVAL, width,
			 false);
		/* The device is the last to go, and never goes */
		assert_true(strlen(table.head) <= width || width < 6);
		assert_true(strlen(table.head) >= before);
		before = strlen(table.head);
		done_with(&table, &view);
	}
	assert_int_equal(before, 77);
}

static void names_get_the_room_of_lost_columns(void **state)
{
	struct table table;
	struct view view;

	(void)state;
	strcpy(rows[0].attribute, "InformInfoRecord");
	table_with(&table, &view, "device,attribute,retries,p99", 31);
	assert_string_equal(table.head, "DEVICE ATTRIBUTE  RETR/s    P99");
	assert_string_equal(table.lines[0], "rxe0/1 InformInf+      0      -");
	done_with(&table, &view);

	table_with(&table, &view, "device,attribute,retries,p99", 30);
	assert_string_equal(table.head, "DEVICE ATTRIBUTE        RETR/s");
	assert_string_equal(table.lines[0], "rxe0/1 InformInfoRecord      0");
	done_with(&table, &view);
}

static void columns_are_chosen_and_ordered(void **state)
{
	struct table table;
	struct view view;

	(void)state;
	table_with(&table, &view, "retries,attribute,per_request", 0);
	assert_string_equal(table.head, "RETR/s ATTRIBUTE  RETR/REQ");
	assert_string_equal(table.lines[0], "     0 NodeRecord     0.00");
	assert_string_equal(table.lines[1], "   1.0 PathRecord     0.29");
	assert_string_equal(table.total, "   1.0 TOTAL          0.12");
	done_with(&table, &view);

	/* The last ones are lost first, not those that matter less elsewhere */
	table_with(&table, &view, "device,p50,retries", 14);
	assert_string_equal(table.head, "DEVICE     P50");
	done_with(&table, &view);

	table_with(&table, &view, "+cancelled,p99", 0);
	assert_string_equal(table.head, "DEVICE  CLASS ATTRIBUTE  REQ/s RETR/s BDRP/s BDLV/s TMO/s OUTST    P50 CANC/s    P99");
	done_with(&table, &view);
}

static void columns_need_their_grouping(void **state)
{
	char name[GROUPING_NAME_MAX];
	struct table table;
	struct view view;

	(void)state;
	snapshot.by = MR_BY_DESTINATION;
	table_of(&table, &view, "requests", SPAN_INTERVAL, 0, true);
	assert_memory_equal(table.head, "DEVICE  CLASS ", 14);
	assert_null(strstr(table.head, "ATTRIBUTE"));
	done_with(&table, &view);
	snapshot.by = MR_BY_ATTRIBUTE;

	grouping_name(grouping_parse("client,attribute"), name, sizeof(name));
	assert_string_equal(name, "attribute,client");
	assert_int_equal(grouping_next(MR_BY_ATTRIBUTE), MR_BY_DESTINATION);
}

static void trend_is(const char *expected, const float *values, size_t count,
		     size_t width)
{
	char text[BARS_SIZE(16)];

	bars_trend(values, count, width, text);
	assert_string_equal(text, expected);
	assert_int_equal(bars_width(text), width);
}

static void trends_are_blocks_or_ascii(void **state)
{
	static const float values[] = { 0, 7, 3.5f, -1, 0.001f, 1 };
	char bar[BARS_SIZE(8)];

	(void)state;
	bars_use_blocks(false);
	trend_is("  _#= .:", values, 6, 8);
	/* The greatest of those in sight has the full height */
	trend_is(".#", values, 6, 2);
	trend_is("", values, 6, 0);
	bars_length(1, 2, 8, bar);
	assert_string_equal(bar, "####");
	bars_length(1, 2000, 8, bar);
	assert_string_equal(bar, "#");
	bars_use_blocks(true);
	trend_is("  ▁█▅ ▂▃", values, 6, 8);
	bars_use_blocks(false);
}

static void trends_end_with_the_last_interval(void **state)
{
	struct history history = { 0 };
	struct table table;
	struct view view;

	(void)state;
	bars_use_blocks(false);
	history_add(&history, &snapshot);		/* 10, 7, 0 */
	rows[0].interval.requests = 0;
	history_add(&history, &snapshot);		/* 0, 7, 0 */
	table_with(&table, &view, "attribute,trend", 0);
	assert_string_equal(table.head, "ATTRIBUTE                 TREND");
	assert_string_equal(table.lines[0], "PathRecord                   ##");
	assert_string_equal(table.lines[1], "NodeRecord                   #_");
	assert_string_equal(table.lines[2], "                             __");
	assert_string_equal(table.total, "TOTAL                        #-");
	done_with(&table, &view);

	table_with(&table, &view, "attribute,trend", 19);
	assert_string_equal(table.lines[0], "PathRecord       ##");
	done_with(&table, &view);

	for (int i = 0; i < HISTORY_LENGTH; i++)
		history_add(&history, &snapshot);
	assert_int_equal(rows[0].history->count, HISTORY_LENGTH);
	table_with(&table, &view, "attribute,trend", 0);
	assert_string_equal(table.lines[1], "NodeRecord ____________________");
	done_with(&table, &view);
	history_free(&history);
}

static void response_times_have_bars(void **state)
{
	__u64 buckets[MR_RESPONSE_BUCKETS] = { 0 };
	struct response_table table;

	(void)state;
	bars_use_blocks(false);
	buckets[6] = 2;				/* 64 us */
	buckets[8] = 4;
	buckets[10] = 1;
	response_table_make(&table, buckets, 24, 0);
	assert_string_equal(table.head, "RESPONSE  COUNT");
	assert_int_equal(table.line_count, 5);
	assert_string_equal(table.lines[0], "  >=64us      2 ####");
	assert_string_equal(table.lines[1], " >=128us      0");
	assert_string_equal(table.lines[2], " >=256us      4 ########");
	assert_string_equal(table.lines[4], " >=1.0ms      1 ##");
	response_table_free(&table);

	response_table_make(&table, buckets, 24, 2);
	assert_int_equal(table.line_count, 2);
	assert_string_equal(table.lines[0], "  <1.0ms      6 ########");
	response_table_free(&table);
}

static void oldest_requests_are_listed(void **state)
{
	struct snapshot_request requests[] = {
		{ .port = 1, .mgmt_class = 3, .attr_id = 0x35,
		  .device = "rxe0", .class_name = "SA",
		  .attribute = "PathRecord", .destination = "LID 4",
		  .tid = 0x12, .age_s = 12.34, .attempts = 3,
		  .attempts_max = 4, .next_s = 0.5,
		  .next_is_known = true },
		{ .port = 2, .mgmt_class = 7, .device = "rxe1",
		  .class_name = "CM", .attribute = "ConnectRequest",
		  .age_s = 2, .age_is_minimum = true, .attempts = 1,
		  .next_is_known = true, .waits_for_ever = true },
	};
	struct snapshot old = { .requests = requests, .request_count = 2 };
	struct filter filter = FILTER_NONE;
	struct requests_table table;

	(void)state;
	requests_table_make(&table, &old, &filter, 0, 10);
	assert_int_equal(table.line_count, 2);
	assert_string_equal(table.title, "oldest outstanding requests");
	assert_string_equal(table.head, "  AGE ATTEMPT  NEXT DEVICE REQUEST           TO    TID               ");
	assert_string_equal(table.lines[0], "12.3s     3/4 500ms rxe0/1 SA PathRecord     LID 4 0x0000000000000012");
	assert_string_equal(table.lines[1], ">2.0s       1 never rxe1/2 CM ConnectRequest       0x0000000000000000");
	requests_table_free(&table);

	requests_table_make(&table, &old, &filter, 26, 1);
	assert_string_equal(table.head, "  AGE ATTEMPT  NEXT");
	assert_int_equal(table.line_count, 1);
	requests_table_free(&table);

	filter.port = 2;
	old.requests_missed = 7;
	requests_table_make(&table, &old, &filter, 0, 10);
	assert_int_equal(table.line_count, 1);
	assert_string_equal(table.title, "oldest outstanding requests; the list was full 7 times");
	requests_table_free(&table);
}

static void filters_match(void **state)
{
	struct filter filter = FILTER_NONE;

	(void)state;
	assert_true(filter_matches(&filter, &rows[0]));
	filter.device = "rxe";
	assert_false(filter_matches(&filter, &rows[0]));
	assert_true(filter_matches(&filter, &rows[2]));
	filter.device = "rxe0";
	filter.port = 2;
	assert_false(filter_matches(&filter, &rows[0]));
	filter.port = 1;
	filter.mgmt_class = 7;
	assert_false(filter_matches(&filter, &rows[0]));
	filter.mgmt_class = 3;
	strcpy(filter.text, "0/1 sa node");
	assert_true(filter_matches(&filter, &rows[0]));
	assert_false(filter_matches(&filter, &rows[1]));
}

static void rows_are_named_by_what_they_have(void **state)
{
	struct snapshot_row row = {
		.key.port = 1, .device = "rxe0", .class_name = "SA",
		.destination = "LID 4", .client = "saquery[7]",
	};
	char name[ROW_NAME_MAX];

	(void)state;
	row_name(&row, name, sizeof(name));
	assert_string_equal(name, "rxe0/1 SA to LID 4 by saquery[7]");
	row.client[0] = '\0';
	strcpy(row.attribute, "PathRecord");
	row_name(&row, name, sizeof(name));
	assert_string_equal(name, "rxe0/1 SA PathRecord to LID 4");
}

static void check_destination(struct mr_destination destination,
			      const char *expected)
{
	char name[DESTINATION_NAME_MAX];

	destination_name(&destination, name, sizeof(name));
	assert_string_equal(name, expected);
}

static void destinations_have_names(void **state)
{
	(void)state;
	check_destination((struct mr_destination){ .lid = 4 }, "LID 4");
	check_destination((struct mr_destination){ .lid = 0xffff },
			  "directed route");
	check_destination((struct mr_destination){ 0 }, "unknown");
	check_destination((struct mr_destination){
		.lid = 4, .gid = { 0xfe, 0x80, [15] = 0x21 } }, "fe80::21");
}

static void symbols_are_found(void **state)
{
	static const char list[] =
		"0000000000000000 A fixed_percpu_data\n"
		"ffffffff81000000 T _text\n"
		"ffffffffc0a00010 t recv_handler\t[ib_umad]\n"
		"ffffffffc0b00020 t recv_handler\t[ib_core]\n"
		"ffffffffc0b00030 b sa_client\t[rdma_cm]\n";
	struct symbol symbols[] = {
		{ .name = "recv_handler", .module = "ib_core" },
		{ .address = 0xffffffffc0b00030 },
		{ .address = 0xffffffff81000000 },
		{ .name = "recv_handler" },
	};
	char path[] = "/tmp/lib_test.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, list, strlen(list)), strlen(list));
	close(fd);
	kallsyms_find_in(path, symbols, 4);
	unlink(path);
	assert_true(symbols[0].address == 0xffffffffc0b00020);
	assert_string_equal(symbols[1].name, "sa_client");
	assert_string_equal(symbols[1].module, "rdma_cm");
	assert_string_equal(symbols[2].name, "_text");
	assert_string_equal(symbols[2].module, "");
	assert_true(symbols[3].address == 0);
}

static void backoff_has_the_columns_it_needs(void **state)
{
	struct mr_backoff backoff = { 0 };
	struct backoff_table table;

	(void)state;
	backoff.wait_ms[0][9] = 3;
	backoff.wait_ms[0][10] = 1;
	backoff.wait_ms[15][12] = 123456;
	backoff.wait_ms[15][MR_WAIT_FOREVER] = 1;
	backoff_table_make(&table, &backoff, 0);
	assert_int_equal(table.line_count, 2);
	assert_memory_equal(table.head, "RETRY  COUNT   >=512  >=1024  >=2048  >=4096", 44);
	assert_memory_equal(table.lines[0], "    1      4       3       1       .       .", 44);
	assert_memory_equal(table.lines[1], "  16+   123k       .       .       .    123k", 44);
	assert_string_equal(table.head + strlen(table.head) - 8, " forever");
	backoff_table_free(&table);

	backoff.wait_ms[15][MR_WAIT_FOREVER] = 0;
	backoff_table_make(&table, &backoff, 36);
	assert_string_equal(table.head, "RETRY  COUNT   <2048  >=2048  >=4096");
	assert_string_equal(table.lines[0], "    1      4       4       .       .");
	backoff_table_free(&table);
}

static void intervals_are_differences(void **state)
{
	struct snapshot_row old = rows[1];
	struct snapshot before = { .rows = &old, .row_count = 1 };

	(void)state;
	old.total.requests = 3;
	snapshot_compare(&snapshot, &before);
	assert_int_equal(rows[0].interval.requests, 100000);
	assert_int_equal(rows[1].interval.requests, 4);
}

/* What was handed on, as "REQUEST EVENT" for each */
static char followed[256];

static void note_record(const struct mr_log_record *record, void *context)
{
	size_t used = strlen(followed);

	(void)context;
	snprintf(followed + used, sizeof(followed) - used, "%llu %s,",
		 record->send_buf, log_event_name(record->event));
}

static void follow_one(struct follow *follow, __u64 send_buf,
		       enum mr_log_event event, bool interesting)
{
	struct mr_log_record record = {
		.send_buf = send_buf,
		.event = (__u8)event,
	};

	follow_record(follow, &record, interesting);
}

static void assert_followed(const char *expected)
{
	assert_string_equal(followed, expected);
	followed[0] = '\0';
}

static void requests_are_followed_once_of_interest(void **state)
{
	struct follow *follow = follow_start(100, note_record, NULL);

	(void)state;
	follow_one(follow, 1, MR_LOG_POST, false);
	follow_one(follow, 2, MR_LOG_POST, false);
	follow_one(follow, 1, MR_LOG_RETRY, false);
	assert_followed("");
	follow_one(follow, 1, MR_LOG_TIMEOUT, true);
	assert_followed("1 post,1 retry,1 timeout,");
	follow_one(follow, 2, MR_LOG_DONE, false);
	follow_one(follow, 1, MR_LOG_DONE, false);
	assert_followed("1 done,");

	/* The same address again is another request */
	follow_one(follow, 1, MR_LOG_POST, false);
	follow_one(follow, 1, MR_LOG_DONE, false);
	assert_followed("");
	/* Posted before the start */
	follow_one(follow, 3, MR_LOG_RETRY, true);
	follow_one(follow, 3, MR_LOG_POST, false);
	assert_followed("3 retry,");
	/* The first event may be of interest, and the last */
	follow_one(follow, 3, MR_LOG_DONE, true);
	follow_one(follow, 4, MR_LOG_POST, true);
	follow_one(follow, 4, MR_LOG_DONE, false);
	assert_followed("3 post,3 done,4 post,4 done,");
	assert_int_equal(follow_forgotten(follow), 0);
	follow_free(follow);
}

static void the_oldest_requests_are_forgotten(void **state)
{
	/* Three requests with a record each */
	struct follow *follow = follow_start(6, note_record, NULL);

	(void)state;
	for (__u64 request = 1; request <= 4; request++)
		follow_one(follow, request, MR_LOG_POST, false);
	assert_int_equal(follow_forgotten(follow), 1);
	follow_one(follow, 1, MR_LOG_TIMEOUT, true);
	assert_followed("1 timeout,");
	assert_int_equal(follow_forgotten(follow), 2);
	follow_one(follow, 4, MR_LOG_TIMEOUT, true);
	assert_followed("4 post,4 timeout,");
	follow_free(follow);
}

#define MS 1000000ULL

static struct apm_table conns;

static struct apm_step qp_step(__u32 qpn, __u64 ms, enum mr_mig_state state,
			       enum mr_mig_source source)
{
	struct mr_apm_record record = {
		.time_ns = ms * MS,
		.dev_index = 1,
		.port = 1,
		.qpn = qpn,
		.event = MR_APM_QP,
		.qp = { .state = state, .source = source },
	};

	return apm_table_take(&conns, &record);
}

static struct apm_step lap_step(__u32 qpn, __u64 ms, enum mr_apm_cause cause,
				int apr_status)
{
	struct mr_apm_record record = {
		.time_ns = ms * MS,
		.cm_id = 0x1000 + qpn,
		.dev_index = 1,
		.qpn = qpn,
		.local_id = 7,
		.event = MR_APM_LAP,
		.lap = {
			.cause = cause,
			.apr_status = apr_status,
			.alt_port = 2,
		},
	};

	return apm_table_take(&conns, &record);
}

static int no_conns(void **state)
{
	(void)state;
	apm_table_free(&conns);
	memset(&conns, 0, sizeof(conns));
	conns.max_conns = 10;
	return 0;
}

/* From armed to armed, and without an APR for the first LAP */
static void go_round(__u32 qpn, __u64 ms)
{
	qp_step(qpn, ms, MR_MIG_MIGRATED, MR_MIG_EVENT);
	lap_step(qpn, ms + 10, MR_APM_LAP_SENT, MR_APM_NO_APR);
	lap_step(qpn, ms + 30, MR_APM_LAP_TIMEOUT, MR_APM_NO_APR);
	lap_step(qpn, ms + 35, MR_APM_LAP_SENT, MR_APM_NO_APR);
	lap_step(qpn, ms + 39, MR_APM_APR_RECEIVED, 0);
	qp_step(qpn, ms + 40, MR_MIG_REARM, MR_MIG_MODIFY);
	qp_step(qpn, ms + 50, MR_MIG_ARMED, MR_MIG_QUERY);
}

static void assert_timeline(const struct apm_conn *conn, const char *expected)
{
	char text[512] = "";

	for (unsigned int i = 0; i < conn->point_count; i++) {
		const struct apm_point *point = &conn->points[i];
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s %llu,",
			 point->step, point->time_ns / MS);
	}
	assert_string_equal(text, expected);
}

static void a_migration_has_a_timeline(void **state)
{
	struct qp_info info = { .dev_index = 1, .qpn = 5, .port = 1,
				.state = MR_MIG_ARMED };
	const struct apm_conn *conn;
	struct apm_step step;

	(void)state;
	apm_table_seen(&conns, &info, 50 * MS);
	go_round(5, 100);
	step = lap_step(5, 151, MR_APM_LAP_SENT, MR_APM_NO_APR);
	conn = step.conn;
	assert_near(step.since_ms, 1);
	assert_int_equal(conn->local_id, 7);
	assert_int_equal(conn->migrations, 1);
	assert_int_equal(conn->rearmed, 1);
	assert_int_equal(conn->failed, 1);
	assert_int_equal(apm_conn_unprotected(conn, 999 * MS), 50 * MS);
	/* A step after it is armed begins another timeline */
	assert_timeline(conn, "ARMED 150,LAP_SENT 151,");

	go_round(5, 200);
	assert_timeline(conn, "ARMED 150,LAP_SENT 151,MIGRATED 200,LAP_SENT 210,LAP_TIMEOUT 230,LAP_SENT 235,APR_RECEIVED 239,REARM 240,ARMED 250,");
	assert_int_equal(apm_conn_unprotected(conn, 999 * MS), 100 * MS);
	assert_int_equal(apm_conn_longest(conn, 999 * MS), 50 * MS);
	assert_true(apm_conn_uses_port(conn, 2));
	assert_false(apm_conn_uses_port(conn, 3));
}

static void a_migration_counts_once(void **state)
{
	const struct apm_conn *conn;

	(void)state;
	go_round(5, 100);
	qp_step(5, 300, MR_MIG_MIGRATED, MR_MIG_MODIFY);
	conn = qp_step(5, 301, MR_MIG_MIGRATED, MR_MIG_EVENT).conn;
	assert_int_equal(conn->migrations, 2);
	assert_true(apm_conn_is_stuck(conn));
	assert_int_equal(apm_conn_longest(conn, 400 * MS), 100 * MS);

	/* It was armed, though nobody saw it */
	qp_step(5, 500, MR_MIG_REARM, MR_MIG_MODIFY);
	qp_step(5, 600, MR_MIG_MIGRATED, MR_MIG_EVENT);
	assert_int_equal(conn->migrations, 3);
	assert_int_equal(conn->rearmed, 2);

	/* Could not migrate: it is as it was */
	qp_step(5, 700, MR_MIG_MIGRATED, MR_MIG_EVENT_ERR);
	assert_int_equal(conn->migrations, 3);
}

static void what_is_stuck_comes_first(void **state)
{
	struct apm_conn **sorted;
	size_t count;

	(void)state;
	go_round(1, 100);				/* armed */
	qp_step(2, 120, MR_MIG_REARM, MR_MIG_MODIFY);	/* to be armed */
	qp_step(3, 130, MR_MIG_MIGRATED, MR_MIG_EVENT);	/* stuck */
	qp_step(4, 110, MR_MIG_MIGRATED, MR_MIG_EVENT);	/* the same, longer */
	qp_step(5, 105, MR_MIG_MIGRATED, MR_MIG_EVENT);	/* and ended */
	lap_step(5, 140, MR_APM_CONN_ENDED, MR_APM_NO_APR);
	qp_step(6, 100, MR_MIG_MIGRATED, MR_MIG_MODIFY); /* never was armed */
	sorted = apm_table_sorted(&conns, &count);
	assert_int_equal(count, 5);
	assert_int_equal(sorted[0]->key.qpn, 4);
	assert_int_equal(sorted[1]->key.qpn, 3);
	assert_int_equal(sorted[2]->key.qpn, 2);
	assert_int_equal(sorted[3]->key.qpn, 5);
	assert_int_equal(sorted[4]->key.qpn, 1);
	assert_int_equal(apm_conn_unprotected(sorted[3], 999 * MS), 35 * MS);
	free(sorted);
}

static void numbers_of_queue_pairs_come_again(void **state)
{
	struct mr_apm_record other = {
		.time_ns = 500 * MS, .cm_id = 0x9999, .dev_index = 1, .qpn = 5,
		.event = MR_APM_LAP,
		.lap = { .cause = MR_APM_LAP_SENT, .apr_status = -1 },
	};
	const struct apm_conn *conn;

	(void)state;
	go_round(5, 100);
	conn = apm_table_take(&conns, &other).conn;
	assert_int_equal(conn->migrations, 0);
	assert_int_equal(conn->local_id, 0);
	assert_timeline(conn, "LAP_SENT 500,");

	/* No more than there is room for */
	for (__u32 qpn = 100; qpn < 120; qpn++)
		qp_step(qpn, 600, MR_MIG_REARM, MR_MIG_MODIFY);
	assert_int_equal(HASH_COUNT(conns.conns), 10);
	assert_int_equal(conns.forgotten, 11);
	no_conns(NULL);
}

static void check_outcome(__u8 mgmt_class, unsigned int wc_status,
			  __u16 mad_status, const char *expected)
{
	char text[64];

	outcome_text(mgmt_class, wc_status, mad_status, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void outcomes_are_words(void **state)
{
	(void)state;
	check_outcome(3, 0, 0, "ok");
	check_outcome(3, 0, 0x0001, "0x0001 Busy");
	check_outcome(3, 0, 0x0300, "0x0300 No Records");
	check_outcome(4, 0, 0x001c, "0x001c Invalid attribute/modifier field");
	check_outcome(4, 0, 0x0300, "0x0300");
	check_outcome(3, 5, 0, "cancelled");
	check_outcome(3, 20, 0, "timed out");
	check_outcome(3, 13, 0, "failed: RNR_RETRY_EXC_ERR");
	check_outcome(3, 99, 0, "failed: unknown");
}

static void write_btf(const char *path, const char *strings, size_t size,
		      __u32 claimed)
{
	struct btf_header header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(header),
		.str_len = claimed,
	};
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fwrite(&header, sizeof(header), 1, file);
	fwrite(strings, size, 1, file);
	fclose(file);
}

static void btf_is_searched_for_whole_names(void **state)
{
	static const char strings[] = "\0btf_trace_ib_mad_post_x\0btf_trace_ib_mad_done";
	char path[] = "/tmp/lib_test.XXXXXX";

	(void)state;
	close(mkstemp(path));
	write_btf(path, strings, sizeof(strings), sizeof(strings));
	assert_true(btf_file_names(path, "btf_trace_ib_mad_done"));
	assert_false(btf_file_names(path, "btf_trace_ib_mad_post"));
	assert_false(btf_file_names(path, "trace_ib_mad_done"));
	/* Longer than the file: broken */
	write_btf(path, strings, sizeof(strings), 1000);
	assert_false(btf_file_names(path, "btf_trace_ib_mad_done"));
	unlink(path);
	assert_false(btf_file_names(path, "btf_trace_ib_mad_done"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_have_bounds),
		cmocka_unit_test(percentiles_are_interpolated),
		cmocka_unit_test(numbers_are_short),
		cmocka_unit_test(names_are_those_of_the_specification),
		cmocka_unit_test(classes_have_many_names),
		cmocka_unit_test(attributes_have_names_in_classes),
		cmocka_unit_test(a_number_is_another_attribute_elsewhere),
		cmocka_unit_test(modes_have_names),
		cmocka_unit_test_setup(rows_are_sorted_and_added_up, make_rows),
		cmocka_unit_test_setup(totals_are_exact_or_short, make_rows),
		cmocka_unit_test_setup(narrow_tables_lose_columns, make_rows),
		cmocka_unit_test_setup(names_get_the_room_of_lost_columns,
				       make_rows),
		cmocka_unit_test_setup(columns_are_chosen_and_ordered, make_rows),
		cmocka_unit_test_setup(columns_need_their_grouping, make_rows),
		cmocka_unit_test(trends_are_blocks_or_ascii),
		cmocka_unit_test_setup(trends_end_with_the_last_interval, make_rows),
		cmocka_unit_test(response_times_have_bars),
		cmocka_unit_test(oldest_requests_are_listed),
		cmocka_unit_test_setup(filters_match, make_rows),
		cmocka_unit_test(rows_are_named_by_what_they_have),
		cmocka_unit_test(destinations_have_names),
		cmocka_unit_test(symbols_are_found),
		cmocka_unit_test(backoff_has_the_columns_it_needs),
		cmocka_unit_test_setup(intervals_are_differences, make_rows),
		cmocka_unit_test(requests_are_followed_once_of_interest),
		cmocka_unit_test(the_oldest_requests_are_forgotten),
		cmocka_unit_test(outcomes_are_words),
		cmocka_unit_test_setup(a_migration_has_a_timeline, no_conns),
		cmocka_unit_test_setup(a_migration_counts_once, no_conns),
		cmocka_unit_test_setup(what_is_stuck_comes_first, no_conns),
		cmocka_unit_test_setup(numbers_of_queue_pairs_come_again,
				       no_conns),
		cmocka_unit_test(btf_is_searched_for_whole_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
