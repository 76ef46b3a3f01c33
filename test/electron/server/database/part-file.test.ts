import fs, { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { Part, type PartFileStore } from '#server/database/part-file.ts'
import { StorageFault } from '#server/platform/disk-fault.ts'
import { needing } from '../../../support/needs.ts'
import { hidesOpenFiles, openFilesIn } from '../../../support/open-files.ts'
import { tempFolder } from '../../../support/temp-store.ts'

/**
 * A part at `path` with a descriptor of its own, or of `device`; the calls of its places in order.
 */
function stage(places: Partial<PartFileStore> = {}, device?: string) {
  const temp = tempFolder()
  const path = join(temp.folder, 'x.part')
  const calls: string[] = []
  const part = new Part(
    path,
    Promise.resolve(device ? openSync(device, 'w') : openSync(path, 'wx+')),
    {
      async move(from, file) {
        calls.push(`move ${from === path} ${file}`)
      },
      async sync(file) {
        calls.push(`sync ${file}`)
      },
      isAlone: () => true,
      over: () => void calls.push('over'),
      pathOf: (file) => join(temp.folder, file),
      ...places,
    },
  )
  return {
    ...{ part, path, calls, folder: temp.folder },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof StorageFault ? `${error.kind}: ${error.message}` : error),
  )
/** Long enough for what waits for no thread. */
const microtasks = async () => {
  for (let turn = 0; turn < 20; turn++) await null
}
const CLOSED = 'failed: The file is closed.'
const failing = () => Promise.reject(Object.assign(new Error('no'), { code: 'EIO' }))

describe('a part', () => {
  it('is written before the next turn of the event loop while no other one is received', async () => {
    using on = stage()
    const writing = on.part.write([Buffer.from('one'), Buffer.from('two')])
    await microtasks()
    expect([statSync(on.path).size, on.part.bytes]).toEqual([6, 6])
    await writing
  })

  it('is written on a thread beside others, and behind its first four MiB', async () => {
    for (const isAlone of [true, false]) {
      using on = stage({ isAlone: () => isAlone })
      const first = on.part.write([Buffer.alloc(4 << 20, 1)])
      await microtasks()
      // What a thread has written is counted in a later turn of the event loop.
      expect(on.part.bytes).toBe(isAlone ? 4 << 20 : 0)
      await first
      const second = on.part.write([Buffer.from('end')])
      await microtasks()
      expect(on.part.bytes).toBe(4 << 20)
      await second
      expect(on.part.bytes).toBe((4 << 20) + 3)
      expect(readFileSync(on.path).subarray(-4).toString('latin1')).toBe('\x01end')
    }
  })

  it('takes empty buffers, and asks nothing of the disk for them', async () => {
    using on = stage()
    expect(await faultOf(on.part.write([Buffer.alloc(0), Buffer.alloc(0)]))).toBe('none')
    expect(on.part.bytes).toBe(0)
  })

  it('is over once, when it is finished, and closed', async () => {
    using on = stage()
    await on.part.write([Buffer.from('x')])
    await on.part.finish()
    await on.part.finish()
    await on.part.discard()
    expect(on.calls).toEqual(['over'])
    expect(existsSync(on.path)).toBe(false)
    expect(await faultOf(on.part.write([Buffer.from('y')]))).toBe(CLOSED)
    if (!hidesOpenFiles) expect(openFilesIn(on.folder)).toEqual([])
  })

  it('is moved to its place, and its name made durable there', async () => {
    using on = stage()
    expect(await faultOf(on.part.secure())).toBe('failed: The file has no name yet.')
    await on.part.place('kept.dcm')
    await on.part.secure()
    expect(on.calls).toEqual(['move true kept.dcm', 'sync kept.dcm'])
    writeFileSync(join(on.folder, 'kept.dcm'), '')
    await on.part.discard()
    expect(existsSync(join(on.folder, 'kept.dcm'))).toBe(false)
  })

  it('that cannot be moved is discarded where it was', async () => {
    using on = stage({ move: failing })
    expect(await faultOf(on.part.place('kept.dcm'))).toBe(
      'failed: The disk for images failed (rename: EIO).',
    )
    expect(await faultOf(on.part.secure())).toBe('failed: The file has no name yet.')
    await on.part.discard()
    expect([existsSync(on.path), on.calls]).toEqual([false, ['over']])
  })

  it('whose name the disk does not keep is a fault', async () => {
    using on = stage({ sync: failing })
    await on.part.place('kept.dcm')
    expect(await faultOf(on.part.secure())).toBe('failed: The disk for images failed (fsync: EIO).')
  })

  it('that could not be made says so at each call, and not before', async () => {
    const places = {
      move: failing,
      sync: failing,
      isAlone: () => true,
      over: () => {},
      pathOf: (file: string) => file,
    }
    const part = new Part(
      '/nowhere/x.part',
      Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })),
      places,
    )
    await new Promise((resolve) => setImmediate(resolve))
    const fault = 'read-only: The folder for images cannot be written to (open: EACCES).'
    expect(await faultOf(part.write([Buffer.from('x')]))).toBe(fault)
    expect(await faultOf(part.finish())).toBe(fault)
    expect(await faultOf(part.discard())).toBe('none')
  })

  it('that cannot be read is not compared', async () => {
    using on = stage()
    writeFileSync(on.path, 'same')
    const part = new Part(on.path, Promise.resolve(openSync(on.path, 'a')), {
      ...{
        move: failing,
        sync: failing,
        isAlone: () => true,
        over: () => {},
        pathOf: (file) => file,
      },
    })
    await part.write([Buffer.from('!')])
    const other = openSync(on.path, 'r')
    expect(await faultOf(part.isSame(0, other, 0))).toBe(
      'failed: The disk for images failed (read: EBADF).',
    )
    closeSync(other)
    await part.discard()
  })
})

describe('the rest of a part', () => {
  /** Whether `bytes` from `offset` on are those of a file of `others` from `otherOffset` on. */
  async function isSame(
    bytes: string,
    offset: number,
    others: string,
    otherOffset: number,
  ): Promise<boolean> {
    using on = stage()
    await on.part.write([Buffer.from(bytes)])
    const path = join(on.folder, 'other')
    writeFileSync(path, others)
    const other = openSync(path, 'r')
    try {
      return await on.part.isSame(offset, other, otherOffset)
    } finally {
      closeSync(other)
      await on.part.discard()
    }
  }

  it('is compared to its end, whatever stands before it', async () => {
    expect(await isSame('one: pixels', 5, 'another: pixels', 9)).toBe(true)
    expect(await isSame('one: pixels', 4, 'another: pixels', 9)).toBe(false)
    expect(await isSame('one: pixels', 5, 'another: pixel', 9)).toBe(false)
    expect(await isSame('one: pixel', 5, 'another: pixels', 9)).toBe(false)
    expect(await isSame('one: pixels', 5, 'another: pixelz', 9)).toBe(false)
    expect(await isSame('one', 3, 'another', 7)).toBe(true)
  })

  it('is compared in portions, each to the last byte', async () => {
    // Of another content in each portion of 256 KiB.
    const bytes = Array.from({ length: 100_000 }, (_, index) => `${index},`).join('')
    expect(await isSame(`one: ${bytes}`, 5, bytes, 0)).toBe(true)
    expect(await isSame(bytes, 0, `one: ${bytes}`, 5)).toBe(true)
    for (const at of [0, (256 << 10) - 1, 256 << 10, bytes.length - 1])
      expect(await isSame(bytes, 0, `${bytes.slice(0, at)}x${bytes.slice(at + 1)}`, 0)).toBe(false)
    const portion = 'x'.repeat(256 << 10)
    expect(await isSame(portion, 0, portion, 0)).toBe(true)
    expect(await isSame(portion, 0, `${portion}x`, 0)).toBe(false)
  })

  it('is not the same as what cannot be read', async () => {
    using on = stage()
    await on.part.write([Buffer.from('x')])
    const other = openSync(join(on.folder, 'other'), 'w')
    expect(await on.part.isSame(0, other, 0)).toBe(false)
    closeSync(other)
    await on.part.discard()
  })
})

it('a disk that takes nothing of a write is a fault, not an endless loop', async () => {
  using on = stage()
  using _ = vi.spyOn(fs, 'writevSync').mockReturnValueOnce(0)
  expect(await faultOf(on.part.write([Buffer.from('x')]))).toBe(
    'failed: The disk took nothing of what was written.',
  )
  await on.part.discard()
})

// Devices of Linux refuse what a failing disk refuses.
describe('a disk', needing('linux'), () => {
  it('that does not keep what was written is a fault, and is not asked again', async () => {
    using on = stage({}, '/dev/null')
    await on.part.write([Buffer.from('x')])
    expect(await faultOf(on.part.finish())).toBe(
      'failed: The disk for images failed (fsync: EINVAL).',
    )
    expect(on.calls).toEqual(['over'])
    expect(await faultOf(on.part.finish())).toBe(CLOSED)
  })

  it.each([true, false])(
    'that is full is a fault of the write; no other is received: %s',
    async (isAlone) => {
      using on = stage({ isAlone: () => isAlone }, '/dev/full')
      expect(await faultOf(on.part.write([Buffer.from('x')]))).toBe(
        'full: The disk for images is full (write: ENOSPC).',
      )
      expect(on.part.bytes).toBe(0)
      await on.part.discard()
    },
  )
})
