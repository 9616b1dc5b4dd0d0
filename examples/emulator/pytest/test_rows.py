"""Tests of code that reads rows. Run them with: pytest"""

import json
import urllib.error
import urllib.request

import pytest


def read_rows(url, token, task_id):
    """What your code does: reads the rows of a task."""
    request = urllib.request.Request(f"{url}/data/all?taskId={task_id}&offset=0&size=10")
    request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request) as response:
        return json.load(response)["data"]["data"]


def test_reads_the_rows_of_a_task(emulator):
    rows = [{"title": "The Long Ferry"}]
    emulator.call("POST", "/changes", {"change": "insertRows", "taskId": "demo-template", "rows": rows})
    token = emulator.credentials["accessToken"]
    assert read_rows(emulator.url, token, "demo-template") == rows


def test_fails_when_the_service_is_not_available(emulator):
    emulator.call("POST", "/faults", {"operation": "getData", "kind": "status", "status": 503})
    token = emulator.credentials["accessToken"]
    with pytest.raises(urllib.error.HTTPError) as failure:
        read_rows(emulator.url, token, "demo-template")
    assert failure.value.code == 503
    found = emulator.call("GET", "/requests?operation=getData&wait=1")
    assert [request["status"] for request in found["requests"]] == [503]
