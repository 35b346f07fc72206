"""What a fitted selector shows of itself: a page, and a fragment in notebooks."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from protopick.output import check_writable, whole_file


class Reported(BaseEstimator):
    """A selector that can be looked at."""

    def report(
        self,
        X: Any,
        y: Any = None,
        path: str | PathLike[str] = "report.html",
        *,
        ids: Any = None,
        image_shape: tuple[int, ...] | None = None,
        title: str | None = None,
        command: str | None = None,
    ) -> Path:
        """Write a page that shows the prototypes and tells how well they stand for the objects.

        One HTML file that opens in any browser and loads nothing else. Needs plotly:
        ``pip install 'protopick[report]'``.

        Parameters
        ----------
        X : objects
            Those that were fitted.
        y : array of n labels, optional
            The class of each object. Without them, the page has no errors and no purity.
        path : str or path, default="report.html"
            The file to write. It appears whole or not at all.
        ids : sequence of n names, optional
            What the objects are called.
        image_shape : tuple, optional
            ``(height, width)``, or ``(height, width, 3)`` in colour, where each row of X is an image.
        title : str, optional
            The heading.
        command : str, optional
            A shell command that repeats it, to be shown.

        Returns
        -------
        Path
            Where the page is.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.datasets import load_digits
        >>> from protopick import SwapSelector
        >>> X, y = load_digits(return_X_y=True)
        >>> selector = SwapSelector(10, random_state=0).fit(X, y)
        >>> with TemporaryDirectory() as folder:
        ...     page = selector.report(X, y, f"{folder}/digits.html", image_shape=(8, 8))
        ...     page.name, "10 of 1,797 images stand for all" in page.read_text("utf-8")
        ('digits.html', True)
        """
        from protopick.report import page, summarise  # an eighth of what protopick would import
        from protopick.report.charts import plotly_script

        target = check_writable(path, "path")
        check_is_fitted(self)
        plotly_script()  # without plotly, say so before any work
        found = summarise(self, X, y, ids=ids, image_shape=image_shape, title=title, command=command)
        with whole_file(target, "w", "path") as file:
            file.write(page(found))
        return target

    def _repr_html_inner(self) -> str:
        """Return what a notebook shows: the prototypes, or before they are picked the parameters."""
        if not self.__sklearn_is_fitted__():
            return super()._repr_html_inner()
        from protopick.report import fragment

        return fragment(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        shown = super()._repr_mimebundle_(**kwargs)
        if "text/html" in shown:
            shown["text/html"] = self._repr_html_inner()
        return shown
