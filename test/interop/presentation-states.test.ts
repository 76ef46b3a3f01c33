import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NamedValues } from '#server/dicom/data-set/named-data-set.ts'
import { ViewedFile } from '#server/dicom/pixel-data/viewed-file.ts'
import { readReferencingObject } from '#server/dicom/referencing-objects/referencing-object.ts'
import { presentedGrayscale } from '#shared/pixels/presented-grayscale.ts'
import { TestSource } from '../electron/server/dicom/pixel-data/viewed-file-fixture.ts'
import { needs } from '../support/needs.ts'
import {
  longs,
  presentationFile,
  STORAGE,
  segmentationFile,
  shorts,
  sliceFile,
  structureSetFile,
} from '../support/referencing-files.ts'

// Brightness by a presentation state is what DCMTK renders; the files of these tests are what
// dicom3tools and DCMTK take for valid.

const SIZE = 32
const IMAGE = '2.25.9300.1.1'
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'presentation-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const value = (column: number, row: number) => 1024 - 200 + column * 16 + row * 5
const area = {
  DisplayedAreaSelectionSequence: [
    {
      DisplayedAreaTopLeftHandCorner: longs(1, 1),
      DisplayedAreaBottomRightHandCorner: longs(SIZE, SIZE),
      PresentationSizeMode: 'SCALE TO FIT',
      PresentationPixelAspectRatio: '1\\1',
    },
  ],
}

/** Grey of each pixel as DCMTK renders it. */
function rendered(image: Buffer, state: Buffer): Uint8Array {
  const [imageFile, stateFile, output] = ['i.dcm', 'p.dcm', 'o.pgm'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  writeFileSync(imageFile, image)
  writeFileSync(stateFile, state)
  execFileSync('dcmp2pgm', ['-q', '-p', stateFile, imageFile, output])
  const bytes = readFileSync(output)
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString('latin1', 0, 40))?.[0] ?? ''
  return bytes.subarray(head.length)
}

/** Grey of each pixel by the viewer's transformation of values after the image's own rescale. */
async function presented(imageFile: Buffer, stateFile: Buffer): Promise<Uint8Array> {
  const { instance } = new ViewedFile(new TestSource(imageFile)).header() ?? {}
  const state = await readReferencingObject(new TestSource(stateFile))
  if (state.kind !== 'presentation-state' || !instance?.image) throw new Error('not read')
  const grayscale = presentedGrayscale(state, state.voi[0], {
    pixel: instance.image,
    attributes: instance.attributes,
    modalityLut: null,
  })
  if ('code' in grayscale) throw new Error(grayscale.code)
  const { lower, upper, levels = new Float32Array([0, 1]), isInverted } = grayscale
  return Uint8Array.from({ length: SIZE * SIZE }, (_, n) => {
    const own = value(n % SIZE, Math.floor(n / SIZE)) - 1024
    const at = Math.max(0, Math.min(1, (own - lower) / (upper - lower))) * (levels.length - 1)
    const [below = 0, above = below] = [levels[Math.floor(at)], levels[Math.ceil(at)]]
    const level = below + (above - below) * (at - Math.floor(at))
    return Math.round((isInverted ? 1 - level : level) * 255)
  })
}

const ramp = (entries: number, of: (share: number) => number) =>
  shorts(...Array.from({ length: entries }, (_, n) => Math.round(of(n / (entries - 1)))))
const window = { SoftcopyVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '400' }] }
const lut = {
  SoftcopyVOILUTSequence: [
    {
      VOILUTSequence: [
        {
          LUTDescriptor: shorts(301, 0, 12),
          LUTData: ramp(301, (share) => 4095 * share ** 2),
        },
      ],
    },
  ],
}
const NO_RESCALE = { RescaleIntercept: undefined, RescaleSlope: undefined, RescaleType: undefined }

const CASES: Readonly<Record<string, NamedValues>> = {
  'a window': window,
  'a narrow window': { SoftcopyVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '2' }] },
  'an inverse presentation LUT shape': { ...window, PresentationLUTShape: 'INVERSE' },
  'no VOI transformation': {},
  'a rescale that is not that of the image': {
    ...window,
    RescaleSlope: '0.5',
    RescaleIntercept: '-500',
  },
  'no modality transformation': {
    ...NO_RESCALE,
    SoftcopyVOILUTSequence: [{ WindowCenter: '1064', WindowWidth: '400' }],
  },
  'a modality LUT': {
    ...NO_RESCALE,
    ModalityLUTSequence: [
      {
        LUTDescriptor: shorts(1000, 800, 12),
        ModalityLUTType: 'US',
        LUTData: ramp(1000, (share) => 4095 * (1 - share) ** 2),
      },
    ],
    SoftcopyVOILUTSequence: [{ WindowCenter: '2048', WindowWidth: '4096' }],
  },
  'a VOI LUT': lut,
  'a presentation LUT': {
    ...window,
    PresentationLUTShape: undefined,
    PresentationLUTSequence: [
      {
        LUTDescriptor: shorts(256, 0, 8),
        LUTData: ramp(256, (share) => 255 * (1 - (1 - share) ** 2)),
      },
    ],
  },
}

describe('brightness by a presentation state', () => {
  it.each(Object.entries(CASES))('with %s is what DCMTK renders', async (_name, values) => {
    const state = presentationFile('2.25.9300.2.1', [IMAGE], { ...area, ...values })
    for (const photometric of ['MONOCHROME2', 'MONOCHROME1']) {
      const image = sliceFile({
        sopInstanceUid: IMAGE,
        size: SIZE,
        value,
        more: { PhotometricInterpretation: photometric },
      })
      const [theirs, ours] = [rendered(image, state), await presented(image, state)]
      const differences = Array.from(ours, (level, n) => Math.abs(level - (theirs[n] ?? 0)))
      expect(Math.max(...theirs) - Math.min(...theirs)).toBeGreaterThan(1)
      expect(Math.max(...differences)).toBeLessThanOrEqual(2)
    }
  })
})

describe('the files of these tests', () => {
  it('are valid to dicom3tools and DCMTK', (context) => {
    needs(context, 'dicom3tools')
    const files: Record<string, Buffer> = {
      'slice.dcm': sliceFile({ sopInstanceUid: IMAGE }),
      'state.dcm': presentationFile('2.25.9300.2.1', [IMAGE], window),
      'segmentation.dcm': segmentationFile({
        sopInstanceUid: '2.25.9300.3.1',
        frames: [{ segment: 1, source: IMAGE, value: () => 1 }],
      }),
      'structures.dcm': structureSetFile('2.25.9300.4.1', [
        {
          number: 1,
          name: 'PTV',
          contours: [{ image: IMAGE, points: [0, 0, 0, 9, 0, 0, 9, 9, 0] }],
        },
      ]),
    }
    for (const [name, bytes] of Object.entries(files)) {
      const path = join(folder, name)
      writeFileSync(path, bytes)
      expect(judged('dciodvfy', path).filter((line) => line.startsWith('Error'))).toEqual([])
    }
    expect(judged('dcmpschk', join(folder, 'state.dcm')).join('\n')).toContain('Test passed')
    expect(STORAGE).toBe('1.2.840.10008.5.1.4.1.1.')
  })
})

/** What a judge says, on either output. */
function judged(command: string, path: string): string[] {
  return execFileSync('sh', ['-c', '"$0" "$1" 2>&1 || true', command, path])
    .toString('latin1')
    .split('\n')
}
