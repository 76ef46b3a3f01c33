import {
  IconActivity,
  IconAdjustmentsHorizontal,
  IconBuildingHospital,
  IconDeviceDesktopAnalytics,
  IconHistory,
  IconKey,
  IconListSearch,
  IconPhoto,
  IconPlugConnected,
  IconReportMedical,
  IconSend,
  IconTransfer,
  IconUsers,
  type Icon as TablerIcon,
} from '@tabler/icons-react'

export interface Screen {
  readonly to:
    | '/'
    | '/worklist'
    | '/images'
    | '/reading'
    | '/queries'
    | '/devices'
    | '/destinations'
    | '/partner'
    | '/events'
    | '/people'
    | '/keys'
    | '/settings'
    | '/audit'
  readonly name: string
  readonly icon: TablerIcon
  /** Only owners and administrators see it. */
  readonly isForManagers?: true
}

/** The screens of the navigation, in its order. */
export const SCREENS: readonly Screen[] = [
  { to: '/', name: 'Overview', icon: IconActivity },
  { to: '/worklist', name: 'Worklist', icon: IconBuildingHospital },
  { to: '/images', name: 'Images', icon: IconPhoto },
  { to: '/reading', name: 'Reading', icon: IconReportMedical },
  { to: '/queries', name: 'Queries', icon: IconListSearch },
  { to: '/devices', name: 'Devices', icon: IconDeviceDesktopAnalytics },
  { to: '/destinations', name: 'Destinations', icon: IconSend },
  { to: '/partner', name: 'Partner', icon: IconPlugConnected, isForManagers: true },
  { to: '/events', name: 'Events', icon: IconTransfer, isForManagers: true },
  { to: '/people', name: 'People', icon: IconUsers, isForManagers: true },
  { to: '/keys', name: 'API keys', icon: IconKey, isForManagers: true },
  { to: '/settings', name: 'Settings', icon: IconAdjustmentsHorizontal, isForManagers: true },
  { to: '/audit', name: 'Audit', icon: IconHistory, isForManagers: true },
]
