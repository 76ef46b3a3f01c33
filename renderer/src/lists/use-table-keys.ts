import { useRef } from 'react'
import type { TableHandle } from '../components/virtual-table-props.ts'
import { type Shortcut, useShortcuts } from '../shell/shortcuts.ts'
import { words } from './words.ts'

const { keyNames } = words

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
    { keys: 'j', name: keyNames.down },
    { keys: 'k', name: keyNames.up },
    { keys: 'Enter', name: keyNames.open },
    ...more,
  ]
  useShortcuts(
    words.keys,
    keys.map((one) => ({ run: press(one.keys), ...one })),
  )
  return { table, press }
}
