import type { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
export type Path = `${Method} /${string}`

/**
 * Who may call an operation of the window, authorized by the session cookie (docs/AUTHORITY.md):
 * - `public`: anyone, signed in or not.
 * - `signed-in`: any user who may use the window. The handler decides which studies and actions are
 * allowed, by the user's permissions and customers.
 * - `every-patient`: the same, except users who are limited to the studies of some customers.
 * - `confirmed`: as `signed-in`, with a recent confirmation of identity (docs/decisions/0033).
 * - `manage`: owners and administrators.
 * - `manage-confirmed`: as `manage`, with a recent confirmation of identity. It is required for
 * every change by an owner or administrator, except tests and clean-ups.
 */
export type WindowAccess =
  | 'public'
  | 'signed-in'
  | 'every-patient'
  | 'confirmed'
  | 'manage'
  | 'manage-confirmed'

/**
 * Who may call an operation of the partner interface (`/v1`), authorized by an API key:
 * - `partner`: any key.
 * - `viewer`: a key with the viewer area.
 * - `people`: a key that may manage users.
 * - `viewer-people`: a key with both.
 * - `events`: a key that may read its own events.
 * - `endpoints`: a key that may manage its own endpoints.
 * - `sandbox`: a test key.
 *
 * A user may call all of them with the session of the window, except those of the sandbox, and
 * `events` and `endpoints`, for which the window has its own; `people` and `viewer-people` then
 * require a recent confirmation of identity.
 */
export type PartnerAccess =
  | 'partner'
  | 'viewer'
  | 'people'
  | 'viewer-people'
  | 'events'
  | 'endpoints'
  | 'sandbox'

/**
 * Who may call an operation. `view`: a page of the viewer, authorized by the cookie of its view.
 */
export type Access = WindowAccess | PartnerAccess | 'view'

export interface OperationShape {
  readonly access: Access
  /** Open windows repeat this call automatically, so it does not count as user activity. */
  readonly background?: boolean
  /** Whether it may be called from a PC that has not been approved (docs/decisions/0023). */
  readonly fromAnyWorkstation?: boolean
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly reply: z.ZodType
  /** HTTP status on success: 201 for operations that create something, otherwise 200. */
  readonly status?: 200 | 201
  readonly summary: string
}

/**
 * An operation of the interface, from which route, client, validation and documents are derived.
 */
export type Operation<S extends OperationShape = OperationShape> = S & {
  readonly method: Method
  readonly path: string
}

/** An operation of a group of the contract, by access. */
export type OperationFor<A extends Access> = Operation<OperationShape & { readonly access: A }>

type Parsed<
  S extends OperationShape,
  K extends 'params' | 'query' | 'body',
> = S[K] extends z.ZodType ? z.output<S[K]> : undefined
type Given<S extends OperationShape, K extends 'params' | 'query' | 'body'> = S[K] extends z.ZodType
  ? { readonly [P in K]: z.input<S[K]> }
  : unknown

/** The parsed input that a handler receives. */
export interface CallOf<S extends OperationShape> {
  readonly params: Parsed<S, 'params'>
  readonly query: Parsed<S, 'query'>
  readonly body: Parsed<S, 'body'>
}
/** The input that a client passes. */
export type InputOf<S extends OperationShape> = Given<S, 'params'> &
  Given<S, 'query'> &
  Given<S, 'body'>
export type ReplyOf<S extends OperationShape> = z.output<S['reply']>

/**
 * Defines an operation: `operation('GET /dashboard/devices/:deviceId', { access, summary, params,
 * reply })`.
 */
export function operation<const S extends OperationShape>(call: Path, shape: S): Operation<S> {
  const [method, path] = call.split(' ') as [Method, string]
  return { ...shape, method, path }
}
