import { describe, expect, it } from 'vitest'
import type { SettingKey } from '#shared/contract/settings.ts'
import { tempStore } from '../../../support/temp-store.ts'

describe('changing settings', () => {
  it('takes several, notes each with its value before and after, and tells who listens after the commit', () => {
    using temp = tempStore()
    const heard: (readonly SettingKey[])[] = []
    const stop = temp.store.settings.onChange((keys) => {
      expect(temp.store.database.inTransaction).toBe(false)
      heard.push(keys)
    })
    const after = temp.store.settings.change(
      { 'dimse.aeTitle': ' GATE ', 'dimse.port': 104, 'worklist.daysBack': 1 },
      'command-line',
    )
    expect(after).toMatchObject({ 'dimse.aeTitle': 'GATE', 'dimse.port': 104 })
    expect(temp.store.settings.get('dimse.aeTitle')).toBe('GATE')
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
    temp.store.settings.change({ 'dimse.port': 11_112 }, 'command-line')
    expect(heard).toHaveLength(1)
  })

  it('takes none when one is wrong, and names each that is', () => {
    using temp = tempStore()
    const before = temp.store.settings.all()
    const change = () =>
      temp.store.settings.change(
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
    expect(temp.store.settings.all()).toEqual(before)
    expect(temp.store.audit.list({ limit: 10 }).items).toEqual([])
  })

  it('says nothing of a change that was rolled back', () => {
    using temp = tempStore()
    const heard: unknown[] = []
    temp.store.settings.onChange((keys) => heard.push(keys))
    const work = () =>
      temp.store.database.transaction(() => {
        temp.store.settings.change({ 'dimse.port': 104 }, 'gateway')
        throw new Error('rolled back')
      })
    expect(work).toThrow('rolled back')
    expect([temp.store.settings.get('dimse.port'), heard]).toEqual([11_112, []])
  })
})
