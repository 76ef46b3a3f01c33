import {
  IconActivity,
  IconAdjustmentsHorizontal,
  IconBuildingHospital,
  IconBuildings,
  IconDeviceDesktopAnalytics,
  IconFolders,
  IconKey,
  IconListCheck,
  IconPhoto,
  IconPlugConnected,
  IconReportMedical,
  IconSend,
  IconTransfer,
  IconUsers,
  type Icon as TablerIcon,
} from '@tabler/icons-react'
import { t } from '../../i18n/t.ts'

export const GROUPS = ['work', 'people', 'connections', 'oversight'] as const
type Group = (typeof GROUPS)[number]

interface Entry {
  readonly to: string
  readonly group: Group
  readonly icon: TablerIcon
  /** Goes there after `g`. */
  readonly key?: string
  /** Only owners and administrators may use it; the others are told so there. */
  readonly isForManagers?: true
}

const ENTRIES = [
  { to: '/', group: 'work', icon: IconListCheck, key: 't' },
  { to: '/worklist', group: 'work', icon: IconBuildingHospital, key: 'w' },
  { to: '/studies', group: 'work', icon: IconFolders, key: 's' },
  { to: '/images', group: 'work', icon: IconPhoto, key: 'i' },
  { to: '/reading', group: 'work', icon: IconReportMedical, key: 'r' },
  { to: '/customers', group: 'people', icon: IconBuildings, key: 'c' },
  { to: '/people', group: 'people', icon: IconUsers, key: 'p', isForManagers: true },
  { to: '/devices', group: 'connections', icon: IconDeviceDesktopAnalytics, key: 'd' },
  { to: '/destinations', group: 'connections', icon: IconSend },
  { to: '/partner', group: 'connections', icon: IconPlugConnected, isForManagers: true },
  { to: '/events', group: 'connections', icon: IconTransfer, isForManagers: true },
  { to: '/keys', group: 'connections', icon: IconKey, isForManagers: true },
  { to: '/activity', group: 'oversight', icon: IconActivity, key: 'a' },
  { to: '/settings', group: 'oversight', icon: IconAdjustmentsHorizontal, isForManagers: true },
] as const satisfies readonly Entry[]

export interface Screen extends Entry {
  readonly to: (typeof ENTRIES)[number]['to']
  readonly name: string
}

/** The screens of the navigation, in its order. */
export const SCREENS: readonly Screen[] = ENTRIES.map((entry) => ({
  ...entry,
  name: t(`ui.shell.screens.${entry.to}`),
}))

/** Lists within a screen, for the palette. */
export const PLACES = [
  '/worklist/why',
  '/worklist/reconcile',
  '/worklist/ask',
  '/queries',
  '/images/quarantine',
  '/images/recovered',
  '/images/inform',
  '/reading/criticals',
  '/reading/templates',
  '/destinations/priors',
  '/events/meter',
  '/events/dry-run',
  '/activity/associations',
  '/audit',
  '/account',
  '/settings/access',
  '/settings/backups',
  '/settings/readiness',
] as const
export type PlaceAddress = (typeof PLACES)[number]

const isWithin = (address: string, to: string) =>
  to !== '/' && (address === to || address.startsWith(`${to}/`))

/** Beside the screens for managers and what is within them. */
const FOR_MANAGERS = ['/audit']

/** Whether an address is for owners and administrators. */
export const isForManagers = (address: string): boolean =>
  ENTRIES.some((entry) => 'isForManagers' in entry && isWithin(address, entry.to)) ||
  FOR_MANAGERS.some((to) => isWithin(address, to))

/**
 * Screens and lists with every patient of the clinic: not for who sees the studies of some
 * customers only.
 */
const OF_EVERY_PATIENT = ['/worklist', '/queries']

export const isOfEveryPatient = (address: string): boolean =>
  OF_EVERY_PATIENT.some((to) => isWithin(address, to))

/** Lists of a screen that have addresses of their own. */
const ELSEWHERE: Readonly<Record<string, Screen['to']>> = {
  '/queries': '/activity',
  '/audit': '/activity',
}

/** The screen an address belongs to. */
export function screenAt(address: string): Screen | undefined {
  const [, of = address] = Object.entries(ELSEWHERE).find(([list]) => isWithin(address, list)) ?? []
  return SCREENS.find(({ to }) => to === of || isWithin(of, to))
}
