import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  allowCharacterKeys,
  pressShortcut,
  registerShortcuts,
  type Shortcut,
  shortcutGroups,
} from '../../../renderer/src/ui/shortcuts.ts'

/** An element as far as the registry asks: which selectors it or an ancestor matches. */
class FakeElement {
  readonly #selectors: readonly string[]
  constructor(...selectors: readonly string[]) {
    this.#selectors = selectors
  }
  closest(list: string) {
    return this.#selectors.some((one) => list.split(/,\s*/).some((part) => part.startsWith(one)))
      ? this
      : null
  }
  matches(list: string) {
    return this.closest(list) !== null
  }
  contains(other: unknown) {
    return other === this
  }
}

let dialog: FakeElement | null = null
beforeAll(() => {
  vi.stubGlobal('Element', FakeElement)
  vi.stubGlobal('document', { addEventListener: () => undefined, querySelector: () => dialog })
})
afterAll(() => void vi.unstubAllGlobals())

const ran: string[] = []
const shortcut = (keys: string, name = keys, more: Partial<Shortcut> = {}): Shortcut => ({
  keys,
  name,
  run: () => ran.push(name),
  ...more,
})
function register(
  group: string,
  shortcuts: readonly Shortcut[],
  { isInDialog = false, within }: { isInDialog?: boolean; within?: FakeElement } = {},
) {
  const place = within && { within: { current: within as unknown as Element } }
  onTestFinished(registerShortcuts({ group, shortcuts, isInDialog, ...place }))
}
let time = 0
/** What runs when keys are pressed one after another. */
function press(keys: string, target: FakeElement | null = null, more: object = {}) {
  ran.length = 0
  const prevented: string[] = []
  for (const key of keys.split(' ')) {
    time += 100
    const [, mod, name = ''] = /^(mod\+)?(.+)$/.exec(key) ?? []
    pressShortcut({
      ...{ key: name === 'Space' ? ' ' : name, code: '', ctrlKey: mod !== undefined },
      ...{ metaKey: false, altKey: false, shiftKey: false, repeat: false, isComposing: false },
      ...{ defaultPrevented: false, timeStamp: time, target },
      preventDefault: () => prevented.push(name),
      ...more,
    } as unknown as KeyboardEvent)
  }
  return { ran: [...ran], prevented }
}

describe('the registry of shortcuts', () => {
  it('lists every shortcut that is registered, those of the screen before those of every screen', () => {
    register('On any screen', [shortcut('mod+k')])
    register('Go to', [shortcut('g s')])
    register('List', [shortcut('j')])
    register('List', [shortcut('arrowdown')])
    register('Report', [{ keys: 'f2', name: 'Next field' }])
    expect(
      shortcutGroups().map(({ group, shortcuts }) => [group, ...shortcuts.map(({ keys }) => keys)]),
    ).toEqual([
      ['List', 'j', 'arrowdown'],
      ['Report', 'f2'],
      ['On any screen', 'mod+k'],
      ['Go to', 'g s'],
    ])
  })

  it('forgets those that are taken away', () => {
    registerShortcuts({ group: 'List', shortcuts: [shortcut('j')], isInDialog: false })()
    expect(shortcutGroups()).toEqual([])
    expect(press('j').ran).toEqual([])
  })

  it('are those of the present moment, so that the palette acts on the row that is current', () => {
    const acted: string[] = []
    const of = (row: string): Shortcut[] => [
      { keys: 'a', name: 'Assign', run: () => acted.push(row) },
    ]
    const entry = { group: 'List', shortcuts: of('first'), isInDialog: false }
    onTestFinished(registerShortcuts(entry))
    // Another row became the current one; no name changed.
    entry.shortcuts = of('second')
    shortcutGroups()[0]?.shortcuts[0]?.run?.()
    expect(acted).toEqual(['second'])
  })

  it('runs a sequence, whose second key is nothing else', () => {
    register('List', [shortcut('c')])
    register('Go to', [shortcut('g c')])
    expect(press('g c')).toEqual({ ran: ['g c'], prevented: ['c'] })
    expect(press('c').ran).toEqual(['c'])
    expect(press('g x c').ran).toEqual(['c'])
    press('g')
    time += 1500
    expect(press('c').ran).toEqual(['c'])
  })

  it('runs the newest of two with the same keys', () => {
    register('A', [shortcut('n', 'old')])
    register('B', [shortcut('n', 'new')])
    expect(press('n').ran).toEqual(['new'])
  })

  it('leaves what is typed alone, except with Ctrl and for F1', () => {
    register('A', [shortcut('n'), shortcut('mod+k'), shortcut('f1')])
    for (const place of ['input', 'textarea', '[role="menu"]', '[role="listbox"]']) {
      expect(press('n', new FakeElement(place)).ran).toEqual([])
      expect(press('mod+k', new FakeElement(place)).ran).toEqual(['mod+k'])
      expect(press('F1', new FakeElement(place)).ran).toEqual(['f1'])
    }
  })

  it('leaves Enter and Space to what they press, and arrows to what they move', () => {
    register(
      'A',
      ['enter', 'space', 'arrowdown', 'mod+enter'].map((keys) => shortcut(keys)),
    )
    const button = new FakeElement('button')
    expect(press('Enter Space ArrowDown mod+Enter', button).ran).toEqual(['arrowdown', 'mod+enter'])
    const slider = new FakeElement('[role="slider"]')
    expect(press('Enter Space ArrowDown', slider).ran).toEqual(['enter', 'space'])
  })

  it('hears those of a table only within it', () => {
    const table = new FakeElement()
    register('A', [shortcut('home')], { within: table })
    expect(press('Home', table).ran).toEqual(['home'])
    expect(press('Home', new FakeElement()).ran).toEqual([])
    expect(press('Home').ran).toEqual([])
  })

  it('hears nothing behind a dialog, but what is everywhere', () => {
    register('A', [shortcut('n'), shortcut('mod+l', 'lock', { isEverywhere: true })])
    register('B', [shortcut('y')], { isInDialog: true })
    dialog = new FakeElement()
    onTestFinished(() => {
      dialog = null
    })
    expect(press('n mod+l y').ran).toEqual(['lock', 'y'])
  })

  it('repeats only what repeats while a key is held down', () => {
    register('A', [shortcut('n'), shortcut('j', 'j', { repeats: true })])
    expect(press('n j', null, { repeat: true })).toEqual({ ran: ['j'], prevented: ['n', 'j'] })
  })

  it('takes no characters where they are switched off', () => {
    register('A', [shortcut('r'), shortcut('arrowdown'), shortcut('space')])
    allowCharacterKeys(false)
    onTestFinished(() => allowCharacterKeys(true))
    expect(press('r ArrowDown Space').ran).toEqual(['arrowdown', 'space'])
  })

  it.each([
    ['was handled', { defaultPrevented: true }],
    ['composes a character', { isComposing: true }],
    ['is a modifier', { key: 'Shift' }],
  ])('ignores a key that %s', (_, more) => {
    register('A', [shortcut('n')])
    expect(press('n', null, more).ran).toEqual([])
  })

  it('leaves keys without a function to the element that has the focus', () => {
    register('A', [{ keys: 'f2', name: 'Next field' }])
    expect(press('F2').prevented).toEqual([])
  })
})
