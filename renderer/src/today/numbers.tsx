import { Link, type LinkProps } from '@tanstack/react-router'
import type { TodayNumbers } from '#shared/contract/dashboard-today.ts'
import { numberText } from '../display/amounts.ts'
import { t } from '../i18n/t.ts'
import css from './today.module.css'

interface Shown {
  readonly name: string
  readonly value: string
  readonly aside?: string
  readonly to?: LinkProps
}

function shownOf(numbers: TodayNumbers): readonly Shown[] {
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
      name: t('ui.today.numbers.exams'),
      value: numberText(exams),
      to: { to: '/worklist' },
      ...(examsBegun > 0 && { aside: `${numberText(examsBegun)} ${t('ui.today.numbers.begun')}` }),
    },
    {
      name: t('ui.today.numbers.completed'),
      value: numberText(examsCompleted),
      to: { to: '/worklist' },
    },
    {
      name: t('ui.today.numbers.unread'),
      value: unread.isMore
        ? t('ui.today.more', { count: numberText(unread.count) })
        : numberText(unread.count),
      to: { to: '/reading' },
    },
    {
      name: t('ui.today.numbers.signed'),
      value: numberText(signedToday),
      to: { to: '/reading', search: { view: 'completedToday' } },
    },
    { name: t('ui.today.numbers.images'), value: numberText(imagesToday), to: { to: '/images' } },
    {
      name: t('ui.today.numbers.receiving'),
      value: numberText(receiving),
      to: { to: '/images', search: { show: 'receiving' } },
    },
    { name: t('ui.today.numbers.queries'), value: numberText(queries), to: { to: '/queries' } },
    {
      name: t('ui.today.numbers.connected'),
      value: numberText(devicesConnected),
      to: { to: '/activity/associations', search: { show: 'open' } },
    },
  ]
}

/** The numbers of the day, each of which leads to its list. */
export function Numbers({ numbers }: { numbers: TodayNumbers }) {
  return (
    <dl className={css.numbers} aria-label={t('ui.today.numbers.label')}>
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
