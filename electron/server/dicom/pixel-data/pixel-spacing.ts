import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import type { HeaderFrame } from './header-pixels.ts'
import { TAG } from './viewed-tags.ts'

export type PixelSpacing = Pick<HeaderFrame, 'spacing' | 'spacingFrom'>

export const NO_SPACING: PixelSpacing = { spacing: null, spacingFrom: 'none' }

/** PS3.3 C.8.5.5.1.15: centimetres. */
const CENTIMETRES_CODE = 3
/** PS3.3 C.8.5.5.1.1: a two-dimensional image, as opposed to a curve or spectrum. */
const TWO_DIMENSIONAL_FORMAT = 1
/**
 * CR, DX, MG, intra-oral, XA, RF, biplane XA and the enhanced classes: projections, whose pixel
 * spacing is measured at the detector.
 */
const PROJECTION_CLASS = /^1\.2\.840\.10008\.5\.1\.4\.1\.1\.(?:1|1\.[123](?:\.1)?|12\.\d(?:\.\d)?)$/

/**
 * Pixel spacing in mm between rows and between columns, and where it was measured (PS3.3 10.7.1).
 */
export function pixelSpacing(values: AttributeValues, sopClassUid: string): PixelSpacing {
  if (regionsOf(values).length > 0) return { spacing: null, spacingFrom: 'region' }
  const own = spacingOf(values, TAG.PixelSpacing)
  const imager =
    spacingOf(values, TAG.ImagerPixelSpacing) ?? spacingOf(values, TAG.NominalScannedPixelSpacing)
  if (own && values.has(TAG.PixelSpacingCalibrationType))
    return { spacing: own, spacingFrom: 'calibrated' }
  if (own && imager)
    return { spacing: own, spacingFrom: isSame(own, imager) ? 'detector' : 'calibrated' }
  // PS3.3 10.7.1.3: for a projection it is unknown whether the spacing was corrected, and the
  // spacing at the detector is the upper bound.
  if (own)
    return {
      spacing: own,
      spacingFrom: PROJECTION_CLASS.test(sopClassUid) ? 'detector' : 'patient',
    }
  if (!imager) return NO_SPACING
  const magnification = values.number(TAG.EstimatedRadiographicMagnificationFactor) ?? 0
  if (magnification <= 0) return { spacing: imager, spacingFrom: 'detector' }
  return {
    spacing: [imager[0] / magnification, imager[1] / magnification],
    spacingFrom: 'calibrated',
  }
}

export function spacingOf(values: AttributeValues, tag: number): [number, number] | null {
  const [rows = 0, columns = 0] = values.vector(tag, 2) ?? []
  return rows > 0 && columns > 0 ? [rows, columns] : null
}

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.every((value, index) => Math.abs(value - (other[index] ?? 0)) <= 1e-6 * value)

/** A region of an ultrasound image by its first and last pixel, from 0, with its spacing in mm. */
export interface UltrasoundRegion {
  left: number
  top: number
  right: number
  bottom: number
  spacing: [number, number]
}

/**
 * The regions of an ultrasound image whose units are centimetres in both directions (PS3.3 C.8.5.5).
 * In others, such as those of Doppler spectra, and outside of regions, there are no distances.
 */
export function regionsOf(values: AttributeValues): UltrasoundRegion[] {
  return values.items(TAG.SequenceOfUltrasoundRegions).flatMap((region) => {
    const spacing = regionSpacing(region)
    const [left, top, right, bottom] = [
      TAG.RegionLocationMinX0,
      TAG.RegionLocationMinY0,
      TAG.RegionLocationMaxX1,
      TAG.RegionLocationMaxY1,
    ].map((tag) => toPixel(region.number(tag))) as [number, number, number, number]
    return spacing && left >= 0 && top >= 0 && right > left && bottom > top
      ? [{ left, top, right, bottom, spacing }]
      : []
  })
}

const toPixel = (value: number | null): number =>
  value !== null && Number.isSafeInteger(value) ? value : -1

function regionSpacing(region: AttributeValues): [number, number] | null {
  if (region.number(TAG.RegionSpatialFormat) !== TWO_DIMENSIONAL_FORMAT) return null
  const units = [TAG.PhysicalUnitsXDirection, TAG.PhysicalUnitsYDirection]
  if (units.some((tag) => region.number(tag) !== CENTIMETRES_CODE)) return null
  const between = {
    columns: Math.abs(region.number(TAG.PhysicalDeltaX) ?? 0),
    rows: Math.abs(region.number(TAG.PhysicalDeltaY) ?? 0),
  }
  return between.rows > 0 && between.columns > 0 ? [between.rows * 10, between.columns * 10] : null
}
