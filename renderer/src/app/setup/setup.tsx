import { Button, Title, VisuallyHidden } from '@mantine/core'
import {
  IconArrowLeft,
  IconArrowRight,
  IconCircle,
  IconCircleCheck,
  IconCircleDashed,
} from '@tabler/icons-react'
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import {
  dashboardSetup,
  SETUP_STEPS,
  type SetupState,
  type SetupStep,
} from '#shared/contract/dashboard-setup.ts'
import { useLiveUpdates } from '../../api/event-stream.ts'
import { useReply } from '../../api/queries.ts'
import { mayManage, useSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { Mark } from '../../ui/brand.tsx'
import { HELP_TARGET, helpAddress } from '../../ui/help.ts'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { useHelpKey } from '../../ui/use-help-key.ts'
import { useClearSession } from '../shell/clear-session.ts'
import { useIsLockedHere, useLockWhenIdle, useSessionSync } from '../shell/lock.ts'
import { LockScreen } from '../shell/lock-screen.tsx'
import { CreateOwner } from '../sign-in/create-owner.tsx'
import { SignIn } from '../sign-in/sign-in.tsx'
import { BackupStep } from './backup-step.tsx'
import { ClinicStep } from './clinic-step.tsx'
import { DeviceStep } from './device-step.tsx'
import { NetworkStep } from './network-step.tsx'
import { OwnerStep } from './owner-step.tsx'
import { PartnerStep } from './partner-step.tsx'
import { ReadinessStep } from './readiness-step.tsx'
import { RecoveryStep } from './recovery-step.tsx'
import css from './setup.module.css'
import type { StepProps } from './step.ts'

const route = getRouteApi('/setup')
/** A device may call, and a backup go on, at any moment. */
const STATE_POLL_INTERVAL_MS = 2500

const STEP_COMPONENTS: Readonly<Record<SetupStep, (props: StepProps) => ReactNode>> = {
  clinic: ClinicStep,
  owner: OwnerStep,
  recovery: RecoveryStep,
  network: NetworkStep,
  device: DeviceStep,
  partner: PartnerStep,
  backup: BackupStep,
  readiness: ReadinessStep,
}
/** Their form has the button that goes on. */
const STEPS_WITH_OWN_BUTTON: readonly SetupStep[] = ['clinic', 'readiness']

/** The first-run wizard: it stands outside the shell, and begins where something is missing. */
export function Setup() {
  const session = useSession()
  const isLockedHere = useIsLockedHere()
  const { user = null, needsOwner, isLocked = false, lockMinutes = 10 } = session.data ?? {}
  const isOpen = user !== null && !isLocked && !isLockedHere
  useLiveUpdates(isOpen ? user.userId : null)
  useLockWhenIdle(isOpen, lockMinutes)
  useSessionSync()
  const isSamePerson = useClearSession(session.data)
  if (session.isPending || !isSamePerson) return <LoadingPlaceholder rows={6} height={48} />
  if (session.isError && !session.data)
    return <ErrorNotice error={session.error} onRetry={() => void session.refetch()} />
  if (needsOwner) return <CreateOwner token={null} />
  if (!user) return <SignIn note="" />
  if (session.data && !isOpen) return <LockScreen session={session.data} />
  // The shell shows what a member's account may see.
  if (!mayManage(user)) return <Navigate to="/" replace />
  return <Wizard />
}

function Wizard() {
  useHelpKey('/setup')
  const state = useReply(dashboardSetup.state, {}, { every: STATE_POLL_INTERVAL_MS })
  const { step: asked } = route.useSearch()
  const navigate = useNavigate()
  const step =
    SETUP_STEPS.find((one) => one === asked) ??
    SETUP_STEPS.find((one) => !state.data?.done.includes(one)) ??
    'readiness'
  const at = SETUP_STEPS.indexOf(step)
  const go = (to: number) =>
    void navigate({ to: '/setup', search: { step: SETUP_STEPS[to] ?? 'readiness' } })
  const title = t(`ui.setup.steps.${step}.title`)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${t('ui.setup.title')} · Isthmus`
    heading.current?.focus()
  }, [title])

  if (!state.data) {
    return (
      <main className={css.main}>
        {state.isError ? (
          <ErrorNotice error={state.error} onRetry={() => void state.refetch()} />
        ) : (
          <LoadingPlaceholder rows={6} height={48} />
        )}
      </main>
    )
  }
  const Step = STEP_COMPONENTS[step]
  return (
    <div className={css.frame}>
      <StepList state={state.data} step={step} />
      <main className={css.main}>
        <div className={css.inner}>
          <div>
            <div className={css.count}>
              {t('ui.setup.stepOf', { step: at + 1, all: SETUP_STEPS.length })}
            </div>
            <Title order={1} ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
              {title}
            </Title>
            <p className={css.about}>{t(`ui.setup.steps.${step}.about`)}</p>
          </div>
          <Step key={step} state={state.data} onNext={() => go(at + 1)} />
          <StepFooter step={step} isDone={state.data.done.includes(step)} onGo={go} />
        </div>
      </main>
    </div>
  )
}

/** To the steps before and after, and what is lacking until this one is done. */
function StepFooter({
  step,
  isDone,
  onGo,
}: {
  step: SetupStep
  isDone: boolean
  onGo: (to: number) => void
}) {
  const at = SETUP_STEPS.indexOf(step)
  return (
    <div className={css.foot}>
      <div>
        {at > 0 && (
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} />}
            onClick={() => onGo(at - 1)}
          >
            {t('ui.setup.back')}
          </Button>
        )}
      </div>
      {step !== 'readiness' && (
        <div className={css.footAct}>
          {!isDone && (
            <Button variant="subtle" onClick={() => onGo(at + 1)}>
              {t('ui.setup.later')}
            </Button>
          )}
          {isDone && !STEPS_WITH_OWN_BUTTON.includes(step) && (
            <Button rightSection={<IconArrowRight size={16} />} onClick={() => onGo(at + 1)}>
              {t('ui.setup.next')}
            </Button>
          )}
        </div>
      )}
      {!isDone && step !== 'readiness' && (
        <div className={css.lacks}>
          {t('ui.setup.until')} {t(`ui.setup.steps.${step}.lacks`)}
        </div>
      )}
    </div>
  )
}

const STEP_ICONS = { done: IconCircleCheck, later: IconCircleDashed, open: IconCircle } as const

/** The list of steps. One that was passed without being done is put off. */
function StepList({ state, step }: { state: SetupState; step: SetupStep }) {
  const at = SETUP_STEPS.indexOf(step)
  return (
    <aside className={css.side}>
      <div className={css.name}>
        <Mark size={28} />
        Isthmus
      </div>
      <nav aria-label={t('ui.setup.stepsLabel')}>
        <ol className={css.steps}>
          {SETUP_STEPS.map((one, index) => {
            const stepState = state.done.includes(one) ? 'done' : index < at ? 'later' : 'open'
            const Icon = STEP_ICONS[stepState]
            return (
              <li key={one}>
                <Link
                  className={css.step}
                  to="/setup"
                  search={{ step: one }}
                  data-state={stepState}
                  {...(one === step && { 'aria-current': 'step' as const })}
                >
                  <Icon size={19} className={css.mark} aria-hidden />
                  <span>{t(`ui.setup.steps.${one}.name`)}</span>
                  <VisuallyHidden>, {t(`ui.setup.states.${stepState}`)}</VisuallyHidden>
                </Link>
              </li>
            )
          })}
        </ol>
      </nav>
      <div className={css.sideFoot}>
        <div>{t('ui.setup.progress', { done: state.done.length, all: SETUP_STEPS.length })}</div>
        <Link to="/">{t('ui.setup.leave')}</Link>
        <div>{t('ui.setup.leaveAbout')}</div>
        <a href={helpAddress('/setup')} target={HELP_TARGET}>
          {t('ui.shell.help')}
        </a>
      </div>
    </aside>
  )
}
