import { z } from 'zod'
import { ExpressCustomerId, UserId } from '../ids.ts'

export const UserReference = z
  .object({
    email: z.string(),
    userId: UserId,
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    middleName: z.string().optional(),
    suffix1: z.string().optional(),
    suffix2: z.string().optional(),
  })
  .meta({ id: 'UserReference' })
export type UserReference = z.infer<typeof UserReference>

export const APIKeyReference = z
  .object({ apiKeyId: z.uuid(), description: z.string(), isViewerEnabled: z.boolean().optional() })
  .meta({ id: 'APIKeyReference' })
export type APIKeyReference = z.infer<typeof APIKeyReference>

export const ExpressCustomerReference = z
  .object({ expressCustomerId: ExpressCustomerId, expressCustomerName: z.string() })
  .meta({ id: 'ExpressCustomerReference' })
export type ExpressCustomerReference = z.infer<typeof ExpressCustomerReference>
