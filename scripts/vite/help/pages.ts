import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** A page of the documentation site, made from one Markdown file. */
export interface Page {
  /** Path of the Markdown file in the repository, such as `docs/OPERATION.md`. */
  readonly source: string
  /** Path of the page below `/help/`, such as `operation.html`. */
  readonly file: string
  /** The text of its first heading. */
  readonly title: string
  readonly markdown: string
}

const DOCS = 'docs'
/** Files at the root of the repository that are pages, too. */
const AT_ROOT = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']

/**
 * Reads every Markdown file that becomes a page. A folder without an index (`indexSourceOf`) gets a
 * page that lists its pages.
 * @param root folder of the repository
 * @throws if two files would become the same page
 */
export function readPages(root: string): readonly Page[] {
  const sources = [
    ...AT_ROOT.filter((name) => existsSync(join(root, name))),
    ...readdirSync(join(root, DOCS), { recursive: true })
      .map((name) => `${DOCS}/${String(name).replaceAll('\\', '/')}`)
      .filter((name) => name.endsWith('.md'))
      .sort(),
  ]
  const pages = sources.map((source) => pageOf(source, readFileSync(join(root, source), 'utf8')))
  const folders = new Set(sources.map((name) => posix.dirname(name)).filter((name) => name !== '.'))
  const all = [
    ...pages,
    ...[...folders]
      .filter((folder) => indexSourceOf(folder, sources) === undefined)
      .map((folder) => indexOf(folder, pages)),
  ]
  const files = all.map(({ file }) => file)
  const repeated = files.find((file, at) => files.indexOf(file) !== at)
  if (repeated) throw new Error(`Two documents would become the page help/${repeated}.`)
  return all
}

/**
 * The document that is the index of a folder: its README.md, or the document beside the folder that
 * has its name, as `docs/API.md` for `docs/api`.
 */
export const indexSourceOf = (folder: string, sources: readonly string[]): string | undefined =>
  sources.find((source) => source === `${folder}/README.md`) ??
  sources.find((source) => source.toLowerCase() === `${folder}.md`.toLowerCase())

const pageOf = (source: string, markdown: string): Page => ({
  source,
  file: fileOf(source),
  title: /^# (.+)$/m.exec(markdown)?.[1]?.replace(/[`*]/g, '') ?? source,
  markdown,
})

/** `docs/decisions/README.md` becomes `decisions/index.html`, `SECURITY.md` `security.html`. */
function fileOf(source: string): string {
  const file = (path: string) => path.toLowerCase().replace(/\.md$/, '.html')
  if (!source.startsWith(`${DOCS}/`)) return file(source)
  return file(source.slice(DOCS.length + 1)).replace(/(^|\/)readme\.html$/, '$1index.html')
}

function indexOf(folder: string, pages: readonly Page[]): Page {
  const listed = pages.filter(
    ({ source }) => posix.dirname(source) === folder || (folder === DOCS && !/\//.test(source)),
  )
  const name = posix.basename(folder)
  const title = folder === DOCS ? 'Documentation' : `${name[0]?.toUpperCase()}${name.slice(1)}`
  const lines = listed.map((page) => `- [${page.title}](${posix.relative(folder, page.source)})`)
  return pageOf(`${folder}/README.md`, `# ${title}\n\n${lines.join('\n')}\n`)
}
