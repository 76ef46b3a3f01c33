import { useEffect, useState } from 'react'
import {
  dashboardIdentityProvider,
  type SignInPurpose,
} from '#shared/contract/identity-provider.ts'
import { useSend } from './queries.ts'
import { onWindowMessage } from './window-channel.ts'

const WINDOW_FEATURES = 'popup,width=520,height=720'
/** In the storage of this tab, over the way to the provider and back. */
const TAB_STORAGE_KEY = 'isthmus-provider-tab'

/** Opens the way to the identity provider in a window of its own. Returns whether it opened. */
export function openProviderWindow(path: string): boolean {
  return window.open(path, 'isthmus-provider', WINDOW_FEATURES) !== null
}

/** Whether this tab itself went to the provider; asked once. */
export function wasInThisTab(): boolean {
  const was = sessionStorage.getItem(TAB_STORAGE_KEY) !== null
  sessionStorage.removeItem(TAB_STORAGE_KEY)
  return was
}

/**
 * Asks the identity provider who is there. It happens in a window of its own, which tells this one
 * when it is done, so that nothing on this page is lost. Where the browser blocks that window, a
 * sign-in takes place in this tab.
 */
export function useProviderSignIn(purpose: SignInPurpose, onConfirmed?: () => void) {
  const begin = useSend(dashboardIdentityProvider.begin)
  const [state, setState] = useState<'idle' | 'waiting' | 'blocked'>('idle')
  useEffect(
    () =>
      onWindowMessage((news) => {
        if (news.kind === 'confirmed') onConfirmed?.()
        if (news.kind === 'provider-closed') setState('idle')
      }),
    [onConfirmed],
  )
  const start = () =>
    begin.mutate(
      { body: { purpose } },
      {
        onSuccess({ path }) {
          if (openProviderWindow(path)) return setState('waiting')
          if (purpose !== 'sign-in') return setState('blocked')
          sessionStorage.setItem(TAB_STORAGE_KEY, '1')
          location.assign(path)
        },
      },
    )
  return { start, state, isPending: begin.isPending, error: begin.error }
}
