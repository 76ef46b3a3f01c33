import { useNavigate, useRouter } from '@tanstack/react-router'
import { t } from '../../i18n/t.ts'
import { showRefusal } from '../../ui/refused.ts'
import { type Shortcut, useShortcuts } from '../../ui/shortcuts.ts'
import { undoLast } from '../../ui/undo.tsx'
import { lockWindow } from './lock.ts'
import { showPalette, showShortcutSheet } from './overlays.tsx'
import { SCREENS } from './screens.ts'

/**
 * Shortcuts that every screen has: the palette, the sheet, help, locking, undoing, and going to a
 * screen.
 */
export function useGeneralShortcuts(): void {
  const navigate = useNavigate()
  const router = useRouter()
  const showHelp = () =>
    void import('../../ui/help.ts').then(
      ({ openHelp }) => openHelp(router.state.matches.at(-1)?.fullPath ?? ''),
      () => showRefusal(t('ui.common.cutOff')),
    )
  useShortcuts(t('ui.shell.sheet.general'), [
    { keys: 'mod+k', name: t('ui.shell.sheet.palette'), run: showPalette },
    { keys: '?', name: t('ui.shell.sheet.open'), run: showShortcutSheet },
    { keys: 'f1', name: t('ui.shell.help'), run: showHelp },
    { keys: 'alt+z', name: t('ui.shell.sheet.undo'), run: undoLast },
    { keys: 'mod+l', name: t('ui.shell.lock'), run: lockWindow, isEverywhere: true },
  ])
  useShortcuts(
    t('ui.shell.sheet.goTo'),
    SCREENS.flatMap(({ to, key, name }): Shortcut[] =>
      key === undefined ? [] : [{ keys: `g ${key}`, name, run: () => void navigate({ to }) }],
    ),
  )
}
