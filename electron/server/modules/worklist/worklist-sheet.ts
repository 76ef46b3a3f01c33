import PDFDocument from 'pdfkit'
import { ReportFonts } from '#server/modules/reports/report-pdf-fonts.ts'
import { type TextStyle, Typesetter } from '#server/modules/reports/report-pdf-lines.ts'
import { code128Symbols } from '#shared/code128.ts'
import type { Exam, ExamDay } from '#shared/contract/dashboard-exams.ts'
import { englishText } from '#shared/messages/english.ts'

/** Page sizes in points (1/72 inch). */
const PAGE_SIZES = { A4: [595.28, 841.89], Letter: [612, 792] } as const
const SIDE_MARGIN = 40
const TOP_MARGIN = 92
const BOTTOM_MARGIN = 52
const ROW_HEIGHT = 58
/**
 * Width of a bar module: a third of a millimetre, which hand-held readers can read from laser
 * prints.
 */
const MODULE_WIDTH = 0.94
const BAR_HEIGHT = 24

const textStyle = (size: number, weight: 400 | 700, color = '#1b2430'): TextStyle => ({
  size,
  weight,
  color,
  leading: size * 1.35,
})
const TITLE_STYLE = textStyle(15, 700)
const STRONG_STYLE = textStyle(10.5, 700)
const PLAIN_STYLE = textStyle(9, 400)
const SMALL_STYLE = textStyle(8, 400, '#5c6673')
const WARNING_STYLE = textStyle(8, 700, '#9c1c1c')

const SHEET_TEXTS = {
  en: {
    title: (day: string) => `Worklist of ${day}`,
    listed: (at: string) =>
      at === ''
        ? 'The partner has given no list of this day.'
        : `As the partner listed it at ${at}.`,
    stored: 'The partner cannot be asked: exams may be missing or have changed.',
    printed: (at: string, page: number, pages: number) =>
      `Printed ${at} · Page ${page} of ${pages}`,
    anywhere: 'Without a room',
    nothing: 'No exam is waiting.',
    done: 'done',
    withheld: (why: string) => `Not sent to devices: ${why}`,
  },
  es: {
    title: (day: string) => `Lista de trabajo del ${day}`,
    listed: (at: string) =>
      at === ''
        ? 'No hay lista del sistema externo para este día.'
        : `Según la lista del sistema externo de las ${at}.`,
    stored:
      'No se puede preguntar al sistema externo: pueden faltar exploraciones o haber cambiado.',
    printed: (at: string, page: number, pages: number) =>
      `Impreso ${at} · Página ${page} de ${pages}`,
    anywhere: 'Sin sala',
    nothing: 'No hay exploraciones pendientes.',
    done: 'hecha',
    withheld: (why: string) => `No se envía a los equipos: ${why}`,
  },
} as const

interface RoomPage {
  readonly room: string
  readonly exams: readonly Exam[]
}

/** The content of a printed worklist. */
export interface WorklistSheetInput {
  readonly clinicName: string
  readonly paper: 'A4' | 'Letter'
  readonly language: 'en' | 'es'
  readonly day: ExamDay
  /**
   * `HH:MM` in the clinic, when the newest answer that covers the day was received; '' if there is
   * none.
   */
  readonly listedAt: string
  /** `YYYY-MM-DD HH:MM` in the clinic. */
  readonly printedAt: string
}

/**
 * Renders the exams of a day as a PDF for use without the network: each room starts a new page, and
 * each exam has its accession number as a Code 128 barcode that a modality's reader accepts.
 * Finished, closed and removed exams are left out.
 */
export function renderWorklistSheet(input: WorklistSheetInput): Promise<Buffer> {
  const { day, paper, language } = input
  const pages = pagesOf(day.exams, rowsOnPage(paper), SHEET_TEXTS[language].anywhere)
  const sheet = new Sheet(input)
  for (const [at, page] of pages.entries()) sheet.addPage(page, at + 1, pages.length)
  return sheet.finish()
}

const rowsOnPage = (paper: keyof typeof PAGE_SIZES): number =>
  Math.floor((PAGE_SIZES[paper][1] - TOP_MARGIN - BOTTOM_MARGIN) / ROW_HEIGHT)

class Sheet {
  readonly #input: WorklistSheetInput
  readonly #words: (typeof SHEET_TEXTS)[keyof typeof SHEET_TEXTS]
  readonly #size: readonly [number, number]
  /** Width between the margins. */
  readonly #width: number
  readonly #document: PDFKit.PDFDocument
  readonly #bytes: Promise<Buffer>
  readonly #typesetter: Typesetter

  constructor(input: WorklistSheetInput) {
    this.#input = input
    this.#words = SHEET_TEXTS[input.language]
    this.#size = PAGE_SIZES[input.paper]
    this.#width = this.#size[0] - 2 * SIDE_MARGIN
    const doc = new PDFDocument({
      size: [...this.#size],
      margin: 0,
      autoFirstPage: false,
      font: null as never,
      info: {
        Title: this.#words.title(input.day.day),
        Creator: 'Isthmus',
        Producer: 'Isthmus (PDFKit)',
      },
    })
    this.#document = doc
    this.#bytes = collectBytes(doc)
    const fonts = new ReportFonts((name, font) => doc.registerFont(name, font as never))
    this.#typesetter = new Typesetter(fonts, ({ font, text }) =>
      doc.font(font).fontSize(1000).widthOfString(text),
    )
  }

  addPage({ room, exams }: RoomPage, page: number, pages: number): void {
    const { day, clinicName, listedAt, printedAt } = this.#input
    const [words, width] = [this.#words, this.#width]
    const right = SIDE_MARGIN + width * 0.58
    this.#document.addPage({ size: [...this.#size], margin: 0 })
    this.#write(room, TITLE_STYLE, SIDE_MARGIN, 44, width * 0.55)
    this.#write(words.title(day.day), STRONG_STYLE, right, 44, width * 0.42)
    this.#write(clinicName, SMALL_STYLE, SIDE_MARGIN, 60, width * 0.55)
    this.#write(words.listed(listedAt), SMALL_STYLE, right, 60, width * 0.42)
    if (day.source.kind === 'stored')
      this.#write(words.stored, WARNING_STYLE, SIDE_MARGIN, 76, width)
    this.#rule(TOP_MARGIN - 6)
    if (exams.length === 0)
      this.#write(words.nothing, PLAIN_STYLE, SIDE_MARGIN, TOP_MARGIN + 18, width)
    for (const [index, exam] of exams.entries()) this.#row(exam, TOP_MARGIN + index * ROW_HEIGHT)
    this.#write(
      words.printed(printedAt, page, pages),
      SMALL_STYLE,
      SIDE_MARGIN,
      this.#size[1] - 28,
      width,
    )
  }

  finish(): Promise<Buffer> {
    this.#document.end()
    return this.#bytes
  }

  #row(exam: Exam, y: number): void {
    const [left, barsAt] = [SIDE_MARGIN + 84, SIDE_MARGIN + this.#width - 222]
    const time = exam.startTime.replace(/^(\d\d)(\d\d).*$/, '$1:$2')
    const patient = [displayDate(exam.patientBirthDate), exam.patientSex, exam.patientId]
    this.#document
      .rect(SIDE_MARGIN, y + 8, 10, 10)
      .lineWidth(0.8)
      .stroke('#1b2430')
    this.#write(this.#words.done, SMALL_STYLE, SIDE_MARGIN, y + 28, 40)
    this.#write(time, STRONG_STYLE, SIDE_MARGIN + 40, y + 16, 44)
    this.#write(displayName(exam.patientName), STRONG_STYLE, left, y + 16, barsAt - left - 12)
    this.#write(joinParts(patient), PLAIN_STYLE, left, y + 30, barsAt - left - 12)
    this.#write(
      joinParts([exam.modality, exam.description]),
      PLAIN_STYLE,
      left,
      y + 43,
      barsAt - left - 12,
    )
    if (exam.accessionNumber !== '') {
      this.#bars(exam.accessionNumber, barsAt, y + 6)
      this.#write(exam.accessionNumber, PLAIN_STYLE, barsAt, y + 42, 222)
    }
    if (exam.withheld)
      this.#write(
        this.#words.withheld(englishText(exam.withheld)),
        WARNING_STYLE,
        left,
        y + 54,
        this.#width - 84,
      )
    this.#rule(y + ROW_HEIGHT)
  }

  #write(text: string, style: TextStyle, x: number, y: number, most: number): void {
    let at = x
    for (const { font, text: part, width } of this.#typesetter.line(text, style, most).runs) {
      this.#document
        .font(font)
        .fontSize(style.size)
        .fillColor(style.color)
        .text(part, at, y, { lineBreak: false, baseline: 'alphabetic' })
      at += width
    }
  }

  #bars(accessionNumber: string, x: number, y: number): void {
    let at = x
    for (const [index, modules] of (code128Symbols(accessionNumber) ?? []).entries()) {
      if (index % 2 === 0)
        this.#document.rect(at, y, modules * MODULE_WIDTH, BAR_HEIGHT).fill('#000000')
      at += modules * MODULE_WIDTH
    }
  }

  #rule(y: number): void {
    this.#document
      .moveTo(SIDE_MARGIN, y)
      .lineTo(SIDE_MARGIN + this.#width, y)
      .lineWidth(0.5)
      .stroke('#c9cfd6')
  }
}

const joinParts = (parts: readonly string[]): string => parts.filter(Boolean).join(' · ')

/**
 * The room that the partner specifies; otherwise the devices whose list has the exam; otherwise the
 * modality.
 */
export const roomOf = ({
  location,
  devices,
  modality,
}: Pick<Exam, 'location' | 'devices' | 'modality'>): string =>
  location ||
  [
    ...new Set(
      devices.filter(({ isOnList }) => isOnList).map(({ name, aeTitle }) => name || aeTitle),
    ),
  ]
    .sort()
    .join(', ') ||
  modality

const HIDDEN_STATES: ReadonlySet<Exam['state']> = new Set(['completed', 'closed', 'gone'])

function pagesOf(exams: readonly Exam[], most: number, anywhere: string): RoomPage[] {
  const rooms = Map.groupBy(
    exams.filter(({ state }) => !HIDDEN_STATES.has(state)),
    (exam) => roomOf(exam) || anywhere,
  )
  if (rooms.size === 0) return [{ room: '', exams: [] }]
  return [...rooms]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([room, ofRoom]) =>
      Array.from({ length: Math.ceil(ofRoom.length / most) }, (_, page) => ({
        room,
        exams: ofRoom.slice(page * most, (page + 1) * most),
      })),
    )
}

/** Formats each component group of a PN as `LAST, FIRST MIDDLE`. */
const displayName = (name: string): string =>
  name
    .split('=')
    .map((group) => {
      const [last = '', first = '', middle = ''] = group.split('^')
      return [last, [first, middle].filter(Boolean).join(' ')].filter(Boolean).join(', ')
    })
    .filter(Boolean)
    .join(' · ')

const displayDate = (da: string): string => da.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')

function collectBytes(doc: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  return new Promise((resolve, reject) => {
    doc.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
}
