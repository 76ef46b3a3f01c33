import type { ImagePatient, ViewedStudy } from '#shared/contract/viewed-images.ts'
import { dayText, timeText } from '../format/dates.ts'
import { nameText } from '../format/patient-name.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import type { PaneState, Slab } from './engine/pane.ts'
import type { SeriesState, StackImage } from './engine/stack.ts'
import { priorText } from './prior-age.ts'

/** A line at a corner. `isMinor`: the first to go where there is little room. */
export interface OverlayLine {
  readonly text: string
  readonly isMinor?: boolean
  readonly tone?: 'warning' | 'strong'
}
/**
 * Whether a line stays where the overlay is switched off: who the image is of, and what to know
 * before one measures on it.
 */
export const isAlwaysShown = (corner: Corner, { isMinor, tone }: OverlayLine): boolean =>
  corner === 'patient' ? !isMinor : tone === 'warning'
export type Corner = 'patient' | 'study' | 'image' | 'picture'
export type Overlay = Readonly<Record<Corner, readonly OverlayLine[]>>

/**
 * The four corners of a pane, as the field has them: patient top left, study and series top right,
 * image bottom left, picture bottom right. @param isAnonymous that the patient is hidden stands in
 * the place of the patient
 */
export function overlayOf(
  state: PaneState,
  study: ViewedStudy | undefined,
  isAnonymous = false,
): Overlay {
  const { series } = state
  if (!series || !study) return { patient: [], study: [], image: [], picture: [] }
  return {
    patient: isAnonymous
      ? [{ text: t('ui.viewer.overlay.anonymous'), tone: 'warning' }]
      : patientLines(patientOf(state, study)),
    study: studyLines(study, series, state.image),
    image: imageLines(state),
    picture: pictureLines(state),
  }
}

/** Who the shown image is of, or that a plane is made of images of several patients. */
function patientOf(
  { image, series, plane }: PaneState,
  study: ViewedStudy,
): ImagePatient | 'several' {
  if (image) return image.instance.patient ?? study
  const shown =
    plane && series
      ? new Set(series.stack.map(({ instance }) => JSON.stringify(instance.patient)))
      : undefined
  if (shown && shown.size > 1) return 'several'
  return series?.stack[0]?.instance.patient ?? study
}

function patientLines(study: ImagePatient | 'several'): readonly OverlayLine[] {
  if (study === 'several')
    return lines([[t('ui.viewer.overlay.severalPatients'), { tone: 'warning' }]])
  const born = study.patientBirthDate
    ? t('ui.viewer.overlay.born', { day: dayText(study.patientBirthDate) })
    : ''
  return lines([
    [nameText(study.patientName), { tone: 'strong' }],
    [study.patientId && t('ui.viewer.overlay.id', { id: study.patientId })],
    [[born, study.patientSex].filter(Boolean).join(', ')],
    [
      study.accessionNumber && t('ui.viewer.overlay.accession', { number: study.accessionNumber }),
      { isMinor: true },
    ],
  ])
}

function studyLines(
  study: ViewedStudy,
  { series, part }: SeriesState,
  image: StackImage | null,
): readonly OverlayLine[] {
  const side = image?.instance.laterality || series.laterality
  return lines([
    [study.studyDescription, { tone: 'strong' }],
    [[dayText(study.studyDate), timeText(study.studyTime)].filter(Boolean).join(' ')],
    [
      [
        series.seriesNumber !== null &&
          t('ui.viewer.overlay.seriesNumber', { number: series.seriesNumber }),
        [series.seriesDescription, part && translateMessage(part)].filter(Boolean).join(', '),
      ]
        .filter(Boolean)
        .join(': '),
    ],
    [
      [series.modality, series.bodyPartExamined, side, image?.instance.viewPosition]
        .filter(Boolean)
        .join(' '),
      { isMinor: true },
    ],
  ])
}

function imageLines(state: PaneState): readonly OverlayLine[] {
  const { image, plane, index, count, slab, kind, rendering } = state
  if (plane)
    return lines([
      [t(`ui.viewer.pane.planes.${plane}`)],
      [slab && slabText(slab), { tone: 'warning' }],
      [t('ui.viewer.overlay.slice', { number: index + 1, of: count })],
    ])
  if (kind === 'volume')
    return lines([
      [t('ui.viewer.pane.wholeVolume'), { tone: 'warning' }],
      [rendering && translateMessage(rendering.name)],
    ])
  if (!image) return []
  const { instance, attributes, frame } = image
  const acquisitionTime = timeText(instance.acquisitionTime || instance.contentTime)
  return lines([
    [t('ui.viewer.overlay.image', { number: index + 1, of: count }), { tone: 'strong' }],
    [instance.frames > 1 && t('ui.viewer.overlay.frame', { frame, of: instance.frames })],
    [
      attributes.sliceLocation !== null &&
        t('ui.viewer.overlay.location', { millimetres: millimetres(attributes.sliceLocation) }),
    ],
    [
      attributes.sliceThickness !== null &&
        t('ui.viewer.overlay.thickness', { millimetres: millimetres(attributes.sliceThickness) }),
      { isMinor: true },
    ],
    [acquisitionTime, { isMinor: true }],
  ])
}

/** How a plane is made of its thickness: `MIP 10 mm`; empty of a single slice. */
const slabText = ({ kind, millimetres }: Slab): string =>
  kind === 'slice' ? '' : t(`ui.viewer.overlay.slab.${kind}`, { millimetres })

function pictureLines({
  image,
  window,
  curve,
  isInverted,
  magnification,
  lengthNote,
  notes,
  plane,
}: PaneState): readonly OverlayLine[] {
  const lossy = image && lossyOf(image.instance)
  return lines([
    [
      window &&
        t('ui.viewer.overlay.window', {
          center: amountText(window.center),
          width: amountText(window.width),
        }),
      { tone: 'strong' },
    ],
    [curve && translateMessage(curve), { isMinor: true }],
    [isInverted && t('ui.viewer.overlay.inverted'), { tone: 'warning' }],
    [
      magnification > 0 &&
        t('ui.viewer.overlay.zoom', { percent: Math.round(magnification * 100) }),
      { isMinor: true },
    ],
    [
      !plane &&
        image &&
        (SPACING[image.attributes.spacingFrom] || (lengthNote && translateMessage(lengthNote))),
      { tone: 'warning' },
    ],
    [lossy, { tone: 'warning' }],
    ...notes.map((note): OverlayTextInput => [translateMessage(note), { tone: 'warning' }]),
    [
      image && image.instance.regions.length > 0 && t('ui.viewer.overlay.regions'),
      { tone: 'warning' },
    ],
  ])
}

const SPACING: Readonly<Record<StackImage['attributes']['spacingFrom'], string>> = {
  patient: '',
  detector: t('ui.viewer.overlay.detector'),
  calibrated: t('ui.viewer.overlay.calibrated'),
  region: t('ui.viewer.overlay.region'),
  none: t('ui.viewer.overlay.noSpacing'),
}

/**
 * Transfer syntaxes that always lose, and those that may (PS3.5 A.4: JPEG 2000, HTJ2K and JPEG XL
 * name both ways by one UID).
 */
const LOSSY: Readonly<Record<string, string>> = {
  '1.2.840.10008.1.2.4.50': t('ui.viewer.overlay.lossy'),
  '1.2.840.10008.1.2.4.51': t('ui.viewer.overlay.lossy'),
  '1.2.840.10008.1.2.4.81': t('ui.viewer.overlay.lossy'),
  '1.2.840.10008.1.2.4.91': t('ui.viewer.overlay.mayBeLossy'),
  '1.2.840.10008.1.2.4.93': t('ui.viewer.overlay.mayBeLossy'),
  '1.2.840.10008.1.2.4.203': t('ui.viewer.overlay.mayBeLossy'),
  '1.2.840.10008.1.2.4.111': t('ui.viewer.overlay.lossy'),
  '1.2.840.10008.1.2.4.112': t('ui.viewer.overlay.mayBeLossy'),
}
/** By what the file says of its history, else by how it is encoded. */
function lossyOf({ lossy, transferSyntaxUid }: StackImage['instance']): string {
  if (!lossy) return lossyText(transferSyntaxUid)
  const { ratios, methods } = lossy
  // PS3.3 C.7.6.1.1.5.1: one value for each of successive compressions.
  const steps = Array.from({ length: Math.max(ratios.length, methods.length) }, (_, step) => {
    const [method, ratio] = [methods[step], ratios[step]]
    return [method && (METHODS[method] ?? method), ratio && `${amountText(ratio)} : 1`]
      .filter(Boolean)
      .join(' ')
  }).join(', ')
  return steps ? t('ui.viewer.overlay.lossySteps', { steps }) : t('ui.viewer.overlay.lossy')
}
/** Defined Terms of Lossy Image Compression Method (PS3.3 C.7.6.1.1.5.1), by the name of each. */
const METHODS: Readonly<Record<string, string>> = {
  ISO_10918_1: 'JPEG',
  ISO_14495_1: 'JPEG-LS',
  ISO_15444_1: 'JPEG 2000',
  ISO_15444_15: 'HTJ2K',
  ISO_18181_1: 'JPEG XL',
  ISO_13818_2: 'MPEG-2',
  ISO_14496_10: 'H.264',
  ISO_23008_2: 'H.265',
}
export const lossyText = (transferSyntaxUid: string): string => LOSSY[transferSyntaxUid] ?? ''

/** A number of a window, with as many digits as it needs: `40`, `0.65`, `-1.2`. */
export function amountText(value: number): string {
  const size = Math.abs(value)
  return `${Number(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 4))}`
}
const millimetres = (value: number) => `${Number(value.toFixed(2))}`

type OverlayTextInput = readonly [
  text: string | false | null | undefined,
  more?: Omit<OverlayLine, 'text'>,
]
const lines = (given: readonly OverlayTextInput[]): readonly OverlayLine[] =>
  given.flatMap(([text, more]) => (text ? [{ text, ...more }] : []))

/** One sentence of what a pane shows, for somebody who does not see it. */
export function spokenText(
  state: PaneState,
  study: ViewedStudy | undefined,
  { isAnonymous = false, currentDate = '' } = {},
): string {
  const { series, window, problem, index, image } = state
  if (!series) return t('ui.viewer.pane.empty')
  const parts = [
    study?.isPrior ? priorText(study.studyDate, currentDate) : '',
    nameOf(series),
    // The banner of the study names its patient; this image is of another one.
    image?.instance.patient && !isAnonymous ? nameText(image.instance.patient.patientName) : '',
    problem
      ? t('ui.viewer.pane.cannot', { number: index + 1, problem: translateMessage(problem) })
      : placeText(state),
    window
      ? t('ui.viewer.overlay.window', {
          center: amountText(window.center),
          width: amountText(window.width),
        })
      : '',
  ]
  return parts.filter(Boolean).join(', ')
}

/** Where in the series it is, as a sentence. */
function placeText({ plane, kind, slab, index, count, rendering }: PaneState): string {
  if (kind === 'volume')
    return [t('ui.viewer.pane.wholeVolume'), rendering && translateMessage(rendering.name)]
      .filter(Boolean)
      .join(', ')
  if (!plane) return t('ui.viewer.pane.image', { number: index + 1, of: count })
  return [
    t(`ui.viewer.pane.planes.${plane}`),
    slab && slabText(slab),
    t('ui.viewer.pane.slice', { number: index + 1, of: count }),
  ]
    .filter(Boolean)
    .join(', ')
}

/** A series by name: `CT Abdomen 5 mm, Localizer`. */
export const nameOf = ({ series, part }: SeriesState): string =>
  [
    [series.modality, series.seriesDescription || t('ui.viewer.rail.untitled')]
      .filter(Boolean)
      .join(' '),
    part && translateMessage(part),
  ]
    .filter(Boolean)
    .join(', ')
