import diagnosticsChannel from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  openImageStore,
  openSimulatedFiles,
  phantomSlice,
  phantomSopUid,
} from '#electron/simulator/partner.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { addEndpoint } from '#server/modules/partners/service.ts'
import { dashboardBackups } from '#shared/contract/dashboard-backups.ts'
import { openTestSmtpServer } from '../electron/server/modules/mail/smtp-server.ts'
import {
  CANARY_PATIENT,
  CANARY_WORDS,
  type Canary,
  PATIENT_CANARIES,
  secretCanary,
} from './canaries.ts'
import {
  accounts,
  breakPartner,
  CANARY_NAME,
  type Day,
  examine,
  openLink,
  refuse,
  report,
} from './canary-day.ts'
import { OWNER } from './gateway.ts'
import { EXAMS, until } from './imaging-clinic.ts'
import { newUid, type StartedInterface, startInterface } from './interface.ts'
import { tempFolder } from './temp-store.ts'

const P = CANARY_PATIENT

/** A clinic whose only patient is a canary, with all that opens something known to the test. */
export interface CanaryClinic extends AsyncDisposable {
  readonly clinic: StartedInterface
  readonly folder: string
  readonly backups: string
  /** The patient, and every secret that was given out so far. */
  readonly canaries: readonly Canary[]
  /** Addresses that were called by HTTP from this process, with their headers. */
  readonly called: readonly string[]
  /** Bodies of refusals, as whoever has no business here was told them. */
  readonly refusals: readonly string[]
}

/**
 * Drives it through a day: worklist, images, enrichment, reports, mail, links, refusals, a partner
 * that breaks, a backup. @param folder stays
 */
export async function openCanaryClinic(folder: string): Promise<CanaryClinic> {
  await using opened = new AsyncDisposableStack()
  const backups = opened.use(tempFolder()).folder
  const files = opened.use(await openSimulatedFiles({ clock: Date.now }))
  const smtp = opened.use(await openTestSmtpServer())
  const canaries: Canary[] = [...PATIENT_CANARIES]
  const secret = (what: string, text: string | Buffer) =>
    void canaries.push(secretCanary(what, text))
  const called = watchCalls(opened)
  const refusals: string[] = []

  const exam = {
    ...EXAMS[4],
    PatientName: CANARY_NAME,
    PatientID: P.mrn,
    PatientBirthDate: P.birthDate,
    AccessionNumber: P.accession,
  }
  const studyInstanceUid = String(exam.StudyInstanceUID)
  const images = openImageStore(files)
  const linked = studyOfPartner(images)
  const urlsOf = (uid: string) => {
    const urls = images.urlsOf(uid)
    for (const url of urls)
      secret('signature of a file’s address', new URL(url).searchParams.get('signature') ?? '')
    return urls
  }
  let refuses = false
  const clinic = opened.use(
    await startInterface({
      folder,
      overrides: {
        ...{
          'clinic.timeZone': 'UTC',
          'worklist.freshSeconds': 0,
          'intake.idleSeconds': 1,
          'backup.folder': backups,
        },
        'partner.plaintextHosts': [files.host],
      },
      partner: {
        answers: {
          'modality_worklist.requested': () =>
            refuses
              ? { authorized: false, error: CANARY_WORDS.refusal, items: [] }
              : { authorized: true, items: [exam] },
          'study.access_requested': ({ studyInstanceUid: uid }) =>
            refuses
              ? { authorized: false, error: CANARY_WORDS.refusal, urls: [] }
              : { authorized: true, urls: [...urlsOf(uid)] },
          'report.delivered': () =>
            refuses ? { success: false, error: CANARY_WORDS.refusal } : { success: true },
          'patient_study.enrichment_requested': () => ({
            ...{
              patientName: CANARY_NAME,
              mrn: P.mrn,
              dateOfBirth: P.birthDay,
              referringPhysicianName: P.referrer,
              procedure: 'CT of the chest',
            },
            externalPatientId: CANARY_WORDS.externalId,
          }),
          'clinical_context.enrichment_requested': () => ({
            clinicalIndication: CANARY_WORDS.indication,
            technologistNotes: [CANARY_WORDS.note],
            priorReports: [{ reportText: CANARY_WORDS.prior }],
            documents: [{ fileName: CANARY_WORDS.fileName, content: [CANARY_WORDS.document] }],
          }),
        },
      },
      prepare(context) {
        const { apiKey, key } = createApiKey(
          context,
          { description: 'Another partner', isViewerEnabled: true, scope: 'all' },
          'command-line',
        )
        secret('API key', key)
        const signing = `whsec_${Buffer.alloc(32, 'goldfinch').toString('base64')}`
        secret('signing secret', signing)
        addEndpoint(
          context,
          {
            ...{
              url: 'https://ris.example/hook',
              name: 'Another',
              events: ['report.delivered'],
              allowPlaintext: false,
              fileHosts: [],
            },
            ...{ budgets: {}, apiKeyId: apiKey.apiKeyId, secret: signing },
          },
          'command-line',
        )
      },
    }),
  )
  secret('password', OWNER.password)
  secret('data key', readFileSync(join(folder, 'data.key')))
  const setRefuses = (is: boolean) => {
    refuses = is
  }
  const day: Day = {
    clinic,
    studyInstanceUid,
    exam,
    secret,
    refusals,
    smtp,
    files,
    linked,
    setRefuses,
  }
  await examine(day)
  await report(day)
  await openLink(day)
  await accounts(day)
  await refuse(day)
  await breakPartner(day)
  const { owner } = clinic.users
  await owner.call(dashboardBackups.make, {})
  await until(async () =>
    expect(await owner.call(dashboardBackups.state, {})).toMatchObject({
      running: null,
      backups: [{}],
    }),
  )
  const kept = opened.move()
  return {
    clinic,
    folder,
    backups,
    canaries,
    called,
    refusals,
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** A study that only the partner has, of the same patient. Its UID. */
function studyOfPartner(images: ReturnType<typeof openImageStore>): string {
  const studyInstanceUid = newUid()
  const series = {
    studyInstanceUid,
    seriesInstanceUid: `${studyInstanceUid}.1`,
    slices: 2,
    patientName: CANARY_NAME,
    patientId: P.mrn,
  }
  const slices = [1, 2].map((number) => ({
    sopInstanceUid: phantomSopUid(series, number),
    body: phantomSlice(series, number),
  }))
  images.add({ studyInstanceUid, images: slices })
  return studyInstanceUid
}

/** What undici is asked for, by whomever in this process. */
function watchCalls(opened: AsyncDisposableStack): string[] {
  const called: string[] = []
  const note = (message: unknown) => {
    const { request } = message as {
      readonly request: {
        readonly origin: string
        readonly path: string
        readonly headers: unknown
      }
    }
    called.push(`${request.origin}${request.path} ${JSON.stringify(request.headers)}`)
  }
  diagnosticsChannel.subscribe('undici:request:create', note)
  opened.defer(() => void diagnosticsChannel.unsubscribe('undici:request:create', note))
  return called
}
