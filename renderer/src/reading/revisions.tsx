import { Button, Drawer, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { Clock } from '../components/clock.tsx'
import { Failed, Waiting } from '../components/page.tsx'
import { numberText } from '../display/amounts.ts'
import { useReply } from '../gateway.ts'
import { t } from '../i18n/t.ts'
import css from './reading.module.css'

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
      title={t('ui.reading.revisions.title')}
      size="min(880px, 92vw)"
    >
      <Text c="dimmed" fz="sm" mb={12}>
        {t('ui.reading.revisions.about')}
      </Text>
      {list.isPending && <Waiting rows={4} />}
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.revisions.length === 0 && <Text>{t('ui.reading.revisions.none')}</Text>}
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
                  <b>{t('ui.reading.revisions.one', { revision })}</b>
                  <span>
                    <Clock instant={at} />, {savedBy.name}
                  </span>
                  <span className={css.quiet}>
                    {t('ui.reading.revisions.characters', { count: numberText(characters) })}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {chosen === null ? (
            <Text c="dimmed">{t('ui.reading.revisions.pick')}</Text>
          ) : (
            <One studyId={studyId} revision={chosen} onBringBack={onBringBack} />
          )}
        </div>
      )}
    </Drawer>
  )
}

function One({
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
  if (reply.isPending) return <Waiting rows={6} />
  if (reply.isError) return <Failed error={reply.error} />
  return (
    <div>
      <p className={css.said}>{reply.data.text}</p>
      {onBringBack && (
        <Group justify="flex-end">
          <Button onClick={() => onBringBack(reply.data.text)}>
            {t('ui.reading.revisions.bringBack')}
          </Button>
        </Group>
      )}
    </div>
  )
}
