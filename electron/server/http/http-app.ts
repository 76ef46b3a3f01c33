import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Operation } from '#shared/operation.ts'
import type { Partners } from './partner-authentication.ts'
import type { Sessions } from './session-authentication.ts'
import type { Views } from './view-authentication.ts'
import type { Workstations } from './workstation-authentication.ts'

/** What a module declares its operations on. Only this folder touches `fastify`. */
export interface HttpApp {
  readonly fastify: FastifyInstance
  readonly sessions: Sessions
  /** Undefined where the server has no interface for partners. */
  readonly partners: Partners | undefined
  /** Undefined where the server has no viewer. */
  readonly views: Views | undefined
  /** Of the clinic's network; undefined where no other PC may open the window. */
  readonly workstations: Workstations | undefined
  readonly publicUrl: () => string | null
  /**
   * Calls declared so far; a path asked with another method is answered 405 with these in Allow
   * (RFC 9110 §15.5.6).
   */
  readonly declared: { readonly method: string; readonly path: string }[]
  /** Ends of the open event streams. */
  readonly openStreams: Set<() => void>
  /** The caller has proven who it is: its host's connections are kept where there are too many. */
  readonly noteExpected: (request: FastifyRequest) => void
  /**
   * Notes that an operation answered: as it is declared, with the parameters of its path and query,
   * and who had called it.
   */
  readonly noteAnswer?:
    | ((
        operation: Pick<Operation, 'method' | 'path'>,
        params: unknown,
        who: { readonly userId: string } | { readonly apiKeyId: string },
      ) => void)
    | undefined
  /** Notes a fault of ours that can be told no client any more. */
  readonly noteFault: (request: FastifyRequest, error: unknown) => void
}
