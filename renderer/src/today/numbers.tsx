import { Link, type LinkProps } from '@tanstack/react-router'
import type { TodayNumbers } from '#shared/contract/dashboard-today.ts'
import { numberText } from '../display/amounts.ts'
import css from './today.module.css'
import { words } from './words.ts'

interface Shown {
  readonly name: string
  readonly value: string
  readonly aside?: string
  readonly to?: LinkProps
}

function shownOf(numbers: TodayNumbers): readonly Shown[] {
  const { numbers: names } = words
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
      name: names.exams,
      value: numberText(exams),
      to: { to: '/worklist' },
      ...(examsBegun > 0 && { aside: `${numberText(examsBegun)} ${names.begun}` }),
    },
    { name: names.completed, value: numberText(examsCompleted), to: { to: '/worklist' } },
    {
      name: names.unread,
      value: unread.isMore ? words.more(numberText(unread.count)) : numberText(unread.count),
      to: { to: '/reading' },
    },
    {
      name: names.signed,
      value: numberText(signedToday),
      to: { to: '/reading', search: { view: 'completedToday' } },
    },
    { name: names.images, value: numberText(imagesToday), to: { to: '/images' } },
    {
      name: names.receiving,
      value: numberText(receiving),
      to: { to: '/images', search: { show: 'receiving' } },
    },
    { name: names.queries, value: numberText(queries), to: { to: '/queries' } },
    {
      name: names.connected,
      value: numberText(devicesConnected),
      to: { to: '/activity/associations', search: { show: 'open' } },
    },
  ]
}

/** The numbers of the day, each of which leads to its list. */
export function Numbers({ numbers }: { numbers: TodayNumbers }) {
  return (
    <dl className={css.numbers} aria-label={words.numbers.label}>
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
