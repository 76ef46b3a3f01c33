import { getRenderingCapabilities } from '@cornerstonejs/core'

/** True where the processor draws the pictures, without a graphics card. */
export function isSoftware(): boolean {
  const { softwareRasterizer, webgl } = getRenderingCapabilities()
  return softwareRasterizer || !webgl
}
