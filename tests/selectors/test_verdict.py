from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from protopick.selectors.parts.contest import Entry
from protopick.selectors.parts.held_out import Losses
from protopick.selectors.parts.portfolio import PORTFOLIO
from protopick.selectors.parts.verdict import rank, sentence, smallest_good, unless_usual

USUAL = [method for method in PORTFOLIO if method.is_usual]


def an_entry(k, error, std_error=0.01, method=PORTFOLIO[0], n_judged=100):
    losses = SimpleNamespace(error=error, std_error=std_error)
    return Entry(method, k, 0, losses, n_judged, None, 0.0, 0, None)


class TestWhatFitsFewObjects:
    fitting = next(method for method in PORTFOLIO if method.fits_few)

    @pytest.mark.parametrize(
        ("error", "n_judged", "is_best"),
        [(0.17, 999, False), (0.15, 999, True), (0.17, 1000, True), (0.21, 1000, False)],
    )
    def test_it_has_to_err_a_fifth_less(self, error, n_judged, is_best):
        fitted = an_entry(20, error, method=self.fitting, n_judged=n_judged)
        other = an_entry(20, 0.20, n_judged=n_judged)
        assert (rank(fitted) < rank(other)) is is_best

    @pytest.mark.parametrize(
        ("missed_too", "end"),
        [
            (30, "which {} with error 0.17 does not clearly beat."),
            (0, "{} with error 0.17 fits so few objects too closely to be believed."),
        ],
    )
    def test_the_sentence_says_why_it_is_not_kept(self, missed_too, end):
        judge = SimpleNamespace(says=lambda error: f"error {error:.2f}")
        wrong, ones = np.arange(100) < 17, np.ones(100)
        others = np.arange(100) < 20 if not missed_too else np.roll(np.arange(100) < 20, missed_too)
        fitted = replace(an_entry(20, 0.17, method=self.fitting), losses=Losses(wrong.astype(float), ones))
        other = replace(an_entry(20, 0.20), losses=Losses(others.astype(float), ones))
        said = sentence(other, [other], [other, fitted], judge, "held out")
        assert said.endswith(end.format(self.fitting.name))


class TestTheNumber:
    def test_the_smallest_within_one_standard_error(self):
        curve = [an_entry(5, 0.30), an_entry(10, 0.109), an_entry(20, 0.10), an_entry(40, 0.104)]
        assert smallest_good(curve).k == 10

    def test_the_standard_error_is_that_of_the_best(self):
        curve = [an_entry(5, 0.12, 0.5), an_entry(10, 0.10, 0.01)]
        assert smallest_good(curve).k == 10

    def test_at_the_very_bound(self):
        assert smallest_good([an_entry(5, 0.75), an_entry(10, 0.5, 0.25)]).k == 5

    def test_errors_that_differ_by_rounding_are_one(self):
        assert smallest_good([an_entry(5, 1 / 38 + 2e-17, 0.0), an_entry(10, 1 / 38, 0.0)]).k == 5

    def test_without_a_standard_error(self):
        assert smallest_good([an_entry(5, 0.12, np.nan), an_entry(10, 0.10, np.nan)]).k == 10

    def test_the_sentence_is_true_of_a_smaller_number(self):
        fewer, lowest = an_entry(5, 0.20, 0.05), an_entry(20, 0.18, 0.05)
        judge = SimpleNamespace(says=lambda error: f"error {error:.2f}")
        best_of = [fewer, lowest]
        said = sentence(fewer, best_of, best_of, judge, "held out")
        assert "5 prototypes: error 0.20 on 100 objects held out" in said
        assert "within one standard error, 0.0500, of the best, error 0.18 with 20" in said
        assert "best of all" in sentence(lowest, best_of, best_of, judge, "held out")


class TestVeryFewObjects:
    def entry(self, method, wrong):
        losses = Losses(np.array(wrong, float), np.ones(len(wrong)))
        return Entry(method, 5, 0, losses, len(wrong), None, 0.0, 0, np.arange(5))

    def test_the_usual_method_is_kept_unless_it_is_clearly_beaten(self):
        usual, worse = (self.entry(USUAL[i], [1, 0, 0, 1, 0, 0, 0, i]) for i in range(2))
        luckier = self.entry(PORTFOLIO[0], [0, 1, 0, 0, 0, 0, 0, 0])
        better = self.entry(PORTFOLIO[0], [0, 0, 0, 0, 0, 0, 0, 0])
        assert unless_usual(luckier, [luckier, worse, usual]) is usual
        assert unless_usual(better, [better, worse, usual]) is better
        assert unless_usual(luckier, [luckier]) is luckier
