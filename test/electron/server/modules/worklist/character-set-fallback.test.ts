import { describe, expect, it } from 'vitest'
import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import type { RowKeyword } from '#server/modules/worklist/attributes.ts'
import {
  type CharacterSetPolicy,
  encodedLength,
  isEncodingFailure,
  policyOf,
  type RowText,
  rowEncoder,
  truncateToBytes,
} from '#server/modules/worklist/character-set-fallback.ts'
import { rowsOfItem } from '#server/modules/worklist/item.ts'
import type { WorklistRow } from '#server/modules/worklist/row.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'
import { device, item } from './worklist-values-fixture.ts'

const ASKED = [
  { keyword: 'PatientName', vr: 'PN' },
  { keyword: 'PatientID', vr: 'LO' },
  { keyword: 'StudyDescription', vr: 'LO' },
] as const
const WITH_REQUEST = [...ASKED, { keyword: 'RequestedProcedureDescription', vr: 'LO' }] as const
const JAPANESE = 'Yamada^Tarou=山田^太郎=やまだ^たろう'
const rowOf = (fields: object) =>
  rowsOfItem(item(1, fields as Record<string, unknown>), {
    dateStart: '2026-11-20',
    dateEnd: '2026-11-20',
    modality: '',
  })[0] as WorklistRow

/** What is said of a row, in English. */
const saidOf = ({ remarks, withheld }: RowText) => ({
  remark: remarks.map(englishText).join('; '),
  withheld: withheld ? englishText(withheld) : '',
})

/** Every value that is sent as bytes, decoded. */
function encodedOf(
  fields: object,
  policy: Partial<CharacterSetPolicy>,
  asked: readonly { readonly keyword: RowKeyword; readonly vr: string }[] = WITH_REQUEST,
) {
  const text = rowEncoder(asked, {
    deviceSet: null,
    always: false,
    countsBytes: false,
    declared: [],
    ...policy,
  })(rowOf(fields))
  const terms = text.characterSet === '' ? [] : text.characterSet.split('\\')
  const decoded = [...text.encoded].map(([keyword, bytes]) => [
    keyword,
    decodeText(bytes, terms, keyword === 'PatientName' ? 'PN' : 'LO').text,
  ])
  return {
    ...text,
    ...saidOf(text),
    encoded: Object.fromEntries(decoded) as Record<string, string>,
  }
}

function sent(
  fields: object,
  policy: Partial<CharacterSetPolicy>,
  asked: readonly { readonly keyword: RowKeyword; readonly vr: string }[] = ASKED,
) {
  const text = rowEncoder(asked, {
    deviceSet: null,
    always: false,
    countsBytes: false,
    declared: [],
    ...policy,
  })(rowOf(fields))
  const terms = text.characterSet === '' ? [] : text.characterSet.split('\\')
  const name = text.encoded.get('PatientName')
  return {
    set: text.characterSet,
    name: name && decodeText(name, terms, 'PN').text,
    ...saidOf(text),
  }
}

describe('a row of the default repertoire', () => {
  it('is sent without a character set', () =>
    expect(sent({}, { deviceSet: 'ISO_IR 144' })).toMatchObject({ set: '', withheld: '' }))
  it('is sent with one where the device wants it always', () => {
    expect(sent({}, { always: true }).set).toBe('ISO_IR 100')
    expect(sent({}, { always: true, deviceSet: 'ISO_IR 192' }).set).toBe('ISO_IR 192')
    expect(sent({}, { always: true, deviceSet: 'ISO 2022 IR 87' }).set).toBe('\\ISO 2022 IR 87')
  })
  it('is encoded for the Roman set of JIS, which has another sign where ASCII has its tilde', () => {
    const always = { always: true, deviceSet: 'ISO_IR 13' } as const
    expect(encodedOf({ PatientName: 'DOE^JANE' }, always)).toMatchObject({
      characterSet: 'ISO_IR 13',
      encoded: { PatientName: 'DOE^JANE' },
    })
    expect(encodedOf({ StudyDescription: 'CT ~ MR' }, always).withheld).toMatch(
      /^its StudyDescription cannot be written in this device’s character set/,
    )
    expect(encodedOf({ StudyDescription: 'CT ~ MR' }, { ...always, always: false })).toMatchObject({
      characterSet: '',
      encoded: {},
      withheld: '',
    })
  })
  it('counts what is asked for only', () => {
    for (const deviceSet of ['ISO_IR 6', 'ISO_IR 100'] as const)
      expect(
        sent({ StudyDescription: 'Schädel' }, { deviceSet }, [
          { keyword: 'PatientName', vr: 'PN' },
        ]),
      ).toMatchObject({
        set: '',
        remark: '',
      })
  })
})

describe('a row', () => {
  it('has only those values encoded that are not plain', () => {
    expect(encodedOf({ PatientName: 'Müller', StudyDescription: 'CT Chest' }, {}).encoded).toEqual({
      PatientName: 'Müller',
    })
  })

  it('is encoded once for each query', () => {
    const textOf = rowEncoder(ASKED, {
      deviceSet: null,
      always: false,
      countsBytes: false,
      declared: [],
    })
    const row = rowOf({ PatientName: 'Müller' })
    expect(textOf(row)).toBe(textOf(row))
  })
})

describe('the policy of a query', () => {
  it('is that of its device, with the terms that the query declared', () => {
    const set = device({
      characterSet: 'ISO_IR 144',
      alwaysSendCharacterSet: true,
      countsBytes: true,
    })
    expect(policyOf(set, ['ISO_IR 100'])).toEqual({
      ...{ deviceSet: 'ISO_IR 144', always: true, countsBytes: true, declared: ['ISO_IR 100'] },
    })
    expect(policyOf(device(), [])).toEqual({
      deviceSet: null,
      always: false,
      countsBytes: false,
      declared: [],
    })
  })

  it('of a device that is not known has no set, and counts characters', () => {
    expect(policyOf(undefined, ['ISO_IR 100'])).toEqual({
      ...{ deviceSet: null, always: false, countsBytes: false, declared: ['ISO_IR 100'] },
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
    expect(sent({ PatientName: name }, { declared })).toEqual({
      set,
      name,
      remark: '',
      withheld: '',
    })
  })

  it.each([
    ['Müller', ['ISO_IR 144'], 'ISO_IR 144', 'Muller'],
    ['Müller', ['ISO_IR 6'], '', 'Muller'],
    ['Люксембург', [], 'ISO_IR 100', 'Liuksemburg'],
    ['Łukasz', ['ISO_IR 100'], 'ISO_IR 100', 'Lukasz'],
    ['Łukasz', ['NO SUCH SET'], 'ISO_IR 100', 'Lukasz'],
    [JAPANESE, ['ISO_IR 100'], 'ISO_IR 100', 'Yamada^Tarou'],
  ])(
    'gets %s, declaring %j, in Latin letters in %s, never in UTF-8',
    (name, declared, set, expected) => {
      const remark =
        'PatientName: sent in basic Latin letters, because the device’s character set does not contain all of the original characters'
      expect(sent({ PatientName: name }, { declared })).toEqual({
        set,
        name: expected,
        remark,
        withheld: '',
      })
    },
  )

  it('gets a name without a form in Latin letters in UTF-8 only where it has not said what it reads', () => {
    expect(sent({ PatientName: '山田^太郎' }, {})).toEqual({
      ...{ set: 'ISO_IR 192', name: '山田^太郎', withheld: '' },
      remark:
        'sent in UTF-8: the device declares no character set, and the text cannot be written in Latin letters',
    })
    expect(sent({ PatientName: '山田^太郎' }, { declared: ['ISO_IR 100'] })).toMatchObject({
      withheld:
        'its PatientName cannot be written in this device’s character set or in Latin letters',
    })
  })

  it('gets its row without what nobody needs and no set of it holds', () => {
    const fields = { PatientName: 'Müller', ReferringPhysicianName: '山田' }
    const asked = [...ASKED, { keyword: 'ReferringPhysicianName', vr: 'PN' }] as const
    expect(sent(fields, { declared: ['ISO_IR 100'] }, asked)).toEqual({
      ...{ set: 'ISO_IR 100', name: 'Müller', withheld: '' },
      remark:
        'ReferringPhysicianName: sent empty, because the text cannot be written in this device’s character set or in Latin letters',
    })
  })
})

describe('a device with a set', () => {
  it.each([
    ['ISO_IR 100', 'Müller^Änne', 'Müller^Änne', ''],
    [
      'ISO_IR 100',
      'Łukasz',
      'Lukasz',
      'PatientName: sent in basic Latin letters, because the device’s character set does not contain all of the original characters',
    ],
    [
      'ISO_IR 6',
      'Müller',
      'Muller',
      'PatientName: sent in basic Latin letters, because the device’s character set does not contain all of the original characters',
    ],
    [
      'ISO_IR 100',
      JAPANESE,
      'Yamada^Tarou',
      'PatientName: sent in basic Latin letters, because the device’s character set does not contain all of the original characters',
    ],
    ['ISO_IR 101', 'Łukasz', 'Łukasz', ''],
    ['ISO 2022 IR 87', JAPANESE, JAPANESE, ''],
  ] as const)('%s gets %s as %s', (deviceSet, name, expected, remark) => {
    const text = sent({ PatientName: name }, { deviceSet, declared: ['ISO_IR 192'] })
    expect([text.name, text.remark, text.withheld]).toEqual([expected, remark, ''])
  })

  it('that can say a row in no way does not get it', () => {
    expect(sent({ PatientName: '山田^太郎' }, { deviceSet: 'ISO_IR 100' })).toEqual({
      ...{ name: undefined, set: '', remark: '' },
      withheld:
        'its PatientName cannot be written in this device’s character set or in Latin letters',
    })
  })

  it('gets in Latin letters only what its set cannot say, and a remark that names it', () => {
    const fields = {
      PatientName: 'Łukasz',
      StudyDescription: 'Schädel',
      RequestedProcedureDescription: 'Łokieć',
    }
    expect(encodedOf(fields, { deviceSet: 'ISO_IR 100' })).toMatchObject({
      encoded: {
        PatientName: 'Lukasz',
        StudyDescription: 'Schädel',
        RequestedProcedureDescription: 'Lokiec',
      },
      remark: expect.stringMatching(
        /^PatientName, RequestedProcedureDescription: sent in basic Latin letters, /,
      ),
    })
    expect(sent({ PatientName: 'Łukasz' }, { deviceSet: 'ISO 2022 IR 87' })).toMatchObject({
      set: '\\ISO 2022 IR 87',
      name: 'Lukasz',
    })
  })

  it('gets a text whole beside a name in Latin letters, however many bytes it takes', () => {
    const fields = { PatientName: 'Łukasz', StudyDescription: '頭'.repeat(64) }
    expect(encodedOf(fields, { deviceSet: 'ISO 2022 IR 87' }).encoded).toEqual({
      ...fields,
      PatientName: 'Lukasz',
    })
  })

  it('gets the first group of a name that it can say, in its own letters before Latin ones', () => {
    expect(sent({ PatientName: 'Müller=山田' }, { deviceSet: 'ISO_IR 100' }).name).toBe('Müller')
    expect(
      sent({ PatientName: '=山田^太郎=やまだ^たろう' }, { deviceSet: 'ISO_IR 100' }).name,
    ).toBe('Yamada^Tarou')
  })

  it('gets a description with an equals sign whole', () => {
    expect(
      encodedOf({ StudyDescription: 'Łokieć = łydka' }, { deviceSet: 'ISO_IR 100' }).encoded,
    ).toEqual({
      StudyDescription: 'Lokiec = lydka',
    })
  })

  it('never gets an identifier in other letters', () => {
    expect(sent({ PatientID: 'Ä-1' }, { deviceSet: 'ISO_IR 6' }).withheld).toMatch(
      /^its PatientID cannot be written in this device’s character set/,
    )
  })

  it('never gets a question mark for a character', () => {
    for (const deviceSet of [
      'ISO_IR 6',
      'ISO_IR 100',
      'ISO_IR 144',
      'ISO_IR 13',
      'ISO 2022 IR 149',
    ] as const)
      for (const PatientName of [
        'Müller',
        'Łukasz',
        'Люксембург^Анна',
        'Παπαδόπουλος',
        JAPANESE,
        '山田',
        'قباني',
        '홍^길동',
      ])
        expect(sent({ PatientName }, { deviceSet }).name ?? '').not.toContain('?')
  })
})

describe('a device that counts bytes', () => {
  const counted = (fields: object, policy: Partial<CharacterSetPolicy> = {}) =>
    encodedOf(fields, { deviceSet: 'ISO_IR 192', countsBytes: true, ...policy })

  it('gets a description cut at a character, with a remark, and the same description whole where it counts characters', () => {
    const fields = { StudyDescription: `${'ä'.repeat(31)}xyz` }
    expect(counted(fields)).toMatchObject({
      encoded: { StudyDescription: `${'ä'.repeat(31)}xy` },
      remark: 'StudyDescription: shortened, because the device counts bytes and accepts no more',
      withheld: '',
    })
    expect(counted(fields, { countsBytes: false })).toMatchObject({ encoded: fields, remark: '' })
  })

  it('gets a remark that names everything that was cut, and what is in Latin letters', () => {
    const long = 'ä'.repeat(40)
    expect(counted({ StudyDescription: long, RequestedProcedureDescription: long }).remark).toBe(
      'StudyDescription, RequestedProcedureDescription: shortened, because the device counts bytes and accepts no more',
    )
    const name = { PatientName: `${'Ж'.repeat(20)}^${'Б'.repeat(20)}` }
    const latin =
      'PatientName: sent in basic Latin letters, because the device’s character set does not contain all of the original characters, or the original text is too long for the device'
    expect(counted({ ...name, StudyDescription: long }).remark).toBe(
      `${latin}; StudyDescription: shortened, because the device counts bytes and accepts no more`,
    )
    expect(counted({ ...name, StudyDescription: 'Schädel' }).remark).toBe(latin)
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
      withheld: 'its PatientID takes more bytes than this device accepts',
    })
    expect(counted({ PatientID: 'ä'.repeat(32) })).toMatchObject({ withheld: '', remark: '' })
  })

  it('gets a name it has no room for in Latin letters, never a part of one', () => {
    const name = 'Александрова-Константинопольская^Екатерина'
    expect(counted({ PatientName: name })).toMatchObject({
      withheld: '',
      encoded: { PatientName: expect.stringMatching(/^Aleksandrova-Konstantinopol.*\^Ekaterina$/) },
      remark: expect.stringMatching(/^PatientName: sent in basic Latin letters, /),
    })
    expect(counted({ PatientName: `${'Щ'.repeat(40)}^А` })).toMatchObject({
      withheld: 'its PatientName takes more bytes than this device accepts, even in Latin letters',
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

describe('a row that is withheld', () => {
  it('might go to another device where its text was the reason, and to none otherwise', () => {
    const policy = {
      ...policyOf(undefined, []),
      deviceSet: 'ISO_IR 192',
      countsBytes: true,
    } as const
    const withheldOf = (fields: object, given: CharacterSetPolicy) =>
      rowEncoder(ASKED, given)(rowOf(fields)).withheld
    const noRoom = withheldOf({ PatientID: 'ä'.repeat(33) }, policy)
    const noRoomForName = withheldOf({ PatientName: 'Щ'.repeat(40) }, policy)
    const noLetters = withheldOf({ PatientName: '山田' }, { ...policy, deviceSet: 'ISO_IR 100' })
    expect([noRoom, noRoomForName, noLetters].map(isEncodingFailure)).toEqual([true, true, true])
    const noId = message('worklist.value-missing', { keyword: 'PatientID' })
    expect([null, noId].map(isEncodingFailure)).toEqual([false, false])
  })
})

const UTF8 = ['ISO_IR 192']

describe('the width of a value', () => {
  it('is its bytes in the character set, and of a name those of its longest group', () => {
    expect(encodedLength('ä'.repeat(40), UTF8, 'LO')).toBe(80)
    expect(encodedLength('ä'.repeat(40), ['ISO_IR 100'], 'LO')).toBe(40)
    expect(encodedLength('Yamada^Tarou=山田^太郎=やまだ', UTF8, 'PN')).toBe(13)
    // Each two-byte component with its two escape sequences of three bytes (PS3.5 H.3.1).
    expect(encodedLength('Y=山田^太郎', ['', 'ISO 2022 IR 87'], 'PN')).toBe(2 * (3 + 4 + 3) + 1)
  })

  it('is not known where the set cannot say it', () => {
    expect(encodedLength('山', ['ISO_IR 100'], 'LO')).toBeUndefined()
    expect(encodedLength('A=山', ['ISO_IR 100'], 'PN')).toBeUndefined()
  })
})

describe('a cut', () => {
  it('keeps characters and their marks whole, and leaves no space at the end', () => {
    expect(truncateToBytes(`${'x'.repeat(63)}ä`, UTF8, 'LO')?.toString()).toBe('x'.repeat(63))
    // ạ̈ has no single code point.
    expect(truncateToBytes(`${'x'.repeat(62)}a\u0323\u0308`, UTF8, 'LO')?.toString()).toBe(
      'x'.repeat(62),
    )
    expect(truncateToBytes(`${'x'.repeat(62)} ää`, UTF8, 'LO')?.toString()).toBe('x'.repeat(62))
    expect(truncateToBytes('x'.repeat(17), [], 'SH')?.toString()).toBe('x'.repeat(16))
  })

  it('ends a two-byte text in the set it began with', () => {
    const bytes = truncateToBytes('漢'.repeat(64), ['', 'ISO 2022 IR 87'], 'LO')
    expect(bytes?.length).toBe(64)
    expect(bytes?.subarray(-3).toString('latin1')).toBe('\x1b(B')
  })

  it('does not make a text sayable', () => {
    expect(truncateToBytes(`${'x'.repeat(64)}山`, ['ISO_IR 100'], 'LO')).toBeUndefined()
  })
})
