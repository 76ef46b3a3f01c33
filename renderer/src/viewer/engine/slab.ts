import { Enums, type Types, utilities } from '@cornerstonejs/core'
import type { Slab, SlabKind } from './pane.ts'

const BLEND_MODES: Readonly<Record<SlabKind, Enums.BlendModes>> = {
  slice: Enums.BlendModes.COMPOSITE,
  maximum: Enums.BlendModes.MAXIMUM_INTENSITY_BLEND,
  minimum: Enums.BlendModes.MINIMUM_INTENSITY_BLEND,
  average: Enums.BlendModes.AVERAGE_INTENSITY_BLEND,
}
/**
 * Millimetres by which a slab ends sooner: vtk counts rays from a million millimetres away, in
 * numbers that are exact to 0.06 there, and is not to take in a slice that the slab only touches.
 */
const MARGIN = 0.1
const reachOf = ({ millimetres }: Slab) => Math.max(MARGIN, millimetres / 2 - MARGIN)

/** The parts of a plane's viewport and of vtk's mapper that are used here. */
interface Fields {
  readonly viewportProperties: { slabThickness?: number | undefined }
}
interface Mapper {
  setSampleDistance(millimetres: number): void
  setMaximumSamplesPerRay(samples: number): void
}

/**
 * Draws a plane as a slab, centred on it: of each pixel the greatest, least or mean value along the
 * normal. Values between voxels are interpolated, or are those of the nearest voxel where the
 * picture is not smooth: then a maximum is exactly that of the voxels.
 */
export function applySlab(viewport: Types.IVolumeViewport, slab: Slab, isSmooth: boolean): void {
  const entry = viewport.getDefaultActor()
  const volume = viewport.getImageData()
  if (!entry || !volume) return
  viewport.setBlendMode(BLEND_MODES[slab.kind])
  // Cornerstone's slab reaches as far as its thickness on both sides.
  viewport.setSlabThickness(slab.kind === 'slice' ? 0 : reachOf(slab))
  // It would scroll by the slab, and not from slice to slice.
  const fields = viewport as unknown as Fields
  fields.viewportProperties.slabThickness = undefined
  const mapper = (entry.actor as Types.VolumeActor).getMapper() as unknown as Mapper
  const step = stepOf(slab, spacingAlong(viewport), isSmooth)
  mapper.setSampleDistance(step)
  const longest = Math.hypot(
    ...volume.dimensions.map((count, n) => count * (volume.spacing[n] ?? 1)),
  )
  mapper.setMaximumSamplesPerRay(Math.max(4000, Math.ceil((2 * longest) / step)))
}

/**
 * Millimetres between two samples of a ray, whose first lies anywhere within the first step: close
 * enough that no voxel is passed over, and that a mean is one of many samples.
 */
function stepOf({ kind, millimetres }: Slab, spacing: number, isSmooth: boolean): number {
  if (kind === 'slice') return spacing / 2
  if (kind === 'average') return Math.min(spacing / 4, millimetres / 48)
  return Math.min(spacing / (isSmooth ? 4 : 2), millimetres / 4)
}

/** Distance between voxels along the normal of a plane, mm. */
function spacingAlong(viewport: Types.IVolumeViewport): number {
  const volume = viewport.getImageData()
  const { viewPlaneNormal } = viewport.getCamera()
  if (!volume || !viewPlaneNormal) return 1
  const { direction, spacing } = volume
  return utilities.getSpacingInNormalDirection(
    { direction, spacing } as unknown as Types.IImageVolume,
    viewPlaneNormal,
  )
}

/**
 * The value of a slab at a point of the patient: of the voxels nearest to the points of its line
 * along the normal. @param valueAt undefined outside of the volume
 */
export function slabValue(
  viewport: Types.IVolumeViewport,
  slab: Slab,
  place: Types.Point3,
  valueAt: (place: Types.Point3) => number | undefined,
): number | undefined {
  const { viewPlaneNormal: normal = [0, 0, 1] } = viewport.getCamera()
  const { kind } = slab
  const reach = reachOf(slab)
  const steps = Math.max(1, Math.ceil((2 * reach) / (spacingAlong(viewport) / 16)))
  const values = Array.from({ length: steps }, (_, step) => {
    const along = ((step + 0.5) / steps - 0.5) * 2 * reach
    return valueAt(place.map((value, axis) => value + (normal[axis] ?? 0) * along) as Types.Point3)
  }).filter((value) => value !== undefined)
  if (values.length === 0) return undefined
  if (kind === 'maximum') return Math.max(...values)
  if (kind === 'minimum') return Math.min(...values)
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
