import { dirname, join } from 'node:path'
import { type Message, message } from '#shared/messages/message.ts'

/** What determines whether this program can update itself. */
export interface Program {
  readonly isPackaged: boolean
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Electron's `process.resourcesPath`. */
  readonly resources: string
  readonly executable: string
}

/** Access to the files that show how the program was installed. */
export interface Disk {
  readonly exists: (path: string) => boolean
  /** Undefined if the file cannot be read. */
  readonly read: (path: string) => string | undefined
}

/** Why this program cannot update itself, as one sentence; undefined if it can. */
export function updateObstacle(
  { isPackaged, platform, env, resources, executable }: Program,
  { exists, read }: Disk,
): Message | undefined {
  if (!isPackaged) return message('updates.not-installed')
  if (platform === 'linux' && !env.APPIMAGE) return message('updates.by-system-packages')
  // NSIS leaves its uninstaller beside the program, MSI does not. electron-updater can only update
  // an NSIS installation.
  if (platform === 'win32' && !exists(join(dirname(executable), 'Uninstall Isthmus.exe')))
    return message('updates.by-msi')
  const url = env.ISTHMUS_UPDATE_URL
  if (url && !mayOverrideUrl({ resources }, { read })) return message('updates.url-not-allowed')
  if (url && !isHttps(url)) return message('updates.url-not-safe')
  const builtIn = read(join(resources, 'app-update.yml'))
  if (builtIn === undefined || (!url && PLACEHOLDER_URL.test(builtIn)))
    return message('updates.no-place')
  return undefined
}

/**
 * Whether the update URL may be set in the environment. Anyone who can write this file could
 * replace the program itself, but any process of the user can set the environment.
 */
function mayOverrideUrl(
  { resources }: Pick<Program, 'resources'>,
  { read }: Pick<Disk, 'read'>,
): boolean {
  try {
    return (
      (
        JSON.parse(read(join(resources, POLICY_FILE)) ?? '{}') as {
          allowUpdateUrl?: unknown
        } | null
      )?.allowUpdateUrl === true
    )
  } catch {
    return false
  }
}
const POLICY_FILE = 'update-policy.json'

/**
 * Whether updates are authenticated only by the connection; signatures are checked only on Windows
 * and macOS.
 */
export const isUnsigned = ({ platform }: Pick<Program, 'platform'>): boolean => platform === 'linux'

/** The placeholder in electron-builder.yml if no update URL was configured. */
const PLACEHOLDER_URL = /\/\/updates\.invalid\b/

/**
 * https is required, because outside Windows and macOS only the connection authenticates an update.
 */
const isHttps = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:'

const FAULTS: readonly (readonly [RegExp, Message])[] = [
  [/INVALID_SIGNATURE|not signed by/, message('updates.bad-signature')],
  [/CHECKSUM_MISMATCH|checksum mismatch/, message('updates.came-damaged')],
  [/ENOSPC/, message('updates.disk-full')],
  [/CERT_|certificate/i, message('updates.certificate-not-trusted')],
  [/CHANNEL_FILE_NOT_FOUND|NO_PUBLISHED_VERSIONS|\b404\b/, message('updates.none-for-system')],
  [
    /net::ERR_|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|HTTP_ERROR|HttpError/,
    message('updates.place-not-reached'),
  ],
]

/** What went wrong with an update, as one sentence. */
export function updateErrorMessage(error: Error): Message {
  const text = `${'code' in error ? String(error.code) : ''} ${error.name} ${error.message}`
  return FAULTS.find(([form]) => form.test(text))?.[1] ?? message('updates.not-fetched')
}
