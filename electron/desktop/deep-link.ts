import { app } from 'electron'

const SCHEME = 'isthmus'

/**
 * Every link there is: another program may lead the window to a place, and to nothing else. Who is
 * not signed in sees the sign-in first, and whoever may not see a study is refused by the gateway.
 */
const LINKS: readonly (readonly [form: RegExp, place: (id: string) => string])[] = [
  [/^isthmus:\/\/today\/?$/, () => '/'],
  [/^isthmus:\/\/worklist\/?$/, () => '/worklist'],
  [/^isthmus:\/\/reading\/?$/, () => '/reading'],
  [/^isthmus:\/\/study\/(stu_[0-9a-f]{32})\/?$/, (id) => `/studies/${id}`],
  [/^isthmus:\/\/reading\/(stu_[0-9a-f]{32})\/?$/, (id) => `/reading/${id}`],
]

/** The place in the window a link leads to; undefined where it is not exactly one of ours. */
export function placeOf(link: string): string | undefined {
  for (const [form, place] of LINKS) {
    const found = form.exec(link)
    if (found) return place(found[1] ?? '')
  }
  return undefined
}

/** Whether an argument is meant as a link, good or not. */
export const isLink = (argument: string): boolean => argument.toLowerCase().startsWith(`${SCHEME}:`)

/** The place among the arguments of a start by a link (Windows and Linux). */
export function placeIn(argv: readonly string[]): string | undefined {
  const link = argv.find(isLink)
  return link === undefined ? undefined : placeOf(link)
}

/**
 * Has links of the system brought here: by `open-url` on macOS, by a second start elsewhere. The
 * installer registers the scheme, too.
 */
export function takeLinks(take: (place: string) => void): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME)
  app.on('open-url', (event, url) => {
    event.preventDefault()
    const place = placeOf(url)
    if (place !== undefined) take(place)
  })
}
