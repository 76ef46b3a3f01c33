import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkSealedFile, openSealedFile, sealFile } from '#server/database/encrypted-file.ts'
import { needing } from '../../../support/needs.ts'
import { tempFolder } from '../../../support/temp-store.ts'

const MIB = 1024 * 1024
const KEY = randomBytes(32)
const PORTION = MIB + 16
const HEAD = 40
/** As the first release sealed MEYER^ANNA under the key 07 07 … 07. */
const FIRST_FILE =
  '49535448534541318e1a9065f652a620380702b1c2d06c658313000082b930d8d830fa3d13c15cda' +
  '6dc61e2497aa0c31ae438ce9cf46a39d720370a2da4d1db798e1'

/** A file of so many bytes, and where its sealed one and what comes out of that one go. */
async function sealed(bytes: number) {
  const temp = tempFolder()
  const pathOf = (name: string) => join(temp.folder, name)
  const [plain, closed, altered, open] = [
    pathOf('plain'),
    pathOf('closed'),
    pathOf('altered'),
    pathOf('open'),
  ]
  writeFileSync(plain, randomBytes(bytes))
  const shares: number[] = []
  const { sha256 } = await sealFile(plain, closed, KEY, (share) => void shares.push(share))
  /** Expects that a copy with changed bytes does not open, and leaves nothing. */
  const changed = async (change: (bytes: Buffer) => Buffer | undefined) => {
    const copy = readFileSync(closed)
    writeFileSync(altered, change(copy) ?? copy)
    const broken = {
      fault: 'seal-broken',
      message: expect.stringMatching(
        /altered is damaged, was changed or was encrypted with another key/,
      ),
    }
    await expect(openSealedFile(altered, open, KEY)).rejects.toMatchObject(broken)
    await expect(checkSealedFile(altered, KEY)).rejects.toMatchObject(broken)
    expect(existsSync(open)).toBe(false)
  }
  return {
    ...temp,
    plain,
    closed,
    altered,
    open,
    sha256,
    shares,
    changed,
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

/** Files of the folder that this process has open. */
function openFilesIn(folder: string): string[] {
  const paths = readdirSync('/proc/self/fd').map((fd) => {
    const link = join('/proc/self/fd', fd)
    // The descriptor that listed the folder is closed by now.
    return existsSync(link) ? readlinkSync(link) : ''
  })
  return paths.filter((path) => path.startsWith(folder))
}

describe('a sealed file', () => {
  it.each([0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, 2 * MIB + 17])(
    'opens to the same %i bytes, for its owner only',
    async (bytes) => {
      using of = await sealed(bytes)
      expect(statSync(of.closed).size).toBe(HEAD + bytes + 16 * Math.max(1, Math.ceil(bytes / MIB)))
      expect(await checkSealedFile(of.closed, KEY)).toEqual({ sha256: of.sha256 })
      expect(await openSealedFile(of.closed, of.open, KEY)).toEqual({ sha256: of.sha256 })
      expect(readFileSync(of.open).equals(readFileSync(of.plain))).toBe(true)
      expect(createHash('sha256').update(readFileSync(of.plain)).digest('hex')).toBe(of.sha256)
      expect(of.shares.at(-1)).toBe(1)
      if (process.platform !== 'win32')
        for (const file of [of.closed, of.open]) expect(statSync(file).mode & 0o777).toBe(0o600)
    },
  )

  it('opens as the first release sealed it', async () => {
    using temp = tempFolder()
    const [closed, open] = [join(temp.folder, 'closed'), join(temp.folder, 'open')]
    writeFileSync(closed, Buffer.from(FIRST_FILE, 'hex'))
    await openSealedFile(closed, open, Buffer.alloc(32, 7))
    expect(readFileSync(open, 'utf8')).toBe('MEYER^ANNA')
  })

  it('reports after each portion which share of the file is done', async () => {
    using of = await sealed(2 * MIB + MIB / 2)
    expect(of.shares).toEqual([0.4, 0.8, 1])
    const [opening, checking]: [number[], number[]] = [[], []]
    await openSealedFile(of.closed, of.open, KEY, (share) => void opening.push(share))
    await checkSealedFile(of.closed, KEY, (share) => void checking.push(share))
    expect(opening.map((share) => share.toFixed(3))).toEqual(['0.400', '0.800', '1.000'])
    expect(checking).toEqual(opening)
  })

  it('is not made of a file that becomes shorter meanwhile', async () => {
    using temp = tempFolder()
    const [plain, closed] = [join(temp.folder, 'plain'), join(temp.folder, 'closed')]
    writeFileSync(plain, Buffer.alloc(2 * MIB))
    await expect(
      sealFile(plain, closed, KEY, () => truncateSync(plain, MIB + 5)),
    ).rejects.toMatchObject({
      fault: 'bad-folder',
      message: expect.stringMatching(/became shorter while it was being read\.$/),
    })
    expect(existsSync(closed)).toBe(false)
  })

  it('is closed by whoever read or wrote it, also after a failure', needing('linux'), async () => {
    using of = await sealed(100)
    await openSealedFile(of.closed, of.open, KEY)
    await expect(openSealedFile(of.closed, of.altered, randomBytes(32))).rejects.toThrow(
      'encrypted with another key',
    )
    await expect(checkSealedFile(of.plain, KEY)).rejects.toThrow('is damaged')
    expect(openFilesIn(of.folder)).toEqual([])
  })

  it('says nothing of what is in it, and is another one each time', async () => {
    using temp = tempFolder()
    const [plain, one, two] = ['plain', 'one', 'two'].map((name) => join(temp.folder, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(plain, Buffer.alloc(100_000, 'NOVAKOVA^ANA'))
    await sealFile(plain, one, KEY)
    await sealFile(plain, two, KEY)
    expect(readFileSync(one).includes('NOVAKOVA')).toBe(false)
    expect(readFileSync(one).equals(readFileSync(two))).toBe(false)
  })

  it('does not open with another key', async () => {
    using of = await sealed(100)
    await expect(openSealedFile(of.closed, of.open, randomBytes(32))).rejects.toMatchObject({
      fault: 'seal-broken',
    })
    expect(existsSync(of.open)).toBe(false)
  })

  it('does not open when any bit of it was flipped', async () => {
    using of = await sealed(MIB + 500)
    for (const at of [
      0,
      8,
      HEAD - 1,
      HEAD,
      HEAD + 5,
      HEAD + MIB,
      HEAD + PORTION,
      HEAD + PORTION + 99,
      -16,
      -1,
    ]) {
      await of.changed((bytes) => {
        const index = at < 0 ? bytes.length + at : at
        bytes[index] = (bytes[index] ?? 0) ^ 4
        return undefined
      })
    }
  })

  it('does not open when it ends too early, also at the end of a portion', async () => {
    using of = await sealed(2 * MIB + 500)
    for (const length of [
      0,
      7,
      HEAD - 1,
      HEAD,
      HEAD + 15,
      HEAD + PORTION,
      HEAD + 2 * PORTION,
      HEAD + 2 * PORTION + 100,
    ])
      await of.changed((bytes) => bytes.subarray(0, length))
  })

  it('does not open when portions changed places, came twice, or something follows it', async () => {
    const parts = (bytes: Buffer) => [
      bytes.subarray(0, HEAD),
      bytes.subarray(HEAD, HEAD + PORTION),
      bytes.subarray(HEAD + PORTION, HEAD + 2 * PORTION),
    ]
    using of = await sealed(2 * MIB)
    for (const order of [
      [0, 2, 1],
      [0, 1, 1, 2],
      [0, 1, 2, 2],
      [0, 2],
    ])
      await of.changed((bytes) =>
        Buffer.concat(order.map((part) => parts(bytes)[part] ?? Buffer.alloc(0))),
      )
    await of.changed((bytes) => Buffer.concat([bytes, Buffer.alloc(1)]))
  })

  it('never takes the place of a file that is there', async () => {
    using of = await sealed(100)
    writeFileSync(of.open, 'somebody else’s')
    await expect(openSealedFile(of.closed, of.open, KEY)).rejects.toMatchObject({
      fault: 'bad-folder',
      message: expect.stringMatching(/open could not be written: EEXIST/),
    })
    expect(readFileSync(of.open, 'utf8')).toBe('somebody else’s')
    await expect(sealFile(join(of.folder, 'none'), join(of.folder, 'new'), KEY)).rejects.toThrow(
      /none could not be read: it does not exist/,
    )
    expect(existsSync(join(of.folder, 'new'))).toBe(false)
  })

  it('leaves nothing behind on a disk that is full, and says so', needing('posix'), () => {
    using temp = tempFolder()
    writeFileSync(join(temp.folder, 'plain'), randomBytes(2 * MIB))
    const writer = join(import.meta.dirname, '../../../support/limited-sealer.ts')
    // Blocks of 512 or 1024 bytes, as the shell has it: less than the file either way.
    const ran = spawnSync(
      'sh',
      ['-c', `ulimit -f 1024; exec "${process.execPath}" "${writer}" "${temp.folder}"`],
      { encoding: 'utf8' },
    )
    expect(JSON.parse(ran.stdout)).toMatchObject({ fault: 'bad-folder', isLeft: false })
    expect(JSON.parse(ran.stdout).message).toMatch(
      /closed could not be written: the file is larger than the disk/,
    )
  })
})
