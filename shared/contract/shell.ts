import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { Instant } from './conventions.ts'

/**
 * Whether the data key is kept by the account's key store: wrapped by it, by one without real
 * protection, not at all for want of one, or in a plain file.
 */
const KEY_STORE_STATES = ['platform', 'basic', 'none', 'file'] as const
export const KeyStoreState = z.enum(KEY_STORE_STATES)
export type KeyStoreState = z.infer<typeof KeyStoreState>

/** How the gateway stands, the gravest last: each has a shape of its own in the tray. */
const TRAY_STATES = ['ok', 'attention', 'partner-away', 'listener-down'] as const
export const TrayState = z.enum(TRAY_STATES)
export type TrayState = z.infer<typeof TrayState>

/** Something that needs a person: its kind is one of `TODAY_KINDS`, or a later program's. */
export const ShellAttention = z.object({
  kind: z.string(),
  count: z.int(),
  /** Since when the oldest of it is so; null where nobody knows. */
  since: Instant.nullable(),
})
export type ShellAttention = z.infer<typeof ShellAttention>

/**
 * What the control command `status` prints, for the tray and for notifications. Nothing about a
 * patient is in it.
 */
export const ShellStatus = z.object({
  version: z.string(),
  /** Safe mode: no device is served, nothing is sent. */
  isSafe: z.boolean(),
  tray: TrayState,
  /** Sentences of the gateway, the gravest first. */
  lines: z.array(z.string()),
  attention: z.array(ShellAttention),
  openAssociations: z.int(),
  /** When an update may be put in: `at` is HH:MM of the clinic's day. */
  update: z.object({ isAutomatic: z.boolean(), at: z.string(), timeZone: z.string() }),
})
export type ShellStatus = z.infer<typeof ShellStatus>

const UPDATE_STATES = [
  'none',
  'not-here',
  'checking',
  'available',
  'downloading',
  'ready',
  'installing',
  'failed',
] as const

/**
 * How far an update is; not-here: this program is not updated by itself (not packaged, or by the
 * system's own packages).
 */
export const UpdateState = z.object({
  state: z.enum(UPDATE_STATES),
  /** The version that is offered; null where none is. */
  version: z.string().nullable(),
  /** Of the download, from 0 to 1. */
  share: z.number(),
  /** For a person; null where the state says all. */
  sentence: Message.nullable(),
  /**
   * What is new in the version that is offered, a point each, plain text; empty where its makers do
   * not say.
   */
  notes: z.array(z.string()),
})
export type UpdateState = z.infer<typeof UpdateState>

/** What the window may know of the desktop app around it. */
export const DesktopState = z.object({
  isAutostart: z.boolean(),
  keyStore: KeyStoreState,
  update: UpdateState,
})
export type DesktopState = z.infer<typeof DesktopState>
