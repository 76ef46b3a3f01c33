import { Button, SegmentedControl, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconUserCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import {
  type CorrectionNotice,
  dashboardCorrectionNotices,
  type NoticeContact,
} from '#shared/contract/correction-notices.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf, useSend } from '../../api/queries.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Page } from '../../ui/page.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { PersonName } from '../../ui/person-name.tsx'
import { ImageTabs } from '../../ui/sections/image-tabs.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'

const columns: readonly Column<CorrectionNotice>[] = [
  {
    name: t('ui.correction-notices.columns.who'),
    track: 'minmax(110px, 1.2fr)',
    cell: ({ name, kind }) => (
      <>
        <b>{name}</b>
        <Text size="xs" c="dimmed">
          {t(`ui.correction-notices.kinds.${kind}`)}
        </Text>
      </>
    ),
  },
  {
    name: t('ui.correction-notices.columns.has'),
    track: 'minmax(130px, 2fr)',
    cell: (notice) => <NoticeRecipients notice={notice} />,
  },
  {
    name: t('ui.correction-notices.columns.patient'),
    track: 'minmax(120px, 1.3fr)',
    cell: (notice) => <Versions notice={notice} />,
  },
  {
    name: t('ui.correction-notices.columns.since'),
    track: 'minmax(76px, 0.6fr)',
    cell: ({ createdAt }) => <Clock instant={createdAt} />,
  },
]

/**
 * Who has a wrong version of corrected images, or a report without images that were added, until
 * somebody confirms that they were informed.
 */
export function PendingCorrectionNotices() {
  const [show, setShow] = useState<'open' | 'all'>('open')
  const [asked, setAsked] = useState<CorrectionNotice | null>(null)
  const query = { limit: 50, show }
  const { list, pages, more } = usePages(
    keyOf(dashboardCorrectionNotices.list, query),
    (part, signal) =>
      call(dashboardCorrectionNotices.list, { query: { ...query, ...part } }, signal),
    10_000,
  )
  const shown = useMemo(() => [...columns, informed(setAsked)], [])
  return (
    <Page title={t('ui.correction-notices.title')} about={t('ui.correction-notices.about')} isFull>
      <ImageTabs />
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label={t('ui.correction-notices.label')}
        value={show}
        onChange={(value) => setShow(value as 'open' | 'all')}
        data={[
          { value: 'open', label: t('ui.correction-notices.show.open') },
          { value: 'all', label: t('ui.correction-notices.show.all') },
        ]}
      />
      {list.error?.code === 'not-permitted' ? (
        <Notice tone="info" title={t('ui.correction-notices.notAllowed')} />
      ) : (
        <PagedTable
          list={list}
          nothing={{
            icon: IconUserCheck,
            title: t('ui.correction-notices.none'),
            text: t('ui.correction-notices.noneText'),
          }}
          label={t('ui.correction-notices.label')}
          columns={shown}
          rows={pages.flatMap((page) => page.notices)}
          keyOf={(row) => String(row.noticeId)}
          least={660}
          onEndReached={more}
          end={list.hasNextPage ? t('ui.correction-notices.more') : t('ui.correction-notices.last')}
        />
      )}
      {asked && <Confirm notice={asked} onDone={() => setAsked(null)} />}
    </Page>
  )
}

function NoticeRecipients({ notice: { contacts, isUndo, sending } }: { notice: CorrectionNotice }) {
  return (
    <Stack gap={2}>
      {isUndo && (
        <Tag tone="warning" isWrapped>
          {t('ui.correction-notices.undone')}
        </Tag>
      )}
      {contacts.some(({ isOfTarget }) => isOfTarget) && (
        <Tag tone="warning" isWrapped>
          {t('ui.correction-notices.added')}
        </Tag>
      )}
      {contactTexts(contacts).map(([text, at]) => (
        <span key={text}>
          {text}
          {at !== null && (
            <Text span size="xs" c="dimmed">
              {' '}
              <Clock instant={at} />
            </Text>
          )}
        </span>
      ))}
      {sending && <SendingState sending={sending} />}
    </Stack>
  )
}

/** What each contact was, and when; which of the two studies where there are contacts of both. */
function contactTexts(
  contacts: readonly NoticeContact[],
): (readonly [text: string, at: string | null])[] {
  const isOfBoth = contacts.some(({ isOfTarget }) => !isOfTarget)
  return contacts.map(({ what, at, isOfTarget }) => [
    isOfTarget && isOfBoth
      ? `${t(`ui.correction-notices.contacts.${what}`)} (${t('ui.correction-notices.ofTarget')})`
      : t(`ui.correction-notices.contacts.${what}`),
    at,
  ])
}

function SendingState({ sending }: { sending: NonNullable<CorrectionNotice['sending']> }) {
  const { waiting, sent, failed, lastError, isEnabled } = sending
  const all = waiting + sent + failed
  return (
    <Text size="xs" c="dimmed">
      {[
        ...(isEnabled ? [] : [t('ui.correction-notices.sending.off')]),
        ...(failed > 0 ? [t('ui.correction-notices.sending.failed', { count: failed })] : []),
        ...(all === 0
          ? [t('ui.correction-notices.sending.preparing')]
          : waiting > 0
            ? [t('ui.correction-notices.sending.waiting', { sent, of: all })]
            : []),
        ...(lastError
          ? [`${t('ui.correction-notices.sending.lastError')}: ${translateMessage(lastError)}.`]
          : []),
      ].join(' ')}
    </Text>
  )
}

/** As the recipient has it, and as it is right; something else than the name may be corrected. */
function Versions({ notice }: { notice: CorrectionNotice }) {
  const { patientName, correctedPatientName, correctedStudyInstanceUid: studyInstanceUid } = notice
  const isRenamed = patientName !== correctedPatientName
  return (
    <>
      {isRenamed && (
        <NameVersion name={patientName} which={t('ui.correction-notices.patientBefore')} />
      )}
      <NameVersion
        name={correctedPatientName}
        which={isRenamed ? t('ui.correction-notices.patientNow') : ''}
      />
      <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid }}>
        {t('ui.correction-notices.images')}
      </Link>
    </>
  )
}

const NameVersion = ({ name, which }: { name: string; which: string }) => (
  <div>
    <PersonName value={name} />
    {which !== '' && (
      <Text span size="xs" c="dimmed">
        {' '}
        ({which})
      </Text>
    )}
  </div>
)

const REASON_TEXTS = textsOf(
  'ui.correction-notices.ask',
  'title',
  'action',
  'label',
  'about',
  'example',
  'missing',
)

const informed = (onAsk: (notice: CorrectionNotice) => void): Column<CorrectionNotice> => ({
  name: t('ui.correction-notices.columns.actions'),
  track: 'minmax(144px, 1.2fr)',
  cell: (notice) =>
    notice.state === 'open' ? (
      <Button
        variant="default"
        size="compact-sm"
        aria-label={t('ui.correction-notices.confirmOf', { name: notice.name })}
        onClick={() => onAsk(notice)}
      >
        {t('ui.correction-notices.confirm')}…
      </Button>
    ) : (
      <>
        {notice.doneBy ||
          (notice.note ? translateMessage(notice.note) : t('ui.correction-notices.byGateway'))}
        {notice.doneAt && (
          <Text span size="xs" c="dimmed">
            {' '}
            <Clock instant={notice.doneAt} />
          </Text>
        )}
        {notice.doneBy !== '' && notice.note && (
          <Text size="sm">{translateMessage(notice.note)}</Text>
        )}
      </>
    ),
})

function Confirm({ notice, onDone }: { notice: CorrectionNotice; onDone: () => void }) {
  const { noticeId, name, contacts } = notice
  const send = useSend(dashboardCorrectionNotices.confirm, [
    dashboardCorrectionNotices.list,
    dashboardToday.today,
  ])
  const done = () => {
    notifications.show({
      message: t('ui.correction-notices.confirmed'),
      icon: <IconCheck size={18} />,
    })
    onDone()
  }
  return (
    <ReasonDialog
      words={REASON_TEXTS}
      field="note"
      isBusy={send.isPending}
      error={send.error}
      onClose={onDone}
      onSend={(note, onError) =>
        send.mutate({ params: { noticeId }, body: { note } }, { onSuccess: done, onError })
      }
    >
      <Stack gap={2}>
        <b>{name}</b>
        {contactTexts(contacts).map(([text]) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
        <Versions notice={notice} />
      </Stack>
    </ReasonDialog>
  )
}
