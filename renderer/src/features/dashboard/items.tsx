import { Button } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { TodayItem } from '#shared/contract/dashboard-today.ts'
import { numberText } from '../../format/amounts.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { usePermission } from '../../ui/allowed.tsx'
import { Clock } from '../../ui/clock.tsx'
import { EmptyState, Panel } from '../../ui/page.tsx'
import { ToneIcon } from '../../ui/tone.tsx'
import css from './dashboard.module.css'
import { LINKS } from './links.ts'

/**
 * What needs attention: first what the person can act on, then what waits for others.
 * @param kinds those that belong to the person's work; all where none are given. What is urgent and
 *   the person can act on is shown whatever its kind
 */
export function TodayItems({
  items,
  kinds,
}: {
  items: readonly TodayItem[]
  kinds?: readonly TodayItem['kind'][]
}) {
  const isShown = ({ kind, tone, mayAct }: TodayItem) =>
    kinds === undefined || kinds.includes(kind) || (tone === 'danger' && mayAct)
  const shown = items.filter(isShown)
  const actionable = shown.filter(({ mayAct }) => mayAct)
  const others = shown.filter(({ mayAct }) => !mayAct)
  return (
    <>
      <Panel isFlush {...(actionable.length > 0 && { title: t('ui.dashboard.needs') })}>
        {actionable.length === 0 ? (
          <EmptyState
            icon={<IconCircleCheck size={38} stroke={1.3} />}
            title={t('ui.dashboard.calm')}
          >
            {t('ui.dashboard.calmText')}
          </EmptyState>
        ) : (
          <List items={actionable} label={t('ui.dashboard.label')} />
        )}
      </Panel>
      {others.length > 0 && (
        <Panel isFlush title={t('ui.dashboard.needsOthers')}>
          <List items={others} label={t('ui.dashboard.needsOthers')} />
        </Panel>
      )}
    </>
  )
}

const List = ({ items, label }: { items: readonly TodayItem[]; label: string }) => (
  <ul className={css.items} aria-label={label}>
    {items.map((item) => (
      <Item key={`${item.kind} ${JSON.stringify(item.detail)}`} item={item} />
    ))}
  </ul>
)

function Item({
  item: { kind, tone, count, isMore, since, detail, mayAct, needs },
}: {
  item: TodayItem
}) {
  const written = isMore ? t('ui.dashboard.more', { count: numberText(count) }) : numberText(count)
  const sentence = t(`ui.dashboard.items.${kind}.text`, { count: written, of: count })
  return (
    <li className={css.item} data-tone={tone}>
      <ToneIcon tone={tone} size={20} />
      <div className={css.itemBody}>
        <div className={css.itemName}>
          {t(`ui.dashboard.items.${kind}.name`)}
          {since !== null && (
            <span className={css.since}>
              {t('ui.dashboard.since')} <Clock instant={since} />
            </span>
          )}
        </div>
        {sentence !== '' && <div>{sentence}</div>}
        {detail && (
          <div className={sentence === '' ? '' : css.detail}>{translateMessage(detail)}</div>
        )}
        {!mayAct && needs && <ResponsibleParty needs={needs} />}
      </div>
      <Button
        renderRoot={(props) => <Link {...props} {...LINKS[kind]} />}
        size="xs"
        variant="default"
      >
        {t(`ui.dashboard.items.${kind}.action`)}
      </Button>
    </li>
  )
}

/** Who can do something about it. */
function ResponsibleParty({ needs }: { needs: NonNullable<TodayItem['needs']> }) {
  const { why } = usePermission(needs)
  return <div className={css.detail}>{why}</div>
}
