import { Link, type LinkProps } from '@tanstack/react-router'
import type { TodayNumbers } from '#shared/contract/dashboard-today.ts'
import { numberText } from '../../format/amounts.ts'
import { t } from '../../i18n/t.ts'
import css from './dashboard.module.css'

interface DashboardNumber {
  readonly name: string
  readonly value: string
  readonly aside?: string
  readonly to?: LinkProps
}

function shownOf(numbers: TodayNumbers): readonly DashboardNumber[] {
  const {
    exams,
    examsBegun,
    examsCompleted,
    unread,
    signedToday,
    imagesToday,
    receiving,
    queries,
    devicesConnected,
  } = numbers
  return [
    {
      name: t('ui.dashboard.numbers.exams'),
      value: numberText(exams),
      to: { to: '/worklist' },
      ...(examsBegun > 0 && {
        aside: `${numberText(examsBegun)} ${t('ui.dashboard.numbers.begun')}`,
      }),
    },
    {
      name: t('ui.dashboard.numbers.completed'),
      value: numberText(examsCompleted),
      to: { to: '/worklist' },
    },
    {
      name: t('ui.dashboard.numbers.unread'),
      value: unread.isMore
        ? t('ui.dashboard.more', { count: numberText(unread.count) })
        : numberText(unread.count),
      to: { to: '/reading' },
    },
    {
      name: t('ui.dashboard.numbers.signed'),
      value: numberText(signedToday),
      to: { to: '/reading', search: { view: 'completedToday' } },
    },
    {
      name: t('ui.dashboard.numbers.images'),
      value: numberText(imagesToday),
      to: { to: '/images' },
    },
    {
      name: t('ui.dashboard.numbers.receiving'),
      value: numberText(receiving),
      to: { to: '/images', search: { show: 'receiving' } },
    },
    { name: t('ui.dashboard.numbers.queries'), value: numberText(queries), to: { to: '/queries' } },
    {
      name: t('ui.dashboard.numbers.connected'),
      value: numberText(devicesConnected),
      to: { to: '/activity/associations', search: { show: 'open' } },
    },
  ]
}

/** The numbers of the day, each of which leads to its list. */
export function Numbers({ numbers }: { numbers: TodayNumbers }) {
  return (
    <dl className={css.numbers} aria-label={t('ui.dashboard.numbers.label')}>
      {shownOf(numbers).map(({ name, value, aside, to }) => (
        <div key={name} className={css.number}>
          <dt>{to ? <Link {...to}>{name}</Link> : name}</dt>
          <dd>
            {value}
            {aside && <span className={css.aside}>{aside}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
