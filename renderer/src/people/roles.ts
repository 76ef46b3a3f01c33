import { CLINIC_ROLES, type ClinicRole, type Level } from '#shared/contract/people.ts'
import { inLanguage, type Translated } from '../i18n/words.ts'

// The interface's own words, which are English.
const english = Object.fromEntries(CLINIC_ROLES.map((role) => [role, role])) as {
  readonly [K in ClinicRole]: K
}
const spanish: Translated<typeof english> = {
  Radiologist: 'Radiólogo/a',
  Cardiologist: 'Cardiólogo/a',
  Neurologist: 'Neurólogo/a',
  Urologist: 'Urólogo/a',
  Gynecologist: 'Ginecólogo/a',
  Endocrinologist: 'Endocrinólogo/a',
  Doctor: 'Doctor/a',
  Surgeon: 'Cirujano/a',
  Physician: 'Médico/a',
  'Physician Assistant': 'Asistente médico',
  'Nurse Practitioner': 'Enfermero/a de práctica avanzada',
  'Registered Nurse': 'Enfermero/a',
  'Patient Care Coordinator': 'Coordinación de pacientes',
  'Front Desk Operator': 'Recepción',
  'Imaging Technologist': 'Técnico/a de imagen',
  'PACS Administrator': 'Administrador/a de PACS',
  'Software Engineer': 'Ingeniero/a de software',
  'Revenue Cycle Manager': 'Responsable de facturación',
  'Administrative Director': 'Dirección administrativa',
  'Administrative Assistant': 'Auxiliar administrativo/a',
  Other: 'Otra',
}
export const ROLE_NAMES: Readonly<Record<ClinicRole, string>> = inLanguage(english, spanish)

const levels = {
  owner: 'Owner',
  admin: 'Administrator',
  member: 'Member',
} as const satisfies Record<Level, string>
export const LEVEL_NAMES: Readonly<Record<Level, string>> = inLanguage(levels, {
  owner: 'Propietario',
  admin: 'Administrador',
  member: 'Miembro',
})
