import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { IconLock, IconLockOpen, IconTrashX } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type CopyHolder, dashboardErasures, type ErasureScope } from '#shared/contract/erasure.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardLifecycle, type StudyLifecycle } from '#shared/contract/lifecycle.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useMayManage } from '../../api/session.ts'
import { bytesText } from '../../format/amounts.ts'
import { dayText } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, FactList, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { PersonName } from '../../ui/person-name.tsx'
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
                {t('ui.images.lifecycle.erase')}…
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

/** Erasing the study or all studies of its patient, after seeing what goes and typing who it is. */
function EraseDialog({
  studyInstanceUid,
  onClose,
}: {
  studyInstanceUid: string
  onClose: () => void
}) {
  const navigate = useNavigate()
  const [scope, setScope] = useState<ErasureScope>('study')
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const preview = useSend(dashboardErasures.preview)
  const erase = useSend(dashboardErasures.erase, [dashboardErasures.list, dashboardImages.list])
  const { mutate } = preview
  useEffect(() => mutate({ body: { studyInstanceUid, scope } }), [mutate, studyInstanceUid, scope])
  const found = preview.data
  const isHeld = found?.studies.some((study) => study.isHeld) ?? false
  const mayErase =
    found !== undefined &&
    !isHeld &&
    reason.trim().length >= 3 &&
    typed.trim() === found.confirmWith
  const send = () =>
    found &&
    erase.mutate(
      {
        body: {
          studyInstanceUids: [
            studyInstanceUid,
            ...found.studies
              .map((study) => study.studyInstanceUid)
              .filter((uid) => uid !== studyInstanceUid),
          ],
          ...{ scope, reason: reason.trim(), confirmation: typed.trim() },
        },
      },
      { onSuccess: () => void navigate({ to: '/settings/lifecycle' }) },
    )
  return (
    <Modal opened onClose={onClose} size={640} title={t('ui.images.erase.title')}>
      <Stack>
        <Notice tone="danger">{t('ui.images.erase.warning')}</Notice>
        <Radio.Group
          label={t('ui.images.erase.scope')}
          value={scope}
          onChange={(value) => setScope(value as ErasureScope)}
        >
          <Stack gap={6} mt={6}>
            <Radio value="study" label={t('ui.images.erase.scopes.study')} />
            <Radio value="patient" label={t('ui.images.erase.scopes.patient')} />
          </Stack>
        </Radio.Group>
        {preview.isPending && <LoadingPlaceholder rows={3} />}
        {preview.error && <ErrorNotice error={preview.error} />}
        {found?.studies.map((study) => (
          <div key={study.studyInstanceUid}>
            <Text fw={560}>
              <PersonName value={study.patientName} /> {study.patientId}
            </Text>
            <Text fz="sm" c="dimmed">
              {[
                dayText(study.studyDate),
                study.studyDescription,
                t('ui.images.erase.counts', {
                  instances: study.instances,
                  reports: study.reports,
                  bytes: bytesText(study.bytes),
                }),
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </div>
        ))}
        {isHeld && <Notice tone="warning">{t('ui.images.erase.isHeld')}</Notice>}
        {found && <CopyHolders holders={found.elsewhere} />}
        {found && found.backups.length > 0 && (
          <Text fz="sm">{t('ui.images.erase.backups', { count: found.backups.length })}</Text>
        )}
        <TextInput
          label={t('ui.images.erase.reason')}
          required
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <TextInput
          label={t('ui.images.erase.confirm', { text: found?.confirmWith ?? '' })}
          required
          maxLength={64}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {erase.error && <ErrorNotice error={erase.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.common.cancel')}
          </Button>
          <Button color="red" disabled={!mayErase} loading={erase.isPending} onClick={send}>
            {t('ui.images.erase.do')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Systems that may hold copies: those that the gateway deletes, and those that it cannot delete. */
function CopyHolders({ holders }: { readonly holders: readonly CopyHolder[] }) {
  const namesOf = (some: readonly CopyHolder[]) => some.map(({ name }) => name).join(', ')
  const tiers = holders.filter(({ kind }) => kind === 'tier')
  const others = holders.filter(({ kind }) => kind !== 'tier' && kind !== 'standby')
  return (
    <>
      {tiers.length > 0 && (
        <Text fz="sm">{t('ui.images.erase.tiers', { names: namesOf(tiers) })}</Text>
      )}
      {others.length > 0 && (
        <Text fz="sm">{t('ui.images.erase.elsewhere', { names: namesOf(others) })}</Text>
      )}
      {holders.some(({ kind }) => kind === 'standby') && (
        <Text fz="sm">{t('ui.images.erase.standby')}</Text>
      )}
    </>
  )
}
