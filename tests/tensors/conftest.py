import pytest


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    """A device of torch; a GPU where there is one."""
    torch = pytest.importorskip("torch")
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU")
    return torch.device(request.param)


@pytest.fixture
def put(device):
    """Put an array on the device."""
    torch = pytest.importorskip("torch")
    return lambda array: torch.from_numpy(array).to(device)
