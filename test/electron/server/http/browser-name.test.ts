import { expect, it } from 'vitest'
import { browserName } from '#server/http/browser-name.ts'

it('a browser is named in short, by what it says last', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
  expect([chrome, `${chrome} Edg/142.0`, `${chrome} Electron/39`].map(browserName)).toEqual([
    'Chrome on Windows',
    'Edge on Windows',
    'Isthmus on Windows',
  ])
  expect(
    browserName('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'),
  ).toBe('Firefox on Linux')
  expect(
    browserName(
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/18 Safari/605',
    ),
  ).toBe('Safari on macOS')
  expect([browserName(undefined), browserName('curl/8')]).toEqual(['', ''])
})
