import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { tagOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'

// Presentation states, segmentations and structure sets of an invented patient, and the images that
// they refer to.

export const STORAGE = '1.2.840.10008.5.1.4.1.1.'
export const STUDY = '2.25.9300'
export const FRAME_OF_REFERENCE = '2.25.9300.7'

export const floats = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) bytes.writeFloatLE(number, index * 4)
  return bytes
}
export const longs = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) bytes.writeInt32LE(number, index * 4)
  return bytes
}
export const shorts = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 2)
  for (const [index, number] of numbers.entries()) bytes.writeUInt16LE(number & 0xffff, index * 2)
  return bytes
}

/** A file of a data set in Explicit VR Little Endian, or as encapsulated pixel data needs it. */
export function fileOf(
  sopClassUid: string,
  sopInstanceUid: string,
  values: NamedValues,
  { more = [], transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian as string }: FileMore = {},
): Buffer {
  const dataSet = [
    ...namedDataSet({
      SpecificCharacterSet: 'ISO_IR 192',
      SOPClassUID: sopClassUid,
      SOPInstanceUID: sopInstanceUid,
      StudyDate: '20260310',
      StudyTime: '101500',
      AccessionNumber: 'A-9300',
      ReferringPhysicianName: '',
      PatientName: 'Reference^Rita',
      PatientID: 'P-9300',
      PatientBirthDate: '19700101',
      PatientSex: 'F',
      StudyInstanceUID: STUDY,
      StudyID: '1',
      Manufacturer: 'Isthmus',
      Laterality: '',
      InstanceNumber: '1',
      ...values,
    }),
    ...more,
  ].sort((one, other) => one.tag - other.tag)
  return Buffer.concat([
    fileMeta({ sopClassUid, sopInstanceUid, transferSyntaxUid, sourceAeTitle: 'TEST' }),
    writeDataSet(dataSet, transferSyntaxUid),
  ])
}
interface FileMore {
  readonly more?: DataSet
  readonly transferSyntaxUid?: string
}

export interface MadeSlice {
  readonly sopInstanceUid: string
  readonly seriesInstanceUid?: string
  /** Rows and columns. */
  readonly size?: number
  /** Position along the patient's z axis in mm. */
  readonly z?: number
  readonly instanceNumber?: number
  readonly frameOfReferenceUid?: string
  /** Stored value at a column and a row. */
  readonly value?: (column: number, row: number) => number
  readonly more?: NamedValues
}

/** An axial CT slice with pixels of 1 mm, values stored plus 1024. */
export function sliceFile(made: MadeSlice): Buffer {
  const { size = 64, z = 0, value = (column, row) => 1024 + column * 8 + row } = made
  const pixels = Buffer.alloc(size * size * 2)
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      pixels.writeUInt16LE(value(column, row) & 0xffff, (row * size + column) * 2)
  return fileOf(`${STORAGE}2`, made.sopInstanceUid, {
    Modality: 'CT',
    ImageType: 'ORIGINAL\\PRIMARY\\AXIAL',
    SeriesInstanceUID: made.seriesInstanceUid ?? `${STUDY}.1`,
    SeriesNumber: '1',
    SeriesDescription: 'Reference',
    InstanceNumber: String(made.instanceNumber ?? 1),
    FrameOfReferenceUID: made.frameOfReferenceUid ?? FRAME_OF_REFERENCE,
    ImagePositionPatient: `0\\0\\${z}`,
    ImageOrientationPatient: '1\\0\\0\\0\\1\\0',
    PixelSpacing: '1\\1',
    SliceThickness: '5',
    PatientPosition: 'HFS',
    PositionReferenceIndicator: '',
    KVP: '120',
    AcquisitionNumber: '1',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: size,
    Columns: size,
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 0,
    RescaleSlope: '1',
    RescaleIntercept: '-1024',
    RescaleType: 'HU',
    PixelData: pixels,
    ...made.more,
  })
}

export const referenceTo = (sopInstanceUid: string, frame?: string): NamedValues => ({
  ReferencedSOPClassUID: `${STORAGE}2`,
  ReferencedSOPInstanceUID: sopInstanceUid,
  ReferencedFrameNumber: frame,
})

/** A Grayscale Softcopy Presentation State for slices of the series of `sliceFile`. */
export function presentationFile(
  sopInstanceUid: string,
  images: readonly string[],
  values: NamedValues = {},
  more: DataSet = [],
  sopClassUid = `${STORAGE}11.1`,
): Buffer {
  return fileOf(
    sopClassUid,
    sopInstanceUid,
    {
      Modality: 'PR',
      SeriesInstanceUID: `${STUDY}.2`,
      SeriesNumber: '2',
      ContentLabel: 'LESION',
      ContentDescription: 'Lesion in segment 4',
      ContentCreatorName: 'Reader^Rosa',
      PresentationCreationDate: '20260311',
      PresentationCreationTime: '090000',
      ReferencedSeriesSequence: [
        {
          SeriesInstanceUID: `${STUDY}.1`,
          ReferencedImageSequence: images.map((uid) => referenceTo(uid)),
        },
      ],
      DisplayedAreaSelectionSequence: [
        {
          DisplayedAreaTopLeftHandCorner: longs(1, 1),
          DisplayedAreaBottomRightHandCorner: longs(64, 64),
          PresentationSizeMode: 'SCALE TO FIT',
          PresentationPixelAspectRatio: '1\\1',
        },
      ],
      RescaleIntercept: '-1024',
      RescaleSlope: '1',
      RescaleType: 'HU',
      PresentationLUTShape: 'IDENTITY',
      ...values,
    },
    { more },
  )
}

export interface MadeSegmentFrame {
  readonly segment: number
  readonly z?: number
  readonly source?: string
  /** Value at a column and a row: 0 or 1, or 0 to 255 of a fractional one. */
  readonly value: (column: number, row: number) => number
}

export interface MadeSegmentation {
  readonly sopInstanceUid: string
  readonly frames: readonly MadeSegmentFrame[]
  readonly size?: number
  readonly type?: 'BINARY' | 'FRACTIONAL'
  readonly frameOfReferenceUid?: string
  readonly hasPlanes?: boolean
  readonly values?: NamedValues
  readonly transferSyntaxUid?: string
}

const code = (value: string, meaning: string): NamedValues => ({
  CodeValue: value,
  CodingSchemeDesignator: 'SCT',
  CodeMeaning: meaning,
})

/** A segmentation with the segments Liver (red) and Lesion (green). */
export function segmentationFile(made: MadeSegmentation): Buffer {
  const { size = 64, type = 'BINARY', frames, hasPlanes = true } = made
  const segment = (number: number, label: string, colour: Buffer): NamedValues => ({
    SegmentNumber: number,
    SegmentLabel: label,
    SegmentAlgorithmType: 'MANUAL',
    RecommendedDisplayCIELabValue: colour,
    SegmentedPropertyCategoryCodeSequence: [code('85756007', 'Tissue')],
    SegmentedPropertyTypeCodeSequence: [code('10200004', 'Liver')],
  })
  const { transferSyntaxUid } = made
  const values: NamedValues = {
    Modality: 'SEG',
    Laterality: undefined,
    ImageType: 'DERIVED\\PRIMARY',
    SeriesInstanceUID: `${STUDY}.3`,
    SeriesNumber: '3',
    SeriesDescription: 'Liver segmentation',
    ContentDate: '20260311',
    ContentTime: '090000',
    ContentLabel: 'LIVER',
    ContentDescription: 'Liver and lesion',
    ContentCreatorName: 'Reader^Rosa',
    FrameOfReferenceUID: made.frameOfReferenceUid ?? FRAME_OF_REFERENCE,
    PositionReferenceIndicator: '',
    ManufacturerModelName: 'Test',
    DeviceSerialNumber: '1',
    SoftwareVersions: '1',
    ReferencedSeriesSequence: [
      {
        SeriesInstanceUID: `${STUDY}.1`,
        ReferencedInstanceSequence: sourcesOf(frames).map((uid) => referenceTo(uid)),
      },
    ],
    DimensionOrganizationSequence: [{ DimensionOrganizationUID: `${STUDY}.8` }],
    DimensionIndexSequence: ['ReferencedSegmentNumber', 'ImagePositionPatient'].map((keyword) => ({
      DimensionOrganizationUID: `${STUDY}.8`,
      DimensionIndexPointer: tagBytes(keyword),
      FunctionalGroupPointer: tagBytes(
        keyword === 'ImagePositionPatient'
          ? 'PlanePositionSequence'
          : 'SegmentIdentificationSequence',
      ),
    })),
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    NumberOfFrames: String(frames.length),
    Rows: size,
    Columns: size,
    BitsAllocated: type === 'BINARY' ? 1 : 8,
    BitsStored: type === 'BINARY' ? 1 : 8,
    HighBit: type === 'BINARY' ? 0 : 7,
    PixelRepresentation: 0,
    LossyImageCompression: '00',
    SegmentationType: type,
    ...(type === 'FRACTIONAL' && {
      SegmentationFractionalType: 'PROBABILITY',
      MaximumFractionalValue: 255,
    }),
    SegmentSequence: [
      // L* 53, a* 80, b* 67: red of sRGB; L* 88, a* -79, b* 81: green of sRGB.
      segment(1, 'Liver', shorts(35_554, 53_655, 50_844)),
      segment(2, 'Lesion', shorts(57_525, 12_536, 53_714)),
    ],
    SharedFunctionalGroupsSequence: [
      {
        ...(hasPlanes && {
          PlaneOrientationSequence: [{ ImageOrientationPatient: '1\\0\\0\\0\\1\\0' }],
          PixelMeasuresSequence: [
            { SliceThickness: '5', PixelSpacing: '1\\1', SpacingBetweenSlices: '5' },
          ],
        }),
      },
    ],
    PerFrameFunctionalGroupsSequence: frames.map((frame) => ({
      FrameContentSequence: [{ DimensionIndexValues: longs(frame.segment, 1) }],
      ...(hasPlanes && {
        PlanePositionSequence: [{ ImagePositionPatient: `0\\0\\${frame.z ?? 0}` }],
      }),
      SegmentIdentificationSequence: [{ ReferencedSegmentNumber: frame.segment }],
      ...(frame.source !== undefined && {
        DerivationImageSequence: [
          {
            SourceImageSequence: [
              {
                ...referenceTo(frame.source),
                PurposeOfReferenceCodeSequence: [code('121322', 'Source image')],
              },
            ],
            DerivationCodeSequence: [code('113076', 'Segmentation')],
          },
        ],
      }),
    })),
    PixelData: segmentPixels(frames, size, type === 'BINARY'),
    ...made.values,
  }
  const more = transferSyntaxUid === undefined ? {} : { transferSyntaxUid }
  return fileOf(`${STORAGE}66.4`, made.sopInstanceUid, values, more)
}

const sourcesOf = (frames: readonly MadeSegmentFrame[]) => [
  ...new Set(frames.map(({ source }) => source ?? `${STUDY}.1.1`)),
]

/** A value of AT. */
function tagBytes(keyword: string): Buffer {
  const tag = tagOf(keyword) ?? 0
  return shorts(tag >>> 16, tag & 0xffff)
}

function segmentPixels(
  frames: readonly MadeSegmentFrame[],
  size: number,
  isBinary: boolean,
): Buffer {
  const count = frames.length * size * size
  const bytes = isBinary ? Math.ceil(count / 8) : count
  const pixels = Buffer.alloc(bytes + (bytes % 2))
  for (const [index, { value }] of frames.entries())
    for (let row = 0; row < size; row++)
      for (let column = 0; column < size; column++) {
        const at = (index * size + row) * size + column
        if (!isBinary) pixels[at] = value(column, row)
        else if (value(column, row)) pixels[at >> 3] = (pixels[at >> 3] ?? 0) | (1 << (at & 7))
      }
  return pixels
}

export interface MadeRoi {
  readonly number: number
  readonly name: string
  readonly colour?: string
  readonly frameOfReferenceUid?: string
  readonly contours: readonly {
    readonly type?: string
    readonly image?: string
    /** x, y, z of each point. */
    readonly points: readonly number[]
  }[]
}

/** An RT Structure Set. */
export function structureSetFile(sopInstanceUid: string, rois: readonly MadeRoi[]): Buffer {
  return fileOf(`${STORAGE}481.3`, sopInstanceUid, {
    Modality: 'RTSTRUCT',
    FrameOfReferenceUID: FRAME_OF_REFERENCE,
    PositionReferenceIndicator: '',
    SeriesInstanceUID: `${STUDY}.4`,
    SeriesNumber: '4',
    StructureSetLabel: 'PLAN 1',
    StructureSetName: 'Target volumes',
    StructureSetDate: '20260311',
    StructureSetTime: '090000',
    OperatorsName: 'Planner^Paula',
    ReferencedFrameOfReferenceSequence: [{ FrameOfReferenceUID: FRAME_OF_REFERENCE }],
    StructureSetROISequence: rois.map((roi) => ({
      ROINumber: String(roi.number),
      ReferencedFrameOfReferenceUID: roi.frameOfReferenceUid ?? FRAME_OF_REFERENCE,
      ROIName: roi.name,
      ROIGenerationAlgorithm: 'MANUAL',
    })),
    ROIContourSequence: rois.map((roi) => ({
      ROIDisplayColor: roi.colour ?? '255\\0\\255',
      ContourSequence: roi.contours.map(({ type = 'CLOSED_PLANAR', image, points }) => ({
        ...(image !== undefined && { ContourImageSequence: [referenceTo(image)] }),
        ContourGeometricType: type,
        NumberOfContourPoints: String(points.length / 3),
        ContourData: points.join('\\'),
      })),
      ReferencedROINumber: String(roi.number),
    })),
    RTROIObservationsSequence: rois.map((roi) => ({
      ObservationNumber: String(roi.number),
      ReferencedROINumber: String(roi.number),
      RTROIInterpretedType: 'ORGAN',
      ROIInterpreter: '',
    })),
  })
}
