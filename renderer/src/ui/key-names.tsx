import { Kbd } from '@mantine/core'
import { Fragment } from 'react'
import { t, textsOf } from '../i18n/t.ts'
import { keysOf, strokesOf } from './keys.ts'
import css from './shortcuts.module.css'

const isMac = /mac/i.test(globalThis.navigator?.platform ?? '')
const PC_NAMES = textsOf(
  'ui.shell.keys',
  ...(['mod', 'alt', 'shift', 'escape', 'enter', 'tab', 'space', 'delete', 'backspace'] as const),
  ...(['arrowup', 'arrowdown', 'arrowleft', 'arrowright'] as const),
  ...(['home', 'end', 'pageup', 'pagedown'] as const),
)
const NAMES = isMac ? { ...PC_NAMES, ...textsOf('ui.shell.macKeys', 'mod', 'alt') } : PC_NAMES

/** A shortcut as text: `Ctrl K`, `Shift ↓`. */
export const keyText = (keys: string): string =>
  strokesOf(keys)
    .flatMap((stroke) => keysOf(stroke, NAMES))
    .join(' ')

/** A shortcut as keys: Ctrl + K; G then S. */
export function KeyNames({ keys }: { keys: string }) {
  return (
    <span className={css.keys}>
      {strokesOf(keys).map((stroke, at) => (
        <Fragment key={stroke}>
          {at > 0 && <span className={css.then}>{t('ui.shell.andThen')}</span>}
          {keysOf(stroke, NAMES).map((name) => (
            <Kbd key={name} size="xs">
              {name}
            </Kbd>
          ))}
        </Fragment>
      ))}
    </span>
  )
}
