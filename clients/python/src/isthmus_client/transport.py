"""Sends requests, with retries."""

from __future__ import annotations

import json
import random
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import IO, Any

from .errors import NoAnswerError, ProblemError

_FIRST_DELAY = 0.5
_MAX_DELAY = 8.0
#: A longer ``Retry-After`` is not waited for: the refusal is raised.
_MAX_RETRY_AFTER = 60.0


@dataclass(frozen=True, kw_only=True)
class CallOptions:
    #: Repeats of a POST with the same key have one effect. Without it each call gets a key of its
    #: own, so that the client's own retries are safe.
    idempotency_key: str | None = None
    #: Refuses body fields that the operation does not have (``Prefer: handling=strict``).
    is_strict: bool = False
    #: Seconds for each attempt.
    timeout: float | None = None
    max_retries: int | None = None


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What happened to one attempt of a call, for a log. It contains no body."""

    method: str
    path: str
    #: From 1.
    attempt: int
    #: None if no answer came.
    status: int | None
    request_id: str | None
    #: Seconds.
    took: float


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    # The key must not go to another address.
    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        return None


class Transport:
    """Sends requests, with retries."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        max_retries: int = 3,
        ssl_context: ssl.SSLContext | None = None,
        on_attempt: Callable[[Attempt], None] | None = None,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._api_key = api_key
        self._timeout = timeout
        self._max_retries = max_retries
        self._on_attempt = on_attempt
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=ssl_context), _NoRedirect
        )

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        options: CallOptions | None = None,
    ) -> Any:
        """Returns the body of a successful answer.

        A connection that fails, 408, 429 and 5xx are tried again, also 409 while the first request
        with the same key is under way; ``x-should-retry`` overrides that. Raises ``ProblemError``
        for a refusal, and ``NoAnswerError``.
        """
        options = options or CallOptions()
        retries = self._max_retries if options.max_retries is None else options.max_retries
        request = self._request(method, path + _query_text(query), body, options)
        attempt = 0
        while True:
            attempt += 1
            began = time.monotonic()
            status, headers, answer, error = self._attempt(request, options)
            request_id = headers.get("x-request-id")
            if self._on_attempt:
                self._on_attempt(
                    Attempt(
                        method=method,
                        path=path,
                        attempt=attempt,
                        status=status,
                        request_id=request_id,
                        took=time.monotonic() - began,
                    )
                )
            if status is not None and 200 <= status < 300:
                return answer
            delay = _delay(status, headers, attempt)
            if attempt > retries or delay is None:
                if status is None:
                    raise NoAnswerError("The gateway cannot be reached, or was too slow.") from error
                raise ProblemError(status, answer if isinstance(answer, dict) else None, request_id)
            time.sleep(delay)

    def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None, options: CallOptions
    ) -> urllib.request.Request:
        headers = {"Accept": "application/json", "Authorization": f"Bearer {self._api_key}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if method == "POST":
            headers["Idempotency-Key"] = options.idempotency_key or str(uuid.uuid4())
        if options.is_strict:
            headers["Prefer"] = "handling=strict"
        data = None if body is None else json.dumps(body).encode()
        return urllib.request.Request(self._base + path, data=data, headers=headers, method=method)

    def _attempt(
        self, request: urllib.request.Request, options: CallOptions
    ) -> tuple[int | None, Mapping[str, str], Any, Exception | None]:
        timeout = self._timeout if options.timeout is None else options.timeout
        try:
            try:
                with self._opener.open(request, timeout=timeout) as response:
                    return response.status, _lower(response.headers), _parsed(response.read()), None
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, _lower(error.headers), _parsed(error.read()), None
        except (OSError, HTTPException) as error:
            return None, {}, None, error


def _query_text(query: Mapping[str, Any] | None) -> str:
    """Lists are joined by commas; None is an empty value, which the gateway reads as "has none"."""
    pairs = []
    for name, value in (query or {}).items():
        if isinstance(value, (list, tuple)):
            if value:
                pairs.append((name, ",".join(str(one) for one in value)))
        elif isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        else:
            pairs.append((name, "" if value is None else str(value)))
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""


def _lower(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _delay(status: int | None, headers: Mapping[str, str], attempt: int) -> float | None:
    """Seconds before the next attempt; None if there is none."""
    backoff = min(_MAX_DELAY, _FIRST_DELAY * 2.0 ** (attempt - 1)) * (1 - 0.25 * random.random())
    if status is None:
        return backoff
    should = headers.get("x-should-retry")
    is_passing = status in (408, 429) or status >= 500
    if should == "false" or (should != "true" and not is_passing):
        return None
    asked = _retry_after(headers.get("retry-after"))
    if asked is None:
        return backoff
    return None if asked > _MAX_RETRY_AFTER else asked


def _retry_after(text: str | None) -> float | None:
    """Reads seconds or a date."""
    if text is None:
        return None
    if re.fullmatch(r"\s*\d+(\.\d+)?\s*", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
