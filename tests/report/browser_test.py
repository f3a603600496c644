"""Opens the sample reports in a headless Chromium and uses them as a person would.

usage: browser_test.py FOLDER PROGRAM..    each PROGRAM writes samples into FOLDER
Needs chromium and chromedriver, speaks WebDriver to the latter; exits with 77 where they are missing.
"""

import base64
import json
import math
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

SKIP = 77
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--window-size=1240,900"]


class Browser:
    """One page of a browser that chromedriver drives."""

    def __init__(self, driver, chromium, profile):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.process = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{port}"
        self.session = ""
        self.wait_for_driver()
        options = {"args": FLAGS + [f"--user-data-dir={profile}"], "binary": chromium}
        reply = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
            "unhandledPromptBehavior": "ignore"}}})
        self.session = "/session/" + reply["sessionId"]

    def wait_for_driver(self):
        for _ in range(200):
            try:
                self.call("GET", "/status")
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + self.session + path, data,
                                         {"Content-Type": "application/json"}, method=method)
        # Only ever this machine, whatever proxy the environment names.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:400]) from None

    def open(self, path):
        self.call("POST", "/url", {"url": path.resolve().as_uri()})

    def js(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def console(self):
        return self.call("POST", "/se/log", {"type": "browser"})

    def dialog(self):
        try:
            return self.call("GET", "/alert/text")
        except RuntimeError:
            return None

    def resize(self, width, height=900):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=width < 500)
        time.sleep(0.3)

    def mouse(self, kind, x, y):
        self.devtools("Input.dispatchMouseEvent", type=kind, x=x, y=y)

    def touch(self, kind, points):
        self.devtools("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(10)


# How many pixels of a canvas are within a little of a colour of the style sheet.
PIXELS = """
const [figure, paint] = arguments;
const canvas = document.querySelector(`[data-figure="${figure}"] canvas`);
const probe = document.createElement('span');
probe.style.color = `var(--${paint})`;
document.body.append(probe);
const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
probe.remove();
const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
let n = 0;
for (let i = 0; i < data.length; i += 4) {
  if (data[i + 3] > 200 && [0, 1, 2].every((c) => Math.abs(data[i + c] - wanted[c]) < 12)) n++;
}
return n;
"""
# Whatever only a text that was taken for HTML or SVG can have made.
FOREIGN = """
const found = window.hacked === undefined ? [] : ['a script ran: ' + window.hacked];
for (const element of document.querySelectorAll('*')) {
  const name = element.localName;
  if (['img', 'iframe', 'object', 'embed', 'base', 'form', 'foreignObject'].includes(name)) found.push(name);
  if (name === 'meta' && element.httpEquiv === 'refresh') found.push('refresh');
  for (const {name: key, value} of element.attributes) {
    if (key.startsWith('on')) found.push(key);
    if (/href|src$/.test(key) && /^\\s*(javascript|data:text|\\/\\/)/i.test(value)) found.push(key + '=' + value);
  }
}
if (document.contentType !== 'text/html') found.push(...[...document.scripts].map(() => 'script'));
return found;
"""
FRAMES = "await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));"


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Tests:
    def __init__(self, browser, folder):
        self.browser = browser
        self.folder = folder

    def open(self, name):
        self.browser.resize(1240)
        self.browser.console()
        self.browser.open(self.folder / (name + ".html"))
        self.settle()

    def settle(self):
        self.browser.js(FRAMES)

    def click(self, selector):
        self.browser.js("document.querySelector(arguments[0]).click();", selector)
        self.settle()

    def pixels(self, figure, paint):
        return self.browser.js(PIXELS, figure, paint)

    def text(self, selector):
        return self.browser.js("return document.querySelector(arguments[0]).textContent", selector)

    def test_every_page_is_silent_and_stays_off_the_network(self):
        pages = sorted(self.folder.glob("*.html"))
        check(len(pages) == 16, f"expected 16 sample pages, found {len(pages)}")
        for page in pages:
            self.open(page.stem)
            messages = self.browser.console()
            check(not messages, f"{page.name}: {messages}")
            requests = self.browser.js("return performance.getEntriesByType('resource').map((e) => e.name)")
            check(requests == [], f"{page.name} asked for {requests}")

    def test_the_policy_of_the_page_forbids_the_network_and_other_scripts(self):
        self.open("matrix")
        blocked = self.browser.js("""
            const blocked = [];
            document.addEventListener('securitypolicyviolation', (e) => blocked.push(e.effectiveDirective));
            const script = document.createElement('script');
            script.textContent = 'window.ran = true';
            document.body.append(script);
            await fetch('https://example.invalid/').catch(() => {});
            const image = document.createElement('img');
            image.src = 'https://example.invalid/x.png';
            await new Promise((r) => { image.onerror = r; document.body.append(image); });
            await new Promise((r) => setTimeout(r, 100));
            return {blocked, ran: window.ran === true};""")
        check(not blocked["ran"], "a foreign script ran")
        check({"script-src-elem", "connect-src", "img-src"} <= set(blocked["blocked"]), blocked)

    def test_curves_are_drawn_in_their_colours(self):
        self.open("matrix")
        for paint in ["c0", "c1", "c2"]:
            check(self.pixels("objective", paint) > 150, f"{paint} is not drawn")
        check(self.pixels("objective", "c3") == 0, "a colour that no curve has")
        figures = self.browser.js("return [...document.querySelectorAll('[data-figure]')].map((f) => f.dataset.figure)")
        check(figures[:3] == ["paper_objective", "paper_policy_mapping", "paper_nature_mapping"], figures)
        for figure in figures:
            check(self.pixels(figure, "c0") > 150, f"{figure} is empty")

    def test_a_legend_entry_hides_its_curve_and_brings_it_back(self):
        self.open("matrix")
        entry = '[data-figure="objective"] .legend [data-key="curve1"]'
        before = self.pixels("objective", "c1")
        self.click(entry)
        pressed = "return document.querySelector(arguments[0]).getAttribute('aria-pressed')"
        check(self.pixels("objective", "c1") == 0, "the hidden curve is still there")
        check(self.browser.js(pressed, entry) == "false", "aria-pressed is not false")
        check(self.pixels("objective", "c0") > 150, "another curve went too")
        self.click(entry)
        check(self.pixels("objective", "c1") == before, "the curve did not come back as it was")
        check(self.browser.js(pressed, entry) == "true", "aria-pressed is not true")

    def test_the_log_button_changes_the_axis_and_says_what_is_missing(self):
        self.open("signs")
        figure = '[data-figure="objective"]'
        picture = f"return document.querySelector('{figure} canvas').toDataURL()"
        linear = self.browser.js(picture)
        self.click(figure + " button.log")
        check(self.browser.js(picture) != linear, "nothing changed")
        note = self.text(figure + " .note")
        check(note.startswith("3 points that are not above 0"), note)
        self.click(figure + " button.log")
        check(self.browser.js(picture) == linear, "the linear axis did not come back")
        check(self.text(figure + " .note") == "", "the note stayed")

    def test_negative_curves_offer_their_size_and_zeros_offer_nothing(self):
        self.open("matrix")
        figure = '[data-figure="paper_objective"]'
        check(self.text(figure + " button.log") == "log |y|", "no |y|")
        self.click(figure + " button.log")
        check("|y|" in self.text(figure + " .note"), "the note does not say |y|")
        self.open("zeros")
        state = self.browser.js("const b = document.querySelector('button.log'); return [b.disabled, b.title]")
        check(state[0] and "All values are 0" in state[1], state)

    def tip(self, figure):
        return self.browser.js("""
            const tip = document.querySelector(`[data-figure="${arguments[0]}"] .tip`);
            return tip.hidden ? null : tip.innerText;""", figure)

    def middle_of(self, figure):
        return self.browser.js("""
            const over = document.querySelector(`[data-figure="${arguments[0]}"] .u-over`);
            over.scrollIntoView({block: 'center', behavior: 'instant'});
            const box = over.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];""", figure)

    def expected_at(self, figure, iteration):
        """Mean and deviation of the first curve at an iteration, computed anew from its seeds."""
        data = json.loads(self.text("#data"))
        curve = next(f for f in data["figures"] if f["id"] == figure)["curves"][0]
        at = curve["x"][0].index(iteration)
        values = [seed[at] for seed in curve["seeds"]]
        mean = sum(values) / len(values)
        return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))

    def test_hovering_shows_the_numbers_of_all_curves(self):
        self.open("matrix")
        x, y = self.middle_of("objective")
        check(self.tip("objective") is None, "a tip before hovering")
        self.browser.mouse("mouseMoved", x, y)
        self.settle()
        tip = self.tip("objective")
        check(tip is not None and all(name in tip for name in ["f", "Γ (exact)", "f₀", "±"]), tip)
        iteration = int(tip.split("\n")[0].removeprefix("iteration "))
        check(140 <= iteration <= 160, tip)
        mean, deviation = self.expected_at("objective", iteration)
        check(f"{mean:.4f}".replace("-", "−") in tip, (mean, tip))
        check(f"± {deviation:.4f}" in tip, (deviation, tip))
        self.browser.mouse("mouseMoved", 2, 2)
        self.settle()
        check(self.tip("objective") is None, "the tip stays")

    def test_the_arrow_keys_move_through_the_points(self):
        self.open("matrix")
        for key in ["ArrowRight", "ArrowRight", "ArrowRight"]:
            self.browser.js("""document.querySelector('[data-figure="objective"] .live').dispatchEvent(
                new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}));""", key)
        self.settle()
        check(self.tip("objective").startswith("iteration 3"), self.tip("objective"))

    def test_touching_shows_numbers_on_a_phone(self):
        self.open("matrix")
        self.browser.resize(360, 740)
        self.browser.devtools("Emulation.setTouchEmulationEnabled", enabled=True)
        x, y = self.middle_of("objective")
        self.browser.touch("touchStart", [{"x": x, "y": y}])
        self.settle()
        tip = self.tip("objective")
        self.browser.touch("touchEnd", [])
        self.browser.devtools("Emulation.setTouchEmulationEnabled", enabled=False)
        check(tip is not None and tip.startswith("iteration "), tip)

    def test_the_horizontal_axis_can_be_samples_or_seconds(self):
        self.open("matrix")
        x, y = self.middle_of("objective")
        for name, low, high in [("samples", 3.6e6, 4.1e6), ("seconds", 1.6, 2.0)]:
            self.browser.js("""[...document.querySelectorAll('.x-axis button')]
                .find((b) => b.textContent === arguments[0]).click();""", name)
            x, y = self.middle_of("objective")
            self.browser.mouse("mouseMoved", x + 1, y)
            self.browser.mouse("mouseMoved", x, y)
            self.settle()
            first = self.tip("objective").split("\n")[0]
            check(first.startswith(name + " "), first)
            check(low <= float(first.removeprefix(name).replace(",", "")) <= high, first)

    def test_the_theme_can_be_chosen_and_the_curves_follow(self):
        self.open("matrix")
        background = "return getComputedStyle(document.body).backgroundColor"
        seen = {}
        for _ in range(3):
            self.click(".theme")
            theme = self.text(".theme").removeprefix("Theme: ")
            check(self.pixels("objective", "c0") > 150, f"curves do not follow the theme {theme}")
            seen[theme] = self.browser.js(background)
        check(set(seen) == {"auto", "light", "dark"} and seen["light"] != seen["dark"], seen)
        self.browser.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark"}])
        self.settle()
        check(self.browser.js(background) == seen["dark"], "auto does not follow the system")
        check(self.pixels("objective", "c0") > 150, "curves do not follow the system")
        self.browser.devtools("Emulation.setEmulatedMedia", features=[])

    def test_the_seed_can_be_chosen(self):
        self.open("grid")
        shown = """return [...document.querySelectorAll('[data-seed]')]
            .filter((e) => e.getBoundingClientRect().height > 0).map((e) => e.dataset.seed)"""
        best = self.browser.js("return document.querySelector('select.seed').value")
        check(self.browser.js(shown) == [best, best], self.browser.js(shown))
        self.browser.js("""const s = document.querySelector('#nature-seed'); s.value = '4';
            s.dispatchEvent(new Event('change'));""")
        check(self.browser.js(shown) == ["4", "4"], self.browser.js(shown))
        check(self.browser.js("return document.querySelector('#policy-seed').value") == "4", "not in step")

    def test_no_page_is_wider_than_a_phone(self):
        # Names of two thousand letters without a break may be wide.
        for page in sorted(page for page in self.folder.glob("*.html") if "hostile" not in page.stem):
            self.open(page.stem)
            self.browser.resize(360, 740)
            self.settle()
            width = self.browser.js("return Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)")
            check(width <= 360, f"{page.name} is {width} px wide on a phone of 360 px")

    def test_hostile_text_is_only_text(self):
        for page in ["hostile", "hostile_comparison", "hostile_sweep", "align_hostile", "align_hostile_comparison"]:
            self.open(page)
            check(self.browser.dialog() is None, f"{page}: a dialog opened")
            title = self.text("h1" if page != "hostile_comparison" else "dl")
            for part in ["<script>alert(1)</script>", "<img src=x", "javascript:window.hacked=5", "w" * 2000]:
                check(part in title, f"{page}: {part} is not shown: {title[:300]}")
            check("\u202e" not in self.text("body"), f"{page}: text that runs backwards")
            check(self.browser.js("return document.scripts.length") == 3, f"{page}: a script was added")
            self.use_everything()
            found = self.browser.js(FOREIGN)
            check(found == [], f"{page}: {found}")

    def use_everything(self):
        """Every button, every seed, and the numbers of every figure: what scripts of the page make of names."""
        self.browser.js("""
            for (const button of document.querySelectorAll('button, summary')) button.click();
            for (const select of document.querySelectorAll('select')) {
              for (const option of select.options) {
                select.value = option.value;
                select.dispatchEvent(new Event('change'));
              }
            }
            for (const live of document.querySelectorAll('.live')) {
              live.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
            }
            for (const element of document.querySelectorAll('body *')) {
              element.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
            }""")
        self.settle()

    def test_hostile_figures_are_only_pictures(self):
        figures = sorted((self.folder / "figures").glob("name_*.svg"))
        check(len(figures) > 5, f"{len(figures)} hostile figures")
        for figure in figures:
            self.browser.open(figure)
            check(self.browser.dialog() is None, f"{figure.name}: a dialog opened")
            found = self.browser.js(FOREIGN)
            check(found == [], f"{figure.name}: {found}")

    def test_every_figure_of_an_alignment_is_drawn(self):
        for page, least in [("align", 25), ("align_ensemble", 25), ("align_comparison", 30)]:
            self.open(page)
            figures = self.browser.js("return [...document.querySelectorAll('[data-figure]')].map((f) => f.dataset.figure)")
            check(len(figures) > least, f"{page} has {len(figures)} figures")
            for figure in figures:
                drawn = sum(self.pixels(figure, f"c{c}") for c in range(3))
                check(drawn > 150, f"{page}: {figure} is empty")

    def test_controls_are_buttons_and_figures_have_names(self):
        self.open("matrix")
        nameless = self.browser.js("""
            const bad = [...document.querySelectorAll('svg, .live')].filter((e) => e.getAttribute('role') !== 'img' || !e.getAttribute('aria-label'));
            return bad.length + document.querySelectorAll('.legend button:not([aria-pressed])').length;""")
        check(nameless == 0, f"{nameless} controls or figures without a name")

    def test_paper_shows_vector_figures(self):
        self.open("matrix")
        self.browser.devtools("Emulation.setEmulatedMedia", media="print")
        heights = self.browser.js("""return ['.live', '.static svg', '.theme'].map(
            (s) => document.querySelector(s).getBoundingClientRect().height)""")
        self.browser.devtools("Emulation.setEmulatedMedia", media="")
        check(heights[0] == 0 and heights[1] > 50 and heights[2] == 0, heights)
        pdf = base64.b64decode(self.browser.devtools("Page.printToPDF", preferCSSPageSize=True)["data"])
        check(pdf.startswith(b"%PDF") and len(pdf) > 30000, f"a PDF of {len(pdf)} bytes")

    def test_without_scripts_the_figures_are_there(self):
        self.browser.devtools("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.open(self.folder / "matrix.html")
            time.sleep(0.5)
            metrics = self.browser.devtools("DOM.getDocument", depth=1)
            found = self.browser.devtools("DOM.querySelector", nodeId=metrics["root"]["nodeId"],
                                          selector=".static svg")
            box = self.browser.devtools("DOM.getBoxModel", nodeId=found["nodeId"])["model"]
            check(box["width"] > 100 and box["height"] > 50, box)
        finally:
            self.browser.devtools("Emulation.setScriptExecutionDisabled", value=False)


def well_formed_figures(folder):
    """Every SVG file is XML to a real parser."""
    import xml.etree.ElementTree
    files = sorted((folder / "figures").glob("*.svg"))
    check(len(files) > 30, f"only {len(files)} figures")
    for file in files:
        root = xml.etree.ElementTree.parse(file).getroot()
        check(root.tag == "{http://www.w3.org/2000/svg}svg", file)


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        print("skipped: needs the programs chromium and chromedriver")
        return SKIP
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    for program in sys.argv[2:]:
        subprocess.run([program, str(folder)], check=True)
    well_formed_figures(folder)
    failed = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(driver, chromium, profile)
        try:
            tests = Tests(browser, folder)
            for name in [n for n in dir(tests) if n.startswith("test_")]:
                try:
                    getattr(tests, name)()
                    print("ok    ", name)
                except Exception:
                    failed += 1
                    print("FAILED", name)
                    traceback.print_exc(limit=-2, file=sys.stdout)
        finally:
            browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
