import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { markRestored } from '#server/database/image-files.ts'
import {
  findLatestOutboxJob,
  listDueOutboxJobs,
  postponeOutboxJob,
  settleOutboxJob,
} from '#server/jobs/outbox-queries.ts'
import { purgeExpired } from '#server/modules/diagnostics/retention.ts'
import { listEvents, setEventState } from '#server/modules/events/queries.ts'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import { requirePastInstant } from '#server/modules/reports/critical-results.ts'
import { findReportPdf, readReportPdf } from '#server/modules/reports/report-document-queries.ts'
import { renderReportPdf } from '#server/modules/reports/report-pdf.ts'
import {
  deleteReport,
  findDraft,
  findReport,
  listReportRevisions,
  listReports,
  updateReport,
} from '#server/modules/reports/report-queries.ts'
import { signReport } from '#server/modules/reports/report-signing.ts'
import { accessionOf } from '#server/modules/reports/signed-report.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { updateUser } from '#server/modules/users/queries.ts'
import type { Communication } from '#shared/contract/reports.ts'
import { EVENTS } from '#shared/contract/webhooks.ts'
import { verbatim } from '#shared/messages/message.ts'
import { atTheWindow, newUser } from '../../../../support/callers.ts'
import { newEndpoint } from '../../../../support/endpoints.ts'
import { seedImages } from '../../../../support/images.ts'
import { refusal } from '../../../../support/refusal.ts'
import { inputAsPdf, reportStage, SOUND } from './reports-fixture.ts'

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const COMMUNICATION: Communication = {
  communicatedTo: 'Dr. Referring',
  method: 'phone',
  communicatedAt: '2026-03-10T08:59:00.000Z',
  isReadBack: true,
  note: '',
}

describe('signing', () => {
  it('freezes text, patient, signer and PDF, and puts the delivery on its way, all at once', async () => {
    using on = reportStage({ renderPdf: renderReportPdf })
    const { store, studyId } = on
    const reportId = await on.signed(`${SOUND}  \r\n`)
    const report = findReport(store.database, reportId)
    expect(report).toMatchObject({
      ...{
        status: 'completed',
        isCritical: false,
        plainText: SOUND,
        textHash: sha256(SOUND),
        signedAt: '2026-03-10T09:00:00.000Z',
      },
      snapshotMetadata: { patientName: 'Ada Example', mrn: 'M-7' },
      signer: {
        userId: on.user.userId,
        name: 'Una Malá, MD',
        clinicRole: 'Radiologist',
        npiNumber: '1234567890',
      },
    })
    expect(on.status()).toBe('completed')
    const pdf = readReportPdf(store.database, reportId) ?? Buffer.alloc(0)
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(findReportPdf(store.database, reportId)).toMatchObject({
      sha256: sha256(pdf),
      bytes: pdf.length,
      pages: 1,
    })
    expect(listReportRevisions(store.database, reportId)).toEqual([])
    const waiting = findLatestOutboxJob(store.database, 'report.delivered', reportId)
    expect(waiting).toMatchObject({ state: 'waiting', lane: studyId })
    expect(findLatestOutboxJob(store.database, 'report.archive', reportId)).toMatchObject({
      state: 'waiting',
    })
    const [event] = listEvents(store.database, { show: 'all', limit: 1 }).items
    expect(event).toMatchObject({
      type: 'report.delivered',
      endpointId: null,
      subject: reportId,
      state: 'waiting',
      studyInstanceUid: on.study.studyInstanceUid,
    })
    const [due] = listDueOutboxJobs(
      store.database,
      'report.delivered',
      '2027-01-01T00:00:00.000Z',
      1,
    )
    expect(due?.payload).toEqual({ eventId: event?.eventId, reportId })
    const [copy] = listDueOutboxJobs(
      store.database,
      'report.archive',
      '2027-01-01T00:00:00.000Z',
      1,
    )
    expect(copy?.payload).toEqual({ reportId })
    expect(on.reading.read(on.radiologist, studyId)).toMatchObject({
      ...{ draft: null, lock: null, mayWrite: false },
      reports: [
        {
          text: SOUND,
          author: { name: 'Una Malá, MD' },
          pages: 1,
          delivery: { state: 'waiting', eventId: event?.eventId },
        },
      ],
    })
    expect(store.audit.list({ limit: 1 }).items[0]).toMatchObject({
      ...{ action: 'report.sign', actor: `user:${on.user.userId}`, target: reportId },
      detail: {
        ...{
          studyId,
          isAddendum: false,
          isCritical: false,
          isCommunicated: false,
          acknowledged: [],
        },
        ...{ textHash: sha256(SOUND), pdfHash: sha256(pdf) },
      },
    })
  })

  it('is of the moment of the signature, not of the draft', async () => {
    using on = reportStage()
    const { store, studyId } = on
    const order = on.written()
    on.clock.pass(30_000)
    const at = '2026-03-10T09:00:30.000Z'
    const { reportId = '' } = findDraft(store.database, studyId) ?? {}
    await on.writing.sign(on.radiologist, studyId, order)
    expect(findReport(store.database, reportId)).toMatchObject({
      createdAt: '2026-03-10T09:00:00.000Z',
      signedAt: at,
      updatedAt: at,
    })
    expect(findStudy(store.database, studyId)?.updatedAt).toBe(at)
    expect(findLatestOutboxJob(store.database, 'report.delivered', reportId)?.createdAt).toBe(at)
    expect(findLatestOutboxJob(store.database, 'report.archive', reportId)?.createdAt).toBe(at)
    expect(on.locks.findReportLock(reportId)).toBeUndefined()
  })

  it('shows on the PDF the clinic as it is set up, the study and the patient', async () => {
    using on = reportStage()
    on.store.settings.set('clinic.name', 'Clinic of Example')
    on.store.settings.set('clinic.timeZone', 'Europe/Prague')
    on.store.settings.set('reports.letterhead', 'Long Street 1')
    on.store.settings.set('reports.paper', 'Letter')
    const header = {
      patientName: 'Example^Ada',
      patientId: 'M-7',
      patientSex: 'F',
      patientBirthDate: '',
    }
    seedImages(on.store, { uid: on.study.studyInstanceUid, header })
    const reportId = await on.signed()
    expect(on.rendered[0]).toEqual({
      ...{
        clinicName: 'Clinic of Example',
        letterhead: 'Long Street 1',
        paper: 'Letter',
        timeZone: 'Europe/Prague',
      },
      ...{
        reportId,
        studyInstanceUid: on.study.studyInstanceUid,
        studyDescription: 'CT CHEST',
        accessionNumber: 'A-100',
      },
      metadata: { patientName: 'Ada Example', mrn: 'M-7', sex: 'female', age: '45' },
      parts: [expect.objectContaining({ text: SOUND, textHash: sha256(SOUND) })],
    })
  })

  it('is of a study without patient data too', async () => {
    using on = reportStage()
    const { studyId } = on.newStudy({ reportMetadata: undefined })
    const order = on.written(SOUND, on.radiologist, studyId)
    expect(await on.writing.sign(on.radiologist, studyId, order)).toMatchObject({
      outcome: 'signed',
    })
    expect(listReports(on.store.database, studyId)[0]?.snapshotMetadata).toEqual({})
  })

  it('is all or nothing', async () => {
    using on = reportStage()
    const events = { begin: () => expect.unreachable('the disk is full') }
    const order = on.written()
    const signing = signReport(on.store, events, on.radiologist, on.studyId, order, inputAsPdf)
    await expect(signing).rejects.toThrow()
    expect(on.status()).toBe('in_progress')
    const draft = findDraft(on.store.database, on.studyId)
    expect(draft).toMatchObject({ revision: 1, textHash: null, signedAt: null })
    expect(findReportPdf(on.store.database, draft?.reportId ?? '')).toBeUndefined()
    expect(
      findLatestOutboxJob(on.store.database, 'report.delivered', draft?.reportId ?? ''),
    ).toBeUndefined()
    expect(on.audited()).not.toContain('report.sign')
  })

  it('what was signed is never changed or deleted by the database', async () => {
    using on = reportStage()
    const reportId = await on.signed()
    const report = findReport(on.store.database, reportId)
    if (!report) throw new Error('not there')
    const { seq: _, ...rest } = report
    expect(() => updateReport(on.store.database, { ...rest, plainText: 'Other' })).toThrow(
      'a signed report is never changed',
    )
    expect(() => deleteReport(on.store.database, reportId)).toThrow(
      'a signed report is never deleted',
    )
    const { database } = on.store
    expect(() => database.run(database.sql.deleteFrom('reportPdfs'))).toThrow('never deleted')
    expect(() => database.run(database.sql.updateTable('reportPdfs').set({ pages: 9 }))).toThrow(
      'never changed',
    )
  })

  it('is of the newest revision only', async () => {
    using on = reportStage()
    const order = on.written()
    on.writing.saveReport(on.radiologist, on.studyId, { ...order, text: 'Later' })
    expect(await on.writing.sign(on.radiologist, on.studyId, order)).toMatchObject({
      outcome: 'conflict',
      theirs: { text: 'Later', revision: 2 },
    })
  })

  it('signs nothing where the draft moves on while the PDF is rendered', async () => {
    using on = reportStage()
    const order = on.written()
    on.meanwhile.push(
      () => void on.writing.saveReport(on.radiologist, on.studyId, { ...order, text: 'Later' }),
    )
    expect(await on.writing.sign(on.radiologist, on.studyId, order)).toMatchObject({
      outcome: 'conflict',
      theirs: { text: 'Later' },
    })
    expect(on.status()).toBe('in_progress')
  })

  it('renders anew where the patient’s data change meanwhile: what is frozen is what the PDF shows', async () => {
    using on = reportStage()
    const order = on.written()
    on.meanwhile.push(
      () =>
        void on.studies.updateStudy(on.key, 'scribe', on.studyId, {
          reportMetadata: { age: '46' },
        }),
    )
    expect(await on.writing.sign(on.radiologist, on.studyId, order)).toMatchObject({
      outcome: 'signed',
    })
    expect(on.rendered.map(({ metadata }) => metadata.age)).toEqual(['45', '46'])
    expect(listReports(on.store.database, on.studyId)[0]?.snapshotMetadata.age).toBe('46')
  })

  it('is given up after five renderings where the patient’s data never stop changing', async () => {
    using on = reportStage()
    const order = on.written()
    for (let age = 46; age < 60; age++)
      on.meanwhile.push(
        () =>
          void on.studies.updateStudy(on.key, 'scribe', on.studyId, {
            reportMetadata: { age: `${age}` },
          }),
      )
    await expect(on.writing.sign(on.radiologist, on.studyId, order)).rejects.toMatchObject({
      ...{
        code: 'unavailable',
        headers: { 'retry-after': '5' },
        message: expect.stringContaining('try again'),
      },
    })
    expect(on.rendered).toHaveLength(5)
    expect(on.status()).toBe('in_progress')
  })

  it('is refused where no report of the study is in progress any more', async () => {
    using on = reportStage()
    const order = on.written()
    const study = findStudy(on.store.database, on.studyId)
    if (study?.area !== 'scribe') throw new Error('not there')
    saveStudy(on.store.database, { ...study, status: 'assigned' }, study)
    await expect(on.writing.sign(on.radiologist, on.studyId, order)).rejects.toMatchObject({
      ...{ code: 'refused', message: 'There is no draft for this study.' },
    })
  })

  it('is refused where the account is revoked while the PDF is rendered', async () => {
    using on = reportStage()
    const order = on.written()
    on.meanwhile.push(() =>
      updateUser(on.store.database, { ...on.user, deactivatedAt: '2026-03-10T09:00:00.000Z' }),
    )
    await expect(on.writing.sign(on.radiologist, on.studyId, order)).rejects.toMatchObject({
      ...{ code: 'not-permitted', message: expect.stringContaining('may not sign reports') },
    })
  })

  it('is refused where the study is cancelled meanwhile, or the account loses its right', async () => {
    using on = reportStage()
    const order = on.written()
    on.meanwhile.push(() => void on.studies.cancelStudy(on.key, 'scribe', { studyId: on.studyId }))
    await expect(on.writing.sign(on.radiologist, on.studyId, order)).rejects.toThrow(
      'The study is cancelled',
    )
    on.studies.uncancelStudy(on.key, 'scribe', { studyId: on.studyId })
    on.meanwhile.push(() => updateUser(on.store.database, { ...on.user, canCreateReports: false }))
    await expect(on.writing.sign(on.radiologist, on.studyId, order)).rejects.toThrow(
      'may not sign reports',
    )
  })

  it('waits until images that came after a restored backup were checked', async () => {
    using on = reportStage()
    const order = on.written()
    markRestored(on.folder)
    await expect(on.writing.sign(on.radiologist, on.studyId, order)).rejects.toThrow(
      'still being checked',
    )
    on.store.imageFiles.finishOrphanImport()
    expect(await on.writing.sign(on.radiologist, on.studyId, order)).toMatchObject({
      outcome: 'signed',
    })
  })

  it('is once: a second order at the same time finds nothing to sign', async () => {
    using on = reportStage()
    const order = on.written()
    const both = await Promise.allSettled(
      [1, 2].map(() => on.writing.sign(on.radiologist, on.studyId, order)),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(listReports(on.store.database, on.studyId)).toHaveLength(1)
    expect(listEvents(on.store.database, { show: 'all', limit: 9 }).items).toHaveLength(1)
  })

  it('is a radiologist’s: an owner who may not create reports writes, but does not sign', async () => {
    using on = reportStage()
    const owner = atTheWindow(newUser(on.store, { level: 'owner', canCreateReports: false }))
    const order = on.written(SOUND, owner)
    await expect(on.writing.sign(owner, on.studyId, order)).rejects.toThrow('may not sign reports')
  })

  it('of a study whose key has an endpoint names that one in the event', async () => {
    using on = reportStage()
    const { store } = on
    newEndpoint(store)
    const { endpointId: own } = newEndpoint(store, { apiKeyId: on.key.apiKeyId })
    await on.signed()
    expect(listEvents(store.database, { show: 'all', limit: 1 }).items[0]?.endpointId).toBe(own)
  })
})

describe('checks before signing', () => {
  it('stop an error, whatever was acknowledged', async () => {
    using on = reportStage()
    const order = on.written('A nodule of [ ] mm.')
    const result = await on.writing.sign(on.radiologist, on.studyId, {
      ...order,
      acknowledged: ['unfilled-field'],
    })
    expect(result).toMatchObject({
      outcome: 'checks',
      findings: [{ check: 'unfilled-field', level: 'error' }],
    })
    expect(on.rendered).toEqual([])
  })

  it('stop a warning until it was looked at', async () => {
    using on = reportStage()
    const order = on.written('The prostate is normal.')
    const sign = (acknowledged: ('sex' | 'laterality')[]) =>
      on.writing.sign(on.radiologist, on.studyId, { ...order, acknowledged })
    expect(await sign([])).toMatchObject({
      outcome: 'checks',
      findings: [{ check: 'sex', level: 'warning' }],
    })
    expect(await sign(['laterality'])).toMatchObject({ outcome: 'checks' })
    expect(await sign(['sex'])).toMatchObject({ outcome: 'signed' })
    const [entry] = on.store.audit.list({ limit: 1 }).items
    expect(entry?.detail).toMatchObject({ acknowledged: ['sex'] })
  })

  it('stop a report that nobody wrote a word of', async () => {
    using on = reportStage()
    on.writing.beginReport(on.radiologist, on.studyId, {
      windowId: on.windowId,
      takeOver: false,
      text: '',
    })
    const order = {
      windowId: on.windowId,
      revision: 0,
      isCritical: false,
      finding: null,
      communication: null,
      acknowledged: [],
    }
    expect(await on.writing.sign(on.radiologist, on.studyId, order)).toEqual({
      outcome: 'checks',
      findings: [expect.objectContaining({ check: 'empty-text' })],
    })
  })

  it('notice another patient than the report was begun for', async () => {
    using on = reportStage()
    const order = on.written()
    on.studies.updateStudy(on.key, 'scribe', on.studyId, {
      reportMetadata: { patientName: 'Someone Else', mrn: 'M-8' },
    })
    expect(await on.writing.sign(on.radiologist, on.studyId, order)).toMatchObject({
      outcome: 'checks',
      findings: [{ check: 'patient-changed' }],
    })
  })
})

describe('a critical result', () => {
  it('says what was found, and is open until somebody was told', async () => {
    using on = reportStage()
    const order = { ...on.written('Tension pneumothorax.'), isCritical: true }
    expect(await on.writing.sign(on.radiologist, on.studyId, order)).toMatchObject({
      ...{ outcome: 'checks', findings: [{ check: 'critical-without-finding', level: 'error' }] },
    })
    await on.writing.sign(on.radiologist, on.studyId, { ...order, finding: 'Tension pneumothorax' })
    const [critical] = on.criticals.listCriticalResults(on.radiologist)
    expect(critical).toMatchObject({
      finding: 'Tension pneumothorax',
      communication: null,
      patientName: 'Ada Example',
    })
    expect(critical?.openedAt).toBe('2026-03-10T09:00:00.000Z')
    expect(on.delivery.deliveryOf(critical?.reportId ?? '')?.data.isCritical).toBe(true)
  })

  it('may have been told before, which the PDF shows', async () => {
    using on = reportStage()
    const order = { ...on.written(), isCritical: true, finding: 'Tension pneumothorax' }
    const tomorrow = { ...COMMUNICATION, communicatedAt: '2026-03-11T09:00:00.000Z' }
    await expect(
      on.writing.sign(on.radiologist, on.studyId, { ...order, communication: tomorrow }),
    ).rejects.toMatchObject({
      ...{ code: 'refused', errors: [{ path: 'body.communication.communicatedAt' }] },
    })
    await on.writing.sign(on.radiologist, on.studyId, { ...order, communication: COMMUNICATION })
    expect(on.criticals.listCriticalResults(on.radiologist)).toEqual([])
    expect(on.rendered[0]?.parts[0]).toMatchObject({
      finding: 'Tension pneumothorax',
      communication: COMMUNICATION,
    })
    expect(on.reading.read(on.radiologist, on.studyId)).toMatchObject({
      isCritical: true,
      reports: [
        {
          critical: {
            communication: {
              ...COMMUNICATION,
              recordedBy: { userId: on.user.userId, name: 'Una Malá' },
            },
          },
        },
      ],
    })
    expect(on.store.audit.list({ limit: 1 }).items[0]?.detail).toMatchObject({
      isCritical: true,
      isCommunicated: true,
    })
  })

  it('was told in the past, but for clocks that differ by a minute', () => {
    const now = Date.parse('2026-03-10T09:00:00.000Z')
    expect(
      refusal(() => requirePastInstant('body.at', '2026-03-10T09:01:00.000Z', now)),
    ).toBeUndefined()
    expect(
      refusal(() => requirePastInstant('body.at', '2026-03-10T09:01:00.001Z', now)),
    ).toMatchObject({
      ...{ code: 'refused', errors: [{ path: 'body.at', message: 'must not be in the future' }] },
    })
  })

  it('is not made of words given for a report that is not critical', async () => {
    using on = reportStage()
    await on.signed(SOUND, { finding: 'Nothing', communication: COMMUNICATION })
    expect(on.criticals.listCriticalResults(on.radiologist)).toEqual([])
    expect(on.rendered[0]?.parts[0]).toMatchObject({ finding: null, communication: null })
  })
})

describe('an addendum that is signed', () => {
  it('has a PDF of the report, its addenda and itself, and a delivery of its own; the first PDF stays as it is', async () => {
    using on = reportStage({ renderPdf: renderReportPdf })
    const { store, studyId } = on
    const primary = await on.signed()
    const before = readReportPdf(store.database, primary)
    const addenda: string[] = []
    for (const text of ['Addendum one.', 'Addendum two.']) {
      on.clock.pass(60_000)
      on.writing.startAddendum(on.radiologist, primary)
      expect(on.status()).toBe('addendum_active')
      addenda.push(await on.signed(text))
      expect(on.status()).toBe('completed')
    }
    expect(
      on.rendered.map(({ parts }) => parts.map(({ text, isAddendum }) => [text, isAddendum])),
    ).toEqual([
      [[SOUND, false]],
      [
        [SOUND, false],
        ['Addendum one.', true],
      ],
      [
        [SOUND, false],
        ['Addendum one.', true],
        ['Addendum two.', true],
      ],
    ])
    expect(on.rendered[2]?.parts[0]).toMatchObject({
      signer: { name: 'Una Malá, MD' },
      signedAt: '2026-03-10T09:00:00.000Z',
    })
    expect(readReportPdf(store.database, primary)).toEqual(before)
    const subjects = listDueOutboxJobs(
      store.database,
      'report.delivered',
      '2027-01-01T00:00:00.000Z',
      9,
    ).map(({ subject }) => subject)
    // The lane of the study lets them go out one after the other.
    expect(subjects).toEqual([primary])
    expect(
      addenda.map(
        (reportId) => findLatestOutboxJob(store.database, 'report.delivered', reportId)?.lane,
      ),
    ).toEqual([studyId, studyId])
    expect(on.delivery.deliveryOf(addenda[1] ?? '')?.data).toMatchObject({
      reportId: addenda[1],
      plainText: 'Addendum two.',
    })
  })
})

describe('the accession number of a report', () => {
  it('is that of the images, else of the worklist row they were made for', () => {
    using on = reportStage()
    const { store } = on
    const row = {
      ...{
        studyInstanceUid: '1.2',
        scheduledProcedureStepId: 'S1',
        requestedProcedureId: 'R1',
        accessionNumber: 'A-ROW',
      },
      ...{
        patientName: '',
        patientId: '',
        patientBirthDate: '',
        patientSex: '',
        description: '',
        callingAeTitle: 'CT1',
      },
      at: '2026-03-10T08:00:00.000Z',
    }
    expect(accessionOf(on.store.database, '1.2')).toBe('')
    seedImages(store, { uid: '1.2', header: { accessionNumber: '' } })
    expect(accessionOf(on.store.database, '1.2')).toBe('')
    updateImageStudy(store.database, '1.2', { handedOut: row })
    expect(accessionOf(on.store.database, '1.2')).toBe('A-ROW')
    seedImages(store, { uid: '1.3', header: { accessionNumber: 'A-IMAGES' } })
    updateImageStudy(store.database, '1.3', { handedOut: { ...row, studyInstanceUid: '1.3' } })
    expect(accessionOf(on.store.database, '1.3')).toBe('A-IMAGES')
  })
})

describe('what is delivered', () => {
  it('is the signed text with a fresh link, and who the patient is to the partner', async () => {
    using on = reportStage()
    on.studies.updateStudy(on.key, 'scribe', on.studyId, { externalPatientId: 'EXT-1' })
    const reportId = await on.signed()
    const first = on.delivery.deliveryOf(reportId)
    expect(EVENTS['report.delivered'].data.parse(first?.data)).toEqual({
      ...{
        isCritical: false,
        reportId,
        studyId: on.studyId,
        studyInstanceUid: on.study.studyInstanceUid,
        externalPatientId: 'EXT-1',
      },
      ...{
        plainText: SOUND,
        presignedUrl: expect.stringMatching(/^https:\/\/gateway\.example\/reports\/rep_\w+\/pdf\?/),
      },
    })
    expect(first?.apiKeyId).toBe(on.key.apiKeyId)
    on.clock.pass(1000)
    expect(on.delivery.deliveryOf(reportId)?.data.presignedUrl).not.toBe(first?.data.presignedUrl)
  })

  it('is nothing of a draft, nor of a report that is not there', () => {
    using on = reportStage()
    on.written()
    const { reportId = '' } = findDraft(on.store.database, on.studyId) ?? {}
    expect([on.delivery.deliveryOf(reportId), on.delivery.deliveryOf('rep_x')]).toEqual([
      undefined,
      undefined,
    ])
    expect(on.delivery.stateOf(reportId)).toMatchObject({ state: 'none', eventId: null })
  })

  it('is told how it stands, for as long as the report is kept', async () => {
    using on = reportStage()
    const { store, delivery } = on
    const reportId = await on.signed()
    const row = findLatestOutboxJob(store.database, 'report.delivered', reportId)
    const [event] = listEvents(store.database, { show: 'all', limit: 1 }).items
    if (!row || !event) throw new Error('not there')
    postponeOutboxJob(store.database, row.outboxId, {
      notBefore: '2026-03-10T09:05:00.000Z',
      lastError: verbatim('It was down'),
      at: '2026-03-10T09:00:01.000Z',
    })
    expect(delivery.stateOf(reportId)).toEqual({
      ...{
        state: 'waiting',
        attempts: 1,
        nextAt: '2026-03-10T09:05:00.000Z',
        lastError: 'It was down',
        deliveredAt: null,
        eventId: event.eventId,
      },
    })
    const at = '2026-03-10T09:05:01.000Z'
    settleOutboxJob(store.database, row.outboxId, 'sent', at)
    const delivered = { state: 'delivered', attempts: 2, deliveredAt: at, nextAt: null }
    expect(delivery.stateOf(reportId)).toMatchObject({ ...delivered, eventId: event.eventId })
    setEventState(store.database, event.eventId, 'done', at)
    on.clock.pass(400 * 24 * 60 * 60_000)
    await purgeExpired(on.store)
    expect(delivery.stateOf(reportId)).toMatchObject({ ...delivered, eventId: null })
  })
})
