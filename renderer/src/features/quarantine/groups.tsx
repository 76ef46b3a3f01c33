import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import type { QuarantineGroup } from '#shared/contract/quarantine.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { bytesText, numberText } from '../../format/amounts.ts'
import { QUARANTINE_TEXTS } from '../../format/image-states.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { SUBTLE_DANGER } from '../../ui/subtle-danger.ts'
import { Notice } from '../../ui/tone.tsx'
import css from './quarantine.module.css'

type Decision = 'release' | 'discard'

/** What changes with a decision about images that were set aside. */
export const CHANGES = [
  dashboardImages.quarantine,
  dashboardImages.quarantineGroups,
  dashboardImages.read,
  dashboardImages.list,
  dashboardDestinations.studies,
  dashboard.status,
]

/** What was set aside of one study by the reason why, each to be decided on as a whole. */
export function QuarantineGroups({
  studyInstanceUid,
  mayManage,
}: {
  studyInstanceUid: string
  mayManage: boolean
}) {
  const { isOpen } = useEventStream()
  const groups = useReply(
    dashboardImages.quarantineGroups,
    { params: { studyInstanceUid } },
    isOpen ? {} : { every: 10_000 },
  )
  const [asking, setAsking] = useState<{
    readonly group: QuarantineGroup
    readonly decision: Decision
  } | null>(null)
  const found = groups.data?.groups ?? []
  return (
    <>
      {groups.isError && groups.error.code !== 'not-found' && (
        <ErrorNotice error={groups.error} onRetry={() => void groups.refetch()} />
      )}
      {found.length > 0 && (
        <Panel>
          {found.map((group) => (
            <div key={group.reason} className={css.group}>
              <div>
                <b>{QUARANTINE_TEXTS[group.reason].name}</b>
                <Text size="sm">
                  {t('ui.quarantine.images', { count: group.instances })},{' '}
                  <span className="nowrap">{bytesText(group.bytes)}</span>
                </Text>
                <PatientNames names={group.patientNames} />
              </div>
              {mayManage && (
                <Group gap={8} wrap="nowrap">
                  <Button
                    variant="default"
                    size="compact-sm"
                    onClick={() => setAsking({ group, decision: 'release' })}
                  >
                    {t('ui.quarantine.releaseAll', { count: numberText(group.instances) })}…
                  </Button>
                  <Button
                    {...SUBTLE_DANGER}
                    size="compact-sm"
                    onClick={() => setAsking({ group, decision: 'discard' })}
                  >
                    {t('ui.quarantine.discardAll', { count: numberText(group.instances) })}…
                  </Button>
                </Group>
              )}
            </div>
          ))}
        </Panel>
      )}
      {asking && <GroupDecisionDialog {...asking} onDone={() => setAsking(null)} />}
    </>
  )
}

function PatientNames({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <PersonName value="" />
  return names.map((name) => (
    <div key={name}>
      <PersonName value={name} />
    </div>
  ))
}

/** `group` is as the person saw it: what is set aside meanwhile is not decided on. */
function GroupDecisionDialog({
  group,
  decision,
  onDone,
}: {
  group: QuarantineGroup
  decision: Decision
  onDone: () => void
}) {
  const {
    studyInstanceUid,
    reason: because,
    instances,
    newestInstanceId: upTo,
    patientNames,
  } = group
  const release = useSend(dashboardImages.releaseGroup, CHANGES)
  const discard = useSend(dashboardImages.discardGroup, CHANGES)
  const isRelease = decision === 'release'
  const send = isRelease ? release : discard
  const images = t('ui.quarantine.images', { count: instances })
  const ask = isRelease ? 'ui.quarantine.releaseAllAsk' : 'ui.quarantine.discardAllAsk'
  return (
    <ReasonDialog
      words={{
        ...textsOf(ask, 'label', 'about', 'example'),
        title: t(`${ask}.title`, { images }),
        action: t(`${ask}.action`, { images }),
      }}
      field="reason"
      isDanger={!isRelease}
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onSend={(reason, onError) =>
        send.mutate(
          { params: { studyInstanceUid }, body: { because, upTo, reason } },
          {
            onSuccess: ({ success, message }) => {
              onDone()
              // What was not done to the end stays until a person has read it.
              notifications.show({
                message: translateMessage(message),
                ...(success
                  ? { icon: <IconCheck size={18} /> }
                  : { color: 'red', autoClose: false }),
              })
            },
            onError,
          },
        )
      }
    >
      <Stack gap={8}>
        <div>
          <PatientNames names={patientNames} />
          <Text size="sm" c="dimmed">
            {images}: {QUARANTINE_TEXTS[because].name}
          </Text>
        </div>
        {patientNames.length > 1 && (
          <Notice tone="warning" title={t('ui.quarantine.severalPatients')} />
        )}
        <Text size="sm">
          {isRelease ? t('ui.quarantine.releaseAllText') : t('ui.quarantine.discardAllText')}
        </Text>
      </Stack>
    </ReasonDialog>
  )
}
