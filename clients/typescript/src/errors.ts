import type { Problem } from './generated/types.gen.ts'

/** The gateway refused a request: `application/problem+json` (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  /** The HTTP status. */
  readonly status: number
  /** The kind of problem, for programs, such as `malformed` or `refused`. */
  readonly code: string
  /** Each field that was refused. */
  readonly errors: Problem['errors']
  /** Names the request in the gateway’s log. */
  readonly requestId: string | undefined
  /** The whole answer; null if it was not JSON. */
  readonly problem: Problem | null

  constructor(status: number, problem: Problem | null, requestId: string | undefined) {
    super(problem?.message ?? `The gateway answered ${status}.`)
    this.status = status
    this.code = problem?.code ?? 'unknown'
    this.errors = problem?.errors ?? []
    this.requestId = problem?.requestId ?? requestId
    this.problem = problem
  }
}

/** No answer came: there was no connection, or the time was up. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** A webhook is not from the gateway, or too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}
