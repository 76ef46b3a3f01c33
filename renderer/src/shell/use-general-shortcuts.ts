import { useNavigate } from '@tanstack/react-router'
import { undoLast } from '../components/undo.tsx'
import { lockWindow } from './lock.ts'
import { showPalette, showSheet } from './overlays.tsx'
import { SCREENS } from './screens.ts'
import { type Shortcut, useShortcuts } from './shortcuts.ts'
import { words } from './words.ts'

/**
 * Shortcuts that every screen has: the palette, the sheet, locking, undoing, and going to a screen.
 */
export function useGeneralShortcuts(): void {
  const navigate = useNavigate()
  useShortcuts(words.sheet.general, [
    { keys: 'mod+k', name: words.sheet.palette, run: showPalette },
    { keys: 'shift+?', name: words.sheet.open, run: showSheet },
    { keys: 'alt+z', name: words.sheet.undo, run: undoLast },
    { keys: 'mod+l', name: words.lock, run: lockWindow, isEverywhere: true },
  ])
  useShortcuts(
    words.sheet.goTo,
    SCREENS.flatMap(({ to, key, name }): Shortcut[] =>
      key === undefined ? [] : [{ keys: `g ${key}`, name, run: () => void navigate({ to }) }],
    ),
  )
}
