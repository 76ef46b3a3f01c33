import type { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
export type Path = `${Method} /${string}`

export interface OperationShape {
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly reply: z.ZodType
  /** HTTP status of success: 201 for creates, 200 otherwise (interface-choices §6 row 10). */
  readonly status?: 200 | 201
  readonly summary: string
}

/** A call of the interface as a value: route, client, validation and documents are read off it. */
export type Operation<S extends OperationShape = OperationShape> = S & { readonly method: Method; readonly path: string }

type Parsed<S extends OperationShape, K extends 'params' | 'query' | 'body'> = S[K] extends z.ZodType ? z.output<S[K]> : undefined
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
export type InputOf<S extends OperationShape> = Given<S, 'params'> & Given<S, 'query'> & Given<S, 'body'>
export type ReplyOf<S extends OperationShape> = z.output<S['reply']>

/** `operation('GET /dashboard/devices/:deviceId', { summary, params, reply })`. */
export function operation<const S extends OperationShape>(call: Path, shape: S): Operation<S> {
  const [method, path] = call.split(' ') as [Method, string]
  return { ...shape, method, path }
}
