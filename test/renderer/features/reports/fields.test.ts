import { describe, expect, it } from 'vitest'
import {
  fieldAround,
  fieldBeside,
  shortcutBefore,
} from '../../../../renderer/src/features/reports/fields.ts'

const TEXT = 'A [size] mm nodule, {left|right} lobe. [ ]'
const caret = (at: number) => ({ from: at, to: at })
const named = (field: { from: number; to: number } | undefined) =>
  field && TEXT.slice(field.from, field.to)

describe('going from field to field', () => {
  it('goes to the next one after the caret, and past the last one to the first', () => {
    expect(named(fieldBeside(TEXT, caret(0), 'next'))).toBe('[size]')
    expect(named(fieldBeside(TEXT, caret(12), 'next'))).toBe('{left|right}')
    expect(named(fieldBeside(TEXT, caret(TEXT.length), 'next'))).toBe('[size]')
  })

  it('leaves a field that is selected, and takes one that begins at the caret', () => {
    const size = fieldBeside(TEXT, caret(0), 'next') ?? { from: 0, to: 0 }
    expect(named(fieldBeside(TEXT, size, 'next'))).toBe('{left|right}')
    expect(named(fieldBeside(TEXT, caret(size.from), 'next'))).toBe('[size]')
  })

  it('goes back the same way', () => {
    const side = fieldBeside(TEXT, caret(12), 'next') ?? { from: 0, to: 0 }
    expect(named(fieldBeside(TEXT, side, 'previous'))).toBe('[size]')
    expect(named(fieldBeside(TEXT, caret(0), 'previous'))).toBe('[ ]')
  })

  it('stays where there is none', () => {
    expect(fieldBeside('No field here.', caret(3), 'next')).toBeUndefined()
    expect(fieldBeside('No field here.', caret(3), 'previous')).toBeUndefined()
  })

  it('knows the field around the caret and what it offers', () => {
    expect(fieldAround(TEXT, caret(TEXT.indexOf('right')))?.choices).toEqual(['left', 'right'])
    expect(fieldAround(TEXT, caret(0))).toBeUndefined()
  })
})

describe('a shortcut before the caret', () => {
  const macros = [
    { shortcut: 'nl' },
    { shortcut: 'n.1-2' },
    { shortcut: 'Ödem' },
    { shortcut: null },
  ]

  it('is the whole word, in any case', () => {
    expect(shortcutBefore('Lungs: nl', macros)).toEqual({ at: 7, macro: macros[0] })
    expect(shortcutBefore('NL', macros)?.macro).toBe(macros[0])
    expect(shortcutBefore('(n.1-2', macros)).toEqual({ at: 1, macro: macros[1] })
    expect(shortcutBefore('ödem', macros)?.macro).toBe(macros[2])
  })

  it('is not the end of another word, nor anything else', () => {
    expect(shortcutBefore('xnl', macros)).toBeUndefined()
    expect(shortcutBefore('nl ', macros)).toBeUndefined()
    expect(shortcutBefore('', macros)).toBeUndefined()
    expect(shortcutBefore(`${'x'.repeat(30)}nl`, macros)).toBeUndefined()
  })
})
