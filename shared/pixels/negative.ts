import type { ImagePixel } from '../contract/viewed-images.ts'

/**
 * Whether the lowest value is displayed white: Presentation LUT Shape decides (PS3.3 C.8.11.3.1.2),
 * or if it is missing, the photometric interpretation (C.7.6.3.1.2).
 */
export const isNegative = ({
  presentationLutShape,
  photometricInterpretation,
}: Pick<ImagePixel, 'presentationLutShape' | 'photometricInterpretation'>): boolean =>
  presentationLutShape === undefined
    ? photometricInterpretation === 'MONOCHROME1'
    : presentationLutShape === 'INVERSE'
