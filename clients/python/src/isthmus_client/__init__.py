"""Client of the Isthmus imaging gateway."""

from __future__ import annotations

import ssl
from collections.abc import Callable

from . import events, models
from .errors import NoAnswerError, ProblemError, WebhookVerificationError
from .events import Event, EventHandlers
from .operations import Operations
from .pages import Pages
from .transport import Attempt, CallOptions, Transport
from .webhooks import WebhookReceiver, Webhooks

__all__ = [
    "Attempt",
    "CallOptions",
    "Event",
    "EventHandlers",
    "Isthmus",
    "NoAnswerError",
    "Pages",
    "ProblemError",
    "WebhookReceiver",
    "WebhookVerificationError",
    "Webhooks",
    "events",
    "models",
]


class Isthmus(Operations):
    """The interface of a gateway: ``isthmus.viewer.create({...})``."""

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
        super().__init__(
            Transport(
                base_url,
                api_key,
                timeout=timeout,
                max_retries=max_retries,
                ssl_context=ssl_context,
                on_attempt=on_attempt,
            )
        )
