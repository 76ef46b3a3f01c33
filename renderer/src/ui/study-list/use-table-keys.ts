import { useRef } from 'react'
import { t } from '../../i18n/t.ts'
import type { TableHandle } from '../data-table-props.ts'
import { type Shortcut, useShortcuts } from '../shortcuts.ts'

/** A key of the screen; without `run` the table does with it what it does with its current row. */
type TableKey = Pick<Shortcut, 'keys' | 'name'> & Partial<Shortcut>

/**
 * A list heard from the whole screen: up, down, open, and what else its table has keys for. `press`
 * is as if the key were pressed on the table.
 */
export function useTableKeys(more: readonly TableKey[]) {
  const table = useRef<TableHandle>(null)
  const press = (key: string) => () => void table.current?.press(key)
  const keys: readonly TableKey[] = [
    { keys: 'j', name: t('ui.study-list.keyNames.down') },
    { keys: 'k', name: t('ui.study-list.keyNames.up') },
    { keys: 'Enter', name: t('ui.study-list.keyNames.open') },
    ...more,
  ]
  useShortcuts(
    t('ui.study-list.keys'),
    keys.map((one) => ({ run: press(one.keys), ...one })),
  )
  return { table, press }
}
