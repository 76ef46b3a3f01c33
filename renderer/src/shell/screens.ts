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

export interface Screen {
  readonly to:
    | '/'
    | '/worklist'
    | '/studies'
    | '/images'
    | '/reading'
    | '/customers'
    | '/people'
    | '/devices'
    | '/destinations'
    | '/partner'
    | '/events'
    | '/keys'
    | '/activity'
    | '/settings'
  readonly name: string
  readonly group: 'work' | 'people' | 'connections' | 'oversight'
  readonly icon: TablerIcon
  /** Only owners and administrators may use it; the others are told so. */
  readonly isForManagers?: true
}

/** The screens of the navigation, in its order. */
export const SCREENS: readonly Screen[] = [
  { to: '/', name: 'Today', group: 'work', icon: IconListCheck },
  { to: '/worklist', name: 'Worklist', group: 'work', icon: IconBuildingHospital },
  { to: '/studies', name: 'Studies', group: 'work', icon: IconFolders },
  { to: '/images', name: 'Images', group: 'work', icon: IconPhoto },
  { to: '/reading', name: 'Reading', group: 'work', icon: IconReportMedical },
  { to: '/customers', name: 'Express customers', group: 'people', icon: IconBuildings },
  { to: '/people', name: 'People', group: 'people', icon: IconUsers, isForManagers: true },
  { to: '/devices', name: 'Devices', group: 'connections', icon: IconDeviceDesktopAnalytics },
  { to: '/destinations', name: 'Destinations', group: 'connections', icon: IconSend },
  { to: '/partner', name: 'Partner', group: 'connections', icon: IconPlugConnected, isForManagers: true },
  { to: '/events', name: 'Events', group: 'connections', icon: IconTransfer, isForManagers: true },
  { to: '/keys', name: 'API keys', group: 'connections', icon: IconKey, isForManagers: true },
  { to: '/activity', name: 'Activity', group: 'oversight', icon: IconActivity },
  { to: '/settings', name: 'Settings', group: 'oversight', icon: IconAdjustmentsHorizontal, isForManagers: true },
]
