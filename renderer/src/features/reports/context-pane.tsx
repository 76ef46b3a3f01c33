import { ActionIcon, Group, Text, Tooltip } from '@mantine/core'
import { IconArrowRight, IconFile, IconRefresh } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { dashboardReports, type Reading } from '#shared/contract/reports.ts'
import { desktopBridge } from '../../api/desktop.ts'
import { useSend } from '../../api/queries.ts'
import { ownPath } from '../../api/shared-study.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { TimeAgo } from '../../ui/clock.tsx'
import { ErrorNotice } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { Part } from './part.tsx'
import css from './reports.module.css'

/**
 * What the partner says of the patient. It is asked once by itself, when somebody who may report
 * opens the study.
 */
export function ContextPane({
  reading,
  onInsert,
}: {
  reading: Reading
  onInsert: ((text: string) => void) | null
}) {
  const { studyId, context, mayWrite } = reading
  const ask = useSend(dashboardReports.askContext, [dashboardReports.read])
  const { mutate } = ask
  const hasAsked = useRef(false)
  useEffect(() => {
    if (!mayWrite || context.state !== 'not-asked' || hasAsked.current) return
    hasAsked.current = true
    mutate({ params: { studyId }, body: { again: false } })
  }, [mayWrite, context.state, studyId, mutate])

  const shown = ask.data ?? context
  const { clinicalIndication, clinicalHistory, technologistTechnique } = shown
  const { technologistNotes, documents } = shown
  return (
    <Part
      title={t('ui.reports.context.title')}
      aside={
        <Tooltip
          label={
            shown.state === 'not-asked'
              ? t('ui.reports.context.ask')
              : t('ui.reports.context.again')
          }
        >
          <ActionIcon
            size="sm"
            aria-label={
              shown.state === 'not-asked'
                ? t('ui.reports.context.ask')
                : t('ui.reports.context.again')
            }
            loading={ask.isPending}
            onClick={() =>
              mutate({ params: { studyId }, body: { again: shown.state !== 'not-asked' } })
            }
          >
            <IconRefresh size={15} />
          </ActionIcon>
        </Tooltip>
      }
    >
      <State state={shown.state} isAsking={ask.isPending} askedAt={shown.askedAt} />
      {ask.error && <ErrorNotice error={ask.error} />}
      {shown.notes.map(translateMessage).map((note) => (
        <Notice key={note} tone="warning">
          {note}
        </Notice>
      ))}
      {clinicalIndication && (
        <ContextText
          name={t('ui.reports.context.indication')}
          text={clinicalIndication}
          onInsert={onInsert}
        />
      )}
      {clinicalHistory && (
        <ContextText
          name={t('ui.reports.context.history')}
          text={clinicalHistory}
          onInsert={onInsert}
        />
      )}
      {technologistTechnique && (
        <ContextText
          name={t('ui.reports.context.technique')}
          text={technologistTechnique}
          onInsert={onInsert}
        />
      )}
      {technologistNotes.length > 0 && (
        <div>
          <h3 className={css.label}>{t('ui.reports.context.notes')}</h3>
          <ul className={css.notes}>
            {technologistNotes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </div>
      )}
      {documents.length > 0 && (
        <div>
          <h3 className={css.label}>{t('ui.reports.context.documents')}</h3>
          {documents.map((document, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: documents have no other key, and their order does not change
            <Document key={index} studyId={studyId} document={document} />
          ))}
        </div>
      )}
    </Part>
  )
}

function State({
  state,
  isAsking,
  askedAt,
}: {
  state: Reading['context']['state']
  isAsking: boolean
  askedAt: string | null
}) {
  if (isAsking) return <QuietText>{t('ui.reports.context.asking')}</QuietText>
  if (state === 'not-asked') return <QuietText>{t('ui.reports.context.none')}</QuietText>
  return (
    <QuietText>
      {state === 'empty' && `${t('ui.reports.context.empty')} `}
      {state === 'failed' && `${t('ui.reports.context.failed')} `}
      {t('ui.reports.context.askedAt')} <TimeAgo instant={askedAt} />.
    </QuietText>
  )
}

const QuietText = ({ children }: { children: ReactNode }) => (
  <Text fz={12.5} c="dimmed" role="status">
    {children}
  </Text>
)

function ContextText({
  name,
  text,
  onInsert,
}: {
  name: string
  text: string
  onInsert: ((text: string) => void) | null
}) {
  return (
    <div>
      <Group justify="space-between" gap={4}>
        <h3 className={css.label}>{name}</h3>
        {onInsert && (
          <Tooltip label={t('ui.reports.context.insert')}>
            <ActionIcon
              size="xs"
              aria-label={`${name}: ${t('ui.reports.context.insert').toLowerCase()}`}
              onClick={() => onInsert(text)}
            >
              <IconArrowRight size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      <p className={css.said}>{text}</p>
    </div>
  )
}

/**
 * Of an inline document its text; of a file a link, which a browser opens beside the report and the
 * desktop app keeps as a file.
 */
function Document({
  studyId,
  document,
}: {
  studyId: string
  document: Reading['context']['documents'][number]
}) {
  const { documentId, fileName, content, fault } = document
  if (content.length > 0) {
    return (
      <details className={css.document}>
        <summary>
          <IconFile size={14} aria-hidden /> {fileName}
        </summary>
        <p className={css.said}>{content.join('\n\n')}</p>
      </details>
    )
  }
  if (fault || documentId === null) {
    return (
      <p className={css.document}>
        <IconFile size={14} aria-hidden /> {fileName}{' '}
        <Text span c="red" fz="sm">
          {fault && translateMessage(fault)}
        </Text>
      </p>
    )
  }
  return (
    <p className={css.document}>
      <IconFile size={14} aria-hidden />{' '}
      <a
        href={ownPath(`/dashboard/reading/${studyId}/documents/${documentId}`)}
        aria-label={t('ui.reports.context.open', { name: fileName })}
        {...(desktopBridge ? { download: fileName } : { target: '_blank', rel: 'noreferrer' })}
      >
        {fileName}
      </a>
    </p>
  )
}
