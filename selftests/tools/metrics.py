#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Read an exposition with Prometheus' own client library, strictly.

usage: metrics.py openmetrics|text [FILE]

Prints a JSON object a sample: metric, type, unit, name, labels, value. Exit
status 1, and why on stderr, if the library does not accept it.
"""
import json
import sys

from prometheus_client import parser as text
from prometheus_client.openmetrics import parser as openmetrics

PARSERS = {
    'openmetrics': openmetrics.text_string_to_metric_families,
    'text': text.text_string_to_metric_families,
}


def main():
    source = open(sys.argv[2]) if len(sys.argv) > 2 else sys.stdin
    try:
        for family in PARSERS[sys.argv[1]](source.read()):
            for sample in family.samples:
                print(json.dumps({
                    'metric': family.name, 'type': family.type,
                    'unit': family.unit, 'name': sample.name,
                    'labels': sample.labels, 'value': sample.value,
                }))
    except ValueError as error:
        sys.exit(f'metrics.py: {error}')


main()
