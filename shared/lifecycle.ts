import type { InvitationStatus } from './contract/users.ts'

// States and transitions of the interface, shared by the API, the window and their tests.

export const VIEWER_STATUSES = ['incomplete', 'complete'] as const
export type ViewerStatus = (typeof VIEWER_STATUSES)[number]
export const REPORT_STUDY_STATUSES = [
  'unassigned',
  'assigned',
  'in_progress',
  'completed',
  'addendum_active',
] as const
/** Of studies that are still to be read. */
export const UNSIGNED_STUDY_STATUSES = [
  'unassigned',
  'assigned',
  'in_progress',
  'addendum_active',
] as const satisfies readonly (typeof REPORT_STUDY_STATUSES)[number][]
export type StudyReportStatus = (typeof REPORT_STUDY_STATUSES)[number]
export const REPORT_STATUSES = ['in_progress', 'completed'] as const
export type ReportStatus = (typeof REPORT_STATUSES)[number]

/** Transitions of a scribe study. A transition that is missing is refused. */
const STUDY_MOVES = {
  assign: { unassigned: 'assigned', assigned: 'assigned', completed: 'completed' },
  unassign: { unassigned: 'unassigned', assigned: 'unassigned', completed: 'completed' },
  dictate: { unassigned: 'in_progress', assigned: 'in_progress', in_progress: 'in_progress' },
  sign: { in_progress: 'completed', addendum_active: 'completed' },
  startAddendum: { completed: 'addendum_active' },
  cancelAddendum: { addendum_active: 'completed' },
} as const satisfies Record<string, Partial<Record<StudyReportStatus, StudyReportStatus>>>
export type StudyMove = keyof typeof STUDY_MOVES

/** The next status; undefined if the transition is refused. */
export const nextStatus = (
  move: StudyMove,
  from: StudyReportStatus,
): StudyReportStatus | undefined =>
  (STUDY_MOVES[move] as Partial<Record<StudyReportStatus, StudyReportStatus>>)[from]

/** An invitation changes its status once, from `sent`. */
export const INVITATION_MOVES = {
  accept: 'accepted',
  reject: 'rejected',
  revoke: 'revoked',
} as const satisfies Record<string, InvitationStatus>

/** Permissions of a signed-in user, which follow from level and flags. */
export const PERMISSIONS = [
  'manageGateway',
  'manageUsers',
  'manageCustomers',
  'manageStudies',
  'readStudies',
  'writeReports',
  'exportImages',
] as const
export type Permission = (typeof PERMISSIONS)[number]

export interface Rights {
  readonly level: 'owner' | 'admin' | 'member'
  readonly canManageStudies: boolean
  readonly canCreateReports: boolean
  readonly hasDashboardAccess: boolean
}

const isManager = ({ level }: Rights) => level !== 'member'
const PERMISSION_RULES: Readonly<Record<Permission, (rights: Rights) => boolean>> = {
  manageGateway: isManager,
  manageUsers: isManager,
  manageCustomers: isManager,
  manageStudies: (rights) => isManager(rights) || rights.canManageStudies,
  readStudies: () => true,
  writeReports: (rights) => isManager(rights) || rights.canCreateReports,
  // A DICOM file leaves the clinic with everything that is known of the patient.
  exportImages: (rights) => isManager(rights) || rights.canManageStudies || rights.canCreateReports,
}

export const may = (rights: Rights, permission: Permission): boolean =>
  rights.hasDashboardAccess && PERMISSION_RULES[permission](rights)
