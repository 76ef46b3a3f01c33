import { escapeHtml } from './escape-html.ts'
import type { Heading } from './markdown.ts'

/** Addresses of the built files that every page loads. */
export interface SiteAssets {
  readonly script: string
  readonly styles: readonly string[]
  /** The search index, which the script loads when somebody searches. */
  readonly index: string
}

export interface NavigationLink {
  readonly href: string
  readonly title: string
  readonly isCurrent: boolean
  /** Pages of the folder that the link leads to, on the pages of that folder. */
  readonly within: readonly NavigationLink[]
}

export interface PageContent {
  readonly title: string
  readonly source: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly navigation: readonly {
    readonly name: string
    readonly links: readonly NavigationLink[]
  }[]
}

/** Pages with more headings list only the main ones. */
const MOST_HEADINGS = 40

/** The HTML of one page of the site. */
export function pageHtml(content: PageContent, assets: SiteAssets): string {
  const { title, source, html } = content
  const toc = tableOfContents(content.headings)
  return `<!doctype html>
<html lang="en" data-index="${escapeHtml(assets.index)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Isthmus documentation</title>
<link rel="icon" type="image/svg+xml" href="/isthmus.svg">
${assets.styles.map((href) => `<link rel="stylesheet" href="${escapeHtml(href)}">`).join('\n')}
<script type="module" blocking="render" src="${escapeHtml(assets.script)}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="/help/"><img src="/isthmus.svg" alt="" width="24" height="24">Isthmus documentation</a>
<a class="to-pages" href="#pages">All pages</a>
<search id="search" hidden>
<input type="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
<div id="found" hidden><p role="status" data-none="No results" data-some="Results: {}" data-best="The first {} of {} results" data-failed="The search index could not be loaded. Try again."></p><ol></ol></div>
</search>
<label id="theme" hidden>Theme <select><option value="auto">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
</header>
<div class="columns${toc === '' ? '' : ' with-toc'}">
<main id="content" tabindex="-1">
<article>
${html}</article>
<footer><p>From <code>${escapeHtml(source)}</code></p></footer>
</main>
${toc}<nav id="pages" aria-label="Pages">
${content.navigation.map(({ name, links }) => `<h2>${escapeHtml(name)}</h2>\n${listOf(links)}`).join('\n')}
</nav>
</div>
</body>
</html>
`
}

function tableOfContents(headings: readonly Heading[]): string {
  const inText = headings.filter(({ depth }) => depth === 2 || depth === 3)
  const shown = inText.length > MOST_HEADINGS ? inText.filter(({ depth }) => depth === 2) : inText
  if (shown.length < 2) return ''
  const items = shown.map(
    ({ depth, id, text }) =>
      `<li class="depth-${depth}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
  )
  return `<nav id="toc" aria-label="On this page">
<h2>On this page</h2>
<ul>
${items.join('\n')}
</ul>
</nav>
`
}

const listOf = (links: readonly NavigationLink[]): string =>
  `<ul>\n${links.map(itemOf).join('\n')}\n</ul>`

const itemOf = ({ href, title, isCurrent, within }: NavigationLink): string =>
  `<li><a href="${escapeHtml(href)}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>${
    within.length > 0 ? listOf(within) : ''
  }</li>`
