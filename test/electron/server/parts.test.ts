import { expect, it } from 'vitest'
import { openParts } from '#server/parts.ts'
import { tempFolder } from '../../support/temp-store.ts'

it('lets the settings of one run stand before those that are kept, and does not keep them', () => {
  using temp = tempFolder()
  {
    using parts = openParts(temp.folder, { overrides: { 'http.port': 0, 'dimse.aeTitle': 'GATE' } })
    parts.settings.change({ 'http.port': 9000, 'clinic.name': 'St. Ann' }, 'command-line')
    expect(parts.settings.get('http.port')).toBe(0)
    expect(parts.settings.all()).toMatchObject({
      'http.port': 0,
      'dimse.aeTitle': 'GATE',
      'clinic.name': 'St. Ann',
    })
  }
  using parts = openParts(temp.folder)
  expect(parts.settings.all()).toMatchObject({
    'http.port': 9000,
    'dimse.aeTitle': 'ISTHMUS',
    'clinic.name': 'St. Ann',
  })
})
