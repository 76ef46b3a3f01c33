import type { Person } from '#shared/contract/dashboard-people.ts'
import type { ClinicRole, Level } from '#shared/contract/people.ts'

const OPTIONAL_FIELDS = ['middleName', 'suffix1', 'suffix2', 'phoneNumber', 'npiNumber'] as const

/** What a person may do. */
export const RIGHT_FIELDS = ['hasDashboardAccess', 'canManageStudies', 'canCreateReports'] as const

/** A person as the form holds them: what is empty is not known. */
export interface PersonValues
  extends Record<(typeof OPTIONAL_FIELDS)[number] | 'email' | 'firstName' | 'lastName', string>,
    Record<(typeof RIGHT_FIELDS)[number], boolean> {
  /** Nobody is given a role that was not chosen. */
  clinicRole: ClinicRole | null
  level: Level
}

export const nameOf = ({ firstName, lastName }: Pick<Person, 'firstName' | 'lastName'>): string =>
  `${firstName} ${lastName}`

/**
 * What the form begins with. @param person who is changed, or invited once more; null for somebody
 * new
 */
export const valuesOf = (person: Person | null): PersonValues => ({
  email: person?.email ?? '',
  firstName: person?.firstName ?? '',
  lastName: person?.lastName ?? '',
  middleName: person?.middleName ?? '',
  suffix1: person?.suffix1 ?? '',
  suffix2: person?.suffix2 ?? '',
  phoneNumber: person?.phoneNumber ?? '',
  npiNumber: person?.npiNumber ?? '',
  clinicRole: person?.clinicRole ?? null,
  level: person?.level ?? 'member',
  hasDashboardAccess: person?.hasDashboardAccess ?? true,
  canManageStudies: person?.canManageStudies ?? false,
  canCreateReports: person?.canCreateReports ?? false,
})

const MANAGING_STUDIES: readonly ClinicRole[] = [
  ...(['Imaging Technologist', 'Front Desk Operator', 'Patient Care Coordinator'] as const),
  ...(['Administrative Assistant', 'PACS Administrator'] as const),
]
const WRITING_REPORTS: readonly ClinicRole[] = ['Radiologist', 'Nuclear Medicine Physician']

/** The rights that a role usually has, which an invitation proposes. */
export const usualRights = (
  role: ClinicRole,
): Pick<PersonValues, 'canManageStudies' | 'canCreateReports'> => ({
  canManageStudies: MANAGING_STUDIES.includes(role),
  canCreateReports: WRITING_REPORTS.includes(role),
})

/** What is empty is left out of an invitation, and cleared by a change of `person`. */
export function bodyOf(values: PersonValues, person: Person | null): Record<string, unknown> {
  const { email, ...body } = values
  const given: Record<string, unknown> = { ...body, ...(!person && { email }) }
  for (const name of OPTIONAL_FIELDS) {
    const text = values[name].trim()
    if (text !== '') given[name] = text
    else if (person?.[name] !== undefined) given[name] = null
    else delete given[name]
  }
  return given
}
