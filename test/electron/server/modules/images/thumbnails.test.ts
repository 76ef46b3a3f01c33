import { describe, expect, it } from 'vitest'
import { ThumbnailsBusyError } from '#server/dicom/thumbnails/thumbnail-renderer.ts'
import * as customerService from '#server/modules/customers/service.ts'
import { insertInstance } from '#server/modules/images/instance-queries.ts'
import {
  findLargestSeries,
  listThumbnailSources,
} from '#server/modules/images/thumbnail-queries.ts'
import { Thumbnails } from '#server/modules/images/thumbnails.ts'
import * as studyService from '#server/modules/studies/service.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { instance, quarantine, seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const STUDY = '1.2.3'
const IMAGE = {
  ...{ rows: 2, columns: 2, bitsAllocated: 8, bitsStored: 8, highBit: 7, pixelRepresentation: 0 },
  ...{ samplesPerPixel: 1, photometricInterpretation: 'MONOCHROME2', numberOfFrames: null },
}

/** A study whose pictures are rendered when the test says so. */
function stage() {
  const temp = tempStore('2026-11-20T09:00:00.000Z')
  const { store } = temp
  seedImages(store, { uid: STUDY, instances: 0 })
  const rendered: string[] = []
  let render: (path: string) => Promise<Uint8Array | null> = async () => Uint8Array.of(1, 2, 3)
  const thumbnails = new Thumbnails(store, {
    render(path) {
      rendered.push(path)
      return render(path)
    },
    [Symbol.asyncDispose]: async () => {},
  })
  let added = 0
  return {
    ...{ ...temp, thumbnails, rendered },
    owner: atTheWindow(newUser(store, { level: 'owner' })),
    renderBy(next: typeof render) {
      render = next
    },
    /** Its file has the number as its checksum. */
    add(series: string, instanceNumber: string, isImage = true) {
      added += 1
      insertInstance(store.database, {
        ...instance(STUDY, added, '2026-11-20T08:45:00.000Z'),
        ...{ seriesInstanceUid: series, instanceNumber, crc32: Number(instanceNumber) },
        image: isImage ? IMAGE : null,
      })
    },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('the image that stands for a series', () => {
  it('is the one in the middle by its number, else the first or the last, of those that are images', () => {
    using on = stage()
    for (const number of ['10', '9', '100', '1', '2']) on.add('1.2.3.1', number)
    on.add('1.2.3.1', '50', false)
    const of = (series: string) =>
      listThumbnailSources(on.store.database, STUDY, series).map(({ crc32 }) => crc32)
    expect(of('1.2.3.1')).toEqual([9, 1, 100])
    expect(of('1.2.3.2')).toEqual([])
    on.add('1.2.3.3', '4')
    expect(of('1.2.3.3')).toEqual([4])
  })

  it('is of the largest series for a study, however many reports it has', () => {
    using on = stage()
    on.add('1.2.3.5', '1')
    for (const number of ['1', '2']) on.add('1.2.3.1', number)
    for (const number of ['1', '2', '3']) on.add('1.2.3.9', number, false)
    expect(findLargestSeries(on.store.database, STUDY)).toBe('1.2.3.1')
  })
})

describe('a thumbnail', () => {
  it('is rendered once for all who ask, and kept', async () => {
    using on = stage()
    on.add('1.2.3.1', '7')
    const both = [1, 2].map(() => on.thumbnails.ofStudy(on.owner, STUDY))
    const [one, other] = await Promise.all(both)
    expect(one).toEqual({ etag: '"7-1"', png: Uint8Array.of(1, 2, 3) })
    expect(other).toEqual(one)
    expect(await on.thumbnails.ofStudy(on.owner, STUDY, '1.2.3.1')).toEqual(one)
    expect(on.rendered).toHaveLength(1)
  })

  it('is of the first or the last image where the one in the middle has none', async () => {
    using on = stage()
    for (const number of ['1', '2', '3']) on.add('1.2.3.1', number)
    on.renderBy(async () => (on.rendered.length < 3 ? null : Uint8Array.of(5)))
    expect(await on.thumbnails.ofStudy(on.owner, STUDY)).toEqual({
      etag: '"3-1"',
      png: Uint8Array.of(5),
    })
    expect(on.rendered).toHaveLength(3)
  })

  it('is kept as none where there is none', async () => {
    using on = stage()
    expect((await on.thumbnails.ofStudy(on.owner, STUDY)).png).toBeNull()
    on.add('1.2.3.1', '7')
    on.renderBy(async () => null)
    for (let times = 0; times < 2; times += 1)
      expect((await on.thumbnails.ofStudy(on.owner, STUDY)).png).toBeNull()
    expect(on.rendered).toHaveLength(1)
  })

  it('is asked for again where its file could not be read, or too many wait', async () => {
    using on = stage()
    on.add('1.2.3.1', '7')
    on.renderBy(() => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })))
    expect((await on.thumbnails.ofStudy(on.owner, STUDY)).png).toBeNull()
    on.renderBy(() => Promise.reject(new ThumbnailsBusyError()))
    await expect(on.thumbnails.ofStudy(on.owner, STUDY)).rejects.toMatchObject({
      code: 'unavailable',
    })
    on.renderBy(async () => Uint8Array.of(9))
    expect((await on.thumbnails.ofStudy(on.owner, STUDY)).png).toEqual(Uint8Array.of(9))
  })

  it('is for those alone who may see the study', async () => {
    using on = stage()
    on.add('1.2.3.1', '7')
    const { instanceId } = quarantine(on.store, STUDY)
    const key = newKey(on.store)
    const customers = bound(customerService, on.store)
    const { expressCustomerId } = customers.createCustomer(key, { expressCustomerName: 'Clinic A' })
    const customerId = expressCustomerId as ExpressCustomerId
    const other = atTheWindow(newUser(on.store), [customerId])
    const refused = { code: 'not-found' }
    await expect(on.thumbnails.ofStudy(other, STUDY)).rejects.toMatchObject(refused)
    await expect(on.thumbnails.ofStudy(other, STUDY, '1.2.3.1')).rejects.toMatchObject(refused)
    await expect(on.thumbnails.ofInstance(other, instanceId)).rejects.toMatchObject(refused)
    expect(on.rendered).toEqual([])

    bound(studyService, on.store).createStudy(key, 'scribe', {
      ...{ studyInstanceUid: STUDY, studyDescription: 'CT', severity: 'normal' },
      expressCustomerId: customerId,
    })
    expect((await on.thumbnails.ofStudy(other, STUDY)).png).not.toBeNull()
    expect((await on.thumbnails.ofInstance(other, instanceId)).png).not.toBeNull()
    await expect(on.thumbnails.ofInstance(other, 999)).rejects.toMatchObject(refused)
  })
})
