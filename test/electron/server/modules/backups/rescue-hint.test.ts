import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RESCUE_HINT_FILE } from '#server/database/data-directory.ts'
import { openRescueHint, readRescueHint } from '#server/modules/backups/rescue-hint.ts'
import { tempStore } from '../../../../support/temp-store.ts'

it('notes where the backups are beside the database, and follows a change until it ends', () => {
  using temp = tempStore()
  const end = openRescueHint(temp.store)
  expect(existsSync(join(temp.folder, RESCUE_HINT_FILE))).toBe(false)
  temp.store.settings.change({ 'backup.folder': '/mnt/one' }, 'gateway')
  expect(readRescueHint(temp.folder)).toBe('/mnt/one')
  temp.store.settings.change({ 'backup.folder': '/mnt/two' }, 'gateway')
  expect(readRescueHint(temp.folder)).toBe('/mnt/two')
  end()
  temp.store.settings.change({ 'backup.folder': '/mnt/three' }, 'gateway')
  expect(readRescueHint(temp.folder)).toBe('/mnt/two')
})

it('knows nothing of a note that is not there or not whole, and fails at none that cannot be written', () => {
  using temp = tempStore()
  expect(readRescueHint(temp.folder)).toBeUndefined()
  writeFileSync(join(temp.folder, RESCUE_HINT_FILE), '{"version":1')
  expect(readRescueHint(temp.folder)).toBeUndefined()
  mkdirSync(join(temp.folder, `${RESCUE_HINT_FILE}.part`))
  openRescueHint(temp.store)
  temp.store.settings.change({ 'backup.folder': '/mnt/one' }, 'gateway')
  expect(readRescueHint(temp.folder)).toBeUndefined()
})
