import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openNative, type SpawnWorker } from '#server/dicom/scu/native.ts'
import type { NativeAnswer, NativeCall } from '#server/dicom/scu/native-worker.ts'
import { startAcceptor } from '../../../../support/acceptor.ts'
import { selfSignedCertificate } from '../../../../support/certificate.ts'
import { scratchFolder } from '../../../../support/dcmtk.ts'
import { writeInstance } from '../../../../support/instance-file.ts'

const peer = { host: '127.0.0.1', port: 104, aeTitle: 'PACS' }

/** Workers that answer when they are told to, as Electron's port would hand them over. */
function workers(
  answerTo: (call: NativeCall, folder: string) => NativeAnswer | 'death' | undefined,
) {
  const seen = { running: 0, most: 0, killed: 0 }
  const spawnWorker: SpawnWorker = (_, folder) => {
    let tell: (answer: NativeAnswer) => void = () => {}
    let exit: () => void = () => {}
    seen.most = Math.max(seen.most, ++seen.running)
    const end = () => {
      seen.running--
      exit()
    }
    return {
      send(call) {
        setImmediate(() => {
          const answer = answerTo(call, folder)
          if (answer === 'death') end()
          else if (answer) tell(answer)
        })
      },
      onMessage: (listener) => {
        tell = listener
      },
      onExit: (listener) => {
        exit = listener
      },
      kill() {
        seen.killed++
        setImmediate(end)
      },
    }
  }
  return { spawnWorker, seen }
}

const success: NativeAnswer = {
  answer: JSON.stringify({ code: 0, message: 'request succeeded', container: null }),
}

describe('calls of dicom-dimse-native', () => {
  it('run two at a time, each killed at its end', async () => {
    const { spawnWorker, seen } = workers(() => success)
    const native = openNative({ spawnWorker })
    const results = await Promise.all(Array.from({ length: 6 }, () => native.echo(peer, 'ISTHMUS')))
    expect(results.every(({ success: isFine }) => isFine)).toBe(true)
    expect(seen).toEqual({ running: 0, most: 2, killed: 6 })
  })

  it('say what is missing where the module does not load, and how to get it', async () => {
    const native = openNative({
      spawnWorker: workers(() => ({ missing: 'MODULE_NOT_FOUND' })).spawnWorker,
    })
    expect(native.available().isAvailable).toBe(true)
    expect((await native.echo(peer, 'ISTHMUS')).message).toContain('run npm run native')
    expect(native.available()).toEqual({
      isAvailable: false,
      detail: expect.stringContaining('run npm run native'),
    })
  })

  it('survive a process that dies, and one that never answers', async () => {
    using folder = scratchFolder()
    const dying = openNative({
      spawnWorker: workers(() => 'death').spawnWorker,
      folder: folder.path,
    })
    expect((await dying.echo(peer, 'ISTHMUS')).message).toBe(
      'dicom-dimse-native broke down over it',
    )
    const { spawnWorker, seen } = workers(() => undefined)
    const silent = openNative({ spawnWorker, folder: folder.path, limits: { echoSeconds: 0.05 } })
    expect((await silent.echo(peer, 'ISTHMUS')).message).toBe('there was no answer within 0.05 s')
    expect(seen).toEqual({ running: 0, most: 1, killed: 1 })
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('are not made for a side that speaks TLS: our own requestor calls it', async () => {
    const { spawnWorker, seen } = workers(() => success)
    const own = selfSignedCertificate(['archive.test'])
    await using archive = await startAcceptor({
      tls: own,
      message: (message, to) => to.respond(message, 0x0000),
    })
    const native = openNative({ spawnWorker })
    const secured = { ...peer, port: archive.port, tls: { ca: own.cert } }
    expect(await native.echo(secured, 'ISTHMUS')).toMatchObject({ success: true })
    expect(
      await native.find(secured, 'ISTHMUS', {
        patientId: 'P',
        patientName: '',
        accessionNumber: '',
        startDate: null,
        endDate: null,
      }),
    ).toEqual([])
    expect(seen.most).toBe(0)
  })
})

describe('transcoding', () => {
  it('fails where the module kept to the old transfer syntax, and leaves nothing behind', async () => {
    using folder = scratchFolder()
    const { path, sopInstanceUid } = writeInstance(folder.path)
    const { spawnWorker } = workers((call) => {
      const { storagePath } = call.options as { readonly storagePath: string }
      copyFileSync(path, join(storagePath, sopInstanceUid))
      return success
    })
    const native = openNative({ spawnWorker })
    await expect(
      native.transcode(path, join(folder.path, 'out.dcm'), '1.2.840.10008.1.2'),
    ).rejects.toThrow(/cannot be converted/)
    expect(readdirSync(folder.path)).toEqual([`${sopInstanceUid}.dcm`])
  })

  it('is never lossy', async () => {
    await expect(
      openNative().transcode('in.dcm', 'out.dcm', '1.2.840.10008.1.2.4.50'),
    ).rejects.toThrow(/nothing an instance is converted to/)
  })

  it('refuses an instance whose UID could lead out of the folder', async () => {
    using folder = scratchFolder()
    const { path } = writeInstance(folder.path, { more: { SOPInstanceUID: '../../escape' } })
    await expect(
      openNative().transcode(path, join(folder.path, 'out.dcm'), '1.2.840.10008.1.2'),
    ).rejects.toThrow(/no valid SOP Instance UID/)
  })
})
