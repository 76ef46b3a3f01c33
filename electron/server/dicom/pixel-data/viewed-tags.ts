import { tagOf } from '#server/dicom/data-set/dictionary.ts'

const KEYWORDS = [
  // patient, study, series, instance
  'SpecificCharacterSet',
  'SOPClassUID',
  'SOPInstanceUID',
  'PatientName',
  'PatientID',
  'PatientBirthDate',
  'PatientSex',
  'StudyInstanceUID',
  'StudyDate',
  'StudyTime',
  'StudyDescription',
  'AccessionNumber',
  'SeriesInstanceUID',
  'SeriesNumber',
  'SeriesDescription',
  'Modality',
  'BodyPartExamined',
  'Laterality',
  'InstanceNumber',
  'ImageType',
  'AcquisitionTime',
  'AcquisitionDateTime',
  'ContentTime',
  'FrameOfReferenceUID',
  'ViewPosition',
  'ViewCodeSequence',
  'CodeValue',
  'ImageLaterality',
  'FrameLaterality',
  'PatientOrientation',
  'LossyImageCompression',
  'LossyImageCompressionRatio',
  'LossyImageCompressionMethod',
  // pixels
  'Rows',
  'Columns',
  'BitsAllocated',
  'BitsStored',
  'HighBit',
  'PixelRepresentation',
  'SamplesPerPixel',
  'PhotometricInterpretation',
  'PlanarConfiguration',
  'PixelAspectRatio',
  'NumberOfFrames',
  'PixelPaddingValue',
  'PixelPaddingRangeLimit',
  'SmallestImagePixelValue',
  'LargestImagePixelValue',
  'ExtendedOffsetTable',
  'ExtendedOffsetTableLengths',
  // geometry
  'ImagePositionPatient',
  'ImageOrientationPatient',
  'PixelSpacing',
  'ImagerPixelSpacing',
  'NominalScannedPixelSpacing',
  'PixelSpacingCalibrationType',
  'EstimatedRadiographicMagnificationFactor',
  'SliceThickness',
  'SliceLocation',
  'SpacingBetweenSlices',
  'SliceVector',
  'DetectorInformationSequence',
  'GridFrameOffsetVector',
  'SequenceOfUltrasoundRegions',
  'RegionSpatialFormat',
  'PhysicalUnitsXDirection',
  'PhysicalUnitsYDirection',
  'PhysicalDeltaX',
  'PhysicalDeltaY',
  'RegionLocationMinX0',
  'RegionLocationMinY0',
  'RegionLocationMaxX1',
  'RegionLocationMaxY1',
  // values
  'RescaleSlope',
  'RescaleIntercept',
  'RescaleType',
  'WindowCenter',
  'WindowWidth',
  'VOILUTFunction',
  'Units',
  'WindowCenterWidthExplanation',
  'DoseGridScaling',
  'DoseUnits',
  // time
  'FrameTime',
  'FrameTimeVector',
  'CineRate',
  'RecommendedDisplayFrameRate',
  // functional groups
  'SharedFunctionalGroupsSequence',
  'PerFrameFunctionalGroupsSequence',
  'PlanePositionSequence',
  'PlaneOrientationSequence',
  'PixelMeasuresSequence',
  'PixelValueTransformationSequence',
  'FrameVOILUTSequence',
  'FrameAnatomySequence',
  'FramePixelDataPropertiesSequence',
  // tables
  'ModalityLUTSequence',
  'ModalityLUTType',
  'VOILUTSequence',
  'LUTDescriptor',
  'LUTExplanation',
  'LUTData',
  'RedPaletteColorLookupTableDescriptor',
  'RedPaletteColorLookupTableData',
  'SegmentedRedPaletteColorLookupTableData',
  'GreenPaletteColorLookupTableDescriptor',
  'GreenPaletteColorLookupTableData',
  'SegmentedGreenPaletteColorLookupTableData',
  'SegmentedBluePaletteColorLookupTableData',
  'BluePaletteColorLookupTableDescriptor',
  'BluePaletteColorLookupTableData',
  // documents
  'EncapsulatedDocument',
  'EncapsulatedDocumentLength',
  'MIMETypeOfEncapsulatedDocument',
  'DocumentTitle',
] as const

/** Tags of the attributes used by the viewer, by PS3.6 keyword. */
export const TAG = Object.fromEntries(
  KEYWORDS.map((keyword) => {
    const tag = tagOf(keyword)
    if (tag === undefined) throw new RangeError(`no such attribute: ${keyword}`)
    return [keyword, tag]
  }),
) as Readonly<Record<(typeof KEYWORDS)[number], number>>

const TAGS: ReadonlySet<number> = new Set(Object.values(TAG))

/** PS3.5 §7.6: overlay planes are in groups 6000 to 601E. */
const isOverlay = (tag: number): boolean =>
  tag >= 0x60000000 && tag <= 0x601effff && (tag & 0x10000) === 0

export const isViewerTag = (tag: number): boolean => TAGS.has(tag) || isOverlay(tag)
