import { Switch } from '@mantine/core'
import { t } from '../i18n/t.ts'
import { SheetGroup, ShortcutSheet } from '../ui/shortcut-sheet.tsx'
import { useViewerContext, useViewerState } from './viewer-context.ts'

const MOUSE_ROWS = [0, 1, 2, 3, 4, 5] as const

/** Every key, on one sheet, and what the mouse does. */
export function Sheet() {
  const { viewerStore } = useViewerContext()
  const isOpen = useViewerState((state) => state.isSheetOpen)
  const areLetterShortcutsEnabled = useViewerState((state) => state.hasLetterKeys)
  return (
    <ShortcutSheet
      opened={isOpen}
      onClose={() => viewerStore.set({ isSheetOpen: false })}
      about={t('ui.viewer.sheet.about')}
      size={1150}
      more={
        <SheetGroup name={t('ui.viewer.sheet.mouse')}>
          {MOUSE_ROWS.map((row) => (
            <div key={row}>
              <dt>{t(`ui.viewer.sheet.mouseRows.${row}.description`)}</dt>
              <dd>{t(`ui.viewer.sheet.mouseRows.${row}.label`)}</dd>
            </div>
          ))}
        </SheetGroup>
      }
    >
      <Switch
        mt="lg"
        label={t('ui.viewer.sheet.single')}
        description={t('ui.viewer.sheet.singleMeaning')}
        checked={areLetterShortcutsEnabled}
        onChange={(event) => viewerStore.set({ hasLetterKeys: event.currentTarget.checked })}
      />
    </ShortcutSheet>
  )
}
