import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Reading } from '#shared/contract/reports.ts'
import { ProblemError } from '../../api/client.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'

/** The report is another window's, or somebody else's; writing here begins by taking it over. */
export function LockNotice({
  reading,
  userId,
  onTake,
}: {
  reading: Reading
  userId: string
  onTake: () => Promise<void>
}) {
  const { lock, whyNot } = reading
  const [isBusy, setIsBusy] = useState(false)
  const [fault, setFault] = useState('')
  const take = () => {
    setIsBusy(true)
    onTake()
      .catch((error: unknown) =>
        setFault(error instanceof ProblemError ? error.message : String(error)),
      )
      .finally(() => setIsBusy(false))
  }
  return (
    <Notice
      tone="warning"
      title={
        lock === null
          ? whyNot && translateMessage(whyNot)
          : lock.userId === userId
            ? t('ui.reports.lock.own')
            : t('ui.reports.lock.title', { name: lock.name })
      }
      actions={
        <Button size="xs" variant="default" loading={isBusy} onClick={take}>
          {t('ui.reports.lock.take')}
        </Button>
      }
    >
      {lock === null ? t('ui.reports.lock.free') : t('ui.reports.lock.text')}
      {fault && <div>{fault}</div>}
    </Notice>
  )
}
