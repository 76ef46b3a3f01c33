import { describe, expect, it } from 'vitest'
import { decodeText } from '#gateway/dimse/character-set.ts'
import type { RowKeyword } from '#gateway/worklist/attributes.ts'
import { rowsOfItem } from '#gateway/worklist/item.ts'
import { type CharacterSetPolicy, repertoireFor } from '#gateway/worklist/repertoire.ts'
import type { WorklistRow } from '#gateway/worklist/row.ts'
import { item } from './worklist-values-fixture.ts'

const ASKED = [
  { keyword: 'PatientName', vr: 'PN' },
  { keyword: 'PatientID', vr: 'LO' },
  { keyword: 'StudyDescription', vr: 'LO' },
] as const
const JAPANESE = 'Yamada^Tarou=山田^太郎=やまだ^たろう'
const rowOf = (fields: object) =>
  rowsOfItem(item(1, fields as Record<string, unknown>), { dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: '' })[0] as WorklistRow

function sent(
  fields: object,
  policy: Partial<CharacterSetPolicy>,
  asked: readonly { readonly keyword: RowKeyword; readonly vr: string }[] = ASKED,
) {
  const text = repertoireFor(asked, { deviceSet: null, always: false, countsBytes: false, declared: [], ...policy })(rowOf(fields))
  const terms = text.characterSet === '' ? [] : text.characterSet.split('\\')
  const name = text.encoded.get('PatientName')
  return { set: text.characterSet, name: name && decodeText(name, terms, 'PN').text, remark: text.remark, withheld: text.withheld }
}

describe('a row of the default repertoire', () => {
  it('is sent without a character set', () => expect(sent({}, { deviceSet: 'ISO_IR 144' })).toMatchObject({ set: '', withheld: '' }))
  it('is sent with one where the device wants it always', () => {
    expect(sent({}, { always: true }).set).toBe('ISO_IR 100')
    expect(sent({}, { always: true, deviceSet: 'ISO_IR 192' }).set).toBe('ISO_IR 192')
  })
  it('counts what is asked for only', () => {
    expect(sent({ StudyDescription: 'Schädel' }, { deviceSet: 'ISO_IR 6' }, [{ keyword: 'PatientName', vr: 'PN' }])).toMatchObject({
      set: '',
      remark: '',
    })
  })
})

describe('a device without a set', () => {
  it.each([
    ['Müller', [], 'ISO_IR 100'],
    ['Müller', ['ISO_IR 192'], 'ISO_IR 192'],
    ['Люксембург', ['ISO_IR 144'], 'ISO_IR 144'],
    [JAPANESE, ['', 'ISO 2022 IR 87'], '\\ISO 2022 IR 87'],
    ['Müller', ['NO SUCH SET'], 'ISO_IR 100'],
  ])('gets %s, declaring %j, in %s', (name, declared, set) => {
    expect(sent({ PatientName: name }, { declared })).toEqual({ set, name, remark: '', withheld: '' })
  })

  it.each([
    ['Müller', ['ISO_IR 144'], 'ISO_IR 144', 'Muller'],
    ['Müller', ['ISO_IR 6'], '', 'Muller'],
    ['Люксембург', [], 'ISO_IR 100', 'Liuksemburg'],
    ['Łukasz', ['ISO_IR 100'], 'ISO_IR 100', 'Lukasz'],
    ['Łukasz', ['NO SUCH SET'], 'ISO_IR 100', 'Lukasz'],
    [JAPANESE, ['ISO_IR 100'], 'ISO_IR 100', 'Yamada^Tarou'],
  ])('gets %s, declaring %j, in Latin letters in %s, never in UTF-8', (name, declared, set, expected) => {
    const remark = 'PatientName sent in Latin letters: the device’s character set lacks its own'
    expect(sent({ PatientName: name }, { declared })).toEqual({ set, name: expected, remark, withheld: '' })
  })

  it('gets a name without a form in Latin letters in UTF-8 only where it has not said what it reads', () => {
    expect(sent({ PatientName: '山田^太郎' }, {})).toEqual({
      ...{ set: 'ISO_IR 192', name: '山田^太郎', withheld: '' },
      remark: 'sent in UTF-8: the device declares no character set, and there is no form in Latin letters',
    })
    expect(sent({ PatientName: '山田^太郎' }, { declared: ['ISO_IR 100'] })).toMatchObject({
      withheld: 'its PatientName cannot be written in the character set of this device, nor in Latin letters',
    })
  })

  it('gets its row without what nobody needs and no set of it holds', () => {
    const fields = { PatientName: 'Müller', ReferringPhysicianName: '山田' }
    const asked = [...ASKED, { keyword: 'ReferringPhysicianName', vr: 'PN' }] as const
    expect(sent(fields, { declared: ['ISO_IR 100'] }, asked)).toEqual({
      ...{ set: 'ISO_IR 100', name: 'Müller', withheld: '' },
      remark: 'ReferringPhysicianName sent empty: it cannot be written in the character set of this device, nor in Latin letters',
    })
  })
})

describe('a device with a set', () => {
  it.each([
    ['ISO_IR 100', 'Müller^Änne', 'Müller^Änne', ''],
    ['ISO_IR 100', 'Łukasz', 'Lukasz', 'PatientName sent in Latin letters: the device’s character set lacks its own'],
    ['ISO_IR 6', 'Müller', 'Muller', 'PatientName sent in Latin letters: the device’s character set lacks its own'],
    ['ISO_IR 100', JAPANESE, 'Yamada^Tarou', 'PatientName sent in Latin letters: the device’s character set lacks its own'],
    ['ISO_IR 101', 'Łukasz', 'Łukasz', ''],
    ['ISO 2022 IR 87', JAPANESE, JAPANESE, ''],
  ] as const)('%s gets %s as %s', (deviceSet, name, expected, remark) => {
    const text = sent({ PatientName: name }, { deviceSet, declared: ['ISO_IR 192'] })
    expect([text.name, text.remark, text.withheld]).toEqual([expected, remark, ''])
  })

  it('that can say a row in no way does not get it', () => {
    expect(sent({ PatientName: '山田^太郎' }, { deviceSet: 'ISO_IR 100' })).toMatchObject({
      name: undefined,
      withheld: 'its PatientName cannot be written in the character set of this device, nor in Latin letters',
    })
  })

  it('never gets an identifier in other letters', () => {
    expect(sent({ PatientID: 'Ä-1' }, { deviceSet: 'ISO_IR 6' }).withheld).toMatch(/^its PatientID cannot be written/)
  })

  it('never gets a question mark for a character', () => {
    for (const deviceSet of ['ISO_IR 6', 'ISO_IR 100', 'ISO_IR 144', 'ISO_IR 13', 'ISO 2022 IR 149'] as const)
      for (const PatientName of ['Müller', 'Łukasz', 'Люксембург^Анна', 'Παπαδόπουλος', JAPANESE, '山田', 'قباني', '홍^길동'])
        expect(sent({ PatientName }, { deviceSet }).name ?? '').not.toContain('?')
  })
})

describe('a device that counts bytes', () => {
  const counted = (fields: object, policy: Partial<CharacterSetPolicy> = {}) => {
    const text = repertoireFor(ASKED, { deviceSet: 'ISO_IR 192', always: false, countsBytes: true, declared: [], ...policy })(rowOf(fields))
    const decoded = [...text.encoded].map(([keyword, bytes]) => [keyword, decodeText(bytes, text.characterSet.split('\\'), 'LO').text])
    return { ...text, encoded: Object.fromEntries(decoded) as Record<string, string> }
  }

  it('gets a description cut at a character, with a remark, and the same description whole where it counts characters', () => {
    const fields = { StudyDescription: `${'ä'.repeat(31)}xyz` }
    expect(counted(fields)).toMatchObject({
      encoded: { StudyDescription: `${'ä'.repeat(31)}xy` },
      remark: 'StudyDescription cut: the device counts bytes, and has no room for more',
      withheld: '',
    })
    expect(counted(fields, { countsBytes: false })).toMatchObject({ encoded: fields, remark: '' })
  })

  it('gets it whole in a set that says it in less', () => {
    const fields = { StudyDescription: 'ä'.repeat(60) }
    expect(counted(fields, { deviceSet: null, declared: ['ISO_IR 192'] })).toMatchObject({
      characterSet: 'ISO_IR 100',
      encoded: fields,
      remark: '',
    })
  })

  it('gets no row whose identifier it has no room for', () => {
    expect(counted({ PatientID: 'ä'.repeat(33) })).toMatchObject({
      withheld: 'its PatientID takes more bytes than this device has room for',
    })
    expect(counted({ PatientID: 'ä'.repeat(32) })).toMatchObject({ withheld: '', remark: '' })
  })

  it('gets a name it has no room for in Latin letters, never a part of one', () => {
    const name = 'Александрова-Константинопольская^Екатерина'
    expect(counted({ PatientName: name })).toMatchObject({
      withheld: '',
      encoded: { PatientName: expect.stringMatching(/^Aleksandrova-Konstantinopol.*\^Ekaterina$/) },
      remark: expect.stringMatching(/^PatientName sent in Latin letters: /),
    })
    expect(counted({ PatientName: `${'Щ'.repeat(40)}^А` })).toMatchObject({
      withheld: 'its PatientName takes more bytes than this device has room for, also in Latin letters',
    })
  })

  it('without a set gets the other texts in their own letters where the name alone has no room', () => {
    const fields = { PatientName: `${'Ж'.repeat(20)}^${'Б'.repeat(20)}`, StudyDescription: 'Грудь' }
    expect(counted(fields, { deviceSet: null, declared: ['ISO_IR 192'] })).toMatchObject({
      withheld: '',
      characterSet: 'ISO_IR 192',
      encoded: { StudyDescription: 'Грудь' },
    })
  })

  it('gets the alphabetic group of a name whose other groups have no room', () => {
    expect(counted({ PatientName: `Yamada^Tarou=${'山'.repeat(30)}` })).toMatchObject({
      withheld: '',
      encoded: { PatientName: 'Yamada^Tarou' },
    })
  })
})
