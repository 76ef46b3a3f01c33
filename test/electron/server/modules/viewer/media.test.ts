import type { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { rangeOf } from '#server/modules/viewer/media.ts'
import { imageDataSet } from '../../../../support/instance-file.ts'
import { archive, archived } from './archive-fixture.ts'
import { never, openViewing, STUDY, uidOf } from './viewing-fixture.ts'

async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const PDF_CLASS = '1.2.840.10008.5.1.4.1.1.104.1'
const PDF = `%PDF-1.4 ${'x'.repeat(91)}`

/** An encapsulated PDF of an invented patient. */
function encapsulated(sopInstanceUid: string): Buffer {
  const elements = imageDataSet({
    sopInstanceUid,
    sopClassUid: PDF_CLASS,
    studyInstanceUid: STUDY,
    more: { Modality: 'DOC' },
  })
  const dataSet = [
    ...elements.filter(({ tag }) => tag !== 0x7fe00010 && tag >>> 16 !== 0x0028),
    { tag: 0x00420011, vr: 'OB', value: Buffer.from(PDF) },
    { tag: 0x00420012, vr: 'LO', value: Buffer.from('application/pdf ') },
  ].sort((a, b) => a.tag - b.tag)
  const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
  const meta = fileMeta({
    sopClassUid: PDF_CLASS,
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
    expect((await viewing.listed()).media).toEqual([
      { mediaId: 1, shownAs: 'pdf', mimeType: 'application/pdf', fileName: '.. report 1 .pdf' },
      { mediaId: 2, shownAs: 'other', mimeType: 'application/octet-stream', fileName: 'page.html' },
      { mediaId: 3, shownAs: 'other', mimeType: 'application/octet-stream', fileName: 'File 3' },
      { mediaId: 4, shownAs: 'video', mimeType: 'video/mp4', fileName: 'File 4' },
    ])
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
      message: 'It could not be retrieved: it answered 500.',
    })
  })

  it.each(['archive', 'partner'])('is the PDF inside a DICOM file of the %s', async (source) => {
    const sop = uidOf(1)
    const viewing = await openViewing(source === 'partner' ? { '/1': encapsulated(sop) } : {})
    if (source === 'archive')
      archive(viewing.store, STUDY, [archived(1, encapsulated(sop), { sopClassUid: PDF_CLASS })])
    const page = await viewing.listed()
    expect(page.media).toEqual([
      { mediaId: 1, shownAs: 'pdf', mimeType: 'application/pdf', fileName: 'Document.pdf' },
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
