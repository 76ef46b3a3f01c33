import { lexer, type Token, walkTokens } from 'marked'
import type { Page } from './pages.ts'

export interface NavigationGroup {
  readonly name: string
  readonly pages: readonly Page[]
}

/**
 * The groups of the navigation: the headings of `docs/README.md` with the pages that it links under
 * each, once each. Pages at the top of `docs/` and of the repository that it does not link follow
 * in a last group; pages in folders are listed by the page of their folder.
 * @param pageOf the page that a link of that document leads to
 */
export function navigationOf(
  pages: readonly Page[],
  start: Page,
  pageOf: (target: string) => Page | undefined,
): readonly NavigationGroup[] {
  const listed = new Set<Page>([start])
  const groups: { name: string; pages: Page[] }[] = []
  for (const token of lexer(start.markdown)) {
    if (token.type === 'heading' && token.depth > 1)
      groups.push({ name: String(token.text), pages: [] })
    const group = groups.at(-1)
    if (!group) continue
    void walkTokens([token], (inner: Token) => {
      const page = inner.type === 'link' ? pageOf(String(inner.href)) : undefined
      if (!page || listed.has(page)) return
      listed.add(page)
      group.pages.push(page)
    })
  }
  const rest = pages.filter((page) => !listed.has(page) && isTop(page))
  const filled = groups.filter((group) => group.pages.length > 0)
  if (rest.length === 0) return filled
  return [...filled, { name: filled.length > 0 ? 'More' : 'Documents', pages: rest }]
}

const isTop = ({ file }: Page): boolean => !file.includes('/') || /^[^/]+\/index\.html$/.test(file)
