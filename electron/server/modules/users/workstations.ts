import { randomInt } from 'node:crypto'
import { type Actor, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { hostOf } from '#server/platform/connection-budget.ts'
import { createToken, hashToken } from '#server/platform/token.ts'
import type { Workstation } from '#shared/contract/dashboard-security.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { findUser, fullName } from './queries.ts'
import { sessionRecords } from './session-queries.ts'
import { browserOf, endSessionsAt } from './sessions.ts'
import * as queries from './workstation-queries.ts'

// Browsers on other PCs of the clinic's network that may open the window; each has to be approved
// once (docs/decisions/0023).

const HOUR_MS = 60 * 60_000
/** How long a request is valid without an answer. */
export const REQUEST_LIFETIME_MS = HOUR_MS
/** How long an approval is valid. */
export const APPROVAL_LIFETIME_MS = 365 * 24 * HOUR_MS
const MAX_PENDING = 20
/** Maximum number of requests from an address within an hour, including refused ones. */
const MAX_PER_ADDRESS = 5
const SEEN_WRITE_INTERVAL_MS = 60_000
const HOSTS_REFRESH_INTERVAL_MS = 60_000
const CODE_CHARACTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

type FoundWorkstation =
  | { readonly state: 'unknown'; readonly record: undefined }
  | { readonly state: 'asking' | 'approved'; readonly record: queries.WorkstationRecord }

/** Finds the workstation of a cookie's token. For an approved one, the time is recorded. */
export function recogniseWorkstation(
  context: Context,
  token: string | undefined,
): FoundWorkstation {
  const record = findKnownWorkstation(context, token)
  if (!record) return { state: 'unknown', record: undefined }
  if (record.approvedAt === null) return { state: 'asking', record }
  const now = context.clock()
  if (record.lastSeenAt === null || now - msOf(record.lastSeenAt) >= SEEN_WRITE_INTERVAL_MS)
    queries.noteWorkstationSeen(context.database, record.workstationId, instantOf(now))
  return { state: 'approved', record }
}

/** The ID of an approved workstation; undefined for any other token. */
export function approvedWorkstationId(context: Context, token: string): string | undefined {
  const { state, record } = recogniseWorkstation(context, token)
  return state === 'approved' ? record.workstationId : undefined
}

/**
 * Requests access, or renames the request. `token` is a new one if the given one is unknown.
 * @throws ApiError too-many
 */
export function requestWorkstationAccess(
  context: Context,
  {
    token: given,
    ...asked
  }: {
    readonly name: string
    readonly address: string
    readonly browser: string
    readonly token: string | undefined
  },
): { readonly token: string; readonly record: queries.WorkstationRecord } {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    const before = findKnownWorkstation(context, given)
    if (before && given !== undefined) {
      const record = before.approvedAt === null ? { ...before, name: asked.name } : before
      queries.putWorkstation(database, record)
      return { token: given, record }
    }
    const now = clock()
    queries.purgeWorkstations(
      database,
      instantOf(now - REQUEST_LIFETIME_MS),
      instantOf(now - APPROVAL_LIFETIME_MS),
    )
    if (
      queries.countPendingWorkstations(database) >= MAX_PENDING ||
      queries.countUnapprovedFrom(database, asked.address) >= MAX_PER_ADDRESS
    )
      throw new ApiError('too-many', message('users.workstations-too-many'), {
        headers: { 'retry-after': String(REQUEST_LIFETIME_MS / 1000) },
      })
    const token = createToken()
    const record = {
      ...asked,
      ...{ workstationId: uuid(), tokenHash: hashToken(token), code: generatePairingCode() },
      ...{ askedAt: instantOf(now), refusedAt: null, lastSeenAt: null },
      ...{ approvedAt: null, approvedByUserId: null },
    }
    queries.putWorkstation(database, record)
    const { address } = record
    note(context, 'gateway', 'workstation.ask', record.workstationId, { address })
    return { token, record }
  })
}

/** Pending requests, oldest first, followed by approved workstations, by name. */
export function listWorkstations(context: Context): Workstation[] {
  const now = context.clock()
  return queries
    .workstationRecords(context.database)
    .filter((record) => !hasEnded(record, now))
    .map((record) => workstationReply(context, record))
}

/**
 * Approves a workstation, or renames an approved one.
 * @throws ApiError not-found
 */
export function approveWorkstation(
  context: Context,
  workstationId: string,
  name: string | undefined,
  actor: Actor,
): Workstation {
  return context.database.transaction(() => {
    const before = requireWorkstation(context, workstationId)
    const userId = actor.startsWith('user:') ? actor.slice('user:'.length) : null
    const record = {
      ...before,
      name: name ?? before.name,
      approvedAt: before.approvedAt ?? instantOf(context.clock()),
      approvedByUserId: before.approvedByUserId ?? userId,
    }
    queries.putWorkstation(context.database, record)
    const action = before.approvedAt === null ? 'workstation.approve' : 'workstation.rename'
    note(context, actor, action, workstationId, { name: record.name, address: record.address })
    return workstationReply(context, record)
  })
}

/**
 * Refuses a pending request, or revokes an approval. Sessions on the workstation end.
 * @throws ApiError not-found
 */
export function removeWorkstation(context: Context, workstationId: string, actor: Actor): void {
  const { database, clock } = context
  database.transaction(() => {
    const record = requireWorkstation(context, workstationId)
    const isPending = record.approvedAt === null
    // A refused request is kept for an hour, because it counts if the address requests again.
    if (isPending) queries.putWorkstation(database, { ...record, refusedAt: instantOf(clock()) })
    else queries.deleteWorkstation(database, workstationId)
    endSessionsAt(context, workstationId)
    const { name, address } = record
    const action = isPending ? 'workstation.refuse' : 'workstation.remove'
    note(context, actor, action, workstationId, { name, address })
  })
}

/**
 * Returns a function that determines whether an approved workstation or a session was last seen at
 * a host. The list is refreshed periodically; a workstation approved in between is added by its
 * first call.
 */
export function openApprovedHosts({ database, clock }: Context): (host: string) => boolean {
  let hosts: ReadonlySet<string> = new Set()
  let readAt = Number.NEGATIVE_INFINITY
  return (host) => {
    if (clock() - readAt >= HOSTS_REFRESH_INTERVAL_MS || clock() < readAt) {
      readAt = clock()
      const approved = queries
        .workstationRecords(database)
        .filter(({ approvedAt }) => approvedAt !== null)
      const sessions = sessionRecords(database, instantOf(readAt))
      hosts = new Set([...approved, ...sessions].map(({ address }) => hostOf(address)))
    }
    return hosts.has(host)
  }
}

const hasEnded = ({ approvedAt, askedAt }: queries.WorkstationRecord, now: number) =>
  approvedAt === null
    ? now - msOf(askedAt) >= REQUEST_LIFETIME_MS
    : now - msOf(approvedAt) >= APPROVAL_LIFETIME_MS

const isValid = (record: queries.WorkstationRecord | undefined, now: number) =>
  record !== undefined && record.refusedAt === null && !hasEnded(record, now)

function findKnownWorkstation({ database, clock }: Context, token: string | undefined) {
  const record =
    token === undefined ? undefined : queries.workstationByToken(database, hashToken(token))
  return isValid(record, clock()) ? record : undefined
}

function requireWorkstation({ database, clock }: Context, workstationId: string) {
  const record = queries.findWorkstation(database, workstationId)
  if (record && isValid(record, clock())) return record
  throw new ApiError('not-found', message('users.workstation-gone'))
}

function workstationReply(
  { database }: Context,
  { tokenHash: _, refusedAt: __, approvedByUserId, ...record }: queries.WorkstationRecord,
): Workstation {
  const by = approvedByUserId === null ? undefined : findUser(database, approvedByUserId)
  return {
    ...{ ...record, browser: browserOf(record.browser) },
    state: record.approvedAt === null ? 'asking' : 'approved',
    approvedBy: by ? fullName(by) : '',
  }
}

function generatePairingCode(): string {
  const threeCharacters = () =>
    Array.from({ length: 3 }, () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)]).join('')
  return `${threeCharacters()} ${threeCharacters()}`
}
