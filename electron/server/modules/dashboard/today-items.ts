import type { TodayItem, TodayKind } from '#shared/contract/dashboard-today.ts'
import { may, type Rights } from '#shared/lifecycle.ts'
import { type Found, LINES, type Line, type TodaySituation } from './today-lines.ts'

/**
 * Kinds that concern lists with all patients. They are hidden from users who see only some
 * customers' studies.
 */
const OF_EVERY_PATIENT: readonly TodayKind[] = [
  'exams-withheld',
  'exams-overdue',
  'images-unplanned',
]

/** Kinds that stop everyone's work. They are listed first for every user. */
const FOR_ALL: readonly TodayKind[] = ['safe-mode', 'listener-down', 'partner-away']

/**
 * The items for the user, in order: problems that stop all work; what the user can act on; what
 * belongs to the user's own work; then by severity.
 */
export function itemsOf(situation: TodaySituation): TodayItem[] {
  const { person } = situation
  const order = orderFor(person)
  // Administrators and owners are responsible for all areas.
  const isOwn = (of: Line['of']) => person.level !== 'member' || of === order[0]
  const isOpen = ({ kind }: Line) =>
    situation.customers === undefined || !OF_EVERY_PATIENT.includes(kind)
  const found = LINES.filter(isOpen).flatMap(({ kind, needs, of, find }, line) => {
    const items = find(situation) ?? []
    const mayAct = needs === null || may(person, needs)
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
      const isForAll = FOR_ALL.includes(kind) && item.tone === 'danger'
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
