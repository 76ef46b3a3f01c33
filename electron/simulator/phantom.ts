import { type Attributes, part10Head } from './part10.ts'

// A synthetic thorax that shows orientation and order: the heart and a bright vessel on the
// patient's left, the liver on the right in the lower slices, the spine at the back, an R beside
// the patient's right side, and the number of each slice at the bottom.

/** Number of rows and of columns. */
export const PHANTOM_SIDE = 512
/** Pixel of a slice (column, row, starting at 0) whose value in HU is the number of the slice. */
export const NUMBER_PIXEL = [500, 506] as const
/** Pixels with the same value in every slice: column, row, HU, description. */
export const LANDMARKS = [
  [256, 400, 700, 'spine, behind'],
  [30, 60, 1500, 'R, on the patient’s right'],
  [310, 345, 250, 'vessel, on the patient’s left'],
  [480, 60, -1000, 'air'],
] as const
const CT_IMAGE = '1.2.840.10008.5.1.4.1.1.2'
const MR_IMAGE = '1.2.840.10008.5.1.4.1.1.4'
const ENHANCED_CT_IMAGE = '1.2.840.10008.5.1.4.1.1.2.1'
const SPACING = 0.7
const ROW_BYTES = PHANTOM_SIDE * 2
/**
 * Rows at the bottom that differ in each slice; those above are shared by slices of the same level.
 */
const NUMBER_ROWS = 24
const LEVELS = 32

export interface PhantomSeries {
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
  readonly slices: number
  /** CT by default. MR slices have the same pixels without Hounsfield units. */
  readonly modality?: 'CT' | 'MR'
  /** Distance between slices in mm; defaults to 1. */
  readonly sliceSpacing?: number
  readonly patientName?: string
  readonly patientId?: string
  /** DA. */
  readonly patientBirthDate?: string
  /** M, F or O. */
  readonly patientSex?: string
  /** DA. */
  readonly studyDate?: string
  readonly studyDescription?: string
  readonly seriesDescription?: string
  readonly seriesNumber?: number
  readonly accessionNumber?: string
}

/** A file in parts that are sent one after the other; parts shared by files are in memory once. */
export type FileParts = readonly Buffer[]

export const phantomSopUid = (
  { seriesInstanceUid }: Pick<PhantomSeries, 'seriesInstanceUid'>,
  number: number,
): string => `${seriesInstanceUid}.${number}`

export const phantomSopClass = ({ modality }: Pick<PhantomSeries, 'modality'>): string =>
  modality === 'MR' ? MR_IMAGE : CT_IMAGE

/**
 * Slice `number` of a series, starting at 1 at the head: 512 × 512 pixels of 16 bits, signed,
 * 525 KB.
 */
export function phantomSlice(series: PhantomSeries, number: number): FileParts {
  const { slices, sliceSpacing = 1 } = series
  const head = part10Head(
    phantomSopClass(series),
    phantomSopUid(series, number),
    [
      ...commonAttributesOf(series),
      ...(series.modality === 'MR' ? MR_SLICE : CT_SLICE),
      [0x00180050, 'DS', String(sliceSpacing)],
      [0x00200013, 'IS', String(number)],
      [0x00200032, 'DS', positionOf(number, sliceSpacing)],
      [0x00200037, 'DS', '1\\0\\0\\0\\1\\0'],
      [0x00201041, 'DS', String(-(number - 1) * sliceSpacing)],
      [0x00280030, 'DS', `${SPACING}\\${SPACING}`],
    ],
    PHANTOM_SIDE * ROW_BYTES,
  )
  return [head, levelOf(number, slices), numberRowsOf(number)]
}

/**
 * The same volume as one Enhanced CT (PS3.3 A.38), with the geometry of each frame in its
 * functional groups.
 */
export function phantomMultiFrame(series: PhantomSeries): FileParts {
  const { slices, sliceSpacing = 1 } = series
  const numbers = Array.from({ length: slices }, (_, index) => index + 1)
  const perFrame = numbers.map(
    (number): Attributes => [
      [0x00209111, 'SQ', [[[0x00209057, 'UL', number]]]],
      [0x00209113, 'SQ', [[[0x00200032, 'DS', positionOf(number, sliceSpacing)]]]],
    ],
  )
  const shared: Attributes = [
    [0x00209116, 'SQ', [[[0x00200037, 'DS', '1\\0\\0\\0\\1\\0']]]],
    [
      0x00289110,
      'SQ',
      [
        [
          [0x00180050, 'DS', String(sliceSpacing)],
          [0x00280030, 'DS', `${SPACING}\\${SPACING}`],
        ],
      ],
    ],
    [
      0x00289132,
      'SQ',
      [
        [
          [0x00281050, 'DS', '40'],
          [0x00281051, 'DS', '400'],
        ],
      ],
    ],
    [
      0x00289145,
      'SQ',
      [
        [
          [0x00281052, 'DS', '-1024'],
          [0x00281053, 'DS', '1'],
          [0x00281054, 'LO', 'HU'],
        ],
      ],
    ],
  ]
  const head = part10Head(
    ENHANCED_CT_IMAGE,
    phantomSopUid(series, 1),
    [
      ...commonAttributesOf(series),
      [0x00080008, 'CS', 'ORIGINAL\\PRIMARY\\VOLUME\\NONE'],
      [0x00180015, 'CS', 'CHEST'],
      [0x00180060, 'DS', '120'],
      [0x00200013, 'IS', '1'],
      [0x00280008, 'IS', String(slices)],
      [0x52009229, 'SQ', [shared]],
      [0x52009230, 'SQ', perFrame],
    ],
    slices * PHANTOM_SIDE * ROW_BYTES,
  )
  return [head, ...numbers.flatMap((number) => [levelOf(number, slices), numberRowsOf(number)])]
}

const positionOf = (number: number, sliceSpacing: number) => {
  const corner = (-PHANTOM_SIDE / 2) * SPACING
  return `${corner}\\${corner}\\${-(number - 1) * sliceSpacing}`
}

const CT_SLICE: Attributes = [
  [0x00080008, 'CS', 'ORIGINAL\\PRIMARY\\AXIAL'],
  [0x00180015, 'CS', 'CHEST'],
  [0x00180060, 'DS', '120'],
  [0x00281050, 'DS', '40'],
  [0x00281051, 'DS', '400'],
  [0x00281052, 'DS', '-1024'],
  [0x00281053, 'DS', '1'],
  [0x00281054, 'LO', 'HU'],
]

// PS3.3 C.8.3.1.
const MR_SLICE: Attributes = [
  [0x00080008, 'CS', 'ORIGINAL\\PRIMARY\\OTHER'],
  [0x00180020, 'CS', 'SE'],
  [0x00180021, 'CS', 'NONE'],
  [0x00180022, 'CS', ''],
  [0x00180023, 'CS', '2D'],
  [0x00180080, 'DS', '600'],
  [0x00180081, 'DS', '12'],
  [0x00180091, 'IS', '1'],
  [0x00281050, 'DS', '1000'],
  [0x00281051, 'DS', '1600'],
]

const commonAttributesOf = (series: PhantomSeries): Attributes => [
  [0x00080005, 'CS', 'ISO_IR 192'],
  [0x00080020, 'DA', series.studyDate ?? '20261120'],
  [0x00080023, 'DA', series.studyDate ?? '20261120'],
  [0x00080030, 'TM', '104000'],
  [0x00080033, 'TM', '104100'],
  [0x00080050, 'SH', series.accessionNumber ?? 'A-0815'],
  [0x00080060, 'CS', series.modality ?? 'CT'],
  [0x00080070, 'LO', 'Invented'],
  [0x00080090, 'PN', ''],
  [0x00081030, 'LO', series.studyDescription ?? 'CT thorax (phantom)'],
  [0x0008103e, 'LO', series.seriesDescription ?? 'Thorax 1.0'],
  [0x00100010, 'PN', series.patientName ?? 'PHANTOM^THORAX'],
  [0x00100020, 'LO', series.patientId ?? 'P-0815'],
  [0x00100030, 'DA', series.patientBirthDate ?? '19710503'],
  [0x00100040, 'CS', series.patientSex ?? 'O'],
  [0x00185100, 'CS', 'HFS'],
  [0x0020000d, 'UI', series.studyInstanceUid],
  [0x0020000e, 'UI', series.seriesInstanceUid],
  [0x00200010, 'SH', '1'],
  [0x00200011, 'IS', String(series.seriesNumber ?? 2)],
  [0x00200052, 'UI', `${series.studyInstanceUid}.9`],
  [0x00200012, 'IS', '1'],
  [0x00201040, 'LO', ''],
  [0x00280002, 'US', 1],
  [0x00280004, 'CS', 'MONOCHROME2'],
  [0x00280010, 'US', PHANTOM_SIDE],
  [0x00280011, 'US', PHANTOM_SIDE],
  [0x00280100, 'US', 16],
  [0x00280101, 'US', 16],
  [0x00280102, 'US', 15],
  [0x00280103, 'US', 1],
]

const levels = new Map<number, Buffer>()

/** A slice without its bottom rows, drawn once for each level from head (0) to foot. */
function levelOf(number: number, slices: number): Buffer {
  const level = slices <= 1 ? LEVELS >> 1 : Math.floor(((number - 1) / slices) * LEVELS)
  const known = levels.get(level)
  if (known) return known
  const rows = PHANTOM_SIDE - NUMBER_ROWS
  const pixels = new Int16Array(rows * PHANTOM_SIDE)
  const depth = level / (LEVELS - 1)
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < PHANTOM_SIDE; x++)
      pixels[y * PHANTOM_SIDE + x] = hounsfield(x, y, depth) + 1024
  }
  const bytes = Buffer.from(pixels.buffer)
  levels.set(level, bytes)
  return bytes
}

const within = (x: number, y: number, cx: number, cy: number, rx: number, ry: number) =>
  ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1

/**
 * `x`: column from the patient's right; `y`: row from the front; `depth`: 0 at the head, 1 at the
 * foot.
 */
function hounsfield(x: number, y: number, depth: number): number {
  if (isLetter(x, y)) return 1500
  if (!within(x, y, 256, 270, 205, 160)) return -1000
  if (!within(x, y, 256, 270, 190, 146)) return -100
  if (within(x, y, 256, 400, 32, 26) || within(x, y, 256, 140, 30, 8)) return 700
  if (within(x, y, 310, 345, 17, 17)) return 250
  const lungs = 0.75 - 0.35 * Math.abs(depth - 0.4)
  // In the lower part the liver replaces the right lung.
  if (depth > 0.6 && within(x, y, 165, 265, 90 * (depth + 0.1), 105)) return 60
  if (within(x, y, 325, 225, 48, 42)) return 40 + 40 * depth
  if (
    within(x, y, 160, 265, 105 * lungs, 150 * lungs) ||
    within(x, y, 355, 275, 85 * lungs, 135 * lungs)
  )
    return -850
  return 40
}

const R = ['11110', '10001', '10001', '11110', '10100', '10010', '10001']
const isLetter = (x: number, y: number) =>
  R[Math.floor((y - 60) / 8)]?.[Math.floor((x - 30) / 8)] === '1' && x >= 30 && y >= 60

const DIGITS = [
  '111101101101111',
  '010110010010111',
  '111001111100111',
  '111001111001111',
  '101101111001001',
].concat(
  ...[
    '111100111001111',
    '111100111101111',
    '111001001001001',
    '111101111101111',
    '111101111001111',
  ],
)

/**
 * The number of the slice as digits of 4 × 4 blocks, and as the value of the last block of its
 * rows.
 */
function numberRowsOf(number: number): Buffer {
  const pixels = new Int16Array(NUMBER_ROWS * PHANTOM_SIDE).fill(-1000 + 1024)
  const draw = (x: number, y: number, size: number, value: number) => {
    for (let row = y; row < y + size; row++)
      pixels.fill(value + 1024, row * PHANTOM_SIDE + x, row * PHANTOM_SIDE + x + size)
  }
  for (const [place, digit] of [...String(number)].entries()) {
    for (const [block, isSet] of [...(DIGITS[Number(digit)] ?? '')].entries()) {
      if (isSet === '1')
        draw(220 + place * 16 + (block % 3) * 4, 2 + Math.floor(block / 3) * 4, 4, 1000)
    }
  }
  draw(NUMBER_PIXEL[0] - 4, NUMBER_PIXEL[1] - (PHANTOM_SIDE - NUMBER_ROWS) - 4, 8, number)
  return Buffer.from(pixels.buffer)
}
