import { CLINIC_ROLES, type ClinicRole, LEVELS, type Level } from '#shared/contract/people.ts'
import { t } from '../i18n/t.ts'

export const ROLE_NAMES = Object.fromEntries(
  CLINIC_ROLES.map((role) => [role, t(`ui.users.roles.${role}`)]),
) as Readonly<Record<ClinicRole, string>>

export const LEVEL_NAMES = Object.fromEntries(
  LEVELS.map((level) => [level, t(`ui.users.levels.${level}`)]),
) as Readonly<Record<Level, string>>
