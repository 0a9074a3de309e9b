#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Validate each line of a file against a JSON schema.

usage: validate.py SCHEMA FILE

Prints how many lines are valid. Exit status 1, and the first error of each bad
line, if any is not; also if there is no line at all.
"""
import json
import sys

import jsonschema


def where(error):
    return '/'.join(str(part) for part in error.absolute_path) or 'line'


def main():
    with open(sys.argv[1]) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    lines = bad = 0
    with open(sys.argv[2]) as file:
        for lines, line in enumerate(file, 1):
            error = jsonschema.exceptions.best_match(
                validator.iter_errors(json.loads(line)))
            if error:
                bad += 1
                print(f'line {lines}, {where(error)}: {error.message[:200]}')
    print(f'{lines - bad} of {lines} lines are valid')
    sys.exit(bad > 0 or lines == 0)


main()
