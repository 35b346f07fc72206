"""Count every byte that Dask's processes send to each other, their small talk included."""

from __future__ import annotations

from typing import Any


class Traffic:
    """All that is written to sockets by the client, the scheduler and the workers."""

    def __init__(self, client: Any) -> None:
        self._client = client
        _count()
        client.run(_count)

    @property
    def total(self) -> int:
        return _counted() + sum(self._client.run(_counted).values())


def _count() -> None:
    from distributed.comm.tcp import TCP

    if hasattr(TCP, "n_written"):
        return
    TCP.n_written = 0
    write = TCP.write

    async def counting(self: Any, *args: Any, **kwargs: Any) -> int:
        n = await write(self, *args, **kwargs)
        TCP.n_written += n
        return n

    TCP.write = counting


def _counted() -> int:
    from distributed.comm.tcp import TCP

    return TCP.n_written
