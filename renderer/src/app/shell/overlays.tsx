import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react'
import type { Session } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { showRefusal } from '../../ui/refused.ts'

interface OverlayProps {
  readonly session: Session
  readonly opened: boolean
  readonly onClose: () => void
}

// Asked for rarely, and then at once: loaded when the page has nothing else to do.
const LOADERS = {
  palette: async (): Promise<ComponentType<OverlayProps>> =>
    (await import('./palette.tsx')).Palette,
  sheet: async (): Promise<ComponentType<OverlayProps>> =>
    (await import('../../ui/shortcut-sheet.tsx')).ShortcutSheet,
}
type Overlay = keyof typeof LOADERS

let shown: Overlay | null = null
const listeners = new Set<() => void>()
const show = (next: Overlay | null) => {
  shown = next
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
const close = () => show(null)

export const showPalette = (): void => show('palette')
export const showShortcutSheet = (): void => show('sheet')
export const loadOverlays = (): Promise<unknown> =>
  Promise.all([LOADERS.palette(), LOADERS.sheet()])

/**
 * The palette and the sheet of shortcuts, over whatever screen is there. Each is mounted closed
 * before it opens and stays mounted, so that it gives the focus back when it closes.
 */
export function Overlays({ session }: { session: Session }) {
  const wanted = useSyncExternalStore(subscribe, () => shown)
  const [loaded, setLoaded] = useState<Partial<Record<Overlay, ComponentType<OverlayProps>>>>({})
  const [mounted, setMounted] = useState(loaded)
  useEffect(() => close, [])
  useEffect(() => setMounted(loaded), [loaded])
  useEffect(() => {
    if (wanted === null || loaded[wanted]) return
    const refuse = () => {
      showRefusal(t('ui.common.cutOff'))
      close()
    }
    LOADERS[wanted]().then(
      (Component) => setLoaded((before) => ({ ...before, [wanted]: Component })),
      refuse,
    )
  }, [wanted, loaded])
  return (['palette', 'sheet'] as const).map((overlay) => {
    const Component = loaded[overlay]
    return (
      Component && (
        <Component
          key={overlay}
          session={session}
          opened={wanted === overlay && mounted[overlay] !== undefined}
          onClose={close}
        />
      )
    )
  })
}
