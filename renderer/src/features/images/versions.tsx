import { Button, Stack, Table, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconEye } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardImages, type ImageStudy, type ImageVersion } from '#shared/contract/images.ts'
import { useSend } from '../../api/queries.ts'
import { bytesText } from '../../format/amounts.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { Clock } from '../../ui/clock.tsx'
import { Panel } from '../../ui/page.tsx'
import { Tag, ToneIcon } from '../../ui/tone.tsx'
import css from './images.module.css'

const COLUMNS = textsOf(
  'ui.images.versions.columns',
  ...(['image', 'state', 'change', 'received'] as const),
)
const CHANGES = [
  dashboardImages.read,
  dashboardImages.list,
  dashboardDestinations.studies,
  dashboard.status,
  dashboardToday.today,
]

/**
 * Images that were sent again with another content: every version is kept, and a person can show an
 * earlier one again.
 */
export function VersionsPanel({ study, mayManage }: { study: ImageStudy; mayManage: boolean }) {
  const [restoring, setRestoring] = useState<ImageVersion | null>(null)
  const [isReviewing, setIsReviewing] = useState(false)
  const isOpen = study.unreviewedVersions > 0
  return (
    <div data-tone={isOpen ? 'danger' : 'plain'}>
      <Panel
        isFlush
        className={isOpen ? css.mismatch : undefined}
        title={t('ui.images.versions.title')}
        aside={<ToneIcon tone={isOpen ? 'danger' : 'plain'} size={19} />}
      >
        <Text size="sm" px={16} pt={10} pb={8} maw="86ch">
          {t('ui.images.versions.about')}
        </Text>
        <Table.ScrollContainer minWidth={560}>
          <Table className={css.rows} horizontalSpacing={16} verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr>
                {Object.values(COLUMNS).map((name) => (
                  <Table.Th key={name}>{name}</Table.Th>
                ))}
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {study.versions.map((version) => (
                <Row
                  key={version.instanceId}
                  version={version}
                  {...(mayManage && { onRestore: setRestoring })}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {isOpen && mayManage && (
          <Stack px={16} py={12} align="flex-start">
            <Button leftSection={<IconEye size={16} />} onClick={() => setIsReviewing(true)}>
              {t('ui.images.versions.review')}…
            </Button>
          </Stack>
        )}
      </Panel>
      {isReviewing && <ReviewDialog study={study} onDone={() => setIsReviewing(false)} />}
      {restoring && <RestoreDialog version={restoring} onDone={() => setRestoring(null)} />}
    </div>
  )
}

function Row({
  version,
  onRestore,
}: {
  version: ImageVersion
  onRestore?: (version: ImageVersion) => void
}) {
  const { state, change, reviewedAt, instanceNumber, sopInstanceUid } = version
  const isUnseen =
    state === 'current' && reviewedAt === null && (change === 'pixels' || change === 'unknown')
  return (
    <Table.Tr>
      <Table.Td title={sopInstanceUid}>
        {instanceNumber && <b>{instanceNumber} </b>}
        <span className={`mono ${css.under}`}>…{sopInstanceUid.slice(-10)}</span>
      </Table.Td>
      <Table.Td>
        <Tag tone={state === 'current' ? 'good' : 'plain'}>
          {t(`ui.images.versions.states.${state}`)}
        </Tag>
      </Table.Td>
      <Table.Td>
        {change &&
          (isUnseen ? (
            <Tag tone="danger">{t(`ui.images.versions.changes.${change}`)}</Tag>
          ) : (
            t(`ui.images.versions.changes.${change}`)
          ))}
      </Table.Td>
      <Table.Td className="nowrap">
        <Clock instant={version.receivedAt} />
        <div className={css.under}>
          {version.deviceName || version.callingAeTitle}, {bytesText(version.bytes)}
        </div>
      </Table.Td>
      <Table.Td>
        {state === 'superseded' && onRestore && (
          <Button variant="default" size="compact-sm" onClick={() => onRestore(version)}>
            {t('ui.images.versions.restore')}…
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function ReviewDialog({ study, onDone }: { study: ImageStudy; onDone: () => void }) {
  const send = useSend(dashboardImages.reviewVersions, CHANGES)
  return (
    <ReasonDialog
      words={textsOf(
        'ui.images.versions.reviewAsk',
        'title',
        'action',
        'label',
        'about',
        'example',
      )}
      field="note"
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onSend={(note, onError) =>
        send.mutate(
          { params: { studyInstanceUid: study.studyInstanceUid }, body: { note } },
          { onSuccess: onDone, onError },
        )
      }
    >
      {t('ui.images.versions.reviewText')}
    </ReasonDialog>
  )
}

function RestoreDialog({ version, onDone }: { version: ImageVersion; onDone: () => void }) {
  const send = useSend(dashboardImages.restoreVersion, CHANGES)
  return (
    <ReasonDialog
      words={textsOf(
        'ui.images.versions.restoreAsk',
        'title',
        'action',
        'label',
        'about',
        'example',
      )}
      field="reason"
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onSend={(reason, onError) =>
        send.mutate(
          { params: { instanceId: version.instanceId }, body: { reason } },
          {
            onSuccess: ({ success, message }) => {
              onDone()
              notifications.show({
                message: message && translateMessage(message),
                ...(success ? { icon: <IconCheck size={18} /> } : { color: 'red' }),
              })
            },
            onError,
          },
        )
      }
    >
      {t('ui.images.versions.restoreText')}
    </ReasonDialog>
  )
}
