import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  THUMBNAIL_LIMITS,
  ThumbnailRenderer,
  ThumbnailsBusyError,
} from '#server/dicom/thumbnails/thumbnail-renderer.ts'
import { tempFolder } from '../../../../support/temp-store.ts'
import { fileOf, IMAGE, uint16 } from '../pixel-data/viewed-file-fixture.ts'

const SMALL = fileOf({ ...IMAGE, PixelData: Buffer.alloc(24, 7) })

function openFolder() {
  const folder = tempFolder()
  const write = (name: string, bytes: Buffer) => {
    const path = join(folder.folder, name)
    writeFileSync(path, bytes)
    return path
  }
  return { write, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

describe('the renderer of thumbnails', () => {
  it('renders one after the other, and says which have none', async () => {
    using folder = openFolder()
    await using renderer = new ThumbnailRenderer()
    const good = folder.write('good.dcm', SMALL)
    const bad = folder.write('bad.dcm', Buffer.from('nothing'))
    const [one, none, two] = await Promise.all(
      [good, bad, good].map((path) => renderer.render(path)),
    )
    expect(one?.slice(1, 4)).toEqual(Uint8Array.from(Buffer.from('PNG')))
    expect(two).toEqual(one)
    expect(none).toBeNull()
    await expect(renderer.render(join(bad, 'missing'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  it('gives up on an image that takes too long, and renders the next', async () => {
    using folder = openFolder()
    const side = 4000
    const large = folder.write(
      'large.dcm',
      fileOf({
        ...{ ...IMAGE, Rows: uint16(side), Columns: uint16(side) },
        PixelData: Buffer.alloc(side * side),
      }),
    )
    await using impatient = new ThumbnailRenderer({ ...THUMBNAIL_LIMITS, seconds: 0.001 })
    expect(await impatient.render(large)).toBeNull()
    await using renderer = new ThumbnailRenderer()
    expect(await renderer.render(large)).not.toBeNull()
  })

  it('refuses more than may wait', async () => {
    using folder = openFolder()
    await using renderer = new ThumbnailRenderer({ ...THUMBNAIL_LIMITS, waiting: 1 })
    const path = folder.write('small.dcm', SMALL)
    const [first, second] = [renderer.render(path), renderer.render(path)]
    await expect(renderer.render(path)).rejects.toThrow(ThumbnailsBusyError)
    expect(await first).not.toBeNull()
    expect(await second).not.toBeNull()
  })

  it('ends its thread when nothing was asked for, and starts another one', async () => {
    using folder = openFolder()
    await using renderer = new ThumbnailRenderer({ ...THUMBNAIL_LIMITS, idleSeconds: 0 })
    const path = folder.write('small.dcm', SMALL)
    expect(await renderer.render(path)).not.toBeNull()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await renderer.render(path)).not.toBeNull()
  })

  it('refuses what waits when it is closed', async () => {
    using folder = openFolder()
    const renderer = new ThumbnailRenderer()
    const path = folder.write('small.dcm', SMALL)
    const asked = Promise.allSettled([renderer.render(path), renderer.render(path)])
    await renderer[Symbol.asyncDispose]()
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(renderer.render(path)).rejects.toThrow(ThumbnailsBusyError)
  })
})
