import { expect, it } from 'vitest'
import { code128Symbols } from '#shared/code128.ts'

/** The symbol characters, each as its widths. */
function symbols(widths: readonly number[]): string[] {
  const text = widths.join('')
  return [...(text.slice(0, -7).match(/.{6}/g) ?? []), text.slice(-7)]
}

it('begins with Start B, ends with the check character and the stop', () => {
  // The worked example of ISO/IEC 15417 for code set B: the check character of this word has the
  // value 88.
  const drawn = symbols(code128Symbols('Wikipedia') ?? [])
  expect(drawn).toHaveLength(12)
  expect([drawn[0], drawn[10], drawn[11]]).toEqual(['211214', '421211', '2331112'])
})

it('has eleven modules for each character, of which an even number is black, and each character its own', () => {
  const every = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('')
  const drawn = symbols(code128Symbols(every) ?? [])
  expect(new Set(drawn.slice(1, 96)).size).toBe(95)
  for (const symbol of drawn.slice(0, -1)) {
    const widths = [...symbol].map(Number)
    const black = widths.filter((_, at) => at % 2 === 0).reduce((sum, width) => sum + width, 0)
    expect([symbol, widths.reduce((sum, width) => sum + width, 0), black % 2]).toEqual([
      symbol,
      11,
      0,
    ])
  }
})

it.each(['', 'Ä1', 'A\n'])('is none for %j', (text) => expect(code128Symbols(text)).toBe(undefined))
