"""The web page in headless Chromium."""
import functools
import http.server
import re
import shutil
import threading

import pytest
from example_tools import right

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture
def page(run, example, digits):
    """(folder, address) of the page, served."""
    folder = example("browser")
    shutil.copy(digits.images, folder)
    run("tenon-compile digits.mlir --emit=wasm --target wasm32 --name digits -o digits.wasm", cwd=folder)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                             functools.partial(Handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.skipif(not CHROMIUM, reason="not installed: chromium")
@pytest.mark.needs("wasm-ld-22")
def test_page(run, page, tmp_path, digits):
    folder, address = page

    def chromium(*options):
        return run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--user-data-dir={tmp_path}/profile", "--virtual-time-budget=20000", *options],
                   timeout=120)

    # Chromium may end its virtual time while a thread compiles the module: then it tries again.
    for _ in range(5):
        dom = chromium("--dump-dom", address + "#check")
        if 'data-ready="yes"' in dom:
            break
    assert 'data-ready="yes"' in dom and "KB of WebAssembly" in dom
    # The page starts with a three, drawn with strokes.
    assert re.search(r'id="best"[^>]*>3</div>', dom)
    output = re.search(r'<output id="check"[^>]*>([\d ]*)</output>', dom).group(1)
    assert right(digits.labels, output) > 0.95
    chromium(f"--screenshot={tmp_path}/page.png", "--window-size=1000,640", address)
    assert (tmp_path / "page.png").stat().st_size > 10_000
    (folder / "digits.wasm").unlink()
    assert "The network did not load: digits.wasm: 404" in chromium("--dump-dom", address)
