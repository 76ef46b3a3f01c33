import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { oldestViewFiles, putViewFile } from '#server/modules/viewer/queries.ts'
import {
  dicomFile,
  dicomFiles,
  listedOf,
  never,
  openView,
  openViewing,
  STUDY,
  uidOf,
  type Viewing,
} from './viewing-fixture.ts'

const filesOf = ({ folder }: Pick<Viewing, 'folder'>): string[] => {
  const views = join(folder, 'cache', 'views')
  if (!existsSync(views)) return []
  return readdirSync(views, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  )
}
const rowsOf = ({ store }: Viewing) => oldestViewFiles(store.database, 100)
const bytesOf = (viewing: Viewing) => rowsOf(viewing).reduce((sum, { bytes }) => sum + bytes, 0)
const ranges = ({ host }: Viewing) => host.requests.map(({ headers }) => headers['if-none-match'])

describe('the files of partners on disk', () => {
  it('are used by a later view once their host says that they are the same', async () => {
    const viewing = await openViewing(dicomFiles(3))
    await viewing.listed()
    const images = await viewing.restart()
    const known = viewing.host.requests.length
    const later = openView()
    expect((await listedOf(images, later)).instances.size).toBe(3)
    expect(
      viewing.host.requests
        .slice(known)
        .every(({ headers }) => headers['if-none-match'] !== undefined),
    ).toBe(true)
    expect(filesOf(viewing)).toHaveLength(3)
    expect((await images.frame(later, uidOf(2), 1, never())).body).toHaveLength(512)
  })

  it('are replaced where the host has others, and the old ones go', async () => {
    const viewing = await openViewing(dicomFiles(1))
    await viewing.listed()
    const images = await viewing.restart()
    viewing.host.files['/1'] = dicomFile({ sopInstanceUid: uidOf(1), size: 32 })
    const later = openView()
    const page = await listedOf(images, later)
    expect(page.instances.get(uidOf(1))?.image).toMatchObject({ rows: 32 })
    expect((await images.frame(later, uidOf(1), 1, never())).body).toHaveLength(2048)
    await viewing.restart()
    expect(filesOf(viewing)).toHaveLength(1)
    expect(bytesOf(viewing)).toBe(dicomFile({ size: 32 }).length)
  })

  it('are fetched again where they were deleted behind our back', async () => {
    const viewing = await openViewing(dicomFiles(1))
    await viewing.listed()
    const images = await viewing.restart()
    // After the look at the start.
    await listedOf(images, openView({ studyInstanceUid: '2.25.9' }))
    rmSync(join(viewing.folder, 'cache'), { recursive: true })
    const view = openView()
    expect((await listedOf(images, view)).instances.size).toBe(1)
    rmSync(join(viewing.folder, 'cache'), { recursive: true })
    images.end(viewing.view.viewId)
    expect((await images.frame(view, uidOf(1), 1, never())).body).toHaveLength(512)
  })

  it('are never used where their host gives nothing to ask by', async () => {
    const file = dicomFile()
    const viewing = await openViewing({ '/1': (_request, response) => void response.end(file) })
    await viewing.listed()
    await listedOf(await viewing.restart(), openView())
    expect(ranges(viewing)).toEqual([undefined, undefined])
  })

  it('make room: first those that no view has open, the one not used for longest before the others', async () => {
    const size = dicomFile().length
    const viewing = await openViewing(dicomFiles(6), { cacheBytes: 5 * size + 100 })
    const url = viewing.host.urlOf
    viewing.answer = () => ({ urls: ['/1', '/2'].map(url) })
    await viewing.listed()
    viewing.images.end(viewing.view.viewId)
    viewing.clock.pass(60_000)
    const open = openView()
    viewing.answer = () => ({ urls: ['/3', '/4'].map(url) })
    await listedOf(viewing.images, open)
    viewing.clock.pass(60_000)
    viewing.answer = () => ({ urls: ['/5', '/6'].map(url) })
    await listedOf(viewing.images, openView())
    await viewing.restart()
    await expect.poll(() => bytesOf(viewing)).toBeLessThanOrEqual(5 * size + 100)
    expect(filesOf(viewing)).toHaveLength(5)
    expect(rowsOf(viewing)[0]?.usedAt).toBe('2026-03-10T09:00:00.000Z')
  })

  it('of a view that is larger than the room go themselves, and are fetched again when they are looked at', async () => {
    const size = dicomFile().length
    const viewing = await openViewing(dicomFiles(10), { cacheBytes: 4 * size + 100 })
    const page = await viewing.listed()
    expect(page.instances.size).toBe(10)
    expect(page.faults).toEqual([])
    const before = viewing.host.paths.length
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect(
        (await viewing.images.frame(viewing.view, uidOf(number), 1, never())).body,
      ).toHaveLength(512)
    expect(viewing.host.paths.length).toBeGreaterThan(before)
    await viewing.restart()
    // The start removes files of unfinished fetches in the background.
    await expect.poll(() => filesOf(viewing).length).toBeLessThanOrEqual(4)
  })

  it('are fetched again where other images took their room before they were read', async () => {
    const viewing = await openViewing(dicomFiles(12), { cacheBytes: dicomFile().length + 100 })
    const page = await viewing.listed()
    expect(page.faults).toEqual([])
    expect(page.instances.size).toBe(12)
  })

  it('larger than the room are a fault that says so', async () => {
    const viewing = await openViewing(dicomFiles(1), { cacheBytes: 500 })
    expect((await viewing.listed()).faults).toMatchObject([{ what: 'Image 1 of 1' }])
  })

  it('are not fetched where the disk is nearly full', async () => {
    const viewing = await openViewing(dicomFiles(1))
    viewing.store.settings.set('intake.stopGigabytes', 100_000)
    const { faults } = await viewing.listed()
    expect(faults).toMatchObject([
      {
        sentence:
          'The disk of the gateway is nearly full: no images of partners are downloaded until there is space.',
      },
    ])
    expect(filesOf(viewing)).toEqual([])
  })

  it('that a crash left without a row, unfinished or cut go at the next start, and so do rows without a file', async () => {
    const viewing = await openViewing(dicomFiles(1))
    await viewing.listed()
    const views = join(viewing.folder, 'cache', 'views')
    mkdirSync(join(views, 'ab'), { recursive: true })
    writeFileSync(join(views, 'x.part'), 'half')
    writeFileSync(join(views, 'ab', 'y.dcm'), 'nobody knows it')
    writeFileSync(join(views, 'ab', 'z.dcm'), 'cut')
    const row = {
      studyInstanceUid: STUDY,
      etag: '"1"',
      lastModified: null,
      usedAt: '2026-03-10T09:00:00.000Z',
    }
    for (const [key, file] of [
      ['a', 'ab/z.dcm'],
      ['b', 'ab/gone.dcm'],
    ] as const)
      putViewFile(viewing.store.database, {
        ...row,
        fileKey: key.repeat(64),
        file,
        bytes: 999,
        createdAt: row.usedAt,
      })
    await viewing.restart()
    await listedOf(await viewing.restart(), openView())
    expect(filesOf(viewing)).toHaveLength(1)
    expect(rowsOf(viewing)).toHaveLength(1)
  })

  it('are for the owner of the gateway alone', async () => {
    const viewing = await openViewing(dicomFiles(1))
    await viewing.listed()
    await viewing.restart()
    const file = rowsOf(viewing)[0]?.file ?? ''
    expect(statSync(join(viewing.folder, 'cache', 'views', file)).mode & 0o077).toBe(0)
  })
})
