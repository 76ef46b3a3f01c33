import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { readSecret } from '#server/configuration/secret-queries.ts'
import { type Context, openContext } from '#server/context.ts'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { findLatestOutboxJob, listDueOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { findCustomer } from '#server/modules/customers/queries.ts'
import { readAssociation } from '#server/modules/devices/association-queries.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { eventAttempts, eventRequest, findEvent } from '#server/modules/events/queries.ts'
import { findAnnotations } from '#server/modules/images/annotation-queries.ts'
import { listCommitmentItems } from '#server/modules/images/commitment-queries.ts'
import { listImageStudyRecords } from '#server/modules/images/image-study-list-queries.ts'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { countQuarantined } from '#server/modules/images/quarantine-queries.ts'
import { endpointSecrets, findEndpoint, listEndpoints } from '#server/modules/partners/queries.ts'
import { listClosedSteps } from '#server/modules/procedure-steps/closed-step-queries.ts'
import { findPerformedStep } from '#server/modules/procedure-steps/performed-step-queries.ts'
import {
  findClinicalContext,
  listContextDocuments,
  readContextDocument,
} from '#server/modules/reports/clinical-context-queries.ts'
import { findReportPdf, readReportPdf } from '#server/modules/reports/report-document-queries.ts'
import {
  deleteReport,
  listOpenCriticalResults,
  listReportRevisions,
  listReports,
} from '#server/modules/reports/report-queries.ts'
import { listCreatedStudies } from '#server/modules/studies/created-study-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { countUnindexed, fillSearchIndex } from '#server/modules/studies/search-fill-queries.ts'
import { findStudy, listStudyRecords } from '#server/modules/studies/study-queries.ts'
import { searchStudies } from '#server/modules/studies/study-search-queries.ts'
import { findSavedView } from '#server/modules/study-lists/queries.ts'
import { allUsers, findInvitation, passwordChangedAt } from '#server/modules/users/queries.ts'
import {
  countRecoveryCodes,
  findSecondFactor,
} from '#server/modules/users/second-factor-queries.ts'
import { sessionRecords } from '#server/modules/users/session-queries.ts'
import { findWorkstation } from '#server/modules/users/workstation-queries.ts'
import { findCapture, findView } from '#server/modules/viewer/queries.ts'
import { readInspection } from '#server/modules/worklist/inspection-queries.ts'
import { listAnswersOfDay, readDocument } from '#server/modules/worklist/queries.ts'
import {
  GOLDEN,
  GOLDEN_AT,
  GOLDEN_DAY,
  GOLDEN_KEY,
  goldenFolder,
  goldenRows,
  PDF_SHA256,
} from '../../../support/golden.ts'
import {
  faultsOf,
  lost,
  manyRows,
  migrated,
  reading,
  rowsIn,
  schemaOf,
} from '../../../support/golden-checks.ts'
import { needing } from '../../../support/needs.ts'
import { tempFolder } from '../../../support/temp-store.ts'

const NEWEST = MIGRATIONS.length
const VERSIONS = MIGRATIONS.map((_, index) => index + 1)

const open = (folder: string): Context =>
  openContext({ folder, clock: () => Date.parse(GOLDEN_AT), uuid: randomUUID })
const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

describe.each(VERSIONS)('a folder of schema %i', (version) => {
  it('is opened with everything in it, and a copy of how it was is kept', () => {
    using temp = tempFolder()
    const file = goldenFolder(temp.folder, version)
    const before = rowsIn(file)
    expect(
      Object.keys(goldenRows(version)).filter(
        (table) => before[table]?.length !== goldenRows(version)[table]?.length,
      ),
    ).toEqual([])
    {
      using store = open(temp.folder)
      expect(store.audit.verify()).toEqual({ isIntact: true, entries: 6 })
    }
    expect(schemaOf(file)).toBe(NEWEST)
    expect(faultsOf(file)).toEqual([])
    expect(lost(before, rowsIn(file))).toEqual([])
    const copy = `${file}.schema-${version}`
    expect(existsSync(copy)).toBe(version < NEWEST)
    if (version === NEWEST) return
    expect(schemaOf(copy)).toBe(version)
    expect(faultsOf(copy)).toEqual([])
    expect(rowsIn(copy)).toEqual(before)
    if (process.platform !== 'win32') expect(statSync(copy).mode & 0o777).toBe(0o600)
  })

  it('is read by today’s store, what is sealed included', () => {
    using temp = tempFolder()
    goldenFolder(temp.folder, version)
    using store = open(temp.folder)
    readFirst(store)
    if (version >= 2) readInterface(store, version)
    if (version >= 3) readImages(store)
    if (version >= 4) readReports(store)
    if (version >= 5) readViewing(store)
    if (version >= 6)
      expect(findSavedView(store.database, 'sv1')).toMatchObject({
        name: 'Mine',
        isShared: true,
        filter: { text: 'meyer' },
      })
    if (version >= 7) readSecurity(store)
    if (version >= 8) readActivity(store)
    // The program goes on from there.
    store.audit.append({ actor: 'gateway', action: 'test', target: 't', detail: {} })
    expect(store.audit.verify()).toEqual({ isIntact: true, entries: 7 })
    expect(store.audit.list({ limit: 7 }).items[6]).toMatchObject({
      seq: 1,
      detail: { names: 'Frau Meyer 1' },
    })
  })

  it('is found by its words once the index was filled', () => {
    using temp = tempFolder()
    goldenFolder(temp.folder, version)
    using store = open(temp.folder)
    while (fillSearchIndex(store.database, 100)) {}
    expect(countUnindexed(store.database)).toBe(0)
    const counted = reading(join(temp.folder, 'gateway.sqlite'), (sqlite) =>
      sqlite
        .prepare(
          'select (select sum(studies) from studyTallies) as tallied, (select count(*) from studies) as studies',
        )
        .get(),
    )
    const found = searchStudies(
      store.database,
      { area: 'scribe', search: 'meyer ann' },
      'newest',
      undefined,
      10,
    )
    expect(found.items.map(({ studyId }) => studyId)).toEqual(version >= 2 ? ['stu_2'] : [])
    const images = listImageStudyRecords(
      store.database,
      { show: 'all', search: 'pat-4711' },
      undefined,
      10,
    )
    expect(images.items.map(({ studyInstanceUid }) => studyInstanceUid)).toEqual(
      version >= 3 ? ['1.2.3'] : [],
    )
    expect(counted).toEqual(
      version >= 2 ? { tallied: 3, studies: 3 } : { tallied: null, studies: 0 },
    )
  })
})

function readFirst(store: Context): void {
  expect(store.settings.get('clinic.name')).toBe('North Clinic')
  expect(store.settings.get('clinic.id')).toBe('00000000-0000-4000-8000-000000000001')
  expect(
    allUsers(store.database).map(({ userId, passwordHash, deactivatedAt }) => [
      userId,
      passwordHash,
      deactivatedAt,
    ]),
  ).toEqual([
    ['usr_1', 'scrypt$eva', null],
    ['usr_2', 'scrypt$ivo', GOLDEN_AT],
  ])
  expect(listDevices(store.database)).toMatchObject([
    { deviceId: 'd1', aeTitle: 'CT1', daysBack: 2, isEnabled: true, tls: 'optional' },
    { deviceId: 'd2', isEnabled: false },
  ])
  expect(sessionRecords(store.database, GOLDEN_AT)).toMatchObject([
    { userId: 'usr_1', sessionId: expect.stringMatching(/.+/), lockedAt: null },
  ])
  expect(listEndpoints(store.database)).toMatchObject([
    { endpointId: 'e1', disabledReason: null },
    { endpointId: 'e2', disabledAt: GOLDEN_AT },
  ])
  expect(endpointSecrets(store.database, 'e1')).toEqual([
    { secret: GOLDEN.secret, createdAt: GOLDEN_AT },
  ])
  const [answer] = listAnswersOfDay(store.database, GOLDEN_DAY)
  expect(readDocument(store, answer?.documentHash ?? '')).toEqual(GOLDEN.answer)
  expect(readInspection(store.database, 1)?.detail.toString()).toBe(GOLDEN.handwritten)
  expect(readInspection(store.database, 1)).toMatchObject({ repeats: 0, lastAt: null })
  expect(listClosedSteps(store.database)).toMatchObject([
    { scheduledProcedureStepId: 'S1', reason: GOLDEN.handwritten },
  ])
}

function readInterface(store: Context, version: number): void {
  expect(findCustomer(store.database, 'cus_1')).toMatchObject({
    userCount: 1,
    metadata: { ward: GOLDEN.handwritten },
  })
  expect(findStudy(store.database, 'stu_1')).toMatchObject({
    severity: 'stat',
    detail: { metadata: { patient: GOLDEN.patient } },
  })
  expect(findStudy(store.database, 'stu_2')).toMatchObject({
    assignedTo: 'usr_1',
    detail: { clinicalIndication: GOLDEN.handwritten },
  })
  expect(findStudy(store.database, 'stu_3')).toMatchObject({ cancelledAt: GOLDEN_AT })
  expect(
    listStudyRecords(store.database, { area: 'scribe' }, undefined, 10).items.map(
      ({ studyId }) => studyId,
    ),
  ).toEqual(['stu_3', 'stu_2'])
  const wasSigned = version >= 4
  expect(listReports(store.database, 'stu_2')).toMatchObject([
    {
      ...{
        reportId: 'rep_1',
        status: 'completed',
        isCritical: true,
        signedAt: GOLDEN_AT,
        plainText: GOLDEN.reportText,
      },
      ...{
        snapshotMetadata: { patientName: GOLDEN.patient },
        signer: wasSigned ? { name: 'Eva Kern' } : null,
      },
      textHash: wasSigned ? createHash('sha256').update(GOLDEN.reportText).digest('hex') : null,
    },
    { reportId: 'rep_2', isAddendum: true, isCritical: false, plainText: GOLDEN.addendumText },
    {
      reportId: 'rep_3',
      status: 'in_progress',
      plainText: GOLDEN.draftText,
      revision: wasSigned ? 2 : 0,
    },
  ])
  expect(() => deleteReport(store.database, 'rep_1')).toThrow('a signed report is never deleted')
  expect(listDueOutboxJobs(store.database, 'report.delivered', GOLDEN_AT, 10)).toMatchObject([
    { subject: 'rep_1', attempts: 2, payload: { reportId: 'rep_1' } },
  ])
  expect(findLatestOutboxJob(store.database, 'invitation.mail', 'inv_1')).toMatchObject({
    state: 'sent',
  })
  expect(findInvitation(store.database, 'inv_1')).toMatchObject({
    status: 'accepted',
    userId: 'usr_2',
  })
  expect(readSecret(store, 'mail.password')).toBe(GOLDEN.mailPassword)
}

function readImages(store: Context): void {
  expect(findImageStudy(store.database, '1.2.3')).toMatchObject({
    ...{
      state: 'settled',
      instances: 2,
      quarantined: 1,
      bytes: 1_052_001,
      expected: 3,
      missing: 0,
    },
    header: { patientName: GOLDEN.patient },
    handedOut: { scheduledProcedureStepId: 'S1' },
  })
  expect(listCreatedStudies(store.database, '1.2.3')).toMatchObject([
    { studyId: 'stu_2', touched: ['severity'], values: { studyDescription: 'CT head' } },
  ])
  expect(listStudyInstances(store.database, '1.2.3')).toMatchObject([
    {
      sopInstanceUid: '1.2.3.1.1',
      patientName: GOLDEN.patient,
      crc32: 4_000_000_000,
      image: { rows: 512 },
    },
    { sopInstanceUid: '1.2.3.1.2', bytes: 526_001 },
  ])
  expect(countQuarantined(store.database)).toBe(1)
  expect(findPerformedStep(store.database, '1.2.3.9')).toMatchObject({
    status: 'COMPLETED',
    dataSet: { PatientName: GOLDEN.patient },
  })
  expect(listCommitmentItems(store.database, 1)).toHaveLength(1)
}

function readReports(store: Context): void {
  expect(readReportPdf(store.database, 'rep_1')).toEqual(GOLDEN.pdf)
  expect(findReportPdf(store.database, 'rep_1')).toMatchObject({ sha256: PDF_SHA256, pages: 1 })
  expect(listReportRevisions(store.database, 'rep_3')[0]).toMatchObject({
    revision: 2,
    text: GOLDEN.draftText,
  })
  expect(listOpenCriticalResults(store.database, 10)).toMatchObject([
    { reportId: 'rep_1', finding: GOLDEN.handwritten },
  ])
  expect(findClinicalContext(store.database, 'stu_2')).toMatchObject({
    clinicalIndication: GOLDEN.handwritten,
  })
  const [document] = listContextDocuments(store.database, 'stu_2')
  expect(document?.fileName).toBe('letter.txt')
  const kept = readContextDocument(store.database, 'stu_2', document?.documentId ?? 0)
  expect(kept?.content.toString()).toBe(GOLDEN.handwritten)
  expect(findEvent(store.database, 'whe_1')).toMatchObject({
    state: 'waiting',
    outcome: 'unreachable',
  })
  expect(eventRequest(store.database, 'whe_1')).toBe('{"reportId":"rep_1"}')
  expect(eventAttempts(store.database, 'whe_1')).toMatchObject([
    { attempt: 1, detail: 'no answer' },
  ])
  // Migration 8: a code in the place of the words.
  expect(findEndpoint(store.database, 'e2')?.disabledReason).toBe('person')
}

function readViewing(store: Context): void {
  expect(findView(store.database, 'v1')).toMatchObject({ studyId: 'stu_1', sessionId: null })
  expect(findAnnotations(store.database, '1.2.3', 'user:usr_1')).toEqual({
    revision: 4,
    annotations: [{ label: GOLDEN.handwritten }],
  })
  expect(findCapture(store.database, 'c1')).toMatchObject({
    state: 'waiting',
    urls: 2,
    uploaded: 1,
  })
}

function readSecurity(store: Context): void {
  expect(findSecondFactor(store.database, 'usr_1')).toMatchObject({
    secret: 'JBSWY3DPEHPK3PXP',
    since: GOLDEN_AT,
  })
  expect(countRecoveryCodes(store.database, 'usr_1')).toBe(1)
  expect(findWorkstation(store.database, 'w1')).toMatchObject({
    name: 'Reading room',
    approvedAt: GOLDEN_AT,
  })
  expect(passwordChangedAt(store.database, 'usr_1')).toBe(GOLDEN_AT)
}

function readActivity(store: Context): void {
  expect(readAssociation(store.database, 'a1')).toMatchObject({
    aeTitle: 'CT1',
    terms: '{"contexts":[]}',
    lines: [{ text: 'CT1 asked and got one exam.' }],
  })
}

describe('a folder that is not to be touched', () => {
  it('is left as it is where a newer program wrote it', () => {
    using temp = tempFolder()
    const file = goldenFolder(temp.folder, NEWEST)
    const newer = new Sqlite(file)
    newer.pragma(`user_version = ${NEWEST + 1}`)
    newer.close()
    const before = [hashOf(file), hashOf(join(temp.folder, 'data.key'))]
    expect(() => open(temp.folder)).toThrow(
      expect.objectContaining({
        fault: 'newer-schema',
        message: expect.stringMatching(/was written by a newer version of Isthmus \(schema \d+/),
      }),
    )
    expect([hashOf(file), hashOf(join(temp.folder, 'data.key'))]).toEqual(before)
    expect(readdirSync(temp.folder).filter((name) => name.includes('.schema-'))).toEqual([])
  })

  it('is left as it is where the disk has no room for the copy', needing('posix'), async () => {
    using temp = tempFolder()
    const file = goldenFolder(temp.folder, 5, manyRows(3000))
    const before = hashOf(file)
    expect(statSync(file).size).toBeGreaterThan(2 ** 20)
    // Of 512 bytes in sh: a file beyond 256 KiB cannot be written.
    const { said } = await migrated(temp.folder, {
      before: ['sh', '-c', 'ulimit -f 512; exec "$0" "$@"'],
    })
    const refused = JSON.parse(said.at(-1) ?? '{}')
    expect(refused).toMatchObject({ name: 'StoreError', fault: 'bad-folder' })
    expect(refused.message).toMatch(
      /^The database was not migrated to this version, because the copy .*schema-5 could not be made first: .*\.$/,
    )
    expect(hashOf(file)).toBe(before)
    expect(readdirSync(temp.folder).filter((name) => name.includes('.schema-'))).toEqual([])
    // With room it goes on as if nothing had been.
    using store = open(temp.folder)
    expect(store.audit.verify()).toEqual({ isIntact: true, entries: 3001 })
  })
})

it('is built with the key that its folder has', () => {
  using temp = tempFolder()
  goldenFolder(temp.folder, 1)
  expect(readFileSync(join(temp.folder, 'data.key'))).toEqual(GOLDEN_KEY)
})
