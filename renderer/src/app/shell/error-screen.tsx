import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { ProblemError } from '../../api/client.ts'
import { call } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { EmptyState } from '../../ui/page.tsx'
import { ScreenLoadError } from './lazy-screen.ts'

const RETRY_DELAY_MS = 4000

const reloadButton = (
  <Button onClick={() => window.location.reload()}>{t('ui.shell.reload')}</Button>
)

/** In place of a screen that failed. Devices are served all the same. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  if (error instanceof ScreenLoadError) return <ScreenLoadFailure error={error} onAgain={reset} />
  return (
    <EmptyState order={1} title={t('ui.shell.broken')} action={reloadButton} error={error}>
      {t('ui.shell.brokenText')}
    </EmptyState>
  )
}

/**
 * Without the gateway it is tried until it answers; where the gateway answers and has no such file,
 * it was updated.
 */
function ScreenLoadFailure({ error, onAgain }: { error: ScreenLoadError; onAgain: () => void }) {
  const [isOutdated, setIsOutdated] = useState(false)
  const retry = useCallback(async () => {
    if (!(await isGatewayReachable())) return
    if (await error.retry()) onAgain()
    else setIsOutdated(await isGatewayReachable())
  }, [error, onAgain])
  useEffect(() => {
    if (isOutdated) return
    void retry()
    const timer = setInterval(() => void retry(), RETRY_DELAY_MS)
    return () => clearInterval(timer)
  }, [retry, isOutdated])

  if (isOutdated) {
    return (
      <EmptyState order={1} title={t('ui.shell.outdated')} action={reloadButton} error={error}>
        {t('ui.shell.outdatedText')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={t('ui.shell.screenUnreachable')}
      action={<Button onClick={() => void retry()}>{t('ui.shell.tryAgain')}</Button>}
      error={error}
      order={1}
    >
      {t('ui.shell.screenUnreachableText')}
    </EmptyState>
  )
}

/** Any answer of the gateway is one. */
async function isGatewayReachable(): Promise<boolean> {
  try {
    await call(dashboard.session, {})
    return true
  } catch (error) {
    return error instanceof ProblemError && error.code !== 'unreachable'
  }
}
