import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { dashboardDestinations, NewDestination } from '#shared/contract/destinations.ts'
import { dashboardLifecycle } from '#shared/contract/lifecycle.ts'
import { dashboardTiers, type NewTier, type Tier } from '#shared/contract/tiers.ts'
import { root } from '../../../scripts/setup.mjs'
import { running, type Serving } from '../../support/command-line.ts'
import { callerOf, OWNER, sessionHeaders } from '../../support/gateway.ts'
import { PROGRAM_ENVIRONMENT } from '../../support/program.ts'

export interface Day {
  readonly serving: Serving
  readonly call: ReturnType<typeof callerOf>
}

const CLOCK = pathToFileURL(join(root, 'test/support/shifted-clock.mjs')).href

/** The gateway of a simulated day, signed in as the owner. */
export async function startDay(folder: string, dimsePort: number, at: string): Promise<Day> {
  const environment = {
    ...PROGRAM_ENVIRONMENT,
    NODE_OPTIONS: `--import=${CLOCK}`,
    ISTHMUS_TEST_CLOCK: at,
  }
  const serving = await running(
    [
      ...['serve', '--data', folder, '--http', '127.0.0.1:0'],
      ...['--dimse', `127.0.0.1:${dimsePort}`, '--dimse-tls', 'off', '--log-level', 'warn'],
    ],
    environment,
  )
  return signedIn(serving)
}

/** Signs in as the owner, whose identity is confirmed for ten minutes by that. */
export async function signedIn(serving: Serving): Promise<Day> {
  const headers = await sessionHeaders(serving.http, OWNER)
  return { serving, call: callerOf(serving.http, headers) }
}

/** The archive as a destination that commits, and as the tier from which images come back. */
export async function addArchive({ call }: Day, port: number): Promise<void> {
  const body = NewDestination.parse({
    ...{ name: 'Archive', aeTitle: 'ORTHANC', host: '127.0.0.1', port },
    ...{ isAutomatic: true, confirmsStorage: true, hasPriors: true },
  })
  const { destinationId } = await call(dashboardDestinations.add, { body })
  const settings = { kind: 'pacs', destinationId } as const
  await call(dashboardTiers.add, {
    body: { name: 'Archive', isEnabled: true, isAutomatic: false, settings },
  })
}

/**
 * Moves the archive to another port of the same host, as when its address is not reachable, and
 * says whether new images are forwarded to it.
 */
export async function setArchive(
  { call }: Day,
  wanted: { readonly port: number; readonly isAutomatic: boolean },
): Promise<void> {
  const { destinations } = await call(dashboardDestinations.list, {})
  for (const { destinationId, port, isAutomatic } of destinations)
    if (port !== wanted.port || isAutomatic !== wanted.isAutomatic)
      await call(dashboardDestinations.update, { params: { destinationId }, body: wanted })
}

/** Adds a rule as a person does: preview first, then on. */
export async function switchOnRule({ call }: Day, days: number): Promise<void> {
  const rule = await call(dashboardLifecycle.add, {
    body: {
      name: `After ${days} days`,
      ...{ since: 'received', days, modalities: [], devices: [], requiresSignedReport: false },
      ...{ copies: 1, isEarlierWhenLow: true, readsBack: false },
    },
  })
  const params = { ruleId: rule.ruleId }
  const { revision } = await call(dashboardLifecycle.preview, { params })
  await call(dashboardLifecycle.switch, { params, body: { isOn: true, revision } })
}

/** The tier of this name; undefined if there is none. */
export async function findTier({ call }: Day, name: string): Promise<Tier | undefined> {
  const { tiers } = await call(dashboardTiers.list, {})
  return tiers.find((tier) => tier.name === name)
}

/** Adds a store that receives all new images, and starts the migration to it. */
export async function startMigration({ call }: Day, store: NewTier): Promise<void> {
  const { tierId } = await call(dashboardTiers.add, { body: store })
  await call(dashboardTiers.migrate, { params: { tierId } })
}
