import type { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
export type Path = `${Method} /${string}`

/**
 * Who may call an operation of the window, by the session cookie (docs/AUTHORITY.md):
 * - `public`: anyone, signed in or not.
 * - `signed-in`: anyone whose account may use the window. Which studies, and what of them, is
 *   decided by the handler: by the person's permissions and customers.
 * - `every-patient`: the same, except who is limited to the studies of some customers.
 * - `confirmed`: as `signed-in`, with a recent proof of identity (docs/decisions/0033).
 * - `manage`: owners and administrators.
 * - `manage-confirmed`: as `manage`, with a recent proof of identity. Every change that needs an
 *   owner or administrator takes it, except tests and clean-ups.
 */
export type WindowAccess =
  | 'public'
  | 'signed-in'
  | 'every-patient'
  | 'confirmed'
  | 'manage'
  | 'manage-confirmed'

/**
 * Who may call an operation of the partner interface (`/v1`), by API key:
 * - `partner`: any key.
 * - `viewer`: a key with the viewer area.
 * - `people`: a key that may manage people.
 * - `viewer-people`: a key with both.
 *
 * A person may call all of them with the session of the window; `people` and `viewer-people` then
 * take a recent proof of identity.
 */
export type PartnerAccess = 'partner' | 'viewer' | 'people' | 'viewer-people'

/** Who may call an operation. `view`: a page of the viewer, by the cookie of its view. */
export type Access = WindowAccess | PartnerAccess | 'view'

export interface OperationShape {
  readonly access: Access
  /**
   * An open window repeats this call by itself, so it does not keep the session from going idle.
   */
  readonly background?: boolean
  /** May be called from a PC of the network that nobody has approved (docs/decisions/0023). */
  readonly fromAnyWorkstation?: boolean
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly reply: z.ZodType
  /** HTTP status of success: 201 for creates, 200 otherwise. */
  readonly status?: 200 | 201
  readonly summary: string
}

/** A call of the interface as a value: route, client, validation and documents are read off it. */
export type Operation<S extends OperationShape = OperationShape> = S & {
  readonly method: Method
  readonly path: string
}

/** An operation of a part of the contract, by who may call those. */
export type OperationFor<A extends Access> = Operation<OperationShape & { readonly access: A }>

type Parsed<
  S extends OperationShape,
  K extends 'params' | 'query' | 'body',
> = S[K] extends z.ZodType ? z.output<S[K]> : undefined
type Given<S extends OperationShape, K extends 'params' | 'query' | 'body'> = S[K] extends z.ZodType
  ? { readonly [P in K]: z.input<S[K]> }
  : unknown

/** What a handler receives: parsed. */
export interface CallOf<S extends OperationShape> {
  readonly params: Parsed<S, 'params'>
  readonly query: Parsed<S, 'query'>
  readonly body: Parsed<S, 'body'>
}
/** What a client gives. */
export type InputOf<S extends OperationShape> = Given<S, 'params'> &
  Given<S, 'query'> &
  Given<S, 'body'>
export type ReplyOf<S extends OperationShape> = z.output<S['reply']>

/** `operation('GET /dashboard/devices/:deviceId', { access, summary, params, reply })`. */
export function operation<const S extends OperationShape>(call: Path, shape: S): Operation<S> {
  const [method, path] = call.split(' ') as [Method, string]
  return { ...shape, method, path }
}
