import { wallClock } from '#server/platform/clinic-day.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { sectionsOf } from '#shared/report-text.ts'
import type { SetLine, TextStyle, Typesetter } from './report-pdf-lines.ts'
import type { Block, Placed, Row, Tag } from './report-pdf-pages.ts'
import type { ReportPart } from './signed-report.ts'

const INK = '#1b2430'
const QUIET = '#5c6673'
const ALERT = '#a3231b'
export const RULE = '#c9cfd6'
const PANEL = '#f3f5f7'
const ALERT_PANEL = '#fcf1ef'

const style = (
  size: number,
  weight: 400 | 700,
  color: string,
  leading = size * 1.45,
): TextStyle => ({ size, weight, color, leading })
const BODY = style(10, 400, INK, 14.5)
const STRONG = style(10, 700, INK, 14.5)
const SMALL = style(8, 400, QUIET, 11)
const LABEL = style(7.5, 400, QUIET, 10)
const VALUE = style(9.5, 400, INK, 13)
const CLINIC = style(13, 700, INK, 18)
const TITLE = style(15, 700, INK, 20)
const NAME = style(13, 700, INK, 17)
const HEADING = style(10.5, 700, INK, 15)
const PART = style(12.5, 700, INK, 17)
const ALERT_HEADING = style(10.5, 700, ALERT, 15)

const INSET = 12
const GAP = 14
const COLUMNS = 3

export interface ReportPdfInput {
  readonly clinicName: string
  /** Lines below the clinic's name. */
  readonly letterhead: string
  readonly paper: 'A4' | 'Letter'
  /** IANA name; instants are shown in it. */
  readonly timeZone: string
  readonly reportId: string
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly accessionNumber: string
  readonly metadata: StudyReportMetadata
  /** The report first, then its addenda in their order; the last one is what is being signed. */
  readonly parts: readonly ReportPart[]
}

/** Sets the blocks of a report in a column of this width (points). */
export class ReportLayout {
  readonly #input: ReportPdfInput
  readonly #typesetter: Typesetter
  readonly #width: number

  constructor(input: ReportPdfInput, typesetter: Typesetter, width: number) {
    this.#input = input
    this.#typesetter = typesetter
    this.#width = width
  }

  /** One after the other. */
  *blocks(): Generator<Block> {
    const { clinicName, letterhead, studyDescription, parts, timeZone } = this.#input
    for (const [text, textStyle] of [
      [clinicName, CLINIC],
      [letterhead, SMALL],
    ] as const)
      if (text.trim() !== '') yield this.#block('P', text.trim(), textStyle, { keepsNext: true })
    yield this.#banner()
    const title = studyDescription.trim() || 'Radiology report'
    yield this.#block('H1', title, TITLE, { before: 20, keepsNext: true })
    let addenda = 0
    for (const part of parts) {
      if (part.isAddendum)
        yield this.#block('H2', `Addendum ${++addenda}`, PART, { before: 28, keepsNext: true })
      if (part.follows) {
        const text = followsText(part.follows, timeZone)
        yield this.#block('P', text, SMALL, { before: 4, keepsNext: true })
      }
      if (part.isCritical) yield this.#critical(part)
      yield* endingTogether(this.#body(part))
      yield this.#signature(part)
    }
    if (this.#typesetter.hasUnknown()) yield this.#block('P', UNKNOWN, SMALL, { before: 12 })
  }

  #block(tag: Tag, text: string, textStyle: TextStyle, rest: Partial<Block>): Block {
    const rows = this.#rows(text, textStyle)
    return { tag, rows, before: 0, ...rest }
  }

  #rows(text: string, textStyle: TextStyle, inset = 0): Row[] {
    return rowsOf(this.#typesetter.lines(text, textStyle, this.#width - 2 * inset), inset)
  }

  /** Fields side by side; those of one row are as high as the longest. */
  #fieldsRow(fields: readonly Field[], top: number): Row {
    const column = (this.#width - 2 * INSET - GAP * (COLUMNS - 1)) / COLUMNS
    const cells = fields.map(([label, value], at) => {
      const x = INSET + at * (column + GAP)
      const own = this.#typesetter.lines(value, VALUE, column)
      const labels = this.#typesetter.lines(label, LABEL, column).slice(0, 1)
      const texts = [
        ...labels.map((line) => ({ line, x, y: top + 7.5 })),
        ...below(own, x, top + LABEL.leading),
      ]
      return { texts, height: top + LABEL.leading + own.length * VALUE.leading }
    })
    return {
      height: Math.max(...cells.map(({ height }) => height)),
      texts: cells.flatMap(({ texts }) => texts),
    }
  }

  #banner(): Block {
    const text = nameText(this.#input.metadata.patientName) || 'Name not given'
    const name = this.#typesetter.lines(text, NAME, this.#width - 2 * INSET)
    const fields = fieldsOf(this.#input)
    const rows: Row[] = [
      space(10),
      ...name.map((line) => ({ height: NAME.leading, texts: [{ line, x: INSET, y: 13 }] })),
      ...Array.from({ length: Math.ceil(fields.length / COLUMNS) }, (_, at) =>
        this.#fieldsRow(fields.slice(at * COLUMNS, (at + 1) * COLUMNS), at === 0 ? 6 : 8),
      ),
      space(11),
    ]
    return { tag: 'P', rows, before: 12, fill: PANEL, isWhole: true }
  }

  #critical({ finding, communication }: ReportPart): Block {
    const communicated = communication && communicationSentence(communication, this.#input.timeZone)
    const rows = [
      space(8),
      ...this.#rows('Critical result', ALERT_HEADING, INSET),
      ...(finding?.trim() ? this.#rows(finding.trim(), STRONG, INSET) : []),
      ...this.#rows(communicated ?? NOT_COMMUNICATED, VALUE, INSET),
      space(8),
    ]
    return { tag: 'P', rows, before: 12, fill: ALERT_PANEL, bar: ALERT, isWhole: true }
  }

  *#body({ text: report }: ReportPart): Generator<Block> {
    for (const { heading, text } of sectionsOf(report)) {
      const paragraphs = paragraphsOf(text)
      const keepsNext = paragraphs.length > 0
      if (heading !== '') yield this.#block('H2', heading, HEADING, { before: 13, keepsNext })
      for (const [at, paragraph] of paragraphs.entries()) {
        const before = at > 0 ? 7 : heading === '' ? 13 : 2
        for (const [nth, portion] of portionsOf(paragraph).entries())
          yield this.#block('P', portion, BODY, { before: nth > 0 ? 0 : before })
      }
    }
  }

  #signature({ signer, signedAt, textHash, isAddendum }: ReportPart): Block {
    const role = [signer.clinicRole.trim(), signer.npiNumber && `NPI ${signer.npiNumber}`]
      .filter(Boolean)
      .join(' · ')
    const signedBy = isAddendum ? 'Addendum signed electronically by' : 'Signed electronically by'
    const rows = [
      space(9),
      ...this.#rows(signedBy, SMALL),
      ...this.#rows(signer.name, STRONG),
      ...(role === '' ? [] : this.#rows(role, VALUE)),
      ...this.#rows(instantText(signedAt, this.#input.timeZone), VALUE),
      ...this.#rows(`SHA-256 of the text: ${textHash}`, SMALL),
    ]
    return { tag: 'P', rows, before: 20, rule: RULE, isWhole: true }
  }
}

const space = (height: number): Row => ({ height, texts: [] })

const NOT_COMMUNICATED = 'Not yet documented as communicated when this was signed.'

/** Neutral: the reader of the report may be the patient. */
const followsText = (
  { what, at, correctionId }: NonNullable<ReportPart['follows']>,
  timeZone: string,
) =>
  `Follows ${FOLLOWED[what]}, ${instantText(at, timeZone)}, reference ${correctionId.slice(0, 8)}.`

const FOLLOWED = {
  corrected: 'a correction of the identity of the images',
  added: 'the addition of images from another study',
  removed: 'the removal of images that belong to another study',
} as const

const UNKNOWN =
  'A box stands for a character that this document has no font for. The signed text itself has the character.'
const LAST = 2
const PORTION = 40

/** A signature never stands on a page without something of what it signs. */
function* endingTogether(blocks: Iterable<Block>): Generator<Block> {
  let last: Block | undefined
  for (const block of blocks) {
    if (last) yield last
    last = block
  }
  if (last && last.rows.length > 2 * LAST) {
    yield { ...last, rows: last.rows.slice(0, -LAST) }
    last = { ...last, rows: last.rows.slice(-LAST), before: 0 }
  }
  if (last) yield { ...last, keepsNext: true }
}

type Field = readonly [label: string, value: string]
const NONE = '–'

/**
 * What the banner says below the name; what identifies the patient and the exam is there even where
 * it is not known.
 */
function fieldsOf({ metadata, accessionNumber }: ReportPdfInput): Field[] {
  const {
    dateOfBirth,
    age,
    sex,
    mrn,
    scanDate,
    scanTime,
    scanType,
    referringPhysicianName,
    facilityName,
  } = metadata
  const born = [dateOfBirth && dayText(dateOfBirth), age?.trim()].filter(Boolean).join(' · ')
  const always: Field[] = [
    ['Born', born || NONE],
    ['Sex', sex ? SEX[sex] : NONE],
    ['Patient ID (MRN)', mrn?.trim() || NONE],
    ['Accession number', accessionNumber.trim() || NONE],
    ['Examination', [scanDate && dayText(scanDate), scanTime].filter(Boolean).join(', ') || NONE],
  ]
  const known: Field[] = [
    ['Type of examination', scanType?.trim() ?? ''],
    ['Referred by', nameText(referringPhysicianName)],
    ['Facility', facilityName?.trim() ?? ''],
  ]
  return [...always, ...known.filter(([, value]) => value !== '')]
}

const SEX = { male: 'Male', female: 'Female', other: 'Other' } as const
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** As a sentence on paper names it; nothing where it was another. */
export const COMMUNICATION_METHODS = {
  phone: 'by phone',
  'in-person': 'in person',
  message: 'by message',
  other: '',
} as const

/**
 * A name as it was given; one that came of images as DICOM has it (PS3.5 §6.2.1.1) in the order of
 * a list: MEIER, ANNA MARIA.
 */
export function nameText(name: string | undefined): string {
  const [family = '', ...rest] =
    (name ?? '')
      .split('=', 1)[0]
      ?.split('^')
      .map((part) => part.trim()) ?? []
  return [family, rest.filter(Boolean).join(' ')].filter(Boolean).join(', ')
}

/** 7 Mar 1961: no country reads it another way. */
function dayText(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-')
  return `${Number(date)} ${MONTHS[Number(month) - 1] ?? month} ${year}`
}

/** Clinic time, with its zone and what that was off UTC. */
function instantText(instant: string, timeZone: string): string {
  const at = Date.parse(instant)
  const { day, time } = wallClock(at, timeZone)
  const minutes = Math.round(
    (Date.parse(`${day}T${time}Z`) - Math.floor(at / 1000) * 1000) / 60_000,
  )
  const two = (value: number) => String(Math.trunc(value)).padStart(2, '0')
  const offset = `UTC${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
  return `${dayText(day)}, ${time}, ${timeZone === 'UTC' ? 'UTC' : `${timeZone} (${offset})`}`
}

function communicationSentence(
  communication: NonNullable<ReportPart['communication']>,
  timeZone: string,
): string {
  const { communicatedTo, method, communicatedAt, isReadBack, note } = communication
  const how = COMMUNICATION_METHODS[method]
  const readBack = isReadBack ? ' and read back' : ''
  return `Communicated to ${communicatedTo}${how && ` ${how}`}${readBack}, ${instantText(communicatedAt, timeZone)}.${note.trim() === '' ? '' : ` ${note.trim()}`}`
}

const paragraphsOf = (text: string): string[] =>
  text
    .split(/\n[^\S\n]*\n\s*?(?=\S|[^\S\n]+\S)/)
    .map((paragraph) => paragraph.replace(/^\n+/, '').trimEnd())
    .filter((paragraph) => paragraph !== '')

/** A list of a thousand lines is set bit by bit: others wait meanwhile. */
function portionsOf(paragraph: string): string[] {
  const lines = paragraph.split('\n')
  return Array.from({ length: Math.ceil(lines.length / PORTION) }, (_, at) =>
    lines.slice(at * PORTION, (at + 1) * PORTION).join('\n'),
  )
}

const below = (own: readonly SetLine[], x: number, top: number): Placed[] =>
  own.map((line, at) => ({ line, x, y: top + at * line.style.leading + line.style.size }))

/**
 * A row for each line; the baseline is where the middle of the small letters is in the middle of
 * the row.
 */
const rowsOf = (own: readonly SetLine[], x = 0): Row[] =>
  own.map((line) => ({
    height: line.style.leading,
    texts: [{ line, x: x + line.indent, y: line.style.leading / 2 + line.style.size * 0.35 }],
  }))
