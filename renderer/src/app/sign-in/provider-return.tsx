import { Button, Loader, Stack, Text, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { dashboardIdentityProvider } from '#shared/contract/identity-provider.ts'
import { wasInThisTab } from '../../api/provider-sign-in.ts'
import { useSend } from '../../api/queries.ts'
import { useStartSession } from '../../api/session.ts'
import { postToWindows } from '../../api/window-channel.ts'
import { t } from '../../i18n/t.ts'
import { AuthLayout } from '../../ui/auth-layout.tsx'
import { Notice } from '../../ui/tone.tsx'
import { markUnlocked } from '../shell/lock.ts'

/** The parameters of the provider's answer; `ended`: its session has ended. */
type Answer = { readonly [K in 'state' | 'code' | 'iss' | 'error' | 'ended']?: string }

/**
 * Finishes a sign-in with what the identity provider answered. In a window of its own it tells the
 * other windows and closes.
 */
export function ProviderReturn({ answer }: { answer: Answer }) {
  const [isTab] = useState(wasInThisTab)
  const navigate = useNavigate()
  const enter = useStartSession()
  const finish = useSend(dashboardIdentityProvider.finish)
  // A code works once; React's StrictMode runs an effect twice.
  const isSent = useRef(false)

  const { mutateAsync } = finish
  useEffect(() => {
    document.title = `${t('ui.sign-in.title')} · Isthmus`
    if (isSent.current) return
    isSent.current = true
    const { state, ended, ...rest } = answer
    if (ended !== undefined) return closeWindow()
    if (state === undefined) return
    mutateAsync({ body: { state, ...rest } }).then(
      ({ purpose, session }) => {
        postToWindows({ kind: purpose === 'confirm' ? 'confirmed' : 'session' })
        if (!isTab) return closeWindow()
        enter(session)
        markUnlocked()
        void navigate({ to: '/', replace: true })
      },
      () => undefined,
    )
  }, [answer, isTab, mutateAsync, enter, navigate])

  const isUnknown = answer.state === undefined && answer.ended === undefined
  const goToStart = () => void navigate({ to: '/', replace: true })
  return (
    <AuthLayout foot={t('ui.sign-in.foot')}>
      <Stack>
        <Title order={1}>{t('ui.sign-in.title')}</Title>
        {finish.error || isUnknown ? (
          <>
            <Notice tone="danger" title={t('ui.sign-in.provider.failed')}>
              {finish.error?.message ?? t('ui.sign-in.provider.expired')}
            </Notice>
            <Button onClick={isTab ? goToStart : closeWindow}>
              {t(isTab ? 'ui.sign-in.toSignIn' : 'ui.sign-in.provider.close')}
            </Button>
          </>
        ) : finish.isSuccess || answer.ended !== undefined ? (
          <>
            <Text role="status">
              {t(
                answer.ended === undefined
                  ? 'ui.sign-in.provider.done'
                  : 'ui.sign-in.provider.ended',
              )}
            </Text>
            <Button variant="default" onClick={goToStart}>
              {t('ui.sign-in.provider.open')}
            </Button>
          </>
        ) : (
          <Text role="status">
            <Loader size="xs" mr="sm" />
            {t('ui.sign-in.provider.finishing')}
          </Text>
        )}
      </Stack>
    </AuthLayout>
  )
}

function closeWindow(): void {
  postToWindows({ kind: 'provider-closed' })
  window.close()
}
