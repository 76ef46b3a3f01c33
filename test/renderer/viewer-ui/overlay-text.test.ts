import { describe, expect, it } from 'vitest'
import type { ViewedStudy } from '#shared/contract/viewed-images.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import { captureOf, givenDescription } from '../../../renderer/src/viewer/capture-picture.ts'
import type { PaneState } from '../../../renderer/src/viewer/engine/pane.ts'
import type { SeriesState, StackImage } from '../../../renderer/src/viewer/engine/stack.ts'
import {
  amountText,
  isAlwaysShown,
  lossyText,
  overlayOf,
  spokenText,
} from '../../../renderer/src/viewer/overlay-text.ts'
import { foundImage } from '../../../renderer/src/viewer/show-instance.ts'

const STUDY: ViewedStudy = {
  ...{
    studyInstanceUid: '1.2',
    isPrior: false,
    patientName: 'BEISPIEL^Anna',
    patientId: 'P-77',
    patientBirthDate: '19710312',
  },
  ...{
    patientSex: 'F',
    studyDate: '20261120',
    studyTime: '101500',
    studyDescription: 'Thorax',
    accessionNumber: 'A-1',
  },
}
const attributes: StackImage['attributes'] = {
  ...{
    position: null,
    orientation: null,
    spacing: [1, 1],
    spacingFrom: 'patient',
    sliceThickness: 1.25,
    sliceLocation: -102.5,
  },
  ...{ slope: 1, intercept: -1024, windowCenter: [40], windowWidth: [400] },
}
const image = (
  number: number,
  more: Partial<StackImage['instance']> = {},
  attributesMore: Partial<StackImage['attributes']> = {},
): StackImage => {
  const instance: StackImage['instance'] = {
    ...{
      studyInstanceUid: '1.2',
      seriesInstanceUid: '1.2.3',
      sopInstanceUid: `1.2.3.${number}`,
      sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
    },
    ...{
      transferSyntaxUid: '1.2.840.10008.1.2.1',
      source: 'archive',
      instanceNumber: number,
      frames: 1,
      image: null,
      notImage: null,
    },
    ...{
      attributes,
      perFrame: null,
      frameOfReferenceUid: '',
      imageType: [],
      voiLutFunction: 'LINEAR',
      windowExplanation: [],
    },
    ...{
      rescaleType: 'HU',
      frameTime: null,
      acquisitionTime: '',
      contentTime: '',
      viewPosition: '',
      laterality: '',
    },
    ...{ patientOrientation: [], patient: null, lossy: null, regions: [], hasExtras: false },
    ...more,
  }
  return {
    imageId: `i${number}`,
    sopInstanceUid: instance.sopInstanceUid,
    frame: 1,
    instance,
    attributes: { ...attributes, ...attributesMore },
  }
}
const seriesWith = (stack: readonly StackImage[], part: Message | null = null): SeriesState => ({
  ...{
    key: 'k',
    studyInstanceUid: '1.2',
    isPrior: false,
    part,
    stack,
    missing: new Set<string>(),
    isMultiFrame: false,
    frameTime: null,
  },
  ...{ isVolume: false, whyNoVolume: verbatim('One image.') },
  series: {
    ...{
      studyInstanceUid: '1.2',
      seriesInstanceUid: '1.2.3',
      seriesNumber: 2,
      modality: 'CT',
      seriesDescription: 'Lung 1 mm',
    },
    ...{ bodyPartExamined: 'CHEST', laterality: '' },
  },
})
const pane = (more: Partial<PaneState> = {}): PaneState => ({
  ...{
    series: seriesWith([image(1), image(2)]),
    kind: 'stack',
    plane: null,
    slab: null,
    rendering: null,
    index: 1,
    count: 2,
    image: image(2),
    isShown: true,
    problem: null,
  },
  ...{
    window: { center: -600, width: 1500 },
    curve: null,
    unit: 'HU',
    isInverted: false,
    rotation: 0,
    isFlippedHorizontally: false,
  },
  ...{
    isFlippedVertically: false,
    magnification: 1.5,
    isSmooth: true,
    isPlaying: false,
    framesPerSecond: 10,
  },
  ...{
    edges: { left: 'R', right: 'L', top: 'A', bottom: 'P' },
    lengthNote: null,
    notes: [],
    volume: null,
    presentation: null,
    presentationProblem: null,
  },
  ...more,
})
const texts = (state: PaneState, corner: 'patient' | 'study' | 'image' | 'picture') =>
  overlayOf(state, STUDY)[corner].map(({ text }) => text)

describe('what stands on an image', () => {
  it('is the patient, the study, the image and the picture, each at its corner', () => {
    expect(texts(pane(), 'patient')).toEqual([
      'BEISPIEL, Anna',
      'ID P-77',
      'born 12 Mar 1971, F',
      'Acc. A-1',
    ])
    expect(texts(pane(), 'study')).toEqual([
      'Thorax',
      '20 Nov 2026 10:15',
      'Se 2: Lung 1 mm',
      'CT CHEST',
    ])
    expect(texts(pane(), 'image')).toEqual(['Im 2/2', 'Loc -102.5 mm', 'Thk 1.25 mm'])
    expect(texts(pane(), 'picture')).toEqual(['C -600 W 1500', 'Zoom 150%'])
  })

  it('says where lengths are not those of the patient, and where an image has lost something', () => {
    const detector = image(
      1,
      { transferSyntaxUid: '1.2.840.10008.1.2.4.50' },
      { spacingFrom: 'detector' },
    )
    expect(texts(pane({ image: detector }), 'picture')).toContain('Measured at the detector')
    expect(texts(pane({ image: detector }), 'picture')).toContain('Lossy compressed')
    expect(texts(pane({ image: image(1, {}, { spacingFrom: 'none' }) }), 'picture')).toContain(
      'No scale: lengths in pixels',
    )
    expect(texts(pane({ isInverted: true }), 'picture')).toContain('Inverted')
  })

  const OTHER = {
    patientName: 'NOVAK^Jan',
    patientId: 'P-9',
    patientBirthDate: '',
    patientSex: 'M',
    accessionNumber: '',
  }

  it('names the patient of the image that is shown, not that of the first image of the study', () => {
    const other = pane({ image: image(2, { patient: OTHER }) })
    expect(texts(other, 'patient')).toEqual(['NOVAK, Jan', 'ID P-9', 'M'])
    expect(spokenText(other, STUDY)).toContain('NOVAK, Jan')
    const plane = { plane: 'axial', image: null } as const
    expect(texts(pane({ ...plane, series: seriesWith([image(1), image(2)]) }), 'patient')[0]).toBe(
      'BEISPIEL, Anna',
    )
    expect(
      texts(pane({ ...plane, series: seriesWith([image(1, { patient: OTHER })]) }), 'patient')[0],
    ).toBe('NOVAK, Jan')
    const mixed = seriesWith([image(1), image(2, { patient: OTHER })])
    expect(texts(pane({ ...plane, series: mixed }), 'patient')).toEqual([
      'Images of several patients',
    ])
  })

  it('says what an image has lost before it was encoded as it is now, and where it is calibrated', () => {
    const once = image(1, {
      lossy: { ratios: [12.5], methods: ['ISO_10918_1'] },
      regions: [{ left: 0, top: 0, right: 9, bottom: 9, spacing: [1, 1] }],
    })
    expect(texts(pane({ image: once }), 'picture')).toContain('Lossy compressed: JPEG 12.5 : 1')
    expect(texts(pane({ image: once }), 'picture')).toContain('Calibrated regions are outlined')
    expect(
      texts(pane({ image: image(1, { lossy: { ratios: [], methods: [] } }) }), 'picture'),
    ).toContain('Lossy compressed')
    const twice = { ratios: [12.5, 4], methods: ['ISO_10918_1', 'OTHER_1', 'ISO_15444_15'] }
    expect(texts(pane({ image: image(1, { lossy: twice }) }), 'picture')).toContain(
      'Lossy compressed: JPEG 12.5 : 1, OTHER_1 4 : 1, HTJ2K',
    )
  })

  it('says what of the file is not applied, also where the overlay is switched off', () => {
    const { picture } = overlayOf(
      pane({ notes: [message('viewer.overlays-not-applied', { count: 2 })] }),
      STUDY,
    )
    const line = picture.find(({ text }) => text === '2 overlays not shown: they cannot be read')
    expect(line && isAlwaysShown('picture', line)).toBe(true)
  })

  it('keeps who the image is of and every warning where the overlay is switched off', () => {
    const shown = overlayOf(
      pane({ image: image(2, { lossy: { ratios: [], methods: [] } }) }),
      STUDY,
    )
    const kept = (['patient', 'study', 'image', 'picture'] as const).flatMap((corner) =>
      shown[corner].filter((line) => isAlwaysShown(corner, line)).map(({ text }) => text),
    )
    expect(kept).toEqual(['BEISPIEL, Anna', 'ID P-77', 'born 12 Mar 1971, F', 'Lossy compressed'])
  })

  it('names frame and plane where there are such', () => {
    expect(texts(pane({ image: { ...image(1, { frames: 30 }), frame: 7 } }), 'image')).toContain(
      'Fr 7/30',
    )
    expect(texts(pane({ plane: 'coronal', image: null, index: 99, count: 256 }), 'image')).toEqual([
      'Coronal',
      'Sl 100/256',
    ])
  })

  it('is nothing where there is nothing', () => {
    expect(overlayOf(pane({ series: null, image: null }), STUDY)).toEqual({
      patient: [],
      study: [],
      image: [],
      picture: [],
    })
    expect(
      overlayOf(pane(), {
        ...STUDY,
        patientName: '',
        patientId: '',
        patientBirthDate: '',
        patientSex: '',
        accessionNumber: '',
      }).patient,
    ).toMatchObject([{ text: '(no name)' }])
  })

  it('writes numbers of a window with the digits they need', () => {
    expect([40, -600, 0.65, 1.25, 12.34, 1041.4, 0].map(amountText)).toEqual([
      '40',
      '-600',
      '0.65',
      '1.25',
      '12.3',
      '1041',
      '0',
    ])
  })

  it('tells apart what loses always and what may', () => {
    expect(lossyText('1.2.840.10008.1.2.4.70')).toBe('')
    expect(lossyText('1.2.840.10008.1.2.4.81')).toBe('Lossy compressed')
    expect(lossyText('1.2.840.10008.1.2.4.91')).toBe('May be lossy compressed')
  })

  it('is said in one sentence to somebody who does not see it', () => {
    expect(spokenText(pane(), STUDY)).toBe('CT Lung 1 mm, Image 2 of 2, C -600 W 1500')
    expect(
      spokenText(pane({ problem: verbatim('It is cut off.') }), { ...STUDY, isPrior: true }),
    ).toContain('Prior, 20 Nov 2026, CT Lung 1 mm, Image 2 cannot be shown: It is cut off.')
    expect(spokenText(pane({ series: null }), undefined)).toBe('Empty')
  })
})

describe('a capture', () => {
  it('is of the image that is shown; of a plane, of the middle of its volume', () => {
    expect(captureOf(pane())).toMatchObject({ sopInstanceUid: '1.2.3.2', frame: 1 })
    const stack = [image(1), image(2), image(3)]
    expect(
      captureOf(pane({ image: null, plane: 'axial', series: seriesWith(stack) }))?.sopInstanceUid,
    ).toBe('1.2.3.2')
    expect(captureOf(pane({ image: null, series: null }))).toBeUndefined()
  })

  it('is described by series, image and window, without the patient', () => {
    expect(givenDescription(pane(), '-600/1500')).toBe('CT Lung 1 mm, image 2, window -600/1500')
    expect(givenDescription(pane({ plane: 'axial', image: null }), '')).toBe(
      'CT Lung 1 mm, Axial plane',
    )
  })
})

it('finds an image in all series, and its frame', () => {
  const studies = [
    {
      study: STUDY,
      series: [seriesWith([image(1), image(2), { ...image(2), frame: 2 }])],
      nonImageInstances: [],
    },
  ]
  expect(foundImage({ studies }, '1.2.3.2')?.index).toBe(1)
  expect(foundImage({ studies }, '1.2.3.2', 2)?.index).toBe(2)
  expect(foundImage({ studies }, '1.2.3.9')).toBeUndefined()
})
