import PDFDocument from 'pdfkit'
import { openReportFonts, type Run } from '#server/modules/reports/report-pdf-fonts.ts'
import { openTypesetter, type TextStyle } from '#server/modules/reports/report-pdf-lines.ts'
import { code128 } from '#shared/code128.ts'
import type { Exam } from '#shared/contract/dashboard-exams.ts'
import type { WorklistSheetInput } from './worklist-sheet.ts'

/** Points; 72 are an inch. */
const SIZES = { A4: [595.28, 841.89], Letter: [612, 792] } as const
const SIDE = 40
const TOP = 92
const BOTTOM = 52
const ROW = 58
/** A third of a millimetre: what hand-held readers take from laser printers. */
const MODULE = 0.94
const BAR_HEIGHT = 24

const ink = (size: number, weight: 400 | 700, color = '#1b2430'): TextStyle => ({
  size,
  weight,
  color,
  leading: size * 1.35,
})
const TITLE = ink(15, 700)
const STRONG = ink(10.5, 700)
const PLAIN = ink(9, 400)
const SMALL = ink(8, 400, '#5c6673')
const WARNING = ink(8, 700, '#9c1c1c')

const WORDS = {
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

/** @see renderWorklistSheet */
export async function renderedSheet(input: WorklistSheetInput): Promise<Buffer> {
  const { paper, day } = input
  const words = WORDS[input.language]
  const [pageWidth, pageHeight] = SIZES[paper]
  const width = pageWidth - 2 * SIDE
  const title = words.title(day.day)
  const doc = new PDFDocument({
    ...{ size: [pageWidth, pageHeight], margin: 0, autoFirstPage: false, font: null as never },
    info: { Title: title, Creator: 'Isthmus', Producer: 'Isthmus (PDFKit)' },
  })
  const bytes = collected(doc)
  const fonts = openReportFonts((name, font) => doc.registerFont(name, font as never))
  const { line } = openTypesetter(fonts.runsOf, ({ font, text }: Run) =>
    doc.font(font).fontSize(1000).widthOfString(text),
  )

  function say(text: string, style: TextStyle, x: number, y: number, most: number): void {
    let at = x
    for (const { font, text: part, width: own } of line(text, style, most).runs) {
      doc
        .font(font)
        .fontSize(style.size)
        .fillColor(style.color)
        .text(part, at, y, { lineBreak: false, baseline: 'alphabetic' })
      at += own
    }
  }

  function bars(accessionNumber: string, x: number, y: number): void {
    let at = x
    for (const [index, modules] of (code128(accessionNumber) ?? []).entries()) {
      if (index % 2 === 0) doc.rect(at, y, modules * MODULE, BAR_HEIGHT).fill('#000000')
      at += modules * MODULE
    }
  }

  function row(exam: Exam, y: number): void {
    const barsAt = SIDE + width - 222
    const [time, name] = [
      exam.startTime.replace(/^(\d\d)(\d\d).*$/, '$1:$2'),
      shownName(exam.patientName),
    ]
    doc
      .rect(SIDE, y + 8, 10, 10)
      .lineWidth(0.8)
      .stroke('#1b2430')
    say(words.done, SMALL, SIDE, y + 28, 40)
    say(time, STRONG, SIDE + 40, y + 16, 44)
    say(name, STRONG, SIDE + 84, y + 16, barsAt - SIDE - 96)
    say(
      [shownDate(exam.patientBirthDate), exam.patientSex, exam.patientId]
        .filter(Boolean)
        .join(' · '),
      PLAIN,
      SIDE + 84,
      y + 30,
      barsAt - SIDE - 96,
    )
    say(
      [exam.modality, exam.description].filter(Boolean).join(' · '),
      PLAIN,
      SIDE + 84,
      y + 43,
      barsAt - SIDE - 96,
    )
    if (exam.accessionNumber !== '') {
      bars(exam.accessionNumber, barsAt, y + 6)
      say(exam.accessionNumber, PLAIN, barsAt, y + 42, 222)
    }
    if (exam.withheld !== '')
      say(words.withheld(exam.withheld), WARNING, SIDE + 84, y + 54, width - 84)
    rule(y + ROW)
  }

  const rule = (y: number) =>
    doc
      .moveTo(SIDE, y)
      .lineTo(SIDE + width, y)
      .lineWidth(0.5)
      .stroke('#c9cfd6')

  const pages = pagesOf(day.exams, Math.floor((pageHeight - TOP - BOTTOM) / ROW), words.anywhere)
  for (const [at, { room, exams }] of pages.entries()) {
    doc.addPage({ size: [pageWidth, pageHeight], margin: 0 })
    say(room, TITLE, SIDE, 44, width * 0.55)
    say(title, STRONG, SIDE + width * 0.58, 44, width * 0.42)
    say(input.clinicName, SMALL, SIDE, 60, width * 0.55)
    say(words.listed(input.listedAt), SMALL, SIDE + width * 0.58, 60, width * 0.42)
    if (day.source.kind === 'stored') say(words.stored, WARNING, SIDE, 76, width)
    rule(TOP - 6)
    if (exams.length === 0) say(words.nothing, PLAIN, SIDE, TOP + 18, width)
    for (const [index, exam] of exams.entries()) row(exam, TOP + index * ROW)
    say(words.printed(input.printedAt, at + 1, pages.length), SMALL, SIDE, pageHeight - 28, width)
  }
  doc.end()
  return bytes
}

/** The room that the partner names; else where it will be made, as far as that is known. */
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

const LEFT_OUT: ReadonlySet<Exam['state']> = new Set(['completed', 'closed', 'gone'])

function pagesOf(exams: readonly Exam[], most: number, anywhere: string): RoomPage[] {
  const rooms = Map.groupBy(
    exams.filter(({ state }) => !LEFT_OUT.has(state)),
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

/** `LAST, FIRST MIDDLE` of the alphabetic group, and the other groups as they are. */
const shownName = (name: string): string =>
  name
    .split('=')
    .map((group) => {
      const [last = '', first = '', middle = ''] = group.split('^')
      return [last, [first, middle].filter(Boolean).join(' ')].filter(Boolean).join(', ')
    })
    .filter(Boolean)
    .join(' · ')

const shownDate = (da: string): string => da.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')

function collected(doc: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  return new Promise((resolve, reject) => {
    doc.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
}
