import { app } from 'electron'

const SCHEME = 'isthmus'

/**
 * All supported links. Another program can open a page of the window and do nothing else. A user
 * who is not signed in sees the sign-in page first, and the gateway still checks permissions.
 */
const LINKS: readonly (readonly [form: RegExp, place: (id: string) => string])[] = [
  [/^isthmus:\/\/today\/?$/, () => '/'],
  [/^isthmus:\/\/worklist\/?$/, () => '/worklist'],
  [/^isthmus:\/\/reading\/?$/, () => '/reading'],
  [/^isthmus:\/\/study\/(stu_[0-9a-f]{32})\/?$/, (id) => `/studies/${id}`],
  [/^isthmus:\/\/reading\/(stu_[0-9a-f]{32})\/?$/, (id) => `/reading/${id}`],
]

/** The page that a link opens; undefined unless it matches a supported link exactly. */
export function pagePathOf(link: string): string | undefined {
  for (const [form, pagePathOfId] of LINKS) {
    const found = form.exec(link)
    if (found) return pagePathOfId(found[1] ?? '')
  }
  return undefined
}

/** Whether an argument is intended as a link, valid or not. */
export const isLink = (argument: string): boolean => argument.toLowerCase().startsWith(`${SCHEME}:`)

/** The page of a link among the arguments of a start (Windows and Linux). */
export function pagePathIn(argv: readonly string[]): string | undefined {
  const link = argv.find(isLink)
  return link === undefined ? undefined : pagePathOf(link)
}

/**
 * Receives links from the operating system: by `open-url` on macOS, by a second start elsewhere.
 * The installer also registers the scheme.
 */
export function handleLinks(onLink: (pagePath: string) => void): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME)
  app.on('open-url', (event, url) => {
    event.preventDefault()
    const pagePath = pagePathOf(url)
    if (pagePath !== undefined) onLink(pagePath)
  })
}
