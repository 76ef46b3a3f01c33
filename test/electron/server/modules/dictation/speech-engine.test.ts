import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SpeechEngine } from '#server/modules/dictation/speech-engine.ts'
import { silentWav } from '#server/modules/dictation/wav.ts'
import type { Resolve } from '#server/webhooks/address.ts'
import { Agents } from '#server/webhooks/agents.ts'
import { ApiError } from '#shared/errors.ts'
import { openSpeechEngine, saying } from '../../../../support/speech-engine.ts'
import { tempStore } from '../../../../support/temp-store.ts'

let temp: ReturnType<typeof tempStore>
let played: Awaited<ReturnType<typeof openSpeechEngine>>
const opened: SpeechEngine[] = []

beforeEach(async () => {
  temp = tempStore()
  played = await openSpeechEngine()
  set({ 'dictation.isOn': true, 'dictation.url': played.url })
})
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine[Symbol.asyncDispose]()
  await played[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

const set = (settings: Record<string, unknown>) =>
  void temp.store.settings.change(settings, 'command-line')

function engineOf(agents = new Agents()) {
  const engine = new SpeechEngine(temp.store, agents)
  opened.push(engine)
  return engine
}

const AUDIO = silentWav(1)
const transcribe = (engine = engineOf(), signal = new AbortController().signal) =>
  engine.transcribe(
    { content: Readable.from([AUDIO.subarray(0, 44), AUDIO.subarray(44)]), ...ABOUT },
    signal,
  )
const ABOUT = { bytes: AUDIO.length, language: 'es' } as const
const resolvingTo =
  (address: string): Resolve =>
  async () => [{ address, family: 4 }]

/** What refuses the call. */
async function refused(work: () => unknown): Promise<ApiError | undefined> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  return undefined
}
const sentenceOf = async (work: () => unknown) => (await refused(work))?.message ?? ''

describe('a recording', () => {
  it('reaches the engine whole, with language and form of the answer, and no model where none is set', async () => {
    expect(await transcribe()).toBe('The lungs are clear.')
    expect(played.heard).toEqual([
      {
        path: '/v1/audio/transcriptions',
        authorization: undefined,
        fields: { language: 'es', response_format: 'json' },
        file: AUDIO,
      },
    ])
  })

  it('goes below the path of the address, with the model that is set', async () => {
    set({ 'dictation.url': `${played.url}/speech/`, 'dictation.model': 'large-v3' })
    await transcribe()
    expect(played.heard[0]).toMatchObject({
      path: '/speech/v1/audio/transcriptions',
      fields: { model: 'large-v3' },
    })
  })

  it('becomes a text on one line, without control characters', async () => {
    played.answer = saying('Findings:', 'clear\u0007\u2028 lungs.')
    expect(await transcribe()).toBe('Findings: clear lungs.')
    played.answer = saying(' ')
    expect(await transcribe()).toBe('')
  })

  it('goes to a name of the clinic', async () => {
    const { port } = new URL(played.url)
    set({ 'dictation.url': `http://speech.clinic.example:${port}` })
    const engine = engineOf(new Agents(() => false, resolvingTo('127.0.0.1')))
    expect(await transcribe(engine)).toBe('The lungs are clear.')
  })
})

describe('a recording never goes', () => {
  it.each([
    'https://api.speech.example:443',
    'http://93.184.216.34',
    'https://[2606:2800:220:1::1]',
  ])('to the internet: %s', async (url) => {
    set({ 'dictation.url': url })
    const engine = engineOf(new Agents(() => false, resolvingTo('93.184.216.34')))
    expect(await sentenceOf(() => transcribe(engine))).toBe(
      'The speech engine returned no text: it is an address on the internet, and the gateway only calls addresses in the clinic’s network.',
    )
    expect(played.requests).toBe(0)
  })

  it('to a cloud metadata service, nor to the gateway itself', async () => {
    set({ 'dictation.url': 'http://169.254.169.254' })
    expect(await sentenceOf(() => transcribe())).toContain('which the gateway never calls')
    set({ 'dictation.url': played.url })
    const own = new Agents((_address, port) => port === Number(new URL(played.url).port))
    expect(await sentenceOf(() => transcribe(engineOf(own)))).toContain('of this gateway')
    expect(played.requests).toBe(0)
  })

  it('where a redirect leads', async () => {
    await using other = await openSpeechEngine()
    played.answer = (response) =>
      response.writeHead(307, { location: `${other.url}/v1/audio/transcriptions` }).end()
    expect(await sentenceOf(() => transcribe())).toContain('redirects are not followed')
    expect(other.requests).toBe(0)
  })

  it('anywhere while no address is set', async () => {
    set({ 'dictation.url': null })
    expect(engineOf().isConfigured).toBe(false)
    expect((await refused(() => transcribe()))?.code).toBe('refused')
  })
})

describe('an engine that does not do it', () => {
  it.each([
    [401, 'check the secret'],
    [404, 'path of its address'],
    [500, 'it responded with 500'],
  ])('is named by its answer: %i', async (status, words) => {
    played.answer = (response) => response.writeHead(status).end('{"text":"Ada Example"}')
    const sentence = await sentenceOf(() => transcribe())
    expect(sentence).toContain(words)
    expect(sentence).not.toContain('Ada')
  })

  it.each(['<html>', '{"error":"Ada Example"}', `{"text":"${'x'.repeat(200_001)}"}`])(
    'is named where it answers otherwise',
    async (body) => {
      played.answer = (response) => response.end(body)
      expect(await sentenceOf(() => transcribe())).toBe(
        'The speech engine returned no text: its response does not have the expected form.',
      )
    },
  )

  it('is named where it is too slow', async () => {
    set({ 'dictation.timeoutSeconds': 5 })
    played.answer = () => undefined
    const engine = engineOf()
    Object.defineProperty(engine, 'budgetMs', { value: 50 })
    expect(await sentenceOf(() => transcribe(engine))).toContain('did not respond within')
  })

  it('is named where it is not there, or is killed over it', async () => {
    played.answer = () => played.kill()
    expect(await sentenceOf(() => transcribe())).toBe(
      'The speech engine could not be reached: the connection was closed before the response was complete.',
    )
    expect(await sentenceOf(() => transcribe())).toBe(
      'The speech engine could not be reached: the connection was refused.',
    )
  })

  it('is left alone when nobody waits any more', async () => {
    const ended = new AbortController()
    let isClosed = false
    played.answer = (_response, request) => {
      request.socket.once('close', () => {
        isClosed = true
      })
      ended.abort(new Error('nobody waits'))
    }
    await expect(transcribe(engineOf(), ended.signal)).rejects.toThrow('nobody waits')
    await expect.poll(() => isClosed).toBe(true)
  })
})

describe('the secret of the engine', () => {
  it('is shown to the engine that it was entered for alone, and kept encrypted', async () => {
    const engine = engineOf()
    engine.setSecret('a quiet secret', 'command-line')
    expect(engine.hasSecret).toBe(true)
    await transcribe(engine)
    expect(played.heard[0]?.authorization).toBe('Bearer a quiet secret')
    await using other = await openSpeechEngine()
    set({ 'dictation.url': other.url })
    await transcribe(engine)
    expect(other.heard[0]?.authorization).toBeUndefined()
    const [noted] = temp.store.audit
      .list({ limit: 10 })
      .items.filter(({ action }) => action === 'dictation.secret')
    expect(JSON.stringify(noted)).not.toContain('quiet')
  })

  it('is forgotten when that is said', async () => {
    const engine = engineOf()
    engine.setSecret('a quiet secret', 'command-line')
    engine.setSecret(null, 'command-line')
    engine.setSecret(null, 'command-line')
    expect(engine.hasSecret).toBe(false)
    await transcribe(engine)
    expect(played.heard[0]?.authorization).toBeUndefined()
    const noted = temp.store.audit
      .list({ limit: 10 })
      .items.filter(({ action }) => action === 'dictation.secret')
    expect(noted.map(({ detail }) => detail)).toEqual([
      { password: 'forgotten' },
      { password: 'set' },
    ])
  })

  it('is refused while there is no engine', async () => {
    set({ 'dictation.url': null })
    const keep = () => engineOf().setSecret('x', 'command-line')
    expect((await refused(keep))?.code).toBe('refused')
  })
})
