import { Button, Popover } from '@mantine/core'
import { IconChevronDown, IconLayoutGrid } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '../i18n/t.ts'
import { MAX_PANES_PER_SIDE } from './board.ts'
import { run, setLayout } from './commands.ts'
import { keyText } from './key-map.ts'
import { ToolButton } from './tool-button.tsx'
import css from './toolbar.module.css'
import { useViewerContext, useViewerState } from './viewer-context.ts'

/** A command below the sizes. */
function LayoutItem({
  command,
  isOff = false,
  onDone,
}: {
  command: 'undoLayout' | 'layouts'
  isOff?: boolean
  onDone: () => void
}) {
  const reach = useViewerContext()
  return (
    <Button
      fullWidth
      size="compact-sm"
      variant="subtle"
      justify="space-between"
      disabled={isOff}
      rightSection={<kbd className={css.key}>{keyText(command)}</kbd>}
      onClick={() => {
        run(command, reach)
        onDone()
      }}
    >
      {t(`ui.viewer.commands.${command}`)}
    </Button>
  )
}

const PANE_COUNTS = Array.from({ length: MAX_PANES_PER_SIDE }, (_, at) => at + 1)

/** 1 × 1 to 4 × 4, chosen on a small board. */
export function LayoutMenu() {
  const { viewerStore } = useViewerContext()
  const board = useViewerState((state) => state.board)
  const hungBy = useViewerState((state) => state.hungBy)
  const canUndo = useViewerState((state) => state.layoutHistory.length > 0)
  const [isOpen, setIsOpen] = useState(false)
  const [over, setOver] = useState<readonly [rows: number, columns: number]>()
  const [rows, columns] = over ?? [board.rows, board.columns]
  const choose = (rows: number, columns: number) => {
    setLayout(viewerStore, rows, columns)
    setIsOpen(false)
    setOver(undefined)
  }
  return (
    <Popover
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-start"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ToolButton
          icon={IconLayoutGrid}
          label={t('ui.viewer.toolbar.layout')}
          keys="Shift 1–6"
          onClick={() => setIsOpen(!isOpen)}
        >
          <IconChevronDown size={11} aria-hidden />
        </ToolButton>
      </Popover.Target>
      <Popover.Dropdown className={css.layouts ?? ''} aria-label={t('ui.viewer.toolbar.layout')}>
        <fieldset
          className={css.board}
          aria-label={t('ui.viewer.toolbar.layout')}
          onMouseLeave={() => setOver(undefined)}
        >
          {PANE_COUNTS.flatMap((row) =>
            PANE_COUNTS.map((column) => (
              <button
                key={`${row}x${column}`}
                type="button"
                className={css.cell}
                aria-label={t('ui.viewer.toolbar.layoutOf', { rows: row, columns: column })}
                aria-pressed={row === board.rows && column === board.columns}
                data-in={(row <= rows && column <= columns) || undefined}
                onMouseEnter={() => setOver([row, column])}
                onFocus={() => setOver([row, column])}
                onClick={() => choose(row, column)}
              />
            )),
          )}
        </fieldset>
        <div className={css.size} aria-hidden="true">
          {t('ui.viewer.toolbar.layoutOf', { rows, columns })}
        </div>
        {hungBy && (
          <p className={css.size}>{t('ui.viewer.layouts.applied', { name: hungBy.name })}</p>
        )}
        <LayoutItem command="undoLayout" isOff={!canUndo} onDone={() => setIsOpen(false)} />
        <LayoutItem command="layouts" onDone={() => setIsOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}
