/** One stroke of a shortcut, such as `mod+k`, taken apart. */
interface KeyStroke {
  readonly key: string
  readonly hasMod: boolean
  readonly hasAlt: boolean
  readonly shift: boolean
}

/** What is read of a keyboard event. */
export type KeyPress = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'
>

const strokeOf = (text: string): KeyStroke => {
  const parts = text.toLowerCase().split('+')
  // `+` itself leaves two empty parts.
  const key = parts.at(-1) || '+'
  return {
    key,
    hasMod: parts.includes('mod'),
    hasAlt: parts.includes('alt'),
    shift: parts.includes('shift'),
  }
}

/** The strokes of a shortcut: `g s` has two. */
export const strokesOf = (keys: string): readonly string[] => keys.split(' ')

const isLetter = (key: string) => /^[a-z]$/.test(key)
const isDigit = (key: string) => /^\d$/.test(key)
/** A sign that some keyboards need Shift for: what counts is that it was typed. */
const isSign = (key: string) => key.length === 1 && !isLetter(key) && !isDigit(key)

/**
 * Whether a stroke is what was pressed. The place of the key counts for a digit, which on some
 * keyboards needs Shift (without it the key is the digit, not the sign on it), and with Ctrl or Alt
 * where the layout has no Latin letter on it.
 */
export function isPressed(text: string, pressed: KeyPress): boolean {
  const { key, hasMod: mod, hasAlt: alt, shift } = strokeOf(text)
  if (mod !== (pressed.ctrlKey || pressed.metaKey) || alt !== pressed.altKey) return false
  const isOnDigit = /^Digit\d$/.test(pressed.code) && !pressed.shiftKey
  if (isSign(key) ? isOnDigit : shift !== pressed.shiftKey) return false
  const typed = pressed.key === ' ' ? 'space' : pressed.key.toLowerCase()
  if (typed === key || (isDigit(key) && pressed.code === `Digit${key}`)) return true
  return (
    (mod || alt) && isLetter(key) && !isLetter(typed) && pressed.code === `Key${key.toUpperCase()}`
  )
}

/** Whether it is a modifier alone, which ends no sequence. */
export const isModifier = ({ key }: Pick<KeyPress, 'key'>): boolean =>
  ['Control', 'Shift', 'Alt', 'AltGraph', 'Meta'].includes(key)

/** Whether its first stroke has Ctrl or Alt, so that it may be pressed where text is typed. */
export const hasModifier = (keys: string): boolean => {
  const { hasMod: mod, hasAlt: alt } = strokeOf(keys)
  return mod || alt
}

/** Whether it is a key such as F1, which writes nothing where text is typed. */
export const isFunctionKey = (keys: string): boolean => /^f\d+$/.test(keys)

/** Whether it writes a character, such as a letter or a digit (WCAG 2.1.4). */
export const isCharacter = (keys: string): boolean =>
  !hasModifier(keys) && strokesOf(keys).some((stroke) => strokeOf(stroke).key.length === 1)

/** The keys of a stroke in their order, for a person: `['Ctrl', 'K']`. */
export function keysOf(text: string, names: Readonly<Record<string, string>>): readonly string[] {
  const { key, hasMod: mod, hasAlt: alt, shift } = strokeOf(text)
  const nameOf = (one: string) => names[one] ?? one.toUpperCase()
  return [mod && 'mod', alt && 'alt', shift && !isSign(key) && 'shift', key]
    .filter((one) => one !== false)
    .map(nameOf)
}
