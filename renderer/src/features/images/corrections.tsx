import { Button, Group, Progress, Text } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { dashboardCorrectionNotices } from '#shared/contract/correction-notices.ts'
import { type Correction, dashboardCorrections } from '#shared/contract/corrections.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { percentText } from '../../format/percent.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, FactList, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import { ChangesTable } from './changes-table.tsx'
import css from './resolve.module.css'

const route = getRouteApi('/shell/images/$studyInstanceUid')
const UNDER_WAY_POLL_MS = 1000
const POLL_CUT_OFF_MS = 5000

/** What shows the identity of images. */
export const CHANGES = [
  ...[
    dashboardCorrections.list,
    dashboardCorrections.identities,
    dashboardCorrections.targets,
    dashboardCorrectionNotices.list,
  ],
  ...[dashboardImages.read, dashboardImages.list, dashboardStudies.list, dashboardStudies.read],
  ...[
    dashboardReports.read,
    dashboardReports.byUid,
    dashboardDestinations.studies,
    dashboardToday.today,
    dashboard.status,
  ],
]

/**
 * Corrections of images that are, or were, in a study: who made them, why, and how to undo them.
 */
export function CorrectionsPanel({
  studyInstanceUid,
  mayManage,
}: {
  studyInstanceUid: string
  mayManage: boolean
}) {
  const { undo } = route.useSearch()
  const navigate = useNavigate()
  const { isOpen } = useEventStream()
  const isUnderWay = ({ progress }: Correction) => progress !== null
  const every = (data: { corrections: Correction[] } | undefined) =>
    data?.corrections.some(isUnderWay) ? UNDER_WAY_POLL_MS : isOpen ? 60_000 : POLL_CUT_OFF_MS
  const reply = useReply(dashboardCorrections.list, { params: { studyInstanceUid } }, { every })
  const corrections = reply.data?.corrections ?? []
  // One that fails is not in the list any more.
  const [seen, setSeen] = useState<string | null>(null)
  const current = corrections.find(isUnderWay)?.correctionId
  if (current !== undefined && current !== seen) setSeen(current)
  const hasFailed =
    reply.isSuccess &&
    seen !== null &&
    corrections.every(({ correctionId }) => correctionId !== seen)
  // The dialog stays until it is closed: the list may say that the correction is undone before the
  // reply to the request has come, and the reply leads to the study that the images are in again.
  const undoable = corrections.find(
    (one) => one.correctionId === undo && one.undone === null && one.undoObstacle === null,
  )
  const [asked, setAsked] = useState(undoable)
  if (undoable && undoable.correctionId !== asked?.correctionId) setAsked(undoable)
  const correctionToUndo = asked?.correctionId === undo ? asked : undoable
  const ask = (correctionId?: string) =>
    void navigate({
      to: '/images/$studyInstanceUid',
      params: { studyInstanceUid },
      search: correctionId ? { undo: correctionId } : {},
      replace: true,
    })
  if (reply.error?.code === 'not-found') return null
  if (reply.isError) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  if (corrections.length === 0 && !hasFailed) return null
  return (
    <Panel title={t('ui.images.correction.history.title')}>
      {hasFailed && (
        <Notice tone="danger" title={t('ui.images.correction.history.failed')}>
          {t('ui.images.correction.history.failedText')}
        </Notice>
      )}
      <ol className={css.history}>
        {corrections.map((correction, index) => (
          <Entry
            key={correction.correctionId}
            correction={correction}
            studyInstanceUid={studyInstanceUid}
            isOpen={index === 0}
            {...(mayManage && { onUndo: ask })}
          />
        ))}
      </ol>
      {correctionToUndo && mayManage && (
        <UndoCorrectionDialog correction={correctionToUndo} onClose={() => ask()} />
      )}
    </Panel>
  )
}

interface EntryProps {
  readonly correction: Correction
  readonly studyInstanceUid: string
  /** Its changes are shown without being asked for. */
  readonly isOpen: boolean
  readonly onUndo?: (correctionId: string) => void
}

function Entry({ correction, studyInstanceUid, isOpen: isFirst, onUndo }: EntryProps) {
  const {
    correctionId,
    kind,
    cause,
    reason,
    instances,
    changes,
    at,
    by,
    undone,
    undoObstacle,
    progress,
  } = correction
  const [isOpen, setIsOpen] = useState(isFirst && undone === null)
  return (
    <li data-undone={undone !== null}>
      <div className={css.entryHead}>
        <span className={css.entryTitle}>
          <b>{t(`ui.images.correction.history.kinds.${kind}`)}</b>
          <MovedImageCount
            correction={correction}
            studyInstanceUid={studyInstanceUid}
            count={instances}
          />
          {undone && <Tag tone="plain">{t('ui.images.correction.history.undone')}</Tag>}
          {progress !== null && <Tag tone="info">{t('ui.images.correction.history.underWay')}</Tag>}
        </span>
        {onUndo && undone === null && undoObstacle === null && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconArrowBackUp size={15} />}
            onClick={() => onUndo(correctionId)}
          >
            {t('ui.images.correction.history.undo')}…
          </Button>
        )}
      </div>
      {progress !== null && (
        <>
          <div role="status">{t('ui.images.correction.history.underWayText')}</div>
          <Group gap={10} my={6} wrap="nowrap">
            <Progress
              value={progress * 100}
              size={7}
              flex={1}
              maw={480}
              animated
              aria-label={t('ui.images.correction.history.underWay')}
            />
            <Text span size="sm" aria-hidden>
              {percentText(progress)}
            </Text>
          </Group>
        </>
      )}
      <FactList
        facts={[
          [
            t('ui.images.correction.history.by'),
            <span key="by">
              {by}, <Clock instant={at} />
            </span>,
          ],
          [
            t('ui.images.correction.history.cause'),
            t(`ui.images.correction.check.causes.${cause}.name`),
          ],
          [t('ui.images.correction.history.reason'), reason],
          ...(undone
            ? ([
                [
                  t('ui.images.correction.history.undoneBy'),
                  <span key="undone">
                    {undone.by}, <Clock instant={undone.at} />
                  </span>,
                ],
                [t('ui.images.correction.history.undoneReason'), undone.reason],
              ] as const)
            : []),
          ...(undone === null && undoObstacle && progress === null
            ? ([
                [t('ui.images.correction.history.noUndo'), translateMessage(undoObstacle)],
              ] as const)
            : []),
        ]}
      />
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          {progress === null
            ? t('ui.images.correction.history.changes')
            : t('ui.images.correction.history.changesAfter')}
        </summary>
        <ChangesTable
          changes={changes}
          names={{
            before: t('ui.images.correction.history.before'),
            after: t('ui.images.correction.history.after'),
          }}
        />
      </details>
    </li>
  )
}

/** How many images went where, as seen from the study that is shown. */
function MovedImageCount({
  correction,
  studyInstanceUid,
  count,
}: {
  correction: Correction
  studyInstanceUid: string
  count: number
}) {
  const { fromStudyInstanceUid: from, toStudyInstanceUid: to } = correction
  if (from === to) return <span>{t('ui.images.correction.history.here.correct', { count })}</span>
  const other = from === studyInstanceUid ? to : from
  return (
    <span>
      {from === studyInstanceUid
        ? t('ui.images.correction.history.here.from', { count })
        : t('ui.images.correction.history.here.to', { count })}{' '}
      <Link to="/images/$studyInstanceUid" params={{ studyInstanceUid: other }} title={other}>
        {t('ui.images.correction.history.otherStudy', { end: other.slice(-10).replace(/^\./, '') })}
      </Link>
    </span>
  )
}

function UndoCorrectionDialog({
  correction,
  onClose,
}: {
  correction: Correction
  onClose: () => void
}) {
  const { correctionId, instances, fromStudyInstanceUid } = correction
  const send = useSend(dashboardCorrections.undo, CHANGES)
  const navigate = useNavigate()
  return (
    <ReasonDialog
      words={textsOf(
        'ui.images.correction.history.undoAsk',
        'title',
        'action',
        'label',
        'about',
        'example',
      )}
      field="reason"
      isBusy={send.isPending}
      error={send.error}
      onClose={onClose}
      onSend={(reason, onError) =>
        send.mutate(
          { params: { correctionId }, body: { reason } },
          {
            onSuccess: ({ progress }) => {
              if (progress !== null) return onClose()
              // The images are there again; the study they leave may be empty.
              void navigate({
                to: '/images/$studyInstanceUid',
                params: { studyInstanceUid: fromStudyInstanceUid },
                search: {},
              })
              showDone(t('ui.images.correction.history.undoDone'))
            },
            onError,
          },
        )
      }
    >
      {t('ui.images.correction.history.undoText', { count: instances })}
    </ReasonDialog>
  )
}
