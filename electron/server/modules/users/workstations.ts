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

// Browsers of the clinic's network that may open the window, each approved once
// (docs/decisions/0023).

const HOUR_MS = 60 * 60_000
/** Whoever asked and was not answered is forgotten. */
export const ASKING_MS = HOUR_MS
/** How long an approval lasts. */
export const APPROVED_MS = 365 * 24 * HOUR_MS
const MOST_ASKING = 20
/** Within the hour, those that were refused too. */
const MOST_FROM_ADDRESS = 5
const SEEN_NOTED_EVERY_MS = 60_000
const HOSTS_READ_EVERY_MS = 60_000
const LETTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

type FoundWorkstation =
  | { readonly state: 'unknown'; readonly record: undefined }
  | { readonly state: 'asking' | 'approved'; readonly record: queries.WorkstationRecord }

/** What the cookie's token stands for; that it was seen is noted of an approved one. */
export function recogniseWorkstation(
  context: Context,
  token: string | undefined,
): FoundWorkstation {
  const record = knownWorkstation(context, token)
  if (!record) return { state: 'unknown', record: undefined }
  if (record.approvedAt === null) return { state: 'asking', record }
  const now = context.clock()
  if (record.lastSeenAt === null || now - msOf(record.lastSeenAt) >= SEEN_NOTED_EVERY_MS)
    queries.noteWorkstationSeen(context.database, record.workstationId, instantOf(now))
  return { state: 'approved', record }
}

/** The id of an approved workstation; undefined for any other token. */
export function approvedWorkstation(context: Context, token: string): string | undefined {
  const { state, record } = recogniseWorkstation(context, token)
  return state === 'approved' ? record.workstationId : undefined
}

/**
 * Asks, or asks under another name. `token` is new where the one given stands for nothing.
 * @throws ApiError too-many
 */
export function askForWorkstation(
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
    const before = knownWorkstation(context, given)
    if (before && given !== undefined) {
      const record = before.approvedAt === null ? { ...before, name: asked.name } : before
      queries.putWorkstation(database, record)
      return { token: given, record }
    }
    const now = clock()
    queries.purgeWorkstations(database, instantOf(now - ASKING_MS), instantOf(now - APPROVED_MS))
    if (
      queries.workstationsAsking(database) >= MOST_ASKING ||
      queries.workstationsAskingFrom(database, asked.address) >= MOST_FROM_ADDRESS
    )
      throw new ApiError('too-many', message('users.workstations-too-many'), {
        headers: { 'retry-after': String(ASKING_MS / 1000) },
      })
    const token = createToken()
    const record = {
      ...asked,
      ...{ workstationId: uuid(), tokenHash: hashToken(token), code: mintCode() },
      ...{ askedAt: instantOf(now), refusedAt: null, lastSeenAt: null },
      ...{ approvedAt: null, approvedByUserId: null },
    }
    queries.putWorkstation(database, record)
    const { address } = record
    note(context, 'gateway', 'workstation.ask', record.workstationId, { address })
    return { token, record }
  })
}

/** Those that ask, oldest first, then those that were approved, by name. */
export function listWorkstations(context: Context): Workstation[] {
  const now = context.clock()
  return queries
    .workstationRecords(context.database)
    .filter((record) => !hasEnded(record, now))
    .map((record) => workstationReply(context, record))
}

/** Approves it, or gives it another name. @throws ApiError not-found */
export function approveWorkstation(
  context: Context,
  workstationId: string,
  name: string | undefined,
  actor: Actor,
): Workstation {
  return context.database.transaction(() => {
    const before = existing(context, workstationId)
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
 * Refuses it while it asks, takes the approval away later; sessions there end. @throws ApiError
 * not-found
 */
export function removeWorkstation(context: Context, workstationId: string, actor: Actor): void {
  const { database, clock } = context
  database.transaction(() => {
    const record = existing(context, workstationId)
    const isAsking = record.approvedAt === null
    // One that was refused stays for its hour: it counts where its address asks again.
    if (isAsking) queries.putWorkstation(database, { ...record, refusedAt: instantOf(clock()) })
    else queries.deleteWorkstation(database, workstationId)
    endSessionsAt(context, workstationId)
    const { name, address } = record
    const action = isAsking ? 'workstation.refuse' : 'workstation.remove'
    note(context, actor, action, workstationId, { name, address })
  })
}

/**
 * Whether an approved workstation, or the session of somebody, was last seen at the host. Whoever
 * is approved meanwhile is noted by its first call.
 */
export function openApprovedHosts({ database, clock }: Context): (host: string) => boolean {
  let hosts: ReadonlySet<string> = new Set()
  let readAt = Number.NEGATIVE_INFINITY
  return (host) => {
    if (clock() - readAt >= HOSTS_READ_EVERY_MS || clock() < readAt) {
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
  approvedAt === null ? now - msOf(askedAt) >= ASKING_MS : now - msOf(approvedAt) >= APPROVED_MS

const isKnown = (record: queries.WorkstationRecord | undefined, now: number) =>
  record !== undefined && record.refusedAt === null && !hasEnded(record, now)

function knownWorkstation({ database, clock }: Context, token: string | undefined) {
  const record =
    token === undefined ? undefined : queries.workstationByToken(database, hashToken(token))
  return isKnown(record, clock()) ? record : undefined
}

function existing({ database, clock }: Context, workstationId: string) {
  const record = queries.findWorkstation(database, workstationId)
  if (record && isKnown(record, clock())) return record
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

function mintCode(): string {
  const three = () => Array.from({ length: 3 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${three()} ${three()}`
}
