import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { type FormEvent, lazy, Suspense, useEffect, useRef } from 'react'
import { mayManage, type Session } from '../../api/session.ts'
import { useCutOffSince } from '../../api/status.ts'
import { SecondFactorPrompt } from '../../features/dashboard/second-factor-prompt.tsx'
import { t } from '../../i18n/t.ts'
import { LeaveGuard, useGuardedForms } from '../../ui/form-guard.tsx'
import { useIsFullWidth } from '../../ui/full-width.ts'
import { KeyNames } from '../../ui/key-names.tsx'
import { loadLater } from '../../ui/load-later.ts'
import { showRefusal } from '../../ui/refused.ts'
import { SchemeSwitch } from '../../ui/scheme-switch.tsx'
import { useStatStudies } from '../../ui/study-list/stat-studies.ts'
import { AccountButton } from './account-button.tsx'
import { Banner } from './banner.tsx'
import { ConfirmIdentity } from './confirm-identity.tsx'
import { LiveUpdatesIndicator } from './live-sign.tsx'
import { Navigation } from './navigation.tsx'
import { Overlays, showPalette } from './overlays.tsx'
import { usePrefetch } from './prefetch.ts'
import { isForManagers, showsAllPatients } from './screens.ts'
import css from './shell.module.css'
import { useGeneralShortcuts } from './use-general-shortcuts.ts'

const AccessDenied = lazy(async () => ({ default: (await import('./not-yours.tsx')).AccessDenied }))
const LeftDrafts = lazy(async () => ({
  default: (await loadLater(() => import('../../features/reports/left-drafts.tsx'))).LeftDrafts,
}))
const StatWatch = lazy(async () => ({
  default: (await loadLater(() => import('../../ui/study-list/stat-watch.tsx'))).StatWatch,
}))

/** What is around a screen: where one can go, who is signed in, what is wrong. */
export function Frame({ session }: { session: Session }) {
  const isSmall = useMediaQuery('(max-width: 1000px)', undefined, {
    getInitialValueInEffect: false,
  })
  const isFullWidth = useIsFullWidth()
  const isNarrow = isSmall || isFullWidth
  const { pathname } = useLocation()
  const isOpen =
    mayManage(session.user) ||
    (!isForManagers(pathname) && !(session.isLimited && showsAllPatients(pathname)))
  const isCutOff = useCutOffSince() !== null
  const { isDirty, guarded } = useGuardedForms()
  useRefetchAfterCutOff(isCutOff)
  useGeneralShortcuts()
  usePrefetch(mayManage(session.user))

  const refuse = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    showRefusal(t('ui.common.cutOff'))
  }
  return (
    <div className={css.shell} data-narrow={isNarrow || undefined}>
      <button
        type="button"
        className={css.skip}
        onClick={() => document.getElementById('main')?.focus()}
      >
        {t('ui.shell.skip')}
      </button>
      <Banner />
      <Navigation session={session} isNarrow={isNarrow} />
      <header className={css.head}>
        <div className={css.clinic}>{session.clinicName || t('ui.shell.unnamed')}</div>
        <div className={css.tools}>
          <Button
            className={css.search}
            variant="default"
            size="xs"
            leftSection={<IconSearch size={15} aria-hidden />}
            rightSection={<KeyNames keys="mod+k" />}
            aria-keyshortcuts="Control+K"
            onClick={showPalette}
          >
            <span className={css.searchName}>{t('ui.shell.search')}</span>
          </Button>
          <LiveUpdatesIndicator />
          <SchemeSwitch />
          {session.user && <AccountButton user={session.user} />}
        </div>
      </header>
      <main
        className={css.main}
        id="main"
        tabIndex={-1}
        data-cut-off={isCutOff || undefined}
        {...(isCutOff && { onSubmitCapture: refuse })}
      >
        <Suspense>
          <LeftDrafts />
        </Suspense>
        {pathname === '/' && <SecondFactorPrompt session={session} />}
        {isOpen ? (
          guarded(<Outlet />)
        ) : (
          <Suspense>
            <AccessDenied pathname={pathname} isLimited={showsAllPatients(pathname)} />
          </Suspense>
        )}
      </main>
      <Overlays session={session} />
      <ConfirmIdentity session={session} />
      <LeaveGuard isDirty={isDirty} />
      <StatBaseline />
      <Suspense>
        <StatWatch />
      </Suspense>
    </div>
  )
}

/** Reads what `StatWatch` compares later lists with. */
function StatBaseline() {
  useStatStudies()
  return null
}

/** Once the gateway answers again, what is on the screen is read again. */
function useRefetchAfterCutOff(isCutOff: boolean): void {
  const client = useQueryClient()
  const was = useRef(isCutOff)
  useEffect(() => {
    if (was.current && !isCutOff) void client.invalidateQueries()
    was.current = isCutOff
  }, [isCutOff, client])
}
