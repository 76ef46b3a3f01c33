import { Modal, Stack, Text } from '@mantine/core'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { t } from '../../i18n/t.ts'
import { PersonName } from '../person-name.tsx'
import { examText } from './exam-text.ts'
import { AssigneePicker } from './pickers.tsx'
import { useStudyActions } from './use-study-actions.ts'

/** Asks whom to assign a study to, and assigns it as soon as a user is chosen. */
export function AssignDialog({
  study,
  onClose,
}: {
  study: WindowStudy | null
  onClose: () => void
}) {
  const { change } = useStudyActions()
  return (
    <Modal opened={study !== null} onClose={onClose} title={t('ui.study-list.assign.title')}>
      {study && (
        <Stack gap="xs">
          <div>
            {study.patientName ? (
              <PersonName value={study.patientName} />
            ) : (
              t('ui.study-list.noName')
            )}
            <Text size="sm" c="dimmed">
              {examText(study)}
            </Text>
          </div>
          <AssigneePicker
            area={study.area}
            label={t('ui.study-list.assign.to')}
            value={study.assignedTo && { id: study.assignedTo.userId, name: study.assignedTo.name }}
            onChange={(to) => {
              onClose()
              change(study, { kind: 'assign', to: to && { userId: to.id, name: to.name } })
            }}
          />
        </Stack>
      )}
    </Modal>
  )
}
