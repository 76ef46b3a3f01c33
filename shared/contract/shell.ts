import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { Instant } from './conventions.ts'

/**
 * How the data key is stored: platform: wrapped by the account's key store; basic: by a key store
 * without real protection; none: there is no key store; file: in a plain file.
 */
const KEY_STORE_STATES = ['platform', 'basic', 'none', 'file'] as const
export const KeyStoreState = z.enum(KEY_STORE_STATES)
export type KeyStoreState = z.infer<typeof KeyStoreState>

/** The state of the gateway, the most serious last; each has its own icon in the tray. */
const TRAY_STATES = ['ok', 'attention', 'partner-away', 'listener-down'] as const
export const TrayState = z.enum(TRAY_STATES)
export type TrayState = z.infer<typeof TrayState>

/** An item that needs attention. Its kind is one of `TODAY_KINDS`, or one of a later version. */
export const ShellAttention = z.object({
  kind: z.string(),
  count: z.int(),
  /** Since when the oldest item exists; null if unknown. */
  since: Instant.nullable(),
})
export type ShellAttention = z.infer<typeof ShellAttention>

/**
 * The output of the control command `status`, for the tray and for notifications; without patient
 * data.
 */
export const ShellStatus = z.object({
  version: z.string(),
  /** Safe mode: devices are not served, and nothing is sent. */
  isSafe: z.boolean(),
  tray: TrayState,
  /** Status messages, the most serious first. */
  lines: z.array(z.string()),
  attention: z.array(ShellAttention),
  openAssociations: z.int(),
  /** When an update may be installed: `at` is HH:MM in the clinic's time zone. */
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
 * The state of an update. not-here: the program does not update itself (not packaged, or managed by
 * the system's package manager).
 */
export const UpdateState = z.object({
  state: z.enum(UPDATE_STATES),
  /** The available version; null if there is none. */
  version: z.string().nullable(),
  /** Progress of the download, from 0 to 1. */
  share: z.number(),
  /** A message for the user; null if the state is sufficient. */
  sentence: Message.nullable(),
  /**
   * Release notes of the available version, one point each, as plain text; empty if there are none.
   */
  notes: z.array(z.string()),
})
export type UpdateState = z.infer<typeof UpdateState>

/** The state of the desktop app that the window shows. */
export const DesktopState = z.object({
  isAutostart: z.boolean(),
  keyStore: KeyStoreState,
  update: UpdateState,
})
export type DesktopState = z.infer<typeof DesktopState>
