import { Secret, TOTP } from 'otpauth'
import { expect } from 'vitest'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { viewerUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { View, viewing } from '#shared/contract/viewing.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { image, type Values } from '../electron/server/modules/images/intake-fixture.ts'
import { LOGIN, type openTestSmtpServer } from '../electron/server/modules/mail/smtp-server.ts'
import { ask } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { CANARY_PATIENT, CANARY_WORDS } from './canaries.ts'
import { OWNER, sessionHeaders } from './gateway.ts'
import { type HttpAnswer, httpCall, OWN_PAGE } from './http-call.ts'
import { BEGINS, DAY, ended, until } from './imaging-clinic.ts'
import { keyCall, newUid, type StartedInterface } from './interface.ts'
import { openModality } from './modality.ts'
import { fetchPdf, NORMAL, readingWindow } from './reporting-clinic.ts'
import { queryWorklist, rejectionOf } from './worklist-client.ts'

// What a device, a partner, a radiologist and strangers do in a day, all of it about one patient
// whose words are looked for afterwards.

const P = CANARY_PATIENT
export const CANARY_NAME = `${P.family}^${P.given}`
const NAME = CANARY_NAME
/** Typed by somebody who has another one. */
const MISTYPED = 'a bullfinch in the orchard'

/** What the steps of a day know of each other. */
export interface Day {
  readonly clinic: StartedInterface
  readonly studyInstanceUid: string
  readonly exam: Readonly<Record<string, unknown>>
  readonly secret: (what: string, text: string | Buffer) => void
  readonly refusals: string[]
  readonly smtp: Awaited<ReturnType<typeof openTestSmtpServer>>
  /** Of the partner. */
  readonly files: { readonly host: string }
  readonly linked: string
  readonly setRefuses: (is: boolean) => void
}

/**
 * The device asks for its list by the patient, begins, sends images, ends; the study is seeded and
 * enriched.
 */
export async function examine({ clinic, studyInstanceUid, exam }: Day): Promise<void> {
  const { dimsePort } = clinic.started
  const keys = ask(
    { PatientName: `${P.family}*`, PatientID: P.mrn },
    { ScheduledProcedureStepStartDate: DAY },
  )
  expect(
    await queryWorklist(dimsePort, { keys: { SpecificCharacterSet: 'ISO_IR 192', ...keys } }),
  ).toMatchObject({ status: '0000' })
  const patient: Values = {
    ...{
      SpecificCharacterSet: 'ISO_IR 192',
      StudyInstanceUID: studyInstanceUid,
      SeriesInstanceUID: `${studyInstanceUid}.1`,
    },
    ...{
      PatientName: NAME,
      PatientID: P.mrn,
      PatientBirthDate: P.birthDate,
      AccessionNumber: P.accession,
      PatientAddress: P.address,
    },
    ...{
      PatientComments: P.comments,
      ReferringPhysicianName: P.referrer,
      OtherPatientIDs: P.otherId,
      SeriesDescription: CANARY_WORDS.note,
    },
  }
  const sopInstanceUid = (number: number) => `${studyInstanceUid}.1.${number}`
  await using modality = await openModality(dimsePort)
  const step = newUid()
  const begins = { ...BEGINS, PatientName: NAME, PatientID: P.mrn }
  expect(
    await modality.begin(step, { ...begins, ScheduledStepAttributesSequence: [stepOf(exam)] }),
  ).toMatchObject({ status: '0000' })
  for (const number of [1, 2])
    expect(
      await modality.store(image(number, { ...patient, SOPInstanceUID: sopInstanceUid(number) })),
    ).toMatchObject({ status: '0000' })
  expect(await modality.set(step, ended('COMPLETED', []))).toMatchObject({ status: '0000' })
  await modality.release()
  const { partner } = clinic.keys
  await until(async () => {
    const study = await partner.call(scribe.byUid, { params: { studyInstanceUid } })
    expect(study.reportMetadata).toMatchObject({
      patientName: NAME,
      referringPhysicianName: P.referrer,
    })
  })
}

const stepOf = ({
  StudyInstanceUID,
  AccessionNumber,
  ScheduledProcedureStepSequence,
}: Readonly<Record<string, unknown>>): Values => {
  const [step] = ScheduledProcedureStepSequence as readonly {
    readonly ScheduledProcedureStepID: string
  }[]
  return {
    ...{ StudyInstanceUID: String(StudyInstanceUID), AccessionNumber: String(AccessionNumber) },
    ScheduledProcedureStepID: step?.ScheduledProcedureStepID ?? '',
  }
}

/**
 * Context is asked for, the report is written, signed as critical and delivered after a try that
 * fails; its PDF is fetched.
 */
export async function report({ clinic, studyInstanceUid, secret, setRefuses }: Day): Promise<void> {
  const { studyId } = await clinic.keys.partner.call(scribe.byUid, { params: { studyInstanceUid } })
  const { radiologist, owner } = clinic.users
  const { partner } = clinic.started
  expect(
    await radiologist.call(dashboardReports.askContext, { params: { studyId }, body: {} }),
  ).toMatchObject({ state: 'answered' })
  setRefuses(true)
  const window = readingWindow(radiologist.call, studyId)
  const text = `${NORMAL}\n${P.family}: ${CANARY_WORDS.finding}.`
  const { identity } = await window.read()
  const differences = [...identity.differences]
  await radiologist.call(dashboardReports.overrideIdentity, {
    params: { studyId },
    body: { reason: `It is ${P.family}`, differences },
  })
  await window.report(text, {
    isCritical: true,
    finding: CANARY_WORDS.finding,
    acknowledged: ['identity'],
  })
  await until(() => expect(partner.requestsOf['report.delivered']).toBeGreaterThan(0))
  setRefuses(false)
  await until(async () => {
    await owner.call(dashboardEvents.replay, { body: { which: 'since-outage' } })
    expect(partner.reports.size).toBe(1)
  })
  for (const { presignedUrl } of partner.reports.values()) {
    expect((await fetchPdf(presignedUrl)).status).toBe(200)
    secret(
      'signature of a PDF’s address',
      new URL(presignedUrl).searchParams.get('signature') ?? '',
    )
  }
  expect(
    await owner.call(dashboardStudies.list, { query: { area: 'scribe', search: P.family } }),
  ).toMatchObject({ studies: [{}] })
}

/** A study of the partner is opened by a link, once, and its images are looked at. */
export async function openLink(day: Day): Promise<void> {
  const { clinic, files, linked } = day
  const { owner } = clinic.users
  const { endpoints } = await owner.call(dashboardEvents.endpoints, {})
  const endpointId = endpoints.find(({ url }) => url.startsWith('http://127.'))?.endpointId ?? ''
  await owner.call(dashboardEvents.changeEndpoint, {
    params: { endpointId },
    body: { fileHosts: [files.host] },
  })
  expect(await look(day, linked)).toMatch(/"state":"done".*"read":2|"read":2.*"state":"done"/)
}

/** By a link, which does not open again; what the page is told of the images. */
async function look({ clinic, secret, refusals }: Day, studyInstanceUid: string): Promise<string> {
  const { keys, http } = clinic
  await keys.partner.call(viewer.create, {
    body: { studyInstanceUid, studyDescription: 'CT', severity: 'normal' },
  })
  const { url } = await keys.partner.call(viewer.rerouteUrl, { body: { studyInstanceUid } })
  const token = new URL(url).searchParams.get('token') ?? ''
  secret('token of a link', token)
  const open = () =>
    httpCall(`${http}${viewing.open.path}`, { method: 'POST', headers: OWN_PAGE, json: { token } })
  const answer = await open()
  const { viewId } = View.parse(answer.json)
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  secret('cookie of a view', cookie.slice(cookie.indexOf('=') + 1))
  const { text } = await httpCall(http + viewPaths.images(viewId), {
    headers: { ...OWN_PAGE, cookie },
  })
  refusals.push((await open()).text)
  return text
}

/**
 * Everything else that opens something: sessions, a second factor, keys made anew, the recovery
 * key, an invitation by mail.
 */
export async function accounts({ clinic, secret, smtp }: Day): Promise<void> {
  const { http, users, keys } = clinic
  const { owner, manager } = users
  const { cookie = '' } = await sessionHeaders(http, OWNER)
  secret('cookie of a session', cookie.slice(cookie.indexOf('=') + 1))
  const { secret: seed } = await manager.call(dashboardSecurity.beginSecondFactor, {
    body: { password: OWNER.password },
  })
  secret('seed of a second factor', seed.replaceAll(' ', ''))
  const code = new TOTP({ secret: Secret.fromBase32(seed.replaceAll(' ', '')) }).generate()
  const { codes } = await manager.call(dashboardSecurity.confirmSecondFactor, { body: { code } })
  for (const one of codes) secret('code for a lost authenticator', one)
  const made = await owner.call(dashboardPeople.rotateApiKey, {
    params: { apiKeyId: clinic.keyIds.plain },
    body: { overlapHours: 1 },
  })
  secret('rotated API key', made.key)
  const { recoveryKey, asked } = await owner.call(dashboardSetup.makeRecoveryKey, {})
  await owner.call(dashboardSetup.confirmRecoveryKey, {
    body: { groups: asked.map((at) => recoveryKey.split('-')[at] ?? '') },
  })
  secret('recovery key', recoveryKey)
  secret('recovery key without its lines', recoveryKey.replaceAll('-', ''))

  const { host, port, security, from, certificate } = smtp.smtp
  await owner.call(dashboardPeople.setMail, {
    body: { host, port, security, from, certificate, ...LOGIN },
  })
  secret('password of the mail server', LOGIN.password)
  const person = {
    email: 'rita@partner.example',
    firstName: 'Rita',
    lastName: 'Reader',
    level: 'member',
    clinicRole: 'Other',
  } as const
  await keys.partner.call(viewerUsers.invite, {
    body: { ...person, hasDashboardAccess: true, canManageStudies: false },
  })
  await until(() => expect(smtp.received).toHaveLength(1))
  const source = smtp.received[0]?.source.replace(/=\n/g, '').replaceAll('=3D', '=') ?? ''
  secret('token of an invitation', /token=([\w-]+)/.exec(source)?.[1] ?? 'no token')
}

/** Strangers try; what they are told is kept. */
export async function refuse({
  clinic,
  studyInstanceUid,
  secret,
  refusals,
  linked,
}: Day): Promise<void> {
  const { http, nobody, keys, started } = clinic
  secret('password of somebody who mistypes', MISTYPED)
  const told = async (answer: Promise<HttpAnswer>) => {
    const { status, text, headers } = await answer
    expect(status).toBeGreaterThanOrEqual(400)
    refusals.push(`${text} ${JSON.stringify(headers)}`)
  }
  const { call } = clinic.users.radiologist
  const { studyId } = await keys.partner.call(scribe.byUid, { params: { studyInstanceUid } })
  const { reports } = await call(dashboardReports.read, { params: { studyId } })
  const body = {
    studyInstanceUid,
    studyDescription: 'CT',
    severity: 'none',
    reportMetadata: { patientName: NAME, mrn: P.mrn },
  }
  await told(nobody.send('POST /v1/scribe/studies', { json: body }))
  await told(nobody.send(`GET /v1/scribe/studies/${studyId}`))
  await told(nobody.send(`GET /v1/scribe/studies?studyInstanceUid=${studyInstanceUid}`))
  await told(
    nobody.send(`GET /reports/${reports[0]?.reportId}/pdf?expires=9999999999&signature=none`),
  )
  await told(
    nobody.send(`GET /dashboard/studies?area=scribe&search=${encodeURIComponent(P.family)}`, {
      headers: OWN_PAGE,
    }),
  )
  await told(nobody.send('GET /dashboard/reading/x', { headers: OWN_PAGE }))
  await told(httpCall(`${http}${viewPaths.images(linked)}`, { headers: OWN_PAGE }))
  // Who calls an address that there is not is told so by that address.
  expect(await nobody.send(`GET /nothing/${encodeURIComponent(P.given)}`)).toMatchObject({
    status: 404,
  })
  await told(keyCall(http, `not-a-key-${P.mrn}`).send('GET /v1/scribe/studies'))
  // A partner's own mistakes: what it sent is not said again.
  await told(keys.partner.send('POST /v1/scribe/studies', { json: body }))
  await told(
    keys.partner.send('POST /v1/scribe/studies', {
      body: `{"patientName": "${P.family}`,
      headers: { 'content-type': 'application/json' },
    }),
  )
  await told(keys.partner.send(`GET /v1/scribe/studies?limit=${encodeURIComponent(P.mrn)}`))
  const login = { email: OWNER.email, password: MISTYPED }
  await told(
    httpCall(`${http}/dashboard/session`, { method: 'POST', headers: OWN_PAGE, json: login }),
  )
  expect(await rejectionOf(started.dimsePort, { callingAeTitle: 'STRANGER' })).toBe('1/1/3')
  await using vanishing = await openModality(started.dimsePort)
  vanishing.storeAndLeave(
    image(9, { PatientName: NAME, PatientID: P.mrn, StudyInstanceUID: newUid() }),
  )
}

/** A partner that refuses, answers nonsense, is out of order, and is gone in the midst. */
export async function breakPartner(day: Day): Promise<void> {
  const { clinic, setRefuses } = day
  const { partner, dimsePort } = clinic.started
  const query = () =>
    queryWorklist(dimsePort, {
      keys: ask({ PatientID: P.mrn }, { ScheduledProcedureStepStartDate: DAY }),
    })
  setRefuses(true)
  await query()
  expect(await look(day, newUid())).not.toContain('"read":2')
  setRefuses(false)
  for (const scenario of ['garbage', 'garbage', 'error', 'redirect', 'down'] as const) {
    partner.setScenario(scenario)
    await query()
  }
  partner.setScenario('normal')
}
