import type { TodayItem, TodayKind } from '#shared/contract/dashboard-today.ts'
import { may, type Rights } from '#shared/lifecycle.ts'
import { type FoundItem, TODAY_RULES, type TodayRule, type TodaySituation } from './today-rules.ts'

/**
 * Kinds that concern lists with all patients. They are hidden from users who see only some
 * customers' studies.
 */
const ALL_PATIENTS_KINDS: readonly TodayKind[] = [
  'exams-withheld',
  'exams-overdue',
  'images-unplanned',
]

/** Kinds that stop everyone's work. They are listed first for every user. */
const BLOCKING_KINDS: readonly TodayKind[] = ['safe-mode', 'listener-down', 'partner-away']

/**
 * The items for the user, in order: problems that stop all work; what the user can act on; what
 * belongs to the user's own work; then by severity.
 */
export function todayItems(situation: TodaySituation): TodayItem[] {
  const { person } = situation
  const areaOrder = areaOrderFor(person)
  // Administrators and owners are responsible for all areas.
  const isOwnArea = (of: TodayRule['of']) => person.level !== 'member' || of === areaOrder[0]
  const isOpen = ({ kind }: TodayRule) =>
    situation.customers === undefined || !ALL_PATIENTS_KINDS.includes(kind)
  const found = TODAY_RULES.filter(isOpen).flatMap(
    ({ kind, needs, alternativeNeeds, of, find }, line) => {
      const items = find(situation) ?? []
      const mayAct =
        needs === null ||
        may(person, needs) ||
        (alternativeNeeds !== undefined && may(person, alternativeNeeds))
      return (Array.isArray(items) ? (items as readonly FoundItem[]) : [items as FoundItem]).map(
        (item) => {
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
          const concernsEveryone =
            (BLOCKING_KINDS.includes(kind) || (kind === 'criticals-escalated' && mayAct)) &&
            item.tone === 'danger'
          return {
            shown,
            rank: [
              concernsEveryone ? 0 : 1,
              mayAct ? 0 : 1,
              isOwnArea(of) ? 0 : 1,
              SEVERITY_RANK[item.tone],
              areaOrder.indexOf(of),
              line,
            ],
          }
        },
      )
    },
  )
  return found.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ shown }) => shown)
}

const SEVERITY_RANK = { danger: 0, warning: 1, info: 2 } as const

function areaOrderFor(person: Rights): readonly TodayRule['of'][] {
  if (person.level !== 'member') return ['gateway', 'exams', 'reading']
  return person.canCreateReports ? ['reading', 'exams', 'gateway'] : ['exams', 'reading', 'gateway']
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [at, rank] of a.entries()) if (rank !== b[at]) return rank - (b[at] ?? 0)
  return 0
}
