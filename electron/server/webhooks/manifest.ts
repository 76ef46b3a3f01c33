import type { AnswerNote } from '#shared/contract/events.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { isObject, type JsonObject, type NoteTaker, noteTaker } from './answer-notes.ts'

const NUMBER_FIELDS = [
  'bitsAllocated',
  'bitsStored',
  'columns',
  'highBit',
  'instanceNumber',
  'numberOfFrames',
  'pixelRepresentation',
  'rescaleIntercept',
  'rescaleSlope',
  'rows',
  'samplesPerPixel',
] as const
const FLAGS = ['isFloatPixelData', 'isDoubleFloatPixelData'] as const
const TEXT_FIELDS = ['photometricInterpretation'] as const
const FIELDS: readonly (readonly [readonly string[], 'number' | 'boolean' | 'string'])[] = [
  [NUMBER_FIELDS, 'number'],
  [FLAGS, 'boolean'],
  [TEXT_FIELDS, 'string'],
]

type Numbers = { readonly [K in (typeof NUMBER_FIELDS)[number]]?: number }
type Flags = { readonly [K in (typeof FLAGS)[number]]?: boolean }
type Texts = { readonly [K in (typeof TEXT_FIELDS)[number]]?: string }

/**
 * One instance. For an image rows, columns, bitsAllocated, photometricInterpretation and
 * samplesPerPixel are set.
 */
export interface ManifestSop extends Numbers, Flags, Texts {
  readonly sopClassUID: string
  readonly sopInstanceUID: string
}

export interface ManifestSeries {
  readonly modality: string
  readonly seriesDescription: string
  readonly seriesInstanceUID: string
  readonly seriesNumber: string | number
  readonly sops: readonly ManifestSop[]
}

/**
 * The usable part of the progressive-loading sidecar of a study: at least one series, each with at
 * least one SOP.
 */
export interface Manifest {
  readonly studyInstanceUID: string
  readonly series: readonly ManifestSeries[]
}

export interface ManifestWithNotes {
  /** Undefined if it is unusable; the URLs can still be loaded. */
  readonly manifest: Manifest | undefined
  readonly notes: readonly AnswerNote[]
}

/**
 * Parses a manifest by the rules of the interface: a SOP with a wrong type or a missing required
 * field is dropped, so is a series without SOPs, and a manifest without series is unusable.
 * @param studyInstanceUid the requested study; undefined if any is accepted
 * @param at path in the answer, for notes
 */
export function readManifest(
  value: unknown,
  studyInstanceUid: string | undefined,
  at = 'manifest',
): ManifestWithNotes {
  const taker = noteTaker()
  return { manifest: manifestOf(value, studyInstanceUid, at, taker), notes: taker.notes }
}

/** As `readManifest`, with notes added to `taker`. */
export function manifestOf(
  value: unknown,
  studyInstanceUid: string | undefined,
  at: string,
  { note }: NoteTaker,
): Manifest | undefined {
  const unused = (path: string, fault: Message) =>
    void note(path, message('webhooks.manifest-not-used', { fault }))
  if (!isObject(value)) return unused(at, message('webhooks.not-object'))
  const studyUid = value.studyInstanceUID
  if (!isText(studyUid)) return unused(`${at}.studyInstanceUID`, NO_TEXT)
  if (studyInstanceUid !== undefined && studyUid !== studyInstanceUid)
    return unused(`${at}.studyInstanceUID`, message('webhooks.other-study'))
  if (!Array.isArray(value.series)) return unused(`${at}.series`, message('webhooks.not-list'))
  const series = value.series.flatMap(
    (one, index) => seriesOf(one, `${at}.series.${index}`, note) ?? [],
  )
  if (series.length === 0) return unused(`${at}.series`, message('webhooks.no-series'))
  return { studyInstanceUID: studyUid, series }
}

function seriesOf(value: unknown, at: string, note: NoteTaker['note']): ManifestSeries | undefined {
  const noteDroppedSeries = (path: string, fault: Message) =>
    void note(path, message('webhooks.series-left-out', { fault }))
  if (!isObject(value)) return noteDroppedSeries(at, message('webhooks.not-object'))
  const { modality, seriesDescription, seriesInstanceUID, seriesNumber } = value
  if (!isText(modality)) return noteDroppedSeries(`${at}.modality`, NO_TEXT)
  if (!isText(seriesDescription)) return noteDroppedSeries(`${at}.seriesDescription`, NO_TEXT)
  if (!isText(seriesInstanceUID)) return noteDroppedSeries(`${at}.seriesInstanceUID`, NO_TEXT)
  if (typeof seriesNumber !== 'string' && typeof seriesNumber !== 'number')
    return noteDroppedSeries(`${at}.seriesNumber`, message('webhooks.not-text-or-number'))
  if (!Array.isArray(value.sops))
    return noteDroppedSeries(`${at}.sops`, message('webhooks.not-list'))
  const sops = value.sops.flatMap((sop, index) => sopOf(sop, `${at}.sops.${index}`, note) ?? [])
  if (sops.length === 0) return noteDroppedSeries(`${at}.sops`, message('webhooks.no-instance'))
  return { modality, seriesDescription, seriesInstanceUID, seriesNumber, sops }
}

function sopOf(value: unknown, at: string, note: NoteTaker['note']): ManifestSop | undefined {
  const noteDroppedInstance = (path: string, fault: Message) =>
    void note(path, message('webhooks.instance-left-out', { fault }))
  if (!isObject(value)) return noteDroppedInstance(at, message('webhooks.not-object'))
  const { sopClassUID, sopInstanceUID } = value
  if (!isText(sopClassUID)) return noteDroppedInstance(`${at}.sopClassUID`, NO_TEXT)
  if (!isText(sopInstanceUID)) return noteDroppedInstance(`${at}.sopInstanceUID`, NO_TEXT)
  const optional: Record<string, unknown> = {}
  for (const [names, type] of FIELDS) {
    for (const name of names) {
      if (value[name] === undefined) continue
      // JSON may contain numbers too large for a double: 1e999.
      const isValid = type === 'number' ? Number.isFinite(value[name]) : typeof value[name] === type
      if (!isValid) return noteDroppedInstance(`${at}.${name}`, WRONG_TYPE_MESSAGES[type])
      optional[name] = value[name]
    }
  }
  if (isImage(sopClassUID)) {
    const invalidField = GEOMETRY_RULES.find(({ field, admits }) => !admits(value[field], value))
    if (invalidField)
      return noteDroppedInstance(
        `${at}.${invalidField.field}`,
        value[invalidField.field] === undefined ? message('webhooks.missing') : invalidField.fault,
      )
  }
  return { sopClassUID, sopInstanceUID, ...(optional as Numbers & Flags & Texts) }
}

const WRONG_TYPE_MESSAGES = {
  number: message('webhooks.not-number'),
  boolean: message('webhooks.not-boolean'),
  string: message('webhooks.not-text'),
} as const
const NO_TEXT = message('webhooks.no-text')
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0

interface GeometryRule {
  readonly field: (typeof NUMBER_FIELDS)[number] | (typeof TEXT_FIELDS)[number]
  readonly admits: (value: unknown, sop: JsonObject) => boolean
  /** What is wrong with a value that is present. */
  readonly fault: Message
}

/** The required attributes of an image and their valid values. */
const GEOMETRY_RULES: readonly GeometryRule[] = [
  { field: 'rows', admits: isSize, fault: message('webhooks.not-whole-number') },
  { field: 'columns', admits: isSize, fault: message('webhooks.not-whole-number') },
  {
    field: 'bitsAllocated',
    admits: (bits, sop) =>
      bits === 8 ||
      bits === 16 ||
      bits === 32 ||
      (bits === 64 && sop.isDoubleFloatPixelData === true),
    fault: message('webhooks.not-bits-allocated'),
  },
  { field: 'photometricInterpretation', admits: isText, fault: message('webhooks.text-empty') },
  {
    field: 'samplesPerPixel',
    admits: (samples) => samples === 1 || samples === 3,
    fault: message('webhooks.not-samples-per-pixel'),
  },
]

/**
 * SOP classes of PS3.4 Annex B.5 without pixels, or whose pixels are not loaded this way (enhanced
 * multi-frame classes load progressively without the manifest); they require no geometry.
 */
const CLASSES_WITHOUT_GEOMETRY = [
  ...[
    '9.',
    '11.',
    '34.',
    '66',
    '67',
    '68.',
    '78.',
    '79.1',
    '80.',
    '88.',
    '90.1',
    '104.',
    '131',
    '200.',
    '201.',
  ],
  ...[
    '481.3',
    '481.4',
    '481.5',
    '481.6',
    '481.7',
    '481.8',
    '481.9',
    '481.10',
    '481.11',
    '481.12',
    '481.13',
    '481.14',
  ],
  // Enhanced CT, MR, PET, US volume, XA, XRF; X-ray 3D; breast tomosynthesis. Segmentation is in
  // 66.
  ...['2.1', '2.2', '4.1', '4.2', '4.3', '4.4', '6.2', '12.1.1', '12.2.1', '13.1.', '128.1', '130'],
]
const STORAGE_CLASS_PREFIX = '1.2.840.10008.5.1.4.1.1.'

function isImage(sopClassUid: string): boolean {
  if (!sopClassUid.startsWith(STORAGE_CLASS_PREFIX)) return true
  const rest = sopClassUid.slice(STORAGE_CLASS_PREFIX.length)
  return !CLASSES_WITHOUT_GEOMETRY.some((kind) =>
    kind.endsWith('.') ? rest.startsWith(kind) : rest === kind || rest.startsWith(`${kind}.`),
  )
}
