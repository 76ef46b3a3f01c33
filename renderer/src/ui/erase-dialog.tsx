import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type CopyHolder, dashboardErasures, type ErasureScope } from '#shared/contract/erasure.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { useSend } from '../api/queries.ts'
import { bytesText } from '../format/amounts.ts'
import { dayText } from '../format/dates.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder } from './page.tsx'
import { PersonName } from './person-name.tsx'
import { Notice } from './tone.tsx'

/** Erasing the study or all studies of its patient, after seeing what goes and typing who it is. */
export function EraseDialog({
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
    <Modal opened onClose={onClose} size={640} title={t('ui.erase.title')}>
      <Stack>
        <Notice tone="danger">{t('ui.erase.warning')}</Notice>
        <Radio.Group
          label={t('ui.erase.scope')}
          value={scope}
          onChange={(value) => setScope(value as ErasureScope)}
        >
          <Stack gap={6} mt={6}>
            <Radio value="study" label={t('ui.erase.scopes.study')} />
            <Radio value="patient" label={t('ui.erase.scopes.patient')} />
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
                t('ui.erase.counts', {
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
        {isHeld && <Notice tone="warning">{t('ui.erase.isHeld')}</Notice>}
        {found && <CopyHolders holders={found.elsewhere} />}
        {found && found.backups.length > 0 && (
          <Text fz="sm">{t('ui.erase.backups', { count: found.backups.length })}</Text>
        )}
        <TextInput
          label={t('ui.erase.reason')}
          required
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <TextInput
          label={t('ui.erase.confirm', { text: found?.confirmWith ?? '' })}
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
            {t('ui.erase.do')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Systems that may hold copies: those that the gateway deletes, and those that it cannot delete. */
function CopyHolders({ holders }: { readonly holders: readonly CopyHolder[] }) {
  const namesOf = (some: readonly CopyHolder[]) =>
    [...new Set(some.map(({ name }) => name))].join(', ')
  const tiers = holders.filter(({ kind }) => kind === 'tier')
  const others = holders.filter(({ kind }) => kind !== 'tier' && kind !== 'standby')
  return (
    <>
      {tiers.length > 0 && <Text fz="sm">{t('ui.erase.tiers', { names: namesOf(tiers) })}</Text>}
      {others.length > 0 && (
        <Text fz="sm">{t('ui.erase.elsewhere', { names: namesOf(others) })}</Text>
      )}
      {holders.some(({ kind }) => kind === 'standby') && (
        <Text fz="sm">{t('ui.erase.standby')}</Text>
      )}
    </>
  )
}
