import { useBlocker } from '@tanstack/react-router'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useState,
} from 'react'
import { t } from '../i18n/t.ts'
import { ConfirmAction } from './confirm.tsx'

const DirtyReportContext = createContext<(form: string, isDirty: boolean) => void>(() => undefined)

/** Reports to the guard around a form whether it has changes that are not saved. */
export function useFormGuard(isDirty: boolean): void {
  const report = useContext(DirtyReportContext)
  const form = useId()
  useEffect(() => {
    report(form, isDirty)
    return () => report(form, false)
  }, [form, isDirty, report])
}

/** Whether a form within has unsaved changes, and the context that forms report them to. */
export function useGuardedForms() {
  const [dirty, setDirty] = useState<ReadonlySet<string>>(new Set())
  const report = useCallback(
    (form: string, isDirty: boolean) =>
      setDirty((before) => {
        if (before.has(form) === isDirty) return before
        const others = [...before].filter((one) => one !== form)
        return new Set(isDirty ? [...others, form] : others)
      }),
    [],
  )
  const withFormGuard = (children: ReactNode) => (
    <DirtyReportContext value={report}>{children}</DirtyReportContext>
  )
  return { isDirty: dirty.size > 0, guarded: withFormGuard }
}

/**
 * Asks before unsaved changes are lost: when the screen is left for another one, and, in the
 * browser's own words, when the page is.
 */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  return (
    <DiscardDialog
      isOpen={blocker.status === 'blocked'}
      onKeep={() => blocker.reset?.()}
      onDiscard={() => blocker.proceed?.()}
    />
  )
}

export const DiscardDialog = (props: {
  isOpen: boolean
  onKeep: () => void
  onDiscard: () => void
}) => (
  <ConfirmAction
    isOpen={props.isOpen}
    title={t('ui.common.discard.title')}
    action={t('ui.common.discard.action')}
    keep={t('ui.common.discard.keep')}
    isBusy={false}
    error={null}
    onClose={props.onKeep}
    onConfirm={props.onDiscard}
  >
    {t('ui.common.discard.text')}
  </ConfirmAction>
)
