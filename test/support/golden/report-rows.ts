import {
  GOLDEN_AT as at,
  GOLDEN,
  goldenSeal,
  goldenSealed,
  made,
  PDF_SHA256,
  type Rows,
} from './clinic.ts'

/** Schema 4: reports as they are kept and sent, and the events of the webhooks. */
export const reportRows = (): Rows => ({ ...keptRows(), ...eventRows() })

const keptRows = (): Rows => ({
  reportPdfs: [
    {
      ...{
        reportId: 'rep_1',
        sha256: PDF_SHA256,
        pages: 1,
        bytes: GOLDEN.pdf.length,
        createdAt: at,
      },
      sealedPdf: goldenSeal(GOLDEN.pdf, `report PDF rep_1 ${PDF_SHA256}`),
    },
  ],
  reportRevisions: [
    {
      ...{ reportId: 'rep_3', revision: 2, userId: 'usr_1', windowId: 'w1', at },
      sealedText: goldenSeal(GOLDEN.draftText, 'report revision rep_3 2'),
    },
  ],
  reportObjects: [{ reportId: 'rep_1', kind: 'pdf', sopInstanceUid: '1.2.3.77', createdAt: at }],
  criticalResults: [
    {
      ...{ reportId: 'rep_1', studyId: 'stu_2', openedAt: at },
      sealedDetail: goldenSealed(
        { finding: GOLDEN.handwritten, communication: null },
        'critical result rep_1',
      ),
    },
  ],
  reportTemplates: [
    {
      templateId: 't1',
      kind: 'template',
      ownerId: 'usr_1',
      name: 'CT head',
      modalities: '["CT"]',
      keywords: '[]',
      text: 'FINDINGS:',
      ...made,
    },
  ],
  clinicalContexts: [
    {
      ...{ studyId: 'stu_2', state: 'answered', askedAt: at },
      sealedContext: goldenSealed(
        { notes: [], clinicalIndication: GOLDEN.handwritten },
        'clinical context stu_2',
      ),
    },
  ],
  contextDocuments: [
    {
      ...{
        studyId: 'stu_2',
        mediaType: 'text/plain',
        state: 'kept',
        detail: '',
        bytes: GOLDEN.handwritten.length,
        fetchedAt: at,
      },
      sealedName: goldenSeal('letter.txt', 'context document name stu_2'),
      sealedContent: goldenSeal(GOLDEN.handwritten, 'context document content stu_2'),
    },
  ],
})

function eventRows(): Rows {
  const eventId = 'whe_1'
  return {
    events: [
      {
        ...{
          eventId,
          type: 'report.delivered',
          endpointId: 'e1',
          subject: 'rep_1',
          studyInstanceUid: '1.2.3',
          state: 'waiting',
        },
        ...{
          outcome: 'unreachable',
          attempts: 1,
          tookMs: 4.5,
          ...made,
          sealedRequest: goldenSeal('{"reportId":"rep_1"}', `event ${eventId} request`),
        },
      },
    ],
    eventAttempts: [
      {
        ...{ seq: 1, attempt: 1, at, outcome: 'unreachable', tookMs: 4.5, bytes: 0 },
        sealedDetail: goldenSealed(
          { detail: 'no answer', notes: [], isCut: false },
          `event ${eventId} detail 1`,
        ),
      },
    ],
  }
}
