import type { StreamingImageVolume } from '@cornerstonejs/core'

/**
 * The parts of Cornerstone's texture of a volume that are used here (5.14,
 * `vtkStreamingOpenGLTexture.js`).
 */
interface Texture {
  get(): {
    readonly context?: WebGL2RenderingContext
    readonly _openGLRenderWindow?: unknown
    readonly target: number
    readonly width: number
    readonly height: number
    readonly depth: number
    readonly format: number
    readonly openGLDataType: number
    /** Null of a slice whose pixels are in the texture. */
    readonly updatedFrames: readonly (boolean | null | undefined)[]
  }
  getHandle(): unknown
  releaseGraphicsResources(window: unknown): void
  bind(): void
  deactivate(): void
  updateArrayDataTypeForGL(
    dataType: string,
    data: readonly ArrayLike<number>[],
  ): readonly ArrayBufferView[]
}

const ARRAY_TYPES = { Float32Array, Int16Array, Uint16Array, Uint8Array, Int8Array } as const
/** Below whatever an image has, and what each type can hold. */
const LOWEST_VALUES: Readonly<Record<keyof typeof ARRAY_TYPES, number>> = {
  Float32Array: -1e6,
  Int16Array: -32768,
  Uint16Array: 0,
  Uint8Array: 0,
  Int8Array: -128,
}

const textureOf = (volume: StreamingImageVolume) =>
  (volume as unknown as { readonly vtkOpenGLTexture?: Texture }).vtkOpenGLTexture

/**
 * Gives the memory of a volume's texture back at once: Cornerstone leaves it to the garbage
 * collector, which does not see how large it is.
 */
export function releaseTexture(volume: StreamingImageVolume): void {
  const texture = textureOf(volume)
  const window = texture?.get()._openGLRenderWindow
  if (texture?.getHandle() && window) texture.releaseGraphicsResources(window)
}

/**
 * Makes slices that have not come yet black: a texture begins with zeros, which in Hounsfield units
 * look like tissue.
 * @returns false where the texture has not been made yet: it is with the first picture
 */
export function blankUnread(volume: StreamingImageVolume): boolean {
  const texture = textureOf(volume)
  const {
    context: gl,
    target,
    width,
    height,
    depth,
    format,
    openGLDataType,
    updatedFrames,
  } = texture?.get() ?? {}
  if (!texture?.getHandle() || !gl || !width || !height || !depth || !updatedFrames) return false
  const type = volume.dataType as keyof typeof ARRAY_TYPES
  if (!(type in ARRAY_TYPES)) return true
  const [black] = texture.updateArrayDataTypeForGL(type, [
    new ARRAY_TYPES[type](width * height).fill(LOWEST_VALUES[type]),
  ])
  if (!black) return true
  texture.bind()
  for (let slice = 0; slice < depth; slice += 1) {
    if (updatedFrames[slice] === null) continue
    gl.texSubImage3D(
      target as number,
      0,
      0,
      0,
      slice,
      width,
      height,
      1,
      format as number,
      openGLDataType as number,
      black,
    )
  }
  texture.deactivate()
  return true
}
