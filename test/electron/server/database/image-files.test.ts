import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, type TestContext, vi } from 'vitest'
import {
  fileFor,
  hasImages,
  ImageFiles,
  markRestored,
  type PartFile,
  StorageFault,
} from '#server/database/image-files.ts'
import { needing, needs } from '../../../support/needs.ts'
import { hidesOpenFiles, openFilesIn } from '../../../support/open-files.ts'
import { tempFolder } from '../../../support/temp-store.ts'

const STUDY = '1.2.840.1.7'

function stage() {
  const temp = tempFolder()
  const files = new ImageFiles(temp.folder, randomUUID)
  return {
    ...temp,
    files,
    spool: () => readdirSync(join(temp.folder, 'spool')),
    /** What the files in a folder are, whatever their names. */
    inodes: (name: 'spool' | 'spare') =>
      readdirSync(join(temp.folder, name)).map(
        (each) => statSync(join(temp.folder, name, each), { bigint: true }).ino,
      ),
    async kept(bytes: Buffer, file = fileFor(STUDY, randomUUID())) {
      const part = await begun(files, bytes)
      await Promise.all([part.place(file), part.finish()])
      await part.secure()
      return file
    },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

async function begun(files: ImageFiles, ...buffers: Buffer[]): Promise<PartFile> {
  const part = files.begin()
  await part.write(buffers)
  return part
}

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error) => (error instanceof StorageFault ? error.kind : error),
  )
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Error) => error.message,
  )
/** Long enough for what waits for no thread. */
const microtasks = async () => {
  for (let turn = 0; turn < 20; turn++) await null
}

/**
 * Folders whose names `work` made durable while it ran, each with the names in it at that moment.
 * Only on Linux.
 */
function foldersSynced(work: () => void): { readonly folder: string; readonly names: string[] }[] {
  const found: { readonly folder: string; readonly names: string[] }[] = []
  const { fsyncSync } = fs
  const spy = vi.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
    const folder = readlinkSync(`/proc/self/fd/${fd}`)
    found.push({ folder, names: readdirSync(folder) })
    fsyncSync(fd)
  })
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    spy.mockRestore()
    syncBuiltinESMExports()
  }
  return found
}

async function all(names: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = []
  for await (const name of names) found.push(name)
  return found.sort()
}

/** A disk of 1 MiB that is the folder's own. Only an administrator can mount one. */
function smallDisk(
  context: TestContext,
): { folder: string; mount(options: string): void } & Disposable {
  needs(context, 'mounts')
  const temp = tempFolder()
  const mount = (options: string) =>
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', temp.folder]).status).toBe(0)
  mount('size=1m')
  return {
    folder: temp.folder,
    mount,
    [Symbol.dispose]() {
      spawnSync('umount', [temp.folder])
      temp[Symbol.dispose]()
    },
  }
}

describe('a file that is received', () => {
  it('is in the spool until it is kept, then among the images of its study, whole', async () => {
    using on = stage()
    const part = await begun(on.files, Buffer.from('DICM'), Buffer.alloc(0), Buffer.from('one'))
    await part.write([Buffer.from('two')])
    expect([part.bytes, on.spool().length]).toEqual([10, 1])
    const file = fileFor(STUDY, randomUUID())
    await part.finish()
    await part.place(file)
    expect(readFileSync(on.files.pathOf(file), 'latin1')).toBe('DICMonetwo')
    expect(on.files.pathOf(file)).toBe(join(on.folder, 'images', file))
    expect(on.spool()).toEqual([])
  })

  it('is for its owner alone', needing('posix'), async () => {
    using on = stage()
    const path = on.files.pathOf(await on.kept(Buffer.from('x')))
    const modes = [path, dirname(path), join(on.folder, 'images'), join(on.folder, 'spool')].map(
      (each) => statSync(each).mode & 0o777,
    )
    expect(modes).toEqual([0o600, 0o700, 0o700, 0o700])
  })

  it('is written in the order of its buffers, however many there are', async () => {
    using on = stage()
    const buffers = Array.from({ length: 3000 }, (_, index) => Buffer.from(`${index},`))
    const part = await begun(on.files, ...buffers)
    const file = fileFor(STUDY, randomUUID())
    await part.place(file)
    expect(readFileSync(on.files.pathOf(file)).equals(Buffer.concat(buffers))).toBe(true)
  })

  it('is gone when it is discarded, before it was kept or after, and while it is written', async () => {
    using on = stage()
    const part = await begun(on.files, Buffer.from('x'))
    await part.discard()
    await part.discard()
    expect(on.spool()).toEqual([])
    const kept = await begun(on.files, Buffer.from('x'))
    const file = fileFor(STUDY, randomUUID())
    await kept.place(file)
    await kept.discard()
    expect(existsSync(on.files.pathOf(file))).toBe(false)
    const written = on.files.begin()
    const writing = written.write([Buffer.alloc(4 * 1024 * 1024)])
    await written.discard()
    await writing
    expect([written.bytes, on.spool()]).toEqual([4 * 1024 * 1024, []])
    expect(await faultOf(written.write([Buffer.from('x')]))).toBe('failed')
  })

  it('finds its place with many others at once, in folders that are not there yet', async () => {
    using on = stage()
    const studies = Array.from({ length: 40 }, (_, index) =>
      fileFor(`1.2.${index % 8}`, randomUUID()),
    )
    await Promise.all(studies.map((file, index) => on.kept(Buffer.from(String(index)), file)))
    expect(studies.map((file) => readFileSync(on.files.pathOf(file), 'latin1'))).toEqual(
      studies.map((_, index) => String(index)),
    )
  })

  it('finds its place after somebody cleared the folder of its study away', async () => {
    using on = stage()
    rmSync(dirname(dirname(on.files.pathOf(await on.kept(Buffer.from('x'))))), { recursive: true })
    expect(readFileSync(on.files.pathOf(await on.kept(Buffer.from('y'))), 'latin1')).toBe('y')
  })

  it('is renamed at once while no other is received, and on a thread beside others', async () => {
    using on = stage()
    await on.kept(Buffer.from('makes the folder'))
    using renamed = vi.spyOn(fs, 'renameSync')
    const alone = await begun(on.files, Buffer.from('x'))
    await alone.place(fileFor(STUDY, randomUUID()))
    expect(renamed).toHaveBeenCalledTimes(1)
    await alone.finish()
    const [one, other] = [
      await begun(on.files, Buffer.from('y')),
      await begun(on.files, Buffer.from('z')),
    ]
    const file = fileFor(STUDY, randomUUID())
    await one.place(file)
    expect(renamed).toHaveBeenCalledTimes(1)
    expect(readFileSync(on.files.pathOf(file), 'latin1')).toBe('y')
    await Promise.all([one.discard(), other.discard()])
  })

  it('whose rename the disk refuses is not renamed again', async () => {
    using on = stage()
    const part = await begun(on.files, Buffer.from('x'))
    const file = fileFor(STUDY, randomUUID())
    const refused = () => {
      throw Object.assign(new Error('refused'), { code: 'EIO' })
    }
    using _ = vi.spyOn(fs, 'renameSync').mockImplementationOnce(refused)
    expect(await messageOf(part.place(file))).toBe('The disk for images failed (rename: EIO).')
    expect(existsSync(on.files.pathOf(file))).toBe(false)
    await part.discard()
  })

  it('is written on a thread while another one is received', async () => {
    using on = stage()
    const [one, other] = [
      await begun(on.files, Buffer.from('x')),
      await begun(on.files, Buffer.from('y')),
    ]
    const writing = one.write([Buffer.from('z')])
    await microtasks()
    // What a thread has written is counted in a later turn of the event loop.
    expect(one.bytes).toBe(1)
    await writing
    await other.discard()
    const alone = one.write([Buffer.from('z')])
    await microtasks()
    expect(one.bytes).toBe(3)
    await alone
    await one.discard()
  })

  it('is named by nothing that came from the network', () => {
    const uuid = randomUUID()
    expect(fileFor('../../../etc/passwd', uuid)).toMatch(
      new RegExp(`^([0-9a-f]{2})/\\1[0-9a-f]{30}/${uuid}\\.dcm$`),
    )
    expect(dirname(fileFor(STUDY, uuid))).toBe(dirname(fileFor(STUDY, randomUUID())))
    expect(dirname(fileFor(`${STUDY}.1`, uuid))).not.toBe(dirname(fileFor(STUDY, uuid)))
  })
})

/** Files are made ahead on threads, which have to wait on a busy machine. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 5000 })

describe('a file made ahead', () => {
  /** Nothing is made ahead before the first file, so that one is only begun. */
  async function warm(on: ReturnType<typeof stage>): Promise<void> {
    on.files.sweep()
    await (await begun(on.files, Buffer.from('first'))).discard()
    await eventually(() => expect(on.inodes('spare')).toHaveLength(4))
  }

  it('is taken by one that is received alone, and by no other beside it', async () => {
    using on = stage()
    await warm(on)
    const ahead = on.inodes('spare')
    const [alone, beside] = [on.files.begin(), on.files.begin()]
    await Promise.all([alone.write([Buffer.from('x')]), beside.write([Buffer.from('y')])])
    expect(on.inodes('spool').filter((inode) => ahead.includes(inode))).toHaveLength(1)
    await Promise.all([alone.finish(), beside.discard()])
    await eventually(() => expect(on.inodes('spare')).toHaveLength(4))
    const next = on.inodes('spare')
    await on.files.begin().write([Buffer.from('z')])
    expect(on.inodes('spool').filter((inode) => next.includes(inode))).toHaveLength(1)
    on.files.close()
  })

  it('has what is written to it before the next turn of the event loop', async () => {
    using on = stage()
    await warm(on)
    const part = on.files.begin()
    const writing = part.write([Buffer.from('x')])
    await microtasks()
    expect(on.spool().map((name) => statSync(join(on.folder, 'spool', name)).size)).toEqual([1])
    expect(part.bytes).toBe(1)
    await writing
    await part.discard()
    on.files.close()
  })

  it('is dropped where it cannot be put into the spool, which is made anew', async () => {
    using on = stage()
    await warm(on)
    const spare = () => readdirSync(join(on.folder, 'spare'))
    const ahead = spare()
    rmSync(join(on.folder, 'spool'), { recursive: true })
    const part = await begun(on.files, Buffer.from('x'))
    expect(on.spool()).toHaveLength(1)
    expect(spare().filter((name) => ahead.includes(name))).toHaveLength(3)
    await part.discard()
    on.files.close()
    if (!hidesOpenFiles) await eventually(() => expect(openFilesIn(on.folder)).toEqual([]))
  })

  it('goes with the end of the run, and one that an earlier run left with the next start', async () => {
    using on = stage()
    await warm(on)
    on.files.close()
    await eventually(() => expect(on.inodes('spare')).toEqual([]))
    writeFileSync(join(on.folder, 'spare', 'old'), '')
    new ImageFiles(on.folder, randomUUID).sweep()
    expect(on.inodes('spare')).toEqual([])
  })
})

describe('a kept file', () => {
  it('is made durable again without being left open', async () => {
    using on = stage()
    const file = await on.kept(Buffer.from('x'))
    await on.files.secure(file)
    if (!hidesOpenFiles) expect(openFilesIn(join(on.folder, 'images'))).toEqual([])
    expect(await messageOf(on.files.secure(fileFor(STUDY, randomUUID())))).toBe(
      'The disk for images failed (fsync: ENOENT).',
    )
  })

  it('that the disk does not keep is a fault', needing('linux'), async () => {
    using on = stage()
    const file = await on.kept(Buffer.from('x'))
    rmSync(on.files.pathOf(file))
    symlinkSync('/dev/null', on.files.pathOf(file))
    expect(await messageOf(on.files.secure(file))).toBe(
      'The disk for images failed (fsync: EINVAL).',
    )
  })

  it('has no durable name where its folder is gone', needing('posix'), async () => {
    using on = stage()
    const part = await begun(on.files, Buffer.from('x'))
    const file = fileFor(STUDY, randomUUID())
    await part.place(file)
    rmSync(dirname(on.files.pathOf(file)), { recursive: true })
    expect(await messageOf(part.secure())).toBe('The disk for images failed (fsync: ENOENT).')
  })

  it('that cannot be removed is a fault', async () => {
    using on = stage()
    const file = fileFor(STUDY, randomUUID())
    mkdirSync(on.files.pathOf(file), { recursive: true })
    expect(await messageOf(on.files.remove(file))).toMatch(/ \(unlink: E[A-Z]+\)\.$/)
  })
})

describe('two data sets', () => {
  const BODY = Buffer.alloc(700_000, 'pixels')

  it('are the same where all their bytes are, whatever stands before them', async () => {
    using on = stage()
    const file = await on.kept(Buffer.concat([Buffer.from('our preamble'), BODY]))
    const part = await begun(on.files, Buffer.from('another'), BODY)
    expect(await on.files.sameDataSet(part, 7, file, 12)).toBe(true)
  })

  it('differ in one byte, in their length, or where one cannot be read', async () => {
    using on = stage()
    const file = await on.kept(Buffer.concat([Buffer.from('our preamble'), BODY]))
    const changed = Buffer.from(BODY)
    changed[699_999] = 0
    const same = async (bytes: Buffer, offset = 12) =>
      on.files.sameDataSet(await begun(on.files, bytes), 0, file, offset)
    expect([
      await same(BODY),
      await same(changed),
      await same(BODY.subarray(1)),
      await same(BODY.subarray(1), 13),
    ]).toEqual([...[true, false, false, true]])
    expect(await same(BODY.subarray(0, -1))).toBe(false)
    if (!hidesOpenFiles) expect(openFilesIn(join(on.folder, 'images'))).toEqual([])
    expect(
      await on.files.sameDataSet(await begun(on.files, BODY), 0, fileFor(STUDY, randomUUID()), 12),
    ).toBe(false)
  })

  it('differ where the kept one is shorter than what was received, whatever is left of that', async () => {
    using on = stage()
    const file = await on.kept(BODY)
    const part = await begun(on.files, BODY)
    const [name = ''] = on.spool()
    for (const path of [on.files.pathOf(file), join(on.folder, 'spool', name)])
      truncateSync(path, 10)
    expect(await on.files.sameDataSet(part, 0, file, 0)).toBe(false)
    await part.discard()
  })

  it('are compared in other folders too', async () => {
    using on = stage()
    const file = await on.kept(Buffer.concat([Buffer.from('our preamble'), BODY]))
    const path = join(on.folder, 'other')
    const same = (bytes: Buffer, offset: number) => {
      writeFileSync(path, bytes)
      return on.files.sameBytes(path, offset, file, 12)
    }
    const changed = Buffer.from(BODY)
    changed[300_000] = 0
    expect(await same(Buffer.concat([Buffer.from('another'), BODY]), 7)).toBe(true)
    expect(await same(BODY, 0)).toBe(true)
    expect(await same(changed, 0)).toBe(false)
    expect(await same(BODY.subarray(0, -1), 0)).toBe(false)
    expect(await same(Buffer.concat([BODY, Buffer.from('x')]), 0)).toBe(false)
    expect(await on.files.sameBytes(path, 0, fileFor(STUDY, randomUUID()), 0)).toBe(false)
    await expect(on.files.sameBytes(join(on.folder, 'missing'), 0, file, 0)).rejects.toThrow(
      'ENOENT',
    )
    if (!hidesOpenFiles) expect(openFilesIn(on.folder)).toEqual([])
  })
})

describe('a part of another kind', () => {
  it('is not compared', async () => {
    using on = stage()
    const other = { bytes: 0 } as PartFile
    await expect(on.files.sameDataSet(other, 0, fileFor(STUDY, randomUUID()), 0)).rejects.toThrow(
      new TypeError('Only a file that was begun here can be compared'),
    )
  })
})

describe('the recovery folder', () => {
  const uuidOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  /**
   * Folders that are opened to be synced while `work` runs, and whether `there` was there by then.
   */
  async function foldersOpened(
    there: string,
    work: () => Promise<unknown>,
  ): Promise<[string, boolean][]> {
    const opened: [string, boolean][] = []
    const { openSync } = fs
    using _ = vi.spyOn(fs, 'openSync').mockImplementation((path, ...rest) => {
      opened.push([String(path), existsSync(there)])
      return openSync(path, ...rest)
    })
    await work()
    return opened
  }

  it('takes a file of the images and gives it back, the new name durable before the old one goes', async () => {
    using on = stage()
    const file = await on.kept(Buffer.from('x'))
    const [image, own] = [on.files.pathOf(file), on.files.recovery.pathOf(file)]
    expect(own).toBe(join(on.folder, 'recovery', file))
    const moved = await foldersOpened(own, async () =>
      expect(await on.files.recovery.move(file)).toBe(file),
    )
    expect([existsSync(image), readFileSync(own, 'latin1')]).toEqual([false, 'x'])
    expect([...on.files.recovery.files()]).toEqual([file])
    const to = fileFor('1.3', uuidOf(1))
    const back = await foldersOpened(on.files.pathOf(to), () => on.files.recovery.putBack(file, to))
    expect([existsSync(own), readFileSync(on.files.pathOf(to), 'latin1')]).toEqual([false, 'x'])
    expect([...on.files.recovery.files()]).toEqual([])
    if (process.platform !== 'win32') {
      expect(moved.slice(-2)).toEqual([
        [dirname(own), true],
        [dirname(image), true],
      ])
      expect(back.slice(-2)).toEqual([
        [dirname(on.files.pathOf(to)), true],
        [dirname(own), true],
      ])
      expect(statSync(join(on.folder, 'recovery')).mode & 0o777).toBe(0o700)
    }
    if (!hidesOpenFiles) expect(openFilesIn(on.folder)).toEqual([])
  })

  it('never replaces a file: a second one of a name gets another, one whose place is taken stays', async () => {
    using on = stage()
    const file = await on.kept(Buffer.from('first'))
    await on.files.recovery.move(file)
    await on.kept(Buffer.from('second'), file)
    const other = await on.files.recovery.move(file)
    expect(other).toMatch(
      /^[0-9a-f]{2}\/[0-9a-f]{32}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.dcm$/,
    )
    expect(dirname(other)).toBe(dirname(file))
    const contentOf = (name: string) => readFileSync(on.files.recovery.pathOf(name), 'latin1')
    expect([contentOf(file), contentOf(other)]).toEqual(['first', 'second'])
    expect([...on.files.recovery.files()]).toEqual([file, other].sort())
    const kept = await on.kept(Buffer.from('kept'))
    expect(await messageOf(on.files.recovery.putBack(file, kept))).toBe(
      'A file of this name is there already.',
    )
    expect(await faultOf(on.files.recovery.putBack(file, kept))).toBe('failed')
    expect([contentOf(file), readFileSync(on.files.pathOf(kept), 'latin1')]).toEqual([
      'first',
      'kept',
    ])
  })

  it('is made anew where somebody has removed it', async () => {
    using on = stage()
    await on.files.recovery.move(await on.kept(Buffer.from('x')))
    rmSync(join(on.folder, 'recovery'), { recursive: true })
    const file = await on.files.recovery.move(await on.kept(Buffer.from('y')))
    expect(readFileSync(on.files.recovery.pathOf(file), 'latin1')).toBe('y')
    rmSync(join(on.folder, 'images'), { recursive: true })
    await on.files.recovery.putBack(file, file)
    expect(readFileSync(on.files.pathOf(file), 'latin1')).toBe('y')
  })

  it('takes no file whose bytes the disk does not keep', needing('linux'), async () => {
    using on = stage()
    const file = await on.kept(Buffer.from('x'))
    rmSync(on.files.pathOf(file))
    symlinkSync('/dev/null', on.files.pathOf(file))
    expect(await messageOf(on.files.recovery.move(file))).toBe(
      'The disk for images failed (rename: EINVAL).',
    )
    expect(existsSync(on.files.pathOf(file))).toBe(true)
    expect([...on.files.recovery.files()]).toEqual([])
    const missing = fileFor(STUDY, randomUUID())
    expect(await messageOf(on.files.recovery.move(missing))).toBe(
      'The disk for images failed (rename: ENOENT).',
    )
    expect(await messageOf(on.files.recovery.putBack(missing, missing))).toBe(
      'The disk for images failed (rename: ENOENT).',
    )
  })

  it('names its files in order, also those after one, and reads no folder before that one', () => {
    using on = stage()
    expect([...on.files.recovery.files()]).toEqual([])
    const studies = ['00', '7f', 'c1'].map((group) => `${group}/${group}${'0'.repeat(30)}`)
    const files = studies.flatMap((study) => [1, 2, 3].map((n) => `${study}/${uuidOf(n)}.dcm`))
    const notOurs = [
      `${studies[0]}/README`,
      `${studies[0]}/x${uuidOf(1)}.dcm`,
      `00/lost+found/${uuidOf(1)}.dcm`,
      `x/${'0'.repeat(32)}/${uuidOf(1)}.dcm`,
    ]
    // Folders list files in the order of their making, or in its reverse: this is neither.
    const made = [1, 4, 7, 2, 5, 8, 0, 3, 6].map((index) => files[index] ?? '')
    for (const file of [...made, ...notOurs]) {
      mkdirSync(dirname(on.files.recovery.pathOf(file)), { recursive: true })
      writeFileSync(on.files.recovery.pathOf(file), '')
    }
    expect([...on.files.recovery.files()]).toEqual(files)
    for (const [index, file] of files.entries())
      expect([...on.files.recovery.files(file)]).toEqual(files.slice(index + 1))
    using read = vi.spyOn(fs, 'readdirSync')
    expect([...on.files.recovery.files(files[4])]).toEqual(files.slice(5))
    const foldersRead = read.mock.calls.map(([path]) => basename(String(path)))
    expect(foldersRead).toEqual(
      expect.arrayContaining(studies.slice(1).map((study) => basename(study))),
    )
    expect(foldersRead).not.toContain(basename(studies[0] ?? ''))
  })

  it('loses a file once a person has discarded it', async () => {
    using on = stage()
    const file = await on.files.recovery.move(await on.kept(Buffer.from('x')))
    await on.files.recovery.remove(file)
    await on.files.recovery.remove(file)
    expect([...on.files.recovery.files()]).toEqual([])
    mkdirSync(on.files.recovery.pathOf(file))
    expect(await messageOf(on.files.recovery.remove(file))).toMatch(/ \(unlink: E[A-Z]+\)\.$/)
  })
})

describe('the folders', () => {
  it('hold images once a file of one is in them', async () => {
    using on = stage()
    expect(hasImages(on.folder)).toBe(false)
    on.files.sweep()
    expect(hasImages(on.folder)).toBe(false)
    await on.kept(Buffer.from('x'))
    expect(hasImages(on.folder)).toBe(true)
  })

  it('say durably, before the first image, that a run has begun', needing('linux'), () => {
    using on = stage()
    const images = join(on.folder, 'images')
    expect(foldersSynced(() => on.files.sweep())).toEqual([{ folder: images, names: ['.open'] }])
    expect(statSync(join(images, '.open')).mode & 0o777).toBe(0o600)
  })

  it('are swept also where an unfinished file is gone meanwhile', () => {
    using on = stage()
    on.files.sweep()
    const { readdirSync: real } = fs
    const withOneMore = (path: fs.PathLike) => [...real(path), 'gone.part'] as never
    using _ = vi.spyOn(fs, 'readdirSync').mockImplementation(withOneMore)
    expect(on.files.sweep()).toEqual({ parts: 2, wasInterrupted: true })
  })

  it('lose what an earlier run left unfinished, and nothing else', async () => {
    using on = stage()
    expect(on.files.sweep()).toEqual({ parts: 0, wasInterrupted: false })
    const file = await on.kept(Buffer.from('x'))
    await begun(on.files, Buffer.from('half'))
    writeFileSync(join(on.folder, 'spool', 'note.txt'), 'mine')
    const next = new ImageFiles(on.folder, randomUUID)
    expect(next.sweep()).toEqual({ parts: 1, wasInterrupted: true })
    next.close()
    expect(new ImageFiles(on.folder, randomUUID).sweep()).toEqual({
      parts: 0,
      wasInterrupted: false,
    })
    expect([on.spool(), existsSync(on.files.pathOf(file))]).toEqual([['note.txt'], true])
  })

  it('name the kept files that no row names, and no file that is not ours', async () => {
    using on = stage()
    expect(await all(on.files.orphans(() => false, 0))).toEqual([])
    const [a = '', b = '', c = ''] = [
      await on.kept(Buffer.from('a')),
      await on.kept(Buffer.from('b')),
      await on.kept(Buffer.from('c'), fileFor('1.3', randomUUID())),
    ]
    writeFileSync(join(dirname(on.files.pathOf(a)), 'README'), 'mine')
    mkdirSync(join(on.folder, 'images', 'lost+found'))
    // Folders of other names, with files that would be ours by theirs.
    const [group = '', study = '', name = ''] = a.split('/')
    for (const folder of [
      `x${group}/${study}`,
      `${group}x/${study}`,
      `${group}/x${study}`,
      `${group}/${study}x`,
    ]) {
      mkdirSync(join(on.folder, 'images', folder), { recursive: true })
      writeFileSync(join(on.folder, 'images', folder, name), 'not ours')
    }
    for (const other of [`x${name}`, `${name}x`])
      writeFileSync(join(dirname(on.files.pathOf(a)), other), 'not ours')
    expect(await all(on.files.orphans((file) => file === b, 0))).toEqual([a, c].sort())
    await on.files.remove(a)
    await on.files.remove(a)
    expect(await all(on.files.orphans((file) => file === b, 0))).toEqual([c])
  })

  it('are not looked through again where nothing changed since', async () => {
    using on = stage()
    const file = await on.kept(Buffer.from('a'))
    const path = dirname(on.files.pathOf(file))
    await all(on.files.orphans(() => true, 0))
    const longAgo = Date.now() / 1000 - 2 * 24 * 60 * 60
    utimesSync(path, longAgo, longAgo)
    expect(await all(on.files.orphans(() => false, 0))).toEqual([])
    const marker = join(on.folder, 'images', '.swept')
    const inTheFuture = Date.now() / 1000 + 1000
    utimesSync(marker, inTheFuture, inTheFuture)
    expect(await all(on.files.orphans(() => false, 0))).toEqual([file])
  })

  it('are all looked through for an older database, also what has not changed since', async () => {
    using on = stage()
    const file = await on.kept(Buffer.from('a'))
    const longAgo = Date.now() / 1000 - 2 * 24 * 60 * 60
    utimesSync(dirname(on.files.pathOf(file)), longAgo, longAgo)
    await all(on.files.orphans(() => true, 7))
    expect(await all(on.files.orphans(() => false, 7))).toEqual([])
    expect(await all(on.files.orphans(() => false, 6))).toEqual([file])
    const marker = join(on.folder, 'images', '.swept')
    if (process.platform !== 'win32') expect(statSync(marker).mode & 0o777).toBe(0o600)
    // Earlier versions wrote no id.
    writeFileSync(marker, '')
    utimesSync(marker, Date.now() / 1000 - 60, Date.now() / 1000 - 60)
    expect(await all(on.files.orphans(() => false, 0))).toEqual([])
  })

  it('are looked through again where they changed in the day before the last time, to the moment', async () => {
    using on = stage()
    const file = await on.kept(Buffer.from('a'))
    const [path, marker] = [dirname(on.files.pathOf(file)), join(on.folder, 'images', '.swept')]
    const [now, day] = [1_767_225_600, 24 * 60 * 60]
    vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 })
    try {
      writeFileSync(marker, '0')
      utimesSync(marker, now, now)
      utimesSync(path, now - day - 1, now - day - 1)
      expect(await all(on.files.orphans(() => false, 0))).toEqual([])
      expect(statSync(marker).mtimeMs).toBe(now * 1000)
      utimesSync(path, now - day, now - day)
      expect(await all(on.files.orphans(() => false, 0))).toEqual([file])
    } finally {
      vi.useRealTimers()
    }
  })

  it('name a file whose time was lost as one that no row names, where no database was put back', async () => {
    using on = stage()
    const file = await on.kept(Buffer.from('a'))
    utimesSync(on.files.pathOf(file), 0, 0)
    expect(await all(on.files.restoredOrphans(() => false))).toEqual([])
    expect(await all(on.files.orphans(() => false, 0))).toEqual([file])
  })

  it('can be written to, and tell how much room there is', () => {
    using on = stage()
    expect(on.files.isWritable()).toBe(true)
    expect([on.spool(), readdirSync(join(on.folder, 'images'))]).toEqual([[], []])
    const { freeBytes, totalBytes } = on.files.space()
    expect(freeBytes).toBeGreaterThan(0)
    expect(totalBytes).toBeGreaterThanOrEqual(freeBytes)
  })
})

describe('images from before an older database was put back', () => {
  const HOUR = 60 * 60
  /** By the clock of the file system, which a test that shifts `Date` does not shift. */
  const now = () => {
    using temp = tempFolder()
    return statSync(temp.folder).mtimeMs / 1000
  }
  const setTime = (path: string, at: number) => utimesSync(path, at, at)

  it('are named as such, of a study the oldest first, and as orphans only once all are adopted', async () => {
    using on = stage()
    const old = [
      await on.kept(Buffer.from('a')),
      await on.kept(Buffer.from('b')),
      await on.kept(Buffer.from('c')),
    ]
    const known = await on.kept(Buffer.from('known'))
    const later = await on.kept(Buffer.from('later'))
    // No order in which a folder may name them: not that of their making, nor its reverse.
    for (const [index, hours] of [2, 3, 1].entries())
      setTime(on.files.pathOf(old[index] ?? ''), now() - hours * HOUR)
    setTime(on.files.pathOf(later), now() + HOUR)
    markRestored(on.folder)
    const isKnown = (file: string) => file === known
    const inOrder: string[] = []
    for await (const file of on.files.restoredOrphans(isKnown)) inOrder.push(file)
    expect(inOrder).toEqual([old[1], old[0], old[2]])
    expect(await all(on.files.orphans(isKnown, 0))).toEqual([later])
    on.files.finishOrphanImport()
    on.files.finishOrphanImport()
    expect(await all(on.files.restoredOrphans(isKnown))).toEqual([])
    expect(await all(on.files.orphans(isKnown, 0))).toEqual([...old, later].sort())
  })

  it('are those that were kept before the last start, to the moment', async () => {
    using on = stage()
    markRestored(on.folder)
    const marker = join(on.folder, 'images', '.restored')
    setTime(marker, now() - HOUR)
    const file = await on.kept(Buffer.from('a'))
    expect(await all(on.files.restoredOrphans(() => false))).toEqual([])
    expect(await all(on.files.orphans(() => false, 0))).toEqual([file])
    on.files.sweep()
    expect(await all(on.files.restoredOrphans(() => false))).toEqual([file])
    expect(await all(on.files.orphans(() => false, 0))).toEqual([])
    const since = statSync(marker).mtimeMs / 1000
    expect(Math.abs(since - now())).toBeLessThan(HOUR)
    setTime(marker, 1_700_000_000)
    setTime(on.files.pathOf(file), 1_700_000_000)
    expect(await all(on.files.restoredOrphans(() => false))).toEqual([file])
    expect(await all(on.files.orphans(() => false, 0))).toEqual([])
  })

  it('are marked durably', needing('linux'), () => {
    using temp = tempFolder()
    const images = join(temp.folder, 'images')
    expect(foldersSynced(() => markRestored(temp.folder))).toEqual([
      { folder: images, names: ['.compare', '.restored'] },
    ])
  })

  it('are marked also where the images are still to be fetched, for the owner alone', () => {
    using temp = tempFolder()
    markRestored(temp.folder)
    markRestored(temp.folder)
    const [images, marker] = [join(temp.folder, 'images'), join(temp.folder, 'images', '.restored')]
    expect(readFileSync(marker, 'utf8')).toBe('')
    if (process.platform !== 'win32')
      expect([images, marker].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
  })
})

describe('a disk', () => {
  it('that is missing is a fault of what is asked of it', () => {
    using temp = tempFolder()
    const faultIn = (work: () => unknown) => {
      try {
        work()
      } catch (error) {
        return (error as Error).message
      }
      return 'none'
    }
    expect(faultIn(() => new ImageFiles(join(temp.folder, 'nowhere'), randomUUID).space())).toBe(
      'The disk for images failed (statfs: ENOENT).',
    )
    writeFileSync(join(temp.folder, 'spool'), 'a file where the folder should be')
    expect(faultIn(() => new ImageFiles(temp.folder, randomUUID).sweep())).toBe(
      'The disk for images failed (sweep: ENOTDIR).',
    )
    expect(new ImageFiles(temp.folder, randomUUID).isWritable()).toBe(false)
  })

  it('has as much room as its file system says', (context) => {
    using disk = smallDisk(context)
    expect(new ImageFiles(disk.folder, randomUUID).space()).toEqual({
      freeBytes: 1 << 20,
      totalBytes: 1 << 20,
    })
  })

  it('that is full says so, and takes images again when there is room', async (context) => {
    using disk = smallDisk(context)
    const files = new ImageFiles(disk.folder, randomUUID)
    const part = files.begin()
    const chunk = [Buffer.alloc(300_000, 1), Buffer.alloc(300_000, 2)]
    await part.write(chunk)
    expect(await faultOf(part.write(chunk))).toBe('full')
    // What there was room for has been written.
    expect(part.bytes).toBeGreaterThan(600_000)
    expect(files.space().freeBytes).toBe(0)
    await part.discard()
    const file = fileFor(STUDY, randomUUID())
    const next = await begun(files, ...chunk)
    await next.place(file)
    await next.finish()
    expect(readFileSync(files.pathOf(file)).equals(Buffer.concat(chunk))).toBe(true)
  })

  it('that turned read-only says so, before and amid a file', async (context) => {
    using disk = smallDisk(context)
    const files = new ImageFiles(disk.folder, randomUUID)
    const part = await begun(files, Buffer.from('x'))
    await part.finish()
    // A file that is open for writing keeps the whole disk writable: the one of `part` is closed by
    // keeping it.
    const file = fileFor(STUDY, randomUUID())
    await part.place(file)
    disk.mount('remount,ro')
    expect(await faultOf(files.begin().write([Buffer.from('x')]))).toBe('read-only')
    expect(files.isWritable()).toBe(false)
    expect(await faultOf(files.remove(file))).toBe('read-only')
    expect(existsSync(files.pathOf(file))).toBe(true)
  })

  it(
    'that takes no larger file is full, after a write that was cut short',
    needing('posix'),
    () => {
      using temp = tempFolder()
      const writer = join(import.meta.dirname, '../../../support/limited-writer.ts')
      // 600 or 300 KiB: the unit of the limit differs between shells.
      const run = spawnSync(
        'sh',
        ['-c', `ulimit -f 600; exec "$0" "$@"`, process.execPath, writer, temp.folder],
        { encoding: 'utf8' },
      )
      const { kind, bytes } = JSON.parse(run.stdout)
      expect(kind).toBe('full')
      expect([600 * 512, 600 * 1024]).toContain(bytes)
      expect(readdirSync(join(temp.folder, 'spool'))).toEqual([])
    },
  )

  it('is not told of by its path', async () => {
    using on = stage()
    writeFileSync(join(on.folder, 'images'), 'a file where the folder should be')
    const fault = await (await begun(on.files, Buffer.from('x')))
      .place(fileFor(STUDY, randomUUID()))
      .catch((error: unknown) => error as StorageFault)
    expect(fault).toBeInstanceOf(StorageFault)
    expect([(fault as StorageFault).kind, (fault as StorageFault).message]).toEqual([
      'failed',
      'The disk for images failed (rename: ENOTDIR).',
    ])
  })
})
