import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { PeerTls } from '#server/dicom/scu/requestor.ts'
import type { Caller } from '#server/dicom/scu/service-request.ts'
import { type InstanceToSend, type SendResult, sendInstances } from '#server/dicom/scu/store.ts'
import { openTranscoder } from '#server/dicom/transcoding/transcoder.ts'
import { type Archive, receivedFile, startStorescp } from '../support/archive.ts'
import { selfSignedCertificate } from '../support/certificate.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { CT_IMAGE_STORAGE, type InstanceFile, writeInstance } from '../support/instance-file.ts'
import { needs } from '../support/needs.ts'

const { explicitLittleEndian, implicitLittleEndian, explicitBigEndian } = TRANSFER_SYNTAX
const JPEG_2000_LOSSLESS = '1.2.840.10008.1.2.4.90'

async function send<I extends InstanceToSend>(
  { port }: { readonly port: number },
  instances: readonly I[],
  more: Partial<Caller> & { readonly tls?: PeerTls } = {},
): Promise<SendResult<I>[]> {
  const peer = { host: '127.0.0.1', port, aeTitle: 'STORESCP', tls: more.tls }
  const results: SendResult<I>[] = []
  for await (const result of sendInstances({ peer, callingAeTitle: 'ISTHMUS', ...more }, instances))
    results.push(result)
  return results
}

const outcomes = (results: readonly SendResult<InstanceToSend>[]) =>
  results.map((result) => [
    result.instance.sopInstanceUid,
    result.outcome,
    'status' in result ? result.status : undefined,
  ])

/** The data sets an archive has received, as bytes. */
async function dataSetsIn(archive: Archive): Promise<Buffer[]> {
  const files = archive.files().map((name) => join(archive.folder, name))
  return Promise.all(
    files.map(async (file) =>
      readFileSync(file).subarray((await readFileMeta(file)).dataSetOffset),
    ),
  )
}

describe('instances sent to storescp', () => {
  it('arrive bit for bit in their own transfer syntax, and each has its own result', async (context) => {
    needs(context, 'dcmtk')
    using scratch = scratchFolder()
    await using archive = await startStorescp(['+B', '+xa'])
    const instances = [explicitLittleEndian, implicitLittleEndian, explicitBigEndian].map(
      (transferSyntaxUid, at) =>
        writeInstance(scratch.path, {
          sopInstanceUid: `2.25.200.${at}`,
          transferSyntaxUid,
          size: 300,
        }),
    )
    const results = await send(archive, instances)
    expect(outcomes(results)).toEqual(
      instances.map(({ sopInstanceUid }) => [sopInstanceUid, 'sent', 0x0000]),
    )
    const received = await dataSetsIn(archive)
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(received.map(digest).sort()).toEqual(
      instances.map(({ dataSet }) => digest(dataSet)).sort(),
    )
  })

  it('say what they would be taken as, and are taken once transcoded', async (context) => {
    needs(context, 'dcmtk')
    const transcoder = openTranscoder()
    expect(transcoder.available()).toEqual({ isAvailable: true, detail: null })
    using scratch = scratchFolder()
    const plain = writeInstance(scratch.path, { sopInstanceUid: '2.25.201.1', size: 64 })
    const compressed = join(scratch.path, 'compressed.dcm')
    await transcoder.transcode(plain.path, compressed, JPEG_2000_LOSSLESS)
    const meta = await readFileMeta(compressed)
    expect(meta).toMatchObject({
      transferSyntaxUid: JPEG_2000_LOSSLESS,
      sopInstanceUid: '2.25.201.1',
      sopClassUid: CT_IMAGE_STORAGE,
    })
    // It takes uncompressed images only.
    await using archive = await startStorescp(['+x='])
    const [result] = await send(archive, [{ ...meta, path: compressed }])
    if (result?.outcome !== 'needs-transcoding') throw new Error(`${result?.outcome}`)
    expect([...result.acceptedSyntaxes].sort()).toEqual([
      implicitLittleEndian,
      explicitLittleEndian,
    ])
    const back = join(scratch.path, 'back.dcm')
    await transcoder.transcode(compressed, back, explicitLittleEndian)
    expect(outcomes(await send(archive, [{ ...(await readFileMeta(back)), path: back }]))).toEqual([
      ['2.25.201.1', 'sent', 0x0000],
    ])
    const pixels = (bytes: Buffer) => bytes.subarray(-64 * 64 * 2).toString('hex')
    expect((await dataSetsIn(archive)).map(pixels)).toEqual([pixels(plain.dataSet)])
    expect(readdirSync(scratch.path).sort()).toEqual([
      '2.25.201.1.dcm',
      'back.dcm',
      'compressed.dcm',
    ])
  })

  it('travel by TLS to the one whose certificate was entered', async (context) => {
    needs(context, 'dcmtk')
    using scratch = scratchFolder()
    const { key, cert } = selfSignedCertificate(['archive.test'])
    const [keyFile, certFile] = [join(scratch.path, 'key.pem'), join(scratch.path, 'cert.pem')]
    writeFileSync(keyFile, key)
    writeFileSync(certFile, cert)
    await using archive = await startStorescp(['+tls', keyFile, certFile, '-ic'])
    const instance = writeInstance(scratch.path, { sopInstanceUid: '2.25.202.1' })
    expect(outcomes(await send(archive, [instance], { tls: { ca: cert } }))).toEqual([
      ['2.25.202.1', 'sent', 0x0000],
    ])
    expect(archive.files()).toHaveLength(1)
    const [refusedError] = await send(archive, [instance], {
      tls: { ca: selfSignedCertificate(['archive.test']).cert },
    })
    expect(refusedError).toMatchObject({
      outcome: 'failed',
      wasAttempted: false,
      error: { kind: 'tls' },
    })
    expect(archive.files()).toHaveLength(1)
  })

  it('each have a result where the archive is not there, and where one file of several is missing', async (context) => {
    needs(context, 'dcmtk')
    using scratch = scratchFolder()
    const instances: InstanceFile[] = ['1', '2', '3'].map((number) =>
      writeInstance(scratch.path, { sopInstanceUid: `2.25.203.${number}` }),
    )
    const [, second] = instances
    const withHole = instances.map((instance) =>
      instance === second ? { ...instance, path: join(scratch.path, 'gone.dcm') } : instance,
    )
    const archive = await startStorescp(['+B'])
    try {
      const results = await send(archive, withHole)
      expect(outcomes(results).map(([, outcome]) => outcome)).toEqual(['sent', 'failed', 'sent'])
      expect(results[1]).toMatchObject({
        wasAttempted: true,
        error: { message: 'the file cannot be read (ENOENT)' },
      })
      expect(archive.files()).toHaveLength(2)
    } finally {
      await archive[Symbol.asyncDispose]()
    }
    const results = await send(archive, instances)
    expect(
      results.map(
        (result) =>
          result.outcome === 'failed' && [
            result.wasAttempted,
            (result.error as { kind?: string }).kind,
          ],
      ),
    ).toEqual(Array.from({ length: 3 }, () => [false, 'unreachable']))
  })

  it('are streamed: what is read of a large one is what the network has taken', async (context) => {
    needs(context, 'dcmtk')
    using scratch = scratchFolder()
    await using archive = await startStorescp(['+B'])
    const large = writeInstance(scratch.path, { sopInstanceUid: '2.25.204.1', size: 4000 })
    expect(outcomes(await send(archive, [large]))).toEqual([['2.25.204.1', 'sent', 0x0000]])
    const [name = ''] = archive.files()
    expect(receivedFile(archive, name).subarray(-1000)).toEqual(large.dataSet.subarray(-1000))
  })

  it('are what DCMTK itself calls valid', async (context) => {
    needs(context, 'dcmtk')
    using scratch = scratchFolder()
    await using archive = await startStorescp()
    await send(archive, [writeInstance(scratch.path, { sopInstanceUid: '2.25.205.1' })])
    const [name = ''] = archive.files()
    expect(
      execFileSync('dcmdump', ['+P', '0010,0010', '+P', '0002,0016', join(archive.folder, name)], {
        encoding: 'latin1',
      }),
    ).toContain('Müller^Jörg')
  })
})
