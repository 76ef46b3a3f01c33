import { createHash, randomUUID } from 'node:crypto'
import { openContext } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import {
  dashboardReports,
  type Reading,
  type SaveOutcome,
  type Signed,
} from '#shared/contract/reports.ts'
import { type ScribeStudy, type StudyReportMetadata, scribe } from '#shared/contract/scribe.ts'
import type { StudyId } from '#shared/ids.ts'
import type { InputOf } from '#shared/operation.ts'
import { OWNER, type StartedGateway } from './gateway.ts'
import { newUid } from './interface.ts'

type Call = StartedGateway['call']

/** An invented patient, of whom nothing may be in a log. */
export const PATIENT: StudyReportMetadata = {
  patientName: 'NOVAKOVA^ANA',
  mrn: 'MRN-4711',
  sex: 'female',
  dateOfBirth: '1961-03-07',
  scanDate: '2026-03-09',
  scanTime: '11:40',
}
/** What a log or a line of the feed must not have of them or of their reports. */
export const OF_THE_PATIENT = /novakova|mrn-4711|1961-03-07|lungs|pneumothorax/i

export const NORMAL =
  'Indication: Cough.\n\nFindings:\nThe lungs are clear.\n\nImpression:\nNormal chest.'
/** A result that must be made known at once. */
export const CRITICAL =
  'Indication: Pain.\n\nFindings:\nLarge left tension pneumothorax.\n\nImpression:\nTension pneumothorax.'

export const RADIOLOGIST = {
  email: 'radiologist@clinic.example',
  password: OWNER.password,
} as const

/**
 * Sets a data folder up for a gateway in a process of its own: an owner, a radiologist, and a
 * partner's key, which is given back.
 */
export async function furnishReporting(folder: string): Promise<string> {
  using context = openContext({ folder })
  context.settings.change(
    { 'dimse.tlsPort': null, 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0 },
    'command-line',
  )
  const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
  await people.createUser(
    { ...OWNER, firstName: 'Olga', lastName: 'Owner', level: 'owner', clinicRole: 'Other' },
    'command-line',
  )
  const names = { firstName: 'Una', lastName: 'Reader' }
  await people.createUser(
    { ...RADIOLOGIST, ...names, level: 'member', clinicRole: 'Radiologist' },
    'command-line',
  )
  return createApiKey(
    context,
    { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' },
    'command-line',
  ).key
}

type NewStudy = InputOf<typeof scribe.create>['body']

/** A study for reporting, as a partner makes one. */
export const newScribeStudy = (call: Call, more: Partial<NewStudy> = {}): Promise<ScribeStudy> =>
  call(scribe.create, {
    body: {
      studyInstanceUid: newUid(),
      studyDescription: 'XR chest',
      severity: 'normal',
      reportMetadata: PATIENT,
      ...more,
    },
  })

type SignBody = InputOf<typeof dashboardReports.sign>['body']

/** A window in which a person has a study before them; it knows the revision it writes on. */
export interface ReadingWindow {
  readonly windowId: string
  readonly revision: number
  read(): Promise<Reading>
  /** Begins to write, or goes on with what is there. */
  begin(more?: { readonly takeOver?: boolean; readonly text?: string }): Promise<Reading>
  /** Saves on the revision it knows, which then is the saved one. */
  save(text: string): Promise<SaveOutcome>
  /** Signs the revision it knows. */
  sign(more?: Partial<SignBody>): Promise<Signed>
  /**
   * Begins, writes and signs; the reading after. Rejects where that was not all there was to it.
   */
  report(text: string, more?: Partial<SignBody>): Promise<Reading>
}

/** `call`: of the person who is signed in there. */
export function readingWindow(call: Call, studyId: StudyId): ReadingWindow {
  const windowId = randomUUID()
  const params = { studyId }
  let revision = 0
  const window: ReadingWindow = {
    windowId,
    get revision() {
      return revision
    },
    async read() {
      const reading = await call(dashboardReports.read, { params })
      revision = reading.draft?.revision ?? 0
      return reading
    },
    async begin(more = {}) {
      const reading = await call(dashboardReports.begin, { params, body: { windowId, ...more } })
      revision = reading.draft?.revision ?? 0
      return reading
    },
    async save(text) {
      const saved = await call(dashboardReports.save, {
        params,
        body: { windowId, revision, text },
      })
      if (saved.outcome === 'saved') revision = saved.revision
      return saved
    },
    sign: (more = {}) =>
      call(dashboardReports.sign, {
        params,
        body: { windowId, revision, isCritical: false, ...more },
      }),
    async report(text, more) {
      await window.begin()
      const saved = await window.save(text)
      const signed = saved.outcome === 'saved' ? await window.sign(more) : saved
      if (signed.outcome !== 'signed')
        throw new Error(`It was not signed: ${JSON.stringify(signed)}`)
      return signed.reading
    },
  }
  return window
}

/** What a link to a PDF opens, without any session or key. */
export async function fetchPdf(url: string, method = 'GET') {
  const answer = await fetch(url, { method })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    headers: answer.headers,
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}
