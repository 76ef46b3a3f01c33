import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tagOf, vrOf } from '#server/dicom/data-set/data-set.ts'
import { readFrame, ViewedFile, ViewedFileFault } from '#server/dicom/pixel-data/viewed-file.ts'
import { cielabColour } from '#server/dicom/referencing-objects/cielab.ts'
import { readReferencingObject } from '#server/dicom/referencing-objects/referencing-object.ts'
import { ReferencingObject } from '#shared/contract/referencing-objects.ts'
import { englishText } from '#shared/messages/english.ts'
import { needs, PYDICOM_SAMPLES } from '../../../../support/needs.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import {
  fileOf,
  floats,
  longs,
  presentationFile,
  referenceTo,
  STORAGE,
  segmentationFile,
  shorts,
  sliceFile,
  structureSetFile,
} from '../../../../support/referencing-files.ts'
import { TestSource } from '../pixel-data/viewed-file-fixture.ts'

const read = (file: Buffer) => readReferencingObject(new TestSource(file))
async function faultOf(file: Buffer): Promise<string> {
  const error = await read(file).catch((fault: unknown) => fault)
  if (!(error instanceof ViewedFileFault)) throw new Error(`no fault: ${String(error)}`)
  return englishText(error.explanation)
}
const said = (object: { readonly notApplied: readonly Parameters<typeof englishText>[0][] }) =>
  object.notApplied.map(englishText)

async function stateOf(...given: Parameters<typeof presentationFile>) {
  const object = await read(presentationFile(...given))
  if (object.kind !== 'presentation-state') throw new Error(object.kind)
  return object
}

describe('a presentation state', () => {
  it('is read with its label, creator and the images that it refers to', async () => {
    expect(await stateOf('2.25.1', ['2.25.11', '2.25.12'])).toMatchObject({
      label: 'LESION',
      description: 'Lesion in segment 4',
      creator: 'Reader^Rosa',
      date: '20260311',
      isColour: false,
      references: [
        { sopInstanceUid: '2.25.11', frames: null },
        { sopInstanceUid: '2.25.12', frames: null },
      ],
      rescale: { slope: 1, intercept: -1024 },
      voi: [],
      isInverse: false,
      rotation: 0,
      isFlipped: false,
      areas: [{ topLeft: [1, 1], bottomRight: [64, 64], mode: 'SCALE TO FIT', aspect: 1 }],
      shutter: null,
      notApplied: [],
    })
  })

  it('is read with windows and tables of some of its images', async () => {
    const state = await stateOf('2.25.1', ['2.25.11', '2.25.12'], {
      PresentationLUTShape: 'INVERSE',
      ImageRotation: 90,
      ImageHorizontalFlip: 'Y',
      SoftcopyVOILUTSequence: [
        {
          ReferencedImageSequence: [referenceTo('2.25.11', '2\\3')],
          WindowCenter: '40\\600',
          WindowWidth: '400\\1500',
          VOILUTFunction: 'SIGMOID',
        },
        {
          VOILUTSequence: [
            {
              LUTDescriptor: shorts(4, -2, 16),
              LUTExplanation: 'Soft',
              LUTData: shorts(0, 1, 2, 65_535),
            },
          ],
        },
      ],
    })
    expect(state).toMatchObject({ isInverse: true, rotation: 90, isFlipped: true })
    expect(state.voi).toMatchObject([
      {
        references: [{ sopInstanceUid: '2.25.11', frames: [2, 3] }],
        window: { center: 40, width: 400 },
        function: 'SIGMOID',
        lut: null,
      },
      { references: [], window: null, lut: { entries: 4, bits: 16, explanation: 'Soft' } },
    ])
  })

  it('is read with shutters, as columns and rows', async () => {
    const { shutter, notApplied } = await stateOf('2.25.1', ['2.25.11'], {
      ShutterShape: 'RECTANGULAR\\CIRCULAR\\POLYGONAL',
      ShutterLeftVerticalEdge: '10',
      ShutterRightVerticalEdge: '50',
      ShutterUpperHorizontalEdge: '12',
      ShutterLowerHorizontalEdge: '40',
      CenterOfCircularShutter: '20\\30',
      RadiusOfCircularShutter: '15',
      VerticesOfThePolygonalShutter: '1\\2\\3\\40\\50\\6',
      ShutterPresentationValue: 65_535,
    })
    expect(shutter).toEqual({
      rectangle: [10, 50, 12, 40],
      circle: { row: 20, column: 30, radius: 15 },
      polygon: [
        [2, 1],
        [40, 3],
        [6, 50],
      ],
      overlayGroup: null,
      colour: [255, 255, 255],
    })
    expect(notApplied).toEqual([])
  })

  it('is read with a bitmap shutter, its overlay planes and the layers that show them', async () => {
    const element = (tag: number, vr: string, value: Buffer) => ({ tag, vr, value })
    const state = await stateOf(
      '2.25.1',
      ['2.25.11'],
      { ShutterShape: 'BITMAP', ShutterOverlayGroup: 0x6002 },
      [0x60000000, 0x60020000].flatMap((group) => [
        element(group + 0x10, 'US', shorts(4)),
        element(group + 0x11, 'US', shorts(4)),
        element(group + 0x40, 'CS', Buffer.from('G ')),
        element(group + 0x50, 'SS', shorts(1, 1)),
        element(group + 0x100, 'US', shorts(1)),
        element(group + 0x102, 'US', shorts(0)),
        ...(group === 0x60000000 ? [element(group + 0x1001, 'CS', Buffer.from('MARKS '))] : []),
        element(group + 0x3000, 'OW', shorts(0x8421)),
      ]),
    )
    expect(state.shutter?.overlayGroup).toBe(0x6002)
    expect(state.overlays.map(({ group }) => group)).toEqual([0x6000, 0x6002])
    expect(state.activations).toEqual([{ group: 0x6000, layer: 'MARKS' }])
  })

  it('is read with graphics and texts in the order of their layers', async () => {
    const { layers, annotations, notApplied } = await stateOf('2.25.1', ['2.25.11'], {
      GraphicLayerSequence: [
        { GraphicLayer: 'TOP', GraphicLayerOrder: '2' },
        {
          GraphicLayer: 'BOTTOM',
          GraphicLayerOrder: '1',
          GraphicLayerRecommendedDisplayCIELabValue: shorts(35_554, 53_655, 50_844),
        },
      ],
      GraphicAnnotationSequence: [
        {
          ReferencedImageSequence: [referenceTo('2.25.11')],
          GraphicLayer: 'TOP',
          GraphicObjectSequence: [
            {
              GraphicAnnotationUnits: 'PIXEL',
              GraphicDimensions: 2,
              NumberOfGraphicPoints: 3,
              GraphicData: floats(1, 1, 20.5, 1, 1, 1),
              GraphicType: 'POLYLINE',
              GraphicFilled: 'Y',
              TrackingID: 'ISTHMUS length',
              TrackingUID: '2.25.77',
            },
            // An odd number of values.
            {
              GraphicAnnotationUnits: 'PIXEL',
              GraphicDimensions: 2,
              NumberOfGraphicPoints: 2,
              GraphicData: floats(1, 1, 20),
              GraphicType: 'CIRCLE',
            },
          ],
          TextObjectSequence: [
            {
              BoundingBoxAnnotationUnits: 'DISPLAY',
              UnformattedTextValue: 'Läsion \\ 12 mm',
              BoundingBoxTopLeftHandCorner: floats(0.5, 0.25),
              BoundingBoxBottomRightHandCorner: floats(0.75, 0.5),
              BoundingBoxTextHorizontalJustification: 'CENTER',
              AnchorPointAnnotationUnits: 'PIXEL',
              AnchorPoint: floats(10, 12),
              AnchorPointVisibility: 'Y',
            },
          ],
        },
      ],
    })
    expect(layers.map(({ name }) => name)).toEqual(['BOTTOM', 'TOP'])
    expect(layers[0]?.colour?.[0]).toBeGreaterThan(245)
    expect(annotations).toEqual([
      {
        references: [{ sopInstanceUid: '2.25.11', frames: null }],
        layer: 'TOP',
        trackingUid: '2.25.77',
        graphics: [
          {
            type: 'POLYLINE',
            units: 'pixel',
            points: [
              [1, 1],
              [20.5, 1],
              [1, 1],
            ],
            isFilled: true,
            colour: null,
          },
        ],
        texts: [
          {
            text: 'Läsion \\ 12 mm',
            box: [
              [0.5, 0.25],
              [0.75, 0.5],
            ],
            boxUnits: 'display',
            justification: 'center',
            anchor: [10, 12],
            anchorUnits: 'pixel',
            isAnchorVisible: true,
            colour: null,
          },
        ],
      },
    ])
    expect(notApplied.map(englishText)).toEqual(['1 graphic or text is faulty and is not shown.'])
  })

  it('says what of it is not applied', async () => {
    const state = await stateOf('2.25.1', ['2.25.11'], {
      MaskSubtractionSequence: [{ MaskOperation: 'AVG_SUB' }],
      ShutterShape: 'CIRCULAR',
      DisplayedAreaSelectionSequence: [
        {
          DisplayedAreaTopLeftHandCorner: longs(1, 1),
          DisplayedAreaBottomRightHandCorner: longs(64, 64),
          PresentationSizeMode: 'TRUE SIZE',
          PresentationPixelSpacing: '1\\1',
        },
      ],
    })
    expect(said(state)).toEqual([
      'Its mask subtraction is not applied.',
      'It asks for true size on the screen; the displayed area is fitted to the pane instead.',
      'A shutter of it is faulty and is not applied.',
    ])
  })

  it('is refused where it is faulty as a whole, in one sentence', async () => {
    expect(await faultOf(presentationFile('2.25.1', []))).toBe('It does not refer to any image.')
    expect(await faultOf(presentationFile('2.25.1', ['2.25.11'], { ImageRotation: 45 }))).toBe(
      'Its rotation is not a multiple of 90 degrees.',
    )
    expect(await faultOf(sliceFile({ sopInstanceUid: '2.25.11' }))).toBe(
      'It is not an object that can be applied to images.',
    )
    const whole = presentationFile('2.25.1', ['2.25.11'])
    expect(await faultOf(whole.subarray(0, whole.length - 5))).toBe('It ends within its header.')
  })
})

describe('a segmentation', () => {
  const square = (column: number, row: number) => (column < 8 && row < 4 ? 1 : 0)
  const file = segmentationFile({
    sopInstanceUid: '2.25.2',
    frames: [
      { segment: 1, z: 0, source: '2.25.11', value: square },
      { segment: 2, z: 5, value: (column, row) => square(row, column) },
    ],
  })

  it('is read with segments, colours, planes and sources', async () => {
    const object = await read(file)
    if (object.kind !== 'segmentation') throw new Error(object.kind)
    expect(object).toMatchObject({ label: 'LIVER', type: 'BINARY', pixel: { rows: 64 } })
    expect(object.segments).toMatchObject([
      { number: 1, label: 'Liver', type: 'Liver' },
      { number: 2, label: 'Lesion' },
    ])
    const [red = 0, green = 0, blue = 0] = object.segments[0]?.colour ?? []
    expect(red).toBeGreaterThan(245)
    expect(Math.max(green, blue)).toBeLessThan(60)
    expect(object.frames).toEqual([
      {
        segment: 1,
        position: [0, 0, 0],
        orientation: [1, 0, 0, 0, 1, 0],
        spacing: [1, 1],
        references: [{ sopInstanceUid: '2.25.11', frames: null }],
      },
      {
        segment: 2,
        position: [0, 0, 5],
        orientation: [1, 0, 0, 0, 1, 0],
        spacing: [1, 1],
        references: [],
      },
    ])
  })

  it('gives its frames like an image, though it is listed as none', () => {
    const viewed = new ViewedFile(new TestSource(file))
    expect(viewed.header()?.instance).toMatchObject({ image: null, frames: 1 })
    expect(viewed.frames).toBe(2)
    const frame = viewed.frame(2)
    const bytes = frame && readFrame(new TestSource(file), frame)
    expect(bytes?.length).toBe(512)
    // Four columns and eight rows.
    expect(bytes?.readUInt8(0)).toBe(0b1111)
    expect(bytes?.readUInt8(7 * 8)).toBe(0b1111)
    expect(bytes?.readUInt8(8 * 8)).toBe(0)
    expect(() => viewed.frame(3)).toThrow(ViewedFileFault)
  })

  it('is refused where it says too little', async () => {
    const with_ = (values: Parameters<typeof segmentationFile>[0]['values']) =>
      faultOf(
        segmentationFile({
          sopInstanceUid: '2.25.2',
          frames: [{ segment: 1, value: square }],
          ...(values && { values }),
        }),
      )
    expect(await with_({ SegmentationType: 'SOMETHING' })).toBe(
      'Its segmentation type is missing or unknown.',
    )
    expect(await with_({ SegmentSequence: [] })).toBe('It describes no segment.')
    expect(await with_({ NumberOfFrames: '5' })).toContain('1')
    expect(await with_({ NumberOfFrames: '90000' })).toContain('20,000')
  })

  it('is read as others write it', async (context) => {
    needs(context, 'samples')
    const object = await read(readFileSync(join(PYDICOM_SAMPLES, 'liver_1frame.dcm')))
    if (object.kind !== 'segmentation') throw new Error(object.kind)
    expect(object.segments).toMatchObject([{ number: 1, label: 'Liver', type: 'Liver' }])
    // The colour of the liver in 3D Slicer.
    expect(object.segments[0]?.colour).toEqual([
      expect.closeTo(221, -1),
      expect.closeTo(130, -1),
      expect.closeTo(101, -1),
    ])
    expect(object.frames[0]?.references[0]?.sopInstanceUid).toMatch(/^1\.2\.392/)
    expect(object.frames[0]?.position).not.toBeNull()
  })
})

describe('a structure set', () => {
  it('is read with regions, colours and contours', async () => {
    const object = await read(
      structureSetFile('2.25.3', [
        {
          number: 1,
          name: 'PTV',
          colour: '255\\128\\0',
          contours: [
            { image: '2.25.11', points: [0, 0, 5, 10.1234567, 0, 5, 10, 10, 5] },
            { type: 'POINT', points: [1, 2, 3] },
            { type: 'POINT', points: [1, 2] },
            { type: 'OPEN_NONPLANAR', points: [1, 2, 3, 4, 5, 6] },
          ],
        },
      ]),
    )
    expect(object).toMatchObject({
      kind: 'structure-set',
      label: 'PLAN 1',
      creator: 'Planner^Paula',
      rois: [
        {
          number: 1,
          name: 'PTV',
          type: 'ORGAN',
          colour: [255, 128, 0],
          frameOfReferenceUid: '2.25.9300.7',
          contours: [
            {
              type: 'CLOSED_PLANAR',
              references: [{ sopInstanceUid: '2.25.11', frames: null }],
              points: [0, 0, 5, 10.123, 0, 5, 10, 10, 5],
            },
            { type: 'POINT', references: [], points: [1, 2, 3] },
          ],
        },
      ],
    })
    expect(said(object)).toEqual([
      '1 contour is faulty and is not shown.',
      '1 contour lies in no plane and is not shown.',
    ])
  })

  it('is refused where it describes no region', async () => {
    expect(await faultOf(fileOf(`${STORAGE}481.3`, '2.25.3', { Modality: 'RTSTRUCT' }))).toBe(
      'It describes no region of interest.',
    )
  })

  it('is read as others write it', async (context) => {
    needs(context, 'samples')
    const object = await read(readFileSync(join(PYDICOM_SAMPLES, 'rtstruct.dcm')))
    if (object.kind !== 'structure-set') throw new Error(object.kind)
    expect(object.rois.map(({ name }) => name)).toEqual(['patient', 'Isocenter 1', 'Isocenter 2'])
    expect(object.rois[0]?.contours.map(({ points }) => points.length)).toEqual([15, 18, 18])
    expect(object.rois[1]?.contours[0]).toMatchObject({ type: 'POINT', points: [0, 0, 0] })
  })
})

it('is read or refused with a reason, whatever its bytes', {
  timeout: RUNS_TIMEOUT_MS,
}, async () => {
  const samples = [
    presentationFile('2.25.1', ['2.25.11'], {
      SoftcopyVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '400' }],
      ShutterShape: 'CIRCULAR',
      CenterOfCircularShutter: '20\\30',
      RadiusOfCircularShutter: '15',
      GraphicAnnotationSequence: [
        {
          GraphicLayer: 'TOP',
          GraphicObjectSequence: [
            {
              GraphicAnnotationUnits: 'PIXEL',
              GraphicData: floats(1, 1, 20.5, 1, 1, 1),
              GraphicType: 'POLYLINE',
            },
          ],
        },
      ],
    }),
    segmentationFile({
      sopInstanceUid: '2.25.2',
      size: 16,
      frames: [{ segment: 1, source: '2.25.11', value: () => 1 }],
    }),
    structureSetFile('2.25.3', [
      { number: 1, name: 'PTV', contours: [{ image: '2.25.11', points: [0, 0, 5, 9, 0, 5] }] },
    ]),
  ]
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...samples),
      fc.array(change, { minLength: 1, maxLength: 8 }),
      async (sample, changes) => {
        const bytes = Buffer.from(sample)
        for (const { at, byte } of changes) bytes[at % bytes.length] = byte
        const result = await read(bytes).catch((fault: unknown) => fault)
        if (result instanceof ViewedFileFault) return
        // What the page receives is what the contract says.
        expect(ReferencingObject.safeParse(result).error?.issues ?? []).toEqual([])
      },
    ),
    runs(3000),
  )
})

it('converts CIELab to sRGB, with the white point of the profile connection space', () => {
  expect(cielabColour(65_535, 32_896, 32_896)).toEqual([255, 255, 255])
  expect(cielabColour(0, 32_896, 32_896)).toEqual([0, 0, 0])
  // L* 53.585: the middle grey of sRGB.
  const grey = cielabColour(Math.round(0.53585 * 65_535), 32_896, 32_896)
  expect(grey).toEqual([128, 128, 128])
})

it('knows every attribute that it reads', () => {
  expect(vrOf(tagOf('SoftcopyVOILUTSequence') ?? 0)).toBe('SQ')
  expect(vrOf(tagOf('GraphicData') ?? 0)).toBe('FL')
})
