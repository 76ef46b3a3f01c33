import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { StoreError } from '#server/database/store-error.ts'
import { overdueOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import type { HealthCheck } from './health-route.ts'
import { OUTBOX_KINDS } from './metric-labels.ts'

/**
 * Testing whether the database is writable requires a write, so the result is cached for this time.
 */
const PROBE_CACHE_MS = 5000
/** Age at which a waiting outbox job is reported as a fault, as in the window. */
const OUTBOX_LATE_MS = 60 * 60_000
const DEVICE_LISTENERS = ['dimse', 'dimse-tls']

/**
 * Returns a function that checks what the gateway needs in order to work. Details are one sentence
 * without addresses and names, because anyone may request them.
 * @param listeners every listener that should be up
 */
export function openHealth(
  context: Pick<Context, 'clock' | 'database' | 'isSafe'>,
  listeners: () => Status['listeners'],
  storage: () => Status['storage'],
): () => HealthCheck[] {
  const { clock } = context
  let probe: { readonly at: number; readonly detail: string } | undefined

  function database(): string {
    const now = clock()
    if (!probe || Math.abs(now - probe.at) >= PROBE_CACHE_MS)
      probe = { at: now, detail: databaseFault(() => context.database.testWrite()) }
    return probe.detail
  }

  const CHECKS: Readonly<Record<string, () => string>> = {
    database,
    listeners: () => listenersFault(context.isSafe, listeners()),
    disk: () => DISK_FAULTS[storage().state],
    outbox: () => outboxFault(context.database, instantOf(clock() - OUTBOX_LATE_MS)),
  }
  return () =>
    Object.entries(CHECKS).map(([name, check]) => {
      const detail = detailOf(check)
      return { name, isOk: detail === '', detail }
    })
}

function detailOf(check: () => string): string {
  try {
    return check()
  } catch {
    return 'The check failed.'
  }
}

function databaseFault(prove: () => void): string {
  try {
    prove()
    return ''
  } catch (error) {
    const { code } = error as { code?: unknown }
    const why = error instanceof StoreError ? error.fault : code
    return `The database cannot be written to (${typeof why === 'string' ? why : 'unknown fault'}).`
  }
}

function listenersFault(isSafe: boolean, all: Status['listeners']): string {
  if (isSafe) return 'The gateway is in safe mode and serves no devices.'
  if (!all.some(({ name }) => DEVICE_LISTENERS.includes(name)))
    return 'The gateway is starting and does not serve devices yet.'
  const downListeners = all.filter(({ isUp }) => !isUp).map(({ name }) => name)
  return downListeners.length === 0 ? '' : `Down: ${downListeners.join(', ')}.`
}

const DISK_FAULTS = {
  ok: '',
  low: '',
  full: 'There is too little disk space to receive images.',
  'read-only': 'The image folder is not writable.',
} as const satisfies Record<Status['storage']['state'], string>

function outboxFault(database: Database, before: string): string {
  const overdueKinds = OUTBOX_KINDS.filter(
    (kind) => overdueOutboxJobs(database, kind, before).count > 0,
  )
  return overdueKinds.length === 0
    ? ''
    : `Waiting for more than an hour: ${overdueKinds.join(', ')}.`
}
