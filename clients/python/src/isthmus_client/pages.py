"""Lists of the interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from .transport import CallOptions, Transport

P = TypeVar("P")
T = TypeVar("T")


class Pages(Generic[P, T]):
    """A list: iterate over the entries of all pages; each page is asked for when it is needed."""

    def __init__(
        self,
        transport: Transport,
        path: str,
        query: Mapping[str, Any] | None,
        options: CallOptions | None,
        key: str,
    ) -> None:
        self._transport = transport
        self._path = path
        self._query: dict[str, Any] = dict(query or {})
        self._options = options
        self._key = key

    def page(self) -> P:
        """The first page."""
        return self._send(self._query)

    def pages(self) -> Iterator[P]:
        """The pages, one after another."""
        query = self._query
        while True:
            page = self._send(query)
            yield page
            given = cast(Mapping[str, Any], page)
            if not given.get("hasMore") or not given.get("cursor"):
                return
            query = {**query, "cursor": given["cursor"]}

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from cast(Mapping[str, Any], page)[self._key]

    def _send(self, query: Mapping[str, Any]) -> P:
        page: P = self._transport.send("GET", self._path, query=query, options=self._options)
        return page
