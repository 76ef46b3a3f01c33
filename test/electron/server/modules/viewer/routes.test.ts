import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HttpServer } from '#server/http/server.ts'
import { VIEW_COOKIE } from '#server/http/view-authentication.ts'
import * as studyService from '#server/modules/studies/service.ts'
import type { PriorArchives } from '#server/modules/viewer/archive-priors.ts'
import type { Captures } from '#server/modules/viewer/captures.ts'
import { serveViewing } from '#server/modules/viewer/routes.ts'
import { ViewSessions } from '#server/modules/viewer/sessions.ts'
import type { ViewImages } from '#server/modules/viewer/view-images.ts'
import { Problem } from '#shared/contract/conventions.ts'
import type { HangingProtocol } from '#shared/contract/hanging-protocols.ts'
import type { ViewedPrior } from '#shared/contract/viewed-images.ts'
import { type Capture, View, viewing } from '#shared/contract/viewing.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { httpCall, OWN_PAGE } from '../../../../support/http-call.ts'
import { linksOf } from '../../../../support/links.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { openTestServer } from '../../http/http-fixture.ts'

const UID = '1.2.3'
const CAPTURE: Capture = {
  ...{
    captureId: '3f1b6c58-6a0e-4f8a-9f0e-7b1f5d0c2a11',
    sopInstanceUid: '2.25.1',
    state: 'waiting',
    urls: 0,
    uploaded: 0,
    attempts: 0,
  },
  ...{ nextAt: null, lastError: null, createdAt: '2026-03-10T09:00:00.000Z' },
}

type Temp = ReturnType<typeof tempStore>
let on: Temp
let sessions: ViewSessions
let server: HttpServer
let priors: ViewedPrior[]
let calls: unknown[]
/** Studies that a partner gave for an ephemeral session. */
let given: string[] | undefined
let ephemeral: () => string
let token: () => string

beforeEach(async () => {
  on = tempStore()
  priors = []
  calls = []
  const key = newKey(on.store)
  const links = linksOf(on.store)
  sessions = new ViewSessions(on.store)
  studyService.createStudy(on.store, key, 'scribe', {
    studyInstanceUid: UID,
    studyDescription: 'CT',
    severity: 'normal',
  })
  const { userId } = newUser(on.store)
  ephemeral = () =>
    new URL(links.ephemeral(key, 'scribe', { retrievalId: 'r1' }).url).searchParams.get('token') ??
    ''
  token = () =>
    new URL(links.viewerOnly(key, { studyInstanceUid: UID, userId }).url).searchParams.get(
      'token',
    ) ?? ''
  // The images themselves are in the tests of `images.ts`, and with real ones in test/flows.
  const images = {
    async *lines() {
      yield { line: 'progress', state: 'done', read: 0, files: 0 }
    },
    frame: async (_view, sop, frame) => ({
      body: Buffer.from(`${sop} ${frame}`),
      transferSyntaxUid: '1.2',
    }),
    extras: async () => ({
      palette: null,
      modalityLut: null,
      voiLuts: [],
      supplement: null,
      notApplied: [],
      overlays: [],
    }),
    referencing: async () => ({
      ...{ kind: 'structure-set', label: 'PLAN', description: '', creator: '', date: '', time: '' },
      ...{ notApplied: [], rois: [] },
    }),
    media: async (_view, mediaId, range) => ({
      ...{ status: 206, headers: { 'content-range': `${range}` }, body: Readable.from(['x']) },
      ...{ shownAs: 'pdf', mimeType: 'application/pdf', fileName: `${mediaId}.pdf` },
    }),
    priors: () => priors,
    addPrior: (_view, uid) => void calls.push(uid),
    shows: (_view, uid) => given?.includes(uid),
  } as Pick<
    ViewImages,
    'lines' | 'frame' | 'extras' | 'referencing' | 'media' | 'priors' | 'addPrior' | 'shows'
  > as ViewImages
  const archives = {
    list: () => ({ destinations: [], native: { isAvailable: true, detail: null } }),
    findPriors: async () => ({ studies: [], tookMs: 1 }),
    pull: () => Promise.reject(new Error('not here')) as never,
    pulls: { list: () => [] },
  } satisfies PriorArchives
  server = await openTestServer({
    views: sessions,
    register: (app) =>
      serveViewing(
        app,
        on.store,
        sessions,
        images,
        {
          async make(_view, { pixels, ...capture }) {
            calls.push({ ...capture, pixels: pixels.length })
            return CAPTURE
          },
          list: () => [CAPTURE],
          retry: (_view, captureId) => ({ ...CAPTURE, captureId }),
        } as Pick<Captures, 'make' | 'list' | 'retry'> as Captures,
        archives,
      ),
  })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  on[Symbol.dispose]()
})

async function opened(of = token()) {
  const answer = await httpCall(server.url + viewing.open.path, {
    method: 'POST',
    headers: OWN_PAGE,
    json: { token: of },
  })
  const view = View.parse(answer.json)
  const [cookie = ''] = (answer.headers['set-cookie']?.[0] ?? '').split(';')
  const call = (method: string, path: string, json?: unknown) =>
    httpCall(`${server.url}/viewer/${view.viewId}${path}`, {
      method,
      headers: { ...OWN_PAGE, cookie },
      json,
    })
  return { view, call, cookie }
}
const codeOf = ({ status, json }: { status: number; json: unknown }) => [
  status,
  Problem.parse(json).code,
]

describe('the calls of a view', () => {
  it('begin with the token of a link, and end when the page is closed', async () => {
    const { view, call } = await opened()
    expect((await call('GET', '')).json).toEqual(view)
    const closed = await call('POST', '/close')
    expect(closed.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^${VIEW_COOKIE}=; Max-Age=0; Path=/viewer/${view.viewId};`),
    )
    expect(codeOf(await call('GET', ''))).toEqual([401, 'not-signed-in'])
  })

  it('give the list, frames and media as bytes', async () => {
    const { view, call, cookie } = await opened()
    expect((await call('GET', '/images')).text).toBe(
      '{"line":"progress","state":"done","read":0,"files":0}\n',
    )
    const frame = await httpCall(server.url + viewPaths.frame(view.viewId, '1.2.3.4', 2), {
      headers: { cookie },
    })
    expect([frame.text, frame.headers['content-type']]).toEqual([
      '1.2.3.4 2',
      'application/octet-stream; transfer-syntax=1.2',
    ])
    expect(codeOf(await call('GET', '/instances/1.2/frames/0'))).toEqual([400, 'malformed'])
    const media = await httpCall(server.url + viewPaths.media(view.viewId, 3), {
      headers: { cookie, range: 'bytes=0-0' },
    })
    expect([
      media.status,
      media.headers['content-range'],
      media.headers['content-disposition'],
    ]).toEqual([...[206, 'bytes=0-0', `inline; filename="3.pdf"; filename*=UTF-8''3.pdf`]])
    expect((await call('GET', '/instances/1.2/extras')).json).toMatchObject({ palette: null })
    expect((await call('GET', '/instances/1.2/referencing')).json).toMatchObject({ label: 'PLAN' })
  })

  it('keep what is drawn, of studies that the view shows', async () => {
    const { call } = await opened()
    const at = (uid: string) => `/studies/${uid}/annotations`
    expect((await call('GET', at(UID))).json).toEqual({ revision: 0, annotations: [] })
    expect((await call('PUT', at(UID), { revision: 0, annotations: [{ a: [1] }] })).json).toEqual({
      revision: 1,
    })
    expect((await call('GET', at(UID))).json).toEqual({ revision: 1, annotations: [{ a: [1] }] })
    expect(codeOf(await call('PUT', at(UID), { revision: 0, annotations: [] }))).toEqual([
      422,
      'refused',
    ])
    expect(codeOf(await call('GET', at('9.9')))).toEqual([404, 'not-found'])
    const prior: ViewedPrior = {
      studyInstanceUid: '9.9',
      studyDescription: '',
      modalities: [],
      studyDate: '',
      instances: 1,
      isOpen: false,
    }
    priors = [prior]
    const scope = { scope: 'link', canQuery: false }
    expect((await call('GET', '/priors')).json).toEqual({ priors, ...scope })
    expect(codeOf(await call('GET', at('9.9')))).toEqual([404, 'not-found'])
    priors = [{ ...prior, isOpen: true }]
    expect((await call('GET', at('9.9'))).status).toBe(200)
    // What a person has drawn on a hundred megabytes of images is still less than this.
    const large = [{ text: 'x'.repeat(1_000_001) }]
    expect(codeOf(await call('PUT', at(UID), { revision: 1, annotations: large }))).toEqual([
      400,
      'malformed',
    ])
    expect(
      codeOf(await call('PUT', at(UID), { revision: 1, annotations: ['é'.repeat(2_000_000)] })),
    ).toEqual([413, 'too-large'])
  })

  it('keep the hanging protocols of the user, and refuse what another window has overtaken', async () => {
    const { call } = await opened()
    const save = (revision: number, protocols: object[] = []) =>
      call('PUT', '/hanging-protocols', { revision, protocols })
    const protocol: HangingProtocol = {
      protocolId: CAPTURE.captureId,
      name: 'CT chest',
      modality: 'CT',
      words: ['chest'],
      prior: 'with',
      leastSeries: 1,
      mostSeries: null,
      rows: 1,
      columns: 2,
      panes: [
        {
          from: 'prior',
          modality: 'CT',
          description: 'Lung',
          viewPosition: '',
          laterality: '',
          position: 0,
        },
        null,
      ],
      isPlanes: false,
    }
    expect((await call('GET', '/hanging-protocols')).json).toEqual({ revision: 0, protocols: [] })
    expect((await save(0, [protocol])).json).toEqual({ revision: 1 })
    expect(codeOf(await save(0))).toEqual([422, 'refused'])
    expect(codeOf(await save(1, [{ ...protocol, rows: 5 }]))).toEqual([400, 'malformed'])
    // Another view of the same user has them, too; a session without a user has none and keeps none.
    const { call: again } = await opened()
    expect((await again('GET', '/hanging-protocols')).json).toEqual({
      revision: 1,
      protocols: [protocol],
    })
    const { call: nobody } = await opened(ephemeral())
    expect((await nobody('GET', '/hanging-protocols')).json).toMatchObject({ protocols: [] })
    expect(
      codeOf(await nobody('PUT', '/hanging-protocols', { revision: 0, protocols: [] })),
    ).toEqual([422, 'refused'])
  })

  it('query other archives from the window alone, by who may manage all images', async () => {
    const { call } = await opened()
    const body = { destinationId: CAPTURE.captureId, studyInstanceUid: '9.9' }
    for (const [method, path, json] of [
      ['POST', '/priors/query', undefined],
      ['POST', '/priors/retrieve', body],
      ['GET', '/priors/retrievals', undefined],
    ] as const)
      expect(codeOf(await call(method, path, json))).toEqual([403, 'not-permitted'])
  })

  it('keep what is drawn in an ephemeral session, of the studies that the partner gave', async () => {
    const { call } = await opened(ephemeral())
    const save = (uid: string, revision = 0) =>
      call('PUT', `/studies/${uid}/annotations`, { revision, annotations: [] })
    given = ['8.8']
    expect((await save('8.8')).status).toBe(200)
    expect(codeOf(await save('9.9'))).toEqual([404, 'not-found'])
    expect((await call('GET', '/studies/9.9/annotations')).status).toBe(200)
    // After a restart, before anything was asked for.
    given = undefined
    expect((await save('8.8', 1)).status).toBe(200)
    expect(codeOf(await save('9.9'))).toEqual([503, 'unavailable'])
  })

  it('have it on record who put an earlier study beside', async () => {
    const { call, view } = await opened()
    expect((await call('POST', '/priors', { studyInstanceUid: '9.9' })).json).toEqual({
      success: true,
    })
    expect(calls).toEqual(['9.9'])
    const [row] = on.store.audit.list({ limit: 1 }).items
    expect(row).toMatchObject({
      actor: `user:${view.user?.userId}`,
      action: 'view.prior',
      target: '9.9',
      detail: { viewId: view.viewId },
    })
  })

  it('make captures of many megabytes, list them and start them again', async () => {
    const { call } = await opened()
    const pixels = 'A'.repeat(8_000_000)
    const wanted = { sopInstanceUid: '1.2', frame: 1, rows: 16, columns: 16, pixels }
    const made = await call('POST', '/captures', wanted)
    expect([made.status, made.json]).toEqual([201, CAPTURE])
    expect(calls).toEqual([{ ...wanted, description: '', pixels: 8_000_000 }])
    expect((await call('GET', '/captures')).json).toEqual({ captures: [CAPTURE] })
    expect((await call('POST', `/captures/${CAPTURE.captureId}/retry`)).json).toEqual(CAPTURE)
    expect(codeOf(await call('POST', '/captures', { ...wanted, rows: 15 }))).toEqual([
      400,
      'malformed',
    ])
  })

  it('make no captures, nor send any again, for who may look at images only', async () => {
    const user = newUser(on.store, {
      level: 'member',
      canManageStudies: false,
      canCreateReports: false,
    })
    const { view, token: secret } = sessions.byUser(atTheWindow(user), { studyInstanceUid: UID })
    const headers = { ...OWN_PAGE, cookie: `${VIEW_COOKIE}=${secret}` }
    const wanted = { sopInstanceUid: '1.2', frame: 1, rows: 16, columns: 16, pixels: 'AAAA' }
    for (const [path, json] of [
      ['', wanted],
      [`/${CAPTURE.captureId}/retry`, undefined],
    ] as const)
      expect(
        codeOf(
          await httpCall(`${server.url}/viewer/${view.viewId}/captures${path}`, {
            method: 'POST',
            headers,
            json,
          }),
        ),
      ).toEqual([...[422, 'refused']])
  })

  it.each(Object.keys(viewing) as (keyof typeof viewing)[])(
    '%s needs the cookie of the view, and a page of ours',
    async (name) => {
      const { view, cookie } = await opened()
      const { method, path, access } = viewing[name]
      const url =
        server.url + path.replace(':viewId', view.viewId).replace(/:(\w+)/g, CAPTURE.captureId)
      const json = method === 'GET' ? undefined : {}
      const foreign = await httpCall(url, {
        method,
        headers: { ...OWN_PAGE, cookie, 'sec-fetch-site': 'cross-site' },
        json,
      })
      expect(codeOf(foreign)).toEqual([403, 'not-permitted'])
      if (access === 'public') return
      expect(codeOf(await httpCall(url, { method, headers: OWN_PAGE, json }))).toEqual([
        401,
        'not-signed-in',
      ])
      const wrong = { ...OWN_PAGE, cookie: `${VIEW_COOKIE}=x` }
      expect(codeOf(await httpCall(url, { method, headers: wrong, json }))).toEqual([
        401,
        'not-signed-in',
      ])
    },
  )

  it('refuse a value too deep to be looked at', async () => {
    const { call, cookie, view } = await opened()
    expect((await call('GET', '')).status).toBe(200)
    const body = `{"revision":0,"annotations":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    const url = `${server.url}/viewer/${view.viewId}/studies/${UID}/annotations`
    const answer = await httpCall(url, {
      method: 'PUT',
      headers: { ...OWN_PAGE, cookie, 'content-type': 'application/json' },
      body,
    })
    expect(codeOf(answer)).toEqual([400, 'malformed'])
  })
})
