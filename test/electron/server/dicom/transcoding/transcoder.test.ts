import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SpawnWorker } from '#server/dicom/transcoding/native-process.ts'
import type { NativeAnswer, RecompressOptions } from '#server/dicom/transcoding/native-worker.ts'
import {
  openTranscoder,
  TRANSCODING_LIMITS,
  type Transcoder,
} from '#server/dicom/transcoding/transcoder.ts'
import { scratchFolder } from '../../../../support/dcmtk.ts'
import { writeInstance } from '../../../../support/instance-file.ts'

/** Workers that answer when they are told to, as Electron's port would hand them over. */
function workers(
  answerTo: (call: RecompressOptions, folder: string) => NativeAnswer | 'death' | undefined,
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

const IMPLICIT = '1.2.840.10008.1.2'

/** An instance, and conversions of it beside it, each of which fails. */
function instance() {
  const folder = scratchFolder()
  const { path, sopInstanceUid } = writeInstance(folder.path)
  return {
    ...folder,
    sopInstanceUid,
    convert: (transcoder: Transcoder, name = 'out.dcm') =>
      transcoder
        .transcode(path, join(folder.path, name), IMPLICIT)
        .catch(({ message }: Error) => message),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

describe('calls of dicom-dimse-native', () => {
  it('run two at a time, each killed at its end', async () => {
    using on = instance()
    const { spawnWorker, seen } = workers(() => success)
    const transcoder = openTranscoder({ spawnWorker })
    await Promise.all(Array.from({ length: 6 }, (_, at) => on.convert(transcoder, `${at}.dcm`)))
    expect(seen).toEqual({ running: 0, most: 2, killed: 6 })
  })

  it('say what is missing where the module does not load, and how to get it', async () => {
    using on = instance()
    const transcoder = openTranscoder({
      spawnWorker: workers(() => ({ missing: 'MODULE_NOT_FOUND' })).spawnWorker,
    })
    expect(transcoder.available().isAvailable).toBe(true)
    expect(await on.convert(transcoder)).toContain('run npm run native')
    expect(transcoder.available()).toEqual({
      isAvailable: false,
      detail: expect.stringContaining('run npm run native'),
    })
  })

  it('survive a process that dies, and one that never answers', async () => {
    using on = instance()
    const dying = openTranscoder({ spawnWorker: workers(() => 'death').spawnWorker })
    expect(await on.convert(dying)).toBe('dicom-dimse-native failed on it')
    const { spawnWorker, seen } = workers(() => undefined)
    const silent = openTranscoder({ spawnWorker, limits: { ...TRANSCODING_LIMITS, seconds: 0.05 } })
    expect(await on.convert(silent)).toBe('there was no response within 0.05 s')
    expect(seen).toEqual({ running: 0, most: 1, killed: 1 })
    expect(readdirSync(on.path)).toEqual([`${on.sopInstanceUid}.dcm`])
  })
})

describe('transcoding', () => {
  it('fails where the module kept to the old transfer syntax, and leaves nothing behind', async () => {
    using folder = scratchFolder()
    const { path, sopInstanceUid } = writeInstance(folder.path)
    const { spawnWorker } = workers((call) => {
      copyFileSync(path, join(call.storagePath, sopInstanceUid))
      return success
    })
    const transcoder = openTranscoder({ spawnWorker })
    await expect(
      transcoder.transcode(path, join(folder.path, 'out.dcm'), '1.2.840.10008.1.2'),
    ).rejects.toThrow(/cannot be converted/)
    expect(readdirSync(folder.path)).toEqual([`${sopInstanceUid}.dcm`])
  })

  it('is never lossy', async () => {
    await expect(
      openTranscoder().transcode('in.dcm', 'out.dcm', '1.2.840.10008.1.2.4.50'),
    ).rejects.toThrow(/instances cannot be converted to/)
  })

  it('refuses an instance whose UID could lead out of the folder', async () => {
    using folder = scratchFolder()
    const { path } = writeInstance(folder.path, { more: { SOPInstanceUID: '../../escape' } })
    await expect(
      openTranscoder().transcode(path, join(folder.path, 'out.dcm'), '1.2.840.10008.1.2'),
    ).rejects.toThrow(/no valid SOP Instance UID/)
  })
})
