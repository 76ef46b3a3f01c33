import { getDefaults, lexer, Parser, Renderer, type Token, type Tokens } from 'marked'
import { escapeHtml } from './escape-html.ts'
import { flowchartList } from './flowchart.ts'

export interface Heading {
  readonly depth: number
  readonly id: string
  readonly text: string
}

/** The text from one heading to the next, for the search. */
export interface Section {
  /** The heading; undefined for the text before the first one. */
  readonly heading: Heading | undefined
  readonly text: string
}

export interface Rendered {
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
  /** The targets of links, as written. */
  readonly links: readonly string[]
}

/** Where a link or a picture of a document leads to on the site. */
export interface Target {
  readonly href: string
  /** Title of the page, if it is one. */
  readonly title?: string
}

/** Finds the target of a link or a picture; undefined for no link. */
export type Resolve = (target: string) => Target | undefined

/** A link with the name of a file as its text shows the title of the page. */
const FILE_NAME = /^`?[\w./-]+(\.md|\/)`?$/

/** Renders GitHub Flavored Markdown. Comments are left out. */
export function renderMarkdown(markdown: string, resolve: Resolve): Rendered {
  const tokens = lexer(markdown)
  const ids = new Map<Token, string>()
  const headings: Heading[] = []
  const sections: { heading: Heading | undefined; text: string }[] = []
  const used = new Map<string, number>()
  for (const token of tokens) {
    if (token.type === 'heading') {
      const text = plainText(token)
      const heading = { depth: token.depth as number, id: uniqueId(text, used), text }
      ids.set(token, heading.id)
      headings.push(heading)
      sections.push({ heading, text: '' })
      continue
    }
    if (sections.length === 0) sections.push({ heading: undefined, text: '' })
    const section = sections.at(-1)
    if (section) section.text = `${section.text} ${plainText(token)}`.replace(/\s+/g, ' ').trim()
  }
  const links: string[] = []
  const noting: Resolve = (target) => {
    links.push(target)
    return resolve(target)
  }
  const renderer = new PageRenderer(ids, noting)
  const html = new Parser({ ...getDefaults(), renderer }).parse(tokens)
  return { html, headings, sections, links }
}

class PageRenderer extends Renderer {
  readonly #ids: ReadonlyMap<Token, string>
  readonly #resolve: Resolve

  constructor(ids: ReadonlyMap<Token, string>, resolve: Resolve) {
    super()
    this.#ids = ids
    this.#resolve = resolve
  }

  override heading(token: Tokens.Heading): string {
    const { depth, tokens } = token
    const text = this.parser.parseInline(tokens)
    const id = this.#ids.get(token)
    if (id === undefined) return `<h${depth}>${text}</h${depth}>\n`
    const link = `<a class="anchor" href="#${escapeHtml(id)}" aria-hidden="true" tabindex="-1">#</a>`
    return `<h${depth} id="${escapeHtml(id)}">${text}${depth > 1 ? link : ''}</h${depth}>\n`
  }

  override link({ href, title, text, tokens }: Tokens.Link): string {
    const target = this.#resolve(href)
    if (!target) return this.parser.parseInline(tokens)
    const shown =
      target.title !== undefined && FILE_NAME.test(text)
        ? escapeHtml(target.title)
        : this.parser.parseInline(tokens)
    return `<a href="${escapeHtml(target.href)}"${titleAttribute(title)}>${shown}</a>`
  }

  override code(token: Tokens.Code): string {
    const flowchart = token.lang === 'mermaid' ? flowchartList(token.text) : undefined
    return flowchart ?? super.code(token)
  }

  override image({ href, title, text }: Tokens.Image): string {
    const picture = this.#resolve(href)
    const alt = escapeHtml(text)
    if (!picture) return alt
    return `<img src="${escapeHtml(picture.href)}" alt="${alt}"${titleAttribute(title)} loading="lazy">`
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return text
      .replace(/<!--.*?(-->|$)/gs, '')
      .replace(/ (src|srcset|href)="([^"]*)"/g, (_all, name: string, target: string) => {
        const resolved = this.#resolve(target)
        return resolved ? ` ${name}="${escapeHtml(resolved.href)}"` : ''
      })
  }

  /** A wide table scrolls within its own frame. */
  override table(token: Tokens.Table): string {
    return `<div class="table">${super.table(token)}</div>\n`
  }
}

const titleAttribute = (title: string | null | undefined): string =>
  title ? ` title="${escapeHtml(title)}"` : ''

/** The anchor that GitHub gives a heading; a repeated one gets a number. */
function uniqueId(text: string, used: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
  const count = used.get(id) ?? 0
  used.set(id, count + 1)
  if (count === 0) return id
  return uniqueId(`${text}-${count}`, used)
}

function plainText(token: Token): string {
  if (token.type === 'space' || token.type === 'html' || token.type === 'br') return ' '
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].flat().map(plainTextOfCell).join(' ')
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(plainText).join(' ')
  const inner = 'tokens' in token ? token.tokens : undefined
  if (inner && inner.length > 0) return inner.map(plainText).join(isBlock(token) ? ' ' : '')
  return 'text' in token ? decoded(String(token.text)) : ''
}

const plainTextOfCell = ({ tokens }: Tokens.TableCell): string => tokens.map(plainText).join('')

const isBlock = ({ type }: Token): boolean => type === 'list_item' || type === 'blockquote'

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&nbsp;': ' ',
}
const decoded = (text: string): string =>
  text.replace(/&(lt|gt|amp|quot|nbsp);/g, (entity) => ENTITIES[entity] ?? entity)
