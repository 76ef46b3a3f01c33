import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))

/** The path of a document, which is named by its path in `docs/`. */
export const documentPath = (name: string): string => join(DOCS, name)

/**
 * The pages of a document by their paths in `docs/`: the document itself, then the pages of its
 * folder in the order in which it links to them.
 */
export function pagesOf(name: string): string[] {
  const folder = `${name.replace(/\.md$/, '').toLowerCase()}/`
  const links = [...readFileSync(documentPath(name), 'utf8').matchAll(/\]\(([^)#]+)/g)]
  const pages = links.map(([, path = '']) => path).filter((path) => path.startsWith(folder))
  return [name, ...new Set(pages)]
}

/** Documents with tables that are generated from the code. */
export const DOCUMENTS = [
  ...pagesOf('CONFORMANCE.md'),
  'INTEGRATION.md',
  'CONNECTING.md',
  'AUTHORITY.md',
  'COMMANDS.md',
]
