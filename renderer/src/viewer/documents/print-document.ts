const PRINTING_ATTRIBUTE = 'data-printing'

/**
 * Prints the document beside the images, without the rest of the page (`print.css` in
 * `media-beside.module.css`).
 */
export function printDocument(): void {
  const root = document.documentElement
  root.setAttribute(PRINTING_ATTRIBUTE, '')
  window.addEventListener('afterprint', () => root.removeAttribute(PRINTING_ATTRIBUTE), {
    once: true,
  })
  window.print()
}
