import { describe, expect, it } from 'vitest'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { classifyUid, fullReaderOf, headerOf, uidFault } from '#server/modules/images/header.ts'
import { textOf } from '../../../../support/saying.ts'
import { encoded, IMAGE, type Values } from './intake-fixture.ts'

function read(values: Values, deviceSet: readonly string[] = [], bytes = encoded(values)) {
  const reader = fullReaderOf(TRANSFER_SYNTAX.explicitLittleEndian)
  for (let at = 0; at < bytes.length; at += 7) reader.push(bytes.subarray(at, at + 7))
  return headerOf(reader.end(), deviceSet)
}
describe('what an instance says of itself', () => {
  it('is read with what it says of its request', () => {
    const request = {
      StudyInstanceUID: '1.2.3.7',
      ScheduledProcedureStepID: 'S1',
      RequestedProcedureID: 'R1',
      AccessionNumber: 'A9',
    }
    const header = read({
      ...IMAGE,
      AccessionNumber: '',
      RequestAttributesSequence: [request],
      ReferencedPerformedProcedureStepSequence: [{ ReferencedSOPInstanceUID: '1.2.9' }],
    })
    expect(header).toMatchObject({
      performedStepUid: '1.2.9',
      instanceNumber: '1',
      seriesNumber: '1',
    })
    expect(header.study).toMatchObject({
      scheduledProcedureStepId: 'S1',
      requestedProcedureId: 'R1',
      requestStudyInstanceUid: '1.2.3.7',
      accessionNumber: 'A9',
      patientName: 'Sample^Sam',
      characterSetRule: 'default',
    })
  })

  it.each([
    [
      { SpecificCharacterSet: 'ISO_IR 192', PatientName: 'Müller^Jürgen' },
      [],
      'Müller^Jürgen',
      'declared: ISO_IR 192',
    ],
    [{ PatientName: 'Müller^Jürgen' }, ['ISO_IR 192'], 'Müller^Jürgen', 'device: ISO_IR 192'],
  ])(
    'is text by the declared set, or the device’s, and which one is kept',
    (change, deviceSet, patientName, characterSetRule) => {
      expect(read({ ...IMAGE, ...change }, deviceSet).study).toMatchObject({
        patientName,
        characterSetRule,
      })
    },
  )

  it('is read in the device’s set where the bytes are none of the declared one', () => {
    const bytes = encoded({ ...IMAGE, SpecificCharacterSet: 'ISO_IR 192' })
    bytes.write('S\xe4mple', bytes.indexOf('Sample'), 'latin1')
    expect(read({}, ['ISO_IR 100'], bytes).study.patientName).toBe('Sämple^Sam')
  })

  it('has no image attributes where it is no image', () => {
    const { Rows: _, Columns: __, PixelData: ___, ...document } = IMAGE
    expect(read(document).image).toBeNull()
    expect(read({ ...IMAGE, NumberOfFrames: '12 ' }).image).toMatchObject({
      rows: 2,
      numberOfFrames: 12,
      highBit: 11,
    })
  })
})

describe('an identifier', () => {
  it.each([
    ['1.2.840.10008.1', 'usable'],
    ['2.25.0', 'usable'],
    ['1.02', 'odd'],
    ['1.2.', 'odd'],
    ['abc', 'odd'],
    ['', 'unfit'],
    ['1.2 3', 'unfit'],
    ['1.2\n', 'unfit'],
    ['1'.repeat(65), 'unfit'],
  ])('%j is %s', (uid, fitness) => {
    expect(classifyUid(uid)).toBe(fitness)
  })

  it('that breaks the rules is named', () => {
    expect(uidFault(read(IMAGE))).toBeNull()
    expect(textOf(uidFault(read({ ...IMAGE, SeriesInstanceUID: '1.02' })))).toMatch(
      /^Its Series Instance UID breaks the rules/,
    )
  })
})
