"""An emulator for the tests: the one at WEBEXTRACT_EMULATOR_URL, or one that is started for them."""

import json
import os
import re
import subprocess
import urllib.request

import pytest


class Emulator:
    """The admin API of the emulator, see /__emulator/openapi.yaml."""

    def __init__(self, url):
        self.url = url

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        token = os.environ.get("WEBEXTRACT_EMULATOR_ADMIN_TOKEN")
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/__emulator{path}", data, headers, method=method)
        with urllib.request.urlopen(request) as response:
            text = response.read()
        return json.loads(text) if text else None


@pytest.fixture(scope="session")
def running_emulator():
    url = os.environ.get("WEBEXTRACT_EMULATOR_URL")
    if url:
        yield Emulator(url)
        return
    command = ["npx", "webextract-emulator", "--port", "0", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield Emulator(re.search(r"http://[^;\s]+", process.stdout.readline()).group())
    finally:
        process.terminate()


@pytest.fixture
def emulator(running_emulator):
    running_emulator.call("POST", "/reset")
    return running_emulator
