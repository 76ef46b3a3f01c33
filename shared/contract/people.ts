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
/** Long beats complicated (NIST SP 800-63B): 10 characters at least, no composition rule. */
export const Password = z.string().min(10, fault('values.too-few-characters')).max(200)

/** A user as others are shown one. */
export const NamedUser = z.object({ userId: UserId, name: z.string() })

/** Who is signed in to the window. */
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

/** The session of a window; `user` is null where nobody is signed in. */
export const Session = z.object({
  user: SignedInUser.nullable(),
  needsOwner: z.boolean(),
  /** The session goes on and opens nothing until its person unlocks it. */
  isLocked: z.boolean(),
  /** Minutes without use after which the window locks itself. */
  lockMinutes: z.number(),
  /** The first-run wizard is to be gone on with, by who manages the gateway. */
  needsSetup: z.boolean(),
  /** The person sees the studies of some customers only, and no screen with every patient. */
  isLimited: z.boolean(),
  /** The person manages the gateway and signs in by password alone. */
  needsSecondFactor: z.boolean(),
  clinicName: z.string(),
  version: z.string(),
})
export type Session = z.infer<typeof Session>
