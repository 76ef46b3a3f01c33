import { Button, Drawer, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { useReply } from '../../api/queries.ts'
import { numberText } from '../../format/amounts.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import css from './reports.module.css'

/** Earlier states of the draft, to read and to bring back. */
export function Revisions(props: {
  studyId: Reading['studyId']
  onBringBack: ((text: string) => void) | null
  onClose: () => void
}) {
  const { studyId, onBringBack, onClose } = props
  const [chosen, setChosen] = useState<number | null>(null)
  const list = useReply(dashboardReports.revisions, { params: { studyId } }, { staleTime: 0 })
  return (
    <Drawer
      opened
      onClose={onClose}
      title={t('ui.reports.revisions.title')}
      size="min(880px, 92vw)"
    >
      <Text c="dimmed" fz="sm" mb={12}>
        {t('ui.reports.revisions.about')}
      </Text>
      {list.isPending && <LoadingPlaceholder rows={4} />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.revisions.length === 0 && <Text>{t('ui.reports.revisions.none')}</Text>}
      {list.data && list.data.revisions.length > 0 && (
        <div className={css.revisions}>
          <ul className={css.revisionList}>
            {list.data.revisions.map(({ revision, at, savedBy, characters }) => (
              <li key={revision}>
                <button
                  type="button"
                  aria-pressed={chosen === revision}
                  onClick={() => setChosen(revision)}
                >
                  <b>{t('ui.reports.revisions.one', { revision })}</b>
                  <span>
                    <Clock instant={at} />, {savedBy.name}
                  </span>
                  <span className={css.quiet}>
                    {t('ui.reports.revisions.characters', { count: numberText(characters) })}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {chosen === null ? (
            <Text c="dimmed">{t('ui.reports.revisions.pick')}</Text>
          ) : (
            <RevisionRow studyId={studyId} revision={chosen} onBringBack={onBringBack} />
          )}
        </div>
      )}
    </Drawer>
  )
}

function RevisionRow({
  studyId,
  revision,
  onBringBack,
}: {
  studyId: Reading['studyId']
  revision: number
  onBringBack: ((text: string) => void) | null
}) {
  const reply = useReply(
    dashboardReports.revision,
    { params: { studyId, revision } },
    { staleTime: Number.POSITIVE_INFINITY },
  )
  if (reply.isPending) return <LoadingPlaceholder rows={6} />
  if (reply.isError) return <ErrorNotice error={reply.error} />
  return (
    <div>
      <p className={css.said}>{reply.data.text}</p>
      {onBringBack && (
        <Group justify="flex-end">
          <Button onClick={() => onBringBack(reply.data.text)}>
            {t('ui.reports.revisions.bringBack')}
          </Button>
        </Group>
      )}
    </div>
  )
}
