import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAnswer, readAnswerWithNotes } from '#server/webhooks/answer.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { englishText } from '#shared/messages/english.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../support/property-runs.ts'

const bodyOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const read = <T extends EventType>(
  type: T,
  value: unknown,
  context: Parameters<typeof readAnswerWithNotes>[2] = {},
) => readAnswerWithNotes(type, bodyOf(value), context)
const paths = ({ notes }: { readonly notes: readonly { readonly path: string }[] }) =>
  notes.map(({ path }) => path)
const INVALID = expect.objectContaining({ fault: 'invalid' })

describe('an answer with URLs', () => {
  it('keeps those that can be loaded, and says which cannot', () => {
    const urls = [
      'https://a.example/1?x=y',
      'http://a.example/2',
      '/3',
      4,
      '',
      'ftp://a.example/5',
      'https://a.example/6',
    ]
    const got = read('study.access_requested', { authorized: true, urls })
    expect(got.answer).toEqual({ authorized: true, urls: [urls[0], urls[6]] })
    expect(paths(got)).toEqual(['urls.1', 'urls.2', 'urls.3', 'urls.4', 'urls.5'])
  })

  it('takes plain http from the hosts that are listed for it, and from no other port of them', () => {
    const urls = ['http://10.0.0.5:8080/1', 'http://10.0.0.5/2', 'http://10.0.0.6/3']
    const got = read(
      'ephemeral.access_requested',
      { authorized: true, urls },
      { plaintextHosts: ['10.0.0.5:8080', '10.0.0.6:80'] },
    )
    expect(got.answer.urls).toEqual([urls[0], urls[2]])
  })

  it('reads media one by one', () => {
    const url = 'https://a.example/film'
    const mediaUrls = [
      { mimeType: 'video/mp4', url, fileName: 'a.mp4' },
      { url },
      { mimeType: 'video/mp4', url: 'film' },
      3,
      { mimeType: 'x/y', url, fileName: 7 },
    ]
    const got = read('study.access_requested', { authorized: true, urls: [], mediaUrls })
    expect(got.answer.mediaUrls).toEqual([mediaUrls[0], { mimeType: 'x/y', url }])
    expect(paths(got)).toEqual([
      'mediaUrls.1.mimeType',
      'mediaUrls.2.url',
      'mediaUrls.3',
      'mediaUrls.4.fileName',
    ])
    expect(
      paths(read('study.access_requested', { authorized: true, urls: [], mediaUrls: 'none' })),
    ).toEqual(['mediaUrls'])
  })

  it('leaves a manifest out that is of another study than was asked for; its URLs still load', () => {
    const value = {
      authorized: true,
      urls: ['https://a.example/1'],
      manifest: { studyInstanceUID: '1.2.3', series: [] },
    }
    const got = read('study.access_requested', value, { studyInstanceUid: '1.2.4' })
    expect(got.answer).toEqual({ authorized: true, urls: value.urls })
    expect(paths(got)).toEqual(['manifest.studyInstanceUID'])
  })

  it('takes manifests of several studies for an ephemeral session, each for itself', () => {
    const sr = { sopClassUID: '1.2.840.10008.5.1.4.1.1.88.11', sopInstanceUID: '1.2.3.1.1' }
    const series = [
      {
        modality: 'SR',
        seriesDescription: 'Dose',
        seriesInstanceUID: '1.2.3.1',
        seriesNumber: 1,
        sops: [sr],
      },
    ]
    const manifests = [
      { studyInstanceUID: '1.2.3', series },
      { studyInstanceUID: '1.2.4', series: [] },
    ]
    const got = read('ephemeral.access_requested', { authorized: true, urls: [], manifests })
    expect([got.answer.manifests, paths(got)]).toEqual([[manifests[0]], ['manifests.1.series']])
    expect(
      paths(read('ephemeral.access_requested', { authorized: true, urls: [], manifests: {} })),
    ).toEqual(['manifests'])
  })

  it('takes null for what is absent', () => {
    const got = read('study.access_requested', {
      authorized: true,
      urls: [],
      manifest: null,
      mediaUrls: null,
    })
    expect(got).toEqual({ answer: { authorized: true, urls: [] }, notes: [] })
  })

  it('is of no use where its envelope is not right', () => {
    expect(() => read('study.access_requested', { authorized: true })).toThrow(INVALID)
    expect(() =>
      read('study.access_requested', { authorized: true, urls: 'https://a.example/1' }),
    ).toThrow(INVALID)
    expect(() => read('secondary_capture.access_requested', { uploadUrls: [] })).toThrow(INVALID)
    expect(() => read('ephemeral.access_requested', { authorized: 1, urls: [] })).toThrow(INVALID)
    expect(() => read('modality_worklist.requested', { authorized: true })).toThrow(INVALID)
    expect(() => read('patient_study.enrichment_requested', ['severity'])).toThrow(INVALID)
  })

  it('names where to upload, and not who made it', () => {
    const value = {
      authorized: true,
      uploadUrls: ['https://a.example/put', 'nowhere'],
      contentCreatorName: 'Nobody',
    }
    const got = read('secondary_capture.access_requested', value)
    expect([got.answer, paths(got)]).toEqual([
      { authorized: true, uploadUrls: ['https://a.example/put'] },
      ['uploadUrls.1'],
    ])
  })
})

describe('clinical context', () => {
  const TYPE = 'clinical_context.enrichment_requested'
  const document = { content: ['First.', 'Second.'], fileName: 'letter.txt' }
  const prior = {
    reportText: 'No change.',
    externalStudyId: 'E1',
    modality: 'CT',
    studyDate: '2025-01-31',
    studyDescription: 'Chest',
  }

  it('is read whole where it is right', () => {
    const value = {
      ...{
        clinicalIndication: 'Cough',
        technologistTechnique: 'Low dose',
        technologistNotes: ['Moved.'],
      },
      ...{
        documents: [document],
        documentUrls: [{ url: 'https://a.example/1.pdf', fileName: '1.pdf' }],
        priorReports: [prior],
      },
    }
    expect(read(TYPE, value)).toEqual({ answer: value, notes: [] })
    expect(read(TYPE, {})).toEqual({ answer: {}, notes: [] })
  })

  it.each([
    ['clinicalIndication', 7, undefined],
    ['technologistNotes', ['a', 7, 'b'], ['a', 'b']],
    ['technologistNotes', 'a', undefined],
    ['documents', [document, { ...document, fileName: '' }, { fileName: 'x' }, null], [document]],
    ['documents', [{ ...document, fileName: 'x'.repeat(501) }], []],
    ['documents', [{ ...document, content: ['a', {}] }], [{ ...document, content: ['a'] }]],
    [
      'documentUrls',
      [{ url: 'http://a.example/1' }, { url: 'https://a.example/2', fileName: '' }],
      [{ url: 'https://a.example/2' }],
    ],
    ['priorReports', [{ ...prior, reportText: 'x'.repeat(50_001) }, prior], [prior]],
    ['priorReports', [{ ...prior, studyDate: '2025-02-30' }], [{ ...prior, studyDate: undefined }]],
    [
      'priorReports',
      [{ ...prior, externalStudyId: 'x'.repeat(257) }],
      [{ ...prior, externalStudyId: undefined }],
    ],
    [
      'priorReports',
      [{ ...prior, modality: 'x'.repeat(101), studyDescription: 3 }],
      [{ reportText: prior.reportText, externalStudyId: 'E1', studyDate: '2025-01-31' }],
    ],
  ])('loses only what is wrong in %s: %#', (field, given, used) => {
    const got = read(TYPE, { technologistTechnique: 'Low dose', [field]: given })
    expect(got.answer).toEqual(
      JSON.parse(JSON.stringify({ technologistTechnique: 'Low dose', [field]: used })),
    )
    expect(got.notes.length).toBeGreaterThan(0)
    expect(
      got.notes.every(
        ({ path, sentence }) => path.startsWith(field) && englishText(sentence).endsWith('.'),
      ),
    ).toBe(true)
  })

  it('takes 50000 characters of a prior report, and 50 documents to fetch', () => {
    expect(read(TYPE, { priorReports: [{ reportText: 'x'.repeat(50_000) }] }).notes).toEqual([])
    const documentUrls = Array.from({ length: 51 }, (_, number) => ({
      url: `https://a.example/${number}`,
    }))
    const got = read(TYPE, { documentUrls })
    expect([got.answer.documentUrls?.length, paths(got)]).toEqual([50, ['documentUrls']])
  })

  it.each([[[]], ['text'], [null], [7]])('is of no use where it is %j', (value) => {
    expect(() => read(TYPE, value)).toThrow(INVALID)
  })
})

describe('other answers', () => {
  it('deliver a report by success true alone', () => {
    expect(readAnswer('report.delivered', bodyOf({ success: true }))).toEqual({ success: true })
    expect(() => readAnswer('report.delivered', bodyOf({ success: 'true' }))).toThrow(INVALID)
    expect(() => readAnswer('report.delivered', bodyOf({}))).toThrow(INVALID)
    expect(() => readAnswer('report.delivered', bodyOf({ success: false }))).toThrow(
      expect.objectContaining({ fault: 'refused' }),
    )
    expect(() =>
      readAnswer('report.delivered', bodyOf({ success: false, message: 'no such study' })),
    ).toThrow(expect.objectContaining({ fault: 'refused', detail: 'no such study' }))
  })

  it('say of a worklist where its items are not as agreed, and keep them all', () => {
    const step = {
      ...{
        Modality: 'CT',
        ScheduledProcedureStepDescription: 'Chest',
        ScheduledProcedureStepID: 'S1',
      },
      ...{ ScheduledProcedureStepStartDate: '20261120', ScheduledProcedureStepStartTime: '0930' },
    }
    const item = {
      ...{
        AccessionNumber: 'A1',
        Modality: 'CT',
        PatientBirthDate: '',
        PatientID: 'P1',
        PatientName: 'SAMPLE^SAM',
        PatientSex: '',
      },
      ...{
        PatientSize: '1.80',
        PatientWeight: '',
        ProtocolName: '',
        RequestedProcedureDescription: '',
        StudyDescription: '',
      },
      ...{ StudyInstanceUID: '1.2.3', ScheduledProcedureStepSequence: [step] },
    }
    const wrong = {
      ...item,
      AccessionNumber: 'A'.repeat(17),
      PatientSex: 'W',
      StudyInstanceUID: undefined,
      ScheduledProcedureStepSequence: [{ ...step, ScheduledProcedureStepStartDate: '20.11.2026' }],
    }
    const got = read('modality_worklist.requested', {
      authorized: true,
      items: [item, wrong, 3, { ...item, ScheduledProcedureStepSequence: [] }],
    })
    expect(got.answer.items).toHaveLength(4)
    expect(paths(got)).toEqual([
      ...['items.1.AccessionNumber', 'items.1.PatientSex', 'items.1.StudyInstanceUID'],
      'items.1.ScheduledProcedureStepSequence.0.ScheduledProcedureStepStartDate',
      ...['items.2', 'items.3.ScheduledProcedureStepSequence'],
    ])
  })

  it.each([
    ['dateOfBirth', 'Mrs Doe', 'It is not a date in the form YYYY-MM-DD; it is left out.'],
    ['dateOfBirth', '2025-02-30', 'It is not a date in the form YYYY-MM-DD; it is left out.'],
    ['sex', 'F', 'It is not one of male, female, other; it is left out.'],
    ['patientName', 7, 'It is not text; it is left out.'],
    [
      'height',
      { value: 171 },
      'It is not a number of at least 0 with the unit in or cm; it is left out.',
    ],
    [
      'weight',
      { unit: 'kg', value: -1 },
      'It is not a number of at least 0 with the unit lbs or kg; it is left out.',
    ],
    ['studyTime', '25:61', 'It is not a time in the form HH:MM or HH:MM:SS; it is left out.'],
  ])('use the other fields of an enrichment where its %s is %j', (name, value, sentence) => {
    const { answer, notes } = read('patient_study.enrichment_requested', {
      severity: 'stat',
      [name]: value,
      mrn: null,
    })
    expect(answer).toEqual({ severity: 'stat' })
    expect(notes).toEqual([{ path: name, sentence }])
  })

  it('leave out an error that is no text where the required keys are there', () => {
    const got = read('secondary_capture.access_requested', {
      authorized: true,
      uploadUrls: [],
      error: 7,
    })
    expect([got.answer, paths(got)]).toEqual([{ authorized: true, uploadUrls: [] }, ['error']])
  })

  it('end in an answer or in a WebhookError, whatever they hold, and never have a value in a note', {
    timeout: RUNS_TIMEOUT_MS,
  }, () => {
    const secret = 'zq-secret'
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(secret, null, true, 7, '', `https://a.example/${secret}`),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(
          fc.constantFrom(
            ...[
              'authorized',
              'urls',
              'uploadUrls',
              'items',
              'success',
              'manifest',
              'manifests',
              'series',
              'sops',
              'mediaUrls',
            ],
            ...[
              'documents',
              'documentUrls',
              'priorReports',
              'content',
              'fileName',
              'url',
              'reportText',
              'studyInstanceUID',
            ],
          ),
          tie('any'),
          { maxKeys: 8 },
        ),
      ),
    })).any
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_TYPES), value, (type, given) => {
        try {
          const { notes } = read(type, given)
          expect(JSON.stringify(notes)).not.toContain(secret)
        } catch (error) {
          expect(error).toBeInstanceOf(WebhookError)
        }
      }),
      runs(500),
    )
  })
})
