import type { TodayItem, TodayKind } from '#shared/contract/dashboard-today.ts'
import { may, type Rights } from '#shared/lifecycle.ts'
import { type Found, LINES, type Line, type TodaySituation } from './today-lines.ts'

/** Kinds about lists with every patient: not for who sees the studies of some customers only. */
const OF_EVERY_PATIENT: readonly TodayKind[] = [
  'exams-withheld',
  'exams-overdue',
  'images-unplanned',
]

/** Kinds whose fault stops everybody's work: first for all. */
const FOR_ALL: readonly TodayKind[] = ['safe-mode', 'listener-down', 'partner-away']

/**
 * What needs somebody: what stops all work, then what is the person's own, the gravest first in
 * each.
 */
export function itemsOf(situation: TodaySituation): TodayItem[] {
  const { person } = situation
  const order = orderFor(person)
  // Who manages the gateway looks after all of it.
  const isOwn = (of: Line['of']) => person.level !== 'member' || of === order[0]
  const isOpen = ({ kind }: Line) =>
    situation.customers === undefined || !OF_EVERY_PATIENT.includes(kind)
  const found = LINES.filter(isOpen).flatMap(({ kind, needs, orNeeds, of, find }, line) => {
    const items = find(situation) ?? []
    const mayAct =
      needs === null || may(person, needs) || (orNeeds !== undefined && may(person, orNeeds))
    return (Array.isArray(items) ? (items as readonly Found[]) : [items as Found]).map((item) => {
      const shown: TodayItem = {
        kind,
        needs,
        mayAct,
        count: 1,
        isMore: false,
        since: null,
        detail: null,
        ...item,
      }
      const isForAll =
        (FOR_ALL.includes(kind) || (kind === 'criticals-escalated' && mayAct)) &&
        item.tone === 'danger'
      return {
        shown,
        rank: [
          isForAll ? 0 : 1,
          mayAct ? 0 : 1,
          isOwn(of) ? 0 : 1,
          GRAVITY[item.tone],
          order.indexOf(of),
          line,
        ],
      }
    })
  })
  return found.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ shown }) => shown)
}

const GRAVITY = { danger: 0, warning: 1, info: 2 } as const

function orderFor(person: Rights): readonly Line['of'][] {
  if (person.level !== 'member') return ['gateway', 'exams', 'reading']
  return person.canCreateReports ? ['reading', 'exams', 'gateway'] : ['exams', 'reading', 'gateway']
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [at, rank] of a.entries()) if (rank !== b[at]) return rank - (b[at] ?? 0)
  return 0
}
