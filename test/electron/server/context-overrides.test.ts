import { expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { tempFolder } from '../../support/temp-store.ts'

it('lets the settings of one run stand before those that are kept, and does not keep them', () => {
  using temp = tempFolder()
  {
    using context = openContext({
      folder: temp.folder,
      overrides: { 'http.port': 0, 'dimse.aeTitle': 'GATE' },
    })
    context.settings.change({ 'http.port': 9000, 'clinic.name': 'St. Ann' }, 'command-line')
    expect(context.settings.get('http.port')).toBe(0)
    expect(context.settings.all()).toMatchObject({
      'http.port': 0,
      'dimse.aeTitle': 'GATE',
      'clinic.name': 'St. Ann',
    })
  }
  using context = openContext({ folder: temp.folder })
  expect(context.settings.all()).toMatchObject({
    'http.port': 9000,
    'dimse.aeTitle': 'ISTHMUS',
    'clinic.name': 'St. Ann',
  })
})
