import { afterEach, beforeEach, expect, it } from 'vitest'
import type { HttpServer } from '#server/http/server.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { serveDashboardViews } from '#server/modules/viewer/routes.ts'
import { ViewSessions } from '#server/modules/viewer/sessions.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { View } from '#shared/contract/viewing.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { httpCall, OWN_PAGE } from '../../../../support/http-call.ts'
import { seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { openTestServer } from '../../http/http-fixture.ts'

let on: ReturnType<typeof tempStore>
let server: HttpServer
let studyId: string
beforeEach(async () => {
  on = tempStore()
  const { user } = atTheWindow(newUser(on.store))
  const views = new ViewSessions(on.store)
  const study = { studyInstanceUid: '1.2.3', studyDescription: 'CT', severity: 'normal' } as const
  studyId = studyService.createStudy(on.store, newKey(on.store), 'scribe', study).record.studyId
  seedImages(on.store, { uid: '1.2.4' })
  server = await openTestServer({
    views,
    sessions: {
      userOf: (token) => (token === 'mine' ? user : undefined),
      isConfirmed: () => true,
      isLimited: () => false,
    },
    register: (app) => serveDashboardViews(app, on.store, views),
  })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  on[Symbol.dispose]()
})

const open = (
  json: unknown,
  headers: Record<string, string> = { ...OWN_PAGE, cookie: 'isthmus-session=mine' },
) => httpCall(`${server.url}/dashboard/views`, { method: 'POST', headers, json })

it('opens the images of a study, by its id, its UID, or what the archive alone has', async () => {
  for (const [named, kind] of [
    [{ studyId }, { studyId, area: 'scribe' }],
    [{ studyInstanceUid: '1.2.3' }, { studyId, area: 'scribe' }],
    [{ studyInstanceUid: '1.2.4' }, { studyId: null, area: null }],
  ]) {
    const answer = await open(named)
    const view = View.parse(answer.json)
    expect(view).toMatchObject({ kind: 'window', ...kind })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringContaining(`Path=/viewer/${view.viewId};`),
    ])
  }
})

it('is for a session, a page of ours, and one study that is there', async () => {
  const codes = await Promise.all([
    open({ studyId }, OWN_PAGE),
    open({ studyId }, { cookie: 'isthmus-session=mine' }),
    open({ studyInstanceUid: '9.9' }),
    open({ studyId, studyInstanceUid: '1.2.3' }),
    open({}),
  ])
  expect(codes.map(({ json }) => Problem.parse(json).code)).toEqual([
    'not-signed-in',
    'not-permitted',
    'not-found',
    'malformed',
    'malformed',
  ])
})
