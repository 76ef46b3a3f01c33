import { describe, expect, it } from 'vitest'
import { openRefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { ClinicalContexts } from '#server/modules/reports/clinical-contexts.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { EVENTS } from '#shared/contract/webhooks.ts'
import { uuidOf } from '#shared/ids.ts'
import { verbatim } from '#shared/messages/message.ts'
import { newEndpoint } from '../../../../support/endpoints.ts'
import {
  openPartner,
  openTestDownloads,
  openTestRequester,
} from '../../webhooks/request-fixture.ts'
import { type ReportStageOptions, reportStage } from './reports-fixture.ts'

type Answer = ReturnType<NonNullable<ReportStageOptions['answer']>>
const ANSWER: Answer = {
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
      ...{ reportText: 'Earlier: normal.', modality: 'CR' },
      ...{ studyDate: '2024-05-06', studyDescription: 'Chest' },
    },
  ],
}
const PDF = Buffer.from('%PDF-1.7 and so on')
const DOWN = new WebhookError('unreachable', verbatim('it is down'))

/** A partner that gives these answers, and is down where there is no other. */
function stage(answers: (Answer | WebhookError)[], document = PDF) {
  const asked: unknown[] = []
  const fetched: string[] = []
  const most: number[] = []
  const on = reportStage({
    answer(...question) {
      asked.push(question)
      const answer = answers.shift() ?? DOWN
      if (answer instanceof WebhookError) throw answer
      return answer
    },
    fetch(url, maxBytes) {
      fetched.push(url)
      most.push(maxBytes)
      if (url.endsWith('/b'))
        throw new WebhookError('forbidden-address', verbatim('its host is not allowed'))
      return document
    },
  })
  const context = () => on.contexts.of(on.studies.readStudy(on.key, 'scribe', on.studyId).record)
  return { ...on, asked, fetched, most, context, [Symbol.dispose]: () => on[Symbol.dispose]() }
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
          clinicId: on.store.settings.get('clinic.id'),
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
        notes: [],
        clinicalIndication: 'Cough for three weeks',
      },
      documents: [
        { documentId: null, fileName: 'letter.txt', content: ['Dear', 'colleague'], fault: null },
        { fileName: 'lab result.pdf', mediaType: 'application/pdf', content: [], fault: null },
        {
          fileName: 'b.png',
          fault: 'The document could not be retrieved: its host is not allowed.',
        },
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
    using on = stage([DOWN, {}, ANSWER])
    await on.contexts.ask(on.studyId)
    expect(on.context()).toMatchObject({
      state: 'failed',
      notes: ['The partner provided no clinical context: it is down.'],
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
      notes: ['The partner provided no clinical context: it is down.'],
    })
    expect(on.context().documents).toHaveLength(3)
  })

  it('stands behind what the study itself says where the answer says nothing', async () => {
    using on = stage([{ technologistNotes: ['Second', 'First'] }])
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
    using on = stage([{ documentUrls }])
    await on.contexts.ask(on.studyId)
    expect([on.fetched.length, on.context().documents.length]).toEqual([20, 20])
    expect(on.context().notes).toEqual([
      '3 more documents were not retrieved, because the response lists too many.',
    ])
  })

  it('holds no more of its documents than fits in memory', async () => {
    const documentUrls = Array.from({ length: 9 }, (_, at) => ({
      url: `https://files.example/${at}.pdf`,
    }))
    const MIB = 1024 * 1024
    using on = stage([{ documentUrls }], Buffer.alloc(15 * MIB))
    await on.contexts.ask(on.studyId)
    expect(on.most.map((bytes) => bytes / MIB)).toEqual([20, 20, 20, 20, 20, 20, 20, 20])
    expect(on.context().documents.map(({ fault }) => fault)).toEqual([
      ...Array(8).fill(null),
      'The document was not retrieved: the documents that were listed before it are too large in total.',
    ])
  })

  it('is of a scribe study that is there', async () => {
    using on = stage([])
    await expect(on.contexts.ask(`stu_${'0'.repeat(32)}`)).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

it('keeps neither a question nor a document waiting that hangs when the gateway closes, and calls neither a failure', async () => {
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const partner = await openPartner((response, number) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    asked[number]?.resolve()
  })
  const host = `127.0.0.1:${partner.port}`
  const { requester } = openTestRequester(partner.url)
  const documentUrls = [{ url: `http://${host}/document.pdf` }]
  const answering = { request: async () => ({ documentUrls }) } as unknown as typeof requester
  const downloads = openTestDownloads({ plaintextHosts: () => [host] })
  using on = reportStage()
  newEndpoint(on.store, { fileHosts: [host] })
  const given = [downloads, openRefusedHosts(Date.now), { setEffect: () => {} }] as const
  const all = [requester, answering].map((one) => new ClinicalContexts(on.store, one, ...given))
  const under = all.map((contexts) => contexts.ask(on.studyId))
  const rejected = Promise.all(
    under.map((one) => expect(one).rejects.toThrow('the gateway is closing')),
  )
  await Promise.all(asked.map(({ promise }) => promise))
  for (const contexts of all) contexts[Symbol.dispose]()
  await rejected
  expect(on.contexts.of(on.study).state).toBe('not-asked')
})
