"""Receives events: Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from .errors import WebhookVerificationError
from .events import Event, EventHandlers

_REMEMBERED = 1000


class Webhooks:
    """Verifies events. ``secrets``: ``whsec_...``; several while the clinic changes the secret."""

    def __init__(
        self,
        secrets: str | Sequence[str],
        *,
        tolerance: float = 300.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        given = [secrets] if isinstance(secrets, str) else list(secrets)
        if not given:
            raise ValueError("A secret is needed.")
        self._keys = [_key(secret) for secret in given]
        self._tolerance = tolerance
        self._clock = clock

    def verify(self, body: bytes, headers: Mapping[str, str]) -> Event:
        """Returns the event that a request contains.

        ``body`` is exactly the bytes as they came, before any parsing. Raises
        ``WebhookVerificationError``.
        """
        event_id = _header(headers, "webhook-id")
        timestamp = _header(headers, "webhook-timestamp")
        signatures = _header(headers, "webhook-signature")
        if not event_id or not timestamp or not signatures:
            raise WebhookVerificationError("A header of Standard Webhooks is missing.")
        is_number = timestamp.isascii() and timestamp.isdigit()
        if not is_number or abs(self._clock() - int(timestamp)) > self._tolerance:
            raise WebhookVerificationError("The timestamp is too old or too new.")
        signed = f"{event_id}.{timestamp}.".encode() + body
        if not any(_fits(key, signed, signatures) for key in self._keys):
            raise WebhookVerificationError("No signature fits.")
        try:
            event = json.loads(body)
        except ValueError as error:
            raise WebhookVerificationError("The body is not JSON.") from error
        if not isinstance(event, dict) or event.get("id") != event_id:
            raise WebhookVerificationError("The body is not the event of its headers.")
        return cast(Event, event)


class WebhookReceiver:
    """Answers events by a handler for each type.

    A request that comes again under the same id, because an answer was lost or somebody replayed
    it, gets the first answer again and calls no handler. The ids are kept in memory, so keep those
    of reports in your database too.
    """

    def __init__(
        self,
        secrets: str | Sequence[str],
        handlers: EventHandlers,
        *,
        on_error: Callable[[Exception, Event], None] | None = None,
        tolerance: float = 300.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._webhooks = Webhooks(secrets, tolerance=tolerance, clock=clock)
        self._handlers = handlers
        self._on_error = on_error
        self._answers: OrderedDict[str, _Answer] = OrderedDict()
        self._lock = threading.Lock()

    def receive(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Returns status and JSON body of the answer. May be called by several threads."""
        try:
            event = self._webhooks.verify(body, headers)
        except WebhookVerificationError as error:
            return 400, _json({"error": str(error)})
        with self._lock:
            known = self._answers.get(event["id"])
            if known is None:
                answer = self._answers[event["id"]] = _Answer()
                if len(self._answers) > _REMEMBERED:
                    self._answers.popitem(last=False)
        if known is not None:
            return known.wait()
        status, text = self._answer(event)
        answer.set(status, text)
        if status >= 300:
            # It will be sent again, and may then succeed.
            with self._lock:
                self._answers.pop(event["id"], None)
        return status, text

    def _answer(self, event: Event) -> tuple[int, bytes]:
        handlers = cast(Mapping[str, Callable[[Any, Any], Any]], self._handlers)
        handler = handlers.get(event["type"])
        if handler is None:
            if event["type"].endswith(".enrichment_requested"):
                return 200, b"{}"
            return 501, _json({"error": f"{event['type']} has no handler."})
        try:
            return 200, _json(handler(event["data"], event))
        except Exception as error:
            if self._on_error:
                self._on_error(error, event)
            return 500, _json({"error": "The handler failed."})


class _Answer:
    """The answer to an event that is being handled."""

    def __init__(self) -> None:
        self._is_there = threading.Event()
        self._given = (500, b"{}")

    def set(self, status: int, text: bytes) -> None:
        self._given = (status, text)
        self._is_there.set()

    def wait(self) -> tuple[int, bytes]:
        self._is_there.wait()
        return self._given


def _fits(key: bytes, signed: bytes, signatures: str) -> bool:
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return any(hmac.compare_digest(expected, one.encode()) for one in signatures.split(" "))


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise ValueError("The secret is not whsec_ and base64.") from error
    if not key:
        raise ValueError("The secret is not whsec_ and base64.")
    return key


def _header(headers: Mapping[str, str], name: str) -> str | None:
    return next((value for key, value in headers.items() if key.lower() == name), None)


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
