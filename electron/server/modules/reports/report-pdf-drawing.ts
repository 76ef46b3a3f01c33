import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import PDFDocument from 'pdfkit'
import type { ReportPdf, ReportPdfInput } from './report-pdf.ts'
import { openReportFonts, type Run } from './report-pdf-fonts.ts'
import { blocksOf, nameText, RULE } from './report-pdf-layout.ts'
import {
  openTypesetter,
  type SetLine,
  type TextStyle,
  type Typesetter,
} from './report-pdf-lines.ts'
import { type Page, pagesOf, type Slice } from './report-pdf-pages.ts'

/** Points; 72 are an inch. */
const SIZES = { A4: [595.28, 841.89], Letter: [612, 792] } as const
const SIDE = 64
const TOP = 62
const BOTTOM = 74
/** Of the running head, from the top. */
const HEAD = 38
/** How long the event loop waits for us at most, in ms. */
const PATIENCE_MS = 15
const FOOT: TextStyle = { size: 7.5, weight: 400, color: '#5c6673', leading: 10.5 }
const FOOT_STRONG: TextStyle = { ...FOOT, weight: 700, color: '#1b2430' }

/** @see renderReportPdf */
export async function renderedPdf(input: ReportPdfInput): Promise<ReportPdf> {
  const breathe = breathing()
  const { doc, done } = openDocument(input)
  const [pageWidth, pageHeight] = SIZES[input.paper]
  const width = pageWidth - 2 * SIDE
  const fonts = openReportFonts((name, font) => doc.registerFont(name, font as never))
  const measure = ({ font, text }: Run) => doc.font(font).fontSize(1000).widthOfString(text)
  const typesetter = openTypesetter(fonts.runsOf, measure)
  const blocks = []
  for (const block of blocksOf(input, typesetter, width)) {
    blocks.push(block)
    await breathe()
  }
  const pages = pagesOf(blocks, pageHeight - TOP - BOTTOM)
  const draw = drawing(doc, input, typesetter, { width, pageHeight })
  for (const [at, page] of pages.entries()) {
    draw.page(page, at + 1, pages.length)
    await breathe()
  }
  draw.end()
  doc.end()
  const bytes = await done
  return { bytes, pages: pages.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function openDocument({ paper, studyDescription, reportId, parts }: ReportPdfInput) {
  const last = parts.at(-1)
  const signedAt = new Date(last?.signedAt ?? 0)
  const doc = new PDFDocument({
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
  const chunks: Uint8Array[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    doc.on('end', () => {
      const bytes = Buffer.concat(chunks)
      resolve(bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.from('\n')]))
    })
    doc.on('error', reject)
  })
  return { doc, done }
}

interface Column {
  readonly width: number
  readonly pageHeight: number
}

function drawing(
  doc: PDFKit.PDFDocument,
  input: ReportPdfInput,
  { line }: Typesetter,
  { width, pageHeight }: Column,
) {
  const root = doc.struct('Document')
  doc.addStructure(root)
  /** The element of a block, which may go on on the next page. */
  let open:
    | { readonly block: Slice['block']; readonly element: PDFKit.PDFStructureElement }
    | undefined

  function set({ style, runs }: SetLine, x: number, y: number): void {
    let at = x
    for (const { font, text, width: own, isUnknown } of runs) {
      doc.font(font).fontSize(style.size).fillColor(style.color)
      // ISO 32000-1 §14.9.4: what is printed as boxes is still there to be read out and copied.
      if (isUnknown) doc.markContent('Span', { actual: text } as never)
      doc.text(text, at, y, { lineBreak: false, baseline: 'alphabetic' })
      if (isUnknown) doc.endMarkedContent()
      at += own
    }
  }

  function artifact(work: () => void): void {
    doc.markContent('Artifact', { type: 'Pagination' })
    work()
    doc.endMarkedContent()
  }

  function elementOf({ block, isFirst }: Slice): PDFKit.PDFStructureElement {
    if (open?.block !== block || isFirst) {
      open?.element.end()
      open = { block, element: doc.struct(block.tag) }
      root.add(open.element)
    }
    return open.element
  }

  function slice(own: Slice): void {
    const { block, rows, top, isFirst } = own
    const height = rows.reduce((sum, row) => sum + row.height, 0)
    const y = TOP + top
    artifact(() => {
      if (block.fill) doc.rect(SIDE, y, width, height).fill(block.fill)
      if (block.bar) doc.rect(SIDE, y, 3, height).fill(block.bar)
      if (block.rule && isFirst) rule(y)
    })
    const content = doc.markStructureContent(block.tag)
    let rowTop = y
    for (const row of rows) {
      for (const text of row.texts) set(text.line, SIDE + text.x, rowTop + text.y)
      rowTop += row.height
    }
    doc.endMarkedContent()
    elementOf(own).add(content)
  }

  const rule = (y: number) =>
    doc
      .moveTo(SIDE, y)
      .lineTo(SIDE + width, y)
      .lineWidth(0.6)
      .stroke(RULE)

  const { metadata, accessionNumber, reportId, studyDescription, parts } = input
  const patient = nameText(metadata.patientName) || 'Name not given'
  const ids = [
    metadata.mrn?.trim() && `MRN ${metadata.mrn.trim()}`,
    accessionNumber.trim() && `Accession ${accessionNumber.trim()}`,
  ]
  const report = `Report ${reportId} · SHA-256 ${parts.at(-1)?.textHash.slice(0, 16) ?? ''}`
  const NUMBER_WIDTH = 70

  /** The first page has the letterhead there. */
  function head(): void {
    const name = line([patient, ...ids].filter(Boolean).join(' · '), FOOT_STRONG, width * 0.6)
    set(line(input.clinicName, FOOT, width - name.width - 12), SIDE, HEAD)
    set(name, SIDE + width - name.width, HEAD)
    rule(HEAD + 7)
  }

  /** Who and what, on every page: sheets come apart. */
  function foot(number: number, count: number): void {
    const y = pageHeight - BOTTOM + 22
    rule(y)
    const name = line(patient, FOOT_STRONG, width * 0.45)
    set(name, SIDE, y + 13)
    const rest = ids.filter(Boolean).join(' · ')
    if (rest)
      set(line(rest, FOOT, width - name.width - NUMBER_WIDTH - 8), SIDE + name.width + 8, y + 13)
    const paging = line(`Page ${number} of ${count}`, FOOT, NUMBER_WIDTH)
    set(paging, SIDE + width - paging.width, y + 13)
    const id = line(report, FOOT, width)
    set(line(studyDescription, FOOT, width - id.width - 12), SIDE, y + 13 + FOOT.leading)
    set(id, SIDE + width - id.width, y + 13 + FOOT.leading)
  }

  return {
    page(page: Page, number: number, count: number): void {
      doc.addPage({ size: [...SIZES[input.paper]], margin: 0 })
      for (const own of page) slice(own)
      artifact(() => {
        if (number > 1) head()
        foot(number, count)
      })
    },
    end(): void {
      open?.element.end()
      root.end()
    },
  }
}

/** Lets others run whenever it has been our turn for long. */
function breathing(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < PATIENCE_MS) return
    await nextTurn()
    since = performance.now()
  }
}
