import { Stack } from '@mantine/core'
import { dashboardOtlpExport } from '#shared/contract/otlp-export.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Notice } from '../../ui/tone.tsx'
import { SecretForm } from './secret-form.tsx'

/** The secret of the collector, and whether it takes what it is sent. */
export function OtlpPanel() {
  const state = useReply(dashboardOtlpExport.state, {}, { every: 60_000 })
  if (!state.data) return null
  const { hasSecret, lastAt, isOk, dropped } = state.data
  return (
    <Stack gap="sm" mt="sm">
      <SecretForm
        texts="otlp"
        hasSecret={hasSecret}
        set={dashboardOtlpExport.setSecret}
        refresh={dashboardOtlpExport.state}
      />
      <div role="status">
        {lastAt !== null && (
          <Notice tone={isOk ? 'good' : 'warning'}>
            {isOk ? t('ui.settings.otlp.good') : t('ui.settings.otlp.bad', { dropped })}
          </Notice>
        )}
      </div>
    </Stack>
  )
}
