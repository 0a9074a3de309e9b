#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Validate each line of files against JSON schemas.

usage: validate.py SCHEMA=FILE...

Prints for each file how many of its lines are valid, and where the others are
not. Exit status 1 if any is not, or if a file has no line at all.
"""
import json
import sys

import jsonschema


def where(error):
    return '/'.join(str(part) for part in error.absolute_path) or 'line'


def validator_of(name):
    with open(name) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def validate(validator, name):
    lines = bad = 0
    with open(name) as file:
        for lines, line in enumerate(file, 1):
            error = jsonschema.exceptions.best_match(
                validator.iter_errors(json.loads(line)))
            if error:
                bad += 1
                print(f'{name}: line {lines}, {where(error)}: '
                      f'{error.message[:200]}')
    print(f'{name}: {lines - bad} of {lines} lines are valid')
    return lines > 0 and not bad


def main():
    validators = {}
    good = True
    for pair in sys.argv[1:]:
        schema, name = pair.split('=')
        if schema not in validators:
            validators[schema] = validator_of(schema)
        good = validate(validators[schema], name) and good
    sys.exit(not good)


main()
