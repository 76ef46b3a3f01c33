import './help.css'
import MiniSearch, { type SearchResult } from 'minisearch'
import { SEARCH_OPTIONS, type SearchEntry } from './search.ts'

// The script of every page of the documentation site. Its texts are in the page.

/** Where the window keeps its theme, so that both have the same one. */
const THEME_STORAGE_KEY = 'mantine-color-scheme-value'
const MAX_RESULTS = 12

const themeOf = (value: string | null) => (value === 'light' || value === 'dark' ? value : 'auto')

function storedTheme(): 'light' | 'dark' | 'auto' {
  try {
    return themeOf(localStorage.getItem(THEME_STORAGE_KEY))
  } catch {
    // The browser does not allow storage.
    return 'auto'
  }
}

function applyTheme(theme: string): void {
  document.documentElement.dataset.theme = theme
}

function installTheme(): void {
  const label = document.querySelector<HTMLElement>('#theme')
  const select = label?.querySelector('select')
  if (!label || !select) return
  label.hidden = false
  select.value = storedTheme()
  select.addEventListener('change', () => {
    applyTheme(select.value)
    try {
      localStorage.setItem(THEME_STORAGE_KEY, select.value)
    } catch {
      // It holds for this page.
    }
  })
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key !== THEME_STORAGE_KEY) return
    select.value = themeOf(newValue)
    applyTheme(select.value)
  })
}

/** Lets the keyboard scroll what is wider than the page (WCAG 2.1.1). */
function installScrollers(): void {
  const mark = () => {
    for (const box of document.querySelectorAll<HTMLElement>('pre, .table')) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
      else box.removeAttribute('tabindex')
    }
  }
  mark()
  window.addEventListener('resize', mark)
}

/** Shows the current page in the list of pages, which scrolls on its own in a wide window. */
function showCurrentPage(): void {
  const list = document.querySelector('#pages')
  const current = list?.querySelector<HTMLElement>('[aria-current]')
  if (list && current) list.scrollTop = current.offsetTop - list.clientHeight / 2
}

let index: Promise<MiniSearch<SearchEntry>> | undefined

async function loadIndex(): Promise<MiniSearch<SearchEntry>> {
  const response = await fetch(document.documentElement.dataset.index ?? '')
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS)
}

function resultItem({ href, heading, title, excerpt }: SearchResult): HTMLLIElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = String(href)
  for (const [name, text] of [
    ['strong', String(heading)],
    ['em', heading === title ? '' : String(title)],
    ['span', String(excerpt)],
  ] as const) {
    if (text === '') continue
    const part = document.createElement(name)
    part.textContent = text
    link.append(part)
  }
  item.append(link)
  return item
}

function statusText(
  { none = '', some = '', best = '', failed = '' }: DOMStringMap,
  count: number | undefined,
): string {
  if (count === undefined) return failed
  if (count === 0) return none
  if (count <= MAX_RESULTS) return some.replace('{}', String(count))
  return best.replace('{}', String(MAX_RESULTS)).replace('{}', String(count))
}

function installSearch(): void {
  const searchInput = document.querySelector<HTMLElement>('#search')
  const input = searchInput?.querySelector('input')
  const found = searchInput?.querySelector<HTMLElement>('#found')
  const list = found?.querySelector('ol')
  const status = found?.querySelector('p')
  if (!searchInput || !input || !found || !list || !status) return
  searchInput.hidden = false
  const links = () => [...list.querySelectorAll('a')]
  const close = () => {
    found.hidden = true
  }
  const show = async () => {
    const text = input.value.trim()
    if (text === '') return close()
    index ??= loadIndex()
    const results = await index.then(
      (search) => search.search(text),
      () => undefined,
    )
    // Another letter was typed meanwhile.
    if (input.value.trim() !== text) return
    if (!results) index = undefined
    list.replaceChildren(...(results ?? []).slice(0, MAX_RESULTS).map(resultItem))
    status.textContent = statusText(status.dataset, results?.length)
    found.hidden = false
  }
  input.addEventListener('focus', () => {
    index ??= loadIndex()
    index.catch(() => {
      index = undefined
    })
  })
  input.addEventListener('input', () => void show())
  searchInput.addEventListener('keydown', (event) => {
    const all = links()
    const at = all.findIndex((link) => link.matches(':focus'))
    if (event.key === 'Escape') {
      input.focus()
      close()
    } else if (event.key === 'ArrowDown' && found.hidden) void show()
    else if (event.key === 'ArrowDown') all[Math.min(at + 1, all.length - 1)]?.focus()
    else if (event.key === 'ArrowUp') (all[at - 1] ?? input).focus()
    else if (event.key === 'Enter' && event.target === input) all[0]?.click()
    else return
    event.preventDefault()
  })
  searchInput.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && searchInput.contains(relatedTarget))) close()
  })
  // A link to a heading of this page does not load another one.
  list.addEventListener('click', close)
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, select')
    const isSearchKey =
      (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) ||
      (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey))
    if (!isSearchKey) return
    event.preventDefault()
    input.focus()
    input.select()
  })
}

// Before the page is painted; the rest needs its elements.
applyTheme(storedTheme())
document.addEventListener('DOMContentLoaded', () => {
  installTheme()
  installScrollers()
  showCurrentPage()
  installSearch()
})
