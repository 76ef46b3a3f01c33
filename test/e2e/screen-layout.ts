import type { Page } from '@playwright/test'

/** WCAG 2.2, 2.5.8. */
const SMALLEST_TARGET = 24

/** What is wrong with how the page fits its window, a line each. */
export const misfits = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const faults: string[] = []
    const named = (element: Element) =>
      `${element.tagName.toLowerCase()} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 50)}”`
    const wide = document.documentElement.scrollWidth
    if (wide > innerWidth) faults.push(`the page is ${wide} wide in a window of ${innerWidth}`)
    const shown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      element.closest('[aria-hidden="true"]') === null

    /** Whether some ancestor scrolls, so that a person can bring it into view. */
    const scrolls = (element: Element, axis: 'X' | 'Y') => {
      for (let above = element.parentElement; above; above = above.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(above)[`overflow${axis}`])) return true
      }
      return false
    }
    const PRESSED =
      'button, a[href], [role="button"], [role="tab"], input:not([type="hidden"]), select, textarea, [role="menuitem"]'
    for (const element of document.querySelectorAll(PRESSED)) {
      const box = element.getBoundingClientRect()
      if (!shown(element) || box.width === 0 || box.height <= 1) continue
      // Out of sight until it has the focus.
      if (box.right <= 0 || box.bottom <= 0) continue
      if ((box.left < -1 || box.right > innerWidth + 1) && !scrolls(element, 'X'))
        faults.push(`${named(element)} is beside the window`)
      if (
        box.bottom > innerHeight + 1 &&
        !scrolls(element, 'Y') &&
        document.documentElement.scrollHeight <= innerHeight
      ) {
        faults.push(`${named(element)} is below the window and cannot be reached`)
      }
      // A link within a sentence may be as high as its line; what has room around it may be
      // smaller.
      const isInline = getComputedStyle(element).display === 'inline'
      const label = element.matches('input')
        ? element.closest(
            'label, .mantine-Checkbox-root, .mantine-Radio-root, .mantine-Switch-root',
          )
        : null
      const target = label?.getBoundingClientRect() ?? box
      const crossed = Math.min(target.width, target.height)
      if (!isInline && crossed < least - 0.5) {
        const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 }
        const isCrowded = [...document.querySelectorAll(PRESSED)].some((other) => {
          if (
            other === element ||
            !shown(other) ||
            other.contains(element) ||
            element.contains(other)
          )
            return false
          const beside = other.getBoundingClientRect()
          if (beside.width === 0) return false
          const x = Math.max(beside.left, Math.min(middle.x, beside.right))
          const y = Math.max(beside.top, Math.min(middle.y, beside.bottom))
          return Math.hypot(middle.x - x, middle.y - y) < least / 2
        })
        if (isCrowded || element.matches('button, [role="tab"]')) {
          faults.push(
            `${named(element)} is ${Math.round(target.width)} × ${Math.round(target.height)}`,
          )
        }
      }
    }
    // Words that nobody can read to their end.
    for (const element of document.querySelectorAll(
      'button, h1, h2, h3, th, label, [role="tab"], .mantine-Button-label, .mantine-Badge-label',
    )) {
      if (
        !shown(element) ||
        element.closest('[data-loading]') ||
        element.clientWidth <= 1 ||
        (element.textContent ?? '').trim() === ''
      )
        continue
      const { overflowX, overflowY, clip, clipPath } = getComputedStyle(element)
      if (clip !== 'auto' || clipPath !== 'none') continue
      const isCutX = /hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 1
      const isCutY =
        /hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 2
      if (isCutX || isCutY) faults.push(`${named(element)} is cut off`)
    }
    return [...new Set(faults)]
  }, SMALLEST_TARGET)

/** The animations of the page that move something now; colours and a caret may change. */
export const movements = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    document
      .getAnimations()
      .filter(
        (one) =>
          one.playState === 'running' && Number(one.effect?.getComputedTiming().duration) > 10,
      )
      .map((one) =>
        'transitionProperty' in one
          ? String(one.transitionProperty)
          : String((one as CSSAnimation).animationName),
      )
      .filter((what) =>
        /^(transform|translate|scale|rotate|left|top|width|height|margin.*)$|slide|spin|m_/.test(
          what,
        ),
      ),
  )

/**
 * What may scroll within something that scrolls: text that a person writes, and lists that open
 * over the page.
 */
const OWN_SCROLLING = 'textarea, .cm-scroller, [role="listbox"], [role="menu"], [data-position]'

/**
 * The elements that scroll up and down within another one that does, one line each: a wheel or a
 * finger then moves one or the other, by where it happens to be.
 */
export const nestedScrolling = (page: Page): Promise<string[]> =>
  page.evaluate((excepted) => {
    const named = (element: Element) =>
      `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} “${element.getAttribute('aria-label') ?? ''}” (${element.scrollHeight} in ${element.clientHeight})`
    const scrolls = (element: Element) => {
      if (element.scrollHeight <= element.clientHeight + 1) return false
      const { overflowY } = getComputedStyle(element)
      return element === document.documentElement
        ? !/hidden|clip/.test(overflowY)
        : /auto|scroll/.test(overflowY) && element.checkVisibility({ visibilityProperty: true })
    }
    const scrolling = [...document.querySelectorAll('*')].filter(scrolls)
    return scrolling
      .filter((inner) => inner.closest(excepted) === null)
      .flatMap((inner) => {
        const outer = scrolling.find((one) => one !== inner && one.contains(inner))
        return outer ? [`${named(inner)} scrolls within ${named(outer)}`] : []
      })
  }, OWN_SCROLLING)
