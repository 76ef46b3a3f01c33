import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { oldestViewFiles } from '#server/modules/viewer/queries.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { ViewLine } from '#shared/contract/viewed-images.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, verbatim } from '#shared/messages/message.ts'
import { needs, PYDICOM_SAMPLES } from '../../../../support/needs.ts'
import {
  dicomFile,
  dicomFiles,
  gate,
  listedOf,
  manifestOf,
  never,
  openView,
  openViewing,
  pageOf,
  readUntil,
  STUDY,
  uidOf,
} from './viewing-fixture.ts'

const isInstance = (line: ViewLine) => line.line === 'instances'
const sentences = (page: {
  readonly faults: readonly { readonly what: Message; readonly sentence: Message }[]
}) => page.faults.map(({ what, sentence }) => `${englishText(what)}: ${englishText(sentence)}`)

describe('the images of a view that a partner has', () => {
  it('are listed by their own headers, and come frame by frame as they are stored', async () => {
    const viewing = await openViewing(dicomFiles(3))
    const page = await viewing.listed()
    expect([...page.instances.keys()].sort()).toEqual([1, 2, 3].map(uidOf))
    expect(page.instances.get(uidOf(2))).toMatchObject({
      source: 'partner',
      instanceNumber: 2,
      image: { rows: 16, columns: 16 },
    })
    expect(page.studies.get(STUDY)).toMatchObject({ patientName: 'Müller^Jörg', isPrior: false })
    expect(page.lines.at(-1)).toEqual({ line: 'progress', state: 'done', read: 3, files: 3 })
    expect(viewing.asked).toEqual([{ studyInstanceUid: STUDY }])
    const { body, transferSyntaxUid } = await viewing.images.frame(
      viewing.view,
      uidOf(2),
      1,
      never(),
    )
    expect(body).toEqual(dicomFile().subarray(-512))
    expect(transferSyntaxUid).toBe('1.2.840.10008.1.2.1')
    expect(await viewing.images.extras(viewing.view, uidOf(2))).toEqual({
      palette: null,
      modalityLut: null,
      voiLuts: [],
      supplement: null,
      overlays: [],
      notApplied: [],
    })
    expect(viewing.images.instanceOf(viewing.view, uidOf(2))).toMatchObject({
      instance: { sopInstanceUid: uidOf(2) },
      study: { patientId: 'P-0815' },
    })
  })

  it('are listed as they come: the first one before the second has come', async () => {
    const second = gate(dicomFile({ sopInstanceUid: uidOf(2) }))
    const viewing = await openViewing({
      '/1': dicomFile({ sopInstanceUid: uidOf(1) }),
      '/2': second.answer,
    })
    const lines = viewing.images.lines(viewing.view, never())[Symbol.asyncIterator]()
    const read = await readUntil(lines, isInstance)
    expect([...pageOf(read).instances.keys()]).toEqual([uidOf(1)])
    second.open()
    expect([...pageOf(await readUntil(lines, isInstance)).instances.keys()]).toEqual([uidOf(2)])
  })

  it('are told a second listener as they are by then, and the partner is not asked again', async () => {
    const second = gate(dicomFile({ sopInstanceUid: uidOf(2) }))
    const viewing = await openViewing({
      '/1': dicomFile({ sopInstanceUid: uidOf(1) }),
      '/2': second.answer,
    })
    const first = viewing.images.lines(viewing.view, never())[Symbol.asyncIterator]()
    await readUntil(first, isInstance)
    const other = viewing.images.lines(viewing.view, never())[Symbol.asyncIterator]()
    expect([...pageOf(await readUntil(other, isInstance)).instances.keys()]).toEqual([uidOf(1)])
    second.open()
    await readUntil(other, (line) => line.line === 'progress' && line.state === 'done')
    expect([...(await viewing.listed()).instances.keys()].sort()).toEqual([uidOf(1), uidOf(2)])
    expect(viewing.asked).toHaveLength(1)
    expect(viewing.host.paths.sort()).toEqual(['/1', '/2'])
  })

  it('are listed by the manifest before any file is here, and then by their files', async () => {
    const gates = [1, 2].map((number) =>
      gate(dicomFile({ sopInstanceUid: uidOf(number), more: { InstanceNumber: String(number) } })),
    )
    const viewing = await openViewing(
      Object.fromEntries(gates.map(({ answer }, index) => [`/${index + 1}`, answer])),
    )
    const { answer } = viewing
    viewing.answer = async () => ({
      ...(await answer()),
      manifests: [manifestOf([1, 2])],
      notes: [{ path: 'manifest.series.1', sentence: verbatim('It is not an object.') }],
    })
    const lines = viewing.images.lines(viewing.view, never())[Symbol.asyncIterator]()
    const before = await readUntil(lines, isInstance)
    expect(pageOf(before).instances.get(uidOf(2))).toMatchObject({
      source: 'manifest',
      instanceNumber: 2,
      image: { rows: 16 },
      frames: 1,
    })
    expect(viewing.images.instanceOf(viewing.view, uidOf(2))).toBeUndefined()
    for (const each of gates) each.open()
    const page = pageOf([
      ...before,
      ...(await readUntil(lines, (line) => line.line === 'progress' && line.state === 'done')),
    ])
    expect([...page.instances.values()].map(({ source }) => source)).toEqual(['partner', 'partner'])
    expect(sentences(page)).toEqual(['The manifest: manifest.series.1: It is not an object.'])
  })

  it('that the manifest has and no file was are told by series', async () => {
    const viewing = await openViewing(dicomFiles(1))
    const { answer } = viewing
    viewing.answer = async () => ({ ...(await answer()), manifests: [manifestOf([1, 2, 3])] })
    expect(sentences(await viewing.listed())).toEqual([
      'Series 1 of the manifest: 2 of its 3 images did not arrive.',
    ])
    await expect(viewing.images.frame(viewing.view, uidOf(3), 1, never())).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('jump ahead where the page asks for a frame of them', async () => {
    const held = Array.from({ length: 6 }, (_, index) =>
      gate(dicomFile({ sopInstanceUid: uidOf(index + 1) })),
    )
    const files = {
      ...dicomFiles(40),
      ...Object.fromEntries(held.map(({ answer }, index) => [`/${index + 1}`, answer])),
    }
    const viewing = await openViewing(files)
    const { answer } = viewing
    viewing.answer = async () => ({
      urls: (await answer()).urls ?? [],
      manifests: [manifestOf(Array.from({ length: 40 }, (_, index) => index + 1))],
    })
    const listening = viewing.listed()
    await Promise.all(held.map(({ came }) => came))
    expect((await viewing.images.frame(viewing.view, uidOf(33), 1, never())).body).toHaveLength(512)
    expect(viewing.host.paths[6]).toBe('/33')
    for (const each of held) each.open()
    await listening
    expect(viewing.host.paths.slice(7)).toEqual(
      Array.from({ length: 34 }, (_, index) => `/${index + 7}`).filter((path) => path !== '/33'),
    )
  })

  it('are known by a UID in their path, whatever the order of the manifest', async () => {
    const held = Array.from({ length: 6 }, (_, index) =>
      gate(dicomFile({ sopInstanceUid: uidOf(index + 1) })),
    )
    const viewing = await openViewing(
      Object.fromEntries(held.map(({ answer }, index) => [`/x/${uidOf(index + 1)}.dcm`, answer])),
    )
    viewing.host.files[`/x/${uidOf(9)}.dcm`] = dicomFile({ sopInstanceUid: uidOf(9) })
    viewing.answer = () => ({
      urls: Object.keys(viewing.host.files).map((path) => viewing.host.urlOf(path)),
      manifests: [manifestOf([9, 1, 2, 3, 4, 5, 6])],
    })
    const listening = viewing.listed()
    await Promise.all(held.map(({ came }) => came))
    await viewing.images.frame(viewing.view, uidOf(9), 1, never())
    for (const each of held) each.open()
    await listening
  })
})

describe('a partner that gives nothing', () => {
  it.each([
    [
      'refuses',
      new WebhookError('refused', verbatim('the study is archived')),
      'The partner: The partner refused the request: the study is archived.',
    ],
    [
      'is silent',
      new WebhookError('timeout', verbatim('no answer within 8 s')),
      'The partner: The partner gave no usable response: no answer within 8 s.',
    ],
    [
      'is none',
      new WebhookError('no-endpoint', verbatim('x')),
      'The images: There are no images for this study in the archive, and no endpoint receives study.access_requested. An administrator can set one up under Partner.',
    ],
  ])('that %s is told with a sentence', async (_what, error, sentence) => {
    const viewing = await openViewing()
    viewing.answer = () => Promise.reject(error)
    expect(sentences(await viewing.listed())).toEqual([sentence])
  })

  it('is asked again by whoever looks again later, and then is no fault any more', async () => {
    const viewing = await openViewing(dicomFiles(1))
    const { answer } = viewing
    viewing.answer = () =>
      Promise.reject(new WebhookError('unreachable', verbatim('the connection was refused')))
    await viewing.listed()
    expect((await viewing.listed()).faults).toHaveLength(1)
    expect(viewing.asked).toHaveLength(1)
    viewing.answer = answer
    viewing.clock.pass(5000)
    const page = await viewing.listed()
    expect(viewing.asked).toHaveLength(2)
    expect([page.instances.size, page.faults]).toEqual([1, []])
  })

  it('names no files: that is told too', async () => {
    expect(sentences(await (await openViewing()).listed())).toEqual([
      'The partner: The partner replied that it has no images for this study.',
    ])
  })
})

describe('a frame', () => {
  it('that there is not is not found', async () => {
    const viewing = await openViewing(dicomFiles(1))
    await expect(viewing.images.frame(viewing.view, '2.25.9', 1, never())).rejects.toMatchObject({
      code: 'not-found',
    })
    await expect(viewing.images.frame(viewing.view, uidOf(1), 2, never())).rejects.toMatchObject({
      code: 'not-found',
      message: 'The image has 1 frame.',
    })
  })

  it('is waited for, until whoever asks gives up', async () => {
    const first = gate(dicomFile())
    const viewing = await openViewing({ '/1': first.answer })
    const giving = new AbortController()
    const waiting = viewing.images.frame(viewing.view, uidOf(1), 1, giving.signal)
    await first.came
    const reason = new Error('scrolled on')
    giving.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  it('of a multi-frame file is there before the file has come to its end', async (context) => {
    needs(context, 'samples')
    const file = readFileSync(`${PYDICOM_SAMPLES}/rtdose.dcm`)
    const rest = Promise.withResolvers<void>()
    const viewing = await openViewing({
      '/1': (_request, response) => {
        response.writeHead(200, { 'content-length': file.length }).write(file.subarray(0, 6000))
        void rest.promise.then(() => response.end(file.subarray(6000)))
      },
    })
    const view = openView({ studyInstanceUid: '1.2.999.999.99.9.9999.8888' })
    const lines = viewing.images.lines(view, never())[Symbol.asyncIterator]()
    const [instance] = pageOf(await readUntil(lines, isInstance)).instances.values()
    expect(instance?.frames).toBe(15)
    const sop = instance?.sopInstanceUid ?? ''
    const first = await viewing.images.frame(view, sop, 1, never())
    expect(first.body).toHaveLength(400)
    const last = viewing.images.frame(view, sop, 15, never())
    rest.resolve()
    expect((await last).body).toEqual(file.subarray(-400))
    await readUntil(lines, (line) => line.line === 'progress' && line.state === 'done')
  })
})

describe('a view that ends', () => {
  it('ends its lists and its downloads', async () => {
    const hungUp = Promise.withResolvers<void>()
    const came = Promise.withResolvers<void>()
    const viewing = await openViewing({
      '/1': (_request, response) => {
        response.once('close', hungUp.resolve).writeHead(200).write('x')
        came.resolve()
      },
    })
    const listening = listedOf(viewing.images, viewing.view)
    const waiting = viewing.images.frame(viewing.view, uidOf(1), 1, never())
    await came.promise
    viewing.images.end(viewing.view.viewId)
    await expect(waiting).rejects.toMatchObject({
      code: 'not-found',
      message: 'This view has ended.',
    })
    expect((await listening).instances.size).toBe(0)
    await hungUp.promise
  })
})

describe('the copy of an earlier view', () => {
  it('is not taken for another file of the same path, though the host goes by dates', async () => {
    const viewing = await openViewing()
    const of = { '1': uidOf(1), '2': uidOf(2) } as Record<string, string>
    viewing.host.files['/wado'] = (request, response) => {
      const sopInstanceUid =
        of[new URL(request.url ?? '', 'http://x').searchParams.get('objectUID') ?? ''] ?? ''
      if (request.headers['if-modified-since']) return void response.writeHead(304).end()
      response
        .writeHead(200, { 'last-modified': 'Tue, 10 Mar 2026 08:00:00 GMT' })
        .end(dicomFile({ sopInstanceUid }))
    }
    const given = async (url: string) => {
      viewing.answer = () => ({ urls: [viewing.host.urlOf('/wado') + url] })
      const page = await listedOf(
        viewing.images,
        openView({ kind: 'ephemeral', studyId: null, studyInstanceUid: null }),
      )
      return [...page.instances.keys()]
    }
    const kept = (count: number) =>
      expect.poll(() => oldestViewFiles(viewing.store.database, 9).length).toBe(count)
    expect(await given('&objectUID=1')).toEqual([uidOf(1)])
    await kept(1)
    expect(await given('&objectUID=2')).toEqual([uidOf(2)])
    await kept(2)
    // Signed anew, it is the same file.
    expect(await given('&objectUID=2&X-Amz-Signature=9')).toEqual([uidOf(2)])
    expect(viewing.host.requests.at(-1)?.headers['if-modified-since']).toBeDefined()
  })
})

describe('what is held of views', () => {
  it('is bounded: the view that nobody looked at for longest begins anew', async () => {
    const viewing = await openViewing(dicomFiles(1), { views: 2 })
    const { images, clock } = viewing
    const [first, second, third] = [openView(), openView(), openView()]
    for (const view of [first, second, third]) {
      await listedOf(images, view)
      clock.pass(1000)
    }
    const held = [first, second, third].map((view) => images.shows(view, STUDY))
    expect(held).toEqual([undefined, true, true])
    expect((await images.frame(first, uidOf(1), 1, never())).body).toHaveLength(512)
    expect(viewing.asked).toHaveLength(4)
  })

  it('is a number of frames that it waits for: more are refused for now', async () => {
    const file = gate(dicomFile())
    const viewing = await openViewing({ '/1': file.answer })
    const frames = Array.from({ length: 100 }, () =>
      viewing.images.frame(viewing.view, uidOf(1), 1, never()),
    )
    await expect(viewing.images.frame(viewing.view, uidOf(1), 1, never())).rejects.toMatchObject({
      code: 'too-many',
    })
    file.open()
    expect(await Promise.all(frames)).toHaveLength(100)
    expect((await viewing.images.frame(viewing.view, uidOf(1), 1, never())).body).toHaveLength(512)
  })
})
