import { describe, expect, it } from 'vitest'
import en from '#shared/messages/en.json' with { type: 'json' }
import { commandOf, KEYS, keyText } from '../../../renderer/src/viewer/key-map.ts'

const press = (key: string, more: object = {}) => ({
  ...{ key, code: '', shiftKey: false, ctrlKey: false, altKey: false, metaKey: false },
  ...more,
})

describe('keys of the viewer', () => {
  it.each([
    [press('ArrowDown'), 'next'],
    [press('ArrowLeft'), 'previous'],
    [press('PageUp'), 'tenBack'],
    [press('Home'), 'first'],
    [press('ArrowDown', { shiftKey: true }), 'seriesNext'],
    [press('ArrowRight', { shiftKey: true }), 'paneNext'],
    [press(' '), 'cine'],
    [press('r'), 'rotate'],
    [press('R', { shiftKey: true }), 'rotateBack'],
    [press('W'), 'toolWindow'],
    [press('1', { code: 'Digit1' }), 'preset1'],
    [press('&', { code: 'Digit1' }), 'preset1'],
    [press('!', { code: 'Digit1', shiftKey: true }), 'layout1'],
    [press('9', { code: 'Digit9' }), 'preset9'],
    [press('0', { code: 'Digit0' }), 'fit'],
    [press('?', { shiftKey: true, code: 'Slash' }), 'sheet'],
    [press('?', { shiftKey: true, code: 'Minus' }), 'sheet'],
    [press('+', { shiftKey: true, code: 'Equal' }), 'zoomIn'],
    [press('Escape'), 'escape'],
    [press('Delete'), 'deleteDrawing'],
    [press('j'), undefined],
    [press('Tab'), undefined],
  ])('%o is %s', (pressed, command) => {
    expect(commandOf(pressed)).toBe(command)
  })

  it('leaves keys with Ctrl, Alt and Meta to the browser', () => {
    for (const held of ['ctrlKey', 'altKey', 'metaKey'])
      expect(commandOf(press('r', { [held]: true }))).toBeUndefined()
  })

  it('takes no letters where they are switched off, and the arrows all the same', () => {
    expect(commandOf(press('r'), false)).toBeUndefined()
    expect(commandOf(press('1', { code: 'Digit1' }), false)).toBeUndefined()
    expect(commandOf(press('ArrowDown'), false)).toBe('next')
    expect(commandOf(press(' '), false)).toBe('cine')
    expect(commandOf(press('Escape'), false)).toBe('escape')
  })

  it('has no key twice', () => {
    const pressed = KEYS.filter((key) => key.press !== '').map(
      (key) => `${key.press} ${'isShifted' in key && key.isShifted}`,
    )
    expect(new Set(pressed).size).toBe(pressed.length)
  })

  it('writes the keys of a command, and names every command', () => {
    expect(keyText('next')).toBe('↓ or →')
    expect(keyText('close')).toBe('')
    for (const { command } of KEYS) expect(en[`ui.viewer.commands.${command}`]).not.toBe('')
  })
})
