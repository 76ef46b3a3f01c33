import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import MiniSearch from 'minisearch'
import { afterEach, describe, expect, it } from 'vitest'
import { SEARCH_OPTIONS, type SearchEntry } from '../renderer/src/help/search.ts'
import { HELP_PAGES } from '../renderer/src/ui/help.ts'
import { HelpSite } from '../scripts/vite/help/site.ts'
import { tempFolder } from './support/temp-store.ts'

// The documentation site that the gateway serves at /help (decision 0080).

const root = join(import.meta.dirname, '..')
const ASSETS = { script: '/assets/help-1.js', styles: ['/assets/help-1.css'], index: '/index.json' }

const folders: Disposable[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) folder[Symbol.dispose]()
})

/** A site made from these files of a repository. */
function siteOf(files: Readonly<Record<string, string | Buffer>>): HelpSite {
  const temp = tempFolder()
  folders.push(temp)
  const { folder } = temp
  for (const [name, content] of Object.entries({ 'docs/README.md': '# Docs\n', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return new HelpSite(folder)
}
const pageOf = (site: HelpSite, file: string): string => site.pages(ASSETS).get(file) ?? ''
const articleOf = (markdown: string, more: Readonly<Record<string, string>> = {}): string =>
  /<article>\n(.*)<\/article>/s.exec(
    pageOf(siteOf({ 'docs/VIEWER.md': markdown, ...more }), 'viewer.html'),
  )?.[1] ?? ''

describe('a page', () => {
  it('is made from each document, and folders without a list of their pages get one', () => {
    const site = siteOf({
      'README.md': '# Product\n',
      'docs/OPERATION.md': '# Operation\n',
      'docs/API.md': '# API\n[all](api/)\n',
      'docs/api/TASKS.md': '# Studies\n',
      'docs/events/README.md': '# Events\n',
      'docs/decisions/0080-a-documentation-site-in-the-build.md': '# One decision\n',
    })
    expect([...site.pages(ASSETS).keys()].sort()).toEqual([
      ...[
        'api.html',
        'api/tasks.html',
        'decisions/0080-a-documentation-site-in-the-build.html',
        'decisions/index.html',
        'events/index.html',
      ],
      ...['index.html', 'operation.html', 'readme.html'],
    ])
    expect(pageOf(site, 'decisions/index.html')).toContain(
      '<a href="/help/decisions/0080-a-documentation-site-in-the-build.html">One decision</a>',
    )
    expect(pageOf(site, 'api.html')).toContain('<a href="/help/api.html">all</a>')
    expect(pageOf(site, 'api/tasks.html')).toMatch(
      /<a href="\/help\/api\.html">API<\/a>\s*<ul>\s*<li><a href="\/help\/api\/tasks\.html" aria-current/,
    )
    expect(() => siteOf({ 'SECURITY.md': '# A\n', 'docs/SECURITY.md': '# B\n' })).toThrow(
      'help/security.html',
    )
  })

  it('has the anchors that GitHub gives headings', () => {
    const site = siteOf({
      'docs/VIEWER.md':
        '# Page\n## 1. Make `sk_test_` keys, *once*\n## It’s over – déjà vu\n## Same\n## Same\n### Same\n',
    })
    expect([...(site.anchorsOf('viewer.html') ?? [])]).toEqual([
      ...['page', '1-make-sk_test_-keys-once', 'its-over--déjà-vu', 'same', 'same-1', 'same-2'],
    ])
  })

  it('links other pages, and names files of the sources without a link', () => {
    const html = articleOf(
      [
        ...['[a](EVENTS.md)', '[b](EVENTS.md#part-two)', '[c](#here)', '[d](../SECURITY.md)'],
        ...[
          '[e](decisions/0080-a-documentation-site-in-the-build.md)',
          '[f](decisions/)',
          '[g](openapi.json)',
        ],
        ...['[h](../electron/main.ts)', '[i](https://example.org/x?a=1&b=2)'],
      ].join('\n\n'),
      {
        'docs/EVENTS.md': '# Other\n## Part two\n',
        'SECURITY.md': '# Security\n',
        'docs/decisions/0080-a-documentation-site-in-the-build.md': '# One\n',
        'docs/openapi.json': '{}',
        'electron/main.ts': '',
      },
    )
    expect([...html.matchAll(/<p>(.*)<\/p>/g)].map(([, text]) => text)).toEqual([
      ...['<a href="/help/events.html">a</a>', '<a href="/help/events.html#part-two">b</a>'],
      ...['<a href="#here">c</a>', '<a href="/help/security.html">d</a>'],
      '<a href="/help/decisions/0080-a-documentation-site-in-the-build.html">e</a>',
      '<a href="/help/decisions/index.html">f</a>',
      ...['<a href="/openapi.json">g</a>', 'h'],
      '<a href="https://example.org/x?a=1&amp;b=2">i</a>',
    ])
  })

  it('reports links to files and headings that do not exist', () => {
    const site = siteOf({
      'docs/VIEWER.md':
        '# Page\n[a](decisions/STAFF.md) [b](#none) [c](README.md#docs) [d](README.md#none)\n',
    })
    expect(site.faults()).toEqual(
      ['decisions/STAFF.md', '#none', 'README.md#none'].map(
        (target) => `docs/VIEWER.md links ${target}, which does not exist.`,
      ),
    )
  })

  it('shows the title of a page where a link has the name of its file', () => {
    const html = articleOf('[STAFF.md](STAFF.md), [the guide](STAFF.md)\n', {
      'docs/STAFF.md': '# Staff & `guide`\n',
    })
    expect(html).toBe(
      '<p><a href="/help/staff.html">Staff &amp; guide</a>, <a href="/help/staff.html">the guide</a></p>\n',
    )
  })

  it('shows the edges of a flowchart as a list', () => {
    const html = articleOf(
      '```mermaid\nflowchart LR\n  a["One<br>CT, MR"] -- "images (DICOM)" --> b["Two & more"]\n  b -- "reports" --> a\n```\n',
    )
    expect(html).toBe(
      [
        '<ul>',
        '<li><strong>One</strong> CT, MR → <strong>Two &amp; more</strong>: images (DICOM)</li>',
        '<li><strong>Two &amp; more</strong> → <strong>One</strong> CT, MR: reports</li>',
        '</ul>\n',
      ].join('\n'),
    )
  })

  it('escapes code and text, leaves out comments, and shows other diagrams as they are written', () => {
    const html = articleOf(
      '<!-- made by a script -->\nA <b>bold</b> `<script>` & more < less\n\n```mermaid\na --> "b" & <c>\n```\n',
    )
    expect(html).not.toContain('made by')
    expect(html).toContain('<b>bold</b> <code>&lt;script&gt;</code> &amp; more &lt; less')
    expect(html).toContain('a --&gt; &quot;b&quot; &amp; &lt;c&gt;')
  })

  it('shows pictures, which come with the site', () => {
    const bytes = Buffer.from('a picture')
    const site = siteOf({
      'docs/VIEWER.md':
        '![What it shows](pictures/one.png)\n\n<img src="pictures/one.png" alt="x">\n',
      'docs/pictures/one.png': bytes,
      'docs/pictures/unused.png': bytes,
    })
    expect(pageOf(site, 'viewer.html')).toContain(
      '<img src="/help/pictures/one.png" alt="What it shows" loading="lazy">',
    )
    expect(pageOf(site, 'viewer.html')).toContain('<img src="/help/pictures/one.png" alt="x">')
    expect([...site.pictures()]).toEqual([['pictures/one.png', bytes]])
  })

  it('lists its headings and the pages by the readers that the map of the documents names', () => {
    const site = siteOf({
      'docs/README.md':
        '# Documentation\n[EVENTS](EVENTS.md)\n## For clinics\n| [STAFF](STAFF.md) | x |\n|---|---|\n| [again](STAFF.md#a) | [S](api/) |\n## Nothing\n',
      'docs/STAFF.md': '# Staff guide\n## A\n## B & C\n### D\n',
      'docs/EVENTS.md': '# Other\n',
      'docs/api/README.md': '# API\n',
      'docs/api/TASKS.md': '# One\n',
    })
    const page = pageOf(site, 'staff.html')
    expect(page).toContain('<li class="depth-2"><a href="#b--c">B &amp; C</a></li>')
    const pages = /<nav id="pages".*<\/nav>/s.exec(page)?.[0] ?? ''
    expect(
      [...pages.matchAll(/<(?:h2|a)[^>]*>[^<]*/g)].map(([text]) => text.replace(/<[^ >]*/, '')),
    ).toEqual([
      ...['>For clinics', ' href="/help/staff.html" aria-current="page">Staff guide'],
      ...[' href="/help/api/index.html">API', '>More', ' href="/help/events.html">Other'],
    ])
    expect(pageOf(site, 'api/tasks.html')).toContain('<a href="/help/api/tasks.html" aria-current')
  })
})

describe('the search', () => {
  it('finds sections by their headings and words, and manuals before records of the past', () => {
    const site = siteOf({
      'docs/OPERATION.md': '# Operation\n## Backups\nChoose a folder.\n## Alerts\nThe disk.\n',
      'docs/decisions/0080-a-documentation-site-in-the-build.md':
        '# Backups are files\nBackups, backups.\n',
    })
    const search = MiniSearch.loadJSON<SearchEntry>(site.searchIndex(), SEARCH_OPTIONS)
    const found = (text: string) => search.search(text).map(({ href }) => String(href))
    expect(found('backup')[0]).toBe('/help/operation.html#backups')
    expect(found('backup')).toContain('/help/decisions/0080-a-documentation-site-in-the-build.html')
    expect(found('choose foldr')).toEqual(['/help/operation.html#backups'])
    expect(found('nothing-of-this')).toEqual([])
  })

  it('finds the guides of the clinic before references and proofs', () => {
    const search = MiniSearch.loadJSON<SearchEntry>(
      new HelpSite(root).searchIndex(),
      SEARCH_OPTIONS,
    )
    const first = (text: string) => String(search.search(text)[0]?.href).split('#')[0]
    expect(first('technologist')).toBe('/help/staff.html')
    expect(first('PC dies')).toBe('/help/administration.html')
    expect(first('recovery key')).toMatch(/^\/help\/(install|operation|administration)\.html$/)
  })
})

describe('the site of this repository', () => {
  const site = new HelpSite(root)

  it('has no link to a file or a heading that does not exist', () => {
    expect(site.faults()).toEqual([])
  })

  it('has no script in its pages, which the security policy of the gateway would refuse', () => {
    for (const [file, html] of site.pages(ASSETS)) {
      const scripts = html.match(/<script[^>]*>/g) ?? []
      expect([file, scripts.length]).toEqual([file, 1])
      expect(html, file).not.toMatch(/<[a-z][^>]* on[a-z]+=|href="javascript:/i)
    }
  })

  it('describes each screen of the window, at a heading that is there', () => {
    const router = readFileSync(join(root, 'renderer/src/app/router.tsx'), 'utf8')
    const paths = [...router.matchAll(/^ {2}path: '([^']+)'/gm)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(40)
    expect(Object.keys(HELP_PAGES).sort()).toEqual(paths.sort())
    const viewer = readFileSync(join(root, 'renderer/src/viewer/commands.ts'), 'utf8')
    const [, ofViewer = ''] = /href: '\/help\/([^']+)'/.exec(viewer) ?? []
    const targets = [...Object.values(HELP_PAGES), ofViewer]
    const missing = targets.filter((target) => {
      const [file = '', anchor] = target.split('#')
      const anchors = site.anchorsOf(file)
      return !anchors || (anchor !== undefined && !anchors.has(anchor))
    })
    expect(missing).toEqual([])
  })
})
