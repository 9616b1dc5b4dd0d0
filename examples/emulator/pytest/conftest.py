"""An emulator for the tests: the one at WEBEXTRACT_EMULATOR_URL, or one that is started for them."""

import json
import os
import re
import shutil
import signal
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
    # Not through npx, which starts more processes and does not end them all.
    program = shutil.which("webextract-emulator", path=f"node_modules/.bin{os.pathsep}{os.environ['PATH']}")
    if program is None:
        pytest.exit("webextract-emulator is not installed: npm install webextract-emulator", returncode=2)
    process = subprocess.Popen(
        [program, "--port", "0", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a process group of its own, so that all of it ends
    )
    try:
        address = re.search(r"http://[^;\s]+", process.stdout.readline())
        if address is None:
            pytest.exit(f"the emulator did not start: {process.communicate()[1].strip()}", returncode=2)
        yield Emulator(address.group())
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.communicate()


@pytest.fixture
def emulator(running_emulator):
    running_emulator.call("POST", "/reset")
    return running_emulator
