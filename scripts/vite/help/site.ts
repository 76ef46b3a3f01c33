import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import MiniSearch from 'minisearch'
import { SEARCH_OPTIONS, type SearchEntry } from '../../../renderer/src/help/search.ts'
import { type NavigationLink, pageHtml, type SiteAssets } from './layout.ts'
import { type Rendered, renderMarkdown, type Target } from './markdown.ts'
import { type NavigationGroup, navigationOf } from './navigation.ts'
import { indexSourceOf, type Page, readPages } from './pages.ts'

/** The folder of the site in the built window, and in its addresses. */
export const SITE = 'help'
const EXCERPT = 160
/** Guides for the clinic, which a search lists first. */
const CLINIC = /^(staff|administration|viewer|install|operation)\.html$/
/** References of partner developers and device engineers. */
const REFERENCES = /^(api|partners|partner-examples|events|conformance)\/|^security\.html$/
/** Records and proofs, which a search lists after the manuals. */
const RECORDS = new RegExp(
  [
    '^(decisions|promises|benchmarks)/|^(changelog|api-changes|status|promises|benchmarks|mutation|faults)\\.html$',
    '^(threats|hazards|controls|authority)\\.html$',
  ].join('|'),
)
const PICTURE = /\.(png|svg|webp|jpe?g|gif)$/i
/** Files that the gateway serves elsewhere. */
const SERVED: Readonly<Record<string, string>> = { 'docs/openapi.json': '/openapi.json' }

interface RenderedPage extends Rendered {
  readonly page: Page
}

/** The documentation site, made from the Markdown files of the repository (decision 0080). */
export class HelpSite {
  readonly #root: string
  readonly #pages: readonly Page[]
  readonly #rendered: readonly RenderedPage[]
  readonly #groups: readonly NavigationGroup[]
  readonly #pictures = new Set<string>()

  /** @param root folder of the repository */
  constructor(root: string) {
    this.#root = root
    this.#pages = readPages(root)
    this.#groups = this.#readGroups()
    this.#rendered = this.#pages.map((page) => ({
      ...renderMarkdown(page.markdown, (target) => this.#resolve(page, target)),
      page,
    }))
  }

  /** The search index as JSON, for `MiniSearch.loadJSON`. */
  searchIndex(): string {
    const search = new MiniSearch<SearchEntry>(SEARCH_OPTIONS)
    const entries = this.#rendered.flatMap(({ page, sections }) =>
      sections.map(({ heading, text }) => ({
        title: page.title,
        heading: heading?.text ?? page.title,
        text,
        href: addressOf(page) + (heading && heading.depth > 1 ? `#${heading.id}` : ''),
        excerpt: excerptOf(text),
        weight: weightOf(page),
      })),
    )
    search.addAll(entries.map((entry, id) => ({ ...entry, id })))
    return JSON.stringify(search)
  }

  /** The HTML of each page by its path below `/help/`. */
  pages(assets: SiteAssets): ReadonlyMap<string, string> {
    return new Map(
      this.#rendered.map(({ page, html, headings }) => [
        page.file,
        pageHtml({ ...page, html, headings, navigation: this.#navigationOn(page) }, assets),
      ]),
    )
  }

  /** The pictures of the pages by their path below `/help/`. */
  pictures(): ReadonlyMap<string, Buffer> {
    return new Map(
      [...this.#pictures].map((source) => [
        pictureFile(source),
        readFileSync(join(this.#root, source)),
      ]),
    )
  }

  /** The anchors of a page by its path below `/help/`; undefined if there is no such page. */
  anchorsOf(file: string): ReadonlySet<string> | undefined {
    const found = this.#rendered.find(({ page }) => page.file === file)
    return found && new Set(found.headings.map(({ id }) => id))
  }

  /** Links to files and headings that do not exist, one sentence each. */
  faults(): string[] {
    return this.#rendered.flatMap(({ page, links }) =>
      links
        .filter((target) => this.#isBroken(page, target))
        .map((target) => {
          return `${page.source} links ${target}, which does not exist.`
        }),
    )
  }

  #isBroken(page: Page, target: string): boolean {
    if (isElsewhere(target)) return false
    const { path, anchor } = partsOf(target)
    const linked = path === '' ? page : this.#pageAt(sourceOf(page, path))
    if (!linked) return !existsSync(join(this.#root, sourceOf(page, path)))
    return anchor !== '' && this.anchorsOf(linked.file)?.has(anchor) !== true
  }

  #resolve(page: Page, target: string): Target | undefined {
    if (isElsewhere(target) || target.startsWith('#')) return { href: target }
    const { path, anchor } = partsOf(target)
    const source = sourceOf(page, path)
    const linked = this.#pageAt(source)
    if (linked)
      return {
        href: addressOf(linked) + (anchor === '' ? '' : `#${anchor}`),
        title: linked.title,
      }
    if (PICTURE.test(source) && existsSync(join(this.#root, source))) {
      this.#pictures.add(source)
      return { href: `/${SITE}/${pictureFile(source)}` }
    }
    // Other files of the sources are not on the site.
    const href = SERVED[source]
    return href === undefined ? undefined : { href }
  }

  #pageAt(source: string): Page | undefined {
    const path = join(this.#root, source)
    const isFolder = existsSync(path) && statSync(path).isDirectory()
    const name = isFolder
      ? indexSourceOf(
          source,
          this.#pages.map((page) => page.source),
        )
      : source
    return this.#pages.find((page) => page.source === name)
  }

  #navigationOn(current: Page) {
    const linkTo = (page: Page): NavigationLink => ({
      href: addressOf(page),
      title: page.title,
      isCurrent: page === current,
      within: this.#within(page, current).map(linkTo),
    })
    return this.#groups.map(({ name, pages }) => ({ name, links: pages.map(linkTo) }))
  }

  #readGroups(): readonly NavigationGroup[] {
    const start = this.#pageAt('docs')
    if (!start) return []
    return navigationOf(this.#pages, start, (target) =>
      isElsewhere(target) ? undefined : this.#pageAt(sourceOf(start, partsOf(target).path)),
    )
  }

  /** The other pages of the folder that a page is the index of, if the current page is there, too. */
  #within(index: Page, current: Page): readonly Page[] {
    const folder = index.file.replace(/(\/index)?\.html$/, '')
    if (current !== index && posix.dirname(current.file) !== folder) return []
    return this.#pages.filter((page) => page !== index && posix.dirname(page.file) === folder)
  }
}

const addressOf = ({ file }: Page): string =>
  file === 'index.html' ? `/${SITE}/` : `/${SITE}/${file}`

const excerptOf = (text: string): string =>
  text.length > EXCERPT ? `${text.slice(0, EXCERPT).replace(/\s+\S*$/, '')} …` : text

/** Pictures keep their place in `docs/`. */
const pictureFile = (source: string): string => source.replace(/^docs\//, '').toLowerCase()

const isElsewhere = (target: string): boolean => /^([a-z][a-z\d+.-]*:|\/\/)/i.test(target)

function partsOf(target: string): { readonly path: string; readonly anchor: string } {
  const [path = '', anchor = ''] = target.split('#')
  return { path: decodeURI(path), anchor: decodeURIComponent(anchor) }
}

const sourceOf = (page: Page, path: string): string =>
  posix.normalize(posix.join(posix.dirname(page.source), path)).replace(/\/$/, '')

function weightOf({ file }: Page): number {
  if (CLINIC.test(file)) return 2
  if (REFERENCES.test(file)) return 0.6
  return RECORDS.test(file) ? 0.4 : 1
}
