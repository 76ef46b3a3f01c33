import type { SavedView, VIEWED_LISTS } from '#shared/contract/dashboard-studies.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { UNSIGNED_STUDY_STATUSES as UNSIGNED } from '#shared/lifecycle.ts'
import { type TextCode, t } from '../../i18n/t.ts'
import { filterOfSavedView, type ListFilter, type Order } from './study-filter.ts'

export type ViewedList = (typeof VIEWED_LISTS)[number]

/** A named filter: one that is always there, or one that a person kept. */
export interface View {
  /** As the address names it. */
  readonly viewId: string
  readonly name: string
  readonly filter: ListFilter
  readonly order: Order
  readonly saved: SavedView | null
}

type BuiltInView =
  Extract<
    TextCode,
    `ui.study-list.views.names.${string}`
  > extends `ui.study-list.views.names.${infer Id}`
    ? Id
    : never
const builtIn = (viewId: BuiltInView, order: Order, filter: Partial<ListFilter> = {}): View => ({
  viewId,
  name: t(`ui.study-list.views.names.${viewId}`),
  filter: { cancelled: 'hide', ...filter },
  order,
  saved: null,
})

/** Views that are always there; the first one is shown where the address names none. */
export const BUILT_IN: Readonly<Record<ViewedList, Readonly<Record<StudyArea, readonly View[]>>>> =
  {
    reading: {
      scribe: [
        builtIn('toRead', 'priority', { status: UNSIGNED }),
        builtIn('mine', 'priority', { status: UNSIGNED, assignedTo: 'me' }),
        builtIn('unassigned', 'priority', { status: ['unassigned'], assignedTo: 'nobody' }),
        builtIn('stat', 'priority', { status: UNSIGNED, severity: ['stat'] }),
        builtIn('inProgress', 'priority', { status: ['in_progress'] }),
        builtIn('addenda', 'priority', { status: ['addendum_active'] }),
        // Cancelled ones too: their signed reports were delivered all the same.
        builtIn('addendumNeeded', 'priority', { addendum: 'needed', cancelled: 'all' }),
        builtIn('completedToday', 'newest', { status: ['completed'], days: 'today' }),
        builtIn('cancelled', 'newest', { cancelled: 'only' }),
        builtIn('all', 'newest', { cancelled: 'all' }),
      ],
      viewer: [],
    },
    studies: {
      scribe: [
        builtIn('all', 'newest', { cancelled: 'all' }),
        builtIn('today', 'newest', { days: 'today' }),
        builtIn('stat', 'priority', { severity: ['stat'], status: UNSIGNED }),
        builtIn('unassigned', 'priority', { assignedTo: 'nobody' }),
        builtIn('mine', 'priority', { assignedTo: 'me' }),
        builtIn('cancelled', 'newest', { cancelled: 'only' }),
      ],
      viewer: [
        builtIn('all', 'newest', { cancelled: 'all' }),
        builtIn('today', 'newest', { days: 'today' }),
        builtIn('stat', 'priority', { severity: ['stat'] }),
        builtIn('incomplete', 'priority', { status: ['incomplete'] }),
        builtIn('complete', 'newest', { status: ['complete'] }),
        builtIn('mine', 'priority', { assignedTo: 'me' }),
        builtIn('cancelled', 'newest', { cancelled: 'only' }),
      ],
    },
  }

export const viewOf = (saved: SavedView): View => ({
  viewId: saved.savedViewId,
  name: saved.name,
  filter: filterOfSavedView(saved.filter),
  order: saved.order,
  saved,
})
