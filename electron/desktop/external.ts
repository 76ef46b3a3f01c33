import { shell } from 'electron'

/**
 * What may be opened outside: pages of the standard the screens cite. No place of a partner or a
 * clinic is here: a link is no way out for data.
 */
const HOSTS: readonly string[] = ['dicom.nema.org', 'www.dicomstandard.org']
const MOST_LENGTH = 2_000
const MAIL = /^mailto:[\w.+-]{1,64}@[a-z\d-]+(\.[a-z\d-]+)+(\?subject=[\w.%~-]*)?$/i

/**
 * Whether an address may go to the system's browser or mail program (Electron security checklist
 * 15).
 */
export function isOpenable(url: string): boolean {
  // Written as we read it: what another parser could read otherwise (spaces, backslashes, control
  // and foreign characters) is refused.
  if (url.length > MOST_LENGTH || !/^[\w:/?#[\]@!$&'()*+,;=.~%-]+$/.test(url)) return false
  if (MAIL.test(url)) return true
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  return (
    protocol === 'https:' &&
    HOSTS.includes(host) &&
    new RegExp(`^https://${host.replaceAll('.', '\\.')}([/?#]|$)`).test(url)
  )
}

/** Opens an address of the list in the system's program, and nothing else. */
export function openOutside(url: string): void {
  if (isOpenable(url)) shell.openExternal(url).catch(() => undefined)
}
