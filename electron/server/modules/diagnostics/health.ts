import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { StoreError } from '#server/database/store-error.ts'
import { overdueOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import type { HealthCheck } from './health-route.ts'
import { OUTBOX_KINDS } from './metric-labels.ts'

/**
 * To prove that the database can be written takes a write: whoever asks often is told what was
 * found.
 */
const PROOF_MS = 5000
/** How long something may wait to leave the gateway: as the window says it loudly. */
const OUTBOX_MS = 60 * 60_000
const DEVICES = ['dimse', 'dimse-tls']

/**
 * What has to be there for the gateway to do its work; one sentence where it is not. Addresses and
 * names are left out: anyone may ask.
 * @param listeners every listener that should be up
 */
export function openHealth(
  context: Pick<Context, 'clock' | 'database' | 'isSafe'>,
  listeners: () => Status['listeners'],
  storage: () => Status['storage'],
): () => HealthCheck[] {
  const { clock } = context
  let proof: { readonly at: number; readonly detail: string } | undefined

  function database(): string {
    const now = clock()
    if (!proof || Math.abs(now - proof.at) >= PROOF_MS)
      proof = { at: now, detail: faultOf(() => context.database.testWrite()) }
    return proof.detail
  }

  const CHECKS: Readonly<Record<string, () => string>> = {
    database,
    listeners: () => listenersFault(context.isSafe, listeners()),
    disk: () => DISK[storage().state],
    outbox: () => outboxFault(context.database, instantOf(clock() - OUTBOX_MS)),
  }
  return () =>
    Object.entries(CHECKS).map(([name, look]) => {
      const detail = detailOf(look)
      return { name, isOk: detail === '', detail }
    })
}

function detailOf(look: () => string): string {
  try {
    return look()
  } catch {
    return 'It cannot be looked at.'
  }
}

function faultOf(prove: () => void): string {
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
  if (isSafe) return 'The gateway is in safe mode: no device is served.'
  if (!all.some(({ name }) => DEVICES.includes(name)))
    return 'The gateway is starting: devices are not served yet.'
  const down = all.filter(({ isUp }) => !isUp).map(({ name }) => name)
  return down.length === 0 ? '' : `Down: ${down.join(', ')}.`
}

const DISK = {
  ok: '',
  low: '',
  full: 'There is too little room on the disk: no images are taken.',
  'read-only': 'The folder of the images cannot be written to.',
} as const satisfies Record<Status['storage']['state'], string>

function outboxFault(database: Database, before: string): string {
  const late = OUTBOX_KINDS.filter((kind) => overdueOutboxJobs(database, kind, before).count > 0)
  return late.length === 0 ? '' : `For more than an hour waits: ${late.join(', ')}.`
}
