import type { Page } from '@playwright/test'

/** A text that a person sees or hears. */
export interface Seen {
  readonly text: string
  /** `text`, or the attribute it stands in. */
  readonly as: string
  /** Where, in short. */
  readonly at: string
}

/**
 * What the page says: its visible text by the smallest element that holds a whole sentence of it,
 * what is read aloud, and its title. What people and devices wrote is left out where it has an
 * element of its own: reports, bodies of calls, values in fixed letters.
 */
export const seenOn = (page: Page): Promise<Seen[]> =>
  page.evaluate(() => {
    const WRITTEN = 'pre, code, .mono, .cm-content, [translate="no"], script, style, noscript'
    const ATTRIBUTES = [
      'aria-label',
      'title',
      'placeholder',
      'alt',
      'aria-description',
      'aria-roledescription',
      'aria-valuetext',
      'label',
    ]
    const seen: { text: string; as: string; at: string }[] = [
      { text: document.title, as: 'document.title', at: 'head' },
    ]
    const where = (element: Element) =>
      `${element.tagName.toLowerCase()}.${String(element.getAttribute('class') ?? '').slice(0, 40)} in ${element.closest('section, dialog, [role=dialog], nav, header, main, tr')?.tagName ?? ''}`
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement
      const text = (node.textContent ?? '').replace(/\s+/g, ' ').trim()
      if (!element || text === '' || element.closest(WRITTEN)) continue
      if (!element.checkVisibility({ visibilityProperty: true })) continue
      const isBroken = text.split('⟦').length !== text.split('⟧').length
      seen.push({
        text: isBroken ? (element.parentElement?.textContent ?? '') : text,
        as: 'text',
        at: where(element),
      })
    }
    for (const element of document.body.querySelectorAll(
      ATTRIBUTES.map((name) => `[${name}]`).join(','),
    )) {
      if (
        element.closest('.cm-content, .mono, [translate="no"]') ||
        !element.checkVisibility({ visibilityProperty: true })
      )
        continue
      for (const name of ATTRIBUTES) {
        const text = element.getAttribute(name)?.trim()
        if (text) seen.push({ text, as: name, at: where(element) })
      }
    }
    return seen
  })

/** What stands outside the brackets of the pseudo-locale. */
export function outside(text: string): string {
  let depth = 0
  let rest = ''
  for (const letter of text) {
    if (letter === '⟦') depth += 1
    else if (letter === '⟧') depth = Math.max(0, depth - 1)
    else if (depth === 0) rest += letter
  }
  return rest
}
