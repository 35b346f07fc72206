import json
import re
import sys
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.neighbors import KNeighborsClassifier

from protopick import (
    AutoSelector,
    FarthestFirstSelector,
    KCentersSelector,
    RandomSelector,
    SwapSelector,
    weighted_sum,
)
from protopick.report import fragment, page, summarise
from protopick.report.charts import map_figure, view_ranges
from protopick.report.text import (
    decimals,
    from_code,
    from_data,
    metric_name,
    narrow,
    one_of,
    percent,
    script_json,
)
from tests.report.hostile import LABELS, hostile


class Reader(HTMLParser):
    """Notes the elements, what their attributes address, and the text outside scripts and styles."""

    def __init__(self):
        super().__init__()
        self.elements, self.addresses, self.text, self.data = [], [], "", ""
        self._inside = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.elements.append((tag, attrs))
        self.addresses += [attrs[name] for name in ("src", "href") if name in attrs]
        if tag in ("script", "style"):
            self._inside = attrs.get("id", tag)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._inside = None

    def handle_data(self, data):
        if self._inside is None:
            self.text += data
        elif self._inside == "data":
            self.data += data


def parsed(text):
    reader = Reader()
    reader.feed(text)
    return reader


@pytest.fixture(scope="module")
def digits_page():
    X, y = load_digits(return_X_y=True)
    selector = SwapSelector(12, random_state=0).fit(X, y)
    return parsed(page(summarise(selector, X, y, image_shape=(8, 8), seconds=0.25)))


def test_the_page_says_what_was_found(digits_page):
    assert "12 of 1,797 images stand for all" in digits_page.text
    assert "Picked by SwapSelector, with the dissimilarity euclidean." in digits_page.text
    assert "250\u00a0ms" in digits_page.text


def test_there_is_a_card_with_a_button_and_an_image_for_each_prototype(digits_page):
    cards = [attrs for tag, attrs in digits_page.elements if tag == "li" and attrs.get("class") == "pp-card"]
    assert [int(card["data-rank"]) for card in cards] == list(range(1, 13))
    images = [attrs for tag, attrs in digits_page.elements if tag == "img"]
    assert len(images) == 12
    assert all(image["alt"].startswith("Prototype ") for image in images)
    assert (
        sum(attrs.get("class") == "pp-pick" for tag, attrs in digits_page.elements if tag == "button") == 12
    )


def test_the_page_addresses_nothing_but_itself(digits_page):
    assert all(address.startswith(("#", "data:image/png")) for address in digits_page.addresses)
    policy = next(a["content"] for t, a in digits_page.elements if t == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none';")
    assert "unsafe-eval" not in policy
    assert re.search(r"script-src 'sha256-\S+' 'sha256-\S+'$", policy)


def test_links_lead_to_sections_that_are_there(digits_page):
    ids = {attrs.get("id") for _, attrs in digits_page.elements}
    links = [address for address in digits_page.addresses if address.startswith("#")]
    assert len(links) == 7  # six sections, and the one to skip to
    assert {link[1:] for link in links} <= ids


def test_the_data_of_the_script_is_json(digits_page):
    data = json.loads(digits_page.data)
    assert set(data["figures"]) == {"map", "errors", "search"}
    assert len(data["objects"]["index"]) == 1797


def test_nothing_from_the_data_becomes_markup():
    selector, X, y, how = hostile()
    reader = parsed(page(summarise(selector, X, y, **how)))
    tags = [tag for tag, _ in reader.elements]
    assert tags.count("script") == 3
    assert not any("onerror" in attrs for _, attrs in reader.elements)
    for label in LABELS:
        assert label in reader.text
    shown = [one["picture"]["text"] for one in summarise(selector, X, y)["prototypes"]]
    assert all(text.replace("\ud800", "?") in reader.text for text in shown)
    assert how["title"] in reader.text
    assert how["command"] in reader.text
    names = json.loads(reader.data)["objects"]["id"]
    assert set(names) == set(how["ids"])


@pytest.mark.parametrize("text", ["</script>", "<!--", "&lt;", "\u2028", "\ud800", "]]>"])
def test_json_in_a_script_has_no_markup_and_reads_back(text):
    written = script_json({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert not set(written) & set("<>&\u2028\ud800")


def test_text_keeps_its_direction_and_its_whole_in_a_title():
    assert from_data("a<b") == "<bdi>a&lt;b</bdi>"
    assert from_data('"' * 50) == f'<bdi title="{"&quot;" * 50}">{"&quot;" * 39}…</bdi>'
    assert from_data("") == "<bdi><i>empty</i></bdi>"
    assert narrow("class number 17", 11) == '<bdi title="class number 17">class…er 17</bdi>'


def test_percentages_of_few_are_not_none_and_of_most_are_not_all():
    written = [percent(share).replace("\u00a0", " ") for share in (0, 0.0001, 0.5, 0.99999, 1)]
    assert written == ["0 %", "< 0.1 %", "50.0 %", "> 99.9 %", "100 %"]


def labelled(n_classes, n=600, k=10, **how):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.array([f"class {i}" for i in rng.integers(0, n_classes, n)])
    return summarise(KCentersSelector(k, random_state=0, **how).fit(X, y), X, y)


def test_many_classes_share_grey_and_a_row_of_confusions():
    text = parsed(page(labelled(150, n=3000))).text
    assert "141 other classes" in text
    assert "others" in text


def test_more_classes_than_rows_are_said_to_be_cut():
    assert "The 200 largest of" in parsed(page(labelled(500, n=3000))).text


def test_many_prototypes_are_shown_in_part_at_first():
    assert "Show all 200" in parsed(page(labelled(3, k=200))).text
    assert "Show all" not in parsed(page(labelled(3, k=30))).text


def test_one_class_and_no_class_have_pages_without_errors():
    for found in (labelled(1), summarise(RandomSelector(2, random_state=0).fit(np.eye(9)), np.eye(9))):
        reader = parsed(page(found))
        assert "#errors" not in reader.addresses
        assert "Cross-validated" not in reader.text


@pytest.mark.parametrize(
    ("k", "said"),
    [(1, "By their worth. "), (2, "By their worth. "), (5, "a good set of two"), (6, "a good set of five")],
)
def test_the_order_is_told_by_sets_that_are_smaller_than_all(k, said):
    X = np.arange(9.0)[:, None]
    text = parsed(page(summarise(FarthestFirstSelector(k, random_state=0).fit(X), X))).text
    assert said in text
    assert text.count("a good set of") == (k > 2)


def test_one_is_not_called_several():
    X, y = np.arange(6.0)[:, None], list("aaabbb")
    found = summarise(RandomSelector(1, random_state=0).fit(X, y), X, y)
    reader = parsed(page(found))
    assert "With the one prototype, on the same objects" in reader.text
    data = json.loads(reader.data)
    assert data["figures"]["errors"]["data"][0]["text"] == ["1 prototype"]
    assert data["prototypes"][0]["stands_for"] == "6 rows"
    alone = summarise(RandomSelector(6, random_state=0).fit(X), X)
    assert {one["stands_for"] for one in json.loads(parsed(page(alone)).data)["prototypes"]} == {"1 row"}
    assert [one_of(noun) for noun in ("images", "series")] == ["image", "series"]


def test_without_scripts_every_empty_chart_has_a_sentence(digits_page):
    tags = [(tag, attrs.get("class", "")) for tag, attrs in digits_page.elements]
    charts = [i for i, (tag, kind) in enumerate(tags) if tag == "div" and kind.split()[:1] == ["chart"]]
    assert len(charts) == 3
    assert all(tags[i + 1] == ("noscript", "") for i in charts)
    assert digits_page.text.count("shown where JavaScript is switched on") == 3


def test_one_prototype_and_all_objects_have_pages():
    X = np.arange(7.0)[:, None]
    one = parsed(page(summarise(RandomSelector(1, random_state=0).fit(X), X))).text
    assert "1 of 7 rows stands for all" in one
    every = parsed(page(summarise(RandomSelector(7, random_state=0).fit(X), X, list("aabbccc")))).text
    assert "All 7 rows stand for themselves" in every


def test_the_order_of_random_prototypes_is_not_called_worth():
    X = np.arange(7.0)[:, None]
    assert "In the order in which they were picked" in page(
        summarise(RandomSelector(2, random_state=0).fit(X), X)
    )
    worthy = FarthestFirstSelector(2, random_state=0).fit(X)
    assert "By their worth" in page(summarise(worthy, X))


def test_a_classifier_that_failed_is_told():
    X, y = load_iris(return_X_y=True)
    selector = AutoSelector(3, estimator=KNeighborsClassifier(100), random_state=0).fit(X, y)
    found = summarise(selector.set_params(estimator=KNeighborsClassifier(140)), X, y)
    assert "KNeighborsClassifier failed on the sample" in parsed(page(found)).text


@pytest.mark.parametrize("n_prototypes", [4, "auto"])
def test_of_all_searches_that_of_the_kept_set_is_marked(n_prototypes):
    X, y = load_iris(return_X_y=True)
    selector = AutoSelector(n_prototypes, random_state=0).fit(X, y)
    found = summarise(selector, X, y)
    kept = {name: values[found["search"]["kept"]] for name, values in found["search"]["results"].items()}
    assert (kept["method"], kept["n_prototypes"]) == (selector.best_method_, len(selector.prototype_indices_))
    assert 1 - kept["error"] == selector.criterion_value_
    (row,) = re.findall(r"<tr class='chosen'>(.*?)</tr>", page(found))
    no, _, start, error = (text.replace(",", "") for text in re.findall(r"<td class='n'>(.*?)</td>", row)[:4])
    assert int(no) == found["search"]["kept"] + 1
    assert int(start) == kept["start"] + 1
    assert error == f"{kept['error']:.4f}"


def test_the_errors_of_searches_line_up_and_are_told_from_that_at_the_head():
    X, y = load_iris(return_X_y=True)
    found = summarise(AutoSelector(4, random_state=0).fit(X, y), X, y)
    rows = re.findall(r"<tr[^>]*>(<th scope='row'>.*?)</tr>", page(found).split('aria-label="Searches"')[1])
    assert len(rows) == len(found["search"]["results"]["error"])
    errors = [cell for row in rows for cell in re.findall(r"<td class='n'>(.*?)</td>", row)[3:5]]
    assert all(re.fullmatch(r"\d\.\d{4}", error) for error in errors)
    text = parsed(page(found)).text
    assert "error of qdc, cross-validated after picking" in text
    assert "on new ones it errs more" in text
    assert "these errors are too low" in text
    assert "the error at the head of the page is that of the chosen set, cross-validated" in text
    assert json.loads(parsed(page(found)).data)["figures"]["search"]["layout"]["xaxis"]["title"] == "search"


def test_an_error_that_was_not_measured_is_a_dash():
    assert [decimals(value) for value in (0.02, 0.018749, None)] == ["0.0200", "0.0187", "\u2013"]


def test_the_curve_is_drawn_and_the_choice_told():
    X, y = load_iris(return_X_y=True)
    selector = AutoSelector(random_state=0).fit(X, y)
    found = summarise(selector, X, y)
    assert selector.chosen_by_ in parsed(page(found)).text
    lines = json.loads(parsed(page(found)).data)["figures"]["errors"]["data"]
    assert [line["x"] for line in lines][1] == selector.curve_["n_prototypes"].tolist()


def with_a_lone_class():
    X = np.append(np.repeat([0.0, 1.0], 20), 5.0)[:, None]
    y = ["left"] * 20 + ["right"] * 20 + ["lone"]
    return summarise(RandomSelector(2, fixed=[0, 40], random_state=0).fit(X, y), X, y)


def legend_of(found):
    return re.search(r'<div class="legend".*?</div>', page(found)).group()


def test_a_class_that_is_a_prototype_only_has_its_colour_told():
    found = with_a_lone_class()
    legend = legend_of(found)
    assert re.findall("<bdi>(.*?)</bdi>", legend) == ["left", "lone", "right"]
    assert len(re.findall("<button[^>]*data-trace", legend)) == 2  # there is nothing of the third to switch


def test_each_switch_of_the_legend_is_of_the_trace_of_its_class():
    found = with_a_lone_class()
    traces = map_figure(found)["data"]
    for place, name in re.findall('data-trace="(.*?)".*?<bdi>(.*?)</bdi>', legend_of(found)):
        codes = {found["map"]["class"][i] for i in traces[int(place)]["customdata"]}
        assert codes == {found["classes"].index(name)}


def test_a_long_class_is_cut_in_its_middle_and_told_whole_in_the_legend():
    X, y = np.arange(6.0)[:, None], np.repeat([f"a class whose long name ends in {i}" for i in (1, 2)], 3)
    legend = legend_of(summarise(RandomSelector(2, fixed=[0, 5], random_state=0).fit(X, y), X, y))
    assert re.findall("<bdi.*?>(.*?)</bdi>", legend) == [f"a class whose …ame ends in {i}" for i in (1, 2)]
    assert re.findall('<button[^>]*title="(.*?)"', legend) == sorted(set(y))


def test_a_page_says_that_it_holds_more_than_the_prototypes(digits_page):
    assert "is in this file for each object on it, not for the prototypes only." in digits_page.text


def test_where_the_table_of_classes_scrolls_it_is_said():
    assert "Scroll in the table for the smaller classes" in page(labelled(13))
    assert "Scroll in the table" not in page(labelled(12))


def test_where_all_objects_are_prototypes_their_colours_are_told():
    X = np.arange(3.0)[:, None]
    found = summarise(RandomSelector(3, random_state=0).fit(X, list("abc")), X, list("abc"))
    assert re.findall("<bdi>(.*?)</bdi>", legend_of(found)) == ["a", "b", "c"]


def test_a_long_metric_is_cut_between_its_words_and_named_alike_in_notebooks():
    X = pd.DataFrame({f"column{i}": [0.0, i, 2.0 * i] for i in range(9)})
    metric = weighted_sum(dict.fromkeys(X.columns, ("euclidean", 0.123456789)))
    selector = RandomSelector(2, metric=metric, random_state=0).fit(X)
    (said,) = re.findall(
        r"with the dissimilarity <bdi title=\".*?\">(.*?)</bdi>", page(summarise(selector, X))
    )
    whole = repr(metric).split(" ")
    words = unescape(said).split(" ")
    assert words[-1] == "…"
    assert words[:-1] == whole[: len(words) - 1]
    assert len(words) > 4
    assert f">{said}</bdi>" in fragment(selector)


def test_a_metric_is_named_as_it_was_passed():
    assert metric_name("dtw") == "dtw"
    assert metric_name(labelled) == "labelled"
    metric = weighted_sum({"name": ("levenshtein", 0.5)})
    assert metric_name(metric) == "weighted_sum({'name': ('levenshtein', 0.5)})"
    assert from_code(metric_name(metric)) == from_data(repr(metric), 100)
    assert from_code("x" * 300).endswith(f"{'x' * 98} …</bdi>")


def test_a_few_objects_far_away_do_not_crowd_the_map():
    X = np.random.default_rng(0).normal(size=(1000, 2))
    X[:3] *= 1000
    far = np.arange(3)
    found = summarise(RandomSelector(4, candidates=np.arange(3, 1000), random_state=0).fit(X), X)
    (left, right), (low, high) = view_ranges(found)
    place = {index: i for i, index in enumerate(found["map"]["index"])}
    inside = [
        left <= found["map"]["x"][place[i]] <= right and low <= found["map"]["y"][place[i]] <= high
        for i in far
    ]
    assert not all(inside)
    assert map_figure(found)["layout"]["xaxis"]["range"] == [left, right]
    assert "beyond the edges" in page(found)
    picked = summarise(RandomSelector(4, fixed=far, random_state=0).fit(X), X)
    assert view_ranges(picked) == (None, None)


def test_the_page_of_60_000_images_is_below_6_mb(real_data):
    data = real_data("mnist.npz")
    X, y = data["X"][:60000].reshape(60000, -1), data["y"][:60000]
    selector = RandomSelector(20, random_state=0).fit(X, y)
    text = page(summarise(selector, X, y, image_shape=(28, 28)))
    assert len(text.encode()) < 6e6
    assert json.loads(parsed(text).data)["objects"]["pictures"]["count"] > 1000


def test_without_plotly_the_error_names_the_extra(monkeypatch):
    X = np.eye(5)
    found = summarise(RandomSelector(2, random_state=0).fit(X), X)
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(ImportError, match=r"pip install 'protopick\[report\]'"):
        page(found)
