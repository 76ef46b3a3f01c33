import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Reading } from '#shared/contract/reports.ts'
import { ProblemError } from '../client.ts'
import { Notice } from '../components/tone.tsx'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'

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
          ? whyNot && said(whyNot)
          : lock.userId === userId
            ? t('ui.reading.lock.own')
            : t('ui.reading.lock.title', { name: lock.name })
      }
      actions={
        <Button size="xs" variant="default" loading={isBusy} onClick={take}>
          {t('ui.reading.lock.take')}
        </Button>
      }
    >
      {lock === null ? t('ui.reading.lock.free') : t('ui.reading.lock.text')}
      {fault && <div>{fault}</div>}
    </Notice>
  )
}
