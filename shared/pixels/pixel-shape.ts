import type { FrameHeader } from './opening-window.ts'

/**
 * Distances between rows and between columns that pixels are drawn by: mm, or of pixels whose
 * shape alone is known (PS3.3 C.7.6.3.1.7); null of square ones.
 */
export function shapeOf({ attributes, instance }: FrameHeader): readonly [number, number] | null {
  const aspect = instance.image?.aspect
  return attributes.spacing ?? (aspect === undefined ? null : [aspect, 1])
}
