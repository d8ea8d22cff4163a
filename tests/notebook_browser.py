"""A notebook in JupyterLab in a browser, and the kernel behind it."""

import ast
import io
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import nbformat
import numpy as np
from jupyter_client import BlockingKernelClient
from PIL import Image
from playwright.sync_api import sync_playwright

PATIENCE = 90.0
_FETCH = "async image => Array.from(new Uint8Array(await (await fetch(image.src)).arrayBuffer()))"


class LabPage:
    """The page, and the kernel it talks to."""

    def __init__(self, page, kernel, url):
        self.page = page
        self._kernel = kernel
        self._url = url

    def reopen(self):
        """Opens the notebook anew, with a kernel that has run nothing yet."""
        with urllib.request.urlopen(f"{self._url}/api/sessions", timeout=30) as answer:
            sessions = json.load(answer)
        for session in sessions:
            request = urllib.request.Request(f"{self._url}/api/sessions/{session['id']}", method="DELETE")
            urllib.request.urlopen(request, timeout=30).close()
        open_notebook(self.page, self._url)

    def ask(self, expression):
        """The value of an expression in the kernel, which must be a literal."""
        reply = self._kernel.execute_interactive(
            "", user_expressions={"asked": expression}, store_history=False, timeout=PATIENCE
        )
        answer = reply["content"]["user_expressions"]["asked"]
        assert answer["status"] == "ok", answer
        return ast.literal_eval(answer["data"]["text/plain"])

    def wait_until(self, condition):
        """Waits until an expression in the kernel is true."""
        wait_for(lambda: True if self.ask(f"bool({condition})") else None)

    @property
    def image(self):
        """The picture of the widget."""
        return self.page.locator("img[src^='blob:']").first

    def picture(self):
        """What the browser shows, (height, width, 3), and whether it came without loss."""
        content = bytes(self.image.evaluate(_FETCH))
        with Image.open(io.BytesIO(content)) as image:
            return np.asarray(image.convert("RGB")), image.format == "PNG"


@contextmanager
def lab_page(folder, cells):
    """Opens a notebook of these code cells in JupyterLab and runs them: gives the page."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, folder / "view.ipynb")
    with _server(folder) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        open_notebook(page, url)
        page.locator(".jp-Notebook .jp-Cell").first.click()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        client = BlockingKernelClient()
        client.load_connection_file(str(next((folder / "home").glob("kernel-*.json"))))
        client.start_channels()
        try:
            yield LabPage(page, client, url)
        finally:
            client.stop_channels()
            browser.close()


def open_notebook(page, url):
    """Opens the notebook and waits until what is run is no longer lost."""
    page.goto(f"{url}/lab/tree/view.ipynb")
    page.get_by_text("| Idle").wait_for(timeout=1000 * PATIENCE)


@contextmanager
def _server(folder):
    home = folder / "home"
    home.mkdir()
    environment = os.environ | {"HOME": str(home), "JUPYTER_RUNTIME_DIR": str(home), "JUPYTER_CONFIG_DIR": str(home)}
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", "--IdentityProvider.token="]
    options += ["--ServerApp.disable_check_xsrf=True"]
    command = [sys.executable, "-m", "jupyterlab", *options, f"--notebook-dir={folder}"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        yield wait_for(lambda: _url_of(home / f"jpserver-{server.pid}.json"))
    finally:
        server.terminate()
        server.wait(timeout=30)


def _url_of(file):
    if not file.exists():
        return None
    try:
        url = json.loads(file.read_text(encoding="utf-8"))["url"].rstrip("/")
    except json.JSONDecodeError:  # it is being written
        return None
    try:
        urllib.request.urlopen(f"{url}/api", timeout=5).close()
    except OSError:
        return None
    return url


def wait_for(look):
    """What `look` gives as soon as it is not None."""
    end = time.monotonic() + PATIENCE
    while (found := look()) is None:
        assert time.monotonic() < end, f"nothing came within {PATIENCE} s"
        time.sleep(0.1)
    return found
