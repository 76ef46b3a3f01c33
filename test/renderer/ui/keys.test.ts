import { describe, expect, it } from 'vitest'
import {
  isForInputsToo,
  isModifier,
  isPressed,
  keysOf,
  type Pressed,
  strokesOf,
} from '../../../renderer/src/ui/keys.ts'

const pressed = (key: string, more: Partial<Pressed> = {}): Pressed => ({
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
    ['shift+?', pressed('?', { shiftKey: true }), true],
    // A layout on which ? needs no Shift.
    ['shift+?', pressed('?'), true],
    ['/', pressed('/', { shiftKey: true }), true],
    ['alt+z', pressed('Ω', { altKey: true, code: 'KeyZ' }), true],
    // Dvorak: the key is where another letter is on other layouts.
    ['mod+k', pressed('t', { ctrlKey: true, code: 'KeyK' }), false],
    // A Cyrillic layout.
    ['mod+k', pressed('л', { ctrlKey: true, code: 'KeyK' }), true],
    ['k', pressed('л', { code: 'KeyK' }), false],
    ['escape', pressed('Escape'), true],
    ['shift+enter', pressed('Enter'), false],
  ])('%s, pressed %o: %s', (text, event, is) => {
    expect(isPressed(text, event)).toBe(is)
  })

  it('is heard in a field only where it writes no character', () => {
    expect(['mod+k', 'alt+z', 'escape', 'j', 'shift+?'].filter(isForInputsToo)).toEqual([
      'mod+k',
      'alt+z',
      'escape',
    ])
  })

  it('is shown with the names of its keys', () => {
    expect(keysOf('mod+k', { mod: 'Ctrl' })).toEqual(['Ctrl', 'K'])
    expect(keysOf('shift+?', { shift: 'Shift' })).toEqual(['?'])
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
