import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import {
  desktopLog,
  keepCrashReports,
  watchCrashes,
} from '../../../electron/desktop/crash-reports.ts'
import * as fake from '../../support/electron.ts'

beforeEach(() => fake.forgetAll())

it('keeps reports of crashes on this PC', () => {
  keepCrashReports()
  expect(fake.crashes.options?.uploadToServer).toBe(false)
  expect(fake.crashes.options?.submitURL).toBeUndefined()
})

it('loads a page again that crashed, thrice within ten minutes, and notes what ended', () => {
  let now = 0
  const noted: unknown[] = []
  watchCrashes(
    (event, facts) => noted.push([event, facts.reason]),
    () => now,
  )
  const contents = new fake.Contents()
  const crash = (reason: string) =>
    fake.app.fire('render-process-gone', fake.event(), contents, { reason, exitCode: 5 })
  for (const reason of ['crashed', 'oom', 'clean-exit', 'crashed', 'crashed']) crash(reason)
  expect(contents.reloads).toBe(3)
  now = 11 * 60_000
  crash('crashed')
  expect(contents.reloads).toBe(4)
  fake.app.fire('child-process-gone', fake.event(), {
    type: 'GPU',
    reason: 'crashed',
    exitCode: 9,
    name: 'GPU',
  })
  expect(noted).toHaveLength(7)
  expect(noted.at(-1)).toEqual(['a process ended', 'crashed'])
})

it('writes its log in lines, and keeps one older file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-log-'))
  const file = join(folder, 'logs', 'desktop.log')
  const log = desktopLog(file, () => 0)
  log('it began')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    event: 'it began',
  })
  for (let n = 0; n < 3; n++) log('much', { text: 'x'.repeat(600_000) })
  expect(existsSync(`${file}.1`)).toBe(true)
  expect(readFileSync(file, 'utf8').length).toBeLessThan(1_300_000)
  expect(() =>
    desktopLog(join(folder, 'nowhere', 'at all', 'desktop.log'), () => 0)('lost'),
  ).not.toThrow()
  rmSync(folder, { recursive: true, force: true })
})
