import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import type { CaptureHeader } from '#server/dicom/objects/secondary-capture.ts'
import {
  isDeflated,
  readFrame,
  ViewedFile,
  ViewedFileFault,
} from '#server/dicom/pixel-data/viewed-file.ts'
import type { ViewedHeader } from '#server/dicom/pixel-data/viewed-header.ts'
import { ViewedInstance, ViewedSeries, ViewedStudy } from '#shared/contract/viewed-images.ts'
import { CAPTURE, captureFile } from '../electron/server/dicom/objects/capture-fixture.ts'
import {
  fileOf,
  IMAGE,
  TestSource,
  uint16,
} from '../electron/server/dicom/pixel-data/viewed-file-fixture.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { needs } from '../support/needs.ts'
import { samples } from '../support/samples.ts'
import { textOf } from '../support/saying.ts'

const run = promisify(execFile)

/**
 * What pydicom reads in files: values of the header, and digests of the frames as they are stored.
 */
const READER = `
import hashlib, json, sys, warnings, pydicom
from pydicom.encaps import generate_pixel_data_frame
warnings.simplefilter('ignore')
def text(ds, keyword):
    value = ds.get(keyword, '')
    if isinstance(value, pydicom.multival.MultiValue): return '\\\\'.join(str(one).strip() for one in value)
    return '' if value is None else str(value).strip()
def numbers(ds, keyword):
    value = ds.get(keyword, None)
    if value is None or value == '': return []
    try: return [float(one) for one in value] if isinstance(value, pydicom.multival.MultiValue) else [float(value)]
    except ValueError: return []
def swapped(data):
    pairs = bytearray(data)
    pairs[0::2], pairs[1::2] = data[1::2], data[0::2]
    return bytes(pairs)
def frames(ds, syntax):
    if 'PixelData' not in ds: return []
    count = int((numbers(ds, 'NumberOfFrames') or [1])[0])
    data = ds.PixelData
    if syntax.is_encapsulated: return list(generate_pixel_data_frame(data, count))
    if not syntax.is_little_endian and ds.BitsAllocated == 8 and ds['PixelData'].VR == 'OW': data = swapped(data)
    samples = 2 if ds.PhotometricInterpretation == 'YBR_FULL_422' else ds.SamplesPerPixel
    size = ds.Rows * ds.Columns * samples * ds.BitsAllocated // 8
    return [data[at * size:(at + 1) * size] for at in range(count)]
def look(path):
    try: ds = pydicom.dcmread(path)
    except Exception as error: return None
    found = {keyword: text(ds, keyword) for keyword in ('PatientName', 'PatientID', 'PatientBirthDate', 'PatientSex', 'StudyInstanceUID',
        'SeriesInstanceUID', 'StudyDate', 'StudyTime', 'StudyDescription', 'AccessionNumber', 'SeriesDescription', 'Modality',
        'PhotometricInterpretation', 'ImageType', 'FrameOfReferenceUID')}
    found.update({keyword: numbers(ds, keyword) for keyword in ('Rows', 'Columns', 'BitsAllocated', 'BitsStored', 'HighBit', 'SamplesPerPixel',
        'PixelRepresentation', 'NumberOfFrames', 'InstanceNumber', 'SeriesNumber', 'ImagePositionPatient', 'ImageOrientationPatient', 'PixelSpacing', 'ImagerPixelSpacing',
        'RescaleSlope', 'RescaleIntercept', 'WindowCenter', 'WindowWidth', 'SliceThickness', 'SliceLocation', 'SmallestImagePixelValue',
        'PixelPaddingValue')})
    try: found['frames'] = [hashlib.sha256(frame).hexdigest() for frame in frames(ds, ds.file_meta.TransferSyntaxUID)]
    except Exception as error: found['frames'] = []
    return found
print(json.dumps([look(path) for path in sys.argv[1:]]))
`

type Texts =
  | 'PatientName'
  | 'PatientID'
  | 'PatientBirthDate'
  | 'PatientSex'
  | 'StudyInstanceUID'
  | 'SeriesInstanceUID'
  | 'StudyDate'
  | 'StudyTime'
type MoreTexts =
  | 'StudyDescription'
  | 'AccessionNumber'
  | 'SeriesDescription'
  | 'Modality'
  | 'PhotometricInterpretation'
  | 'ImageType'
type Numbers =
  | 'Rows'
  | 'Columns'
  | 'BitsAllocated'
  | 'BitsStored'
  | 'HighBit'
  | 'SamplesPerPixel'
  | 'PixelRepresentation'
  | 'NumberOfFrames'
type MoreNumbers =
  | 'InstanceNumber'
  | 'SeriesNumber'
  | 'ImagePositionPatient'
  | 'ImageOrientationPatient'
  | 'PixelSpacing'
  | 'RescaleSlope'
type OtherNumbers =
  | 'ImagerPixelSpacing'
  | 'RescaleIntercept'
  | 'WindowCenter'
  | 'WindowWidth'
  | 'SliceThickness'
  | 'SliceLocation'
  | 'SmallestImagePixelValue'
  | 'PixelPaddingValue'
type ByPydicom = Readonly<Record<Texts | MoreTexts | 'FrameOfReferenceUID', string>> &
  Readonly<Record<Numbers | MoreNumbers | OtherNumbers, readonly number[]>> & {
    readonly frames: readonly string[]
  }

const byPydicom = (paths: readonly string[]): (ByPydicom | null)[] =>
  JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', READER, ...paths], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

interface Looked {
  readonly header: ViewedHeader | undefined
  /** Digests, or what is said of a frame. */
  readonly frames: readonly string[]
  readonly fault: string
}

async function look(path: string): Promise<Looked> {
  using folder = scratchFolder()
  const told = (error: unknown): string => {
    expect(error).toBeInstanceOf(ViewedFileFault)
    return (error as Error).message
  }
  try {
    let source = new TestSource(readFileSync(path))
    if (isDeflated(source)) {
      await inflatedFile(path, join(folder.path, 'inflated'), { bytes: 1 << 28 })
      source = new TestSource(readFileSync(join(folder.path, 'inflated')))
    }
    const file = new ViewedFile(source)
    const header = file.header()
    const frames = Array.from(
      { length: header?.instance.image ? header.instance.frames : 0 },
      (_, index) => {
        try {
          const frame = file.frame(index + 1)
          return frame ? digest(readFrame(source, frame)) : 'not yet'
        } catch (error) {
          return told(error)
        }
      },
    )
    file.extras()
    return { header, frames, fault: textOf(file.fault()) }
  } catch (error) {
    return { header: undefined, frames: [], fault: told(error) }
  }
}

/** Files of the collection that cannot be looked at, and what is said of them. */
const FAULTS: readonly (readonly [RegExp, RegExp])[] = [
  [/\.json$/, /^It is not a DICOM file: it begins like JSON text\.$/],
  [/\.gz$/, /^It is not a DICOM file: it begins like a gzip archive\.$/],
  [/^README|\.(?:txt|dump)$/, /^It is not a DICOM file\.$/],
  // A byte of what stood before it is left, so that nothing is where it should be.
  [/^no_meta\.dcm$/, /^It is not a DICOM file\.$/],
  [/^rtplan_truncated\.dcm$/, /^It ends within its header\.$/],
  [
    /^(?:empty_charset_LEI|meta_missing_tsyntax|nested_priv_SQ)\.dcm$/,
    /^It has no SOP Instance UID\.$/,
  ],
]

describe('files of other implementations', () => {
  it('are read as pydicom reads them, or with a clear fault', {
    timeout: 120_000,
  }, async (context) => {
    needs(context, 'samples')
    const all = samples()
    expect(all.length).toBeGreaterThan(100)
    const theirs = byPydicom(all.map(({ path }) => path))
    let compared = 0
    let pictures = 0
    for (const [index, { path, name }] of all.entries()) {
      const { header, frames, fault } = await look(path)
      const expectedFault = FAULTS.find(([file]) => file.test(basename(path)))
      if (!header) {
        expect(fault, name).toMatch(expectedFault?.[1] ?? /nothing/)
        continue
      }
      expect(expectedFault, name).toBeUndefined()
      const whole = { ...header.instance, source: 'archive', patient: null }
      expect(ViewedInstance.parse(whole), name).toEqual(whole)
      ViewedStudy.parse({ ...header.study, isPrior: false })
      ViewedSeries.parse(header.series)
      const theirsOf = theirs[index]
      if (!theirsOf) continue
      compared++
      expect(ofHeader(header), name).toEqual(ofPydicom(theirsOf, header))
      if (header.instance.image === null) {
        expect(textOf(header.instance.notImage), name).toMatch(/^An? .+\.$/)
        continue
      }
      if (name.endsWith('MR_truncated.dcm')) {
        expect([frames, fault]).toEqual([
          ['It ends within its pixel data.'],
          'It ends within its pixel data.',
        ])
        continue
      }
      expect(frames, name).toEqual(theirsOf.frames)
      expect(fault, name).toBe('')
      pictures += frames.length
    }
    expect(compared).toBeGreaterThan(80)
    expect(pictures).toBeGreaterThan(100)
  })

  it('have frames of many fragments where DCMTK made them', {
    timeout: 60_000,
  }, async (context) => {
    needs(context, 'pydicom', 'dcmtk')
    using folder = scratchFolder()
    const plain = join(folder.path, 'plain.dcm')
    const side = 96
    const noise = Buffer.from(
      Array.from({ length: side * side * 5 }, (_, index) => (index * index * 2_654_435) & 0xff),
    )
    writeFileSync(
      plain,
      fileOf({
        ...IMAGE,
        Rows: uint16(side),
        Columns: uint16(side),
        NumberOfFrames: '5',
        PixelData: noise,
      }),
    )
    const made: string[] = []
    for (const [name, tool, ...options] of [
      ['lossless', 'dcmcjpeg', '+e1', '+fs', '2'],
      ['lossless-no-table', 'dcmcjpeg', '+e1', '+fs', '2', '-ot'],
      ['baseline', 'dcmcjpeg', '+eb', '+fs', '1', '+ot'],
      ['ls', 'dcmcjpls', '+fs', '2'],
      ['ls-no-table', 'dcmcjpls', '+fs', '2', '-ot'],
      ['rle', 'dcmcrle', '+ot'],
      ['rle-no-table', 'dcmcrle', '-ot'],
      ['big', 'dcmconv', '+tb'],
      ['implicit', 'dcmconv', '+ti'],
      ['undefined-lengths', 'dcmconv', '+te', '-e'],
      ['no-meta', 'dcmconv', '-F', '+ti'],
    ] as const) {
      const path = join(folder.path, name)
      await run(tool, [...options, plain, path])
      made.push(path)
    }
    const theirs = byPydicom(made)
    for (const [index, path] of made.entries()) {
      const { header, frames, fault } = await look(path)
      expect(header?.instance, path).toMatchObject({
        frames: 5,
        image: { rows: side, columns: side },
      })
      expect(fault).toBe('')
      const expected = theirs[index]?.frames ?? []
      // pydicom takes no file without its preamble.
      expect(frames, path).toEqual(
        expected.length > 0
          ? expected
          : Array.from({ length: 5 }, (_, at) =>
              digest(noise.subarray(at * side * side, (at + 1) * side * side)),
            ),
      )
    }
  })
})

function ofHeader({ study, series, instance }: ViewedHeader) {
  const { image, attributes } = instance
  return {
    study,
    series: [
      series.seriesInstanceUid,
      series.modality,
      series.seriesDescription,
      series.seriesNumber,
    ],
    instance: [
      instance.instanceNumber,
      instance.imageType.join('\\'),
      instance.frameOfReferenceUid,
    ],
    frames: image ? instance.frames : 1,
    image: image && [
      image.rows,
      image.columns,
      image.bitsAllocated,
      image.bitsStored,
      image.highBit,
      image.samplesPerPixel,
    ],
    values: image && [
      image.pixelRepresentation,
      image.photometricInterpretation,
      image.padding?.[0] ?? null,
      image.smallest,
    ],
    place: image && [
      attributes.position,
      attributes.orientation,
      attributes.spacing,
      attributes.sliceThickness,
      attributes.sliceLocation,
    ],
    rescale:
      image && series.modality !== 'RTDOSE' ? [attributes.slope, attributes.intercept] : null,
    windows: image && [attributes.windowCenter, attributes.windowWidth],
  }
}

function ofPydicom(
  ds: ByPydicom,
  { instance: { image }, series }: ViewedHeader,
): ReturnType<typeof ofHeader> {
  const first = (numbers: readonly number[]): number | null => numbers[0] ?? null
  const list = (numbers: readonly number[]) =>
    numbers.length > 0 ? (numbers as [number, number, number, number, number, number]) : null
  return {
    study: {
      studyInstanceUid: ds.StudyInstanceUID,
      patientName: ds.PatientName.replace(/=+$/, ''),
      patientId: ds.PatientID,
      patientBirthDate: ds.PatientBirthDate,
      patientSex: ds.PatientSex,
      studyDate: ds.StudyDate,
      studyTime: ds.StudyTime,
      studyDescription: ds.StudyDescription,
      accessionNumber: ds.AccessionNumber,
    },
    series: [ds.SeriesInstanceUID, ds.Modality, ds.SeriesDescription, first(ds.SeriesNumber)],
    instance: [first(ds.InstanceNumber) ?? 0, ds.ImageType, ds.FrameOfReferenceUID],
    frames: image ? (first(ds.NumberOfFrames) ?? 1) : 1,
    image:
      image &&
      [ds.Rows, ds.Columns, ds.BitsAllocated, ds.BitsStored, ds.HighBit, ds.SamplesPerPixel].map(
        (numbers) => first(numbers) ?? -1,
      ),
    values: image && [
      first(ds.PixelRepresentation) === 1 ? 1 : 0,
      ds.PhotometricInterpretation,
      first(ds.PixelPaddingValue),
      first(ds.SmallestImagePixelValue),
    ],
    place: image && [
      list(ds.ImagePositionPatient),
      list(ds.ImageOrientationPatient),
      list(ds.PixelSpacing) ?? list(ds.ImagerPixelSpacing),
      first(ds.SliceThickness),
      first(ds.SliceLocation),
    ],
    rescale:
      image && series.modality !== 'RTDOSE'
        ? [first(ds.RescaleSlope), first(ds.RescaleIntercept)]
        : null,
    windows: image && [[...ds.WindowCenter], [...ds.WindowWidth]],
  }
}

describe('a secondary capture, by tools that are not ours', () => {
  const pixels = Buffer.from(Array.from({ length: 31 * 33 * 3 }, (_, index) => (index * 11) & 0xff))
  const MR = '1.2.840.10008.5.1.4.1.1.4'
  it.for<[string, CaptureHeader]>([
    ['with little known', CAPTURE],
    [
      'of one frame',
      { ...CAPTURE, source: { sopClassUid: MR, sopInstanceUid: '2.25.4', frame: null } },
    ],
    [
      'with much known',
      {
        ...CAPTURE,
        ...{
          patientBirthDate: '19700101',
          patientSex: 'F',
          studyDate: '20261121',
          studyTime: '101112',
          studyId: 'S1',
          accessionNumber: 'A1',
        },
        ...{
          studyDescription: 'Колено',
          referringPhysicianName: 'Иванов^Пётр',
          institutionName: 'Клиника',
          bodyPartExamined: 'KNEE',
          laterality: 'L',
        },
      },
    ],
    [
      'of a side that no series has',
      { ...CAPTURE, laterality: 'B', bodyPartExamined: 'HEAD', modality: '' },
    ],
    ['of an ultrasound', { ...CAPTURE, modality: 'US', derivationDescription: '' }],
  ])('has no error: %s', async ([, header], context) => {
    needs(context, 'dicom3tools')
    using folder = scratchFolder()
    const path = join(folder.path, 'capture.dcm')
    writeFileSync(path, captureFile(header, { rows: 31, columns: 33, pixels }))
    const { stdout, stderr } = await run('dciodvfy', [path]).catch(
      (error: { stdout: string; stderr: string }) => error,
    )
    expect(stdout + stderr).toContain('SCImage')
    expect(stdout + stderr).not.toMatch(/Error/)
  })

  it('is read by pydicom as it was made', (context) => {
    needs(context, 'pydicom')
    using folder = scratchFolder()
    const path = join(folder.path, 'capture.dcm')
    writeFileSync(path, captureFile(CAPTURE, { rows: 31, columns: 33, pixels }))
    const [capture] = byPydicom([path])
    expect(capture).toMatchObject({
      PatientName: CAPTURE.patientName,
      Rows: [31],
      Columns: [33],
      PhotometricInterpretation: 'RGB',
    })
    expect(capture?.frames).toEqual([digest(pixels)])
  })
})
