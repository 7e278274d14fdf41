#!/usr/bin/env python3
"""Stands for a language model: reads a request as JSON and prints the program for one question."""

import json
import sys

request = json.load(sys.stdin)
assert "How many days had snow?" in request["prompt"], request
print('```json\n{"reading": "Days with snow"}\n```')
if "tagged sql" in request["instructions"]:
    print("```sql\nSELECT count(*) FROM seattle_weather WHERE weather = 'snow'\n```")
else:
    print("```python\nresult = int((load()['weather'] == 'snow').sum())\n```")
