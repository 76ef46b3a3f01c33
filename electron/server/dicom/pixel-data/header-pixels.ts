/** Image Pixel module (PS3.3 C.7.6.3). */
export interface HeaderPixels {
  rows: number
  columns: number
  bitsAllocated: number
  bitsStored: number
  highBit: number
  /** 0: unsigned, 1: signed. */
  pixelRepresentation: 0 | 1
  samplesPerPixel: number
  photometricInterpretation: string
  /** Whether gray levels are inverted; if missing, MONOCHROME1 decides. */
  presentationLutShape?: 'IDENTITY' | 'INVERSE'
  planarConfiguration: 0 | 1
  aspect?: number
  /** FloatPixelData or DoubleFloatPixelData. */
  float: '' | 'float' | 'double'
  /** Pixel Padding Value and Pixel Padding Range Limit. */
  padding: [number, number | null] | null
  smallest: number | null
  largest: number | null
}

/**
 * Attributes of one frame, which may differ between the frames of an enhanced multi-frame image
 * (PS3.3 C.7.6.16).
 */
export interface HeaderFrame {
  /** Image Position and Orientation (Patient), in mm. */
  position: [number, number, number] | null
  orientation: [number, number, number, number, number, number] | null
  /** Between rows and between columns, in mm. */
  spacing: [number, number] | null
  /**
   * patient: Pixel Spacing of a cross-sectional image; detector: Imager Pixel Spacing, measured at
   * the detector and so larger than in the patient; calibrated: by a fiducial or geometry; region:
   * only within the ultrasound regions, which have their own spacing; none.
   */
  spacingFrom: 'patient' | 'detector' | 'calibrated' | 'region' | 'none'
  sliceThickness: number | null
  sliceLocation: number | null
  /** Null if stored values need no rescaling. */
  slope: number | null
  intercept: number | null
  windowCenter: number[]
  windowWidth: number[]
}
