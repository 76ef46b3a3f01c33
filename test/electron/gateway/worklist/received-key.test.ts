import { expect, it } from 'vitest'
import { declaredTerms, receivedKey, textReader } from '#gateway/worklist/received-key.ts'
import { dataSetOf } from './worklist-fixture.ts'

const name = (bytes: Buffer) => ({ tag: 0x00100010, vr: 'PN', value: bytes })

it('reads the declared character sets, the first of which may be empty', () => {
  expect(declaredTerms(dataSetOf({ SpecificCharacterSet: '\\ISO 2022 IR 87 ' }))).toEqual(['', 'ISO 2022 IR 87'])
  expect(declaredTerms(dataSetOf({ SpecificCharacterSet: '' }))).toEqual([])
  expect(declaredTerms(dataSetOf({ PatientName: '' }))).toEqual([])
})

it('takes padding off and keeps what is before it', () => {
  expect(textReader([], null)(name(Buffer.from('SMITH ')), 'PN')).toEqual({ text: 'SMITH', isSure: true })
  expect(textReader([], null)({ tag: 0x0020000d, vr: 'UI', value: Buffer.from('1.2.3\0') }, 'UI').text).toBe('1.2.3')
})

it('makes one wild card of each run of bytes that mean nothing', () => {
  expect(textReader([], null)(name(Buffer.from([0x4d, 0xc3, 0xbc, 0x6c, 0xff])), 'PN')).toEqual({ text: 'M*l*', isSure: false })
  expect(textReader(['ISO_IR 192'], 'ISO_IR 100')(name(Buffer.from('Mül')), 'PN')).toEqual({ text: 'Mül', isSure: true })
})

it('shows a nested key with its sequence', () => {
  expect(receivedKey({ tag: 0x00080060, vr: 'CS', value: Buffer.from('CT') }, 'CS', 'CT', 'singleValue', 0x00400100)).toEqual({
    tag: '(0040,0100) > (0008,0060)',
    keyword: 'Modality',
    vr: 'CS',
    value: 'CT',
    matching: 'singleValue',
  })
})
