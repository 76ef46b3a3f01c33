import type { ClinicRole, SignedInUser } from '#shared/contract/people.ts'
import { mayManage } from './session.ts'

export const WORK_ROLES = ['technologist', 'front-desk', 'radiologist', 'administrator'] as const

/** What a person mainly does with this program; decides the home page and the navigation. */
export type WorkRole = (typeof WORK_ROLES)[number]

const DEFAULT_WORK_ROLES: Readonly<Record<ClinicRole, WorkRole>> = {
  'Imaging Technologist': 'technologist',
  'Front Desk Operator': 'front-desk',
  'Patient Care Coordinator': 'front-desk',
  'Administrative Assistant': 'front-desk',
  'Revenue Cycle Manager': 'front-desk',
  'Registered Nurse': 'front-desk',
  Radiologist: 'radiologist',
  Cardiologist: 'radiologist',
  Neurologist: 'radiologist',
  Urologist: 'radiologist',
  Gynecologist: 'radiologist',
  Endocrinologist: 'radiologist',
  Doctor: 'radiologist',
  Surgeon: 'radiologist',
  Physician: 'radiologist',
  'Physician Assistant': 'radiologist',
  'Nurse Practitioner': 'radiologist',
  'PACS Administrator': 'administrator',
  'Software Engineer': 'administrator',
  'Administrative Director': 'administrator',
  // Of the longer list of published clients.
  Oncologist: 'radiologist',
  'Radiation Oncologist': 'radiologist',
  Hematologist: 'radiologist',
  Gastroenterologist: 'radiologist',
  Pulmonologist: 'radiologist',
  Nephrologist: 'radiologist',
  Rheumatologist: 'radiologist',
  Dermatologist: 'radiologist',
  Ophthalmologist: 'radiologist',
  Otolaryngologist: 'radiologist',
  Pediatrician: 'radiologist',
  Obstetrician: 'radiologist',
  Psychiatrist: 'radiologist',
  Anesthesiologist: 'radiologist',
  'Emergency Medicine Physician': 'radiologist',
  'Family Medicine Physician': 'radiologist',
  'Internal Medicine Physician': 'radiologist',
  Pathologist: 'radiologist',
  'Nuclear Medicine Physician': 'radiologist',
  'Pain Management Specialist': 'radiologist',
  'Infectious Disease Specialist': 'radiologist',
  Immunologist: 'radiologist',
  'Certified Registered Nurse Anesthetist': 'radiologist',
  Psychologist: 'radiologist',
  'Medical Assistant': 'front-desk',
  Scribe: 'front-desk',
  'Nurse Manager': 'front-desk',
  'Laboratory Technician': 'front-desk',
  'Medical Laboratory Scientist': 'front-desk',
  "Pathologists' Assistant": 'front-desk',
  Phlebotomist: 'front-desk',
  Pharmacist: 'front-desk',
  'Pharmacy Technician': 'front-desk',
  'Physical Therapist': 'front-desk',
  'Occupational Therapist': 'front-desk',
  'Speech-Language Pathologist': 'front-desk',
  'Respiratory Therapist': 'front-desk',
  Nutritionist: 'front-desk',
  'Legal Administrator': 'front-desk',
  'IT Administrator': 'administrator',
  'IT Support': 'administrator',
  Other: 'administrator',
}

/**
 * The work of a person by their role in the clinic. It gives no permission: what somebody may do
 * follows from the account level and its permissions alone.
 */
export const workRoleOf = ({ clinicRole }: Pick<SignedInUser, 'clinicRole'>): WorkRole =>
  DEFAULT_WORK_ROLES[clinicRole]

/** The homes that a person can choose from: managers have all of them, others their own. */
export const homesOf = (user: SignedInUser): readonly WorkRole[] =>
  mayManage(user) ? WORK_ROLES : [workRoleOf(user)]
