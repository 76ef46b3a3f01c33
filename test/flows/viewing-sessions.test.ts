import { randomUUID } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import {
  openImageStore,
  openPartnerSimulator,
  openSimulatedFiles,
  phantomSlice,
  phantomSopUid,
  type SimulatedFiles,
} from '#electron/simulator/partner.ts'
import { openContext } from '#server/context.ts'
import { VIEW_COOKIE } from '#server/http/view-authentication.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { changeEndpoint, setPartner } from '#server/modules/partners/service.ts'
import { defaultEndpoint } from '#server/modules/partners/targets.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { linked } from '#shared/contract/linked.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { viewerUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { Capture, dashboardViews, View, viewing } from '#shared/contract/viewing.ts'
import type { StudyId, UserId } from '#shared/ids.ts'
import { viewPaths, viewPrefix } from '#shared/view-paths.ts'
import { type Serving, serving } from '../support/command-line.ts'
import { callerOf, OWNER, sessionHeaders, webhookSecret } from '../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'
import { keyCall, newUid, type StartedInterface, startInterface } from '../support/interface.ts'
import { tempFolder } from '../support/temp-store.ts'

// The viewer from its link to the partner's object store: who gets in by what, dictation by link,
// and the way of a capture.

const SIDE = 64
const PIXELS = deflateSync(Buffer.alloc(SIDE * SIDE * 3, 90)).toString('base64')
const captureOf = (sopInstanceUid: string) => ({
  sopInstanceUid,
  frame: 1,
  rows: SIDE,
  columns: SIDE,
  pixels: PIXELS,
  description: '',
})

async function openFiles(): Promise<SimulatedFiles> {
  const files = await openSimulatedFiles({ clock: Date.now })
  onTestFinished(() => files[Symbol.asyncDispose]())
  return files
}

/**
 * A clinic whose partner has a study of two slices in its object store, and takes captures at two
 * places.
 */
async function openClinic() {
  const files = await openFiles()
  const images = openImageStore(files)
  const host = new URL(files.getUrl('x')).host
  const clinic = await startInterface({
    partner: { files: images },
    overrides: { 'partner.plaintextHosts': [host] },
  })
  onTestFinished(() => clinic[Symbol.asyncDispose]())
  const { owner } = clinic.users
  const { endpoints } = await owner.call(dashboardEvents.endpoints, {})
  await owner.call(dashboardEvents.changeEndpoint, {
    params: { endpointId: endpoints[0]?.endpointId ?? '' },
    body: { fileHosts: [host] },
  })
  const study = newStudyOf(images)
  return { clinic, files, images, owner, ...study }
}

function newStudyOf(images: ReturnType<typeof openImageStore>) {
  const studyInstanceUid = newUid()
  const series = {
    studyInstanceUid,
    seriesInstanceUid: `${studyInstanceUid}.1`,
    slices: 2,
    patientName: 'NOVAK^ANA',
    patientId: 'P-4711',
  }
  images.add({
    studyInstanceUid,
    images: [1, 2].map((number) => ({
      sopInstanceUid: phantomSopUid(series, number),
      body: phantomSlice(series, number),
    })),
    uploads: 2,
  })
  return { studyInstanceUid, sopInstanceUid: phantomSopUid(series, 1) }
}

const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? ''
const burn = (http: string, token: string, headers: Record<string, string> = OWN_PAGE) =>
  httpCall(`${http}${viewing.open.path}`, { method: 'POST', headers, json: { token } })

/** The page of a view: its cookie goes with what is below the view alone, as a browser has it. */
async function pageOf(http: string, token: string) {
  const answer = await burn(http, token)
  if (answer.status !== 200) throw new Error(answer.text)
  return { ...pageBy(http, answer.headers['set-cookie']?.[0] ?? ''), view: View.parse(answer.json) }
}

function pageBy(http: string, setCookie: string) {
  const [cookie = ''] = setCookie.split(';')
  const headers = { ...OWN_PAGE, cookie }
  return {
    setCookie,
    headers,
    call: callerOf(http, headers),
    get: (path: string) => httpCall(http + path, { headers }),
  }
}

/** Until the stream says that all is known. */
async function lines(http: string, headers: Record<string, string>, viewId: string) {
  const { text } = await httpCall(http + viewPaths.images(viewId), { headers })
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { line: string; [name: string]: unknown })
}

async function viewerLink({ keys }: StartedInterface, studyInstanceUid: string) {
  await keys.partner.call(viewer.create, {
    body: { studyInstanceUid, studyDescription: 'CT Thorax', severity: 'normal' },
  })
  return (await keys.partner.call(viewer.rerouteUrl, { body: { studyInstanceUid } })).url
}

it('opens a link once: looking at its page uses nothing up, and afterwards it says why it does not open', async () => {
  const { clinic, studyInstanceUid } = await openClinic()
  const { http, keys } = clinic
  const link = await viewerLink(clinic, studyInstanceUid)
  for (const method of ['GET', 'HEAD', 'GET']) {
    const { pathname, search } = new URL(link)
    const page = await httpCall(`${http}${pathname}${search}`, {
      method,
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    // The page is not built in this test: what it says is another one's.
    expect([200, 503]).toContain(page.status)
    expect(page.headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    })
    expect(page.headers['set-cookie']).toBeUndefined()
  }
  const token = tokenOf(link)
  expect((await burn(http, token, {})).status).toBe(403)
  expect((await burn(http, token, { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' })).status).toBe(
    403,
  )
  const { view, setCookie } = await pageOf(http, token)
  expect(view).toMatchObject({
    kind: 'viewer',
    studyInstanceUid,
    mayDictate: false,
    user: null,
    whyNoCapture: null,
    whyNoExport: { code: 'viewer.export-without-user' },
  })
  expect(setCookie).toMatch(
    new RegExp(`^${VIEW_COOKIE}=[^;]+; Path=/viewer/${view.viewId}; HttpOnly; SameSite=Strict$`),
  )

  const sentence = async (given: string) => {
    const { status, json } = await burn(http, given)
    return `${status} ${(json as { message: string }).message}`
  }
  expect(await sentence(token)).toMatch(/^422 This link has already been used/)
  expect(await sentence('nobody-gave-this')).toMatch(/^422 This link is not valid/)
  const cancelled = (await keys.partner.call(viewer.rerouteUrl, { body: { studyInstanceUid } })).url
  await keys.partner.call(viewer.cancel, { body: { studyInstanceUid } })
  expect(await sentence(tokenOf(cancelled))).toMatch(/^422 The study was cancelled/)
  expect(JSON.stringify(clinic.started.log)).not.toContain(token)
})

it('says of a link that it has expired, and of one whose partner has gone that it was withdrawn', async () => {
  let passed = 0
  const clinic = await startInterface({ clock: () => Date.now() + passed })
  onTestFinished(() => clinic[Symbol.asyncDispose]())
  const [expired, withdrawn] = [
    await viewerLink(clinic, newUid()),
    await viewerLink(clinic, newUid()),
  ]
  passed = 16 * 60_000
  expect((await burn(clinic.http, tokenOf(expired))).json).toMatchObject({
    message: expect.stringMatching(/^This link has expired/),
  })
  passed = 60_000
  await clinic.users.owner.call(dashboardPeople.revokeApiKey, {
    params: { apiKeyId: clinic.keyIds.partner },
  })
  expect((await burn(clinic.http, tokenOf(withdrawn))).json).toMatchObject({
    message: expect.stringMatching(/^This link was revoked/),
  })
})

it('lets the cookie of a view open that view alone, until it is closed or its study cancelled', async () => {
  const { clinic, images, studyInstanceUid, owner } = await openClinic()
  const { http, keys } = clinic
  const one = await pageOf(http, tokenOf(await viewerLink(clinic, studyInstanceUid)))
  const other = await pageOf(
    http,
    tokenOf(await viewerLink(clinic, newStudyOf(images).studyInstanceUid)),
  )
  const status = async (path: string, headers: Record<string, string> = one.headers) =>
    (await httpCall(http + path, { headers })).status
  expect(await status(viewPrefix(one.view.viewId))).toBe(200)
  expect(await status(viewPrefix(other.view.viewId))).toBe(401)
  for (const path of [
    viewPaths.images(other.view.viewId),
    viewPaths.frame(other.view.viewId, '1', 1),
    viewPaths.media(other.view.viewId, 0),
  ])
    expect([path, await status(path)]).toEqual([path, 401])
  for (const path of ['/dashboard/status', '/dashboard/studies?area=scribe', '/v1/viewer/studies'])
    expect([path, await status(path)]).toEqual([path, 401])
  expect(
    (await (await fetch(`${http}/dashboard/session`, { headers: one.headers })).json()) as object,
  ).toMatchObject({ user: null })
  // The session of the window opens no view either, but makes one.
  const headers = await sessionHeaders(http, OWNER)
  expect(await status(viewPrefix(one.view.viewId), headers)).toBe(401)
  const opened = await httpCall(`${http}${dashboardViews.open.path}`, {
    method: 'POST',
    headers,
    json: { studyInstanceUid },
  })
  expect(View.parse(opened.json)).toMatchObject({
    kind: 'window',
    studyInstanceUid,
    user: { name: 'Olga Owner' },
  })
  expect(opened.headers['set-cookie']?.[0]).toContain(VIEW_COOKIE)
  await expect(
    owner.call(dashboardViews.open, { body: { studyInstanceUid: '9.9.9' } }),
  ).rejects.toThrow('404')

  expect(await one.call(viewing.close, { params: { viewId: one.view.viewId } })).toEqual({
    success: true,
  })
  expect(await status(viewPrefix(one.view.viewId))).toBe(401)
  await keys.partner.call(viewer.cancel, {
    body: { studyInstanceUid: other.view.studyInstanceUid ?? '' },
  })
  await expect(other.call(viewing.read, { params: { viewId: other.view.viewId } })).rejects.toThrow(
    '422 The study was cancelled',
  )
})

it('takes a dictation by link from one who has no access to the window, and opens nothing else to them', async () => {
  const { clinic, images } = await openClinic()
  const { http, keys, userIds } = clinic
  const userId = userIds.radiologist as UserId
  await keys.partner.call(viewerUsers.update, {
    params: { userId },
    body: { hasDashboardAccess: false },
  })
  const { studyInstanceUid } = newStudyOf(images)
  const study = await keys.partner.call(scribe.create, {
    body: {
      studyInstanceUid,
      studyDescription: 'CT Thorax',
      severity: 'normal',
      reportMetadata: {},
    },
  })
  const { studyId } = study
  const { url } = await keys.partner.call(scribe.rerouteUrl, {
    body: { studyId, assignedToUserId: userId },
  })
  const { view, call, headers } = await pageOf(http, tokenOf(url))
  expect(view).toMatchObject({ kind: 'reroute', mayDictate: true, user: { userId } })
  const below = (operation: { readonly path: string }) =>
    operation.path.replace(':viewId', view.viewId).replace(':studyId', studyId)
  expect((await httpCall(http + below(linked.session), { headers })).json).toMatchObject({
    user: { userId },
  })
  const asWindow = callerOf(`${http}${viewPrefix(view.viewId)}`, headers)
  const windowId = randomUUID()
  await asWindow(dashboardReports.begin, { params: { studyId }, body: { windowId } })
  const text = 'Findings: The lungs are clear.\nImpression: Normal.'
  await asWindow(dashboardReports.save, {
    params: { studyId },
    body: { windowId, revision: 0, text },
  })
  const signed = await asWindow(dashboardReports.sign, {
    params: { studyId },
    body: { windowId, revision: 1, isCritical: false },
  })
  expect(signed).toMatchObject({
    outcome: 'signed',
    reading: { status: 'completed', mayWrite: false },
  })
  await expect.poll(() => clinic.started.partner.reports.size, { timeout: 10_000 }).toBe(1)

  for (const path of [
    '/dashboard/studies?area=scribe',
    `/dashboard/reading/${studyId}`,
    `/v1/scribe/studies/${studyId}`,
  ])
    expect([path, (await httpCall(http + path, { headers })).status]).toEqual([path, 401])
  const other = await keys.partner.call(scribe.create, {
    body: {
      studyInstanceUid: newUid(),
      studyDescription: 'CT',
      severity: 'normal',
      reportMetadata: {},
    },
  })
  await expect(
    asWindow(dashboardReports.read, { params: { studyId: other.studyId as StudyId } }),
  ).rejects.toThrow('404')
  // A revoked user's view is over at the next call.
  await keys.partner.call(viewerUsers.revokeAccess, { body: { userId } })
  await expect(call(viewing.read, { params: { viewId: view.viewId } })).rejects.toThrow(
    '401 This view of the study has ended',
  )
})

it('keeps a capture, and takes it to both places though one of them fails first', async () => {
  const { clinic, files, owner, studyInstanceUid, sopInstanceUid } = await openClinic()
  const { http } = clinic
  const { view, call, headers } = await pageOf(
    http,
    tokenOf(await viewerLink(clinic, studyInstanceUid)),
  )
  const seen = await lines(http, headers, view.viewId)
  expect(seen.at(-1)).toMatchObject({ line: 'progress', state: 'done', read: 2 })
  const frame = await httpCall(http + viewPaths.frame(view.viewId, sopInstanceUid, 1), { headers })
  expect([frame.status, frame.headers['content-type']]).toEqual([
    200,
    'application/octet-stream; transfer-syntax=1.2.840.10008.1.2.1',
  ])

  files.setUploadStatuses([200, 503])
  const params = { viewId: view.viewId }
  const made = await call(viewing.capture, { params, body: captureOf(sopInstanceUid) })
  expect(made).toMatchObject({ state: 'waiting' })
  const standing = async () => (await call(viewing.captures, { params })).captures[0]
  await expect.poll(async () => (await standing())?.attempts, { timeout: 10_000 }).toBe(1)
  expect(await standing()).toMatchObject({
    state: 'waiting',
    urls: 2,
    uploaded: 1,
    lastError: '1 of 2 uploads failed: it responded with 503.',
  })
  await call(viewing.retryCapture, { params: { ...params, captureId: made.captureId } })
  await expect.poll(async () => (await standing())?.state, { timeout: 10_000 }).toBe('done')
  expect(files.uploads.map(({ name, mediaType }) => [name.split('/').at(-1), mediaType])).toEqual([
    ...[1, 1, 2].map((place) => [`capture-${place}.dcm`, 'application/dicom']),
  ])
  expect(new Set(files.uploads.map(({ body }) => body.toString('base64'))).size).toBe(1)
  expect(files.uploads[0]?.body.includes('NOVAK^ANA')).toBe(true)
  const effects = async (type: 'study.access_requested' | 'secondary_capture.access_requested') =>
    (await owner.call(dashboardEvents.list, { query: { type } })).events.map(({ effect }) => effect)
  await expect
    .poll(() => effects('secondary_capture.access_requested'), { timeout: 10_000 })
    .toEqual(['Uploaded to 2 places.', 'Uploaded to 1 of 2 places.'])
  expect(await effects('study.access_requested')).toEqual(['Gave 2 images and a manifest.'])
  expect(
    JSON.stringify([clinic.started.log, (await owner.call(dashboard.feed, { query: {} })).lines]),
  ).not.toMatch(/NOVAK|P-4711/)

  await expect(
    call(viewing.capture, { params, body: { ...captureOf(sopInstanceUid), rows: 63 } }),
  ).rejects.toThrow('400 body.pixels')
  await expect(call(viewing.capture, { params, body: captureOf('9.9') })).rejects.toThrow('404')
})

it('uploads a capture after the gateway was killed between the keeping and the uploading', async () => {
  const files = await openFiles()
  const images = openImageStore(files)
  const host = new URL(files.getUrl('x')).host
  const secret = webhookSecret()
  const partner = await openPartnerSimulator({ port: 0, secret, clock: Date.now, files: images })
  onTestFinished(() => partner[Symbol.asyncDispose]())
  const temp = tempFolder()
  onTestFinished(() => temp[Symbol.dispose]())
  const { studyInstanceUid, sopInstanceUid } = newStudyOf(images)
  const key = furnish(temp.folder, { url: partner.url, secret, host })

  const first = await started(temp.folder)
  const { keys } = { keys: keyCall(first.http, key) }
  await keys.call(viewer.create, {
    body: { studyInstanceUid, studyDescription: 'CT Thorax', severity: 'normal' },
  })
  const { url } = await keys.call(viewer.rerouteUrl, { body: { studyInstanceUid } })
  const { view, headers } = await pageOf(first.http, tokenOf(url))
  await lines(first.http, headers, view.viewId)
  partner.setScenario('hang')
  const path = viewing.capture.path.replace(':viewId', view.viewId)
  const made = await httpCall(first.http + path, {
    method: 'POST',
    headers,
    json: captureOf(sopInstanceUid),
  })
  expect(made.status).toBe(201)
  await first.end('SIGKILL')
  expect(files.uploads).toEqual([])

  partner.setScenario('normal')
  const second = await started(temp.folder)
  await expect.poll(() => files.uploads.length, { timeout: 20_000 }).toBe(2)
  const after = callerOf(second.http, headers)
  const { captures } = await after(viewing.captures, { params: { viewId: view.viewId } })
  expect(captures).toMatchObject([
    { captureId: Capture.parse(made.json).captureId, state: 'done', urls: 2, uploaded: 2 },
  ])
}, 60_000)

async function started(folder: string): Promise<Serving> {
  const running = await serving(folder, '--log-level', 'warn')
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running
}

/** The text of a key. */
function furnish(
  folder: string,
  { url, secret, host }: { readonly url: string; readonly secret: string; readonly host: string },
): string {
  using context = openContext({ folder })
  setPartner(context, { url, secret, allowPlaintext: true }, 'command-line')
  const { endpointId = '' } = defaultEndpoint(context.database) ?? {}
  changeEndpoint(context, endpointId, { fileHosts: [host] }, 'command-line')
  const plaintextHosts = [...context.settings.get('partner.plaintextHosts'), host]
  context.settings.change(
    {
      'partner.plaintextHosts': plaintextHosts,
      'intake.stopGigabytes': 0,
      'intake.warnGigabytes': 0,
    },
    'command-line',
  )
  return createApiKey(
    context,
    { description: 'RIS', isViewerEnabled: true, scope: 'all' },
    'command-line',
  ).key
}
