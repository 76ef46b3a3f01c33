import { expect, vi } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { Serving } from './command-line.ts'
import type { Clinic } from './damaged-clinic.ts'
import { callerOf, type StartedGateway, signIn } from './gateway.ts'
import { OWN_PAGE } from './http-call.ts'

export const until = (check: () => unknown) => vi.waitFor(check, { timeout: 60_000, interval: 20 })

/** A line on standard output that says where something serves. */
export interface Line {
  readonly http: string
  readonly link?: string
  readonly rescue?: boolean
  readonly dimse?: string
}

/** The line of the n-th start within one process. */
export async function line(serve: Serving, number: number): Promise<Line> {
  await until(() =>
    expect(serve.stdout.length, serve.stderr.join('\n')).toBeGreaterThanOrEqual(number),
  )
  return JSON.parse(serve.stdout[number - 1] ?? '') as Line
}

/** Calls of the page that repairs the data. */
export function rescueOf({ http, link }: Line): StartedGateway['call'] {
  const token = new URL(link ?? '').hash.replace('#token=', '')
  return callerOf(http, { ...OWN_PAGE, authorization: `Bearer ${token}` })
}

/** The gateway has the backup: CT1 was in it, CT2 came after it. */
export async function expectRestored(
  { http }: Line,
  { backup }: Clinic,
): Promise<StartedGateway['call']> {
  const call = await signIn(http)
  const devices = await call(dashboard.devices, {})
  expect(devices.devices.map(({ aeTitle }) => aeTitle)).toEqual(['CT1'])
  const { entries } = await call(dashboard.audit, { query: {} })
  const entry = entries.find(({ action }) => action === 'database.restore')
  expect(entry).toMatchObject({ actor: 'gateway', target: backup.name })
  const { isIntact } = await call(dashboard.verifyAudit, {})
  expect(isIntact).toBe(true)
  return call
}
