import { Button, Modal, Stack } from '@mantine/core'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { SEVERITIES, type Severity } from '#shared/contract/values.ts'
import { t } from '../../i18n/t.ts'
import { SEVERITY_TONES } from '../../ui/severity-tag.tsx'
import { ToneIcon } from '../../ui/tone.tsx'

const SEVERITIES_DESCENDING = [...SEVERITIES].reverse()

/** Chooses how urgent a study is. */
export function SeverityDialog(props: {
  study: WindowStudy | null
  onChoose: (severity: Severity) => void
  onClose: () => void
}) {
  const { study, onChoose, onClose } = props
  return (
    <Modal
      opened={study !== null}
      onClose={onClose}
      title={t('ui.studies.actions.chooseSeverity')}
      size="xs"
    >
      <Stack gap={6}>
        {SEVERITIES_DESCENDING.map((severity) => {
          const isCurrent = severity === study?.severity
          return (
            <Button
              key={severity}
              variant={isCurrent ? 'light' : 'default'}
              justify="flex-start"
              aria-pressed={isCurrent}
              {...(isCurrent && { 'data-autofocus': true })}
              leftSection={<ToneIcon tone={SEVERITY_TONES[severity]} />}
              onClick={() => onChoose(severity)}
            >
              {t(`ui.study-list.severities.${severity}.label`)}
            </Button>
          )
        })}
      </Stack>
    </Modal>
  )
}
