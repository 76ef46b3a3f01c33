"""Errors of the client."""

from __future__ import annotations

from typing import Any


class ProblemError(Exception):
    """The gateway refused a request: ``application/problem+json`` (RFC 9457)."""

    def __init__(self, status: int, problem: dict[str, Any] | None, request_id: str | None) -> None:
        given = problem or {}
        super().__init__(given.get("message") or f"The gateway answered {status}.")
        #: The HTTP status.
        self.status = status
        #: The kind of problem, for programs, such as ``malformed`` or ``refused``.
        self.code: str = given.get("code", "unknown")
        #: Each field that was refused: ``{"path": ..., "message": ...}``.
        self.errors: list[dict[str, str]] = given.get("errors", [])
        #: Names the request in the gateway's log.
        self.request_id: str | None = given.get("requestId", request_id)
        #: The whole answer; None if it was not JSON.
        self.problem = problem


class NoAnswerError(Exception):
    """No answer came: there was no connection, or the time was up."""


class WebhookVerificationError(Exception):
    """A webhook is not from the gateway, or too old."""
