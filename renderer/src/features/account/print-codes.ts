/**
 * Prints the codes alone, from a frame that is gone afterwards. The page's policy allows no script
 * in it, and none is needed.
 */
export function printCodes(title: string, about: string, codes: readonly string[]): void {
  const frame = document.createElement('iframe')
  frame.hidden = true
  document.body.append(frame)
  const { contentDocument: page, contentWindow: view } = frame
  if (!page || !view) return void frame.remove()
  const add = (name: 'h1' | 'p' | 'pre', text: string) => {
    const element = page.createElement(name)
    element.textContent = text
    page.body.append(element)
  }
  page.title = `Isthmus · ${title}`
  add('h1', `Isthmus: ${title}`)
  add('p', about)
  add('pre', codes.join('\n'))
  view.addEventListener('afterprint', () => frame.remove(), { once: true })
  view.print()
}
