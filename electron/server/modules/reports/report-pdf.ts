import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import PDFDocument from 'pdfkit'
import { ReportFonts } from './report-pdf-fonts.ts'
import { nameText, ReportLayout, type ReportPdfInput, RULE } from './report-pdf-layout.ts'
import { type SetLine, type TextStyle, Typesetter } from './report-pdf-lines.ts'
import { type Page, pagesOf, type Slice } from './report-pdf-pages.ts'

export interface ReportPdf {
  readonly bytes: Buffer
  readonly pages: number
  /** Of the bytes, hex. */
  readonly sha256: string
}

/** Points; 72 are an inch. */
const SIZES = { A4: [595.28, 841.89], Letter: [612, 792] } as const
const SIDE = 64
const TOP = 62
const BOTTOM = 74
/** Of the running head, from the top. */
const HEAD = 38
const NUMBER_WIDTH = 70
/** How long the event loop is held at most, in ms. */
const LONGEST_TURN_MS = 15
const FOOT: TextStyle = { size: 7.5, weight: 400, color: '#5c6673', leading: 10.5 }
const FOOT_STRONG: TextStyle = { ...FOOT, weight: 700, color: '#1b2430' }

/**
 * The PDF of a signed report with its addenda. Deterministic: the same input, the same bytes. Fonts
 * are embedded, its text can be extracted, and the number of its bytes is even, as DICOM wants
 * values.
 */
export async function renderReportPdf(input: ReportPdfInput): Promise<ReportPdf> {
  const yieldTurn = turnYielder()
  const doc = documentOf(input)
  const done = bytesOf(doc)
  const [pageWidth, pageHeight] = SIZES[input.paper]
  const width = pageWidth - 2 * SIDE
  const fonts = new ReportFonts((name, font) => doc.registerFont(name, font as never))
  const typesetter = new Typesetter(fonts, ({ font, text }) =>
    doc.font(font).fontSize(1000).widthOfString(text),
  )
  const blocks = []
  for (const block of new ReportLayout(input, typesetter, width).blocks()) {
    blocks.push(block)
    await yieldTurn()
  }
  const pages = pagesOf(blocks, pageHeight - TOP - BOTTOM)
  const drawing = new Drawing(doc, input, typesetter)
  for (const [at, page] of pages.entries()) {
    drawing.page(page, at + 1, pages.length)
    await yieldTurn()
  }
  drawing.end()
  doc.end()
  const bytes = await done
  return { bytes, pages: pages.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function documentOf({ paper, studyDescription, reportId, parts }: ReportPdfInput) {
  const last = parts.at(-1)
  const signedAt = new Date(last?.signedAt ?? 0)
  return new PDFDocument({
    size: [...SIZES[paper]],
    margin: 0,
    autoFirstPage: false,
    // Without one it would be Helvetica, which is not embedded.
    font: null as never,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    // Lists of documents show it: nothing in it names the patient. The file's identifier is made of
    // it.
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

/** Draws pages, with the structure that readers of the screen follow. */
class Drawing {
  readonly #doc: PDFKit.PDFDocument
  readonly #input: ReportPdfInput
  readonly #typesetter: Typesetter
  readonly #root: PDFKit.PDFStructureElement
  readonly #width: number
  readonly #pageHeight: number
  readonly #patient: string
  /** MRN and accession number. */
  readonly #ids: readonly string[]
  /** The element of a block, which may go on on the next page. */
  #open:
    | { readonly block: Slice['block']; readonly element: PDFKit.PDFStructureElement }
    | undefined

  constructor(doc: PDFKit.PDFDocument, input: ReportPdfInput, typesetter: Typesetter) {
    this.#doc = doc
    this.#input = input
    this.#typesetter = typesetter
    this.#root = doc.struct('Document')
    doc.addStructure(this.#root)
    const [pageWidth, pageHeight] = SIZES[input.paper]
    this.#width = pageWidth - 2 * SIDE
    this.#pageHeight = pageHeight
    const { metadata, accessionNumber } = input
    this.#patient = nameText(metadata.patientName) || 'Name not given'
    const mrn = metadata.mrn?.trim()
    const accession = accessionNumber.trim()
    this.#ids = [...(mrn ? [`MRN ${mrn}`] : []), ...(accession ? [`Accession ${accession}`] : [])]
  }

  page(page: Page, number: number, count: number): void {
    this.#doc.addPage({ size: [...SIZES[this.#input.paper]], margin: 0 })
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
    const y = TOP + top
    this.#artifact(() => {
      if (block.fill) doc.rect(SIDE, y, this.#width, height).fill(block.fill)
      if (block.bar) doc.rect(SIDE, y, 3, height).fill(block.bar)
      if (block.rule && isFirst) this.#rule(y)
    })
    const content = doc.markStructureContent(block.tag)
    let rowTop = y
    for (const row of rows) {
      for (const text of row.texts) this.#set(text.line, SIDE + text.x, rowTop + text.y)
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

  /** The first page has the letterhead there. */
  #head(): void {
    const right = SIDE + this.#width
    const text = [this.#patient, ...this.#ids].join(' · ')
    const name = this.#typesetter.line(text, FOOT_STRONG, this.#width * 0.6)
    this.#line(this.#input.clinicName, this.#width - name.width - 12, SIDE, HEAD)
    this.#set(name, right - name.width, HEAD)
    this.#rule(HEAD + 7)
  }

  /** Who and what, on every page: sheets come apart. */
  #foot(number: number, count: number): void {
    const { reportId, studyDescription, parts } = this.#input
    const width = this.#width
    const y = this.#pageHeight - BOTTOM + 22
    const right = SIDE + width
    this.#rule(y)
    const name = this.#typesetter.line(this.#patient, FOOT_STRONG, width * 0.45)
    this.#set(name, SIDE, y + 13)
    if (this.#ids.length > 0) {
      const room = width - name.width - NUMBER_WIDTH - 8
      this.#line(this.#ids.join(' · '), room, SIDE + name.width + 8, y + 13)
    }
    const paging = this.#typesetter.line(`Page ${number} of ${count}`, FOOT, NUMBER_WIDTH)
    this.#set(paging, right - paging.width, y + 13)
    const report = `Report ${reportId} · SHA-256 ${parts.at(-1)?.textHash.slice(0, 16) ?? ''}`
    const id = this.#typesetter.line(report, FOOT, width)
    this.#line(studyDescription, width - id.width - 12, SIDE, y + 13 + FOOT.leading)
    this.#set(id, right - id.width, y + 13 + FOOT.leading)
  }

  #line(text: string, width: number, x: number, y: number): void {
    this.#set(this.#typesetter.line(text, FOOT, width), x, y)
  }

  #set({ style, runs }: SetLine, x: number, y: number): void {
    const doc = this.#doc
    let at = x
    for (const { font, text, width, isUnknown } of runs) {
      doc.font(font).fontSize(style.size).fillColor(style.color)
      // ISO 32000-1 §14.9.4: what is printed as boxes is still there to be read out and copied.
      if (isUnknown) doc.markContent('Span', { actual: text } as never)
      doc.text(text, at, y, { lineBreak: false, baseline: 'alphabetic' })
      if (isUnknown) doc.endMarkedContent()
      at += width
    }
  }

  #rule(y: number): void {
    const line = this.#doc.moveTo(SIDE, y).lineTo(SIDE + this.#width, y)
    line.lineWidth(0.6).stroke(RULE)
  }

  #artifact(work: () => void): void {
    this.#doc.markContent('Artifact', { type: 'Pagination' })
    work()
    this.#doc.endMarkedContent()
  }
}

/** Lets others run whenever the event loop was held for long. */
function turnYielder(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < LONGEST_TURN_MS) return
    await nextTurn()
    since = performance.now()
  }
}
