import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardLifecycle } from '#shared/contract/lifecycle.ts'
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
  const headers = await sessionHeaders(serving.http, OWNER)
  return { serving, call: callerOf(serving.http, headers) }
}

/** Moves the archive to another port of the same host, as when its address is not reachable. */
export async function moveArchive({ call }: Day, port: number): Promise<void> {
  const { destinations } = await call(dashboardDestinations.list, {})
  for (const { destinationId } of destinations)
    await call(dashboardDestinations.update, { params: { destinationId }, body: { port } })
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
