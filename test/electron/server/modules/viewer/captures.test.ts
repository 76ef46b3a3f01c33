import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { OpenView } from '#server/http/callers.ts'
import { outboxSummary } from '#server/jobs/outbox-queries.ts'
import { RETRY_SCHEDULES } from '#server/jobs/retry-schedules.ts'
import { findCurrentInstance } from '#server/modules/images/instance-queries.ts'
import { type EndpointRecord, saveEndpoint } from '#server/modules/partners/queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { type CaptureUpload, openCaptureUpload } from '#server/modules/viewer/capture-upload.ts'
import { Captures } from '#server/modules/viewer/captures.ts'
import type { AskUpload } from '#server/modules/viewer/partner-access.ts'
import { capturesOfStudy, insertCapture } from '#server/modules/viewer/queries.ts'
import type { KnownInstance } from '#server/modules/viewer/view-images.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { newEndpoint } from '../../../../support/endpoints.ts'
import { tempStore, withoutRoom } from '../../../../support/temp-store.ts'
import { viewRecord } from '../../../../support/view-record.ts'
import { knownInstance } from './known-instance.ts'

const UID = '1.2.3'
const ROWS = 20
const COLUMNS = 16
const RGB = Buffer.alloc(ROWS * COLUMNS * 3, 0x5a)
const packed = (bytes: Buffer) => deflateSync(bytes).toString('base64')
const WANTED = {
  sopInstanceUid: `${UID}.1.1`,
  frame: 1,
  rows: ROWS,
  columns: COLUMNS,
  pixels: packed(RGB),
  description: 'Window 40/400',
}

type Temp = ReturnType<typeof tempStore>
let on: Temp
let captures: Captures
let uploads: CaptureUpload
let view: OpenView
let shown: KnownInstance | undefined
/** Of each URL, what it does next; then it takes the file. */
let faults: Map<string, WebhookError[]>
let asked: { question: unknown; apiKeyId: string | null }[]
let puts: { url: string; body: Buffer; mediaType: string }[]
let effects: string[]
let refusedHosts: string[]
let answer: () => readonly string[]
let apiKeyId: string
let endpoint: EndpointRecord
/** The partner keeps us waiting. */
let hangs: boolean

beforeEach(() => {
  on = tempStore()
  const { store } = on
  const key = newKey(store)
  apiKeyId = key.apiKeyId
  const record = studyService.createStudy(on.store, key, 'viewer', {
    studyInstanceUid: UID,
    studyDescription: 'CT',
    severity: 'normal',
  }).record
  const user = newUser(store)
  view = {
    ...viewRecord(user.userId, { area: 'viewer', studyId: record.studyId, studyInstanceUid: UID }),
    user: undefined,
  }
  shown = knownInstance(UID)
  endpoint = newEndpoint(store)
  faults = new Map()
  asked = []
  puts = []
  effects = []
  refusedHosts = []
  hangs = false
  answer = () => ['https://a.example/1', 'https://b.example/1']
  vi.spyOn(store.feed, 'append')
  vi.spyOn(store.log, 'error')
  open()
})
afterEach(async () => {
  await uploads[Symbol.asyncDispose]()
  on[Symbol.dispose]()
})

function open(): void {
  const { store } = on
  const ask: AskUpload = async (question, key, signal) => {
    asked.push({ question, apiKeyId: key })
    if (hangs)
      await new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))
    return {
      uploadUrls: [...answer()],
      notes: [],
      hosts: () => ['a.example', 'b.example'],
      noteRefusedHost: (url) => void refusedHosts.push(url),
      setEffect: (effect) => void effects.push(englishText(effect)),
    }
  }
  const put: Downloads['put'] = async (url, body, { mediaType }) => {
    const fault = faults.get(url)?.shift()
    if (fault) throw fault
    puts.push({ url, body, mediaType })
    return { httpStatus: 200 }
  }
  uploads = openCaptureUpload(store, ask, put)
  const images = {
    instanceOf: (_view: unknown, sop: string) =>
      sop === shown?.instance.sopInstanceUid ? shown : undefined,
    priors: () => [],
  }
  captures = new Captures(store, images, uploads)
}

/** What the feed says. */
const lines = () =>
  vi
    .mocked(on.store.feed.append)
    .mock.calls.map(([{ tone, text }]) => `${tone}: ${englishText(text)}`)

const standing = () => captures.list(view)[0]
const became = (state: string) =>
  expect.poll(() => standing()?.state, { timeout: 10_000 }).toBe(state)
const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof ApiError ? [error.code, ...error.errors.map(({ path }) => path)] : error
}

describe('a secondary capture', () => {
  it('is in the archive once it is answered, and then at every place the partner names', async () => {
    const made = await captures.make(view, WANTED)
    expect(made).toMatchObject({
      state: 'waiting',
      urls: 0,
      uploaded: 0,
      sopInstanceUid: expect.stringMatching(/^2\.25\.\d+$/),
    })
    const kept = findCurrentInstance(on.store.database, made.sopInstanceUid)
    expect(kept).toMatchObject({
      ...{
        studyInstanceUid: UID,
        sopClassUid: '1.2.840.10008.5.1.4.1.1.7',
        modality: 'CT',
        instanceNumber: '1',
        patientName: 'NOVAK^ANA',
      },
      image: { rows: ROWS, columns: COLUMNS, samplesPerPixel: 3, photometricInterpretation: 'RGB' },
    })
    await became('done')
    expect(standing()).toMatchObject({
      urls: 2,
      uploaded: 2,
      attempts: 1,
      lastError: null,
      nextAt: null,
    })
    const file = readFileSync(on.store.imageFiles.pathOf(kept?.file ?? ''))
    expect(puts).toEqual(
      answer().map((url) => ({ url, body: file, mediaType: 'application/dicom' })),
    )
    expect(file.subarray(128, 132).toString()).toBe('DICM')
    expect(file.includes(RGB)).toBe(true)
    const { seriesInstanceUid = '' } = kept ?? {}
    const question = {
      studyId: view.studyId,
      studyInstanceUid: UID,
      seriesInstanceUid,
      sopInstanceUid: made.sopInstanceUid,
    }
    expect(asked).toEqual([{ question, apiKeyId }])
    expect([effects, lines()]).toEqual([['Uploaded to 2 places.'], []])
    expect(
      on.store.audit.list({ limit: 9 }).items.map(({ action, actor }) => [action, actor]),
    ).toContainEqual([...['capture.make', `user:${view.userId}`]])
  })

  it('is of one series of its study, each with its number', async () => {
    const first = await captures.make(view, WANTED)
    on.clock.pass(1000)
    const second = await captures.make(view, { ...WANTED, frame: 2 })
    const [one, two] = [first, second].map(({ sopInstanceUid }) =>
      findCurrentInstance(on.store.database, sopInstanceUid),
    )
    expect(one?.seriesInstanceUid).toBe(two?.seriesInstanceUid)
    expect([one?.instanceNumber, two?.instanceNumber]).toEqual(['1', '2'])
    expect(captures.list(view).map(({ captureId }) => captureId)).toEqual([
      second.captureId,
      first.captureId,
    ])
  })

  it('is of that series too where two are made at once', async () => {
    const made = await Promise.all([captures.make(view, WANTED), captures.make(view, WANTED)])
    const kept = made.map(({ sopInstanceUid }) =>
      findCurrentInstance(on.store.database, sopInstanceUid),
    )
    expect(new Set(kept.map((one) => one?.seriesInstanceUid)).size).toBe(1)
    expect(kept.map((one) => one?.instanceNumber)).toEqual(['1', '2'])
  })

  it('is not made where the disk is nearly full, where its study has hundreds, or where many are being made', async () => {
    const { store } = on
    const many = await Promise.all(
      Array.from({ length: 9 }, () => refusal(captures.make(view, WANTED))),
    )
    expect(many.filter((code) => code !== undefined)).toEqual([['too-many']])
    store.settings.set('intake.stopGigabytes', 100_000)
    expect(await refusal(captures.make(view, WANTED))).toEqual(['unavailable'])
    store.settings.set('intake.stopGigabytes', 0)
    const [one] = capturesOfStudy(store.database, UID)
    if (!one) throw new Error('There is none')
    for (let count = 0; count < 500; count++)
      insertCapture(store.database, {
        ...one,
        captureId: randomUUID(),
        sopInstanceUid: `2.25.9${count}`,
      })
    expect(await refusal(captures.make(view, WANTED))).toEqual(['refused'])
  })

  it('is uploaded once, also where the disk takes no record of it', async () => {
    const places = answer()
    let disk: Disposable | undefined
    answer = () => {
      disk ??= withoutRoom(on.store, 'read-only')
      return places
    }
    await captures.make(view, WANTED)
    await expect.poll(() => puts.length).toBe(2)
    expect(standing()?.uploaded).toBe(0)
    disk?.[Symbol.dispose]()
    // The next one wakes what works them off.
    await captures.make(view, { ...WANTED, frame: 2 })
    await expect.poll(() => captures.list(view).map(({ state }) => state)).toEqual(['done', 'done'])
    expect(puts).toHaveLength(4)
  })

  it('waits and asks anew where one place fails, and then goes to all of them again', async () => {
    faults.set('https://b.example/1', [
      new WebhookError('status', verbatim('it responded with 503')),
    ])
    await captures.make(view, WANTED)
    await expect.poll(() => standing()?.attempts).toBe(1)
    const nextAt = new Date(on.clock.now + 5000).toISOString()
    expect(standing()).toMatchObject({
      state: 'waiting',
      urls: 2,
      uploaded: 1,
      nextAt,
      lastError: '1 of 2 uploads failed: it responded with 503.',
    })
    expect(lines()).toEqual([expect.stringMatching(/^warning: .*the gateway will retry.*503/)])
    answer = () => ['https://a.example/2', 'https://b.example/2']
    on.clock.pass(5000)
    captures.retry(view, standing()?.captureId ?? '')
    await became('done')
    expect(puts.map(({ url }) => url)).toEqual([
      'https://a.example/1',
      'https://a.example/2',
      'https://b.example/2',
    ])
    expect(effects).toEqual(['Uploaded to 1 of 2 places.', 'Uploaded to 2 places.'])
    expect(asked).toHaveLength(2)
  })

  it('is given up after the last of its waits, and a person can start it again', async () => {
    answer = () => {
      throw new WebhookError('timeout', verbatim('it gave no answer in time'))
    }
    const { captureId } = await captures.make(view, WANTED)
    for (const [attempt, wait] of RETRY_SCHEDULES.captureUpload.waits.entries()) {
      await expect.poll(() => standing()?.attempts, { timeout: 10_000 }).toBe(attempt + 1)
      expect(standing()).toMatchObject({
        state: 'waiting',
        nextAt: new Date(on.clock.now + wait).toISOString(),
      })
      captures.retry(view, captureId)
    }
    await became('failed')
    expect(standing()?.lastError).toEqual(
      'The partner did not say where to upload it: it gave no answer in time.',
    )
    expect(lines()).toEqual([expect.stringMatching(/^warning/), expect.stringMatching(/^danger/)])
    answer = () => ['https://a.example/1']
    expect(captures.retry(view, captureId)).toMatchObject({ state: 'waiting' })
    await became('done')
    expect(standing()).toMatchObject({ attempts: 9, urls: 1, uploaded: 1 })
    expect(await refusal((async () => captures.retry(view, captureId))())).toEqual(['refused'])
  })

  it('is refused by the partner for good, and what it said is not told here', async () => {
    answer = () => {
      throw new WebhookError('refused', verbatim('no captures of NOVAK'))
    }
    await captures.make(view, WANTED)
    await became('failed')
    expect(
      JSON.stringify([standing(), lines(), outboxSummary(on.store.database, 'capture.upload')]),
    ).not.toContain('NOVAK')
  })

  it('stays in the archive alone where nobody is asked, and where no place is named', async () => {
    saveEndpoint(on.store.database, { ...endpoint, events: [] })
    const made = await captures.make(view, WANTED)
    expect(made).toMatchObject({
      state: 'kept',
      lastError: 'No endpoint receives captures: it is in the archive of this gateway only.',
    })
    expect(findCurrentInstance(on.store.database, made.sopInstanceUid)).toBeDefined()
    expect(await refusal((async () => captures.retry(view, made.captureId))())).toEqual(['refused'])
    saveEndpoint(on.store.database, endpoint)
    answer = () => []
    captures.retry(view, made.captureId)
    await expect.poll(() => standing()?.attempts).toBe(1)
    expect(standing()).toMatchObject({
      state: 'kept',
      lastError:
        'The partner named no destination for it: it is in the archive of this gateway only.',
    })
    expect(asked).toHaveLength(1)
  })

  it('of a study that is of no partner stays in the archive, and begins the study there', async () => {
    view = { ...view, area: null, studyId: null }
    const made = await captures.make(view, WANTED)
    expect(made).toMatchObject({ state: 'kept' })
    expect(findImageStudy(on.store.database, UID)).toMatchObject({
      instances: 1,
      state: 'settled',
      header: { patientName: 'NOVAK^ANA', modality: 'CT' },
    })
    expect(asked).toEqual([])
  })

  it('notes a host that is not allowed', async () => {
    faults.set('https://b.example/1', [
      new WebhookError('forbidden-address', verbatim('its host is not allowed')),
    ])
    await captures.make(view, WANTED)
    await expect.poll(() => standing()?.attempts).toBe(1)
    expect(refusedHosts).toEqual(['https://b.example/1'])
  })

  it('goes out after a restart that came before it was uploaded', async () => {
    hangs = true
    await captures.make(view, WANTED)
    await became('uploading')
    await uploads[Symbol.asyncDispose]()
    expect(standing()).toMatchObject({ attempts: 0, lastError: null })
    hangs = false
    open()
    await became('done')
    expect(puts).toHaveLength(2)
    expect(on.store.log.error).not.toHaveBeenCalled()
  })

  it('is tried again after a fault of ours', async () => {
    answer = () => {
      throw new TypeError('of NOVAK')
    }
    await captures.make(view, WANTED)
    await expect.poll(() => standing()?.attempts).toBe(1)
    expect(standing()).toMatchObject({
      state: 'waiting',
      lastError: 'The gateway had an internal error and will retry.',
    })
    expect(on.store.log.error).toHaveBeenCalledOnce()
  })
})

describe('what is no capture', () => {
  it.each([
    ['shorter than its rows and columns', packed(RGB.subarray(1))],
    ['longer', packed(Buffer.concat([RGB, Buffer.alloc(1)]))],
    ['a bomb', packed(Buffer.alloc(50_000_000))],
    ['not compressed', RGB.toString('base64')],
    ['cut off', deflateSync(RGB).subarray(0, 5).toString('base64')],
    ['empty', ''],
  ])('is refused: %s', async (_, pixels) => {
    expect(await refusal(captures.make(view, { ...WANTED, pixels }))).toEqual([
      'malformed',
      'body.pixels',
    ])
    expect(captures.list(view)).toEqual([])
    expect(findImageStudy(on.store.database, UID)).toBeUndefined()
  })

  it('is one of a frame that is not there, or of what is no image of the view', async () => {
    expect(await refusal(captures.make(view, { ...WANTED, frame: 3 }))).toEqual([
      'malformed',
      'body.frame',
    ])
    expect(await refusal(captures.make(view, { ...WANTED, sopInstanceUid: '9.9' }))).toEqual([
      'not-found',
    ])
    shown = shown && {
      ...shown,
      instance: { ...shown.instance, image: null, notImage: verbatim('A structured report.') },
    }
    expect(await refusal(captures.make(view, WANTED))).toEqual(['not-found'])
  })

  it('is retried by no other view', async () => {
    const { captureId } = await captures.make(view, WANTED)
    const other = { ...view, studyInstanceUid: '1.2.4' }
    expect(await refusal((async () => captures.retry(other, captureId))())).toEqual(['not-found'])
    expect(await refusal((async () => captures.retry(view, randomUUID()))())).toEqual(['not-found'])
    expect(captures.list({ ...view, studyInstanceUid: null })).toEqual([])
  })
})
