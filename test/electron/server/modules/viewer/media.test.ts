import type { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { spansWithin } from '#server/dicom/pixel-data/encapsulated-content.ts'
import { rangeOf } from '#server/modules/viewer/content-stream.ts'
import { imageDataSet } from '../../../../support/instance-file.ts'
import { keyObjects, measurementReport } from '../../../../support/structured-reports.ts'
import { encapsulatedFile } from '../../dicom/pixel-data/viewed-file-fixture.ts'
import { archive, archived } from './archive-fixture.ts'
import { never, openViewing, STUDY, uidOf } from './viewing-fixture.ts'

async function bytesOf(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const textOf = async (body: Readable): Promise<string> => (await bytesOf(body)).toString()

/** Video Endoscopic Image Storage of an invented patient. */
const VIDEO = {
  ...{ SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.1.1', SOPInstanceUID: uidOf(1) },
  ...{ StudyInstanceUID: STUDY, SeriesInstanceUID: `${STUDY}.1`, Modality: 'ES' },
  ...{ PatientID: 'P-0815', NumberOfFrames: '50', Rows: 480, Columns: 640, BitsAllocated: 8 },
}
const STL_CLASS = '1.2.840.10008.5.1.4.1.1.104.3'
const PDF_CLASS = '1.2.840.10008.5.1.4.1.1.104.1'
const PDF = `%PDF-1.4 ${'x'.repeat(91)}`

/** An encapsulated document of an invented patient. */
function encapsulated(
  sopInstanceUid: string,
  sopClassUid = PDF_CLASS,
  mimeType = 'application/pdf ',
): Buffer {
  const elements = imageDataSet({
    sopInstanceUid,
    sopClassUid,
    studyInstanceUid: STUDY,
    more: { Modality: 'DOC' },
  })
  const dataSet = [
    ...elements.filter(({ tag }) => tag !== 0x7fe00010 && tag >>> 16 !== 0x0028),
    { tag: 0x00420011, vr: 'OB', value: Buffer.from(PDF) },
    { tag: 0x00420012, vr: 'LO', value: Buffer.from(mimeType) },
  ].sort((a, b) => a.tag - b.tag)
  const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
  const meta = fileMeta({
    sopClassUid,
    sopInstanceUid,
    transferSyntaxUid,
    sourceAeTitle: 'CT1',
  })
  return Buffer.concat([
    meta,
    writeDataSet(dataSet as ReturnType<typeof imageDataSet>, transferSyntaxUid),
  ])
}

describe('what is beside the images', () => {
  it('is listed with a kind that a browser may be told, and a name that every file system takes', async () => {
    const viewing = await openViewing()
    const url = viewing.host.urlOf
    viewing.answer = () => ({
      media: [
        { url: url('/a'), mimeType: 'Application/PDF; x=y', fileName: '../report:1\u202e.pdf' },
        { url: url('/b'), mimeType: 'text/html', fileName: 'page.html' },
        { url: url('/c'), mimeType: 'image/svg+xml' },
        { url: url('/d'), mimeType: 'video/mp4', fileName: '' },
      ],
    })
    expect((await viewing.listed()).media).toEqual(
      [
        { mediaId: 1, shownAs: 'pdf', mimeType: 'application/pdf', fileName: '.. report 1 .pdf' },
        {
          mediaId: 2,
          shownAs: 'other',
          mimeType: 'application/octet-stream',
          fileName: 'page.html',
        },
        { mediaId: 3, shownAs: 'other', mimeType: 'application/octet-stream', fileName: 'File 3' },
        { mediaId: 4, shownAs: 'video', mimeType: 'video/mp4', fileName: 'File 4' },
      ].map((one) => ({ ...one, title: '', object: null })),
    )
  })

  it('is passed on from the partner, with the range that was asked for', async () => {
    const viewing = await openViewing({
      '/v': (request, response) =>
        request.headers.range
          ? void response
              .writeHead(206, { 'content-range': 'bytes 2-4/10', 'content-length': 3 })
              .end('234')
          : void response.writeHead(200, { 'content-length': 10 }).end('0123456789'),
    })
    viewing.answer = () => ({
      media: [{ url: viewing.host.urlOf('/v'), mimeType: 'video/mp4', fileName: 'v.mp4' }],
    })
    const whole = await viewing.images.media(viewing.view, 1, undefined, never())
    expect([whole.status, whole.headers, await textOf(whole.body)]).toEqual([
      200,
      { 'content-length': '10' },
      '0123456789',
    ])
    const part = await viewing.images.media(viewing.view, 1, 'bytes=2-4', never())
    expect([part.status, part.headers['content-range'], await textOf(part.body)]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ])
    await expect(viewing.images.media(viewing.view, 2, undefined, never())).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('by a link that has ended is asked for anew, and what cannot be fetched is refused in words', async () => {
    const viewing = await openViewing({
      '/v': (request, response) =>
        void response.writeHead(request.url?.includes('signature=2') ? 200 : 403).end('ok'),
      '/w': (_request, response) => void response.writeHead(500).end(),
    })
    viewing.answer = () => {
      const url = (path: string) =>
        viewing.host.urlOf(path).replace('signature=1', `signature=${viewing.asked.length}`)
      return {
        media: [
          { url: url('/v'), mimeType: 'image/png', fileName: 'a.png' },
          { url: url('/w'), mimeType: 'image/png', fileName: 'b.png' },
        ],
      }
    }
    expect(
      await textOf((await viewing.images.media(viewing.view, 1, undefined, never())).body),
    ).toBe('ok')
    expect(viewing.asked).toHaveLength(2)
    await expect(viewing.images.media(viewing.view, 2, undefined, never())).rejects.toMatchObject({
      code: 'refused',
      message: 'It could not be retrieved: it responded with 500.',
    })
  })

  it.each(['archive', 'partner'])('is the PDF inside a DICOM file of the %s', async (source) => {
    const sop = uidOf(1)
    const viewing = await openViewing(source === 'partner' ? { '/1': encapsulated(sop) } : {})
    if (source === 'archive')
      archive(viewing.store, STUDY, [archived(1, encapsulated(sop), { sopClassUid: PDF_CLASS })])
    const page = await viewing.listed()
    expect(page.media).toEqual([
      {
        ...{ mediaId: 1, shownAs: 'pdf', mimeType: 'application/pdf', fileName: 'Document.pdf' },
        ...{
          title: '',
          object: { studyInstanceUid: STUDY, sopInstanceUid: sop, sopClassUid: PDF_CLASS },
        },
      },
    ])
    expect(page.instances.get(sop)).toMatchObject({ image: null })
    expect(page.instances.get(sop)?.notImage).not.toBe('')
    expect(
      await textOf((await viewing.images.media(viewing.view, 1, undefined, never())).body),
    ).toBe(PDF)
    const part = await viewing.images.media(viewing.view, 1, 'bytes=0-3', never())
    expect([part.status, part.headers['content-range'], await textOf(part.body)]).toEqual([
      206,
      'bytes 0-3/100',
      '%PDF',
    ])
    await expect(viewing.images.frame(viewing.view, sop, 1, never())).rejects.toMatchObject({
      code: 'refused',
    })
  })
})

describe('a report or a waveform', () => {
  it('is listed by its title, without a file to save', async () => {
    const viewing = await openViewing({
      '/1': measurementReport('2.25.1', { studyInstanceUid: STUDY, sopInstanceUid: uidOf(1) }),
      '/2': keyObjects(['2.25.1'], { studyInstanceUid: STUDY, sopInstanceUid: uidOf(2) }),
    })
    const { media } = await viewing.listed()
    expect(
      media
        .map(({ shownAs, title, object }) => [shownAs, title, object?.sopInstanceUid])
        .toSorted(),
    ).toEqual([
      ['key-images', 'Of Interest', uidOf(2)],
      ['report', 'Imaging Measurement Report', uidOf(1)],
    ])
    await expect(viewing.images.media(viewing.view, 1, undefined, never())).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})

describe('a video inside a DICOM file', () => {
  const H264 = '1.2.840.10008.1.2.4.102'
  const MPEG_2 = '1.2.840.10008.1.2.4.100'
  const mp4 = Buffer.from('\0\0\0\x18ftypmp42 and so on', 'latin1')

  it.each([
    ['MPEG-4 in an MP4 file', H264, mp4, 'video/mp4', 'Video.mp4'],
    ['MPEG-4 in a transport stream', H264, transportStream(), 'video/mp2t', 'Video.ts'],
    ['MPEG-2', MPEG_2, Buffer.from('000001ba00', 'hex'), 'video/mpeg', 'Video.mpg'],
  ])('%s is served as what it is, in parts too', async (_name, syntax, stream, type, name) => {
    const [first, second] = [stream.subarray(0, 4), stream.subarray(4)]
    const viewing = await openViewing({
      '/1': encapsulatedFile(VIDEO, [first, second], { transferSyntaxUid: syntax }),
    })
    const { media, instances } = await viewing.listed()
    expect(media).toMatchObject([{ shownAs: 'video' }])
    expect([...instances.values()]).toMatchObject([{ image: null }])
    const whole = await viewing.images.media(viewing.view, 1, undefined, never())
    expect([whole.mimeType, whole.fileName]).toEqual([type, name])
    expect(await bytesOf(whole.body)).toEqual(stream)
    const part = await viewing.images.media(viewing.view, 1, 'bytes=2-4', never())
    expect(part.headers['content-range']).toBe(`bytes 2-4/${stream.length}`)
    expect(await bytesOf(part.body)).toEqual(stream.subarray(2, 5))
  })

  function transportStream(): Buffer {
    const packets = Buffer.alloc(188 * 3)
    for (const at of [0, 188, 376]) packets[at] = 0x47
    return packets
  }
})

it('a document that no browser shows is offered under its name', async () => {
  const viewing = await openViewing({ '/1': encapsulated(uidOf(1), STL_CLASS, 'model/stl ') })
  expect((await viewing.listed()).media).toMatchObject([
    { shownAs: 'other', mimeType: 'application/octet-stream', fileName: 'Document.stl' },
  ])
})

it('spans are cut to the bytes that were asked for', () => {
  const spans = [
    { at: 100, length: 10 },
    { at: 200, length: 5 },
    { at: 300, length: 10 },
  ]
  expect(spansWithin(spans, 0, 25)).toEqual(spans)
  expect(spansWithin(spans, 8, 9)).toEqual([
    { at: 108, length: 2 },
    { at: 200, length: 5 },
    { at: 300, length: 2 },
  ])
  expect(spansWithin(spans, 10, 0)).toEqual([])
})

describe('a range of bytes', () => {
  it.each([
    ['bytes=0-9', { from: 0, length: 10 }],
    ['bytes=90-', { from: 90, length: 10 }],
    ['bytes=-5', { from: 95, length: 5 }],
    ['bytes=-500', { from: 0, length: 100 }],
    ['bytes=50-1000', { from: 50, length: 50 }],
    ['bytes=100-', undefined],
    ['bytes=9-1', undefined],
    ['bytes=0-1,5-6', undefined],
    ['bytes=-', undefined],
    ['items=0-1', undefined],
    [undefined, undefined],
  ])('%s of 100 is %o', (header, range) => expect(rangeOf(header, 100)).toEqual(range))
})
