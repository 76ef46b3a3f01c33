/** Image Pixel module (PS3.3 C.7.6.3). */
export interface HeaderPixels {
  rows: number
  columns: number
  bitsAllocated: number
  bitsStored: number
  highBit: number
  /** 0 unsigned, 1 signed. */
  pixelRepresentation: 0 | 1
  samplesPerPixel: number
  photometricInterpretation: string
  planarConfiguration: 0 | 1
  aspect?: number
  /** FloatPixelData, DoubleFloatPixelData. */
  float: '' | 'float' | 'double'
  /** Pixel Padding Value, and its range limit. */
  padding: [number, number | null] | null
  smallest: number | null
  largest: number | null
}

/**
 * What is of one frame, and differs from frame to frame of an enhanced multi-frame (PS3.3
 * C.7.6.16).
 */
export interface HeaderFrame {
  /** Image Position and Orientation (Patient), mm. */
  position: [number, number, number] | null
  orientation: [number, number, number, number, number, number] | null
  /** Between rows, between columns; mm. */
  spacing: [number, number] | null
  /**
   * patient: Pixel Spacing of a volume; detector: Imager Pixel Spacing, at the detector and so
   * larger than the patient; calibrated: by a fiducial or geometry; region: of an ultrasound
   * region; none.
   */
  spacingFrom: 'patient' | 'detector' | 'calibrated' | 'region' | 'none'
  sliceThickness: number | null
  sliceLocation: number | null
  /** Null: the stored values are what they are. */
  slope: number | null
  intercept: number | null
  windowCenter: number[]
  windowWidth: number[]
}
