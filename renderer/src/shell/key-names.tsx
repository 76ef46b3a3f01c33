import { Kbd } from '@mantine/core'
import { Fragment } from 'react'
import { t } from '../i18n/t.ts'
import { keysOf, strokesOf } from './keys.ts'
import css from './shell.module.css'
import { words } from './words.ts'

const isMac = /mac/i.test(globalThis.navigator?.platform ?? '')
const NAMES = isMac ? { ...words.keys, ...words.macKeys } : words.keys

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
