import { Loader, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { dashboardRescue, type RescueState } from '#shared/contract/dashboard-backups.ts'
import type { ProblemError } from '../api/client.ts'
import { translateMessage } from '../i18n/messages.ts'
import { knownText, t } from '../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder, Panel } from '../ui/page.tsx'
import { Notice } from '../ui/tone.tsx'
import { BackupsPanel } from './backups-panel.tsx'
import { call, goToWindow, token } from './calls.ts'
import { KeyPanel } from './key-panel.tsx'
import css from './rescue.module.css'
import { RestoreProgress } from './restoring.tsx'
import { RescueSidebar } from './side.tsx'

const POLL_MS = 700
/** Faults that the data key alone mends. */
const KEY_FAULTS = ['key-missing', 'key-sealed', 'key-wrong', 'seal-broken']

/** A gateway that could not open its data again is back as this page after so long. */
const RESTART_GRACE_MS = 8000

/** What a gateway shows that cannot open its data: what is wrong, and the ways to put it right. */
export function Rescue() {
  const [startedAt, setStartedAt] = useState<number | null>(null)
  const reply = useQuery<RescueState, ProblemError>({
    queryKey: [dashboardRescue.state.path],
    queryFn: ({ signal }) => call(dashboardRescue.state, {}, signal),
    enabled: token !== null,
    refetchInterval: POLL_MS,
  })
  const state = reply.data
  const phase = state?.restore.phase ?? 'none'
  const code = reply.error?.code
  useEffect(() => {
    document.title = `${t('ui.rescue.title')} · Isthmus`
  }, [])
  // A gateway that has its data knows no such call.
  useEffect(() => {
    if (code === 'not-found') goToWindow()
  }, [code])
  useEffect(() => {
    if (phase === 'ready') setStartedAt(Date.now())
  }, [phase])
  const isStarting =
    phase === 'ready' || (startedAt !== null && reply.dataUpdatedAt < startedAt + RESTART_GRACE_MS)

  if (token === null || code === 'not-signed-in')
    return (
      <Frame version="">
        <LinkNeeded />
      </Frame>
    )
  if (isStarting || code === 'not-found')
    return (
      <Frame version={state?.version ?? ''}>
        <StartingNotice />
      </Frame>
    )
  if (!state)
    return (
      <Frame version="">
        {reply.isError ? (
          <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
        ) : (
          <LoadingPlaceholder rows={6} height={48} />
        )}
      </Frame>
    )
  return (
    <Frame version={state.version}>
      <div>
        <Title order={1}>
          {knownText(`ui.rescue.faults.${state.fault}`) ?? t('ui.rescue.title')}
        </Title>
        <p className={css.about}>{knownText(`ui.rescue.why.${state.fault}`)}</p>
        <p className={css.says}>
          {t('ui.rescue.says')} {translateMessage(state.sentence)}
        </p>
      </div>
      {code === 'unreachable' && <Notice tone="warning">{t('ui.rescue.unreachable')}</Notice>}
      {phase === 'decrypting' || phase === 'checking' ? (
        <RestoreProgress restore={state.restore} />
      ) : (
        <>
          {phase === 'failed' && (
            <Notice tone="danger" title={t('ui.rescue.failed')}>
              {state.restore.sentence && translateMessage(state.restore.sentence)}{' '}
              {t('ui.rescue.failedText')}
            </Notice>
          )}
          {KEY_FAULTS.includes(state.fault) && <KeyPanel onDone={() => setStartedAt(Date.now())} />}
          <BackupsPanel state={state} onBegun={() => void reply.refetch()} />
        </>
      )}
    </Frame>
  )
}

function Frame({ version, children }: { version: string; children: ReactNode }) {
  return (
    <div className={css.frame}>
      <RescueSidebar version={version} />
      <main className={css.main}>
        <div className={css.inner}>{children}</div>
      </main>
    </div>
  )
}

function LinkNeeded() {
  return (
    <>
      <Title order={1}>{t('ui.rescue.title')}</Title>
      <Panel>
        <p className={css.plain}>{t('ui.rescue.linkNeeded')}</p>
        <code className={css.command}>{t('ui.rescue.command')}</code>
      </Panel>
    </>
  )
}

function StartingNotice() {
  return (
    <Panel>
      <div role="status" className={css.starting}>
        <Loader size="sm" aria-hidden />
        <div>
          <Title order={1}>{t('ui.rescue.starting')}</Title>
          <p className={css.about}>{t('ui.rescue.startingText')}</p>
        </div>
      </div>
    </Panel>
  )
}
