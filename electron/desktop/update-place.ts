import { dirname, join } from 'node:path'

/** What decides whether this program is updated by itself. */
export interface Program {
  readonly isPackaged: boolean
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Electron's `process.resourcesPath`. */
  readonly resources: string
  readonly executable: string
}

/** The disk, as far as it says where this program came from. */
export interface Disk {
  readonly exists: (path: string) => boolean
  /** Undefined where it cannot be read. */
  readonly read: (path: string) => string | undefined
}

/** Why this program is not updated by itself, one sentence; undefined where it is. */
export function whyNotHere(
  { isPackaged, platform, env, resources, executable }: Program,
  { exists, read }: Disk,
): string | undefined {
  if (!isPackaged) return 'This program was not installed, so it is not updated by itself.'
  if (platform === 'linux' && !env.APPIMAGE)
    return 'This program is updated with the packages of the system.'
  // NSIS leaves its uninstaller beside the program, MSI does not; electron-updater can put the next
  // version over the first alone.
  if (platform === 'win32' && !exists(join(dirname(executable), 'Uninstall Isthmus.exe')))
    return 'This program was installed by an MSI package, and the next package updates it.'
  const url = env.ISTHMUS_UPDATE_URL
  if (url && !mayBeTold({ resources }, { read }))
    return 'ISTHMUS_UPDATE_URL counts only where update-policy.json beside the program allows it, so no update is taken.'
  if (url && !isSafe(url))
    return 'ISTHMUS_UPDATE_URL does not begin with https://, so no update is taken from there.'
  const builtIn = read(join(resources, 'app-update.yml'))
  if (builtIn === undefined || (!url && NOWHERE.test(builtIn)))
    return 'No place for updates is set: the program stays as it is until another version is installed over it.'
  return undefined
}

/**
 * Whether the environment may name another place for updates: whoever can write this file could
 * replace the program itself, whereas an environment is set by anybody who runs something as this
 * person.
 */
function mayBeTold(
  { resources }: Pick<Program, 'resources'>,
  { read }: Pick<Disk, 'read'>,
): boolean {
  try {
    return (
      (JSON.parse(read(join(resources, POLICY)) ?? '{}') as { allowUpdateUrl?: unknown } | null)
        ?.allowUpdateUrl === true
    )
  } catch {
    return false
  }
}
const POLICY = 'update-policy.json'

/**
 * Whether nothing but the connection says whose its updates are: only Windows and macOS check a
 * signature.
 */
export const isUnsigned = ({ platform }: Pick<Program, 'platform'>): boolean => platform === 'linux'

/** What electron-builder.yml has where nobody said another place. */
const NOWHERE = /\/\/updates\.invalid\b/

/** Outside Windows and macOS nothing but the connection says whose update it is. */
const isSafe = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:'

const FAULTS: readonly (readonly [RegExp, string])[] = [
  [
    /INVALID_SIGNATURE|not signed by/,
    'The update is not signed by the maker of this program, so it was not taken. Tell the vendor.',
  ],
  [/CHECKSUM_MISMATCH|checksum mismatch/, 'The update came damaged. It is fetched again later.'],
  [/ENOSPC/, 'The disk is full, so the update could not be fetched.'],
  [/CERT_|certificate/i, 'The place for updates shows a certificate that is not trusted.'],
  [
    /CHANNEL_FILE_NOT_FOUND|NO_PUBLISHED_VERSIONS|\b404\b/,
    'The place for updates has none for this system.',
  ],
  [
    /net::ERR_|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|HTTP_ERROR|HttpError/,
    'The place for updates could not be reached. It is asked again later.',
  ],
]

/** What went wrong with an update, one sentence. */
export function faultOfUpdate(error: Error): string {
  const text = `${'code' in error ? String(error.code) : ''} ${error.name} ${error.message}`
  return FAULTS.find(([form]) => form.test(text))?.[1] ?? 'The update could not be fetched.'
}
