import gc

import pytest

from protopick.compiled import kernel


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_is_collected_after_a_first_call_as_it_was_before(enabled):
    @kernel
    def twice(number):
        return 2 * number

    (gc.enable if enabled else gc.disable)()
    try:
        assert [twice(2), twice(3)] == [4, 6]
        assert gc.isenabled() == enabled
    finally:
        gc.enable()


def test_a_kernel_that_cannot_be_kept_on_disk_is_compiled_all_the_same():
    names = {}
    exec("def twice(number): return 2 * number", names)  # in no file, so numba has no place for it
    assert kernel(names["twice"])(2) == 4


def test_garbage_is_collected_after_an_error_of_a_first_call():
    @kernel
    def failing(number):
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        failing(1)
    assert gc.isenabled()
