import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { COMMAND_FIELD } from '#server/dicom/dimse/command-set.ts'
import { openAssociation } from '#server/dicom/scu/requestor.ts'
import { spawnGateway } from '../support/gateway-process.ts'
import { LARGE, largeObject, MULTI_FRAME } from '../support/large-object.ts'
import { needs } from '../support/needs.ts'
import { perTier } from '../support/tier.ts'
import { filesBelow } from './storage-fixture.ts'

const { explicitLittleEndian } = TRANSFER_SYNTAX
/** More than the gateway may take of memory, so that keeping the object there would show. */
const MEBIBYTES = perTier(320, 2048)
const PIXEL_BYTES = MEBIBYTES * 2 ** 20
/** MB: what the gateway may take at the most, whatever comes. */
const MOST_MEMORY = 200

/** The most memory a process has had, MB. */
const peakOf = (pid: number): number =>
  (Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) /
  1e6

/** Length and CRC-32 of bytes that come piece by piece. */
interface Sum {
  bytes: number
  crc: number
}

/** The same pieces, summed up as they go by. */
async function* summed(pieces: AsyncIterable<Buffer>, into: Sum): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    into.bytes += piece.length
    into.crc = crc32(piece, into.crc)
    yield piece
  }
}

/** The data set of a file. */
async function sumOf(file: string): Promise<Sum> {
  const sum: Sum = { bytes: 0, crc: 0 }
  const { dataSetOffset } = await readFileMeta(file)
  const pieces = createReadStream(file, {
    start: dataSetOffset,
    highWaterMark: 1 << 20,
  }) as AsyncIterable<Buffer>
  for await (const _ of summed(pieces, sum));
  return sum
}

describe(`a multi-frame object of ${MEBIBYTES} MiB`, () => {
  it(`is kept whole, and the gateway never takes ${MOST_MEMORY} MB`, {
    timeout: 120_000,
  }, async (context) => {
    needs(context, 'linux', 'space')
    await using gateway = await spawnGateway({ partnerUrl: 'http://127.0.0.1:9/' })
    const peer = { host: '127.0.0.1', port: gateway.dimsePort, aeTitle: 'ISTHMUS' }
    const contexts = [{ abstractSyntax: MULTI_FRAME, transferSyntaxes: [explicitLittleEndian] }]
    await using association = await openAssociation({ peer, callingAeTitle: 'US1', contexts })
    const command = {
      commandField: COMMAND_FIELD['C-STORE-RQ'],
      affectedSopClassUid: MULTI_FRAME,
      affectedSopInstanceUid: LARGE.sopInstanceUid,
      priority: 0,
    }
    const sent: Sum = { bytes: 0, crc: 0 }
    const contextId = association.accepted[0]?.id ?? 0
    for await (const { command: response } of association.request(
      contextId,
      command,
      summed(largeObject(PIXEL_BYTES), sent),
    ))
      expect(response.status).toBe(0x0000)
    expect(sent.bytes).toBeGreaterThan(PIXEL_BYTES)
    expect(peakOf(gateway.pid)).toBeLessThan(MOST_MEMORY)

    const files = filesBelow(join(gateway.folder, 'images'))
    expect(await Promise.all(files.map(sumOf))).toEqual([sent])
    expect(filesBelow(join(gateway.folder, 'spool'))).toEqual([])
  })
})
