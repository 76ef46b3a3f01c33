import type { Operation } from '../operation.ts'
import { express, orgs } from './express.ts'
import { scribe } from './scribe.ts'
import { scribeUsers, viewerUsers } from './users.ts'
import { viewer } from './viewer.ts'

/** Every operation that partners call, under `/v1`; the events they receive are `EVENTS`. */
const INTERFACE = { express, orgs, viewer, viewerUsers, scribe, scribeUsers } as const satisfies Readonly<
  Record<string, Readonly<Record<string, Operation>>>
>

/** The operations one by one, each with a name of its own, e.g. `viewerUsersInvite`. */
export const interfaceOperations = (): { readonly operationId: string; readonly operation: Operation }[] =>
  Object.entries(INTERFACE).flatMap(([group, operations]) =>
    Object.entries(operations).map(([name, operation]) => ({
      operationId: `${group}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      operation: operation as Operation,
    })),
  )
