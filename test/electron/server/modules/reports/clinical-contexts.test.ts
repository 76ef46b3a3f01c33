import { describe, expect, it } from 'vitest'
import {
  type ContextAnswer,
  openClinicalContexts,
} from '#server/modules/reports/clinical-contexts.ts'
import { EVENTS } from '#shared/contract/webhooks.ts'
import { uuidOf } from '#shared/ids.ts'
import { reportStage } from './reports-fixture.ts'

const ANSWER: ContextAnswer = {
  state: 'answered',
  notes: ['documentUrls.2: is not https and was left out.'],
  answer: {
    clinicalIndication: 'Cough for three weeks',
    technologistTechnique: 'Helical',
    technologistNotes: ['Breathed'],
    documents: [{ fileName: 'letter.txt', content: ['Dear', 'colleague'] }],
    documentUrls: [
      { url: 'https://files.example/a/lab%20result.pdf?signature=secret' },
      { url: 'https://files.example/b', fileName: 'b.png' },
    ],
    priorReports: [
      {
        reportText: 'Earlier: normal.',
        modality: 'CR',
        studyDate: '2024-05-06',
        studyDescription: 'Chest',
      },
    ],
  },
}
const PDF = Buffer.from('%PDF-1.7 and so on')

function stage(answers: ContextAnswer[]) {
  const asked: unknown[] = []
  const fetched: string[] = []
  const on = reportStage({
    async ask(...question) {
      asked.push(question)
      return (
        answers.shift() ?? { state: 'failed', answer: {}, notes: ['The partner gave no answer.'] }
      )
    },
    async fetch(url) {
      fetched.push(url)
      return url.endsWith('/b')
        ? { fault: 'Its host is not allowed.' }
        : { body: PDF, mediaType: 'application/pdf' }
    },
  })
  const context = () => on.contexts.of(on.studies.readStudy(on.key, 'scribe', on.studyId).record)
  return { ...on, asked, fetched, context, [Symbol.dispose]: () => on[Symbol.dispose]() }
}

describe('the clinical context of a study', () => {
  it('is asked for once, and kept with its documents', async () => {
    using on = stage([ANSWER])
    expect(on.context()).toMatchObject({ state: 'not-asked', askedAt: null, documents: [] })
    await Promise.all([on.contexts.ask(on.studyId), on.contexts.ask(on.studyId)])
    await on.contexts.ask(on.studyId)
    expect(on.asked).toEqual([
      [
        {
          clinicId: on.settings.get('clinic.id'),
          studyId: uuidOf(on.studyId),
          studyInstanceUid: on.study.studyInstanceUid,
          mrn: 'M-7',
        },
        { subject: on.studyId, studyInstanceUid: on.study.studyInstanceUid },
      ],
    ])
    EVENTS['clinical_context.enrichment_requested'].data.parse((on.asked[0] as unknown[])[0])
    const given = on.context()
    expect(given).toMatchObject({
      ...{
        state: 'answered',
        askedAt: '2026-03-10T09:00:00.000Z',
        notes: ANSWER.notes,
        clinicalIndication: 'Cough for three weeks',
      },
      documents: [
        { documentId: null, fileName: 'letter.txt', content: ['Dear', 'colleague'], fault: '' },
        { fileName: 'lab result.pdf', mediaType: 'application/pdf', content: [], fault: '' },
        { fileName: 'b.png', fault: 'Its host is not allowed.' },
      ],
    })
    expect(on.fetched).toHaveLength(2)
    const [, kept, failed] = given.documents
    expect(on.contexts.document(on.studyId, kept?.documentId ?? 0)).toEqual({
      ...{ fileName: 'lab result.pdf', mediaType: 'application/pdf', content: PDF },
    })
    expect(on.contexts.document(on.studyId, failed?.documentId ?? 0)).toBeUndefined()
    expect(on.contexts.document(on.newStudy().studyId, kept?.documentId ?? 0)).toBeUndefined()
    expect(on.contexts.document(on.studyId, 999)).toBeUndefined()
  })

  it('keeps nothing in clear, nor the query of a presigned address', async () => {
    using on = stage([ANSWER])
    await on.contexts.ask(on.studyId)
    const { database } = on.store
    const rows = [
      database.all(database.sql.selectFrom('contextDocuments').selectAll()),
      database.all(database.sql.selectFrom('clinicalContexts').selectAll()),
    ]
    const text = JSON.stringify(rows, (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    )
    for (const secret of ['Cough', 'lab result', 'files.example', 'secret', 'Earlier', '%PDF'])
      expect(text).not.toContain(secret)
  })

  it('is asked for again where there was no answer, or where somebody wants it', async () => {
    using on = stage([
      { state: 'failed', answer: {}, notes: ['The partner gave no answer: it is down.'] },
      { state: 'answered', answer: {}, notes: [] },
      ANSWER,
    ])
    await on.contexts.ask(on.studyId)
    expect(on.context()).toMatchObject({
      state: 'failed',
      notes: ['The partner gave no answer: it is down.'],
    })
    await on.contexts.ask(on.studyId)
    expect(on.context().state).toBe('empty')
    await on.contexts.ask(on.studyId)
    expect(on.asked).toHaveLength(2)
    await on.contexts.ask(on.studyId, { again: true })
    expect(on.context().state).toBe('answered')
    // Without an answer what was said before stays, with the reason.
    await on.contexts.ask(on.studyId, { again: true })
    expect(on.context()).toMatchObject({
      state: 'answered',
      clinicalIndication: 'Cough for three weeks',
      notes: ['The partner gave no answer.'],
    })
    expect(on.context().documents).toHaveLength(3)
  })

  it('stands behind what the study itself says where the answer says nothing', async () => {
    using on = stage([
      { state: 'answered', answer: { technologistNotes: ['Second', 'First'] }, notes: [] },
    ])
    on.studies.updateStudy(on.key, 'scribe', on.studyId, {
      clinicalIndication: 'Fall',
      technologistNotes: ['First'],
    })
    await on.contexts.ask(on.studyId)
    expect(on.context()).toMatchObject({
      clinicalIndication: 'Fall',
      technologistNotes: ['First', 'Second'],
    })
  })

  it('has twenty documents at most', async () => {
    const documentUrls = Array.from({ length: 23 }, (_, at) => ({
      url: `https://files.example/${at}.pdf`,
    }))
    using on = stage([{ state: 'answered', answer: { documentUrls }, notes: [] }])
    await on.contexts.ask(on.studyId)
    expect([on.fetched.length, on.context().documents.length]).toEqual([20, 20])
    expect(on.context().notes).toEqual(['3 more documents were named than are fetched.'])
  })

  it('holds no more of its documents than fits in memory', async () => {
    const documentUrls = Array.from({ length: 9 }, (_, at) => ({
      url: `https://files.example/${at}.pdf`,
    }))
    using on = reportStage()
    const most: number[] = []
    const contexts = openClinicalContexts({
      ...on,
      answerBytes: 100,
      ask: async () => ({ state: 'answered', answer: { documentUrls }, notes: [] }),
      async fetch(_, { maxBytes }) {
        most.push(maxBytes)
        return { body: Buffer.alloc(20), mediaType: 'application/pdf' }
      },
    })
    await contexts.ask(on.studyId)
    expect(most).toEqual([100, 100, 100, 100, 20, 20, 20, 20])
    const faults = contexts
      .of(on.studies.readStudy(on.key, 'scribe', on.studyId).record)
      .documents.map(({ fault }) => fault)
    expect(faults).toEqual([
      ...Array(8).fill(''),
      'It was not fetched: the documents named before it are too large together.',
    ])
  })

  it('is of a scribe study that is there', async () => {
    using on = stage([])
    await expect(on.contexts.ask(`stu_${'0'.repeat(32)}`)).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})
