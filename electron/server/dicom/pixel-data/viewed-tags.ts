import { tagOf } from '#server/dicom/data-set/dictionary.ts'

const KEYWORDS = [
  // patient, study, series, instance
  ...([
    'SpecificCharacterSet',
    'SOPClassUID',
    'SOPInstanceUID',
    'PatientName',
    'PatientID',
    'PatientBirthDate',
    'PatientSex',
  ] as const),
  ...([
    'StudyInstanceUID',
    'StudyDate',
    'StudyTime',
    'StudyDescription',
    'AccessionNumber',
  ] as const),
  ...([
    'SeriesInstanceUID',
    'SeriesNumber',
    'SeriesDescription',
    'Modality',
    'BodyPartExamined',
    'Laterality',
  ] as const),
  ...([
    'InstanceNumber',
    'ImageType',
    'AcquisitionTime',
    'AcquisitionDateTime',
    'ContentTime',
    'FrameOfReferenceUID',
  ] as const),
  ...([
    'ViewPosition',
    'ViewCodeSequence',
    'CodeValue',
    'ImageLaterality',
    'FrameLaterality',
    'PatientOrientation',
  ] as const),
  ...([
    'LossyImageCompression',
    'LossyImageCompressionRatio',
    'LossyImageCompressionMethod',
  ] as const),
  // pixels
  ...([
    'Rows',
    'Columns',
    'BitsAllocated',
    'BitsStored',
    'HighBit',
    'PixelRepresentation',
    'SamplesPerPixel',
  ] as const),
  ...([
    'PhotometricInterpretation',
    'PlanarConfiguration',
    'PixelAspectRatio',
    'NumberOfFrames',
    'PixelPaddingValue',
    'PixelPaddingRangeLimit',
  ] as const),
  ...([
    'SmallestImagePixelValue',
    'LargestImagePixelValue',
    'ExtendedOffsetTable',
    'ExtendedOffsetTableLengths',
  ] as const),
  // geometry
  ...([
    'ImagePositionPatient',
    'ImageOrientationPatient',
    'PixelSpacing',
    'ImagerPixelSpacing',
    'NominalScannedPixelSpacing',
  ] as const),
  ...([
    'PixelSpacingCalibrationType',
    'EstimatedRadiographicMagnificationFactor',
    'SliceThickness',
    'SliceLocation',
  ] as const),
  ...([
    'SpacingBetweenSlices',
    'SliceVector',
    'DetectorInformationSequence',
    'GridFrameOffsetVector',
  ] as const),
  ...([
    'SequenceOfUltrasoundRegions',
    'RegionSpatialFormat',
    'PhysicalUnitsXDirection',
    'PhysicalUnitsYDirection',
  ] as const),
  ...(['PhysicalDeltaX', 'PhysicalDeltaY', 'RegionLocationMinX0', 'RegionLocationMinY0'] as const),
  ...(['RegionLocationMaxX1', 'RegionLocationMaxY1'] as const),
  // values
  ...([
    'RescaleSlope',
    'RescaleIntercept',
    'RescaleType',
    'WindowCenter',
    'WindowWidth',
    'VOILUTFunction',
    'Units',
  ] as const),
  ...(['WindowCenterWidthExplanation', 'DoseGridScaling', 'DoseUnits'] as const),
  // time
  ...(['FrameTime', 'FrameTimeVector', 'CineRate', 'RecommendedDisplayFrameRate'] as const),
  // functional groups
  ...([
    'SharedFunctionalGroupsSequence',
    'PerFrameFunctionalGroupsSequence',
    'PlanePositionSequence',
    'PlaneOrientationSequence',
  ] as const),
  ...([
    'PixelMeasuresSequence',
    'PixelValueTransformationSequence',
    'FrameVOILUTSequence',
    'FrameAnatomySequence',
  ] as const),
  ...(['FramePixelDataPropertiesSequence'] as const),
  // tables
  ...([
    'ModalityLUTSequence',
    'ModalityLUTType',
    'VOILUTSequence',
    'LUTDescriptor',
    'LUTExplanation',
    'LUTData',
  ] as const),
  ...([
    'RedPaletteColorLookupTableDescriptor',
    'RedPaletteColorLookupTableData',
    'SegmentedRedPaletteColorLookupTableData',
  ] as const),
  ...(['GreenPaletteColorLookupTableDescriptor', 'GreenPaletteColorLookupTableData'] as const),
  ...([
    'SegmentedGreenPaletteColorLookupTableData',
    'SegmentedBluePaletteColorLookupTableData',
  ] as const),
  ...(['BluePaletteColorLookupTableDescriptor', 'BluePaletteColorLookupTableData'] as const),
  // documents
  ...([
    'EncapsulatedDocument',
    'EncapsulatedDocumentLength',
    'MIMETypeOfEncapsulatedDocument',
    'DocumentTitle',
  ] as const),
] as const

/** Tags of the attributes that are looked at, by the keywords of PS3.6. */
export const TAG = Object.fromEntries(
  KEYWORDS.map((keyword) => {
    const tag = tagOf(keyword)
    if (tag === undefined) throw new RangeError(`no such attribute: ${keyword}`)
    return [keyword, tag]
  }),
) as Readonly<Record<(typeof KEYWORDS)[number], number>>

const TAGS: ReadonlySet<number> = new Set(Object.values(TAG))

/** Overlay planes are groups 6000 to 601E (PS3.5 §7.6). */
const isOverlay = (tag: number): boolean =>
  tag >= 0x60000000 && tag <= 0x601effff && (tag & 0x10000) === 0

export const isLookedAt = (tag: number): boolean => TAGS.has(tag) || isOverlay(tag)
