import { wallClock } from '#server/platform/clinic-day.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { sectionsOf } from '#shared/report-text.ts'
import type { SetLine, TextStyle, Typesetter } from './report-pdf-lines.ts'
import type { Block, PlacedText, Row, Tag } from './report-pdf-pages.ts'
import type { ReportPart } from './signed-report.ts'

const TEXT_COLOR = '#1b2430'
const MUTED_COLOR = '#5c6673'
const ALERT_COLOR = '#a3231b'
export const RULE_COLOR = '#c9cfd6'
const PANEL_COLOR = '#f3f5f7'
const ALERT_PANEL_COLOR = '#fcf1ef'

const textStyle = (
  size: number,
  weight: 400 | 700,
  color: string,
  leading = size * 1.45,
): TextStyle => ({ size, weight, color, leading })
const BODY_STYLE = textStyle(10, 400, TEXT_COLOR, 14.5)
const STRONG_STYLE = textStyle(10, 700, TEXT_COLOR, 14.5)
const SMALL_STYLE = textStyle(8, 400, MUTED_COLOR, 11)
const LABEL_STYLE = textStyle(7.5, 400, MUTED_COLOR, 10)
const VALUE_STYLE = textStyle(9.5, 400, TEXT_COLOR, 13)
const CLINIC_STYLE = textStyle(13, 700, TEXT_COLOR, 18)
const TITLE_STYLE = textStyle(15, 700, TEXT_COLOR, 20)
const NAME_STYLE = textStyle(13, 700, TEXT_COLOR, 17)
const HEADING_STYLE = textStyle(10.5, 700, TEXT_COLOR, 15)
const PART_STYLE = textStyle(12.5, 700, TEXT_COLOR, 17)
const ALERT_HEADING_STYLE = textStyle(10.5, 700, ALERT_COLOR, 15)

const INSET = 12
const GAP = 14
const COLUMN_COUNT = 3

export interface ReportPdfInput {
  readonly clinicName: string
  /** Text below the clinic's name; it may have several lines. */
  readonly letterhead: string
  readonly paper: 'A4' | 'Letter'
  /** IANA name of the time zone in which instants are shown. */
  readonly timeZone: string
  readonly reportId: string
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly accessionNumber: string
  readonly metadata: StudyReportMetadata
  /** The report, followed by its addenda in order. The last part is the one being signed. */
  readonly parts: readonly ReportPart[]
}

/** Lays out the blocks of a report in a column of a given width in points. */
export class ReportLayout {
  readonly #input: ReportPdfInput
  readonly #typesetter: Typesetter
  readonly #width: number

  constructor(input: ReportPdfInput, typesetter: Typesetter, width: number) {
    this.#input = input
    this.#typesetter = typesetter
    this.#width = width
  }

  /** The blocks in reading order. */
  *blocks(): Generator<Block> {
    const { clinicName, letterhead, studyDescription, parts, timeZone } = this.#input
    for (const [text, textStyle] of [
      [clinicName, CLINIC_STYLE],
      [letterhead, SMALL_STYLE],
    ] as const)
      if (text.trim() !== '') yield this.#block('P', text.trim(), textStyle, { keepWithNext: true })
    yield this.#banner()
    const title = studyDescription.trim() || 'Radiology report'
    yield this.#block('H1', title, TITLE_STYLE, { before: 20, keepWithNext: true })
    let addenda = 0
    for (const part of parts) {
      if (part.isAddendum)
        yield this.#block('H2', `Addendum ${++addenda}`, PART_STYLE, {
          before: 28,
          keepWithNext: true,
        })
      if (part.follows) {
        const text = followsText(part.follows, timeZone)
        yield this.#block('P', text, SMALL_STYLE, { before: 4, keepWithNext: true })
      }
      if (part.isCritical) yield this.#critical(part)
      yield* keepEndTogether(this.#body(part))
      yield this.#signature(part)
    }
    if (this.#typesetter.hasUnknown())
      yield this.#block('P', MISSING_GLYPH_NOTE, SMALL_STYLE, { before: 12 })
  }

  #block(tag: Tag, text: string, textStyle: TextStyle, rest: Partial<Block>): Block {
    const rows = this.#rows(text, textStyle)
    return { tag, rows, before: 0, ...rest }
  }

  #rows(text: string, textStyle: TextStyle, inset = 0): Row[] {
    return rowsOf(this.#typesetter.lines(text, textStyle, this.#width - 2 * inset), inset)
  }

  /** A row of fields side by side, as high as the longest of them. */
  #fieldsRow(fields: readonly Field[], top: number): Row {
    const column = (this.#width - 2 * INSET - GAP * (COLUMN_COUNT - 1)) / COLUMN_COUNT
    const cells = fields.map(([label, value], at) => {
      const x = INSET + at * (column + GAP)
      const lines = this.#typesetter.lines(value, VALUE_STYLE, column)
      const labels = this.#typesetter.lines(label, LABEL_STYLE, column).slice(0, 1)
      const texts = [
        ...labels.map((line) => ({ line, x, y: top + 7.5 })),
        ...stackLines(lines, x, top + LABEL_STYLE.leading),
      ]
      return { texts, height: top + LABEL_STYLE.leading + lines.length * VALUE_STYLE.leading }
    })
    return {
      height: Math.max(...cells.map(({ height }) => height)),
      texts: cells.flatMap(({ texts }) => texts),
    }
  }

  #banner(): Block {
    const text = nameText(this.#input.metadata.patientName) || 'Name not given'
    const name = this.#typesetter.lines(text, NAME_STYLE, this.#width - 2 * INSET)
    const fields = fieldsOf(this.#input)
    const rows: Row[] = [
      space(10),
      ...name.map((line) => ({ height: NAME_STYLE.leading, texts: [{ line, x: INSET, y: 13 }] })),
      ...Array.from({ length: Math.ceil(fields.length / COLUMN_COUNT) }, (_, at) =>
        this.#fieldsRow(fields.slice(at * COLUMN_COUNT, (at + 1) * COLUMN_COUNT), at === 0 ? 6 : 8),
      ),
      space(11),
    ]
    return { tag: 'P', rows, before: 12, fill: PANEL_COLOR, isWhole: true }
  }

  #critical({ finding, communication }: ReportPart): Block {
    const communicated = communication && communicationSentence(communication, this.#input.timeZone)
    const rows = [
      space(8),
      ...this.#rows('Critical result', ALERT_HEADING_STYLE, INSET),
      ...(finding?.trim() ? this.#rows(finding.trim(), STRONG_STYLE, INSET) : []),
      ...this.#rows(communicated ?? NOT_COMMUNICATED, VALUE_STYLE, INSET),
      space(8),
    ]
    return { tag: 'P', rows, before: 12, fill: ALERT_PANEL_COLOR, bar: ALERT_COLOR, isWhole: true }
  }

  *#body({ text: report }: ReportPart): Generator<Block> {
    for (const { heading, text } of sectionsOf(report)) {
      const paragraphs = paragraphsOf(text)
      const keepWithNext = paragraphs.length > 0
      if (heading !== '')
        yield this.#block('H2', heading, HEADING_STYLE, { before: 13, keepWithNext })
      for (const [at, paragraph] of paragraphs.entries()) {
        const before = at > 0 ? 7 : heading === '' ? 13 : 2
        for (const [nth, part] of splitParagraph(paragraph).entries())
          yield this.#block('P', part, BODY_STYLE, { before: nth > 0 ? 0 : before })
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
      ...this.#rows(signedBy, SMALL_STYLE),
      ...this.#rows(signer.name, STRONG_STYLE),
      ...(role === '' ? [] : this.#rows(role, VALUE_STYLE)),
      ...this.#rows(instantText(signedAt, this.#input.timeZone), VALUE_STYLE),
      ...this.#rows(`SHA-256 of the text: ${textHash}`, SMALL_STYLE),
    ]
    return { tag: 'P', rows, before: 20, rule: RULE_COLOR, isWhole: true }
  }
}

const space = (height: number): Row => ({ height, texts: [] })

const NOT_COMMUNICATED = 'Not yet documented as communicated when this was signed.'

/** The wording is neutral, because the reader may be the patient. */
const followsText = (
  { what, at, correctionId }: NonNullable<ReportPart['follows']>,
  timeZone: string,
) =>
  `Follows ${CORRECTION_PHRASES[what]}, ${instantText(at, timeZone)}, reference ${correctionId.slice(0, 8)}.`

const CORRECTION_PHRASES = {
  corrected: 'a correction of the identity of the images',
  added: 'the addition of images from another study',
  removed: 'the removal of images that belong to another study',
} as const

const MISSING_GLYPH_NOTE =
  'A box stands for a character that this document has no font for. The signed text itself has the character.'
const LINES_WITH_SIGNATURE = 2
const LINES_PER_BLOCK = 40

/**
 * Keeps the last lines of the text with the signature, so that a signature is never alone on a
 * page.
 */
function* keepEndTogether(blocks: Iterable<Block>): Generator<Block> {
  let last: Block | undefined
  for (const block of blocks) {
    if (last) yield last
    last = block
  }
  if (last && last.rows.length > 2 * LINES_WITH_SIGNATURE) {
    yield { ...last, rows: last.rows.slice(0, -LINES_WITH_SIGNATURE) }
    last = { ...last, rows: last.rows.slice(-LINES_WITH_SIGNATURE), before: 0 }
  }
  if (last) yield { ...last, keepWithNext: true }
}

type Field = readonly [label: string, value: string]
const UNKNOWN_VALUE = '–'

/**
 * The fields below the patient's name. Those that identify the patient and the exam are shown even
 * if they are unknown.
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
  const requiredFields: Field[] = [
    ['Born', born || UNKNOWN_VALUE],
    ['Sex', sex ? SEX[sex] : UNKNOWN_VALUE],
    ['Patient ID (MRN)', mrn?.trim() || UNKNOWN_VALUE],
    ['Accession number', accessionNumber.trim() || UNKNOWN_VALUE],
    [
      'Examination',
      [scanDate && dayText(scanDate), scanTime].filter(Boolean).join(', ') || UNKNOWN_VALUE,
    ],
  ]
  const known: Field[] = [
    ['Type of examination', scanType?.trim() ?? ''],
    ['Referred by', nameText(referringPhysicianName)],
    ['Facility', facilityName?.trim() ?? ''],
  ]
  return [...requiredFields, ...known.filter(([, value]) => value !== '')]
}

const SEX = { male: 'Male', female: 'Female', other: 'Other' } as const
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** The communication methods as they appear in a sentence. */
export const COMMUNICATION_METHODS = {
  phone: 'by phone',
  'in-person': 'in person',
  message: 'by message',
  other: '',
} as const

/**
 * Formats a name. A DICOM name (PS3.5 §6.2.1.1) is shown as in a list: MEIER, ANNA MARIA. Other
 * names are unchanged.
 */
export function nameText(name: string | undefined): string {
  const [family = '', ...rest] =
    (name ?? '')
      .split('=', 1)[0]
      ?.split('^')
      .map((part) => part.trim()) ?? []
  return [family, rest.filter(Boolean).join(' ')].filter(Boolean).join(', ')
}

/** Formats a date unambiguously: 7 Mar 1961. */
function dayText(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-')
  return `${Number(date)} ${MONTHS[Number(month) - 1] ?? month} ${year}`
}

/** Formats an instant in clinic time, with the time zone and its UTC offset. */
function instantText(instant: string, timeZone: string): string {
  const at = Date.parse(instant)
  const { day, time } = wallClock(at, timeZone)
  const minutes = Math.round(
    (Date.parse(`${day}T${time}Z`) - Math.floor(at / 1000) * 1000) / 60_000,
  )
  const twoDigits = (value: number) => String(Math.trunc(value)).padStart(2, '0')
  const offset = `UTC${minutes < 0 ? '-' : '+'}${twoDigits(Math.abs(minutes) / 60)}:${twoDigits(Math.abs(minutes) % 60)}`
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

/** Splits long paragraphs, so that the event loop is not blocked while they are laid out. */
function splitParagraph(paragraph: string): string[] {
  const lines = paragraph.split('\n')
  return Array.from({ length: Math.ceil(lines.length / LINES_PER_BLOCK) }, (_, at) =>
    lines.slice(at * LINES_PER_BLOCK, (at + 1) * LINES_PER_BLOCK).join('\n'),
  )
}

const stackLines = (lines: readonly SetLine[], x: number, top: number): PlacedText[] =>
  lines.map((line, at) => ({ line, x, y: top + at * line.style.leading + line.style.size }))

/** One row per line. The baseline is placed so that the x-height is centered in the row. */
const rowsOf = (lines: readonly SetLine[], x = 0): Row[] =>
  lines.map((line) => ({
    height: line.style.leading,
    texts: [{ line, x: x + line.indent, y: line.style.leading / 2 + line.style.size * 0.35 }],
  }))
