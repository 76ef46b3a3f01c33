import { describe, expect, it } from 'vitest'
import type { NamedValues } from '#server/dicom/data-set/named-data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { ViewedInstance, ViewedSeries, ViewedStudy } from '#shared/contract/viewed-images.ts'
import {
  doubles,
  encapsulatedFile,
  fileOf,
  headerOf,
  IMAGE,
  JPEG,
  jpeg,
  opened,
  uint16,
} from './viewed-file-fixture.ts'

const STORAGE = '1.2.840.10008.5.1.4.1.1.'
const headerWith = (values: NamedValues) =>
  headerOf(fileOf({ ...IMAGE, PixelData: Buffer.alloc(24), ...values }))
const instanceWith = (values: NamedValues) => headerWith(values).instance
const framesWith = (count: number, values: NamedValues) =>
  instanceWith({ NumberOfFrames: String(count), PixelData: Buffer.alloc(24 * count), ...values })
const spacingWith = (values: NamedValues) => {
  const { spacing, spacingFrom } = instanceWith(values).attributes
  return [spacing, spacingFrom]
}

describe('the header of an image', () => {
  it('is what the contract says', () => {
    const { study, series, instance } = headerWith({
      SeriesNumber: '4',
      ImagePositionPatient: '1\\2\\3',
      ImageOrientationPatient: '1\\0\\0\\0\\1\\0',
      PixelSpacing: '0.5\\0.25',
      WindowCenter: '40\\300',
      WindowWidth: '400\\1500',
      PixelPaddingValue: uint16(7),
    })
    expect(ViewedStudy.parse({ ...study, isPrior: false })).toMatchObject({
      patientName: 'Пробная^Анна',
    })
    expect(ViewedSeries.parse(series)).toEqual(series)
    const whole = { ...instance, source: 'archive', patient: null }
    expect(ViewedInstance.parse(whole)).toEqual(whole)
    expect(instance.attributes).toEqual({
      position: [1, 2, 3],
      orientation: [1, 0, 0, 0, 1, 0],
      spacing: [0.5, 0.25],
      spacingFrom: 'patient',
      sliceThickness: null,
      sliceLocation: null,
      slope: null,
      intercept: null,
      windowCenter: [40, 300],
      windowWidth: [400, 1500],
    })
    expect(instance.image?.padding).toEqual([7, null])
  })

  it('takes what is badly written as missing', () => {
    const { series, instance } = headerWith({
      SeriesNumber: 'four',
      InstanceNumber: '1.5',
      ImagePositionPatient: '1\\2',
      ImageOrientationPatient: '0\\0\\0\\0\\0\\0',
      PixelSpacing: '0\\0',
      RescaleSlope: '0',
      RescaleIntercept: 'NaN',
      WindowCenter: '40\\\\x',
      WindowWidth: '400\\10',
      NumberOfFrames: '-3',
      SliceThickness: '1e999',
    })
    expect(series.seriesNumber).toBeNull()
    expect(instance).toMatchObject({ instanceNumber: 0, frames: 1, perFrame: null })
    expect(instance.attributes).toEqual({
      position: null,
      orientation: null,
      spacing: null,
      spacingFrom: 'none',
      sliceThickness: null,
      sliceLocation: null,
      slope: null,
      intercept: null,
      windowCenter: [40],
      windowWidth: [400],
    })
  })

  it('has numbers that are signed as its pixels are, in Implicit VR too', () => {
    const signed = {
      ...IMAGE,
      PixelRepresentation: uint16(1),
      PixelPaddingValue: uint16(-2000),
      SmallestImagePixelValue: uint16(-5),
      PixelData: Buffer.alloc(24),
    }
    for (const transferSyntaxUid of [
      TRANSFER_SYNTAX.implicitLittleEndian,
      TRANSFER_SYNTAX.explicitBigEndian,
    ]) {
      expect(headerOf(fileOf(signed, { transferSyntaxUid })).instance.image).toMatchObject({
        padding: [-2000, null],
        smallest: -5,
        pixelRepresentation: 1,
      })
    }
  })

  it('reads names in the character set that is declared, and UTF-8 where none is', () => {
    const named = (characterSet: string | undefined, name: string) =>
      headerOf(
        fileOf({
          ...IMAGE,
          SpecificCharacterSet: characterSet,
          PatientName: Buffer.from(name, 'hex'),
          PixelData: Buffer.alloc(24),
        }),
      ).study.patientName
    expect(named('ISO_IR 144', 'bfe0deddd0')).toBe('Прона')
    expect(named('ISO_IR 100', 'c46e65617320')).toBe('Äneas')
    expect(named(undefined, 'c384')).toBe('Ä')
    expect(named(undefined, 'c4')).toBe('\uFFFD')
    expect(named('ISO_IR 192', 'c3843d3d')).toBe('Ä')
  })

  it('says what it is where it is no image', () => {
    const sentence = (uid: string) => instanceWith({ SOPClassUID: uid }).notImage
    expect(sentence(`${STORAGE}88.33`)).toEqual('A structured report.')
    expect(sentence(`${STORAGE}88.59`)).toEqual('A key object selection.')
    expect(sentence(`${STORAGE}11.1`)).toEqual('A presentation state.')
    expect(sentence(`${STORAGE}66.4`)).toEqual('A segmentation.')
    expect(sentence(`${STORAGE}104.1`)).toEqual('An encapsulated PDF.')
    expect(headerOf(fileOf({ ...IMAGE, Rows: undefined })).instance.notImage).toEqual(
      'An object without an image.',
    )
    expect(headerOf(fileOf(IMAGE)).instance.notImage).toEqual('An image without its pixel data.')
    expect(instanceWith({ BitsAllocated: uint16(12) }).notImage).toEqual(
      'An image with 12 bits per pixel, which this viewer does not show.',
    )
    const video = encapsulatedFile(IMAGE, [Buffer.alloc(8)], {
      transferSyntaxUid: '1.2.840.10008.1.2.4.102',
    })
    expect(headerOf(video).instance).toMatchObject({
      image: null,
      notImage: 'MPEG-4 video, which this viewer does not show.',
    })
    expect(() => opened(video).file.frame(1)).toThrow(
      'MPEG-4 video, which this viewer does not show.',
    )
  })

  it('takes an image for one though much is left out', () => {
    const bytes = fileOf({
      ...IMAGE,
      SamplesPerPixel: undefined,
      BitsStored: undefined,
      HighBit: uint16(200),
      PixelRepresentation: undefined,
      PhotometricInterpretation: undefined,
      PixelData: Buffer.alloc(24),
    })
    expect(headerOf(bytes).instance.image).toMatchObject({
      samplesPerPixel: 1,
      bitsStored: 8,
      highBit: 7,
      photometricInterpretation: 'MONOCHROME2',
    })
  })

  it('knows the view of a mammogram by its code', () => {
    expect(
      instanceWith({ ViewCodeSequence: [{ CodeValue: 'R-10226' }], ImageLaterality: 'L' }),
    ).toMatchObject({
      viewPosition: 'MLO',
      laterality: 'L',
    })
  })

  it('says how fast it is to be shown', () => {
    expect(framesWith(2, { FrameTime: '40' }).frameTime).toBe(40)
    expect(framesWith(2, { FrameTime: '40', CineRate: '20' }).frameTime).toBe(50)
    expect(framesWith(2, { RecommendedDisplayFrameRate: '10', CineRate: '20' }).frameTime).toBe(100)
    expect(framesWith(3, { FrameTimeVector: '0\\30\\50' }).frameTime).toBe(40)
    expect(instanceWith({ FrameTime: '40' }).frameTime).toBeNull()
  })
})

describe('values of pixels', () => {
  it('are Hounsfield units of an original CT image', () => {
    const rescaled = {
      Modality: 'CT',
      RescaleSlope: '1',
      RescaleIntercept: '-1024',
      ImageType: 'ORIGINAL\\PRIMARY\\AXIAL',
    }
    expect(instanceWith(rescaled)).toMatchObject({
      rescaleType: 'HU',
      attributes: { slope: 1, intercept: -1024 },
    })
    expect(instanceWith({ ...rescaled, ImageType: 'DERIVED\\SECONDARY' }).rescaleType).toBe('')
    expect(instanceWith({ ...rescaled, RescaleType: 'US' }).rescaleType).toBe('US')
    expect(instanceWith({ Modality: 'CT' }).rescaleType).toBe('')
  })

  it('are of the units of PET and of a dose', () => {
    expect(
      instanceWith({ Modality: 'PT', Units: 'BQML', RescaleSlope: '2', RescaleIntercept: '0' })
        .rescaleType,
    ).toBe('BQML')
    expect(
      instanceWith({ Modality: 'RTDOSE', DoseUnits: 'GY', DoseGridScaling: '0.001' }),
    ).toMatchObject({
      rescaleType: 'GY',
      attributes: { slope: 0.001, intercept: 0 },
    })
  })
})

describe('spacing', () => {
  const CR = `${STORAGE}1`
  it('of a projection is at the detector, unless it is calibrated', () => {
    expect(spacingWith({ SOPClassUID: CR, ImagerPixelSpacing: '0.2\\0.2' })).toEqual([
      [0.2, 0.2],
      'detector',
    ])
    expect(spacingWith({ SOPClassUID: CR, PixelSpacing: '0.2\\0.2' })).toEqual([
      [0.2, 0.2],
      'detector',
    ])
    expect(
      spacingWith({ SOPClassUID: CR, ImagerPixelSpacing: '0.2\\0.2', PixelSpacing: '0.2\\0.2' }),
    ).toEqual([[0.2, 0.2], 'detector'])
    expect(
      spacingWith({ SOPClassUID: CR, ImagerPixelSpacing: '0.2\\0.2', PixelSpacing: '0.1\\0.1' }),
    ).toEqual([[0.1, 0.1], 'calibrated'])
    expect(
      spacingWith({
        SOPClassUID: CR,
        PixelSpacing: '0.1\\0.1',
        PixelSpacingCalibrationType: 'FIDUCIAL',
      }),
    ).toEqual([[0.1, 0.1], 'calibrated'])
    expect(
      spacingWith({
        SOPClassUID: CR,
        ImagerPixelSpacing: '0.3\\0.3',
        EstimatedRadiographicMagnificationFactor: '1.5',
      }),
    ).toEqual([[expect.closeTo(0.2), expect.closeTo(0.2)], 'calibrated'])
  })

  it('of an ultrasound image is known only within its regions', () => {
    const regions = [region({}), region({ RegionLocationMinX0: uint32(310) })]
    expect(spacingWith({ SequenceOfUltrasoundRegions: regions })).toEqual([null, 'region'])
    expect(spacingWith({ SequenceOfUltrasoundRegions: regions, PixelSpacing: '1\\1' })).toEqual([
      null,
      'region',
    ])
    const doppler = region({ PhysicalUnitsXDirection: uint16(4) })
    expect(spacingWith({ SequenceOfUltrasoundRegions: [doppler] })).toEqual([null, 'none'])
  })
})

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
/** A region of 0.4 mm by 0.2 mm. */
const region = (more: NamedValues): NamedValues => ({
  RegionSpatialFormat: uint16(1),
  ...{ PhysicalUnitsXDirection: uint16(3), PhysicalUnitsYDirection: uint16(3) },
  ...{ PhysicalDeltaX: doubles(0.02), PhysicalDeltaY: doubles(-0.04) },
  ...{ RegionLocationMinX0: uint32(10), RegionLocationMinY0: uint32(20) },
  ...{ RegionLocationMaxX1: uint32(400), RegionLocationMaxY1: uint32(300) },
  ...more,
})

describe('what is to be known before one measures on an image', () => {
  const of = (more: NamedValues) => instanceWith(more)

  it('is that it went through lossy compression, however it is encoded now', () => {
    expect(of({}).lossy).toBeNull()
    expect(of({ LossyImageCompression: '00' }).lossy).toBeNull()
    expect(of({ LossyImageCompression: '01' }).lossy).toEqual({ ratios: [], methods: [] })
    const said = {
      LossyImageCompressionRatio: '12.5\\4',
      LossyImageCompressionMethod: 'ISO_10918_1\\ISO_15444_1',
    }
    expect(of({ LossyImageCompression: '01', ...said }).lossy).toEqual({
      ratios: [12.5, 4],
      methods: ['ISO_10918_1', 'ISO_15444_1'],
    })
  })

  it('is where an ultrasound image has distances: within regions in centimetres', () => {
    const found = of({
      SequenceOfUltrasoundRegions: [
        region({}),
        region({ RegionLocationMaxX1: uint32(5) }),
        // M-mode, a Doppler spectrum, and a region without units.
        region({ PhysicalUnitsXDirection: uint16(4) }),
        region({ RegionSpatialFormat: uint16(3), PhysicalUnitsYDirection: uint16(7) }),
        region({ PhysicalUnitsXDirection: uint16(0), PhysicalUnitsYDirection: uint16(0) }),
        {},
      ],
    }).regions
    expect(found).toEqual([{ left: 10, top: 20, right: 400, bottom: 300, spacing: [0.4, 0.2] }])
  })

  it('is whether its gray levels are inverted', () => {
    const shape = (more: NamedValues) => of(more).image?.presentationLutShape
    expect(shape({})).toBeUndefined()
    expect(shape({ PresentationLUTShape: 'INVERSE' })).toBe('INVERSE')
    expect(shape({ PresentationLUTShape: 'IDENTITY' })).toBe('IDENTITY')
    expect(shape({ PresentationLUTShape: 'LIN OD' })).toBeUndefined()
  })
})

describe('frames that differ', () => {
  const group = (z: number, more: NamedValues = {}): NamedValues => ({
    PlanePositionSequence: [{ ImagePositionPatient: `0\\0\\${z}` }],
    ...more,
  })
  const shared: NamedValues = {
    PlaneOrientationSequence: [{ ImageOrientationPatient: '1\\0\\0\\0\\1\\0' }],
    PixelMeasuresSequence: [{ PixelSpacing: '0.5\\0.5', SliceThickness: '2' }],
    PixelValueTransformationSequence: [
      { RescaleSlope: '2', RescaleIntercept: '-1', RescaleType: 'HU' },
    ],
    FrameVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '400' }],
    FrameAnatomySequence: [{ FrameLaterality: 'R' }],
  }

  it('have what their functional groups say, over what all have', () => {
    const instance = framesWith(2, {
      SharedFunctionalGroupsSequence: [shared],
      PerFrameFunctionalGroupsSequence: [
        group(1),
        group(3, { FrameVOILUTSequence: [{ WindowCenter: '50', WindowWidth: '100' }] }),
      ],
    })
    expect(instance).toMatchObject({ rescaleType: 'HU', laterality: 'R' })
    expect(instance.attributes).toEqual(instance.perFrame?.[0])
    expect(instance.perFrame).toMatchObject([
      {
        position: [0, 0, 1],
        spacing: [0.5, 0.5],
        spacingFrom: 'patient',
        sliceThickness: 2,
        slope: 2,
        intercept: -1,
        windowCenter: [40],
      },
      {
        position: [0, 0, 3],
        orientation: [1, 0, 0, 0, 1, 0],
        windowCenter: [50],
        windowWidth: [100],
      },
    ])
  })

  it('are one where they do not differ', () => {
    const instance = framesWith(2, { PerFrameFunctionalGroupsSequence: [group(1), group(1)] })
    expect(instance).toMatchObject({ perFrame: null, attributes: { position: [0, 0, 1] } })
  })

  it('have no place where it is not known whose it is', () => {
    const bytes = fileOf({
      ...IMAGE,
      NumberOfFrames: '3',
      PixelData: Buffer.alloc(72),
      PerFrameFunctionalGroupsSequence: [group(1), group(2)],
    })
    expect(headerOf(bytes).instance).toMatchObject({
      perFrame: null,
      attributes: { position: null },
    })
    expect(opened(bytes).file.fault()).toEqual(
      'It has per-frame attributes for only 2 of its 3 frames, so none of them is used.',
    )
  })

  it('have the spacing of the detector in an enhanced projection', () => {
    const groups = [{ FramePixelDataPropertiesSequence: [{ ImagerPixelSpacing: '0.2\\0.2' }] }]
    expect(framesWith(2, { SharedFunctionalGroupsSequence: groups }).attributes).toMatchObject({
      spacing: [0.2, 0.2],
      spacingFrom: 'detector',
    })
  })

  it('lie behind each other in reconstructed nuclear medicine', () => {
    const values = {
      SOPClassUID: `${STORAGE}20`,
      ImageType: 'ORIGINAL\\PRIMARY\\RECON TOMO\\EMISSION',
      SpacingBetweenSlices: '4',
      SliceVector: uint16(1, 2, 3),
      DetectorInformationSequence: [
        { ImagePositionPatient: '10\\20\\30', ImageOrientationPatient: '1\\0\\0\\0\\1\\0' },
      ],
    }
    expect(framesWith(3, values).perFrame?.map(({ position }) => position)).toEqual([
      [10, 20, 30],
      [10, 20, 34],
      [10, 20, 38],
    ])
    expect(
      framesWith(3, { ...values, ImageType: 'ORIGINAL\\PRIMARY\\DYNAMIC' }).perFrame,
    ).toBeNull()
  })

  it('lie behind each other in a dose, by offsets or by coordinates', () => {
    const values = { ImagePositionPatient: '1\\2\\-5', ImageOrientationPatient: '1\\0\\0\\0\\1\\0' }
    const places = (offsets: string) =>
      framesWith(2, { ...values, GridFrameOffsetVector: offsets }).perFrame?.map(
        ({ position }) => position?.[2],
      )
    expect(places('0\\3')).toEqual([-5, -2])
    expect(places('-5\\-2')).toEqual([-5, -2])
  })

  it('are counted of pictures too', () => {
    expect(
      headerOf(encapsulatedFile({ ...IMAGE, NumberOfFrames: '2' }, [jpeg('a'), jpeg('b')]))
        .instance,
    ).toMatchObject({
      frames: 2,
      transferSyntaxUid: JPEG,
    })
  })
})
