import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PixelFile } from './pixel-files.ts'

/** Levels of 0 to 255, one or three for each pixel, rows from the top. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly samples: 1 | 3
  readonly levels: Uint8Array
}

export interface Reference {
  readonly picture: Picture
  /** The same with its overlays in white; undefined where it has none. */
  readonly overlaid: Picture | undefined
}

/** DCMTK has a program for each family of encodings. */
const RENDERERS = ['dcm2pnm', 'dcmj2pnm', 'dcml2pnm']

/**
 * How a frame of a file is drawn by DCMTK; undefined where it cannot. @param how options for the VOI
 * transformation
 */
export function referenceOf(
  folder: string,
  { name, of, pictures, overlaid, frames }: PixelFile,
  frame: number,
  how: readonly string[],
): Reference | undefined {
  const [made, above] = [pictures, overlaid].map((made) => {
    const path = made?.[frames.indexOf(frame)]
    return path === undefined ? undefined : readPnm(readFileSync(path))
  })
  if (made) return { picture: made, overlaid: above }
  const path = join(folder, `${of ?? name}.dcm`)
  const draw = (...more: string[]) => drawn(path, ['+F', String(frame), ...how, ...more])
  const picture = draw('-O')
  return picture && { picture, overlaid: draw('+O', '0', '+Omr') }
}

function drawn(path: string, options: readonly string[]): Picture | undefined {
  for (const renderer of RENDERERS) {
    const { status, stdout } = spawnSync(renderer, ['-q', '+op', ...options, path], {
      maxBuffer: 1 << 27,
    })
    if (status === 0 && stdout.length > 0) return readPnm(stdout)
  }
  return undefined
}

/** Netpbm's PGM and PPM in binary (P5, P6), of 8 bits. */
export function readPnm(bytes: Buffer): Picture {
  const header = /^P([56])\s+(?:#.*\n)?(\d+)\s+(\d+)\s+(\d+)\s/.exec(
    bytes.toString('latin1', 0, 200),
  )
  if (header?.[4] !== '255') throw new Error('a PNM of another kind')
  return {
    width: Number(header[2]),
    height: Number(header[3]),
    samples: header[1] === '5' ? 1 : 3,
    levels: bytes.subarray(header[0].length),
  }
}
