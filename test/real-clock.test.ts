import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sourceLines } from './support/source-lines.ts'
import { sameDayClock } from './support/temp-store.ts'

// A test that takes its day from the real clock fails when midnight comes while it runs.

/** The folders of tests that run whole gateways, and of what they share. */
const FOLDERS = ['attacks', 'crash', 'flows', 'interop', 'support']

/**
 * Files that have one line that makes a date of the real time, each with the reason why midnight
 * does no harm.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  'crash/gateway-worklist.test.ts':
    'tomorrow: what is stored for a day is served until the day is over',
  'flows/clients/typescript.test.ts': 'an instant of Retry-After, of which nobody asks the day',
  'flows/demo-day.test.ts': 'the day of the demo, which continues after midnight',
  'flows/interface/authority.test.ts':
    'a sign-in eleven minutes ago: an instant, of which nobody asks the day',
  'flows/standby-log.test.ts': 'the instant of an entry, of which nobody asks the day',
  'support/image-remover.ts': 'the instant of an entry, of which nobody asks the day',
  'support/imaging-clinic.ts': 'tomorrow: what is stored for a day is served until the day is over',
  'support/object-store.ts': 'the Date of a response, of which nobody asks the day',
  'support/store-writer.ts': 'the instant of an entry, of which nobody asks the day',
  'support/wild-partner.ts':
    'the day of its own rows; a query without a date is answered with those of yesterday too',
}

const REAL_TIME = /new Date\(\)|Date\.now\(\)/
const DATE =
  /new Date\(\)|localDay|toISOString|slice\(0, 10\)|\b(get|set)(UTC)?(Date|Day|Hours|Month|FullYear)\b|DateString/
const takesItsDay = (line: string): boolean => REAL_TIME.test(line) && DATE.test(line)

describe('a test of the gateway', () => {
  it('takes no day from the real clock, but for a reason', () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
    )
    expect(files.length).toBeGreaterThan(100)
    const found = files.flatMap((file) =>
      sourceLines(readFileSync(join(import.meta.dirname, file), 'utf8'))
        .filter(takesItsDay)
        .map(() => file),
    )
    expect(found.toSorted()).toEqual(Object.keys(ALLOWED))
  })

  it.each([
    ['const TODAY = new Date().toISOString().slice(0, 10)', true],
    ['const day = localDay(Date.now())', true],
    ['new Date(Date.now() + 86_400_000).getUTCDate()', true],
    ['const until = Date.now() + 1000', false],
    ['const TODAY = instantOf(clock()).slice(0, 10)', false],
  ])('is found to take it: %s, %s', (line, isFound) => {
    expect(takesItsDay(line)).toBe(isFound)
  })
})

describe('a clock of one day', () => {
  const at = (instant: string) => {
    let real = Date.parse(instant)
    const clock = sameDayClock(() => real)
    const began = new Date(clock()).toISOString()
    real += 3 * 60_000
    return [began, new Date(clock()).toISOString()]
  }

  it('runs with the real one, and begins at midnight where that is near', () => {
    expect(at('2026-11-20T12:30:00.000Z')).toEqual([
      '2026-11-20T12:30:00.000Z',
      '2026-11-20T12:33:00.000Z',
    ])
    expect(at('2026-11-20T23:56:00.000Z')).toEqual([
      '2026-11-20T23:56:00.000Z',
      '2026-11-20T23:59:00.000Z',
    ])
    expect(at('2026-11-20T23:58:00.000Z')).toEqual([
      '2026-11-21T00:00:00.000Z',
      '2026-11-21T00:03:00.000Z',
    ])
  })
})
