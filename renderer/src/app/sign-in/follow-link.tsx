import { Button, Loader, Stack, Text, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { useSend } from '../../api/queries.ts'
import { useStartSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { AuthLayout } from '../../ui/auth-layout.tsx'
import { Notice } from '../../ui/tone.tsx'
import { markUnlocked } from '../shell/lock.ts'

const Welcome = lazy(async () => ({ default: (await import('./create-owner.tsx')).CreateOwner }))

/** Exchanges a one-time link for a session; a set-up link leads on to the owner's form. */
export function FollowLink({ token }: { token: string }) {
  const [held] = useState(token)
  const [mayCreateOwner, setMayCreateOwner] = useState(false)
  const navigate = useNavigate()
  const enter = useStartSession()
  const follow = useSend(dashboard.followLink)
  // A link works once; React's StrictMode runs an effect twice.
  const isSent = useRef(false)

  const { mutateAsync } = follow
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    mutateAsync({ body: { token: held } }).then(
      ({ session, mayCreateOwner: isSetUp }) => {
        if (isSetUp) return setMayCreateOwner(true)
        enter(session)
        markUnlocked()
        void navigate({ to: '/', replace: true })
      },
      () => undefined,
    )
  }, [held, mutateAsync, enter, navigate])

  if (mayCreateOwner) {
    return (
      <Suspense>
        <Welcome token={held} />
      </Suspense>
    )
  }
  return (
    <AuthLayout foot={t('ui.sign-in.foot')}>
      <Stack>
        <Title order={1}>{t('ui.sign-in.title')}</Title>
        {follow.error ? (
          <>
            <Notice tone="danger" title={t('ui.sign-in.linkFailed')}>
              {follow.error.message}
            </Notice>
            <Text>{t('ui.sign-in.linkHelp')}</Text>
            <Button onClick={() => void navigate({ to: '/', replace: true })}>
              {t('ui.sign-in.toSignIn')}
            </Button>
          </>
        ) : (
          <Text role="status">
            <Loader size="xs" mr="sm" />
            {t('ui.sign-in.following')}
          </Text>
        )}
      </Stack>
    </AuthLayout>
  )
}
