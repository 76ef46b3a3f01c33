import { z } from 'zod'
import { UserId } from '../ids.ts'
import { fault } from '../messages/issues.ts'
import { Instant } from './conventions.ts'

export const CLINIC_ROLES = [
  'Radiologist',
  'Cardiologist',
  'Neurologist',
  'Urologist',
  'Gynecologist',
  'Endocrinologist',
  'Doctor',
  'Surgeon',
  'Physician',
  'Physician Assistant',
  'Nurse Practitioner',
  'Registered Nurse',
  'Patient Care Coordinator',
  'Front Desk Operator',
  'Imaging Technologist',
  'PACS Administrator',
  'Software Engineer',
  'Revenue Cycle Manager',
  'Administrative Director',
  'Administrative Assistant',
  // Published clients offer these as well.
  'Oncologist',
  'Radiation Oncologist',
  'Hematologist',
  'Gastroenterologist',
  'Pulmonologist',
  'Nephrologist',
  'Rheumatologist',
  'Dermatologist',
  'Ophthalmologist',
  'Otolaryngologist',
  'Pediatrician',
  'Obstetrician',
  'Psychiatrist',
  'Anesthesiologist',
  'Emergency Medicine Physician',
  'Family Medicine Physician',
  'Internal Medicine Physician',
  'Pathologist',
  'Nuclear Medicine Physician',
  'Pain Management Specialist',
  'Infectious Disease Specialist',
  'Immunologist',
  'Certified Registered Nurse Anesthetist',
  'Psychologist',
  'Medical Assistant',
  'Scribe',
  'Nurse Manager',
  'Laboratory Technician',
  'Medical Laboratory Scientist',
  "Pathologists' Assistant",
  'Phlebotomist',
  'Pharmacist',
  'Pharmacy Technician',
  'Physical Therapist',
  'Occupational Therapist',
  'Speech-Language Pathologist',
  'Respiratory Therapist',
  'Nutritionist',
  'Legal Administrator',
  'IT Administrator',
  'IT Support',
  'Other',
] as const
export const ClinicRole = z.enum(CLINIC_ROLES)
export type ClinicRole = z.infer<typeof ClinicRole>

export const LEVELS = ['owner', 'admin', 'member'] as const
export const Level = z.enum(LEVELS)
export type Level = z.infer<typeof Level>

export const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, fault('values.email'))
export const GivenName = z.string().trim().min(1, fault('values.empty')).max(100)
/**
 * At least 10 characters and no composition rules, because length matters more than complexity
 * (NIST SP 800-63B).
 */
export const Password = z.string().min(10, fault('values.too-few-characters')).max(200)

/** A user with their display name. */
export const NamedUser = z.object({ userId: UserId, name: z.string() })

/** The user who is signed in to the window. */
export const SignedInUser = z.object({
  userId: UserId,
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  level: Level,
  clinicRole: ClinicRole,
  canManageStudies: z.boolean(),
  canCreateReports: z.boolean(),
  hasDashboardAccess: z.boolean(),
  lastLoginAt: Instant.nullable(),
})
export type SignedInUser = z.infer<typeof SignedInUser>

/** The session of a window; `user` is null if no user is signed in. */
export const Session = z.object({
  user: SignedInUser.nullable(),
  needsOwner: z.boolean(),
  /** The session continues, but grants no access until the user unlocks it. */
  isLocked: z.boolean(),
  /** Minutes without activity after which the window is locked. */
  lockMinutes: z.number(),
  /** Whether the user should continue the first-run wizard. */
  needsSetup: z.boolean(),
  /** Whether the window offers the guided tour, as in the demo. */
  offersTour: z.boolean(),
  /** Whether the user sees only the studies of some customers, and no screens with all patients. */
  isLimited: z.boolean(),
  /** Whether the user manages the gateway and signs in with a password only. */
  needsSecondFactor: z.boolean(),
  clinicName: z.string(),
  version: z.string(),
  /** The identity provider that the window offers for sign-in; null without one. */
  provider: z.object({ name: z.string() }).nullable(),
  /** How the user of the session can show again who they are. */
  proofs: z.object({ password: z.boolean(), provider: z.boolean() }),
})
export type Session = z.infer<typeof Session>
