import { describe, expect, it } from 'vitest'
import en from '#shared/messages/en.json' with { type: 'json' }
import { isPressed } from '../../../renderer/src/ui/keys.ts'
import { type Command, KEYS, type KeyGroup, keyText } from '../../../renderer/src/viewer/key-map.ts'
import { shortcutsOf } from '../../../renderer/src/viewer/use-keys.ts'

const press = (key: string, more: object = {}) => ({
  ...{ key, code: '', shiftKey: false, ctrlKey: false, altKey: false, metaKey: false },
  ...more,
})
const GROUPS = Object.keys(KEYS) as KeyGroup[]
const COMMANDS = GROUPS.flatMap((group) => Object.keys(KEYS[group]) as Command[])
const heard: Command[] = []
const shortcuts = GROUPS.flatMap((group) => shortcutsOf(group, (command) => heard.push(command)))
const commandsOf = (pressed: ReturnType<typeof press>): readonly Command[] => {
  heard.length = 0
  for (const { keys, run } of shortcuts) if (isPressed(keys, pressed)) run?.()
  return [...heard]
}

describe('keys of the viewer', () => {
  it.each([
    [press('ArrowDown'), ['next']],
    [press('ArrowLeft'), ['previous']],
    [press('PageUp'), ['tenBack']],
    [press('Home'), ['first']],
    [press('ArrowDown', { shiftKey: true }), ['seriesNext']],
    [press('ArrowRight', { shiftKey: true }), ['paneNext']],
    [press(' '), ['cine']],
    [press('r'), ['rotate']],
    [press('R', { shiftKey: true }), ['rotateBack']],
    [press('W'), ['toolWindow']],
    [press('1', { code: 'Digit1' }), ['preset1']],
    [press('&', { code: 'Digit1' }), ['preset1']],
    [press('-', { code: 'Digit6' }), ['preset6']],
    [press('!', { code: 'Digit1', shiftKey: true }), ['layout1']],
    [press('9', { code: 'Digit9' }), ['preset9']],
    [press('0', { code: 'Digit0' }), ['fit']],
    [press('=', { code: 'Digit0', shiftKey: true }), ['oneToOne']],
    [press('?', { shiftKey: true, code: 'Slash' }), ['sheet']],
    [press('?', { shiftKey: true, code: 'Minus' }), ['sheet']],
    [press('+', { shiftKey: true, code: 'Equal' }), ['zoomIn']],
    [press('F1'), ['help']],
    [press('Escape'), ['escape']],
    [press('Delete'), ['deleteDrawing']],
    [press('Backspace'), ['deleteDrawing']],
    [press('§'), []],
    [press('Tab'), []],
    [press('r', { ctrlKey: true }), []],
    [press('r', { altKey: true }), []],
    [press('r', { metaKey: true }), []],
  ])('%o is %s', (pressed, commands) => {
    expect(commandsOf(pressed)).toEqual(commands)
  })

  it('has no key and no command twice', () => {
    const keys = shortcuts.map((shortcut) => shortcut.keys)
    expect(new Set(keys).size).toBe(keys.length)
    expect(new Set(COMMANDS).size).toBe(COMMANDS.length)
  })

  it('writes the keys of a command, and names every command', () => {
    expect(keyText('next')).toBe('↓ / →')
    expect(keyText('layout1')).toBe('Shift 1')
    expect(keyText('close')).toBe('')
    for (const command of COMMANDS) expect(en[`ui.viewer.commands.${command}`]).not.toBe('')
  })
})
