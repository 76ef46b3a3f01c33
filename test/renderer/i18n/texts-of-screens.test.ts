import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const renderer = join(import.meta.dirname, '../../../renderer/src')
const screens = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.tsx'),
)
/** What a person reads or hears, written where it is shown. */
const WRITTEN = /\b(?:what|about|label|title|description|alt|aria-label)="([^"]*\p{L}{3}[^"]*)"/gu
/** What is told at the corner of the window. */
const NOTICE = /\bnotifications\.show\(\{[^}]*\}/g
/** A message of the gateway as it came. */
const BARE = /\bmessage(?: \?\?|: message *[,}])|\{ *message *[,}]/

describe('the texts of the screens', () => {
  it('are in the words of a language, not in the markup', () => {
    const written = screens.flatMap((file) =>
      [...readFileSync(join(renderer, file), 'utf8').matchAll(WRITTEN)].map(
        ([text]) => `${file}: ${text}`,
      ),
    )
    expect(written).toEqual([])
  })

  it('say what the gateway says of itself in the language of the window', () => {
    const notices = screens.flatMap((file) =>
      [...readFileSync(join(renderer, file), 'utf8').matchAll(NOTICE)].map(
        ([notice]) => `${file}: ${notice}`,
      ),
    )
    expect(notices.length).toBeGreaterThan(3)
    expect(notices.filter((notice) => BARE.test(notice))).toEqual([])
  })
})
