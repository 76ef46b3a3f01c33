import { randomInt } from 'node:crypto'
import { type Actor, type DomainDeps, note } from '#server/modules/audit/audit.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { hashOfToken, mintToken } from '#server/platform/token.ts'
import type { Workstation } from '#shared/contract/dashboard-security.ts'
import { ApiError } from '#shared/errors.ts'
import type { WorkstationRecord } from './workstation-queries.ts'

const HOUR_MS = 60 * 60_000
/** Whoever asked and was not answered is forgotten. */
export const ASKING_MS = HOUR_MS
/** Of the cookie of an approved workstation. */
export const APPROVED_MS = 365 * 24 * HOUR_MS
const MOST_ASKING = 20
/** Within the hour, those that were refused too. */
const MOST_FROM_ADDRESS = 5
const SEEN_NOTED_EVERY_MS = 60_000
const LETTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

export type WorkstationState = 'unknown' | 'asking' | 'approved'

/**
 * Browsers of the clinic's network that may open the window, each approved once
 * (docs/decisions/0023).
 */
export interface Workstations {
  /** What the cookie's token stands for; that it was seen is noted of an approved one. */
  find(token: string | undefined): {
    readonly state: WorkstationState
    readonly record: WorkstationRecord | undefined
  }
  /**
   * Asks, or asks under another name. `token` is new where the one given stands for nothing.
   * @throws ApiError too-many
   */
  ask(asked: {
    readonly name: string
    readonly address: string
    readonly browser: string
    readonly token: string | undefined
  }): {
    readonly token: string
    readonly record: WorkstationRecord
  }
  list(): Workstation[]
  /** @throws ApiError not-found */
  approve(workstationId: string, name: string | undefined, actor: Actor): Workstation
  /**
   * Refuses it while it asks, takes the approval away later; sessions there end. @throws ApiError
   * not-found
   */
  remove(workstationId: string, actor: Actor): void
}

export function openWorkstations(deps: DomainDeps): Workstations {
  const { store, clock, uuid } = deps
  const { database, workstations } = store

  const hasEnded = ({ approvedAt, askedAt }: WorkstationRecord, now: number) =>
    approvedAt === null ? now - msOf(askedAt) >= ASKING_MS : now - msOf(approvedAt) >= APPROVED_MS

  function known(token: string | undefined): WorkstationRecord | undefined {
    const record = token === undefined ? undefined : workstations.byToken(hashOfToken(token))
    return record && record.refusedAt === null && !hasEnded(record, clock()) ? record : undefined
  }

  function existing(workstationId: string): WorkstationRecord {
    const record = workstations.get(workstationId)
    if (!record || record.refusedAt !== null || hasEnded(record, clock()))
      throw new ApiError('not-found', 'This workstation does not ask any more, or was removed.')
    return record
  }

  const purge = () =>
    workstations.purge(instantOf(clock() - ASKING_MS), instantOf(clock() - APPROVED_MS))

  function shown(record: WorkstationRecord): Workstation {
    const {
      workstationId,
      name,
      code,
      address,
      browser,
      askedAt,
      approvedAt,
      approvedByUserId,
      lastSeenAt,
    } = record
    const by = approvedByUserId === null ? undefined : store.users.get(approvedByUserId)
    return {
      ...{ workstationId, name, code, address, browser, askedAt, approvedAt, lastSeenAt },
      state: approvedAt === null ? 'asking' : 'approved',
      approvedBy: by ? `${by.firstName} ${by.lastName}` : '',
    }
  }

  return {
    find(token) {
      const record = known(token)
      if (!record) return { state: 'unknown', record: undefined }
      if (record.approvedAt === null) return { state: 'asking', record }
      const now = clock()
      if (record.lastSeenAt === null || now - msOf(record.lastSeenAt) >= SEEN_NOTED_EVERY_MS)
        workstations.noteSeen(record.workstationId, instantOf(now))
      return { state: 'approved', record }
    },

    ask: ({ name, address, browser, token: given }) =>
      database.transaction(() => {
        const before = known(given)
        if (before && given !== undefined) {
          const record = before.approvedAt === null ? { ...before, name } : before
          workstations.put(record)
          return { token: given, record }
        }
        purge()
        if (
          workstations.asking() >= MOST_ASKING ||
          workstations.askedFrom(address) >= MOST_FROM_ADDRESS
        )
          throw new ApiError(
            'too-many',
            'Too many workstations ask at once. Have somebody answer them, or try again in an hour.',
            {
              headers: { 'retry-after': String(ASKING_MS / 1000) },
            },
          )
        const token = mintToken()
        const record: WorkstationRecord = {
          ...{
            workstationId: uuid(),
            tokenHash: hashOfToken(token),
            name,
            code: mintCode(),
            address,
            browser,
          },
          ...{
            askedAt: instantOf(clock()),
            refusedAt: null,
            approvedAt: null,
            approvedByUserId: null,
            lastSeenAt: null,
          },
        }
        workstations.put(record)
        note(deps.store, 'gateway', 'workstation.ask', record.workstationId, { address })
        return { token, record }
      }),

    list() {
      const now = clock()
      return workstations
        .list()
        .filter((record) => !hasEnded(record, now))
        .map(shown)
    },

    approve: (workstationId, name, actor) =>
      database.transaction(() => {
        const before = existing(workstationId)
        const userId = actor.startsWith('user:') ? actor.slice('user:'.length) : null
        const record = {
          ...before,
          name: name ?? before.name,
          approvedAt: before.approvedAt ?? instantOf(clock()),
          approvedByUserId: before.approvedByUserId ?? userId,
        }
        workstations.put(record)
        note(
          deps.store,
          actor,
          before.approvedAt === null ? 'workstation.approve' : 'workstation.rename',
          workstationId,
          {
            name: record.name,
            address: record.address,
          },
        )
        return shown(record)
      }),

    remove: (workstationId, actor) =>
      database.transaction(() => {
        const record = existing(workstationId)
        // One that was refused stays for its hour: it counts where its address asks again.
        if (record.approvedAt === null)
          workstations.put({ ...record, refusedAt: instantOf(clock()) })
        else workstations.remove(workstationId)
        store.sessions.removeAt(workstationId)
        const { name, address } = record
        note(
          deps.store,
          actor,
          record.approvedAt === null ? 'workstation.refuse' : 'workstation.remove',
          workstationId,
          { name, address },
        )
      }),
  }
}

function mintCode(): string {
  const three = () => Array.from({ length: 3 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${three()} ${three()}`
}
