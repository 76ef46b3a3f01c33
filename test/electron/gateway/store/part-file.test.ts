import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StorageFault } from '#gateway/store/disk-fault.ts'
import { Part, type Places } from '#gateway/store/part-file.ts'
import { hidesOpenFiles, openFilesIn } from '../../../support/open-files.ts'
import { tempFolder } from '../../../support/temp-store.ts'

/** A part at `path` with a descriptor of its own, or of `device`; the calls of its places in order. */
function stage(places: Partial<Places> = {}, device?: string) {
  const temp = tempFolder()
  const path = join(temp.folder, 'x.part')
  const calls: string[] = []
  const part = new Part(path, Promise.resolve(device ? openSync(device, 'w') : openSync(path, 'wx+')), {
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
  })
  return { ...{ part, path, calls, folder: temp.folder }, [Symbol.dispose]: () => temp[Symbol.dispose]() }
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
      await on.part.write([Buffer.alloc(4 << 20, 1)])
      await on.part.write([Buffer.from('end')])
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
    expect(await faultOf(on.part.place('kept.dcm'))).toBe('failed: The disk for images failed (rename: EIO).')
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
    const places = { move: failing, sync: failing, isAlone: () => true, over: () => {}, pathOf: (file: string) => file }
    const part = new Part('/nowhere/x.part', Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })), places)
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
      ...{ move: failing, sync: failing, isAlone: () => true, over: () => {}, pathOf: (file) => file },
    })
    await part.write([Buffer.from('!')])
    const other = openSync(on.path, 'r')
    expect(await faultOf(part.isSame(0, other, 0))).toBe('failed: The disk for images failed (read: EBADF).')
    closeSync(other)
    await part.discard()
  })
})

// Devices of Linux refuse what a failing disk refuses.
describe.skipIf(process.platform !== 'linux')('a disk', () => {
  it('that does not keep what was written is a fault, and is not asked again', async () => {
    using on = stage({}, '/dev/null')
    await on.part.write([Buffer.from('x')])
    expect(await faultOf(on.part.finish())).toBe('failed: The disk for images failed (fsync: EINVAL).')
    expect(on.calls).toEqual(['over'])
    expect(await faultOf(on.part.finish())).toBe(CLOSED)
  })

  it.each([true, false])('that is full is a fault of the write; no other is received: %s', async (isAlone) => {
    using on = stage({ isAlone: () => isAlone }, '/dev/full')
    expect(await faultOf(on.part.write([Buffer.from('x')]))).toBe('full: The disk for images is full (write: ENOSPC).')
    expect(on.part.bytes).toBe(0)
    await on.part.discard()
  })
})
