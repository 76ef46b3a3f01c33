import { describe, expect, it } from 'vitest'
import { readAnswer } from '#server/webhooks/request.ts'

const worklist = (body: unknown) =>
  readAnswer(
    'modality_worklist.requested',
    Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  )
const REFUSED = (detail: string) => expect.objectContaining({ fault: 'refused', detail })
const INVALID = expect.objectContaining({ fault: 'invalid' })

describe('readAnswer', () => {
  it('reads a worklist and leaves its items as they are, odd ones included', () => {
    expect(
      worklist({ authorized: true, items: [{ PatientName: 'Müller^Änne' }, 7, null], more: 1 }),
    ).toEqual({
      authorized: true,
      items: [{ PatientName: 'Müller^Änne' }, 7, null],
    })
  })

  it('takes authorized false as a refusal, also where nothing else is there', () => {
    expect(() => worklist({ authorized: false })).toThrow(REFUSED('the partner gave no reason'))
    expect(() =>
      readAnswer(
        'study.access_requested',
        Buffer.from('{"authorized":false,"error":"study not found"}'),
      ),
    ).toThrow(REFUSED('study not found'))
  })

  it('takes an error text as a refusal even with authorized true, but not an empty one', () => {
    expect(() =>
      worklist({ authorized: true, items: [], error: 'no worklist for this AE' }),
    ).toThrow(REFUSED('no worklist for this AE'))
    expect(worklist({ authorized: true, items: [], error: '' })).toEqual({
      authorized: true,
      items: [],
    })
  })

  it('takes an error of null, as many serialisers print what is absent, for none', () => {
    expect(worklist({ authorized: true, items: [{ PatientID: '1' }], error: null })).toEqual({
      authorized: true,
      items: [{ PatientID: '1' }],
    })
    expect(
      readAnswer(
        'secondary_capture.access_requested',
        Buffer.from('{"authorized":true,"uploadUrls":[],"error":null}'),
      ),
    ).toEqual({
      authorized: true,
      uploadUrls: [],
    })
    expect(() => worklist({ authorized: false, error: null })).toThrow(
      REFUSED('the partner gave no reason'),
    )
  })

  it('keeps 200 printable characters of the error text', () => {
    expect(() => worklist({ authorized: false, error: `\u0007a\n${'ß'.repeat(300)}` })).toThrow(
      REFUSED(`a ${'ß'.repeat(198)}`),
    )
  })

  it.each([
    ['nothing', ''],
    ['a page', '<html></html>'],
    ['half an answer', '{"authorized":true,"items":[{"Pati'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"ok"'],
    ['items that are no list', '{"authorized":true,"items":{"0":{}}}'],
    ['authorized as a text', '{"authorized":"true","items":[]}'],
    ['no authorized', '{"items":[]}'],
    ['no items', '{"authorized":true}'],
    ['items of null', '{"authorized":true,"items":null}'],
    ['items without any object', '{"authorized":true,"items":[null,7]}'],
  ])('finds %s invalid', (_what, body) => {
    expect(() => worklist(body)).toThrow(INVALID)
  })

  it('finds text that is not UTF-8 invalid, as a name in it would be another name', () => {
    const body = Buffer.from('{"authorized":true,"items":[{"PatientName":"M\xfcller"}]}', 'latin1')
    expect(() => readAnswer('modality_worklist.requested', body)).toThrow(INVALID)
  })

  it('says where an answer is wrong without quoting it', () => {
    expect(() => worklist({ authorized: 'Mrs Doe', items: [] })).toThrow(
      expect.objectContaining({
        fault: 'invalid',
        detail:
          'the response does not have the agreed form: authorized: it is neither true nor false',
      }),
    )
    expect(() => worklist({ authorized: true })).toThrow(
      expect.objectContaining({
        fault: 'invalid',
        detail: 'the response does not have the agreed form: items: it is missing',
      }),
    )
  })

  it('reads an empty enrichment, and does not look for a refusal in it', () => {
    expect(readAnswer('patient_study.enrichment_requested', Buffer.from('{}'))).toEqual({})
    expect(
      readAnswer(
        'clinical_context.enrichment_requested',
        Buffer.from('{"error":"x","clinicalIndication":"Cough"}'),
      ),
    ).toEqual({
      clinicalIndication: 'Cough',
    })
  })
})
