import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { loadConfirm } from '../../ui/confirm.tsx'
import { isScreenAwaited, loadLater } from '../../ui/load-later.ts'
import { loadSchemeMenu } from '../../ui/scheme-switch.tsx'
import { loadAccountMenu } from './account-button.tsx'
import { loadLockScreen } from './load-lock-screen.ts'
import { loadOverlays } from './overlays.tsx'
import { isForManagers, SCREENS } from './screens.ts'

const FIRST_DELAY_MS = 2500
/** Not all at once: what the person does comes first. */
const NEXT_DELAY_MS = 250

/**
 * Whether the browser was asked to save data (https://wicg.github.io/savedata/); not every browser
 * says.
 */
const savesData = (): boolean =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true

/**
 * Once the first screen is there, loads the others of the navigation, so that going to one needs no
 * waiting. A browser that saves data loads in advance only what must work while the gateway is
 * away: the lock screen, the overlays and the dialog that asks before something is done.
 */
export function usePrefetch(isManager: boolean): void {
  const router = useRouter()
  useEffect(() => {
    void loadLater(loadAccountMenu)
    void loadLater(loadSchemeMenu)
  }, [])
  useEffect(() => {
    const screens = savesData() ? [] : SCREENS.map(({ to }) => to)
    const wanted = screens.filter((to) => isManager || !isForManagers(to))
    const begin = () => {
      // On a slow PC or network, the first screen and its lists come later than usual.
      if (isScreenAwaited()) timer = setTimeout(begin, NEXT_DELAY_MS)
      else
        void Promise.all([loadLockScreen(), loadConfirm()])
          .catch(() => undefined)
          .then(next)
    }
    let timer = setTimeout(begin, FIRST_DELAY_MS)
    const next = async () => {
      const to = wanted.shift()
      // What cannot be loaded now is loaded when it is gone to.
      await (to === undefined ? loadOverlays() : router.preloadRoute({ to })).catch(() => undefined)
      if (to !== undefined) timer = setTimeout(() => void next(), NEXT_DELAY_MS)
    }
    return () => clearTimeout(timer)
  }, [router, isManager])
}
