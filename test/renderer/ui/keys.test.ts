import { describe, expect, it } from 'vitest'
import {
  hasModifier,
  isCharacter,
  isModifier,
  isPressed,
  type KeyPress,
  keysOf,
  strokesOf,
} from '../../../renderer/src/ui/keys.ts'

const pressed = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  ...{ key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...more,
})

describe('a stroke', () => {
  it.each([
    ['j', pressed('j'), true],
    ['j', pressed('J', { shiftKey: true }), false],
    ['j', pressed('j', { ctrlKey: true }), false],
    // Caps lock.
    ['j', pressed('J'), true],
    ['mod+k', pressed('k', { ctrlKey: true }), true],
    ['mod+k', pressed('k', { metaKey: true }), true],
    // AltGr on Windows is Ctrl and Alt: it writes characters.
    ['mod+k', pressed('k', { ctrlKey: true, altKey: true }), false],
    ['mod+k', pressed('k'), false],
    ['?', pressed('?', { shiftKey: true }), true],
    // A layout on which ? needs no Shift.
    ['?', pressed('?'), true],
    ['/', pressed('/', { shiftKey: true }), true],
    ['alt+z', pressed('Ω', { altKey: true, code: 'KeyZ' }), true],
    // Dvorak: the key is where another letter is on other layouts.
    ['mod+k', pressed('t', { ctrlKey: true, code: 'KeyK' }), false],
    // A Cyrillic layout.
    ['mod+k', pressed('л', { ctrlKey: true, code: 'KeyK' }), true],
    ['k', pressed('л', { code: 'KeyK' }), false],
    ['escape', pressed('Escape'), true],
    ['shift+enter', pressed('Enter'), false],
    ['space', pressed(' '), true],
    ['1', pressed('1', { code: 'Digit1' }), true],
    ['1', pressed('1', { code: 'Numpad1' }), true],
    // A French keyboard: digits need Shift, and what counts is the place of the key.
    ['1', pressed('&', { code: 'Digit1' }), true],
    ['1', pressed('1', { code: 'Digit1', shiftKey: true }), false],
    ['shift+1', pressed('1', { code: 'Digit1', shiftKey: true }), true],
    ['shift+1', pressed('!', { code: 'Digit1', shiftKey: true }), true],
    ['-', pressed('-', { code: 'Digit6' }), false],
    ['6', pressed('-', { code: 'Digit6' }), true],
    // A German keyboard.
    ['/', pressed('/', { code: 'Digit7', shiftKey: true }), true],
    ['+', pressed('+', { code: 'Equal', shiftKey: true }), true],
  ])('%s, pressed %o: %s', (text, event, is) => {
    expect(isPressed(text, event)).toBe(is)
  })

  it('is heard in a field only with Ctrl or Alt', () => {
    expect(['mod+k', 'alt+z', 'escape', 'j', '?', 'g s'].filter(hasModifier)).toEqual([
      'mod+k',
      'alt+z',
    ])
  })

  it('writes a character, or does not', () => {
    expect(
      ['j', '1', '?', 'shift+t', 'g s', 'space', 'escape', 'arrowup', 'mod+k'].filter(isCharacter),
    ).toEqual(['j', '1', '?', 'shift+t', 'g s'])
  })

  it('is shown with the names of its keys', () => {
    expect(keysOf('mod+k', { mod: 'Ctrl' })).toEqual(['Ctrl', 'K'])
    expect(keysOf('?', { shift: 'Shift' })).toEqual(['?'])
    expect(keysOf('shift+f2', { shift: 'Shift' })).toEqual(['Shift', 'F2'])
    expect(keysOf('shift+enter', { shift: 'Shift', enter: 'Enter' })).toEqual(['Shift', 'Enter'])
    expect(strokesOf('g s')).toEqual(['g', 's'])
  })

  it('is none of a modifier alone', () => {
    expect([
      isModifier({ key: 'Shift' }),
      isModifier({ key: 'AltGraph' }),
      isModifier({ key: 'a' }),
    ]).toEqual([true, true, false])
  })
})
