import { describe, expect, it } from 'vitest'
import { openSettings } from '#server/modules/settings/settings.ts'
import type { SettingKey } from '#shared/contract/settings.ts'
import { tempStore } from '../../../../support/temp-store.ts'

describe('changing settings', () => {
  it('takes several, notes each with its value before and after, and tells who listens after the commit', () => {
    using temp = tempStore()
    const settings = openSettings(temp)
    const heard: (readonly SettingKey[])[] = []
    const stop = settings.onChange((keys) => {
      expect(temp.store.database.inTransaction).toBe(false)
      heard.push(keys)
    })
    const after = settings.change(
      { 'dimse.aeTitle': ' GATE ', 'dimse.port': 104, 'worklist.daysBack': 1 },
      'command-line',
    )
    expect(after).toMatchObject({ 'dimse.aeTitle': 'GATE', 'dimse.port': 104 })
    expect(settings.get('dimse.aeTitle')).toBe('GATE')
    expect(heard).toEqual([['dimse.aeTitle', 'dimse.port']])
    expect(
      temp.store.audit
        .list({ limit: 10 })
        .items.map(({ action, target, detail }) => [action, target, detail]),
    ).toEqual([
      ['setting.change', 'dimse.port', { before: 11_112, after: 104 }],
      ['setting.change', 'dimse.aeTitle', { before: 'ISTHMUS', after: 'GATE' }],
    ])
    stop()
    settings.change({ 'dimse.port': 11_112 }, 'command-line')
    expect(heard).toHaveLength(1)
  })

  it('takes none when one is wrong, and names each that is', () => {
    using temp = tempStore()
    const settings = openSettings(temp)
    const before = settings.all()
    const change = () =>
      settings.change(
        {
          'dimse.port': 104,
          'dimse.aeTitle': 'a\\b',
          'worklist.maxRows': 0,
          'no.such': 1,
          'clinic.id': null,
          'clinic.timeZone': 'Mars',
        },
        'gateway',
      )
    const paths = ['dimse.aeTitle', 'worklist.maxRows', 'no.such', 'clinic.id', 'clinic.timeZone']
    expect(change).toThrow(
      expect.objectContaining({
        code: 'malformed',
        errors: paths.map((name) => expect.objectContaining({ path: `body.settings.${name}` })),
      }),
    )
    expect(settings.all()).toEqual(before)
    expect(temp.store.audit.list({ limit: 10 }).items).toEqual([])
  })

  it('says nothing of a change that was rolled back', () => {
    using temp = tempStore()
    const settings = openSettings(temp)
    const heard: unknown[] = []
    settings.onChange((keys) => heard.push(keys))
    const work = () =>
      temp.store.database.transaction(() => {
        settings.change({ 'dimse.port': 104 }, 'gateway')
        throw new Error('rolled back')
      })
    expect(work).toThrow('rolled back')
    expect([settings.get('dimse.port'), heard]).toEqual([11_112, []])
  })
})
