"""Copy this file into the folder of your tests. The fixture `emulator` is an emulator of the service for one test.

The emulator is the one at WEBEXTRACT_EMULATOR_URL, for example a container, or one that is started for the tests and ended after them: the program
WEBEXTRACT_EMULATOR, or `webextract-emulator` in node_modules or on PATH. Workers of pytest-xdist share it, each with an account of its own.
"""

import contextlib
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import threading
import urllib.error
import urllib.request

import pytest

START_SECONDS = 30


class Emulator:
    """One account of an emulator. `call` is the admin API, see /__emulator/openapi.yaml."""

    def __init__(self, url, account=None):
        self.url = url
        self.prefix = "/__emulator" if account is None else f"/__emulator/accounts/{account}"

    @property
    def credentials(self):
        """accessToken, refreshToken and apiKey, as they are now."""
        return self.call("GET", "/credentials")

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        token = os.environ.get("WEBEXTRACT_EMULATOR_ADMIN_TOKEN")
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{self.prefix}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as response:
                text = response.read()
        except urllib.error.HTTPError as failure:
            raise AssertionError(f"{method} {path}: {failure.read().decode()}") from None
        return json.loads(text) if text else None


def program():
    """The command of the emulator, as a list. Not npx, which starts more processes and does not end them all."""
    given = os.environ.get("WEBEXTRACT_EMULATOR")
    folders = [pathlib.Path.cwd(), *pathlib.Path(__file__).resolve().parents]
    path = os.pathsep.join([*(str(folder / "node_modules/.bin") for folder in folders), os.environ["PATH"]])
    found = given or shutil.which("webextract-emulator", path=path)
    if found is None:
        pytest.exit(
            "webextract-emulator is not installed. Install Node.js and then the package with `npm install webextract-emulator`, "
            "or start the emulator as a container and set WEBEXTRACT_EMULATOR_URL.",
            2,
        )
    return ["node", found] if found.endswith(".js") else [found]


def first_line(process):
    """The first line that the emulator prints, or what it printed instead within START_SECONDS."""
    lines = queue.Queue()
    threading.Thread(target=lambda: lines.put(process.stdout.readline()), daemon=True).start()
    try:
        return lines.get(timeout=START_SECONDS)
    except queue.Empty:
        return ""


@contextlib.contextmanager
def running_emulator():
    """The address of an emulator that ends with the tests."""
    process = subprocess.Popen(
        [*program(), "--port", "0", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a process group of its own, so that all of it ends
    )
    try:
        address = re.search(r"http://[^;\s]+", first_line(process))
        if address is None:
            process.kill()
            pytest.exit(f"the emulator did not start: {process.communicate()[1].strip()}", 2)
        yield address.group()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.communicate()


def pytest_configure(config):
    """Starts the emulator that workers of pytest-xdist share."""
    if getattr(config.option, "numprocesses", None) and not os.environ.get("WEBEXTRACT_EMULATOR_URL"):
        running = contextlib.ExitStack()
        os.environ["WEBEXTRACT_EMULATOR_URL"] = running.enter_context(running_emulator())
        config.add_cleanup(running.close)


@pytest.fixture(scope="session")
def emulator_url():
    given = os.environ.get("WEBEXTRACT_EMULATOR_URL")
    if given:
        yield given.rstrip("/")
        return
    with running_emulator() as url:
        yield url


@pytest.fixture(scope="session")
def emulator_account(emulator_url):
    """The account of this worker of pytest-xdist, or the only one."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        yield Emulator(emulator_url)
        return
    name = f"{worker}-{os.getpid()}"
    Emulator(emulator_url).call("PUT", f"/accounts/{name}")
    yield Emulator(emulator_url, name)
    Emulator(emulator_url).call("DELETE", f"/accounts/{name}")


@pytest.fixture
def emulator_seed():
    """The content of the emulator for a test. None: the content of its start. A test file can override this fixture."""
    return None


@pytest.fixture
def emulator(emulator_account, emulator_seed):
    if emulator_seed is None:
        emulator_account.call("POST", "/reset")
    else:
        emulator_account.call("POST", "/seed", emulator_seed)
    return emulator_account
