import { useEffect, useState } from 'react'
import {
  dashboardIdentityProvider,
  type SignInPurpose,
} from '#shared/contract/identity-provider.ts'
import { useSend } from './queries.ts'
import { onWindowMessage } from './window-channel.ts'

const FEATURES = 'popup,width=520,height=720'
/** In the storage of this tab, over the way to the provider and back. */
const IN_THIS_TAB = 'isthmus-provider-tab'

/** Opens the way to the identity provider in a window of its own. Returns whether it opened. */
export function openProviderWindow(path: string): boolean {
  return window.open(path, 'isthmus-provider', FEATURES) !== null
}

/** Whether this tab itself went to the provider; asked once. */
export function wasInThisTab(): boolean {
  const was = sessionStorage.getItem(IN_THIS_TAB) !== null
  sessionStorage.removeItem(IN_THIS_TAB)
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
          sessionStorage.setItem(IN_THIS_TAB, '1')
          location.assign(path)
        },
      },
    )
  return { start, state, isPending: begin.isPending, error: begin.error }
}
