import { describe, expect, it } from 'vitest'
import { cutToBytes, widthOf } from '#server/modules/worklist/width.ts'

const UTF8 = ['ISO_IR 192']

describe('the width of a value', () => {
  it('is its bytes in the character set, and of a name those of its longest group', () => {
    expect(widthOf('ä'.repeat(40), UTF8, 'LO')).toBe(80)
    expect(widthOf('ä'.repeat(40), ['ISO_IR 100'], 'LO')).toBe(40)
    expect(widthOf('Yamada^Tarou=山田^太郎=やまだ', UTF8, 'PN')).toBe(13)
    // Each two-byte component with its two escape sequences of three bytes (PS3.5 H.3.1).
    expect(widthOf('Y=山田^太郎', ['', 'ISO 2022 IR 87'], 'PN')).toBe(2 * (3 + 4 + 3) + 1)
  })

  it('is not known where the set cannot say it', () => {
    expect(widthOf('山', ['ISO_IR 100'], 'LO')).toBeUndefined()
    expect(widthOf('A=山', ['ISO_IR 100'], 'PN')).toBeUndefined()
  })
})

describe('a cut', () => {
  it('keeps characters and their marks whole, and leaves no space at the end', () => {
    expect(cutToBytes(`${'x'.repeat(63)}ä`, UTF8, 'LO')?.toString()).toBe('x'.repeat(63))
    // ạ̈ has no single code point.
    expect(cutToBytes(`${'x'.repeat(62)}a\u0323\u0308`, UTF8, 'LO')?.toString()).toBe(
      'x'.repeat(62),
    )
    expect(cutToBytes(`${'x'.repeat(62)} ää`, UTF8, 'LO')?.toString()).toBe('x'.repeat(62))
    expect(cutToBytes('x'.repeat(17), [], 'SH')?.toString()).toBe('x'.repeat(16))
  })

  it('ends a two-byte text in the set it began with', () => {
    const bytes = cutToBytes('漢'.repeat(64), ['', 'ISO 2022 IR 87'], 'LO')
    expect(bytes?.length).toBe(64)
    expect(bytes?.subarray(-3).toString('latin1')).toBe('\x1b(B')
  })

  it('does not make a text sayable', () => {
    expect(cutToBytes(`${'x'.repeat(64)}山`, ['ISO_IR 100'], 'LO')).toBeUndefined()
  })
})
