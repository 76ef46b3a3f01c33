import { Button, Group, Stack, Text } from '@mantine/core'
import { IconLock, IconLockOpen, IconTrashX } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardLifecycle, type StudyLifecycle } from '#shared/contract/lifecycle.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useMayManage } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { Clock } from '../../ui/clock.tsx'
import { EraseDialog } from '../../ui/erase-dialog.tsx'
import { ErrorNotice, FactList, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'

const CHANGES = [dashboardLifecycle.study]

/** Where the images of the study are kept, its legal hold, and its erasure. */
export function LifecyclePanel({ studyInstanceUid }: { studyInstanceUid: string }) {
  const mayManage = useMayManage()
  const reply = useReply(dashboardLifecycle.study, { params: { studyInstanceUid } })
  const [asks, setAsks] = useState<'hold' | 'erase' | null>(null)
  const study = reply.data
  const hold = study?.holds.find(({ liftedAt }) => liftedAt === null)
  return (
    <Panel
      title={t('ui.images.lifecycle.title')}
      aside={hold && <Tag tone="warning">{t('ui.images.lifecycle.held')}</Tag>}
    >
      {reply.isPending && <LoadingPlaceholder rows={2} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {study && (
        <Stack gap="sm">
          {study.removed > 0 && <RemovedFilesNotice study={study} />}
          <FactList facts={placesOf(study)} />
          {hold && (
            <Text fz="sm">
              {t('ui.images.lifecycle.heldBy', { name: hold.placedBy, reason: hold.reason })} ·{' '}
              <Clock instant={hold.placedAt} />
            </Text>
          )}
          {mayManage && (
            <Group gap="xs">
              <Button
                variant="default"
                size="xs"
                leftSection={hold ? <IconLockOpen size={15} /> : <IconLock size={15} />}
                onClick={() => setAsks('hold')}
              >
                {hold ? t('ui.images.lifecycle.lift') : t('ui.images.lifecycle.place')}
              </Button>
              <Button
                variant="default"
                size="xs"
                leftSection={<IconTrashX size={15} />}
                disabled={hold !== undefined}
                onClick={() => setAsks('erase')}
              >
                {t('ui.erase.open')}…
              </Button>
            </Group>
          )}
        </Stack>
      )}
      {asks === 'hold' && (
        <HoldDialog
          studyInstanceUid={studyInstanceUid}
          isHeld={hold !== undefined}
          onClose={() => setAsks(null)}
        />
      )}
      {asks === 'erase' && (
        <EraseDialog studyInstanceUid={studyInstanceUid} onClose={() => setAsks(null)} />
      )}
    </Panel>
  )
}

/** That files are no longer on this PC, and where they are. */
const RemovedFilesNotice = ({ study: { removed, copies } }: { study: StudyLifecycle }) => (
  <Notice tone="info">
    {t('ui.images.lifecycle.elsewhere', {
      removed,
      places: [...new Set(copies.map(({ name }) => name))].join(', '),
    })}
  </Notice>
)

function placesOf({ instances, removed, copies }: StudyLifecycle) {
  return [
    [
      t('ui.images.lifecycle.here'),
      t('ui.images.lifecycle.ofAll', {
        count: instances - Math.min(removed, instances),
        instances,
      }),
    ] as const,
    ...copies.map(
      ({ name, kind, instances: count, confirmedAt }) =>
        [
          name,
          <span key={kind}>
            {t(`ui.images.lifecycle.kinds.${kind}`, { count, instances })} ·{' '}
            <Clock instant={confirmedAt} />
          </span>,
        ] as const,
    ),
  ]
}

function HoldDialog({
  studyInstanceUid,
  isHeld,
  onClose,
}: {
  studyInstanceUid: string
  isHeld: boolean
  onClose: () => void
}) {
  const send = useSend(isHeld ? dashboardLifecycle.liftHold : dashboardLifecycle.placeHold, CHANGES)
  const group = isHeld ? 'ui.images.lifecycle.liftAsk' : 'ui.images.lifecycle.placeAsk'
  return (
    <ReasonDialog
      words={{
        title: t(`${group}.title`),
        action: t(`${group}.action`),
        label: t('ui.images.lifecycle.reason.label'),
        about: t('ui.images.lifecycle.reason.about'),
        example: t(`${group}.example`),
      }}
      field="reason"
      isBusy={send.isPending}
      error={send.error}
      onSend={(reason, onError) =>
        send.mutate(
          { params: { studyInstanceUid }, body: { reason } },
          { onSuccess: onClose, onError },
        )
      }
      onClose={onClose}
    >
      {t(`${group}.text`)}
    </ReasonDialog>
  )
}
