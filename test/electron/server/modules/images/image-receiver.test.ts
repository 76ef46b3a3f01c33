import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { StorageFault } from '#server/database/image-files.ts'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { DataSetInterruptedError } from '#server/dicom/data-set/data-set-stream.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  countUnreviewedReplacements,
  reviewReplacements,
} from '#server/modules/images/image-version-queries.ts'
import {
  findCurrentInstance,
  listInstanceVersions,
} from '#server/modules/images/instance-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { textOf } from '../../../../support/saying.ts'
import { withoutRoom } from '../../../../support/temp-store.ts'
import {
  CT,
  dataSetOf,
  encoded,
  IMAGE,
  image,
  inFragments,
  openStage,
  SERIES,
  STUDY,
} from './intake-fixture.ts'

const INSTANCE = IMAGE.SOPInstanceUID as string

describe('an instance that arrives', () => {
  it('is on the disk with our meta information before its own bytes, and in the database, when Success is said', async () => {
    await using stage = await openStage()
    expect(await stage.send(IMAGE)).toEqual({ status: 0 })
    const { images, spool } = stage.files()
    expect(spool).toEqual([])
    expect(images).toHaveLength(1)
    const bytes = readFileSync(images[0] as string)
    const kept = findCurrentInstance(stage.store.database, INSTANCE)
    expect(bytes.toString('latin1', 128, 132)).toBe('DICM')
    expect(bytes.subarray(kept?.dataSetOffset)).toEqual(encoded(IMAGE))
    expect(kept).toMatchObject({
      sopClassUid: CT,
      studyInstanceUid: STUDY,
      seriesInstanceUid: SERIES,
      state: 'current',
      bytes: bytes.length,
      callingAeTitle: 'CT1',
      deviceName: 'CT room 1',
      modality: 'CT',
      image: {
        rows: 2,
        columns: 2,
        bitsAllocated: 16,
        photometricInterpretation: 'MONOCHROME2',
        numberOfFrames: 1,
      },
    })
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      state: 'receiving',
      instances: 1,
      series: 1,
      bytes: bytes.length,
    })
    expect(stage.kept.map(({ sopInstanceUid }) => sopInstanceUid)).toEqual([INSTANCE])
  })

  it.each(Object.entries(TRANSFER_SYNTAX))(
    'keeps its bytes as they are in %s',
    async (_, transferSyntax) => {
      await using stage = await openStage()
      expect(await stage.send(IMAGE, { transferSyntax })).toEqual({ status: 0 })
      const kept = findCurrentInstance(stage.store.database, INSTANCE)
      const bytes = readFileSync(stage.files().images[0] as string)
      expect(bytes.subarray(kept?.dataSetOffset)).toEqual(encoded(IMAGE, transferSyntax))
      expect(kept).toMatchObject({
        transferSyntaxUid: transferSyntax,
        studyInstanceUid: STUDY,
        patientName: 'Sample^Sam',
      })
    },
  )

  it('keeps one that is larger than what is written at a time', async () => {
    await using stage = await openStage()
    const large = { ...IMAGE, PixelData: 'x'.repeat(3_000_000) }
    expect(await stage.send(large, { dataSet: inFragments(encoded(large), 60_000) })).toEqual({
      status: 0,
    })
    const kept = findCurrentInstance(stage.store.database, INSTANCE)
    expect(readFileSync(stage.files().images[0] as string).subarray(kept?.dataSetOffset)).toEqual(
      encoded(large),
    )
  })

  it('is no path, whatever its identifiers are', async () => {
    await using stage = await openStage()
    const odd = { ...IMAGE, StudyInstanceUID: '../../../etc', SOPInstanceUID: '/etc/passwd' }
    expect(await stage.send(odd)).toEqual({ status: 0 })
    expect(stage.files().images[0]).toMatch(
      /images\/[0-9a-f]{2}\/[0-9a-f]{32}\/[0-9a-f-]{36}\.dcm$/,
    )
  })
})

describe('what is refused', () => {
  it.each([
    [
      'another SOP instance than the affected one',
      { sopInstanceUid: '1.2.3.9' },
      0xa900,
      0x00080018,
    ],
    [
      'another SOP class than the affected one',
      { sopClassUid: '1.2.840.10008.5.1.4.1.1.4' },
      0xa900,
      0x00080016,
    ],
    ['no affected SOP instance', { sopInstanceUid: '' }, 0xa900, 0x00080018],
    ['an affected UID that is none', { sopInstanceUid: '1.2.\u0007' }, 0xa900, 0x00080018],
  ])('%s', async (_, options, status, tag) => {
    await using stage = await openStage()
    expect(await stage.send(IMAGE, options)).toMatchObject({ status, offendingElements: [tag] })
    expect(stage.files()).toEqual({ images: [], spool: [] })
    expect(listInstanceVersions(stage.store.database, INSTANCE)).toEqual([])
    expect(stage.news).toMatchObject([
      {
        kind: 'images',
        tone: 'danger',
        aeTitle: 'CT1',
        text: { code: 'images.refused', params: { why: { params: { status: 'A900' } } } },
      },
    ])
  })

  it.each([
    ['StudyInstanceUID', '', 0x0020000d],
    ['StudyInstanceUID', '1'.repeat(65), 0x0020000d],
    ['SeriesInstanceUID', '', 0x0020000e],
  ])('a data set with the %s %j', async (keyword, value, tag) => {
    await using stage = await openStage()
    expect(await stage.send({ ...IMAGE, [keyword]: value })).toMatchObject({
      status: 0xa900,
      offendingElements: [tag],
    })
    expect(stage.files()).toEqual({ images: [], spool: [] })
  })

  it('bytes that are no data set, with C000 and without a word of them', async () => {
    await using stage = await openStage()
    const bytes = encoded(IMAGE)
    const result = await stage.send(IMAGE, { dataSet: inFragments(bytes.subarray(0, 150), 40) })
    expect(result).toMatchObject({
      status: 0xc000,
      errorComment: expect.stringMatching(/^Cannot understand: data set ends/),
    })
    expect(result.errorComment?.length).toBeLessThanOrEqual(64)
    expect(stage.files()).toEqual({ images: [], spool: [] })
  })

  it('a transfer that breaks off, of which nothing is left', async () => {
    await using stage = await openStage()
    async function* brokenOff() {
      yield [encoded(IMAGE).subarray(0, 200)]
      throw new DataSetInterruptedError('the association ended within the data set')
    }
    expect((await stage.send(IMAGE, { dataSet: brokenOff() })).status).not.toBe(0)
    expect(stage.files()).toEqual({ images: [], spool: [] })
    expect(findImageStudy(stage.store.database, STUDY)).toBeUndefined()
  })

  it('everything with A700 while the disk has too little room, and the screen says why', async () => {
    await using stage = await openStage({ settings: { 'intake.stopGigabytes': 100_000 } })
    expect(await stage.send(IMAGE)).toEqual({
      status: 0xa700,
      errorComment: 'Too little disk space',
    })
    expect(stage.intake.disk.takesImages()).toBe(false)
    expect(stage.intake.disk.storage()).toMatchObject({
      state: 'full',
      detail: { code: 'images.too-little-free', params: { stop: 100_000 } },
    })
    expect(stage.news.map(({ kind, tone }) => [kind, tone])).toEqual([
      ['disk', 'danger'],
      ['images', 'danger'],
    ])
  })

  it('an object in the midst of which the room runs out, of which nothing is left', async () => {
    await using stage = await openStage({ settings: { 'intake.stopGigabytes': 5 } })
    const files = stage.store.imageFiles as { space: typeof stage.store.imageFiles.space }
    files.space = () => ({ freeBytes: 50e9, totalBytes: 100e9 })
    const piece = Buffer.alloc(1 << 20)
    let pieces = 0
    async function* long() {
      yield [encoded(IMAGE)]
      for (; pieces < 200; pieces++) {
        if (pieces === 10) {
          files.space = () => ({ freeBytes: 4e9, totalBytes: 100e9 })
          stage.clock.pass(2000)
        }
        yield [piece]
      }
    }
    expect(await stage.send(IMAGE, { dataSet: long() })).toEqual({
      status: 0xa700,
      errorComment: 'Too little disk space',
    })
    expect(pieces).toBeLessThan(80)
    expect(stage.files()).toEqual({ images: [], spool: [] })
    expect(stage.intake.disk.storage().state).toBe('full')
  })

  it.each([
    ['full', 'Too little disk space'],
    ['read-only', 'Disk cannot be written to'],
    ['failed', 'Disk cannot be written to'],
  ] as const)(
    'an instance whose writing fails because the disk is %s: A700',
    async (kind, errorComment) => {
      await using stage = await openStage()
      const begin = stage.store.imageFiles.begin.bind(stage.store.imageFiles)
      const files = stage.store.imageFiles as { begin: typeof begin }
      files.begin = () => {
        const part = begin()
        part.write = async () => {
          throw new StorageFault(kind, 'write ENOSPC')
        }
        return part
      }
      expect(await stage.send(IMAGE)).toEqual({ status: 0xa700, errorComment })
      files.begin = begin
      expect(stage.files()).toEqual({ images: [], spool: [] })
      expect(await stage.send(IMAGE)).toEqual({ status: 0 })
    },
  )

  it.each([
    ['full', 'Too little disk space'],
    ['read-only', 'Disk cannot be written to'],
  ] as const)(
    'an instance whose row the database does not take because the disk is %s: A700, and no file',
    async (disk, errorComment) => {
      await using stage = await openStage()
      let taken = 0
      {
        using _fault = withoutRoom(stage.store, disk)
        // A full disk takes what fits into pages that are there.
        let answer: unknown
        while (taken < 200) {
          answer = await stage.send(image(taken + 1))
          if ((answer as { status: number }).status !== 0) break
          taken++
        }
        expect(answer).toEqual({ status: 0xa700, errorComment })
        if (disk === 'read-only') expect(taken).toBe(0)
      }
      expect([stage.files().images.length, stage.files().spool]).toEqual([taken, []])
      expect(stage.errors).toEqual([])
      expect(await stage.send(image(taken + 1))).toEqual({ status: 0 })
    },
  )

  it('an instance whose row cannot be written leaves no file', async () => {
    await using stage = await openStage({
      onChange: () => {
        throw new Error('no row')
      },
    })
    expect((await stage.send(IMAGE)).status).toBe(0x0110)
    expect(stage.files()).toEqual({ images: [], spool: [] })
    expect(listInstanceVersions(stage.store.database, INSTANCE)).toEqual([])
    expect(findImageStudy(stage.store.database, STUDY)).toBeUndefined()
    expect(stage.errors).toHaveLength(1)
  })
})

describe('the same SOP instance again', () => {
  it('changes nothing where it is the same, and is seen', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    stage.clock.pass(5000)
    expect(await stage.send(IMAGE, { association: { associationId: 'a2' } })).toEqual({ status: 0 })
    const [only, ...others] = listInstanceVersions(stage.store.database, INSTANCE)
    expect(others).toEqual([])
    expect(only).toMatchObject({
      receivedAt: '2026-03-10T09:00:00.000Z',
      lastSeenAt: '2026-03-10T09:00:05.000Z',
    })
    expect(stage.files().images).toHaveLength(1)
    expect(findImageStudy(stage.store.database, STUDY)?.instances).toBe(1)
  })

  it('takes the place of the first where the same device sends other content, and the first is kept', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    expect(await stage.send({ ...IMAGE, PixelData: 'others__' })).toEqual({ status: 0 })
    expect(listInstanceVersions(stage.store.database, INSTANCE).map(({ state }) => state)).toEqual([
      'superseded',
      'current',
    ])
    expect(stage.files().images).toHaveLength(2)
    expect(findImageStudy(stage.store.database, STUDY)).toMatchObject({
      instances: 1,
      quarantined: 0,
    })
  })

  it('waits for a person to look at it where its pixels are others, and not where its description is', async () => {
    await using stage = await openStage()
    const { database } = stage.store
    await stage.send(IMAGE)
    await stage.send({ ...IMAGE, SeriesDescription: 'Corrected' })
    expect(listInstanceVersions(database, INSTANCE).map(({ change }) => change)).toEqual([
      null,
      'attributes',
    ])
    expect(countUnreviewedReplacements(database, STUDY)).toBe(0)
    await stage.send({ ...IMAGE, SeriesDescription: 'Corrected', PixelData: 'others__' })
    expect(findCurrentInstance(database, INSTANCE)).toMatchObject({
      change: 'pixels',
      changeReviewedAt: null,
    })
    expect(countUnreviewedReplacements(database, STUDY)).toBe(1)
    expect(stage.news.filter(({ tone }) => tone === 'danger').map(({ text }) => text)).toEqual([
      'The device resent an existing image with different pixel data: the new version is shown, and the earlier one is kept.',
    ])
    expect(reviewReplacements(database, STUDY, '2026-03-10T10:00:00.000Z')).toBe(1)
    expect([
      countUnreviewedReplacements(database, STUDY),
      reviewReplacements(database, STUDY, '2026-03-10T11:00:00.000Z'),
    ]).toEqual([0, 0])
  })

  it('changes nothing in another encoding, and is seen', async () => {
    await using stage = await openStage()
    await stage.send(IMAGE)
    stage.clock.pass(5000)
    const transferSyntax = TRANSFER_SYNTAX.implicitLittleEndian
    expect(
      await stage.send(IMAGE, {
        transferSyntax,
        association: { callingAeTitle: 'PACS', associationId: 'a2' },
      }),
    ).toEqual({ status: 0 })
    const [only, ...others] = listInstanceVersions(stage.store.database, INSTANCE)
    expect(others).toEqual([])
    expect(only).toMatchObject({ callingAeTitle: 'CT1', lastSeenAt: '2026-03-10T09:00:05.000Z' })
    expect(stage.files().images).toHaveLength(1)
  })

  it.each([
    ['another device', {}, { association: { callingAeTitle: 'MR1', associationId: 'a2' } }],
    ['another series', { SeriesInstanceUID: '1.2.3.100.2' }, {}],
    ['another study', { StudyInstanceUID: '1.2.3.200' }, {}],
  ])(
    'is set aside where other content comes from, or belongs to, %s',
    async (_, change, options) => {
      await using stage = await openStage()
      await stage.send(IMAGE)
      expect(await stage.send({ ...IMAGE, ...change, PixelData: 'others__' }, options)).toEqual({
        status: 0,
      })
      const [first, second] = listInstanceVersions(stage.store.database, INSTANCE)
      expect(first).toMatchObject({ state: 'current', reason: null })
      expect(second).toMatchObject({ state: 'quarantined', reason: 'different-content' })
      expect(textOf(second?.detail)).toMatch(/^An(other object| image) with the same UID /)
      expect(stage.kept).toHaveLength(1)
      expect(stage.news.filter(({ tone }) => tone === 'warning')).toHaveLength(1)
    },
  )

  it('over two associations at the same moment has one row', async () => {
    await using stage = await openStage()
    const results = await Promise.all(
      [1, 2, 3].map((n) => stage.send(IMAGE, { association: { associationId: `a${n}` } })),
    )
    expect(results).toEqual([{ status: 0 }, { status: 0 }, { status: 0 }])
    expect(listInstanceVersions(stage.store.database, INSTANCE)).toHaveLength(1)
    expect(stage.files().images).toHaveLength(1)
    expect(stage.files().spool).toEqual([])
  })
})

describe('identifiers that break the rules', () => {
  it.each([
    ['StudyInstanceUID', '1.2.03.4'],
    ['SeriesInstanceUID', '1..2'],
    ['SOPInstanceUID', 'abc'],
  ])('the %s %s is accepted and set aside', async (keyword, value) => {
    await using stage = await openStage()
    const odd = { ...IMAGE, [keyword]: value }
    expect(await stage.send(odd)).toEqual({ status: 0 })
    const [instance] = listInstanceVersions(stage.store.database, odd.SOPInstanceUID as string)
    expect(instance).toMatchObject({ state: 'quarantined', reason: 'invalid-uid' })
    expect(stage.kept).toEqual([])
    expect(findImageStudy(stage.store.database, odd.StudyInstanceUID as string)).toMatchObject({
      instances: 0,
      quarantined: 1,
    })
  })
})

describe('a deflated data set whose header is too long to be read whole', () => {
  const transferSyntax = TRANSFER_SYNTAX.deflatedExplicitLittleEndian
  const longAt = (tag: number) =>
    writeDataSet(
      [...dataSetOf(IMAGE), { tag, vr: 'UN' as const, value: randomBytes(2 << 20) }].sort(
        (a, b) => a.tag - b.tag,
      ),
      transferSyntax,
    )

  it('is kept, whole, and set aside', async () => {
    await using stage = await openStage()
    const bytes = longAt(0x00211010)
    expect(
      await stage.send(IMAGE, { transferSyntax, dataSet: inFragments(bytes, 60_000) }),
    ).toEqual({ status: 0 })
    const [instance] = listInstanceVersions(stage.store.database, INSTANCE)
    expect(instance).toMatchObject({
      state: 'quarantined',
      reason: 'long-header',
      patientName: 'Sample^Sam',
      image: null,
    })
    expect(
      readFileSync(stage.files().images[0] as string).subarray(instance?.dataSetOffset),
    ).toEqual(bytes)
  })

  it('is refused where nothing says what it belongs to', async () => {
    await using stage = await openStage()
    const dataSet = inFragments(longAt(0x00191010), 60_000)
    expect(await stage.send(IMAGE, { transferSyntax, dataSet })).toMatchObject({ status: 0xc000 })
    expect(stage.files()).toEqual({ images: [], spool: [] })
  })
})

describe('what the feed says of an association', () => {
  it('tells its sum when it ends, and each kind of refusal once', async () => {
    await using stage = await openStage()
    for (const n of [1, 2, 3]) await stage.send(image(n))
    await stage.send(image(1))
    for (const n of [4, 5]) await stage.send(image(n), { sopClassUid: '1.2.3' })
    stage.intake.completion.associationClosed('a1', { kind: 'released', detail: null })
    expect(stage.news.map(({ text }) => text)).toEqual([
      'Refused: SOP Class UID differs from the affected one (status A900).',
      'The device sent 6 objects from 1 study (1 of them already here and 2 refused).',
    ])
    expect(stage.news[1]).toMatchObject({
      tone: 'warning',
      studyInstanceUid: STUDY,
      associationId: 'a1',
    })
  })
})
