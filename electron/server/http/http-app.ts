import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AdmittedConnections } from '#server/platform/connection-budget.ts'
import { faultForLog } from '#server/platform/log.ts'
import type { Operation } from '#shared/operation.ts'
import type { Sessions, Views } from './callers.ts'
import type { PartnerInterface } from './partner-interface.ts'

const NOBODY: Sessions = {
  userOf: () => undefined,
  isConfirmed: () => false,
  isLimited: () => true,
}

/**
 * Notes that an operation answered: as it is declared, with the parameters of its path and query,
 * and who had called it.
 */
export type NoteAnswer = (
  operation: Pick<Operation, 'method' | 'path'>,
  params: unknown,
  who: { readonly userId: string } | { readonly apiKeyId: string },
) => void

/** Where faults of ours are logged: a request's id, its route and the place; no content. */
export interface HttpLog {
  error(fields: Readonly<Record<string, string | number>>, message: string): void
}

/**
 * What a module declares its operations on; only this folder touches `fastify`. Who may call is
 * installed by the modules that know: until then nobody may.
 */
export class HttpApp {
  readonly fastify: FastifyInstance
  readonly publicUrl: () => string | null
  sessions: Sessions = NOBODY
  /** Undefined where the server has no interface for partners. */
  partners: PartnerInterface | undefined
  views: Views | undefined
  /**
   * The id of an approved workstation by its token; undefined for any other token (decision 0023).
   */
  approvedWorkstation: (token: string) => string | undefined = () => undefined
  noteAnswer: NoteAnswer | undefined
  /**
   * Calls declared so far; a path asked with another method is answered 405 with these in Allow
   * (RFC 9110 §15.5.6).
   */
  readonly declared: { readonly method: string; readonly path: string }[] = []
  /** Ends of the open event streams. */
  readonly openStreams = new Set<() => void>()
  readonly #log: HttpLog
  readonly #admitted: AdmittedConnections

  constructor(
    fastify: FastifyInstance,
    publicUrl: () => string | null,
    log: HttpLog,
    admitted: AdmittedConnections,
  ) {
    this.fastify = fastify
    this.publicUrl = publicUrl
    this.#log = log
    this.#admitted = admitted
  }

  /** The caller proved who it is: its host's connections are kept where there are too many. */
  noteProven({ socket }: FastifyRequest): void {
    this.#admitted.noteProven(socket.remoteAddress ?? '')
  }

  /** Logs a fault of ours. */
  noteFault(request: FastifyRequest, error: unknown, status = 500): void {
    const route = `${request.method} ${request.routeOptions.url ?? ''}`
    this.#log.error(
      { requestId: request.id, route, status, ...faultForLog(error) },
      'a call failed',
    )
  }
}
