import { expect, it } from 'vitest'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { declaredTerms, textReader } from '#server/dicom/matching/key-text.ts'
import { receivedKey } from '#server/modules/worklist/received-key.ts'
import { message } from '#shared/messages/message.ts'
import { dataSetOf } from './worklist-values-fixture.ts'

const name = (bytes: Buffer) => ({ tag: 0x00100010, vr: 'PN', value: bytes })

it('reads the declared character sets, the first of which may be empty', () => {
  expect(declaredTerms(dataSetOf({ SpecificCharacterSet: '\\ISO 2022 IR 87 ' }))).toEqual([
    '',
    'ISO 2022 IR 87',
  ])
  expect(declaredTerms(dataSetOf({ SpecificCharacterSet: '' }))).toEqual([])
  expect(declaredTerms(dataSetOf({ PatientName: '' }))).toEqual([])
})

it('refuses more character sets than the standard defines', () => {
  const termsOf = (SpecificCharacterSet: string) =>
    declaredTerms(dataSetOf({ SpecificCharacterSet }))
  expect(termsOf(Array(20).fill('ISO_IR 100').join('\\'))).toHaveLength(20)
  const refusal = new DimseError(
    0xa900,
    message('worklist.many-character-sets', { most: 20 }),
    [0x00080005],
  )
  expect(() => termsOf('\\'.repeat(20))).toThrow(refusal)
  expect(termsOf('\\'.repeat(19))).toHaveLength(20)
  expect(() => termsOf('x'.repeat(341))).toThrow(refusal)
  expect(termsOf('x'.repeat(340))).toHaveLength(1)
})

it('reads a query that declares no set in the set of the device', () => {
  const ue = name(Buffer.from([0xfc]))
  expect(textReader([], 'ISO_IR 100')(ue, 'PN')).toEqual({ text: 'ü', isExact: true })
  expect(textReader(['ISO_IR 192'], 'ISO_IR 100')(ue, 'PN')).toEqual({ text: '*', isExact: false })
  expect(textReader([], null)(ue, 'PN')).toEqual({ text: '*', isExact: false })
})

it('has no text for a sequence', () => {
  const sequence = dataSetOf({ ScheduledProcedureStepSequence: [] })[0]
  expect(sequence && textReader([], null)(sequence, 'SQ')).toEqual({ text: '', isExact: true })
})

it('takes padding off and keeps what is before it', () => {
  expect(textReader([], null)(name(Buffer.from('SMITH ')), 'PN')).toEqual({
    text: 'SMITH',
    isExact: true,
  })
  expect(
    textReader([], null)({ tag: 0x0020000d, vr: 'UI', value: Buffer.from('1.2.3\0') }, 'UI').text,
  ).toBe('1.2.3')
})

it('makes one wild card of each run of bytes that mean nothing', () => {
  expect(textReader([], null)(name(Buffer.from([0x4d, 0xc3, 0xbc, 0x6c, 0xff])), 'PN')).toEqual({
    text: 'M*l*',
    isExact: false,
  })
  expect(textReader(['ISO_IR 192'], 'ISO_IR 100')(name(Buffer.from('Mül')), 'PN')).toEqual({
    text: 'Mül',
    isExact: true,
  })
})

it('shows a nested key with its sequence', () => {
  expect(
    receivedKey(
      { tag: 0x00080060, vr: 'CS', value: Buffer.from('CT') },
      'CS',
      'CT',
      'singleValue',
      0x00400100,
    ),
  ).toEqual({
    tag: '(0040,0100) > (0008,0060)',
    keyword: 'Modality',
    vr: 'CS',
    value: 'CT',
    matching: 'singleValue',
  })
})

it('shows 256 characters of a key at most', () => {
  const key = receivedKey(name(Buffer.alloc(0)), 'PN', 'x'.repeat(300), 'wildCard')
  expect(key).toEqual({
    tag: '(0010,0010)',
    keyword: 'PatientName',
    vr: 'PN',
    value: 'x'.repeat(256),
    matching: 'wildCard',
  })
})
