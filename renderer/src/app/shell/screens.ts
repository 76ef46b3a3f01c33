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
import { mayManage, type Session } from '../../api/session.ts'
import { type WorkRole, workRoleOf } from '../../api/work-role.ts'
import { t } from '../../i18n/t.ts'

export const GROUPS = ['work', 'people', 'connections', 'oversight'] as const
type Group = (typeof GROUPS)[number]

interface Entry {
  readonly to: string
  readonly group: Group
  readonly icon: TablerIcon
  /** Whose work it belongs to, beside the administrator's, who has all screens. */
  readonly roles: readonly WorkRole[]
  /** Goes there after `g`. */
  readonly key?: string
  /** Only owners and administrators may use it; the others are told so there. */
  readonly isForManagers?: true
}

const ALL_WORK_ROLES: readonly WorkRole[] = ['technologist', 'front-desk', 'radiologist']
const PLANNING_ROLES: readonly WorkRole[] = ['technologist', 'front-desk']
const IMAGING_ROLES: readonly WorkRole[] = ['technologist', 'radiologist']
const DEVICE_ROLES: readonly WorkRole[] = ['technologist']

const ENTRIES = [
  { to: '/', group: 'work', icon: IconListCheck, key: 't', roles: ALL_WORK_ROLES },
  { to: '/worklist', group: 'work', icon: IconBuildingHospital, key: 'w', roles: PLANNING_ROLES },
  { to: '/studies', group: 'work', icon: IconFolders, key: 's', roles: ALL_WORK_ROLES },
  { to: '/images', group: 'work', icon: IconPhoto, key: 'i', roles: IMAGING_ROLES },
  { to: '/reading', group: 'work', icon: IconReportMedical, key: 'r', roles: ['radiologist'] },
  { to: '/customers', group: 'people', icon: IconBuildings, key: 'c', roles: ['front-desk'] },
  { to: '/people', group: 'people', icon: IconUsers, key: 'p', roles: [], isForManagers: true },
  {
    to: '/devices',
    group: 'connections',
    icon: IconDeviceDesktopAnalytics,
    key: 'd',
    roles: DEVICE_ROLES,
  },
  { to: '/destinations', group: 'connections', icon: IconSend, roles: DEVICE_ROLES },
  { to: '/partner', group: 'connections', icon: IconPlugConnected, roles: [], isForManagers: true },
  { to: '/events', group: 'connections', icon: IconTransfer, roles: [], isForManagers: true },
  { to: '/keys', group: 'connections', icon: IconKey, roles: [], isForManagers: true },
  { to: '/activity', group: 'oversight', icon: IconActivity, key: 'a', roles: DEVICE_ROLES },
  {
    to: '/settings',
    group: 'oversight',
    icon: IconAdjustmentsHorizontal,
    roles: [],
    isForManagers: true,
  },
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

/** The screens that a person may open, and among them those of their own work. */
export function screensOf(session: Session): {
  readonly all: readonly Screen[]
  readonly own: readonly Screen[]
} {
  const { user, isLimited } = session
  if (user === null) return { all: [], own: [] }
  const isManager = mayManage(user)
  const all = SCREENS.filter(
    ({ to, isForManagers: isManagers }) =>
      (isManager || !isManagers) && !(isLimited && showsAllPatients(to)),
  )
  const role = workRoleOf(user)
  const isOwn = ({ roles, group }: Screen) =>
    role === 'administrator' || roles.includes(role) || (isManager && group !== 'work')
  return { all, own: all.filter(isOwn) }
}

/** Lists within a screen, for the palette. */
export const SUBSCREEN_PATHS = [
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
  '/settings/lifecycle',
  '/settings/readiness',
  '/settings/tiers',
] as const
export type SubscreenPath = (typeof SUBSCREEN_PATHS)[number]

const isWithin = (address: string, to: string) =>
  to !== '/' && (address === to || address.startsWith(`${to}/`))

/** Beside the screens for managers and what is within them. */
const MANAGER_ONLY_PATHS = ['/audit']

/** Whether an address is for owners and administrators. */
export const isForManagers = (address: string): boolean =>
  ENTRIES.some((entry) => 'isForManagers' in entry && isWithin(address, entry.to)) ||
  MANAGER_ONLY_PATHS.some((to) => isWithin(address, to))

/**
 * Screens and lists with every patient of the clinic: not for who sees the studies of some
 * customers only.
 */
const ALL_PATIENTS_PATHS = ['/worklist', '/queries']

export const showsAllPatients = (address: string): boolean =>
  ALL_PATIENTS_PATHS.some((to) => isWithin(address, to))

/** Lists of a screen that have addresses of their own. */
const SCREEN_BY_LIST_PATH: Readonly<Record<string, Screen['to']>> = {
  '/queries': '/activity',
  '/audit': '/activity',
}

/** The prior studies of a study of the images: that is where such a search begins. */
const PRIORS_PATH = '/destinations/priors'

/**
 * The screen an address belongs to.
 * @param study that the address names in its search, if any
 */
export function screenAt(address: string, study?: unknown): Screen | undefined {
  if (isWithin(address, PRIORS_PATH) && study !== undefined) return screenAt('/images')
  const [, of = address] =
    Object.entries(SCREEN_BY_LIST_PATH).find(([list]) => isWithin(address, list)) ?? []
  return SCREENS.find(({ to }) => to === of || isWithin(of, to))
}
