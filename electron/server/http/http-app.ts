import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IntegrityCheck } from '#server/database/integrity-check.ts'
import type { AdmittedConnections } from '#server/platform/connection-budget.ts'
import { serializeError } from '#server/platform/log.ts'
import type { Operation } from '#shared/operation.ts'
import type { Sessions, ViewAuthenticator } from './callers.ts'
import type { PartnerInterface } from './partner-interface.ts'
import type { SandboxRequests } from './sandbox-requests.ts'

const NO_SESSIONS: Sessions = {
  userOf: () => undefined,
  isConfirmed: () => false,
  isLimited: () => true,
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Records that an operation was answered: the declared operation, its path and query parameters,
 * and the caller.
 */
export type NoteAnswer = (
  operation: Pick<Operation, 'method' | 'path'>,
  params: unknown,
  who: { readonly userId: string } | { readonly apiKeyId: string },
) => void

/** Logs internal errors: request id, route and stack frames, without any content. */
export interface HttpLog {
  error(fields: Readonly<Record<string, string | number>>, message: string): void
}

/**
 * The application that modules register their operations on; only this folder uses `fastify`
 * directly. Modules also install the authenticators of callers; without one its callers are
 * refused.
 */
export class HttpApp {
  readonly fastify: FastifyInstance
  readonly publicUrl: () => string | null
  sessions: Sessions = NO_SESSIONS
  /** Undefined if the server has no partner interface. */
  partners: PartnerInterface | undefined
  views: ViewAuthenticator | undefined
  /**
   * Returns the id of an approved workstation by its token; undefined for any other token (decision
   * 0023).
   */
  approvedWorkstation: (token: string) => string | undefined = () => undefined
  noteAnswer: NoteAnswer | undefined
  /** Undefined if there is no sandbox. */
  sandbox: SandboxRequests | undefined
  /**
   * The registered operations. A request for a known path with another method is answered with 405
   * and these methods in Allow (RFC 9110 §15.5.6).
   */
  readonly declared: { readonly method: string; readonly path: string }[] = []
  /** Connections with an upload that may take longer than other requests. */
  readonly longUploads: WeakSet<object>
  /** Functions that close the open event streams. */
  readonly openStreams = new Set<() => void>()
  readonly #log: HttpLog
  readonly #admitted: AdmittedConnections

  constructor(
    fastify: FastifyInstance,
    publicUrl: () => string | null,
    log: HttpLog,
    admitted: AdmittedConnections,
    longUploads = new WeakSet<object>(),
  ) {
    this.longUploads = longUploads
    this.fastify = fastify
    this.publicUrl = publicUrl
    this.#log = log
    this.#admitted = admitted
  }

  /** Makes requests that may change data wait until the database is known to be intact. */
  holdChanges(check: Pick<IntegrityCheck, 'hasPassed' | 'passed'>): void {
    this.fastify.addHook('onRequest', (request, _reply, done) => {
      if (check.hasPassed || SAFE_METHODS.has(request.method)) done()
      else check.passed.then(() => done(), done)
    })
  }

  /** Records that the client has authenticated, which gives connections of its host priority. */
  noteAuthenticated({ socket }: FastifyRequest): void {
    this.#admitted.noteAuthenticated(socket.remoteAddress ?? '')
  }

  /** Logs an internal error. */
  noteFault(request: FastifyRequest, error: unknown, status = 500): void {
    const route = `${request.method} ${request.routeOptions.url ?? ''}`
    this.#log.error(
      { requestId: request.id, route, status, ...serializeError(error) },
      'a call failed',
    )
  }
}
