import { describe, expect, it } from 'vitest'
import type {
  PresentationState,
  Segmentation,
  StructureSet,
} from '#shared/contract/referencing-objects.ts'
import { englishText } from '#shared/messages/english.ts'
import type { StackImage } from '../../../../renderer/src/viewer/engine/stack.ts'
import {
  annotationsOn,
  contoursOn,
  framesOn,
  isReferenced,
  placedImage,
} from '../../../../renderer/src/viewer/referencing/belonging.ts'
import { isSamePatient } from '../../../../renderer/src/viewer/referencing/offers.ts'

const FRAME = '2.25.7'

/** An axial image at a height, with pixels of 0.5 mm. */
function imageAt(z: number, more: object = {}, attributes: object = {}): StackImage {
  const sopInstanceUid = `2.25.1.${z}`
  return {
    imageId: `isthmus:v/${sopInstanceUid}/1`,
    sopInstanceUid,
    frame: 1,
    instance: {
      sopInstanceUid,
      frameOfReferenceUid: FRAME,
      studyInstanceUid: '2.25.1',
      patient: null,
      image: { rows: 100, columns: 100 },
      ...more,
    },
    attributes: {
      position: [-10, -20, z],
      orientation: [1, 0, 0, 0, 1, 0],
      spacing: [0.5, 0.5],
      sliceThickness: 5,
      ...attributes,
    },
  } as unknown as StackImage
}
const stack = [0, 5, 10].map((z) => imageAt(z))
const placed = (image: StackImage) => placedImage(image, stack)

const segmentation = (
  frames: Partial<Segmentation['frames'][number]>[],
  more: Partial<Segmentation> = {},
): Segmentation =>
  ({
    kind: 'segmentation',
    frameOfReferenceUid: FRAME,
    type: 'BINARY',
    pixel: { rows: 50, columns: 50 },
    frames: frames.map((frame) => ({
      segment: 1,
      position: null,
      orientation: [1, 0, 0, 0, 1, 0],
      spacing: [1, 1],
      references: [],
      ...frame,
    })),
    ...more,
  }) as unknown as Segmentation

const naming = (z: number, frames: number[] | null = null) => [
  { sopInstanceUid: `2.25.1.${z}`, frames },
]
const refused = ({
  refusals,
}: {
  readonly refusals: readonly Parameters<typeof englishText>[0][]
}) => refusals.map(englishText)

describe('a frame of a segmentation', () => {
  it('is on the image of its plane, with its own pixels', () => {
    const object = segmentation([{ position: [-10, -20, 5] }])
    const { items } = framesOn(object, placed(imageAt(5)))
    expect(items).toMatchObject([{ frame: 1, segment: 1 }])
    // A pixel of 1 mm covers two of 0.5 mm; centres coincide at the position.
    expect(items[0]?.matrix).toEqual([2, 0, 0, 2, -0.5, -0.5])
    expect(framesOn(object, placed(imageAt(0))).items).toEqual([])
    expect(framesOn(object, placed(imageAt(10))).items).toEqual([])
  })

  it('halfway between two images is on one of them alone', () => {
    const object = segmentation([{ position: [-10, -20, 2.5] }])
    const on = stack.filter((image) => framesOn(object, placed(image)).items.length > 0)
    expect(on).toHaveLength(1)
  })

  it('of several near an image, the nearest is shown', () => {
    const object = segmentation([
      { position: [-10, -20, 6.5] },
      { position: [-10, -20, 5.1] },
      { position: [-10, -20, 5.1], segment: 2 },
    ])
    const { items } = framesOn(object, placed(imageAt(5)))
    expect(items.map(({ frame, segment }) => [frame, segment])).toEqual([
      [2, 1],
      [3, 2],
    ])
  })

  it('is not on an image of another frame of reference, and says so where it names it', () => {
    const other = placed(imageAt(5, { frameOfReferenceUid: '2.25.8' }))
    expect(framesOn(segmentation([{ position: [-10, -20, 5] }]), other)).toEqual({
      items: [],
      refusals: [],
    })
    const naming5 = framesOn(
      segmentation([{ position: [-10, -20, 5], references: naming(5) }]),
      other,
    )
    expect(naming5.items).toEqual([])
    expect(refused(naming5)).toEqual([
      'It names this image but has another frame of reference: it is not drawn.',
    ])
  })

  it('without a frame of reference is on the images alone that it names', () => {
    const object = segmentation([{ position: [-10, -20, 5] }], { frameOfReferenceUid: '' })
    expect(framesOn(object, placed(imageAt(5))).items).toEqual([])
    const named = segmentation([{ position: [-10, -20, 5], references: naming(5) }], {
      frameOfReferenceUid: '',
    })
    expect(framesOn(named, placed(imageAt(5))).items).toHaveLength(1)
  })

  it('that names an image and lies elsewhere is refused', () => {
    const object = segmentation([{ position: [-10, -20, 40], references: naming(5) }])
    const on = framesOn(object, placed(imageAt(5)))
    expect(on.items).toEqual([])
    expect(refused(on)).toEqual(['It names this image but lies at another place: it is not drawn.'])
  })

  it('of another orientation is not drawn', () => {
    const object = segmentation([{ position: [-10, -20, 5], orientation: [1, 0, 0, 0, 0, -1] }])
    expect(framesOn(object, placed(imageAt(5))).items).toEqual([])
  })

  it('without a plane is on the image that it names, if both have the same size', () => {
    const radiograph = placedImage(imageAt(5, {}, { position: null, orientation: null }), [])
    const of = (rows: number) =>
      framesOn(
        segmentation([{ references: naming(5), spacing: null, orientation: null }], {
          pixel: { rows, columns: 100 } as Segmentation['pixel'],
        }),
        radiograph,
      )
    expect(of(100).items).toMatchObject([{ matrix: [1, 0, 0, 1, 0, 0] }])
    expect(of(50).items).toEqual([])
    expect(refused(of(50))[0]).toContain('another size')
  })

  it('of one frame of an image is not on another frame of it', () => {
    expect(isReferenced(naming(5, [2]), imageAt(5))).toBe(false)
    expect(isReferenced(naming(5, [1, 2]), imageAt(5))).toBe(true)
    expect(isReferenced(naming(5), imageAt(5))).toBe(true)
    expect(isReferenced(naming(0), imageAt(5))).toBe(false)
  })
})

const roi = (
  contours: Partial<StructureSet['rois'][number]['contours'][number]>[],
  frameOfReferenceUid = FRAME,
): StructureSet =>
  ({
    kind: 'structure-set',
    rois: [
      {
        number: 1,
        name: 'PTV',
        frameOfReferenceUid,
        contours: contours.map((one) => ({ type: 'CLOSED_PLANAR', references: [], ...one })),
      },
    ],
  }) as unknown as StructureSet
const square = (z: number) => [0, 0, z, 10, 0, z, 10, 10, z]

describe('a contour', () => {
  it('is on the image of its plane, named or not', () => {
    for (const references of [[], naming(5)]) {
      const object = roi([{ points: square(5), references }])
      expect(contoursOn(object, placed(imageAt(5))).items).toHaveLength(1)
      expect(contoursOn(object, placed(imageAt(0))).items).toEqual([])
    }
  })

  it('is not on an image of another frame of reference, and says so where it names it', () => {
    const other = placed(imageAt(5, { frameOfReferenceUid: '2.25.8' }))
    expect(contoursOn(roi([{ points: square(5) }]), other)).toEqual({ items: [], refusals: [] })
    const named = contoursOn(roi([{ points: square(5), references: naming(5) }]), other)
    expect(named.items).toEqual([])
    expect(refused(named)[0]).toContain('another frame of reference')
  })

  it('without a frame of reference is on the images alone that it names', () => {
    expect(contoursOn(roi([{ points: square(5) }], ''), placed(imageAt(5))).items).toEqual([])
    const named = roi([{ points: square(5), references: naming(5) }], '')
    expect(contoursOn(named, placed(imageAt(5))).items).toHaveLength(1)
  })

  it('that names an image and lies elsewhere is refused', () => {
    const on = contoursOn(roi([{ points: square(40), references: naming(5) }]), placed(imageAt(5)))
    expect(on.items).toEqual([])
    expect(refused(on)[0]).toContain('another place')
  })

  it('across several planes is on none of them', () => {
    const across = roi([{ points: [0, 0, 0, 10, 0, 5, 10, 10, 10], type: 'OPEN_PLANAR' }])
    for (const image of stack) expect(contoursOn(across, placed(image)).items).toEqual([])
  })

  it('is not on an image without a position', () => {
    const radiograph = placedImage(imageAt(5, {}, { position: null }), [])
    const on = contoursOn(roi([{ points: square(5), references: naming(5) }]), radiograph)
    expect(on.items).toEqual([])
    expect(refused(on)[0]).toContain('no position')
  })
})

it('tells images of two patients in one study apart', () => {
  const study = { studyInstanceUid: '2.25.1', patientId: 'P-1', patientName: 'Doe^Jane' }
  const studies = [{ study, series: [], notImages: [] }] as never
  const mine = imageAt(0).instance
  const another = { ...mine, patient: { patientId: 'P-2', patientName: 'Doe^Jane' } } as never
  expect(isSamePatient(mine, imageAt(5).instance, studies)).toBe(true)
  expect(isSamePatient(mine, another, studies)).toBe(false)
})

it('annotations of a presentation state are not drawn where the drawing itself is shown', () => {
  const annotation = (trackingUid: string, sopInstanceUid: string) => ({
    ...{ references: [{ sopInstanceUid, frames: null }], layer: '', trackingUid },
    ...{ graphics: [], texts: [] },
  })
  const annotations = [
    annotation('2.25.101', '2.25.1.0'),
    annotation('2.25.102', '2.25.1.0'),
    annotation('', '2.25.1.0'),
    annotation('2.25.103', '2.25.1.5'),
  ]
  const on = annotationsOn(
    { annotations } as unknown as PresentationState,
    imageAt(0),
    new Set(['2.25.101', '2.25.103']),
  )
  expect(on.map(({ trackingUid }) => trackingUid)).toEqual(['2.25.102', ''])
})
