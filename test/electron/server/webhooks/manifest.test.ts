import { describe, expect, it } from 'vitest'
import { readManifest } from '#server/webhooks/manifest.ts'

const STUDY = '1.2.826.0.1.3680043.8.498.1'
const CT = '1.2.840.10008.5.1.4.1.1.2'
const image = (number: number, more: object = {}) => ({
  ...{
    sopClassUID: CT,
    sopInstanceUID: `${STUDY}.1.${number}`,
    instanceNumber: number,
    rows: 512,
    columns: 512,
  },
  ...{ bitsAllocated: 16, photometricInterpretation: 'MONOCHROME2', samplesPerPixel: 1 },
  ...more,
})
const series = (sops: readonly unknown[], more: object = {}) => ({
  ...{
    modality: 'CT',
    seriesDescription: 'Axial',
    seriesInstanceUID: `${STUDY}.1`,
    seriesNumber: 1,
    sops,
  },
  ...more,
})
const manifest = (...all: readonly unknown[]) => ({ studyInstanceUID: STUDY, series: all })
const read = (value: unknown) => readManifest(value, STUDY)
/** What is read of one SOP beside a good one. */
const readSop = (sop: unknown) => {
  const { manifest: found, notes } = read(manifest(series([image(1), sop])))
  return { sop: found?.series[0]?.sops[1], notes }
}

describe('a manifest', () => {
  it('is read as it is where it is right, without fields that nobody knows', () => {
    const full = image(1, {
      ...{
        bitsStored: 12,
        highBit: 11,
        numberOfFrames: 1,
        pixelRepresentation: 1,
        rescaleIntercept: -1024,
        rescaleSlope: 1,
      },
      ...{ isFloatPixelData: false, isDoubleFloatPixelData: false },
    })
    const given = manifest(series([full, image(0)]), series([image(2)], { seriesNumber: '2' }))
    expect(
      read({
        ...given,
        vendor: 'x',
        series: given.series.map((one) => ({ ...(one as object), vendor: 'x' })),
      }),
    ).toEqual({
      manifest: given,
      notes: [],
    })
  })

  it.each([
    ['is no object', 'yes', 'manifest'],
    ['is a list', [], 'manifest'],
    [
      'is of another study',
      { ...manifest(series([image(1)])), studyInstanceUID: '1.2.3' },
      'manifest.studyInstanceUID',
    ],
    ['names no study', { series: [series([image(1)])] }, 'manifest.studyInstanceUID'],
    ['has no series', manifest(), 'manifest.series'],
    ['has series that are no list', { ...manifest(), series: {} }, 'manifest.series'],
  ])('is not used where it %s', (_what, value, path) => {
    expect(read(value)).toEqual({
      manifest: undefined,
      notes: [{ path, sentence: expect.stringMatching(/the manifest is not used\.$/) }],
    })
  })

  it('may be of any study where none was asked for, and its notes say where in the answer it is', () => {
    const { manifest: found, notes } = readManifest(
      manifest(series([image(1), 7])),
      undefined,
      'manifests.3',
    )
    expect(found?.studyInstanceUID).toBe(STUDY)
    expect(notes.map(({ path }) => path)).toEqual(['manifests.3.series.0.sops.1'])
  })

  it.each([
    ['modality', ''],
    ['modality', undefined],
    ['seriesDescription', ''],
    ['seriesInstanceUID', 5],
    ['seriesNumber', null],
    ['sops', undefined],
    ['sops', []],
  ])('loses a series whose %s is %j, and keeps the others', (field, value) => {
    const { manifest: found, notes } = read(
      manifest(series([image(1)], { [field]: value }), series([image(2)])),
    )
    expect(found?.series.map(({ sops }) => sops.length)).toEqual([1])
    expect(notes.map(({ path }) => path)).toEqual([`manifest.series.0.${field}`])
  })

  it('is none where no series survives', () => {
    const { manifest: found, notes } = read(manifest(series([image(1, { rows: '512' })])))
    expect(found).toBeUndefined()
    expect(notes.map(({ path }) => path)).toEqual([
      'manifest.series.0.sops.0.rows',
      'manifest.series.0.sops',
      'manifest.series',
    ])
  })

  it.each([
    'rows',
    'columns',
    'bitsAllocated',
    'photometricInterpretation',
    'samplesPerPixel',
    'sopClassUID',
    'sopInstanceUID',
  ])('loses only the image that lacks %s', (field) => {
    const { sop, notes } = readSop({ ...image(2), [field]: undefined })
    expect([sop, notes.map(({ path }) => path)]).toEqual([
      undefined,
      [`manifest.series.0.sops.1.${field}`],
    ])
  })

  it.each([
    ...[
      'bitsStored',
      'highBit',
      'instanceNumber',
      'numberOfFrames',
      'pixelRepresentation',
      'rescaleIntercept',
      'rescaleSlope',
    ].map((field) => [field, '1'] as const),
    ['isFloatPixelData', 'true'],
    ['isDoubleFloatPixelData', 1],
    ['photometricInterpretation', 2],
    ['photometricInterpretation', ''],
    ['rows', 0],
    ['columns', 0.5],
    ['columns', 2 ** 60],
    ['rescaleSlope', Number.POSITIVE_INFINITY],
    ['bitsAllocated', 12],
    ['bitsAllocated', 64],
    ['samplesPerPixel', 4],
    ['sopInstanceUID', ''],
    ['instanceNumber', null],
  ] as const)('loses only the image whose %s is %j', (field, value) => {
    const { sop, notes } = readSop(image(2, { [field]: value }))
    expect([sop, notes.map(({ path }) => path)]).toEqual([
      undefined,
      [`manifest.series.0.sops.1.${field}`],
    ])
  })

  it.each([8, 16, 32])('takes %i bits', (bitsAllocated) => {
    expect(readSop(image(2, { bitsAllocated }))).toMatchObject({
      sop: { bitsAllocated },
      notes: [],
    })
  })

  it('takes colour, photometric words that nobody knows, and 64 bits of a double float', () => {
    expect(
      readSop(image(2, { samplesPerPixel: 3, photometricInterpretation: 'RGB' })).notes,
    ).toEqual([])
    expect(
      readSop(image(2, { photometricInterpretation: 'HOUSE' })).sop?.photometricInterpretation,
    ).toBe('HOUSE')
    expect(readSop(image(2, { bitsAllocated: 64, isDoubleFloatPixelData: true })).notes).toEqual([])
  })

  it.each([
    ['a structured report', '1.2.840.10008.5.1.4.1.1.88.22'],
    ['a key object selection', '1.2.840.10008.5.1.4.1.1.88.59'],
    ['a greyscale presentation state', '1.2.840.10008.5.1.4.1.1.11.1'],
    ['an encapsulated PDF', '1.2.840.10008.5.1.4.1.1.104.1'],
    ['an ECG', '1.2.840.10008.5.1.4.1.1.9.1.1'],
    ['an RT plan', '1.2.840.10008.5.1.4.1.1.481.5'],
    ['an enhanced CT, which loads without the manifest', '1.2.840.10008.5.1.4.1.1.2.1'],
    ['an enhanced MR', '1.2.840.10008.5.1.4.1.1.4.1'],
  ])('needs no geometry of %s', (_what, sopClassUID) => {
    const sop = { sopClassUID, sopInstanceUID: '1.2.3.4' }
    expect(readSop(sop)).toEqual({ sop, notes: [] })
  })

  it.each([
    ['an X-ray angiogram', '1.2.840.10008.5.1.4.1.1.12.1'],
    ['an RT image', '1.2.840.10008.5.1.4.1.1.481.1'],
    ['an ultrasound image', '1.2.840.10008.5.1.4.1.1.6.1'],
    ['a class of a vendor', '1.3.12.2.1107.5.9.1'],
  ])('needs the geometry of %s', (_what, sopClassUID) => {
    expect(readSop({ sopClassUID, sopInstanceUID: '1.2.3.4' }).sop).toBeUndefined()
  })

  it('never has a value of the answer in its notes, and not more than a hundred of them', () => {
    const { notes } = read(
      manifest(
        series(Array.from({ length: 500 }, () => image(1, { photometricInterpretation: 99_417 }))),
      ),
    )
    expect(JSON.stringify(notes)).not.toContain('99417')
    expect(notes).toHaveLength(101)
    expect(notes.at(-1)).toEqual({ path: '', sentence: 'There are 402 more notes of this kind.' })
  })
})
