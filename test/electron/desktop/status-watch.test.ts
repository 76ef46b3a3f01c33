import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openControl } from '#server/modules/control/control.ts'
import { watchStatus } from '../../../electron/desktop/status-watch.ts'
import type { ShellStatus } from '../../../shared/contract/shell.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-status-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const STATUS: ShellStatus = {
  ...{ version: '1', isSafe: false, tray: 'ok', lines: [], attention: [], openAssociations: 2 },
  update: { isAutomatic: true, at: '03:00', timeZone: 'Europe/Madrid' },
}

it('says how the gateway is, and nothing while it does not answer or says what is no status', async () => {
  const heard: (ShellStatus | undefined)[] = []
  using watch = watchStatus(folder, (status) => heard.push(status))
  expect(await watch.now()).toBeUndefined()
  let output = JSON.stringify(STATUS)
  let isOk = true
  const control = await openControl(folder, () => Promise.resolve({ ok: isOk, output }))
  const [one, other] = await Promise.all([watch.now(), watch.now()])
  expect(one).toEqual(STATUS)
  expect(other).toBe(one)
  expect(watch.latest()).toEqual(STATUS)
  output = '{"tray":"a colour"}'
  expect(await watch.now()).toBeUndefined()
  output = 'no JSON'
  expect(await watch.now()).toBeUndefined()
  output = JSON.stringify(STATUS)
  isOk = false
  expect(await watch.now()).toBeUndefined()
  await control[Symbol.asyncDispose]()
  expect(heard).toEqual([undefined, STATUS, undefined, undefined, undefined])
})
