import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { IconDownload, IconFileCertificate, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import {
  dashboardErasures,
  type ErasureRecord,
  type SignedErasure,
} from '#shared/contract/erasure.ts'
import { useReply } from '../../api/queries.ts'
import { bytesText } from '../../format/amounts.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { Clock, FullClock } from '../../ui/clock.tsx'
import { IconAction } from '../../ui/icon-act.tsx'
import { ErrorNotice, FactList, LoadingPlaceholder, Panel } from '../../ui/page.tsx'
import { RowTable } from '../../ui/row-table.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import css from './lifecycle.module.css'

const COLUMNS = textsOf('ui.lifecycle.erasures.columns', 'at', 'what', 'by', 'state', 'actions')

/** Studies that were erased on request, each with its signed record. */
export function ErasuresPanel() {
  const reply = useReply(dashboardErasures.list, {})
  const [shown, setShown] = useState<string | null>(null)
  const erasures = reply.data?.erasures ?? []
  return (
    <Panel isFlush title={t('ui.lifecycle.erasures.title')}>
      {reply.isPending && <LoadingPlaceholder rows={2} />}
      {reply.isError && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
      {reply.data && erasures.length === 0 && (
        <Text p="md" fz="sm" c="dimmed">
          {t('ui.lifecycle.erasures.none')}
        </Text>
      )}
      {erasures.length > 0 && (
        <RowTable columns={COLUMNS} minWidth={640}>
          {erasures.map((erasure) => (
            <Table.Tr key={erasure.erasureId}>
              <Table.Td>
                <Clock instant={erasure.requestedAt} />
              </Table.Td>
              <Table.Td>{t('ui.lifecycle.erasures.studies', { count: erasure.studies })}</Table.Td>
              <Table.Td>{erasure.requestedBy}</Table.Td>
              <Table.Td>
                <Tag tone={erasure.state === 'done' ? 'good' : 'warning'}>
                  {t(`ui.lifecycle.erasures.states.${erasure.state}`)}
                </Tag>
              </Table.Td>
              <Table.Td>
                <Group justify="flex-end">
                  <IconAction
                    icon={IconFileCertificate}
                    label={t('ui.lifecycle.erasures.show')}
                    onClick={() => setShown(erasure.erasureId)}
                  />
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </RowTable>
      )}
      {shown && <RecordDialog erasureId={shown} onClose={() => setShown(null)} />}
    </Panel>
  )
}

function RecordDialog({ erasureId, onClose }: { erasureId: string; onClose: () => void }) {
  const reply = useReply(dashboardErasures.read, { params: { erasureId } })
  return (
    <Modal opened onClose={onClose} size={760} title={t('ui.lifecycle.erasures.record')}>
      {reply.isPending && <LoadingPlaceholder rows={6} />}
      {reply.isError && <ErrorNotice error={reply.error} />}
      {reply.data?.record && <RecordOf erasure={reply.data} record={reply.data.record} />}
      {reply.data && reply.data.record === null && (
        <Text>{t('ui.lifecycle.erasures.stillRunning')}</Text>
      )}
    </Modal>
  )
}

function RecordOf({ erasure, record }: { erasure: SignedErasure; record: ErasureRecord }) {
  return (
    <Stack className={css.record}>
      <Notice tone={erasure.isValid ? 'good' : 'danger'}>
        {erasure.isValid ? t('ui.lifecycle.erasures.valid') : t('ui.lifecycle.erasures.invalid')}
      </Notice>
      <FactList
        facts={[
          [t('ui.lifecycle.erasures.columns.by'), record.requestedBy],
          [t('ui.lifecycle.erasures.reason'), record.reason],
          [
            t('ui.lifecycle.erasures.requested'),
            <FullClock key="from" instant={record.requestedAt} />,
          ],
          [t('ui.lifecycle.erasures.finished'), <FullClock key="to" instant={record.finishedAt} />],
        ]}
      />
      {record.studies.map((study) => (
        <div key={study.studyInstanceUid}>
          <Text className="mono" fz="sm">
            {study.studyInstanceUid}
          </Text>
          <Text fz="sm" c="dimmed">
            {t('ui.lifecycle.erasures.counts', {
              instances: study.instances,
              files: study.files,
              bytes: bytesText(study.bytes),
              reports: study.reports,
            })}
          </Text>
        </div>
      ))}
      <RemainingCopies record={record} />
      <Text fz="xs" c="dimmed" className="mono" style={{ overflowWrap: 'anywhere' }}>
        {t('ui.lifecycle.erasures.signature', { signature: erasure.signature ?? '' })}
      </Text>
      <Group justify="flex-end" className={css.tools}>
        <Button
          variant="default"
          leftSection={<IconPrinter size={16} />}
          onClick={() => window.print()}
        >
          {t('ui.lifecycle.erasures.print')}
        </Button>
        <Button leftSection={<IconDownload size={16} />} onClick={() => downloadRecord(erasure)}>
          {t('ui.lifecycle.erasures.download')}
        </Button>
      </Group>
    </Stack>
  )
}

/** What other systems hold, and what remains here for a time. */
export function RemainingCopies({
  record: { elsewhere, backups, cachesUntil },
}: {
  record: Pick<ErasureRecord, 'elsewhere' | 'backups'> & { readonly cachesUntil?: string }
}) {
  return (
    <Stack gap={4}>
      <Text fw={560}>{t('ui.lifecycle.erasures.elsewhere')}</Text>
      {elsewhere.length === 0 && <Text fz="sm">{t('ui.lifecycle.erasures.nowhere')}</Text>}
      {elsewhere.map(({ kind, name, count, confirmed }) => (
        <Text key={`${kind} ${name}`} fz="sm">
          {t(`ui.lifecycle.erasures.holders.${kind}`, { name, count, confirmed })}
        </Text>
      ))}
      <Text fw={560} mt="xs">
        {t('ui.lifecycle.erasures.remaining')}
      </Text>
      {backups.map(({ name, madeAt, expiresAt }) => (
        <Text key={name} fz="sm">
          {t('ui.lifecycle.erasures.backupOf')} <FullClock instant={madeAt} /> ({name}){' '}
          {expiresAt === null ? (
            t('ui.lifecycle.erasures.keptForever')
          ) : (
            <>
              {t('ui.lifecycle.erasures.keptUntil')} <FullClock instant={expiresAt} />
            </>
          )}
        </Text>
      ))}
      {cachesUntil && (
        <Text fz="sm">
          {t('ui.lifecycle.erasures.caches')} <FullClock instant={cachesUntil} />
        </Text>
      )}
      <Text fz="sm" c="dimmed">
        {t('ui.lifecycle.erasures.restoreHint')}
      </Text>
    </Stack>
  )
}

function downloadRecord({ erasureId, text, signature }: SignedErasure): void {
  const file = new Blob([JSON.stringify({ record: text, signature }, null, 2)], {
    type: 'application/json',
  })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = `erasure-${erasureId}.json`
  link.click()
  URL.revokeObjectURL(link.href)
}
