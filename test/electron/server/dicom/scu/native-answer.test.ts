import { describe, expect, it } from 'vitest'
import { faultOf, reasonIn, rowsOf, statusIn } from '#server/dicom/scu/native-answer.ts'

const found = (set: string, name: string) => ({
  code: 0,
  message: 'request succeeded',
  container: [
    {
      '00080005': { vr: 'CS', Value: [set] },
      '00100010': { vr: 'PN', Value: [{ Alphabetic: name }] },
      '0020000D': { vr: 'UI', Value: ['2.25.1'] },
      '00080061': { vr: 'CS', Value: ['CT', 'SR'] },
      '00201208': { vr: 'IS', Value: [12] },
      '00080030': { vr: 'TM' },
    },
  ],
})
const asBytes = (text: string, encoding: BufferEncoding) =>
  Buffer.from(text, encoding).toString('latin1')
const peer = { host: '10.0.0.9', port: 104, aeTitle: 'PACS' }

describe('what dicom-dimse-native answers', () => {
  it('is read in the character set of the answer, where the module gives bytes', () => {
    expect(rowsOf(found('ISO_IR 192', asBytes('Müller^Jörg', 'utf8')))[0]?.patientName).toBe(
      'Müller^Jörg',
    )
    expect(rowsOf(found('ISO_IR 100', asBytes('Müller^Jörg', 'latin1')))[0]?.patientName).toBe(
      'Müller^Jörg',
    )
    expect(rowsOf(found('ISO_IR 144', '\xb8\xd2\xd0\xdd\xde\xd2'))[0]?.patientName).toBe('Иванов')
  })

  it('is left as it is, where the module has decoded it', () => {
    expect(rowsOf(found('ISO_IR 192', 'Müller^Jörg'))[0]?.patientName).toBe('Müller^Jörg')
    expect(rowsOf(found('ISO_IR 192', 'Иванов^Пётр'))[0]?.patientName).toBe('Иванов^Пётр')
  })

  it('becomes rows, and none without a study', () => {
    expect(rowsOf(found('', 'A^B'))).toEqual([
      {
        studyInstanceUid: '2.25.1',
        patientName: 'A^B',
        patientId: '',
        patientBirthDate: '',
        studyDate: '',
        studyTime: '',
        studyDescription: '',
        accessionNumber: '',
        modalities: ['CT', 'SR'],
        instances: 12,
      },
    ])
    expect(
      rowsOf({
        code: 0,
        message: '',
        container: '[{"00100010":{"vr":"PN","Value":[{"Alphabetic":"A"}]}}]',
      }),
    ).toEqual([])
    expect(rowsOf({ code: 0, message: '', container: null })).toEqual([])
  })

  it('has its status in the log alone', () => {
    const line = (text: string) => `DEBUG [20-11-2026 19:49:40:144]: ${text}\n`
    const pending = line('DIMSE Status                  : 0xff00: Pending')
    expect(
      statusIn(pending + line('DIMSE Status                  : 0xc001: Failed: Unable to process')),
    ).toBe(0xc001)
    expect(statusIn(`${pending}DEBUG [x]: (0010,0010) PN [DIMSE Status : 0x0000]\n`)).toBe(0xff00)
    expect(statusIn('')).toBeUndefined()
    expect(
      reasonIn(line('Result: Rejected Permanent') + line('Reason: Called AE Title Not Recognized')),
    ).toBe('Called AE Title Not Recognized')
  })

  it.each([
    [
      'Association Rejected: Result: Rejected Permanent, Reason: Calling AE Title Not Recognized',
      'rejected',
      /enter ISTHMUS in its list/,
    ],
    [
      'Association Request failed: TCP Initialization Error: Connection refused',
      'unreachable',
      /nothing listens at 10\.0\.0\.9:104/,
    ],
    ['TCP Initialization Error: No route to host', 'unreachable', /check the address/],
    [
      'Association Request failed: Peer aborted Association (or never connected)',
      'aborted',
      /aborted the association/,
    ],
    ['No Acceptable Presentation Contexts', 'not-accepted', /does not offer this service/],
    ['something new', 'aborted', /something new/],
  ])('says in our words: %s', (message, kind, words) => {
    const fault = faultOf(message, peer, 'ISTHMUS')
    expect(fault.kind).toBe(kind)
    expect(fault.message).toMatch(words)
  })
})
