// Draws the icons of the tray by ImageMagick (`node scripts/tray-icons.mjs`):
// renderer/public/tray-*.png. What it draws is kept in the repository, so a build needs no
// ImageMagick. Each state has a shape of its own beside its colour: whoever sees no colours, sees
// it too.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../renderer/public')
// Drawn at 512 and made small, as 16 pixels leave no place for curves.
const BOARD = 512
const SIZES = [
  ['', 16],
  ['@2x', 32],
]
// The straits of the logo: two shores and the water between.
const SHORES = [
  "path 'M 0,150 C 150,150 150,216 256,216 C 362,216 362,150 512,150'",
  "path 'M 0,362 C 150,362 150,296 256,296 C 362,296 362,362 512,362'",
]

/** A sign in the lower right corner: its colour, what it fills, and what is drawn on it. */
const SIGNS = {
  ok: undefined,
  attention: {
    colour: '#b25b00',
    fills: ['polygon 352,196 512,496 192,496'],
    marks: ['line 352,300 352,400', 'line 352,446 352,450'],
  },
  'partner-away': {
    colour: '#8a5a00',
    fills: [],
    rings: ['circle 352,352 352,228'],
    marks: [],
    bars: ['line 264,440 440,264'],
  },
  'listener-down': {
    colour: '#b3261e',
    fills: ['roundrectangle 212,212 500,500 40,40'],
    marks: ['line 286,286 426,426', 'line 426,286 286,426'],
  },
  'update-ready': {
    colour: '#1769aa',
    fills: ['circle 352,352 352,208'],
    marks: ['line 352,270 352,424', 'polyline 286,362 352,430 418,362'],
  },
}

const stroke = (colour, width) => [
  '-fill',
  'none',
  '-stroke',
  colour,
  '-strokewidth',
  String(width),
]
const drawn = (shapes) =>
  shapes.flatMap((shape) => ['-draw', `stroke-linecap round stroke-linejoin round ${shape}`])

/** @param isTemplate black on nothing: macOS colours it as its menu bar */
function draw(state, isTemplate) {
  const sign = SIGNS[state]
  const ink = isTemplate ? '#000000' : '#ffffff'
  const ground = isTemplate
    ? [...stroke('#000000', 36), '-draw', 'roundrectangle 26,26 486,486 112,112']
    : ['-fill', '#0e6472', '-stroke', 'none', '-draw', 'roundrectangle 0,0 511,511 128,128']
  const logo = [
    '-size',
    `${BOARD}x${BOARD}`,
    'xc:none',
    ...ground,
    ...stroke(ink, 52),
    ...drawn(SHORES),
  ]
  if (!sign) return logo
  const { colour, fills, rings = [], marks, bars = [] } = sign
  const paint = isTemplate ? '#000000' : colour
  // A gap between the logo and the sign, so that both are read at 16 pixels.
  const gap = [
    '(',
    '-size',
    `${BOARD}x${BOARD}`,
    'xc:none',
    '-fill',
    '#fff',
    '-stroke',
    '#fff',
    '-strokewidth',
    '72',
    ...drawn([...fills, ...rings]),
    ')',
  ]
  const signOf = [
    '(',
    '-size',
    `${BOARD}x${BOARD}`,
    'xc:none',
    '-fill',
    paint,
    '-stroke',
    'none',
    ...drawn(fills),
  ]
  const lines = [
    ...(rings.length > 0 && !isTemplate
      ? ['-fill', '#ffffff', '-stroke', paint, '-strokewidth', '56', ...drawn(rings)]
      : []),
    ...(rings.length > 0 && isTemplate ? [...stroke(paint, 56), ...drawn(rings)] : []),
    ...stroke(paint, 56),
    ...drawn(bars),
  ]
  // On the black sign of a template the mark is cut out.
  const cut = isTemplate
    ? [
        '(',
        '-size',
        `${BOARD}x${BOARD}`,
        'xc:none',
        ...stroke('#fff', 56),
        ...drawn(marks),
        ')',
        '-compose',
        'DstOut',
        '-composite',
      ]
    : [...stroke('#ffffff', 56), ...drawn(marks)]
  return [
    ...logo,
    ...gap,
    '-compose',
    'DstOut',
    '-composite',
    ...signOf,
    ...lines,
    ...cut,
    ')',
    '-compose',
    'Over',
    '-composite',
  ]
}

for (const state of Object.keys(SIGNS)) {
  for (const isTemplate of [false, true]) {
    for (const [end, side] of SIZES) {
      const file = join(FOLDER, `tray-${state}${isTemplate ? 'Template' : ''}${end}.png`)
      execFileSync('convert', [
        ...draw(state, isTemplate),
        '-filter',
        'Lanczos',
        '-resize',
        `${side}x${side}`,
        '-strip',
        `PNG32:${file}`,
      ])
    }
  }
}
