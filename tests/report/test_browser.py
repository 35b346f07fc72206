"""The page as people meet it: in Chromium, from disk."""

import shutil
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.datasets import load_digits

from protopick import RandomSelector, SwapSelector
from protopick.report import page, summarise
from tests.report.hostile import LABELS, hostile

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    X, y = load_digits(return_X_y=True)
    selector = SwapSelector(36, random_state=0).fit(X, y)
    path = tmp_path_factory.mktemp("report") / "digits.html"
    return selector.report(X, y, path, image_shape=(8, 8))


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    selector, X, y, how = hostile()
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    path.write_text(page(summarise(selector, X, y, **how)), "utf-8")
    return path


@contextmanager
def opened(browser, path, *, width=1200, color_scheme="light"):
    """Open a page, and in the end look for requests to the network and for complaints of the browser."""
    window = {"viewport": {"width": width, "height": 900}, "color_scheme": color_scheme}
    context = browser.new_context(**window, reduced_motion="reduce")  # no scrolling under the pointer
    view = context.new_page()
    requests, complaints = [], []
    view.on("request", lambda request: requests.append(request.url))
    view.on("pageerror", lambda error: complaints.append(str(error)))
    view.on(
        "console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None
    )
    view.goto(path.as_uri())
    view.wait_for_selector("html[data-ready=yes]")
    view.wait_for_selector("#chart-map .point", state="attached")
    yield view
    assert all(url.startswith(("file:", "data:", "blob:")) for url in requests)
    assert complaints == []
    context.close()


def background(view):
    return view.evaluate("getComputedStyle(document.body).backgroundColor")


def hover_over(view, place):
    """Point at a mark of the map and return what the page says of it."""
    view.locator("#chart-map").scroll_into_view_if_needed()
    view.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # scrolled
    box = view.locator("#chart-map .point").nth(place).bounding_box()
    view.mouse.move(box["x"] + box["width"] / 2 - 1, box["y"] + box["height"] / 2)
    view.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    view.wait_for_selector("#tip:not([hidden])")
    return view.locator("#tip")


def lit(view):
    """Return how many marks of the map are not dimmed, None while none is."""
    return view.evaluate(
        "(() => { const all = document.getElementById('chart-map').data.map(t => t.selectedpoints);"
        " return all.every(s => !s) ? null : all.reduce((n, s) => n + s.length, 0); })()"
    )


def test_it_opens_from_disk_with_gallery_and_charts(browser, digits):
    with opened(browser, digits) as view:
        assert view.locator(".pp-card").count() == 36
        assert view.locator(".pp-card:visible").count() == 30
        widths = view.evaluate("[...document.querySelectorAll('img')].map(image => image.naturalWidth)")
        assert set(widths) == {8}
        assert view.locator("#chart-map .point").count() == 1797
        for name in ("errors", "search"):
            assert view.locator(f"#chart-{name} .scatterlayer path").count() > 0


def test_pointing_at_an_object_shows_it(browser, digits):
    with opened(browser, digits) as view:
        tip = hover_over(view, 25)
        assert "object " in tip.inner_text()
        assert "nearest prototype #" in tip.inner_text()
        picture = tip.locator(".thumb").first
        assert picture.is_visible()
        assert picture.evaluate("e => getComputedStyle(e).backgroundImage").startswith('url("data:image/png')
        view.mouse.move(5, 5)
        view.wait_for_selector("#tip", state="hidden")


def test_a_card_that_scrolling_hid_comes_back(browser, digits):
    with opened(browser, digits) as view:
        hover_over(view, 25)
        view.evaluate("scrollBy(0, 40)")
        view.wait_for_selector("#tip", state="hidden")
        assert hover_over(view, 25).is_visible()


def test_the_keyboard_reaches_everything(browser, digits):
    with opened(browser, digits) as view:

        def focused():
            return view.evaluate("document.activeElement.className || document.activeElement.id")

        view.keyboard.press("Tab")
        assert focused() == "skip"
        view.keyboard.press("Tab")
        assert focused() == "theme"
        before = background(view)
        view.keyboard.press("Enter")
        assert background(view) != before
        while focused() != "pp-pick":
            view.keyboard.press("Tab")
        assert lit(view) is None
        view.keyboard.press("Enter")
        first = int(view.locator(".pp-card").first.get_attribute("data-size"))
        assert lit(view) == first  # all objects are on this map, and the prototype is one of its own
        label, size = view.locator(".pp-card").first.locator(".pp-label, b").all_inner_texts()
        assert f"class {label}, {size} images" in view.locator("#chosen").inner_text()
        view.keyboard.press("Escape")
        assert lit(view) is None
        assert view.locator("#chosen").is_hidden()


def test_the_skip_link_leads_to_the_prototypes(browser, digits):
    with opened(browser, digits) as view:
        view.keyboard.press("Tab")
        view.keyboard.press("Enter")
        view.keyboard.press("Tab")
        assert view.evaluate("document.activeElement.closest('section').id") == "prototypes"


def test_the_gallery_is_sorted_filtered_and_opened(browser, digits):
    with opened(browser, digits) as view:
        view.get_by_role("button", name="Show all 36").click()
        assert view.locator(".pp-card:visible").count() == 36
        view.locator("#sort").select_option("size")
        sizes = [int(card.get_attribute("data-size")) for card in view.locator(".pp-card").all()]
        assert sizes == sorted(sizes, reverse=True)
        view.locator("#filter").select_option(label="3")
        labels = view.locator(".pp-card:visible .pp-label").all_inner_texts()
        assert set(labels) == {"3"}


def test_a_class_is_switched_off_on_the_map(browser, digits):
    with opened(browser, digits) as view:
        before = view.locator("#chart-map .point").count()
        switch = view.locator(".switch").first
        switch.click()
        assert switch.get_attribute("aria-pressed") == "false"
        assert view.locator("#chart-map .point").count() < before
        view.locator("#theme").click()  # drawn anew, and still off
        assert view.locator("#chart-map .point").count() < before


def test_small_errors_have_different_ticks(browser, tmp_path):
    X, y = np.arange(40.0)[:, None], np.repeat(["a", "b"], 20)
    found = summarise(SwapSelector(3, random_state=0).fit(X, y), X, y)
    found["judged"]["curve"] |= {"error": [0.03, 0.02, 0.01], "std_error": [0, 0, 0]}
    path = tmp_path / "page.html"
    path.write_text(page(found), "utf-8")
    with opened(browser, path) as view:
        ticks = view.locator("#chart-errors .ytick text").all_text_contents()
    assert len(set(ticks)) == len(ticks) > 3


def test_a_class_without_small_marks_has_no_switch_and_the_others_work(browser, tmp_path):
    X, y = np.arange(9.0)[:, None], list("abbbbcccc")
    selector = SwapSelector(3, fixed=[0], random_state=0).fit(X, y)
    with opened(browser, selector.report(X, y, tmp_path / "page.html")) as view:
        assert view.locator(".legend > *").all_text_contents() == ["a", "b", "c"]
        before = view.locator("#chart-map .point").count()
        view.get_by_role("button", name="c", exact=True).click()
        assert view.locator("#chart-map .point").count() < before
        view.locator(".pp-pick").first.press("Enter")
        assert lit(view) >= 1


def test_the_code_is_copied(browser, digits):
    with opened(browser, digits) as view:
        view.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; } }")
        view.locator(".copy").first.click()
        view.wait_for_function("window.copied !== undefined")
        assert view.evaluate("window.copied") == view.locator("#code").inner_text()


def test_where_the_clipboard_is_closed_the_code_is_selected(browser, digits):
    with opened(browser, digits) as view:
        view.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('no'); } }")
        view.locator(".copy").first.click()
        view.wait_for_function("getSelection().toString() !== ''")
        assert view.evaluate("getSelection().toString()").strip() == view.locator("#code").inner_text()


def test_light_and_dark_follow_the_system_until_the_button_is_pressed(browser, digits):
    with opened(browser, digits) as light, opened(browser, digits, color_scheme="dark") as dark:
        assert background(light) != background(dark)
        assert light.locator("#theme").inner_text() == "Dark"
        assert dark.locator("#theme").inner_text() == "Light"
        light.locator("#theme").click()
        assert background(light) == background(dark)


@pytest.mark.parametrize("name", ["digits", "hostile_page"])
@pytest.mark.parametrize("width", [400, 1200])
def test_the_page_is_never_wider_than_the_window(browser, request, name, width):
    with opened(browser, request.getfixturevalue(name), width=width) as view:
        assert view.evaluate("document.documentElement.scrollWidth") <= width
        assert view.locator(".pp-card").first.bounding_box()["width"] <= width
        assert view.locator("#chart-map").bounding_box()["width"] <= width


def test_paper_has_all_of_a_table_that_scrolls_on_screens(browser, tmp_path):
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = np.arange(200) % 40
    path = RandomSelector(5, random_state=0).fit(X, y).report(X, y, tmp_path / "page.html")
    hidden = "(e) => e.scrollHeight - e.clientHeight"
    with opened(browser, path) as view:
        table = view.locator(".scroll.tall")
        assert table.evaluate(hidden) > 500
        assert view.locator(".scrolls").is_visible()
        view.emulate_media(media="print")
        assert table.evaluate(hidden) == 0
        assert not view.locator(".scrolls").is_visible()


def test_without_scripts_there_are_sentences_and_no_blank_boxes(browser, digits):
    context = browser.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto(digits.as_uri())
    assert view.locator(".pp-card:visible").count() == 36
    assert view.locator(".chart:visible, button.copy:visible, #all:visible").count() == 0
    assert view.locator("noscript p:visible").count() == 3
    context.close()


def test_markup_quotes_and_other_directions_are_shown_as_text(browser, hostile_page):
    selector, X, _, how = hostile()
    with opened(browser, hostile_page) as view:
        assert view.evaluate("window.hit") is None
        assert view.locator("main b:visible, main i:visible").filter(has_text="bold").count() == 0
        assert view.locator("h1").inner_text() == how["title"]
        shown = view.locator(".pp-label").all_inner_texts()
        assert set(shown) <= set(LABELS)
        assert len(set(shown)) > 1
        pictures = view.locator(".pp-picture bdi").evaluate_all("all => all.map(e => e.textContent)")
        for index, text in zip(selector.prototype_indices_, pictures, strict=True):
            assert text == (X[index].replace("\ud800", "?") or "empty")
        tip = hover_over(view, 30)
        code = view.evaluate("JSON.parse(document.getElementById('data').textContent).objects")
        said = tip.inner_text()
        assert any(name in said for name in code["id"])
        assert any(label in said for label in LABELS)
        assert tip.locator("script, img, b, i").count() == 0
