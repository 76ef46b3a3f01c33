import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { silentWav } from '#server/modules/dictation/wav.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardDictation, MAX_DICTATION_BYTES } from '#shared/contract/dictation.ts'
import { idFromUuid, type StudyId } from '#shared/ids.ts'
import type { Path } from '#shared/operation.ts'
import { sessionHeaders } from '../support/gateway.ts'
import { OWN_PAGE } from '../support/http-call.ts'
import { type StartedInterface, startInterface } from '../support/interface.ts'
import { newScribeStudy, RADIOLOGIST } from '../support/reporting-clinic.ts'
import { textOf } from '../support/saying.ts'
import { openSpeechEngine, saying } from '../support/speech-engine.ts'

// From the recording to the text, by a speech engine that is played on this PC.

const SAID = 'Small pleural effusion on the left.'
let stage: StartedInterface
let played: Awaited<ReturnType<typeof openSpeechEngine>>
let studyId: StudyId
let owner: StartedInterface['users']['owner']['call']

beforeAll(async () => {
  stage = await startInterface()
  owner = stage.users.owner.call
  studyId = (await newScribeStudy(stage.keys.partner.call)).studyId
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(async () => {
  played = await openSpeechEngine(saying(SAID))
  await set({ 'dictation.isOn': true, 'dictation.url': played.url })
  return () => played[Symbol.asyncDispose]()
})

const set = (settings: Record<string, unknown>) =>
  owner(dashboard.changeSettings, { body: { settings: settings as never } })
const state = () => owner(dashboardDictation.state, {})

const callOf = (of = studyId as string, query = '?language=en'): Path =>
  `POST /dashboard/reading/${of}/dictation${query}`
const TYPE = { 'content-type': 'audio/wav' }

/** A recording, sent as the window sends it. */
async function send(
  body: Buffer,
  {
    headers = {},
    by = stage.users.radiologist,
    of = studyId as string,
    query = '?language=en',
  } = {},
) {
  const { status, json } = await by.send(callOf(of, query), {
    ...{ body, headers: { ...TYPE, ...headers } },
  })
  return { status, json: json as Record<string, unknown> }
}

describe('a dictated report', () => {
  it('is the text of the engine, and is audited without what was said', async () => {
    const audio = silentWav(2)
    expect(await send(audio)).toEqual({ status: 200, json: { text: SAID } })
    expect(played.heard).toMatchObject([{ fields: { language: 'en' }, file: audio }])
    const { entries } = await owner(dashboard.audit, { query: { action: 'dictation.transcribe' } })
    expect(entries[0]).toMatchObject({ target: studyId, detail: { seconds: 2 } })
    expect(JSON.stringify(entries)).not.toMatch(/pleural/)
    expect(stage.started.log.join('\n')).not.toMatch(/pleural/)
  })

  it('of ten minutes is forwarded whole', async () => {
    const audio = Buffer.alloc(MAX_DICTATION_BYTES, 7)
    expect((await send(audio)).status).toBe(200)
    expect(played.heard[0]?.file.equals(audio)).toBe(true)
  })

  it('is refused where it is too long, empty, or something else than a recording', async () => {
    const answers = [
      await send(Buffer.alloc(MAX_DICTATION_BYTES + 1)),
      await send(Buffer.alloc(0)),
      await send(silentWav(1), { headers: { 'content-type': 'application/json' } }),
      await send(silentWav(1), { query: '?language=xx' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([413, 400, 415, 400])
    expect(played.requests).toBe(0)
  })

  it('is for who writes reports, and sees the study', async () => {
    expect((await send(silentWav(1), { by: stage.users.manager })).status).toBe(403)
    expect((await send(silentWav(1), { of: idFromUuid('stu', randomUUID()) })).status).toBe(404)
    const nobody = await stage.nobody.send(callOf(), {
      body: silentWav(1),
      headers: { ...OWN_PAGE, ...TYPE },
    })
    expect(nobody.status).toBe(401)
    expect(played.requests).toBe(0)
  })

  it('says why there is no text: off, killed over it, not there', async () => {
    played.answer = () => played.kill()
    const [killed, gone] = [await send(silentWav(1)), await send(silentWav(1))]
    await set({ 'dictation.isOn': false })
    const off = await send(silentWav(1))
    expect([killed, gone, off].map(({ status, json }) => `${status} ${json.detail}`)).toEqual([
      '503 The speech engine could not be reached: the connection was closed before the response was complete.',
      '503 The speech engine could not be reached: the connection was refused.',
      '422 Speech dictation is not configured. An administrator turns it on in Settings.',
    ])
  })

  it('that its window gives up ends at the engine, too, and is no fault of the gateway', async () => {
    const faults = () => stage.started.log.filter((line) => line.includes('a call failed')).length
    const before = faults()
    let isClosed = false
    const ended = new AbortController()
    played.answer = (_response, request) => {
      request.socket.once('close', () => {
        isClosed = true
      })
      ended.abort()
    }
    const [, path] = callOf().split(' ')
    const sent = fetch(`${stage.http}${path}`, {
      method: 'POST',
      headers: { ...(await sessionHeaders(stage.http, RADIOLOGIST)), ...TYPE },
      body: new Uint8Array(silentWav(1)),
      signal: ended.signal,
    })
    await expect(sent).rejects.toThrow()
    await expect.poll(() => isClosed).toBe(true)
    expect(faults()).toBe(before)
  })
})

describe('the engine', () => {
  it('is tested with a second of silence, before dictation is turned on', async () => {
    await set({ 'dictation.isOn': false })
    expect(await state()).toEqual({ isConfigured: false, hasSecret: false })
    const good = await owner(dashboardDictation.test, {})
    expect(good.success).toBe(true)
    expect(played.heard[0]?.file.equals(silentWav(1))).toBe(true)
    played.kill()
    const bad = await owner(dashboardDictation.test, {})
    expect([bad.success, textOf(bad.message)]).toEqual([
      false,
      'The speech engine could not be reached: the connection was refused.',
    ])
  })

  it('gets its secret, which the window cannot read again', async () => {
    await owner(dashboardDictation.setSecret, { body: { secret: 'a quiet secret' } })
    expect(await state()).toEqual({ isConfigured: true, hasSecret: true })
    await send(silentWav(1))
    expect(played.heard[0]?.authorization).toBe('Bearer a quiet secret')
    await owner(dashboardDictation.setSecret, { body: { secret: null } })
    expect(await state()).toEqual({ isConfigured: true, hasSecret: false })
  })
})
