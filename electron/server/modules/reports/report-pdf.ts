import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import PDFDocument from 'pdfkit'
import { ReportFonts } from './report-pdf-fonts.ts'
import { nameText, ReportLayout, type ReportPdfInput, RULE_COLOR } from './report-pdf-layout.ts'
import { type SetLine, type TextStyle, Typesetter } from './report-pdf-lines.ts'
import { type Page, pagesOf, type Slice } from './report-pdf-pages.ts'

export interface ReportPdf {
  readonly bytes: Buffer
  readonly pages: number
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string
}

/** Page sizes in points (1/72 inch). */
const PAGE_SIZES = { A4: [595.28, 841.89], Letter: [612, 792] } as const
const SIDE_MARGIN = 64
const TOP_MARGIN = 62
const BOTTOM_MARGIN = 74
/** Position of the running head, from the top. */
const HEAD_POSITION = 38
const PAGE_NUMBER_WIDTH = 70
/** Maximum time in milliseconds before yielding to the event loop. */
const MAX_BLOCKING_MS = 15
const FOOTER_STYLE: TextStyle = { size: 7.5, weight: 400, color: '#5c6673', leading: 10.5 }
const FOOTER_BOLD_STYLE: TextStyle = { ...FOOTER_STYLE, weight: 700, color: '#1b2430' }

/**
 * Renders the PDF of a signed report with its addenda. It is deterministic: the same input results
 * in the same bytes. Fonts are embedded, the text can be extracted, and the length is even, as
 * DICOM requires of values.
 */
export async function renderReportPdf(input: ReportPdfInput): Promise<ReportPdf> {
  const yieldTurn = createYielder()
  const doc = createDocument(input)
  const rendered = bytesOf(doc)
  const [pageWidth, pageHeight] = PAGE_SIZES[input.paper]
  const width = pageWidth - 2 * SIDE_MARGIN
  const fonts = new ReportFonts((name, font) => doc.registerFont(name, font as never))
  const typesetter = new Typesetter(fonts, ({ font, text }) =>
    doc.font(font).fontSize(1000).widthOfString(text),
  )
  const blocks = []
  for (const block of new ReportLayout(input, typesetter, width).blocks()) {
    blocks.push(block)
    await yieldTurn()
  }
  const pages = pagesOf(blocks, pageHeight - TOP_MARGIN - BOTTOM_MARGIN)
  const drawing = new PageWriter(doc, input, typesetter)
  for (const [at, page] of pages.entries()) {
    drawing.page(page, at + 1, pages.length)
    await yieldTurn()
  }
  drawing.end()
  doc.end()
  const bytes = await rendered
  return { bytes, pages: pages.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function createDocument({ paper, studyDescription, reportId, parts }: ReportPdfInput) {
  const last = parts.at(-1)
  const signedAt = new Date(last?.signedAt ?? 0)
  return new PDFDocument({
    size: [...PAGE_SIZES[paper]],
    margin: 0,
    autoFirstPage: false,
    // The default would be Helvetica, which is not embedded.
    font: null as never,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    // Contains no patient data, because lists of documents show it. The file identifier is derived
    // from it.
    info: {
      Title: studyDescription.trim() || 'Radiology report',
      Author: last?.signer.name ?? '',
      Subject: `Report ${reportId}, ${last?.textHash ?? ''}`,
      Creator: 'Isthmus',
      Producer: 'Isthmus (PDFKit)',
      CreationDate: signedAt,
      ModDate: signedAt,
    },
  })
}

async function bytesOf(doc: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of doc) chunks.push(chunk as Uint8Array)
  const bytes = Buffer.concat(chunks)
  return bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.from('\n')])
}

/** Draws pages with their logical structure for screen readers. */
class PageWriter {
  readonly #doc: PDFKit.PDFDocument
  readonly #input: ReportPdfInput
  readonly #typesetter: Typesetter
  readonly #root: PDFKit.PDFStructureElement
  readonly #width: number
  readonly #pageHeight: number
  readonly #patient: string
  /** MRN and accession number. */
  readonly #ids: readonly string[]
  /** The structure element of the current block, which may continue on the next page. */
  #open:
    | { readonly block: Slice['block']; readonly element: PDFKit.PDFStructureElement }
    | undefined

  constructor(doc: PDFKit.PDFDocument, input: ReportPdfInput, typesetter: Typesetter) {
    this.#doc = doc
    this.#input = input
    this.#typesetter = typesetter
    this.#root = doc.struct('Document')
    doc.addStructure(this.#root)
    const [pageWidth, pageHeight] = PAGE_SIZES[input.paper]
    this.#width = pageWidth - 2 * SIDE_MARGIN
    this.#pageHeight = pageHeight
    const { metadata, accessionNumber } = input
    this.#patient = nameText(metadata.patientName) || 'Name not given'
    const mrn = metadata.mrn?.trim()
    const accession = accessionNumber.trim()
    this.#ids = [...(mrn ? [`MRN ${mrn}`] : []), ...(accession ? [`Accession ${accession}`] : [])]
  }

  page(page: Page, number: number, count: number): void {
    this.#doc.addPage({ size: [...PAGE_SIZES[this.#input.paper]], margin: 0 })
    for (const slice of page) this.#slice(slice)
    this.#artifact(() => {
      if (number > 1) this.#head()
      this.#foot(number, count)
    })
  }

  end(): void {
    this.#open?.element.end()
    this.#root.end()
  }

  #slice(slice: Slice): void {
    const doc = this.#doc
    const { block, rows, top, isFirst } = slice
    const height = rows.reduce((sum, row) => sum + row.height, 0)
    const y = TOP_MARGIN + top
    this.#artifact(() => {
      if (block.fill) doc.rect(SIDE_MARGIN, y, this.#width, height).fill(block.fill)
      if (block.bar) doc.rect(SIDE_MARGIN, y, 3, height).fill(block.bar)
      if (block.rule && isFirst) this.#rule(y)
    })
    const content = doc.markStructureContent(block.tag)
    let rowTop = y
    for (const row of rows) {
      for (const text of row.texts) this.#set(text.line, SIDE_MARGIN + text.x, rowTop + text.y)
      rowTop += row.height
    }
    doc.endMarkedContent()
    this.#elementOf(slice).add(content)
  }

  #elementOf({ block, isFirst }: Slice): PDFKit.PDFStructureElement {
    if (this.#open?.block === block && !isFirst) return this.#open.element
    this.#open?.element.end()
    const element = this.#doc.struct(block.tag)
    this.#open = { block, element }
    this.#root.add(element)
    return element
  }

  /** Draws the running head, on all pages but the first, which has the letterhead. */
  #head(): void {
    const right = SIDE_MARGIN + this.#width
    const text = [this.#patient, ...this.#ids].join(' · ')
    const name = this.#typesetter.line(text, FOOTER_BOLD_STYLE, this.#width * 0.6)
    this.#line(this.#input.clinicName, this.#width - name.width - 12, SIDE_MARGIN, HEAD_POSITION)
    this.#set(name, right - name.width, HEAD_POSITION)
    this.#rule(HEAD_POSITION + 7)
  }

  /**
   * Draws the footer with patient, report and study on every page, because printed sheets may get
   * separated.
   */
  #foot(number: number, count: number): void {
    const { reportId, studyDescription, parts } = this.#input
    const width = this.#width
    const y = this.#pageHeight - BOTTOM_MARGIN + 22
    const right = SIDE_MARGIN + width
    this.#rule(y)
    const name = this.#typesetter.line(this.#patient, FOOTER_BOLD_STYLE, width * 0.45)
    this.#set(name, SIDE_MARGIN, y + 13)
    if (this.#ids.length > 0) {
      const room = width - name.width - PAGE_NUMBER_WIDTH - 8
      this.#line(this.#ids.join(' · '), room, SIDE_MARGIN + name.width + 8, y + 13)
    }
    const pageNumber = this.#typesetter.line(
      `Page ${number} of ${count}`,
      FOOTER_STYLE,
      PAGE_NUMBER_WIDTH,
    )
    this.#set(pageNumber, right - pageNumber.width, y + 13)
    const report = `Report ${reportId} · SHA-256 ${parts.at(-1)?.textHash.slice(0, 16) ?? ''}`
    const id = this.#typesetter.line(report, FOOTER_STYLE, width)
    this.#line(studyDescription, width - id.width - 12, SIDE_MARGIN, y + 13 + FOOTER_STYLE.leading)
    this.#set(id, right - id.width, y + 13 + FOOTER_STYLE.leading)
  }

  #line(text: string, width: number, x: number, y: number): void {
    this.#set(this.#typesetter.line(text, FOOTER_STYLE, width), x, y)
  }

  #set({ style, runs }: SetLine, x: number, y: number): void {
    const doc = this.#doc
    let at = x
    for (const { font, text, width, isUnknown } of runs) {
      doc.font(font).fontSize(style.size).fillColor(style.color)
      // ActualText (ISO 32000-1 §14.9.4), so that characters printed as boxes can still be read
      // aloud and copied.
      if (isUnknown) doc.markContent('Span', { actual: text } as never)
      doc.text(text, at, y, { lineBreak: false, baseline: 'alphabetic' })
      if (isUnknown) doc.endMarkedContent()
      at += width
    }
  }

  #rule(y: number): void {
    const line = this.#doc.moveTo(SIDE_MARGIN, y).lineTo(SIDE_MARGIN + this.#width, y)
    line.lineWidth(0.6).stroke(RULE_COLOR)
  }

  #artifact(work: () => void): void {
    this.#doc.markContent('Artifact', { type: 'Pagination' })
    work()
    this.#doc.endMarkedContent()
  }
}

/** Returns a function that yields to the event loop if it has been blocked for too long. */
function createYielder(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MAX_BLOCKING_MS) return
    await nextTurn()
    since = performance.now()
  }
}
