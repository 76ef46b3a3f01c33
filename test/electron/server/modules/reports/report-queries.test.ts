import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  findClinicalContext,
  listContextDocuments,
  putClinicalContext,
  replaceContextDocuments,
} from '#server/modules/reports/clinical-context-queries.ts'
import {
  insertReportObject,
  insertReportPdf,
  listReportObjects,
  readReportPdf,
} from '#server/modules/reports/report-document-queries.ts'
import {
  appendReportRevision,
  deleteReport,
  findCriticalResult,
  findDraft,
  findReport,
  findReportRevision,
  insertCriticalResult,
  listReportRevisions,
} from '#server/modules/reports/report-queries.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { idFromUuid } from '#shared/ids.ts'
import { verbatim } from '#shared/messages/message.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { completedReport, draftReport } from '../../../../support/reports.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const AT = '2026-03-10T09:00:00.000Z'
const SECRET = 'Ada Example has a secret'

function stage() {
  const temp = tempStore()
  const { store } = temp
  const { userId } = newUser(store)
  const study = { studyInstanceUid: '1.2.3', studyDescription: 'CT', severity: 'normal' } as const
  const { studyId } = studyService.createStudy(temp.store, newKey(store), 'scribe', study).record
  return {
    ...temp,
    userId,
    studyId,
    of: { userId, studyId },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('a report', () => {
  it('is a draft once for each study', () => {
    using on = stage()
    const reportId = draftReport(on.store, { ...on.of, revision: 3 })
    expect(findDraft(on.store.database, on.studyId)).toMatchObject({
      reportId,
      revision: 3,
      textHash: null,
      signer: null,
    })
    expect(() => draftReport(on.store, on.of)).toThrow(/UNIQUE/)
    completedReport(on.store, on.of)
    expect(findDraft(on.store.database, on.studyId)?.reportId).toBe(reportId)
  })

  it('keeps who signed it, and is then never changed', () => {
    using on = stage()
    const signer = {
      userId: on.userId,
      name: 'Una Malá, MD',
      clinicRole: 'Radiologist',
      npiNumber: null,
    }
    const reportId = completedReport(on.store, { ...on.of, signer, textHash: 'a'.repeat(64) })
    expect(findReport(on.store.database, reportId)).toMatchObject({
      signer,
      textHash: 'a'.repeat(64),
    })
    const { database } = on.store
    expect(() =>
      database.run(database.sql.updateTable('reports').set({ userId: on.userId })),
    ).toThrow('never changed')
    expect(() => database.run(database.sql.deleteFrom('reports'))).toThrow('never deleted')
  })
})

describe('revisions', () => {
  it('are the newest so many of their draft, and go with it', () => {
    using on = stage()
    const { database } = on.store
    const reportId = draftReport(on.store, on.of)
    const revision = { reportId, userId: on.userId, windowId: randomUUID(), at: AT }
    for (let number = 1; number <= 5; number++)
      appendReportRevision(database, { ...revision, revision: number, text: `Text ${number}` }, 3)
    expect(listReportRevisions(database, reportId).map(({ text }) => text)).toEqual([
      'Text 5',
      'Text 4',
      'Text 3',
    ])
    expect([
      findReportRevision(database, reportId, 2),
      listReportRevisions(database, reportId)[0]?.revision,
    ]).toEqual([undefined, 5])
    expect(() =>
      appendReportRevision(database, { ...revision, revision: 5, text: 'Again' }, 3),
    ).toThrow(/UNIQUE/)
    deleteReport(database, reportId)
    expect(listReportRevisions(database, reportId)).toEqual([])
  })
})

describe('copies in the archive', () => {
  it('are one of each kind', () => {
    using on = stage()
    const reportId = completedReport(on.store, on.of)
    const object = { reportId, kind: 'pdf', sopInstanceUid: '2.25.1', createdAt: AT } as const
    insertReportObject(on.store.database, object)
    insertReportObject(on.store.database, { ...object, sopInstanceUid: '2.25.2' })
    expect(listReportObjects(on.store.database, reportId)).toEqual([object])
  })
})

it('keeps nothing of a patient in clear', () => {
  using on = stage()
  const { store, studyId, userId } = on
  const text = SECRET.padEnd(5000, '.')
  const reportId = completedReport(store, {
    ...{ ...on.of, plainText: text, snapshotMetadata: { patientName: SECRET } },
    signer: { userId, name: SECRET, clinicRole: SECRET, npiNumber: null },
  })
  insertReportPdf(store.database, {
    reportId,
    sha256: 'b'.repeat(64),
    pages: 1,
    content: Buffer.from(text),
    createdAt: AT,
  })
  const draft = draftReport(store, { ...on.of, isAddendum: true, plainText: text })
  appendReportRevision(
    store.database,
    { reportId: draft, revision: 1, userId, windowId: randomUUID(), at: AT, text },
    100,
  )
  const told = {
    communicatedTo: SECRET,
    method: 'phone',
    communicatedAt: AT,
    isReadBack: true,
    note: SECRET,
  } as const
  const communication = {
    ...told,
    recordedBy: { userId: idFromUuid('usr', randomUUID()), name: SECRET },
  }
  insertCriticalResult(store.database, {
    reportId,
    studyId,
    openedAt: AT,
    communicatedAt: AT,
    finding: SECRET,
    communication,
  })
  const context = {
    clinicalIndication: SECRET,
    technologistTechnique: SECRET,
    technologistNotes: [SECRET],
    notes: [verbatim(SECRET)],
  }
  const given = {
    documents: [{ fileName: SECRET, content: [SECRET] }],
    priorReports: [{ reportText: SECRET }],
  }
  putClinicalContext(store.database, {
    studyId,
    state: 'answered',
    askedAt: AT,
    ...context,
    ...given,
  })
  const document = {
    studyId,
    fileName: SECRET,
    mediaType: 'text/plain',
    state: 'kept',
    detail: '',
    fetchedAt: AT,
  } as const
  replaceContextDocuments(store.database, studyId, [
    { ...document, source: `https://files.example/${SECRET}`, content: Buffer.from(text) },
  ])

  expect(readReportPdf(store.database, reportId)?.toString()).toBe(text)
  expect(findCriticalResult(store.database, reportId)).toMatchObject({
    finding: SECRET,
    communication,
  })
  expect(findClinicalContext(store.database, studyId)).toMatchObject({ ...context, ...given })
  expect(listContextDocuments(store.database, studyId)).toMatchObject([
    { fileName: SECRET, bytes: 5000 },
  ])
  const bytes = readdirSync(on.folder)
    .filter((name) => name.startsWith('gateway.sqlite'))
    .map((name) => readFileSync(join(on.folder, name)).toString('latin1'))
  expect(bytes.some((file) => file.includes(reportId))).toBe(true)
  for (const file of bytes) expect(file).not.toContain('a secret')
})
