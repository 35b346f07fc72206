import numpy as np
import pytest

from protopick.search.draws import drawn_in_batches

GENERATORS = [np.random.PCG64, np.random.MT19937, np.random.SFC64, np.random.Philox]


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("expected", [1, 70, 1000])
def test_numbers_come_as_if_drawn_one_at_a_time(generator, expected):
    rng, other = (np.random.Generator(generator(7)) for _ in range(2))
    rng.integers(5, dtype=np.int32), other.integers(5, dtype=np.int32)  # some generators keep the other half
    with drawn_in_batches(rng, expected) as draws:
        drawn = [draws.random() for _ in range(100)] + draws.several(300)
    assert drawn == [other.random() for _ in range(400)]
    assert rng.integers(1 << 30, size=9).tolist() == other.integers(1 << 30, size=9).tolist()


def test_taking_ends_at_the_first_number_below():
    numbers = np.random.default_rng(3).random(40).tolist()
    below = [i for i, number in enumerate(numbers) if number < 0.1]
    with drawn_in_batches(np.random.default_rng(3), 40) as draws:
        assert draws.until_below(0.1, 40) == below[0]
        assert draws.until_below(0.1, 40 - below[0] - 1) == below[1] - below[0] - 1
        assert draws.until_below(0.0, 2) == 2
        assert draws.until_below(0.5, 0) == 0
        assert draws.random() == numbers[below[1] + 3]


def test_an_error_leaves_the_generator_after_what_was_taken():
    rng, other = np.random.default_rng(0), np.random.default_rng(0)

    def fail():
        with drawn_in_batches(rng, 100) as draws:
            raise KeyError(draws.random())

    with pytest.raises(KeyError):
        fail()
    other.random()
    assert rng.random() == other.random()
