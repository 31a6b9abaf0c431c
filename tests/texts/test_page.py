"""docs/languages.md shows the current texts."""

from __future__ import annotations

from tools.language_page import PAGE, samples


def test_the_samples_match_the_catalogues() -> None:
    assert PAGE.read_text().endswith(samples()), "run `make texts`"
