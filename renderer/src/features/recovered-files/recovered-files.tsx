import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconFileCheck, IconFileImport } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import type { RecoveredFile, RecoveryOutcome } from '#shared/contract/quarantine.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf, useSend } from '../../api/queries.ts'
import { useMayManageStudies } from '../../api/session.ts'
import { bytesText, numberText } from '../../format/amounts.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { ImageTabs } from '../../ui/sections/image-tabs.tsx'
import { SUBTLE_DANGER } from '../../ui/subtle-danger.ts'
import { Notice } from '../../ui/tone.tsx'

const CHANGES = [
  dashboardImages.recoveredFiles,
  dashboardImages.list,
  dashboardImages.quarantine,
  dashboard.status,
  dashboardToday.today,
]

const columns: readonly Column<RecoveredFile>[] = [
  {
    name: t('ui.recovered-files.columns.patient'),
    track: 'minmax(190px, 2.2fr)',
    cell: ({ patientName, modality, studyInstanceUid, isReadable, file }) =>
      isReadable ? (
        <>
          <PersonName value={patientName} />
          <Text size="xs" c="dimmed">
            {modality
              ? t('ui.format.images.studyOf', { modalities: modality })
              : t('ui.format.images.study')}{' '}
            <span className="mono">…{studyInstanceUid.slice(-16)}</span>
          </Text>
        </>
      ) : (
        <>
          <b>{t('ui.recovered-files.unreadable')}</b>
          <Text size="sm">{t('ui.recovered-files.unreadableText')}</Text>
          <Text size="xs" c="dimmed" className="mono">
            {file.split('/').at(-1)}
          </Text>
        </>
      ),
  },
  {
    name: t('ui.recovered-files.columns.from'),
    track: 'minmax(90px, 1fr)',
    cell: ({ callingAeTitle }) => <span className="mono">{callingAeTitle}</span>,
  },
  {
    name: t('ui.recovered-files.columns.bytes'),
    track: '90px',
    cell: ({ bytes }) => <span className="nowrap">{bytesText(bytes)}</span>,
  },
  {
    name: t('ui.recovered-files.columns.at'),
    track: '110px',
    cell: ({ modifiedAt }) => <Clock instant={modifiedAt} />,
  },
]

/** Image files that the database does not know, to be imported again or discarded. */
export function Recovery() {
  const mayManage = useMayManageStudies()
  const [discarding, setDiscarding] = useState<RecoveredFile | null>(null)
  const [soFar, setSoFar] = useState<number | null>(null)
  const query = { limit: 50 }
  const { list, pages, more } = usePages(
    keyOf(dashboardImages.recoveredFiles, query),
    (part, signal) =>
      call(dashboardImages.recoveredFiles, { query: { ...query, ...part } }, signal),
    10_000,
  )
  const send = useSend(dashboardImages.importRecovered, CHANGES)
  const files = pages.flatMap((page) => page.files)

  /** Portion by portion, until the gateway has looked at all of them. */
  async function importAll(): Promise<void> {
    let [imported, failed] = [0, 0]
    let problem: RecoveryOutcome['problem'] = null
    let after: string | undefined
    try {
      do {
        setSoFar(imported)
        const part: RecoveryOutcome = await send.mutateAsync({
          body: { ...(after !== undefined && { after }) },
        })
        imported += part.imported
        failed += part.failed
        problem = part.problem ?? problem
        after = part.next ?? undefined
      } while (after !== undefined)
      tell({ imported, failed, problem })
    } catch {
      // The notice above the list says why.
    } finally {
      setSoFar(null)
    }
  }

  const shown = useMemo(
    () =>
      mayManage
        ? [
            ...columns,
            decide(
              ({ file }) => send.mutate({ body: { file } }, { onSuccess: tell }),
              setDiscarding,
            ),
          ]
        : columns,
    [mayManage, send],
  )

  return (
    <Page
      title={t('ui.recovered-files.title')}
      about={t('ui.recovered-files.about')}
      isFull
      actions={
        mayManage &&
        files.length > 0 && (
          <Button
            leftSection={<IconFileImport size={16} />}
            loading={soFar !== null}
            onClick={() => void importAll()}
          >
            {t('ui.recovered-files.importAll')}
          </Button>
        )
      }
    >
      <ImageTabs />
      {soFar !== null && soFar > 0 && (
        <Text size="sm">{t('ui.recovered-files.importing', { count: numberText(soFar) })}</Text>
      )}
      {send.error && <Notice tone="danger" title={send.error.message} />}
      {list.error?.code === 'not-permitted' ? (
        <Notice tone="info" title={t('ui.recovered-files.notAllowed')} />
      ) : (
        <PagedTable
          list={list}
          nothing={{
            icon: IconFileCheck,
            title: t('ui.recovered-files.none'),
            text: t('ui.recovered-files.noneText'),
          }}
          label={t('ui.recovered-files.label')}
          columns={shown}
          rows={files}
          keyOf={(row) => row.file}
          least={mayManage ? 700 : 560}
          onEndReached={more}
          end={list.hasNextPage ? t('ui.recovered-files.more') : t('ui.recovered-files.last')}
        />
      )}
      {discarding && <DiscardDialog file={discarding} onDone={() => setDiscarding(null)} />}
    </Page>
  )
}

/** What came of an import, all of it. */
function tell({
  imported,
  failed,
  problem,
}: Pick<RecoveryOutcome, 'imported' | 'failed' | 'problem'>): void {
  if (imported > 0)
    notifications.show({
      message: t('ui.recovered-files.imported', { count: imported }),
      icon: <IconCheck size={18} />,
    })
  if (failed > 0)
    notifications.show({
      message: [
        t('ui.recovered-files.notImported', { count: failed }),
        problem ? translateMessage(problem) : '',
      ].join(' '),
      color: 'red',
      autoClose: false,
    })
}

const decide = (
  onImport: (file: RecoveredFile) => void,
  onDiscard: (file: RecoveredFile) => void,
): Column<RecoveredFile> => ({
  name: t('ui.recovered-files.columns.actions'),
  track: '190px',
  cell: (file) => (
    <Group gap={6} wrap="nowrap">
      {file.isReadable && (
        <Button variant="default" size="compact-sm" onClick={() => onImport(file)}>
          {t('ui.recovered-files.import')}
        </Button>
      )}
      <Button {...SUBTLE_DANGER} size="compact-sm" onClick={() => onDiscard(file)}>
        {t('ui.recovered-files.discard')}…
      </Button>
    </Group>
  ),
})

function DiscardDialog({ file, onDone }: { file: RecoveredFile; onDone: () => void }) {
  const send = useSend(dashboardImages.discardRecovered, CHANGES)
  return (
    <ReasonDialog
      words={textsOf(
        'ui.recovered-files.discardAsk',
        'title',
        'action',
        'label',
        'about',
        'example',
      )}
      field="reason"
      isDanger
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onSend={(reason, onError) =>
        send.mutate({ body: { file: file.file, reason } }, { onSuccess: onDone, onError })
      }
    >
      <Stack gap={6}>
        {file.isReadable ? (
          <PersonName value={file.patientName} />
        ) : (
          <b>{t('ui.recovered-files.unreadable')}</b>
        )}
        <Text size="sm">
          {t('ui.recovered-files.discardText')}{' '}
          {file.isReadable && t('ui.recovered-files.discardUnsure')}
        </Text>
      </Stack>
    </ReasonDialog>
  )
}
