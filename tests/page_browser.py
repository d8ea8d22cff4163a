"""A page in a browser."""

import base64
import io
import shutil
from contextlib import contextmanager

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

# Software draws where there is no graphics card.
_GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
_DRAWN = """size => {
  pucker.scene.resize(size[0], size[1], 1);
  pucker.scene.draw();
  return pucker.canvas.toDataURL().split(",")[1];
}"""


class Opened:
    """The page, what it asked the network for and what it complained of."""

    def __init__(self, page):
        self.page = page
        self.asked, self.complaints = [], []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, file, wish=""):
        """Opens it; `wish` stands behind # in the address."""
        self.page.goto("about:blank")
        self.page.goto(f"{file.as_uri()}#{wish}")
        # The page allows no text to be run as a script, as which the browser's driver would wait for a function.
        self.page.locator("html[data-state]").wait_for(timeout=60000)

    def tells(self, name):
        """What the page says of itself: state, frame, split."""
        return self.page.evaluate(f"document.documentElement.dataset.{name}")

    def picture(self, size):
        """The picture alone, (height, width, 3), in a size."""
        content = base64.b64decode(self.page.evaluate(_DRAWN, list(size)))
        with Image.open(io.BytesIO(content)) as image:
            return np.asarray(image.convert("RGB"))


@contextmanager
def browser_page(**options):
    """A page of Chromium that draws in software."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", *_GL])
        context = browser.new_context(offline=True, **({"viewport": {"width": 800, "height": 640}} | options))
        yield Opened(context.new_page())
        browser.close()
