import { randomBytes } from 'node:crypto'
import { OWNER } from '../../support/gateway.ts'

/**
 * Below the traced folder: the data folder, which the gateway makes, and the folder of the backups.
 */
export const DATA = 'data'
export const BACKUPS = 'backups'

export const RADIOLOGIST = {
  email: 'radiologist@clinic.example',
  password: OWNER.password,
} as const

/** Nobody listens there (RFC 6335, discard): what is to be delivered stays queued. */
export const UNREACHABLE = {
  url: 'http://127.0.0.1:9/',
  secret: `whsec_${randomBytes(32).toString('base64')}`,
} as const

/** Time passes as it does, from an instant that is always the same. */
export function traceClock(): () => number {
  const begins = Date.parse('2026-03-10T09:00:00.000Z') - performance.now()
  return () => Math.floor(begins + performance.now())
}
