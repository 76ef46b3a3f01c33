import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { STORAGE_TRANSFER_SYNTAXES } from '#server/dicom/data-set/storage-uids.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { openTranscoder } from '#server/dicom/transcoding/transcoder.ts'
import { countForwards } from '#server/modules/forwarding/forward-queries.ts'
import { englishText } from '#shared/messages/english.ts'
import {
  ACTOR,
  forwardingStage,
  openArchive,
  STUDY,
} from '../electron/server/modules/forwarding/forwarding-fixture.ts'
import { type Archive, receivedFile, startDcmqrscp, startStorescp } from '../support/archive.ts'
import { selfSignedCertificate } from '../support/certificate.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { freePort } from '../support/free-port.ts'
import { needs, PYDICOM_SAMPLES } from '../support/needs.ts'
import { startOrthanc } from '../support/orthanc.ts'

const transcoder = openTranscoder()
type Stage = ReturnType<typeof forwardingStage>

/** Keeps a sample file as if it had been received; its data set as it goes over the wire. */
async function keepSample(
  stage: Stage,
  name: string,
): Promise<{ readonly sopInstanceUid: string; readonly dataSet: Buffer }> {
  const path = join(PYDICOM_SAMPLES, name)
  const { dataSetOffset, sopInstanceUid, sopClassUid, transferSyntaxUid } = await readFileMeta(path)
  const bytes = readFileSync(path).subarray(dataSetOffset)
  // PS3.5 A.5: on the network a deflated data set is of even length; the sample's file is not.
  const dataSet = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)])
  await stage.keep(sopInstanceUid, { sopClassUid, transferSyntaxUid }, dataSet)
  return { sopInstanceUid, dataSet }
}

/** What an archive wrote, by SOP Instance UID. */
async function writtenBy(archive: Archive) {
  const files = await Promise.all(
    archive.files().map(async (name) => {
      const meta = await readFileMeta(join(archive.folder, name))
      return [
        meta.sopInstanceUid,
        { ...meta, dataSet: receivedFile(archive, name).subarray(meta.dataSetOffset) },
      ] as const
    }),
  )
  return new Map(files)
}

const PIXEL_DATA = 0x7fe00010
const pixelsOf = (dataSet: Buffer, transferSyntax: string) =>
  readDataSet(dataSet, transferSyntax).find(({ tag }) => tag === PIXEL_DATA)?.value as Buffer

describe('forwarding to storescp', () => {
  it.for([
    ...[
      'CT_small.dcm',
      'MR_small_implicit.dcm',
      'MR_small_bigendian.dcm',
      'image_dfl.dcm',
      'MR_small_RLE.dcm',
      'JPEG2000.dcm',
    ],
    ...[
      'MR_small_jpeg_ls_lossless.dcm',
      'SC_rgb_jpeg_dcmtk.dcm',
      'JPEG-lossy.dcm',
      'test-SR.dcm',
      'rtplan.dcm',
      'waveform_ecg.dcm',
    ],
  ])('sends %s in the transfer syntax it came in, byte for byte', async (name, context) => {
    needs(context, 'dcmtk', 'samples')
    await using archive = await startStorescp(['+xa', '+B'])
    await using stage = forwardingStage()
    stage.add(archive.port, { aeTitle: 'STORESCP' })
    const { sopInstanceUid, dataSet } = await keepSample(stage, name)
    await stage.forwarding.settled()
    const written = await writtenBy(archive)
    expect(stage.forwarding.studies({ limit: 10, show: 'all' }).items).toMatchObject([
      { waiting: 0, sent: 1, failed: 0, lastError: null },
    ])
    expect(written.get(sopInstanceUid)?.dataSet.equals(dataSet)).toBe(true)
  })

  it('transcodes what the destination takes in another transfer syntax only, without a loss, and leaves nothing behind', async (context) => {
    needs(context, 'dcmtk', 'samples', 'native')
    // Implicit VR Little Endian and nothing else.
    await using archive = await startStorescp(['+xi', '+B'])
    await using stage = forwardingStage({ transcoder })
    const { destinationId } = stage.add(archive.port, { aeTitle: 'STORESCP' })
    const { sopInstanceUid } = await keepSample(stage, 'MR_small_RLE.dcm')
    await stage.forwarding.settled()
    const written = (await writtenBy(archive)).get(sopInstanceUid)
    expect(written?.transferSyntaxUid).toBe(TRANSFER_SYNTAX.implicitLittleEndian)
    const source = await readFileMeta(join(PYDICOM_SAMPLES, 'MR_small.dcm'))
    const plain = readFileSync(join(PYDICOM_SAMPLES, 'MR_small.dcm')).subarray(source.dataSetOffset)
    const pixels = pixelsOf(
      written?.dataSet ?? Buffer.alloc(0),
      TRANSFER_SYNTAX.implicitLittleEndian,
    )
    expect(pixels.equals(pixelsOf(plain, source.transferSyntaxUid))).toBe(true)
    const { items } = stage.forwarding.instances(
      { destinationId, studyInstanceUid: STUDY },
      { limit: 10 },
    )
    expect(items).toMatchObject([
      { state: 'sent', status: '0000', sentAs: 'Implicit VR Little Endian', lastError: null },
    ])
    expect(readdirSync(join(stage.store.folder, 'spool', 'forwarding'))).toEqual([])
  })

  it('fails what cannot be converted, with the reason, and nothing of it is sent', async (context) => {
    needs(context, 'dcmtk', 'native')
    await using archive = await startStorescp(['+xi'])
    await using stage = forwardingStage({ transcoder })
    const { destinationId } = stage.add(archive.port, { aeTitle: 'STORESCP' })
    await stage.keep(
      '2.25.100.1.1',
      { transferSyntaxUid: '1.2.840.10008.1.2.4.90' },
      Buffer.from('no image at all'),
    )
    await stage.forwarding.settled()
    expect(stage.states(destinationId)[0]).toMatch(
      /^2\.25\.100\.1\.1 failed 1 It does not accept .+ the gateway cannot convert the image: /,
    )
    expect(archive.files()).toEqual([])
  })

  it('sends by TLS to a destination whose certificate is known here, and to no other', async (context) => {
    needs(context, 'dcmtk')
    using scratch = scratchFolder()
    const theirs = selfSignedCertificate(['localhost'])
    const [keyFile, certificateFile] = [
      join(scratch.path, 'key.pem'),
      join(scratch.path, 'cert.pem'),
    ]
    writeFileSync(keyFile, theirs.key)
    writeFileSync(certificateFile, theirs.cert)
    await using archive = await startStorescp(['+tls', keyFile, certificateFile, '-ic'])
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port, {
      ...{ aeTitle: 'STORESCP', host: 'localhost', isTls: true },
      certificate: selfSignedCertificate(['localhost']).cert,
    })
    await stage.keep('2.25.100.1.1')
    await stage.forwarding.settled()
    expect(archive.files()).toEqual([])
    const { lastError } = stage.forwarding.list().destinations[0] ?? {}
    expect(lastError && englishText(lastError)).toContain(
      'presents a certificate other than the one that is entered for it',
    )
    expect(countForwards(stage.store.database)).toEqual({ waiting: 1, failed: 0 })
    stage.forwarding.update(destinationId, { certificate: theirs.cert }, ACTOR)
    await stage.forwarding.settled()
    expect(archive.files()).toHaveLength(1)
  })

  it('keeps everything while the destination is away, and sends it once it is there', async (context) => {
    needs(context, 'dcmtk')
    await using stage = forwardingStage()
    const { destinationId } = stage.add(await freePort(), { aeTitle: 'STORESCP' })
    for (let at = 1; at <= 20; at++) await stage.keep(`2.25.100.1.${at}`)
    await stage.forwarding.settled()
    expect(countForwards(stage.store.database)).toEqual({ waiting: 20, failed: 0 })
    await using archive = await startStorescp()
    stage.forwarding.update(destinationId, { port: archive.port }, ACTOR)
    await stage.forwarding.settled()
    expect(archive.files()).toHaveLength(20)
    expect(archive.output().match(/Association Received/g)).toHaveLength(2)
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 0 })
  })
})

describe('dcmqrscp', () => {
  it('is sent a study, found with it as a prior, and sends it back', async (context) => {
    needs(context, 'dcmtk', 'native')
    await using ourselves = await openArchive()
    await using archive = await startDcmqrscp([{ aeTitle: 'ISTHMUS', port: ourselves.port }])
    await using stage = forwardingStage({ transcoder })
    const { destinationId } = stage.add(archive.port, { aeTitle: 'QRSCP' })
    for (let at = 1; at <= 3; at++) await stage.keep(`2.25.100.1.${at}`)
    await stage.forwarding.settled()
    expect(countForwards(stage.store.database)).toEqual({ waiting: 0, failed: 0 })

    const echo = await stage.forwarding.echo(destinationId)
    expect(echo).toMatchObject({ success: true, message: 'QRSCP responds: the connection works.' })

    const asked = {
      patientId: 'P-0815',
      patientName: '',
      accessionNumber: '',
      startDate: null,
      endDate: null,
    }
    const { studies } = await stage.forwarding.findPriors(destinationId, asked, ACTOR)
    expect(studies).toMatchObject([
      {
        studyInstanceUid: STUDY,
        patientName: 'Müller^Jörg',
        patientId: 'P-0815',
        studyDescription: 'CT Schädel',
        here: 3,
      },
    ])
    expect(
      (await stage.forwarding.findPriors(destinationId, { ...asked, patientId: 'NOBODY' }, ACTOR))
        .studies,
    ).toEqual([])

    const pull = stage.forwarding.pull(destinationId, STUDY, ACTOR)
    expect(pull).toMatchObject({
      state: 'running',
      studyInstanceUid: STUDY,
      destinationName: 'PACS',
    })
    const [done] = await pulled(stage)
    expect(done).toMatchObject({
      pullId: pull.pullId,
      state: 'done',
      completed: 3,
      failed: 0,
      remaining: 0,
      detail: '3 images were received.',
    })
    expect(ourselves.received.toSorted()).toEqual(['2.25.100.1.1', '2.25.100.1.2', '2.25.100.1.3'])
  })

  it('says what to enter there where it does not know us', async (context) => {
    needs(context, 'dcmtk')
    await using archive = await startDcmqrscp()
    await using stage = forwardingStage()
    const { destinationId } = stage.add(archive.port, { aeTitle: 'QRSCP' })
    await stage.keep('2.25.100.1.1')
    await stage.forwarding.settled()
    stage.forwarding.pull(destinationId, STUDY, ACTOR)
    const [failed] = await pulled(stage)
    expect(failed).toMatchObject({ state: 'failed', completed: 0 })
    expect(failed?.detail && englishText(failed.detail)).toContain(
      'does not know ISTHMUS as a destination',
    )
  })
})

describe('Orthanc', () => {
  it('takes a study, and sends it back', async (context) => {
    needs(context, 'orthanc', 'native')
    await using ourselves = await openArchive({ transferSyntaxes: STORAGE_TRANSFER_SYNTAXES })
    await using orthanc = await startOrthanc(ourselves.port)
    await using stage = forwardingStage({ transcoder })
    const { destinationId } = stage.add(orthanc.port, { aeTitle: 'ORTHANC' })
    for (let at = 1; at <= 5; at++) await stage.keep(`2.25.100.1.${at}`)
    await stage.forwarding.settled()
    expect(stage.states(destinationId).map((line) => line.split(' ')[1])).toEqual(
      Array(5).fill('sent'),
    )
    expect(await orthanc.instances()).toBe(5)
    const asked = {
      patientId: '',
      patientName: 'Müller',
      accessionNumber: '',
      startDate: '2026-03-01',
      endDate: null,
    }
    const { studies } = await stage.forwarding.findPriors(destinationId, asked, ACTOR)
    expect(studies).toMatchObject([
      { studyInstanceUid: STUDY, patientName: 'Müller^Jörg', modalities: ['CT'], here: 5 },
    ])
    stage.forwarding.pull(destinationId, STUDY, ACTOR)
    expect(await pulled(stage)).toMatchObject([{ state: 'done', failed: 0 }])
    expect(ourselves.received).toHaveLength(5)
  })
})

async function pulled(stage: Stage) {
  for (
    let tries = 0;
    tries < 400 && stage.forwarding.pulls.list().some(({ state }) => state === 'running');
    tries++
  )
    await sleep(25)
  return stage.forwarding.pulls.list()
}
