/** What the viewer can be told to do, by a key or a button. */
export type Command = (typeof KEYS)[number]['command']
export type KeyGroup = (typeof KEYS)[number]['group']

interface Key {
  readonly command: string
  readonly group: 'images' | 'panes' | 'tools' | 'windows' | 'picture' | 'screen'
  /**
   * `KeyboardEvent.key` in lower case, or `KeyboardEvent.code` of a digit: on many keyboards a
   * digit needs Shift. Empty: it has no key.
   */
  readonly press: string
  readonly isShifted?: boolean
  /** How it is written. */
  readonly text: string
}

const tool = <C extends string>(command: C, press: string) =>
  ({ command, group: 'tools', press, text: press.toUpperCase() }) as const
const preset = <N extends number>(number: N) =>
  ({
    command: `preset${number}`,
    group: 'windows',
    press: `Digit${number}`,
    text: `${number}`,
  }) as const
const layout = <N extends number>(number: N) =>
  ({
    command: `layout${number}`,
    group: 'panes',
    press: `Digit${number}`,
    isShifted: true,
    text: `Shift ${number}`,
  }) as const

export const KEYS = [
  { command: 'next', group: 'images', press: 'arrowdown', text: '↓' },
  { command: 'next', group: 'images', press: 'arrowright', text: '→' },
  { command: 'previous', group: 'images', press: 'arrowup', text: '↑' },
  { command: 'previous', group: 'images', press: 'arrowleft', text: '←' },
  { command: 'tenOn', group: 'images', press: 'pagedown', text: 'Page down' },
  { command: 'tenBack', group: 'images', press: 'pageup', text: 'Page up' },
  { command: 'first', group: 'images', press: 'home', text: 'Home' },
  { command: 'last', group: 'images', press: 'end', text: 'End' },
  { command: 'cine', group: 'images', press: ' ', text: 'Space' },
  { command: 'seriesNext', group: 'images', press: 'arrowdown', isShifted: true, text: 'Shift ↓' },
  {
    command: 'seriesPrevious',
    group: 'images',
    press: 'arrowup',
    isShifted: true,
    text: 'Shift ↑',
  },
  { command: 'paneNext', group: 'panes', press: 'arrowright', isShifted: true, text: 'Shift →' },
  { command: 'panePrevious', group: 'panes', press: 'arrowleft', isShifted: true, text: 'Shift ←' },
  { command: 'alone', group: 'panes', press: 'enter', text: 'Enter' },
  ...([1, 2, 3, 4, 5, 6] as const).map(layout),
  { command: 'planes', group: 'panes', press: 'm', text: 'M' },
  { command: 'link', group: 'panes', press: 'k', text: 'K' },
  { command: 'lines', group: 'panes', press: 'n', text: 'N' },
  tool('toolWindow', 'w'),
  tool('toolPan', 'p'),
  tool('toolZoom', 'z'),
  tool('toolScroll', 's'),
  tool('toolLength', 'l'),
  tool('toolAngle', 'a'),
  tool('toolCobb', 'g'),
  tool('toolRectangle', 'q'),
  tool('toolEllipse', 'e'),
  tool('toolFreehand', 'd'),
  tool('toolProbe', 'b'),
  tool('toolArrow', 't'),
  { command: 'toolText', group: 'tools', press: 't', isShifted: true, text: 'Shift T' },
  tool('toolMagnify', 'x'),
  { command: 'toolEraser', group: 'tools', press: 'e', isShifted: true, text: 'Shift E' },
  { command: 'deleteDrawing', group: 'tools', press: 'delete', text: 'Delete' },
  { command: 'deleteDrawing', group: 'tools', press: 'backspace', text: 'Backspace' },
  ...([1, 2, 3, 4, 5, 6, 7, 8, 9] as const).map(preset),
  { command: 'rotate', group: 'picture', press: 'r', text: 'R' },
  { command: 'rotateBack', group: 'picture', press: 'r', isShifted: true, text: 'Shift R' },
  { command: 'flipHorizontally', group: 'picture', press: 'f', text: 'F' },
  { command: 'flipVertically', group: 'picture', press: 'v', text: 'V' },
  { command: 'invert', group: 'picture', press: 'i', text: 'I' },
  { command: 'zoomIn', group: 'picture', press: '+', text: '+' },
  { command: 'zoomOut', group: 'picture', press: '-', text: '-' },
  { command: 'fit', group: 'picture', press: '0', text: '0' },
  { command: 'oneToOne', group: 'picture', press: '=', text: '=' },
  { command: 'smooth', group: 'picture', press: '', text: '' },
  { command: 'reset', group: 'picture', press: 'u', text: 'U' },
  { command: 'overlay', group: 'screen', press: 'o', text: 'O' },
  { command: 'series', group: 'screen', press: 'y', text: 'Y' },
  { command: 'priors', group: 'screen', press: 'h', text: 'H' },
  { command: 'media', group: 'screen', press: 'h', isShifted: true, text: 'Shift H' },
  { command: 'drawings', group: 'screen', press: 'l', isShifted: true, text: 'Shift L' },
  { command: 'faults', group: 'screen', press: 'm', isShifted: true, text: 'Shift M' },
  { command: 'capture', group: 'screen', press: 'c', text: 'C' },
  { command: 'captures', group: 'screen', press: 'c', isShifted: true, text: 'Shift C' },
  { command: 'sheet', group: 'screen', press: '?', text: '?' },
  { command: 'close', group: 'screen', press: '', text: '' },
  { command: 'escape', group: 'screen', press: 'escape', text: 'Esc' },
] as const satisfies readonly Key[]

interface Press {
  readonly key: string
  readonly code: string
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly metaKey: boolean
}

/**
 * The command of a key; undefined where it has none, and with Ctrl, Alt or Meta, which are the
 * browser's.
 * @param hasLetters false: keys that write a character are no shortcuts (WCAG 2.1.4)
 */
export function commandOf(press: Press, hasLetters = true): Command | undefined {
  if (press.ctrlKey || press.altKey || press.metaKey) return undefined
  const pressed = press.key.toLowerCase()
  if (!hasLetters && pressed.length === 1 && pressed !== ' ') return undefined
  const found = KEYS.find((key: Key) => {
    if (key.press === '') return false
    const isShifted = key.isShifted ?? false
    if (key.press.startsWith('Digit'))
      return press.code === key.press && press.shiftKey === isShifted
    // A sign such as ? is typed with Shift on some keyboards and without on others.
    const isSign = key.press.length === 1 && !/[a-z ]/.test(key.press)
    return pressed === key.press && (isSign || press.shiftKey === isShifted)
  })
  return found?.command
}

/** How the keys of a command are written, for a tooltip; empty where it has none. */
export const keyText = (command: Command): string =>
  KEYS.filter((key) => key.command === command)
    .map(({ text }) => text)
    .filter(Boolean)
    .join(' or ')
