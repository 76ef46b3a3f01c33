import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { englishText } from '#shared/messages/english.ts'
import { CT_IMAGE_STORAGE, imageDataSet } from '../../../../support/instance-file.ts'
import { needs, PYDICOM_SAMPLES } from '../../../../support/needs.ts'
import { archive, archived } from './archive-fixture.ts'
import {
  dicomFile,
  dicomFiles,
  gate,
  type Listed,
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

const sentences = (page: Listed) =>
  page.faults.map(({ what, sentence }) => `${englishText(what)}: ${englishText(sentence)}`)
const uids = (page: Listed) => [...page.instances.keys()].sort()

/** A deflated file whose pixels are so many zeros. */
function deflated(zeros: number): Buffer {
  const transferSyntaxUid = TRANSFER_SYNTAX.deflatedExplicitLittleEndian
  const meta = fileMeta({
    sopClassUid: CT_IMAGE_STORAGE,
    sopInstanceUid: uidOf(1),
    transferSyntaxUid,
    sourceAeTitle: 'CT1',
  })
  const dataSet = writeDataSet(
    imageDataSet({ studyInstanceUid: STUDY, sopInstanceUid: uidOf(1) }),
    TRANSFER_SYNTAX.explicitLittleEndian,
  )
  const body = deflateRawSync(Buffer.concat([dataSet, Buffer.alloc(zeros)]))
  return Buffer.concat([meta, body, Buffer.alloc(body.length % 2)])
}

describe('of hostile files', () => {
  it('the good ones are listed, and each bad one is named', async () => {
    const whole = dicomFile({ sopInstanceUid: uidOf(5), size: 64 })
    const viewing = await openViewing({
      ...{
        '/1': dicomFile({ sopInstanceUid: uidOf(1) }),
        '/2': Buffer.from('<!doctype html><title>Sign in</title>'.repeat(20)),
      },
      '/3': dicomFile({ sopInstanceUid: uidOf(3), studyInstanceUid: '2.25.200' }),
      ...{
        '/4': dicomFile({ sopInstanceUid: uidOf(4) }).subarray(0, 400),
        '/5': whole.subarray(0, -4000),
        '/6': Buffer.alloc(0),
      },
      '/7': (_request, response) => void response.writeHead(500).end(),
      '/8': dicomFile({ sopInstanceUid: uidOf(8) }),
    })
    const page = await viewing.listed()
    expect(uids(page)).toEqual([uidOf(1), uidOf(5), uidOf(8)])
    const whats = page.faults.map(({ what }) => englishText(what)).sort()
    expect(whats).toEqual([2, 3, 4, 5, 6, 7].map((number) => `Image ${number} of 8`))
    expect(sentences(page)).toContain(
      'Image 3 of 8: It belongs to another study than the one requested, and is not shown.',
    )
    expect(sentences(page)).toContain(
      'Image 7 of 8: It could not be retrieved: it responded with 500.',
    )
    expect(page.faults.find(({ what }) => englishText(what) === 'Image 5 of 8')).toMatchObject({
      sopInstanceUid: uidOf(5),
      level: 'warning',
    })
    await expect(viewing.images.frame(viewing.view, uidOf(5), 1, never())).rejects.toMatchObject({
      code: 'refused',
    })
    expect(page.lines.at(-1)).toEqual({ line: 'progress', state: 'done', read: 8, files: 8 })
    // Two new tries of what the server could not give.
    expect(viewing.host.paths.filter((path) => path === '/7')).toHaveLength(3)
  })

  it('a deflated one is inflated, and a bomb is a fault', async () => {
    const viewing = await openViewing({ '/1': deflated(0) })
    const page = await viewing.listed()
    expect([sentences(page), uids(page)]).toEqual([[], [uidOf(1)]])
    const { body, transferSyntaxUid } = await viewing.images.frame(
      viewing.view,
      uidOf(1),
      1,
      never(),
    )
    expect([body.length, transferSyntaxUid]).toEqual([512, TRANSFER_SYNTAX.explicitLittleEndian])
    const bombed = await openViewing(
      { '/1': deflated(64 << 20), '/2': dicomFile({ sopInstanceUid: uidOf(2) }) },
      { inflatedBytes: 1 << 20 },
    )
    const bomb = await bombed.listed()
    expect(uids(bomb)).toEqual([uidOf(2)])
    expect(bomb.faults).toMatchObject([{ what: 'Image 1 of 2', level: 'warning' }])
  })

  it('of 100,000 URLs the first 20,000 are loaded, and faults of the same kind are counted', {
    timeout: 120_000,
  }, async () => {
    const viewing = await openViewing(dicomFiles(1))
    viewing.answer = () => ({
      urls: [
        viewing.host.urlOf('/1'),
        ...Array.from(
          { length: 99_999 },
          (_, index) => `https://not.listed.example/${index}?signature=x`,
        ),
      ],
    })
    const page = await viewing.listed()
    expect(uids(page)).toEqual([uidOf(1)])
    expect(sentences(page)[0]).toBe(
      'The partner: It named 100,000 files: only the first 20,000 are loaded.',
    )
    const fetched =
      'It could not be retrieved: not.listed.example:443 is not in the list of hosts that files may be downloaded from.'
    const last = (await viewing.listed()).faults.filter(
      ({ sentence }) => englishText(sentence) === fetched,
    )
    expect([last.length, last.at(-1)?.what]).toEqual([21, '19,979 more images'])
    expect(viewing.host.paths).toEqual(['/1'])
  })

  it('two of one UID are one image, and a second that differs is named', async () => {
    const file = dicomFile({ sopInstanceUid: uidOf(1) })
    const other = dicomFile({ sopInstanceUid: uidOf(1), more: { InstanceNumber: '7' } })
    const same = await openViewing({ '/1': file, '/2': file })
    expect((await same.listed()).faults).toEqual([])
    const differing = await openViewing({ '/1': file, '/2': other })
    const page = await differing.listed()
    expect(page.instances.size).toBe(1)
    expect(page.faults).toMatchObject([
      { sentence: 'Another image with the same UID differs from this one: this one is not shown.' },
    ])
  })

  it('those of two patients in one study are a danger, told once', async () => {
    const viewing = await openViewing({
      ...dicomFiles(2),
      '/3': dicomFile({
        sopInstanceUid: uidOf(3),
        patientName: 'Keller^Ruth',
        more: { PatientID: 'P-1' },
      }),
      '/4': dicomFile({
        sopInstanceUid: uidOf(4),
        patientName: 'Keller^Ruth',
        more: { PatientID: 'P-1' },
      }),
      '/5': dicomFile({ sopInstanceUid: uidOf(5), patientName: 'MUELLER^JÖRG' }),
    })
    const page = await viewing.listed()
    expect(page.faults).toMatchObject([
      {
        level: 'danger',
        sentence: 'This study contains images of more than one patient.',
        studyInstanceUid: STUDY,
      },
    ])
    expect(page.instances.size).toBe(5)
  })

  it('a manifest of an ephemeral session is told nothing of what the gateway knows of that study', async () => {
    const file = gate(dicomFile())
    const viewing = await openViewing({ '/1': file.answer })
    archive(viewing.store, STUDY, [archived(1, dicomFile())], {
      header: { patientName: 'Meier^Anna', studyDescription: 'Chest' },
    })
    const { answer } = viewing
    viewing.answer = async () => ({ ...(await answer()), manifests: [manifestOf([1])] })
    const view = openView({ kind: 'ephemeral', studyId: null, studyInstanceUid: null })
    const lines = viewing.images.lines(view, never())[Symbol.asyncIterator]()
    const page = pageOf(await readUntil(lines, ({ line }) => line === 'instances'))
    expect(page.studies.get(STUDY)).toMatchObject({ patientName: '', studyDescription: '' })
    file.open()
  })

  it('real files of every kind are listed, or are named', async (context) => {
    needs(context, 'samples')
    const names = [
      'CT_small',
      'MR_small_RLE',
      'JPEG2000',
      'SC_rgb_jpeg_dcmtk',
      'image_dfl',
      'no_meta',
      'test-SR',
      'rtplan_truncated',
    ]
    const files = Object.fromEntries(
      names.map((name) => [`/${name}`, readFileSync(`${PYDICOM_SAMPLES}/${name}.dcm`)]),
    )
    const viewing = await openViewing(files)
    const view = openView({
      kind: 'ephemeral',
      studyId: null,
      studyInstanceUid: null,
      area: 'viewer',
    })
    const page = await listedOf(viewing.images, view)
    expect(viewing.asked).toEqual([{ studyInstanceUid: null }])
    const unread = page.faults.filter(
      ({ sopInstanceUid, level }) => sopInstanceUid === null && level !== 'danger',
    )
    expect(page.instances.size + unread.length).toBe(names.length)
    // They are of many invented people.
    expect(
      page.faults
        .filter(({ level }) => level === 'danger')
        .map(({ sentence }) => englishText(sentence)),
    ).toContainEqual(
      expect.stringMatching(
        /^It may belong to a different patient than another study in this view/,
      ),
    )
    expect([...page.studies.keys()]).toContain('1.3.6.1.4.1.5962.1.2.1.20040119072730.12322')
    for (const instance of page.instances.values()) {
      if (!instance.image) continue
      const frame = await viewing.images.frame(view, instance.sopInstanceUid, 1, never())
      expect(frame.body.length).toBeGreaterThan(100)
    }
  })
})

describe('a link that has ended', () => {
  it('is asked for anew, once for all files, and matched by its path', async () => {
    const viewing = await openViewing(dicomFiles(12))
    const { files } = viewing.host
    const isFresh = (url = '') => url.includes('signature=2')
    for (const path of Object.keys(files)) {
      const file = files[path] as Buffer
      files[path] = (request, response) =>
        void response
          .writeHead(isFresh(request.url) ? 200 : 403)
          .end(isFresh(request.url) ? file : '')
    }
    const signatures = [1, 2]
    viewing.answer = () => {
      const signature = signatures.shift()
      const urls = Object.keys(files).map((path) =>
        viewing.host.urlOf(path).replace('signature=1', `signature=${signature}`),
      )
      return { urls: signature === 1 ? urls : urls.reverse() }
    }
    const page = await viewing.listed()
    expect([page.instances.size, sentences(page)]).toEqual([12, []])
    expect(viewing.asked).toHaveLength(2)
  })

  it('is a fault where the new one has ended too', async () => {
    const viewing = await openViewing({
      '/1': dicomFile(),
      '/2': (_request, response) => void response.writeHead(410).end(),
    })
    const page = await viewing.listed()
    expect(sentences(page)).toEqual([
      "Image 2 of 2: The partner's link to image 2 has expired, and so has the new one.",
    ])
    expect(viewing.asked).toHaveLength(2)
    expect(viewing.host.paths.filter((path) => path === '/2')).toHaveLength(2)
    await expect(viewing.images.frame(viewing.view, uidOf(2), 1, never())).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('is a fault where the partner gives no new one', async () => {
    const viewing = await openViewing(dicomFiles(1))
    const [first, second] = [
      [viewing.host.urlOf('/gone'), viewing.host.urlOf('/1')],
      [viewing.host.urlOf('/1')],
    ]
    viewing.answer = () => ({ urls: viewing.asked.length === 1 ? first : second })
    expect(sentences(await viewing.listed())).toEqual([
      "Image 1 of 2: The partner's link to image 1 has expired, and the partner gave no new one.",
    ])
  })
})

describe('a file that the network fails', () => {
  it('is tried again, and comes whole', async () => {
    let tries = 0
    const file = dicomFile()
    const viewing = await openViewing({
      '/1': (_request, response) => {
        response.writeHead(200, { 'content-length': file.length })
        if (++tries < 3) response.write(file.subarray(0, 900), () => response.destroy())
        else response.end(file)
      },
    })
    const page = await viewing.listed()
    expect([uids(page), sentences(page), tries]).toEqual([[uidOf(1)], [], 3])
    expect((await viewing.images.frame(viewing.view, uidOf(1), 1, never())).body).toHaveLength(512)
  })

  it('for good is named, and is tried anew by whoever opens the page again', async () => {
    const viewing = await openViewing({
      '/1': (_request, response) => void response.writeHead(503).end(),
    })
    expect(sentences(await viewing.listed())).toEqual([
      'Image 1 of 1: It could not be retrieved: it responded with 503.',
    ])
    viewing.host.files['/1'] = dicomFile()
    const page = await viewing.listed()
    expect([uids(page), sentences(page)]).toEqual([[uidOf(1)], []])
  })
})

describe('a manifest', () => {
  it('names what cannot be read: whoever waits for it is told why', async () => {
    const viewing = await openViewing({
      '/1': Buffer.from('<html>'.repeat(100)),
      '/2': dicomFile({ sopInstanceUid: uidOf(2) }),
    })
    const { answer } = viewing
    viewing.answer = async () => ({ ...(await answer()), manifests: [manifestOf([1, 2])] })
    await expect(viewing.images.frame(viewing.view, uidOf(1), 1, never())).rejects.toMatchObject({
      code: 'refused',
    })
    expect(sentences(await viewing.listed())).toContain(
      'Series 1 of the manifest: 1 of its 2 images did not arrive.',
    )
  })

  it('never stands for what a file says itself', async () => {
    const viewing = await openViewing({ '/1': dicomFile({ sopInstanceUid: uidOf(1), size: 8 }) })
    const { answer } = viewing
    viewing.answer = async () => ({ ...(await answer()), manifests: [manifestOf([1])] })
    const page = await viewing.listed()
    expect(page.instances.get(uidOf(1))).toMatchObject({
      source: 'partner',
      image: { rows: 8, columns: 8 },
    })
  })
})
