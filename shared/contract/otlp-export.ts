import { z } from 'zod'
import { operation } from '../operation.ts'
import { Instant } from './conventions.ts'

/** The export of metrics and logs to an OpenTelemetry collector (decision 0068). */
export const dashboardOtlpExport = {
  state: operation('GET /dashboard/otlp-export', {
    access: 'manage',
    background: true,
    summary: 'Whether the collector accepted the last export, and whether a secret is set',
    reply: z.object({
      hasSecret: z.boolean(),
      /** Null before the first export. */
      lastAt: Instant.nullable(),
      isOk: z.boolean(),
      /** Log lines that were not sent since the gateway started. */
      dropped: z.int(),
    }),
  }),
  setSecret: operation('PUT /dashboard/otlp-export/secret', {
    access: 'manage-confirmed',
    summary: 'Set or remove the Authorization header that is sent to the collector',
    /** Null removes it. */
    body: z.object({
      secret: z
        .string()
        .trim()
        .regex(/^[\x20-\x7E]{1,1000}$/)
        .nullable(),
    }),
    reply: z.object({ success: z.literal(true) }),
  }),
} as const
