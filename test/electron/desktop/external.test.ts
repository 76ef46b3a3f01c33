import { beforeEach, describe, expect, it } from 'vitest'
import { isOpenable, openOutside } from '../../../electron/desktop/external.ts'
import * as fake from '../../support/electron.ts'

beforeEach(() => fake.forgetAll())

describe('outside the app', () => {
  it.each([
    'https://dicom.nema.org',
    'https://dicom.nema.org/medical/dicom/current/output/chtml/part04/chapter_K.html#sect_K.6',
    'https://www.dicomstandard.org/current?x=1',
    'mailto:support@clinic.example',
    'mailto:support@clinic.example?subject=Isthmus%200.1',
  ])('%s may be opened', (url) => {
    expect(isOpenable(url)).toBe(true)
    openOutside(url)
    expect(fake.opened).toEqual([url])
  })

  it.each([
    ['a file', 'file:///etc/passwd'],
    ['a share', '\\\\evil.test\\share'],
    ['a share written as a URL', 'file://evil.test/share'],
    ['a share of Samba', 'smb://evil.test/share'],
    ['a diagnostics tool of Windows', 'ms-msdt:/id PCWDiagnostic'],
    ['a search of Windows', 'search-ms:query=x&crumb=location:\\\\evil.test'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['another page', 'https://evil.test/'],
    ['a page without encryption', 'http://dicom.nema.org/'],
    ['a name before the host', 'https://user@dicom.nema.org/'],
    ['the host as a name', 'https://dicom.nema.org@evil.test/'],
    ['the host before another', 'https://dicom.nema.org.evil.test/'],
    ['another port', 'https://dicom.nema.org:8443/'],
    ['a host with foreign letters', 'https://dicom.nemа.org/'],
    ['a host in Punycode', 'https://xn--dicom-nema.org/'],
    ['a backslash', 'https://dicom.nema.org\\@evil.test/'],
    ['a line break', 'https://dicom.nema.org/\nx'],
    ['a space', ' https://dicom.nema.org/'],
    ['capitals', 'HTTPS://dicom.nema.org/'],
    ['slashes that lack', 'https:dicom.nema.org/'],
    ['a mail with a file', 'mailto:a@b.test?attach=/etc/passwd'],
    ['a mail to many', 'mailto:a@b.test,c@d.test'],
    ['a mail with a text', 'mailto:a@b.test?subject=x&body=y'],
    ['a link of our own', 'isthmus://today'],
    ['a long address', `https://dicom.nema.org/${'x'.repeat(2_000)}`],
    ['nothing', ''],
  ])('%s may not be opened', (_, url) => {
    expect(isOpenable(url)).toBe(false)
    openOutside(url)
    expect(fake.opened).toEqual([])
  })
})
