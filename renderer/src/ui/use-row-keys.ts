import { type RefObject, useLayoutEffect, useRef } from 'react'
import { t } from '../i18n/t.ts'
import type { DataTableProps } from './data-table-props.ts'
import { ROW_STEPS, steppedIndex } from './row-steps.ts'
import { type Shortcut, useShortcuts } from './shortcuts.ts'
import type { CurrentRow } from './use-current-row.ts'

const STEP_NAMES = ['down', 'up', 'pageDown', 'pageUp', 'first', 'last'] as const

/**
 * Registers the keys of a table: arrows, J and K, page keys, Home and End move the current row,
 * others act on it. `moveTo` makes a row the current one and gives it the focus.
 */
export function useRowKeys<T>(
  props: DataTableProps<T>,
  scroll: RefObject<HTMLElement | null>,
  current: CurrentRow,
  rowsInSight: {
    readonly scrollToIndex: (index: number) => void
    /** Pixels in which rows are shown. */
    readonly height: () => number | undefined
  },
) {
  const { rows, rowHeight, onOpen, onSelect, rowKeys = [], isMain } = props
  const rowAt = (index: number) =>
    scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  const isFocusWanted = useRef(false)
  useLayoutEffect(() => {
    if (!isFocusWanted.current) return
    const row = rowAt(current.index)
    if (!row) return
    isFocusWanted.current = false
    row.focus({ preventScroll: true })
  })

  const moveTo = (index: number) => {
    current.become(index)
    isFocusWanted.current = true
    rowsInSight.scrollToIndex(index)
    // Also where the row was the current one already, but had not the focus.
    rowAt(index)?.focus({ preventScroll: true })
  }
  const goBy = (step: (typeof ROW_STEPS)[keyof typeof ROW_STEPS]) => {
    const page = Math.floor((rowsInSight.height() ?? 400) / (rowHeight ?? 44)) - 2
    // The first step takes the row that Tab would go to.
    const isRowFocused = current.isChosen && scroll.current?.contains(document.activeElement)
    const isStep = isRowFocused || Math.abs(step.by) !== 1 || 'isPage' in step
    moveTo(
      isStep ? steppedIndex(step, current.index, rows.length, Math.max(1, page)) : current.index,
    )
  }
  const shortcut = (keys: string, name: string, run: (row: T) => void): Shortcut => ({
    keys,
    name,
    run: () => rows[current.index] !== undefined && run(rows[current.index] as T),
  })
  const steps = STEP_NAMES.flatMap((name) =>
    ROW_STEPS[name].keys.map(
      (keys): Shortcut => ({
        ...shortcut(keys, t(`ui.study-list.keyNames.${name}`), () => goBy(ROW_STEPS[name])),
        repeats: true,
      }),
    ),
  )
  const [select, range] = [t('ui.study-list.keyNames.select'), t('ui.study-list.keyNames.range')]
  const acts = [
    ...(onOpen ? [shortcut('enter', t('ui.study-list.keyNames.open'), onOpen)] : []),
    ...(onSelect ? [shortcut('x', select, (row) => onSelect(row, false))] : []),
    ...rowKeys.map(({ keys, name, run }) => shortcut(keys, name, run)),
  ]
  const isLetter = ({ keys }: Shortcut) => keys.length === 1
  useShortcuts(
    t('ui.study-list.keys'),
    [...steps.filter(isLetter), ...acts],
    isMain ? undefined : scroll,
  )
  useShortcuts(
    t('ui.study-list.keys'),
    [
      ...steps.filter((step) => !isLetter(step)),
      ...(onSelect
        ? [
            shortcut('space', select, (row) => onSelect(row, false)),
            shortcut('shift+space', range, (row) => onSelect(row, true)),
          ]
        : []),
    ],
    scroll,
  )
  return moveTo
}
