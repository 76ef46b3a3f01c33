import { useBlocker } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { t } from '../i18n/t.ts'
import { Confirm } from './confirm.tsx'

const Report = createContext<(isDirty: boolean) => void>(() => undefined)

/** Reports to the guard around a form whether it has changes that are not saved. */
export function useFormGuard(isDirty: boolean): void {
  const report = useContext(Report)
  useEffect(() => {
    report(isDirty)
    return () => report(false)
  }, [isDirty, report])
}

/** Whether the form within has unsaved changes, and the context that it reports them to. */
export function useGuardedForm() {
  const [isDirty, setDirty] = useState(false)
  const guarded = (children: ReactNode) => <Report value={setDirty}>{children}</Report>
  return { isDirty, guarded }
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
  <Confirm
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
  </Confirm>
)
