import type { OpenView } from '#server/http/callers.ts'
import { SavedDrawings } from '#server/modules/viewer/saved-drawings.ts'
import { readSavedVersion } from '#server/modules/viewer/saved-version.ts'
import type { KnownInstance } from '#server/modules/viewer/view-images.ts'
import { DRAWING_KINDS, type SavedDrawing } from '#shared/contract/saved-drawings.ts'
import { knownInstance } from '../electron/server/modules/viewer/known-instance.ts'
import { openView } from '../electron/server/modules/viewer/viewing-fixture.ts'
import { tempStore } from './temp-store.ts'

export const STUDY = '2.25.100'
export const IMAGE = '2.25.100.1.1'
export const READER = {
  ...{ firstName: 'Rita', lastName: 'Sample' },
} as NonNullable<OpenView['user']>

/** A drawing of each kind on an image of 128 × 128 pixels. */
export const DRAWINGS: readonly SavedDrawing[] = [
  drawing(
    'length',
    [
      [10.5, 20.5],
      [60.25, 20.5],
    ],
    [['length', 24.88, 'mm']],
  ),
  drawing(
    'bidirectional',
    [
      [10, 30],
      [50, 30],
      [30, 25],
      [30, 35],
    ],
    [
      ['longAxis', 20, 'mm'],
      ['shortAxis', 5, 'mm'],
    ],
  ),
  drawing(
    'angle',
    [
      [70, 20],
      [80, 40],
      [100, 40],
    ],
    [['angle', 63.43, 'deg']],
  ),
  drawing(
    'cobb',
    [
      [70, 60],
      [90, 62],
      [70, 80],
      [90, 70],
    ],
    [['cobbAngle', 32.2, 'deg']],
  ),
  drawing(
    'rectangle',
    [
      [20, 50],
      [40, 50],
      [40, 60],
      [20, 60],
    ],
    [
      ['area', 50, 'mm2'],
      ['mean', -12.5, 'HU'],
      ['deviation', 3.25, 'HU'],
      ['minimum', -20, 'HU'],
      ['maximum', 3, 'HU'],
    ],
  ),
  drawing(
    'ellipse',
    [
      [30, 70],
      [30, 90],
      [24, 80],
      [36, 80],
    ],
    [
      ['area', 47.12, 'mm2'],
      ['mean', 40, 'none'],
    ],
  ),
  drawing(
    'circle',
    [
      [60, 100],
      [70, 100],
    ],
    [['area', 78.5, 'mm2']],
  ),
  drawing(
    'freehand',
    [
      [80, 90],
      [100, 92],
      [95, 110],
      [82, 105],
    ],
    [
      ['area', 60, 'mm2'],
      ['perimeter', 33, 'mm'],
    ],
  ),
  drawing(
    'line',
    [
      [10, 110],
      [20, 112],
      [30, 118],
    ],
    [['length', 11.1, 'mm']],
  ),
  drawing('probe', [[64.5, 64.5]], [['value', 77, 'HU']]),
  {
    ...drawing(
      'arrow',
      [
        [100, 10],
        [120, 25],
      ],
      [],
    ),
    text: 'Noyau «suspect»\nà revoir',
  },
  { ...drawing('text', [[5, 60]], []), text: 'Сустав 関節' },
  { ...drawing('keyImage', [], []), uid: `${IMAGE}/1`, title: '113000', text: 'Nodule' },
]

export function drawing(
  kind: SavedDrawing['kind'],
  points: [number, number][],
  values: [
    SavedDrawing['values'][number]['quantity'],
    number,
    SavedDrawing['values'][number]['unit'],
  ][],
  uid = `2.25.${7000 + DRAWING_KINDS.indexOf(kind)}`,
): SavedDrawing {
  return {
    ...{ uid, kind, sopInstanceUid: IMAGE, frame: 1, points, text: '', title: null },
    values: values.map(([quantity, value, unit]) => ({ quantity, value, unit })),
  }
}

export const CHANGES = { drawings: [], removed: [], windows: [] }

/** A CT image of 128 × 128 pixels as a view knows it. */
export function ctImage(
  more: {
    instance?: Partial<KnownInstance['instance']>
    series?: Partial<KnownInstance['series']>
  } = {},
): KnownInstance {
  const known = knownInstance(STUDY, more.instance?.sopInstanceUid ?? IMAGE)
  const { image, attributes } = known.instance
  return {
    ...known,
    series: { ...known.series, ...more.series },
    instance: {
      ...known.instance,
      frames: 1,
      image: image && { ...image, rows: 128, columns: 128 },
      attributes: {
        ...attributes,
        ...{ spacing: [0.5, 0.5], spacingFrom: 'patient', slope: 1, intercept: -1024 },
        ...{ windowCenter: [40], windowWidth: [400] },
      },
      rescaleType: 'HU',
      ...more.instance,
    },
  }
}

export interface Saving extends Disposable {
  readonly temp: ReturnType<typeof tempStore>
  readonly saved: SavedDrawings
  readonly images: Map<string, KnownInstance>
  readonly window: OpenView
  readonly link: OpenView
  /** Paths of the files of the latest version. */
  files(): Promise<string[]>
}

/** Drawings of the views of one study with one image. */
export function openSaving(): Saving {
  const temp = tempStore('2026-11-20T09:00:00.000Z')
  const images = new Map([[IMAGE, ctImage()]])
  const saved = new SavedDrawings(temp.store, { instanceOf: (_, uid) => images.get(uid) })
  const of = { studyId: null, studyInstanceUid: STUDY }
  return {
    ...{ temp, saved, images },
    window: openView({ ...of, kind: 'window', user: READER }),
    link: openView(of),
    async files() {
      const { objects } = await readSavedVersion(temp.store, STUDY)
      return Object.values(objects).flatMap(({ instances }) =>
        instances.map(({ file }) => temp.store.imageFiles.pathOf(file)),
      )
    },
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}
