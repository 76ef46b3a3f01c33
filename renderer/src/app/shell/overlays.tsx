import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react'
import type { Session } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { showRefused } from '../../ui/refused.ts'

interface OverlayProps {
  readonly session: Session
  readonly onClose: () => void
}

// Asked for rarely, and then at once: loaded when the page has nothing else to do.
const LOAD = {
  palette: async (): Promise<ComponentType<OverlayProps>> =>
    (await import('./palette.tsx')).Palette,
  sheet: async (): Promise<ComponentType<OverlayProps>> =>
    (await import('./shortcut-sheet.tsx')).ShortcutSheet,
}
type Overlay = keyof typeof LOAD

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
export const showSheet = (): void => show('sheet')
export const loadOverlays = (): Promise<unknown> => Promise.all([LOAD.palette(), LOAD.sheet()])

/** The palette and the sheet of shortcuts, over whatever screen is there. */
export function Overlays({ session }: { session: Session }) {
  const wanted = useSyncExternalStore(subscribe, () => shown)
  const [loaded, setLoaded] = useState<{
    readonly overlay: Overlay
    readonly Component: ComponentType<OverlayProps>
  } | null>(null)
  useEffect(() => close, [])
  useEffect(() => {
    if (wanted === null) return
    const refuse = () => {
      showRefused(t('ui.common.cutOff'))
      close()
    }
    LOAD[wanted]().then((Component) => setLoaded({ overlay: wanted, Component }), refuse)
  }, [wanted])
  if (wanted === null || loaded?.overlay !== wanted) return null
  return <loaded.Component session={session} onClose={close} />
}
