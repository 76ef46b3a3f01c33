import { actionText } from '../../format/audit-actions.ts'
import { type DetailReader, detailText, shortIds, targetText } from '../../format/audit-detail.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import type { Column } from '../../ui/data-table.tsx'
import css from './audit.module.css'
import { TargetLink } from './target-link.tsx'
import type { AuditEntry } from './use-entries.ts'

/** @param actors names by the actor as the trail says it */
export const columnsOf = (
  actors: ReadonlyMap<string, string>,
  reader: DetailReader,
): readonly Column<AuditEntry>[] => [
  { name: t('ui.audit.columns.seq'), track: '52px', isRightAligned: true, cell: ({ seq }) => seq },
  { name: t('ui.audit.columns.at'), track: '122px', cell: ({ at }) => <Clock instant={at} /> },
  {
    name: t('ui.audit.columns.actor'),
    track: 'minmax(110px, 1fr)',
    cell: ({ actor }) => <ActorName actor={actor} name={actors.get(actor)} />,
  },
  {
    name: t('ui.audit.columns.action'),
    track: 'minmax(120px, 0.9fr)',
    cell: ({ action }) => <ActionName action={action} />,
  },
  {
    name: t('ui.audit.columns.target'),
    track: 'minmax(100px, 1fr)',
    cell: (entry) => <Target entry={entry} reader={reader} />,
  },
  {
    name: t('ui.audit.columns.detail'),
    track: 'minmax(150px, 2fr)',
    cell: ({ detail }) => <Detail text={detailText(detail, reader)} />,
  },
]

/** What was done; its own name on hover. */
function ActionName({ action }: { action: string }) {
  const text = actionText(action)
  return text === undefined ? <span className="mono">{action}</span> : <b title={action}>{text}</b>
}

function Target({
  entry: { action, target },
  reader,
}: {
  entry: AuditEntry
  reader: DetailReader
}) {
  return (
    <TargetLink action={action} target={target}>
      <span title={target} translate="no">
        {targetText(action, target, reader)}
      </span>
    </TargetLink>
  )
}

function Id({ text }: { text: string }) {
  return (
    <span className="mono" title={text}>
      {shortIds(text)}
    </span>
  )
}

/** Three lines of it; all of it on hover. */
const Detail = ({ text }: { text: string }) => (
  <span title={text} className={css.detail} translate="no">
    {shortIds(text)}
  </span>
)

/** The actor by name where it has one; the id on hover. */
function ActorName({ actor, name }: { actor: string; name: string | undefined }) {
  return name === undefined ? (
    <Id text={actor} />
  ) : (
    <span title={actor.includes(':') ? actor : undefined}>{name}</span>
  )
}
